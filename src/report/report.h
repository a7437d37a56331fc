/* report.h - what a store holds, as one self-contained HTML page, as plain text and as JSON.
 *
 * For each study the page shows three numbers side by side: the honest one (grid point chosen on
 * validation), the best on test (how the paper's script chose) and the gap between them; and the paper's
 * own where it has one.
 * SPDX-License-Identifier: MIT */
#ifndef MP_REPORT_H
#define MP_REPORT_H

#include "report/group.h"
#include "report/section.h"

typedef struct mp_report_options {
    const char *title;            /* NULL: "midpool report" */
    mp_select select;             /* of the first number; val by default */
    const mp_choice_point *fixed; /* for MP_SELECT_FIXED */
    int studies;                  /* what studies declared, see group.h */
    const mp_declared *declared;
    int pictures, tables; /* of the caller, shown behind the results */
    const mp_picture *picture;
    const mp_table *table;
    int sections; /* of experiments, shown before the results of studies */
    const mp_section *section;
    const char *command;            /* what goes on with all that is unfinished; NULL: a cv for each row */
    const char *metric;             /* that chooses and is shown; NULL: the one that led each run */
    const char *left_out;           /* a line on what of the store cannot be read, for the page; NULL: nothing */
    void (*note)(const char *line); /* the same line, for the terminal; may be NULL */
} mp_report_options;

/* From stores, read as one (stores.h), to a file. `text` and `json` (may be NULL) also get the results in these forms. */
MP_MUST mp_err mp_report_write(const char *const *store, int stores, const char *out_path, const mp_report_options *o,
                               mp_buf *text, mp_buf *json);

/* From runs in memory. `source` is named below the title. */
MP_MUST mp_err mp_report_html(const mp_stored *run, int n, const char *source, const mp_report_options *o, mp_buf *out);

/* The metric that all studies share; NULL: there are several. */
const mp_metric *mp_report_metric(const mp_group *study, int count);

/* The results as one table, for the terminal or a page. Shares in percent. `dataset` NULL: of all, with a
 * column for it. */
MP_MUST mp_err mp_report_results(const mp_group *study, int count, const char *dataset, const mp_report_options *o,
                                 mp_arena *a, mp_table *out);

/* An object with one entry a study: its key, how many runs, every selection mode, the paper's number.
 * Metrics in 0..1. */
MP_MUST mp_err mp_report_json(const mp_group *study, int count, const mp_report_options *o, mp_arena *a, mp_buf *out);

/* {"mode": .., "mean": .., "std_seeds": .., "std_folds": .., "seeds": .., "folds": .., "runs": ..,
 * "missing": .., "chosen": [{"seed": .., "score-dim": .., "drop": ..}]} */
void mp_choice_json(const mp_choice *c, const mp_points *list, mp_buf *out);

/* The member "points": what validation said of each, and after how many epochs (rung, of `rungs`) a rule stopped it. Nothing where
 * nothing is chosen. */
MP_MUST mp_err mp_points_json(const mp_choice_set *set, const mp_choice *c, const mp_points *list, const int *rung,
                              mp_arena *a, mp_buf *out);

#endif
