/* paper.c - the paper's tables "graph classification" and "generalize": accuracy, of molecules ROC-AUC, in
 * percent, mean and std as printed. 0 stands for a hyphen: the paper has no number there.
 * SPDX-License-Identifier: MIT */
#include "report/paper.h"

#include <string.h>

#define SETS 13

static const char *const sets[SETS] = { "DD",          "PROTEINS",   "NCI1",         "MUTAG",        "PTC_MR",
                                        "NCI109",      "ENZYMES",    "Mutagenicity", "FRANKENSTEIN", "REDDIT-BINARY",
                                        "IMDB-BINARY", "IMDB-MULTI", "COLLAB" };

/* clang-format off */
static const struct {
    const char *pool;
    bool mid;
    mp_paper_cell cell[SETS];
} classification[] = {
    { "set2set", false,
      { { 72.65, 0.47 }, { 73.14, 0.97 }, { 71.70, 0.73 }, { 70.50, 1.99 }, { 54.53, 1.69 }, { 69.78, 0.43 }, { 42.92, 2.05 },
        { 79.86, 0.43 }, { 61.79, 0.23 }, { 90.03, 0.45 }, { 73.10, 0.48 }, { 50.15, 0.58 }, { 79.88, 0.50 } } },
    { "sort", false,
      { { 77.50, 0.50 }, { 74.16, 0.53 }, { 72.88, 0.93 }, { 70.56, 2.73 }, { 52.62, 2.11 }, { 71.77, 0.67 }, { 36.17, 2.58 },
        { 77.03, 0.51 }, { 62.42, 0.57 }, { 87.00, 1.03 }, { 72.49, 0.78 }, { 49.62, 0.36 }, { 80.21, 0.35 } } },
    { "diff", false,
      { { 67.95, 2.44 }, { 72.86, 1.00 }, { 77.04, 0.73 }, { 82.50, 2.54 }, { 55.26, 3.84 }, { 75.38, 0.66 }, { 51.27, 2.89 },
        { 79.80, 0.24 }, { 63.95, 0.81 }, { 0, 0 }, { 72.99, 0.65 }, { 51.03, 0.48 }, { 79.24, 0.57 } } },
    { "edge", false,
      { { 76.97, 0.44 }, { 74.82, 0.56 }, { 76.53, 0.50 }, { 73.00, 0.87 }, { 58.09, 2.04 }, { 75.58, 0.50 }, { 31.18, 1.99 },
        { 80.78, 0.17 }, { 58.09, 2.04 }, { 89.12, 1.22 }, { 72.13, 0.72 }, { 51.05, 0.53 }, { 81.22, 0.94 } } },
    { "mincut", false,
      { { 74.69, 0.52 }, { 74.28, 0.76 }, { 71.15, 0.98 }, { 85.17, 1.41 }, { 54.68, 2.45 }, { 71.68, 0.46 }, { 25.33, 1.47 },
        { 75.39, 0.39 }, { 62.32, 0.55 }, { 86.69, 0.48 }, { 73.05, 0.80 }, { 50.22, 0.81 }, { 78.78, 0.61 } } },
    { "haar", false,
      { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 74.89, 0.69 }, { 55.97, 1.26 }, { 0, 0 }, { 20.57, 1.05 },
        { 0, 0 }, { 0, 0 }, { 0, 0 }, { 73.46, 0.55 }, { 50.37, 0.55 }, { 0, 0 } } },
    { "mem", false,
      { { 72.96, 0.84 }, { 71.99, 0.65 }, { 67.65, 0.67 }, { 69.17, 2.04 }, { 53.26, 2.67 }, { 65.50, 1.16 }, { 44.73, 2.21 },
        { 74.96, 0.22 }, { 62.05, 0.45 }, { 0, 0 }, { 71.20, 0.82 }, { 49.91, 0.76 }, { 0, 0 } } },
    { "gmt", false,
      { { 78.48, 0.48 }, { 75.08, 0.85 }, { 76.23, 0.49 }, { 83.04, 1.01 }, { 55.41, 1.30 }, { 74.49, 0.52 }, { 37.38, 1.52 },
        { 79.94, 0.35 }, { 63.15, 0.25 }, { 88.88, 0.44 }, { 73.10, 0.44 }, { 50.50, 0.54 }, { 80.74, 0.54 } } },
    { "sag", false,
      { { 76.15, 0.73 }, { 73.42, 0.93 }, { 70.89, 0.80 }, { 67.67, 3.56 }, { 54.38, 1.96 }, { 70.26, 0.99 }, { 36.30, 2.51 },
        { 74.20, 0.75 }, { 60.62, 0.66 }, { 87.42, 0.62 }, { 71.87, 0.59 }, { 50.42, 0.45 }, { 79.07, 0.28 } } },
    { "sag", true,
      { { 76.97, 0.72 }, { 74.52, 0.52 }, { 74.08, 0.40 }, { 72.72, 1.96 }, { 56.24, 1.22 }, { 75.21, 0.66 }, { 39.88, 1.93 },
        { 79.75, 0.17 }, { 61.33, 0.28 }, { 91.62, 0.30 }, { 73.08, 0.30 }, { 51.05, 0.69 }, { 79.93, 0.65 } } },
    { "topk", false,
      { { 72.12, 1.22 }, { 72.72, 1.16 }, { 73.82, 0.65 }, { 77.06, 2.25 }, { 55.59, 2.43 }, { 72.94, 0.67 }, { 29.77, 1.74 },
        { 76.51, 1.13 }, { 64.63, 0.67 }, { 85.37, 1.04 }, { 71.47, 0.71 }, { 49.55, 0.58 }, { 77.45, 0.56 } } },
    { "topk", true,
      { { 74.65, 1.68 }, { 73.07, 0.80 }, { 78.50, 0.50 }, { 80.38, 2.26 }, { 56.76, 1.76 }, { 77.55, 0.49 }, { 30.37, 1.94 },
        { 81.39, 0.35 }, { 66.30, 0.55 }, { 83.20, 0.96 }, { 72.55, 0.73 }, { 50.38, 0.51 }, { 78.86, 0.52 } } },
    { "gsa", false,
      { { 75.91, 0.77 }, { 73.64, 0.89 }, { 71.33, 0.92 }, { 68.83, 1.54 }, { 53.59, 2.69 }, { 70.01, 1.60 }, { 34.93, 2.04 },
        { 76.56, 0.77 }, { 60.41, 0.53 }, { 87.46, 0.77 }, { 72.41, 0.57 }, { 50.72, 0.57 }, { 78.97, 0.33 } } },
    { "gsa", true,
      { { 76.70, 0.56 }, { 75.04, 0.42 }, { 75.72, 0.92 }, { 71.72, 1.04 }, { 55.47, 2.25 }, { 75.34, 0.37 }, { 42.48, 2.52 },
        { 79.88, 0.20 }, { 61.26, 0.37 }, { 88.88, 0.42 }, { 73.06, 0.20 }, { 50.93, 0.20 }, { 79.44, 0.30 } } },
    { "asap", false,
      { { 75.91, 1.01 }, { 71.25, 0.79 }, { 73.86, 0.74 }, { 79.33, 4.02 }, { 55.68, 1.45 }, { 73.15, 0.70 }, { 20.10, 1.13 },
        { 77.31, 0.62 }, { 60.57, 0.62 }, { 0, 0 }, { 72.25, 0.83 }, { 48.55, 0.64 }, { 0, 0 } } },
    { "asap", true,
      { { 77.57, 0.79 }, { 72.14, 0.67 }, { 75.30, 0.43 }, { 82.33, 3.40 }, { 56.76, 1.88 }, { 75.60, 0.63 }, { 21.67, 1.25 },
        { 78.94, 0.50 }, { 61.55, 0.95 }, { 0, 0 }, { 73.12, 0.56 }, { 49.47, 0.48 }, { 0, 0 } } },
};

#define MOLECULES 4
static const char *const molecule_sets[MOLECULES] = { "ogbg_molhiv", "ogbg_molbbbp", "ogbg_moltox21", "ogbg_moltoxcast" };
static const struct {
    const char *pool;
    bool mid;
    mp_paper_cell cell[MOLECULES];
} molecules[] = {
    { "set2set", false, { { 73.42, 2.34 }, { 64.43, 2.16 }, { 73.42, 0.67 }, { 59.76, 0.65 } } },
    { "sort", false, { { 71.88, 1.83 }, { 64.33, 3.10 }, { 68.90, 0.78 }, { 59.28, 0.99 } } },
    { "diff", false, { { 75.05, 1.71 }, { 64.77, 2.43 }, { 75.82, 0.69 }, { 65.79, 0.87 } } },
    { "edge", false, { { 72.15, 1.56 }, { 68.56, 1.43 }, { 74.54, 0.79 }, { 62.57, 1.36 } } },
    { "mincut", false, { { 73.91, 1.10 }, { 66.47, 1.90 }, { 78.78, 0.61 }, { 63.66, 1.56 } } },
    { "mem", false, { { 73.75, 1.90 }, { 66.47, 1.90 }, { 72.05, 0.93 }, { 61.85, 0.36 } } },
    { "gmt", false, { { 76.41, 2.32 }, { 66.88, 1.59 }, { 76.56, 0.90 }, { 64.53, 0.92 } } },
    { "sag", false, { { 70.19, 3.66 }, { 64.29, 2.96 }, { 69.39, 1.88 }, { 59.09, 1.38 } } },
    { "sag", true, { { 74.51, 1.31 }, { 66.54, 2.33 }, { 73.06, 0.66 }, { 60.23, 0.64 } } },
    { "topk", false, { { 71.24, 2.97 }, { 65.93, 2.60 }, { 68.69, 2.02 }, { 58.63, 1.56 } } },
    { "topk", true, { { 75.11, 2.42 }, { 66.64, 2.33 }, { 71.24, 2.14 }, { 60.50, 1.47 } } },
    { "gsa", false, { { 71.47, 2.43 }, { 64.49, 3.31 }, { 69.18, 2.05 }, { 59.60, 1.17 } } },
    { "gsa", true, { { 74.49, 1.42 }, { 67.27, 1.86 }, { 72.61, 1.14 }, { 61.90, 0.80 } } },
    { "asap", false, { { 71.60, 1.71 }, { 61.93, 3.18 }, { 70.00, 1.50 }, { 60.32, 1.34 } } },
    { "asap", true, { { 72.50, 2.16 }, { 64.03, 1.86 }, { 71.04, 0.92 }, { 61.04, 0.42 } } },
};

static const struct {
    const char *dataset, *pool;
    bool mid;
    mp_paper_cell origin, large;
} generalization[] = {
    { "COLORS-3", "sag", false, { 58.98, 3.43 }, { 9.68, 0.60 } },
    { "COLORS-3", "sag", true, { 72.19, 1.59 }, { 11.24, 2.51 } },
    { "COLORS-3", "topk", false, { 70.38, 5.22 }, { 30.24, 22.75 } },
    { "COLORS-3", "topk", true, { 99.96, 0.03 }, { 82.64, 15.21 } },
    { "TRIANGLES", "sag", false, { 44.73, 0.63 }, { 19.44, 1.18 } },
    { "TRIANGLES", "sag", true, { 59.28, 2.05 }, { 22.36, 0.97 } },
    { "TRIANGLES", "topk", false, { 45.00, 1.06 }, { 17.88, 1.75 } },
    { "TRIANGLES", "topk", true, { 47.30, 2.16 }, { 23.85, 1.14 } },
};
/* clang-format on */

#define ROWS(table) (int)(sizeof table / sizeof *table)

static int set_index(const char *const *names, int n, const char *dataset)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], dataset) == 0) return i;
    return -1;
}

static mp_paper_cell classification_cell(const char *dataset, const char *pool, bool mid)
{
    int set = set_index(sets, SETS, dataset), molecule = set_index(molecule_sets, MOLECULES, dataset);
    for (int i = 0; set >= 0 && i < ROWS(classification); i++)
        if (classification[i].mid == mid && strcmp(classification[i].pool, pool) == 0)
            return classification[i].cell[set];
    for (int i = 0; molecule >= 0 && i < ROWS(molecules); i++)
        if (molecules[i].mid == mid && strcmp(molecules[i].pool, pool) == 0) return molecules[i].cell[molecule];
    return (mp_paper_cell){ 0, 0 };
}

bool mp_paper_measures(const char *dataset, const mp_metric *m)
{
    bool molecule = set_index(molecule_sets, MOLECULES, dataset) >= 0;
    return strcmp(m->title, molecule ? "ROC-AUC" : "accuracy") == 0;
}

mp_paper_cell mp_paper_find(const char *dataset, const char *pool, bool mid, bool large)
{
    for (int i = 0; i < ROWS(generalization); i++) {
        bool same = generalization[i].mid == mid && strcmp(generalization[i].dataset, dataset) == 0 &&
                    strcmp(generalization[i].pool, pool) == 0;
        if (same) return large ? generalization[i].large : generalization[i].origin;
    }
    return large ? (mp_paper_cell){ 0, 0 } : classification_cell(dataset, pool, mid);
}
