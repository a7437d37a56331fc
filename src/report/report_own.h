/* report_own.h - what the files that write the page share.
 * SPDX-License-Identifier: MIT */
#ifndef MP_REPORT_OWN_H
#define MP_REPORT_OWN_H

#include "report/paper.h"
#include "report/report.h"

typedef struct mp_report_page {
    mp_buf *b;
    mp_arena *arena;
    const mp_report_options *o;
    const mp_stored *run;
    const mp_group *study;
    int n, count;       /* runs, studies */
    const char *source; /* the store, or stores; may be NULL */
    const char *store;  /* that commands on the page name */
    const char *join;   /* the command that makes it of several; NULL: it is there */
} mp_report_page;

/* What the paper prints for the row; its mean is 0 where that is nothing. */
mp_paper_cell mp_report_paper(const mp_group *s, bool large);

/* "MUTAG, sag + MID" */
const char *mp_report_row_name(const mp_report_page *p, const mp_group *s);

typedef struct mp_report_source { /* what a row is made from: a study that was declared, or its runs */
    const mp_run_key *key;
    mp_grid grid;
    const mp_points *list;
    const mp_rule *rule;
} mp_report_source;
mp_report_source mp_report_source_of(const mp_group *s);

/* Calls `tell` for each option that is not as the data set and the method have it without being asked; the method, the seed and
 * what points differ in are left to the caller. */
MP_MUST mp_err mp_report_each_option(const mp_report_source *s, mp_arena *a,
                                     void (*tell)(mp_buf *b, const char *name, const char *value), mp_buf *b);

/* A word of a shell: in single quotes where it needs them. */
void mp_report_word(mp_buf *b, const char *word);

/* The best row of each data set and method, chosen on validation: a chart and a table. Nothing where no run has finished. */
MP_MUST mp_err mp_report_overview(const mp_report_page *p);

/* What is missing or failed, with the commands that continue. Nothing where all is there. */
MP_MUST mp_err mp_report_unfinished(const mp_report_page *p);

/* For each row its options that differ from the usual ones, as YAML, and the command that makes it. Nothing without rows. */
MP_MUST mp_err mp_report_settings(const mp_report_page *p);

/* Learning curves of all rows, a figure a grid point. Nothing where there are none. */
MP_MUST mp_err mp_report_curves(const mp_report_page *p);

#endif
