/* demo.h - what the two files of midpool demo share: the runs as they came out, and the words about them.
 * SPDX-License-Identifier: MIT */
#ifndef MP_DEMO_H
#define MP_DEMO_H

#include "cli/watch.h"
#include "report/table.h"
#include "study/study.h"

#define MP_DEMO_FAILS 80.0 /* percent of test-origin: below, a run has failed. Runs end at 62 to 75 or above 90 */
#define MP_DEMO_GREEN 1    /* column of x */

/* The tests of COLORS-3: small graphs, larger ones, larger ones with other colours. */
enum { MP_DEMO_ORIGIN, MP_DEMO_LARGE, MP_DEMO_LARGE_C, MP_DEMO_TESTS };
typedef struct mp_demo_test {
    const char *name, *about, *key; /* "test-large", "26-200 nodes", "test_large" */
} mp_demo_test;
extern const mp_demo_test mp_demo_tests[MP_DEMO_TESTS];

typedef struct mp_demo_conf {
    const char *out, *store;
    int seeds, epochs, jobs, workers, json, quiet;
} mp_demo_conf;

typedef struct mp_demo_outcome { /* of a seed; percent */
    const mp_run_key *key;
    double on[MP_DEMO_TESTS]; /* right answers */
    double green;             /* of the nodes that test graphs lose */
} mp_demo_outcome;

typedef struct mp_demo_model { /* without and with MID */
    const char *title, *colour;
    const mp_study_row *row;
    mp_demo_outcome *run;
    int runs, failed;
} mp_demo_model;

typedef struct mp_demo_work {
    const mp_demo_conf *conf;
    mp_arena *arena;
    mp_dataset data;
    mp_folds folds;
    mp_watch watch;
    mp_study study;
    mp_demo_model model[2];
} mp_demo_work;

/* In the failing mode? */
bool mp_demo_fails(const mp_demo_outcome *o);

/* Whether node v has this colour: 0 red, 1 green, 2 blue. */
bool mp_demo_has_colour(const mp_sparse *x, int v, int colour);

/* Made from the results: what was compared; how many runs failed, and why there are two modes. */
const char *mp_demo_compared(const mp_demo_work *w);
const char *mp_demo_modes(const mp_demo_work *w);

/* The report of the runs with both tables, every seed as a dot, and the nodes that a model kept. */
MP_MUST mp_err mp_demo_page(const mp_demo_work *w, const mp_table *paper, const mp_table *seeds);

#endif
