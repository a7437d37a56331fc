/* fit.h - one training run on one split.
 *
 * Each epoch shuffles the training graphs anew, takes them in batches (the last one may be smaller), and then
 * measures the validation graphs; stop.h decides which epoch counts and when to end. Every random number is
 * named by (seed, fold, epoch, step), so a run that was stopped and continued gives the same bits as one that
 * was not. Labels come in opened for training and validation graphs only (seal.h); nothing here can reach
 * those of the test graphs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FIT_H
#define MP_FIT_H

#include "data/seal.h"
#include "train/engine.h"
#include "train/run.h"

#include <signal.h>

typedef struct mp_fit_data {
    const mp_graph *graphs; /* the whole collection */
    const mp_sparse *x;
    const int *train, *val;
    int n_train, n_val;
    mp_labels labels;
    int fold;
} mp_fit_data;

typedef struct mp_fit_news { /* where a run stands after an epoch */
    int epoch, epochs;       /* done; the cap                     */
    int best_epoch, since;   /* as in stop.h                      */
    double best_loss;        /* or what stands for it, with --stop-on metric: smaller is better */
    mp_epoch last;
    char metric[24]; /* the name of the one that leads */
    double aux;      /* mean auxiliary loss of the epoch; 0 when the model has none. It takes no part in stopping. */
    double seconds_per_epoch; /* of training alone, so far        */
} mp_fit_news;

typedef struct mp_fit_options {
    void (*news)(void *state, const mp_fit_news *n); /* after each epoch; NULL: nobody listens     */
    void (*note)(void *state, const char *line);     /* something worth a line; NULL               */
    void (*warn)(void *state, const char *line);     /* something went wrong, the run goes on; NULL */
    void *state;
    const char *resume;                  /* file that holds an unfinished run; NULL: none            */
    const char *identity;                /* what such a file must be of: a hash of the run's key     */
    double save_every;                   /* seconds between writing it; 0: only when stopped         */
    const volatile sig_atomic_t *stop;   /* becomes nonzero: save, then fail with "stopped"; or NULL */
    const volatile sig_atomic_t *enough; /* becomes nonzero: this epoch was the last; or NULL */
    mp_group *group;                     /* of a GPU, which trains what it can; NULL: this processor */
    struct mp_resume *end;               /* receives the state at the end of training, in the arena; or NULL */
} mp_fit_options;

/* Trains from fresh weights, or from where `resume` stands. Afterwards the model has the weights of the best
 * epoch and `r` all but the test metrics; the curve lives in the arena. The resume file stays: the caller removes it
 * when the result is safe. A file that is damaged or of another run is left out, a save that fails is tried again later,
 * each with a warning. MP_ERR_DIVERGED when training met a number that is not finite. */
MP_MUST mp_err mp_fit(mp_engine *e, mp_model *m, const mp_fit_data *d, const mp_fit_options *o, mp_arena *a,
                      mp_run_result *r);

/* The mean of the task's loss over the known labels of the listed graphs, and the metric that leads. */
MP_MUST mp_err mp_fit_measure(mp_engine *e, mp_model *m, const mp_fit_data *d, const int *which, int n,
                              mp_arena *scratch, double *loss, double *metric);

#endif
