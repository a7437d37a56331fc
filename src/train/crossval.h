/* crossval.h - a study: data sets x models x grid points x seeds x folds, each a run of its own.
 *
 * A plan lists the runs. Those that are known already are left out, the others go through workers
 * (jobs.h), and each result is handed over as it arrives. What a run gives depends on its key alone: any
 * order, any number of workers, any interruption in between leads to the same numbers. Where results are kept
 * is the caller's business, so that a test can do with an array what the program does with a store.
 *
 * A result that cannot be stored is set aside, in memory and as a file, and tried again while other runs go on and for a
 * while after the last. What is still aside then is stored by the next start, without training.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CROSSVAL_H
#define MP_CROSSVAL_H

#include "data/split.h"
#include "train/claim.h"
#include "train/fit.h"
#include "train/grid.h"

#define MP_CV_MOST 10000000 /* runs of a plan */

typedef struct mp_cv_run {
    mp_run_key key;
    const char *family; /* hash of the key without seed and fold */
    const mp_dataset *data;
    const mp_split *split;
} mp_cv_run;

typedef struct mp_cv_plan { /* zero-initialise, with an arena */
    mp_arena *arena;
    int count, cap;
    mp_cv_run *run;
    int *slot, slots; /* hash table: 1 + place of a run; 0 is free; slots is a power of two */
} mp_cv_plan;

/* Adds seeds config->seed, config->seed + 1, ... on every fold; the last seed must be an int, and the
 * plan have at most MP_CV_MOST runs. Runs that are in the plan are not added again. `place` (seeds x folds, may be NULL) receives where in the plan each is. */
void mp_cv_add(mp_cv_plan *p, const mp_dataset *d, const mp_folds *f, const mp_config *config, int seeds, int *place);

/* One run: split `at` of the folds, with the seed of the configuration; returns where in the plan it is. */
int mp_cv_add_one(mp_cv_plan *p, const mp_dataset *d, const mp_folds *f, int at, const mp_config *config);

typedef struct mp_cv_count {
    int total, known, done, failed; /* runs: in the plan; left out; finished now; failed now */
    int retried;
    int aside;        /* of those finished now, not stored yet */
    int running;      /* at this moment */
    int waiting;      /* runs that other programs are training at this moment */
    int elsewhere;    /* of those known, trained by other programs since the start */
    double seconds;   /* since the start */
    double left;      /* estimate of the seconds to go; negative: no idea yet */
    bool interrupted; /* by a signal */
} mp_cv_count;

typedef struct mp_cv_options {
    int jobs, threads;
    mp_group *group;        /* of a GPU: the jobs are lanes of it; NULL: processes */
    const char *resume_dir; /* folder for unfinished runs, made when needed; NULL: none */
    double wait;            /* seconds after the last run in which results set aside are tried */
    void *state;            /* first argument of all below */
    mp_err (*has)(void *state, const mp_run_key *key, bool *known);
    mp_err (*put)(void *state, const mp_run_key *key, const mp_run_result *r); /* MP_ERR_BUSY: later, perhaps */
    mp_err (*put_failed)(void *state, const mp_run_key *key, const char *message);
    /* Where other programs may be at work on the same runs (all NULL: there are none). Before the first run; who trains a run, which
     * ends with put or put_failed; every few seconds, with all that run; while all that is left is in the hands of others; after
     * the last. A failure of `begin` ends the study; while `claim` fails, runs are trained without being claimed. */
    mp_err (*begin)(void *state, const mp_cv_count *c);
    mp_err (*claim)(void *state, const mp_run_key *key, mp_claim *out);
    void (*beat)(void *state, const mp_cv_count *c, const mp_claim_news *news, int n);
    void (*waiting)(void *state, const mp_cv_count *c);
    void (*end)(void *state);
    /* The bytes of the model file of a run, before its result is put; a failure fails the run. NULL: nobody wants them. */
    mp_err (*model)(void *state, const mp_cv_run *run, mp_span file);
    void (*done)(void *state, const mp_run_key *key, const mp_run_result *r, const mp_cv_count *c); /* may be NULL */
    void (*news)(void *state, const mp_run_key *key, const mp_fit_news *n, const mp_cv_count *c);   /* may be NULL */
    void (*note)(void *state, const mp_run_key *key, const char *line);                             /* may be NULL */
} mp_cv_options;

/* MP_OK also when runs failed or a signal came: the count says so. It ends with a failure of `has`, and with one of `put`
 * when the result can be kept nowhere else. */
MP_MUST mp_err mp_cv_go(const mp_cv_plan *p, const mp_cv_options *o, mp_cv_count *count);

/* A result as bytes, and back; the curve of the copy lives in the arena. */
void mp_run_result_pack(const mp_run_result *r, mp_buf *out);
MP_MUST mp_err mp_run_result_unpack(mp_span bytes, mp_arena *a, mp_run_result *out);

#endif
