/* paper.h - the numbers the paper prints, to be put beside ours. They are in paper.csv, a row each, as printed; `mark` says why
 * one is no target: a cell copied from another, a mean that the printed numbers do not give.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PAPER_H
#define MP_PAPER_H

#include "report/table.h"
#include "task/metric.h"

#include <stdbool.h>

typedef struct mp_paper_row {
    const char *table; /* graph_classification, generalization, train_time, ablation, dataset_statistics, headline */
    const char *dataset, *method, *variant; /* as the paper names them; variant: "MID-5", "w/o flipscore", else "" */
    bool mid;
    const char *metric;
    double mean, std; /* NAN: a hyphen, or not printed */
    const char *mark; /* "": none */
} mp_paper_row;

/* Row i, NULL behind the last. */
const mp_paper_row *mp_paper_at(int i);

/* Our names for the paper's: of methods as in --pool, NULL when it is none of ours; of data sets. */
const char *mp_paper_pool(const char *method);
const char *mp_paper_set(const char *dataset);

typedef struct mp_paper_key {                              /* what is NULL may be anything; variant NULL is "" */
    const char *table, *dataset, *pool, *variant, *metric; /* dataset and pool by our names */
    bool mid;
} mp_paper_key;

/* The first row that fits, or NULL. */
const mp_paper_row *mp_paper_look(const mp_paper_key *key);

/* Whether the paper's numbers for a set can stand beside those of a metric: it has accuracies, of molecules ROC-AUC. */
bool mp_paper_measures(const char *dataset, const mp_metric *m);

typedef struct mp_paper_cell { /* percent */
    double mean, std;
    const char *mark; /* NULL: none */
} mp_paper_cell;

/* What the paper prints for this operator (name as in --pool), with or without MID; `large`: for the
 * larger test of a generated set. The mean is 0 when it prints nothing. */
mp_paper_cell mp_paper_find(const char *dataset, const char *pool, bool mid, bool large);

/* As a cell of a table: a question mark behind a number that has a mark, a hyphen where there is none. */
void mp_paper_add(mp_table *t, mp_paper_cell cell);

#endif
