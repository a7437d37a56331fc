/* known.c - the table of data sets. See known.h.
 * SPDX-License-Identifier: MIT */
#include "data/known.h"
#include "base/text.h"

#include <string.h>

#define LABELS "node labels"
#define DEGREE "one-hot degree"
#define ATOMS  "9 atom features"
#define OGB(preset_name)                                                                                               \
    .task = &mp_task_binary, .preset = (preset_name),                                                                  \
    .note = "the paper rounds edges; features of copies may be rebuilt",                                               \
    .caveat = "features of atoms and bonds may have been rebuilt from SMILES"

static const mp_known table[] = {
    { "DD", 1178, 2, 284.32, 715.66, 89, LABELS, .note = NULL },
    { "PROTEINS", 1113, 2, 39.06, 72.82, 4, "1 attribute + 3 node labels", .note = NULL },
    { "NCI1", 4110, 2, 29.87, 32.30, 37, LABELS, .note = NULL },
    { "MUTAG", 188, 2, 17.93, 19.79, 7, LABELS, .note = NULL },
    { "PTC_MR", 344, 2, 14.30, 14.69, 18, LABELS, .note = "the paper prints 14.30 nodes" },
    { "NCI109", 4127, 2, 29.68, 32.13, 38, LABELS, .note = NULL },
    { "ENZYMES", 600, 6, 32.63, 124.20, 21, "18 attributes + 3 node labels",
      .note = "the paper counts both directions of an edge here" },
    { "Mutagenicity", 4337, 2, 30.32, 30.77, 14, LABELS, .note = NULL },
    { "FRANKENSTEIN", 4337, 2, 16.90, 17.88, 780, "780 attributes",
      .note = "copies without the 780 attributes use recovered atom labels" },
    { "REDDIT-BINARY", 2000, 2, 429.63, 497.75, 1, "normalised degree", .note = NULL },
    { "IMDB-BINARY", 1000, 2, 19.77, 96.53, 136, DEGREE, .note = NULL },
    { "IMDB-MULTI", 1500, 3, 13.00, 65.94, 89, DEGREE, .note = NULL },
    { "COLLAB", 5000, 3, 74.49, 2457.78, 492, DEGREE, .note = "the paper counts 2837 self loops as edges" },
    { "COLORS-3", 5500, 11, 61.31, 91.03, 4, "4 attributes (attention left out)",
      .note = "the paper's 5500 are the graphs of 4 to 25 nodes, its averages those of all 10500; another "
              "seed has others",
      .skip_attributes = 1, .task = &mp_task_count, .preset = "colors",
      .fixed = { { 0, 500 }, { 500, 3000 }, { 3000, 5500 }, { 5500, 8000 }, { 8000, 10500 } },
      .fixed_name = { "train", "val", "test-origin", "test-large", "test-large-c" } },
    { "TRIANGLES", 45000, 10, 20.85, 32.74, 15, "one-hot degree (attention left out)",
      .note = "a set made from another seed has other averages", .skip_attributes = 1, .degree_max = 14,
      .task = &mp_task_count, .preset = "triangles",
      .fixed = { { 0, 30000 }, { 30000, 35000 }, { 35000, 40000 }, { 40000, 45000 } },
      .fixed_name = { "train", "val", "test-origin", "test-large" } },
    { "ogbg_molhiv", 41127, 2, 25.51, 27.52, 174, ATOMS, OGB("ogb-large") },
    { "ogbg_molbbbp", 2039, 2, 24.06, 26.0, 174, ATOMS, OGB("ogb") },
    { "ogbg_moltox21", 7831, 12, 18.57, 19.3, 174, ATOMS, OGB("ogb") },
    { "ogbg_moltoxcast", 8576, 617, 18.78, 19.3, 174, ATOMS, OGB("ogb") },
    { "DISTINCT", .note = "the number of colours that occur in a graph; made by data generate distinct", .columns = 8,
      .source = "8 colours", .task = &mp_task_count, .preset = "colors",
      .fixed = { { 0, 1000 }, { 1000, 1500 }, { 1500, 2500 }, { 2500, 3500 } },
      .fixed_name = { "train", "val", "test-origin", "test-large" } },
    { "ZINC_12k",
      .note = "its 10000 training graphs stand in for the benchmark's, another sample of the same molecules",
      .caveat = "its 10000 training graphs stand in for the benchmark's, another sample of the same molecules",
      .columns = 28, .source = "28 atom types", .labels = 28, .task = &mp_task_regress,
      .fixed = { { 0, 10000 }, { 10000, 11000 }, { 11000, 12000 } }, .fixed_name = { "train", "val", "test-origin" } },
};
enum { ROWS = sizeof table / sizeof *table };

const mp_known *mp_known_at(int i)
{
    return i >= 0 && i < ROWS ? &table[i] : NULL;
}

const mp_known *mp_known_find(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}

const char *mp_known_nearest(const char *word)
{
    const char *names[ROWS + 1];
    for (int i = 0; i < ROWS; i++) names[i] = table[i].name;
    names[ROWS] = NULL;
    for (int i = 0; i < ROWS; i++) /* an edit distance sees nothing in common between mutag and MUTAG */
        if (mp_same_letters(names[i], word)) return names[i];
    return mp_nearest(word, names);
}
