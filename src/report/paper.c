/* paper.c - see paper.h. The build makes a C table of paper.csv.
 * SPDX-License-Identifier: MIT */
#include "report/paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NONE ((double)NAN)
#include "report/paper_rows.h"

#define COUNT(list) (int)(sizeof list / sizeof *list)

static const struct {
    const char *paper, *ours;
} methods[] = {
    { "Set2set", "set2set" }, { "SortPool", "sort" }, { "DiffPool", "diff" }, { "EdgePool", "edge" },
    { "MinCutPool", "mincut" }, { "HaarPool", "haar" }, { "MemPool", "mem" }, { "GMT", "gmt" },
    { "SAGPool", "sag" }, { "TopKPool", "topk" }, { "ASAP", "asap" }, { "GSAPool", "gsa" },
}, sets[] = {
    { "HIV", "ogbg_molhiv" }, { "BBBP", "ogbg_molbbbp" }, { "TOX21", "ogbg_moltox21" }, { "TOXCAST", "ogbg_moltoxcast" },
};

const mp_paper_row *mp_paper_at(int i)
{
    return i >= 0 && i < COUNT(rows) ? &rows[i] : NULL;
}

const char *mp_paper_pool(const char *method)
{
    for (int i = 0; i < COUNT(methods); i++)
        if (strcmp(methods[i].paper, method) == 0) return methods[i].ours;
    return NULL;
}

const char *mp_paper_set(const char *dataset)
{
    for (int i = 0; i < COUNT(sets); i++)
        if (strcmp(sets[i].paper, dataset) == 0) return sets[i].ours;
    return dataset;
}

static bool fits(const char *wanted, const char *is)
{
    return !wanted || (is && strcmp(wanted, is) == 0);
}

const mp_paper_row *mp_paper_look(const mp_paper_key *key)
{
    const mp_paper_row *r;
    for (int i = 0; (r = mp_paper_at(i)); i++)
        if (fits(key->table, r->table) && fits(key->dataset, mp_paper_set(r->dataset)) &&
            fits(key->pool, mp_paper_pool(r->method)) && fits(key->variant ? key->variant : "", r->variant) &&
            fits(key->metric, r->metric) && key->mid == r->mid)
            return r;
    return NULL;
}

bool mp_paper_measures(const char *dataset, const mp_metric *m)
{
    const mp_paper_row *molecules =
        mp_paper_look(&(mp_paper_key){ .table = "graph_classification", .dataset = dataset, .metric = "rocauc" });
    return strcmp(m->title, molecules ? "ROC-AUC" : "accuracy") == 0;
}

mp_paper_cell mp_paper_find(const char *dataset, const char *pool, bool mid, bool large)
{
    char test[128];
    snprintf(test, sizeof test, "%s:test-%s", dataset, large ? "large" : "origin");
    const mp_paper_row *r = mp_paper_look(&(mp_paper_key){ "generalization", test, pool, NULL, NULL, mid });
    if (!r && !large) r = mp_paper_look(&(mp_paper_key){ "graph_classification", dataset, pool, NULL, NULL, mid });
    if (!r || isnan(r->mean)) return (mp_paper_cell){ 0, 0, NULL };
    return (mp_paper_cell){ r->mean, r->std, *r->mark ? r->mark : NULL };
}

void mp_paper_add(mp_table *t, mp_paper_cell cell)
{
    if (cell.mean > 0)
        mp_table_add(t, "%.2f \xC2\xB1 %.2f%s", cell.mean, cell.std, cell.mark ? " ?" : "");
    else
        mp_table_add(t, "-");
}
