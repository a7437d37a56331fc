/* jobs.h - independent pieces of work in workers; the parent alone keeps the results.
 *
 * A forked worker is a copy of the parent at the moment of the fork, so it sees all data that was loaded before; under MPI
 * (ranks.h) workers are other ranks, which get jobs and data as bytes. Both send back bytes. A worker that dies costs its job one more try and a line, never the rest. The parent
 * must not have threads when it forks. Forked workers die with the parent, whatever kills it.
 *
 * The first SIGINT, SIGTERM or SIGHUP (halt.h) asks the workers to save and stop, and mp_jobs_run returns when they have;
 * a second one kills them at once. What arrived before is kept in either case.
 * SPDX-License-Identifier: MIT */
#ifndef MP_JOBS_H
#define MP_JOBS_H

#include "base/text.h"

#include <signal.h>
#include <stdbool.h>

typedef struct mp_worker mp_worker;

enum { MP_JOBS_LATER = -1, MP_JOBS_NONE = -2 }; /* nothing now, asked again at the next tick; nothing any more */

typedef struct mp_jobs {
    int count;    /* jobs are numbered 0 .. count-1 */
    int workers;  /* at least 1 */
    bool threads; /* workers are threads of this process, which share what it holds: a GPU */
    void *state;  /* first argument of all below */

    /* In the parent: the job to hand out next, each at most once, or one of the words below. NULL: 0 .. count-1 in that order. */
    int (*next)(void *state);

    /* In a worker: puts what it found out into `answer`. A failure travels with its message. */
    mp_err (*work)(void *state, int job, mp_worker *w, mp_buf *answer);

    /* In the parent, for workers that are no copies of it: a job as bytes, which `work` finds in mp_worker_order, and in `*thing`
     * the number of what it needs beside them, MP_JOBS_NONE: nothing. Things are large and shared by jobs; each travels once, sealed (base/bytes.h).
     * NULL: workers are forked, wherever the program runs. */
    mp_err (*pack)(void *state, int job, mp_buf *order, int *thing);
    mp_err (*pack_thing)(void *state, int thing, mp_buf *out);

    /* In the parent, as things arrive. A failure of `done` or `failed` ends everything. */
    mp_err (*done)(void *state, int job, mp_span answer);
    mp_err (*failed)(void *state, int job, mp_err why, const char *message);
    void (*news)(void *state, int job, mp_span what);     /* may be NULL */
    void (*note)(void *state, int job, const char *line); /* may be NULL */
    void (*tick)(void *state);                            /* twice a second or more often; may be NULL */
} mp_jobs;

typedef struct mp_jobs_count {
    int done, failed, retried;
    bool interrupted; /* by a signal: the jobs that are neither done nor failed were not finished */
} mp_jobs_count;

/* MP_OK when every job is done or failed, or when a signal came; the count says which. */
MP_MUST mp_err mp_jobs_run(const mp_jobs *j, mp_jobs_count *count);

/* For `work`: sends the parent some news, or a line for `note`; becomes nonzero when the worker should save and stop. */
void mp_worker_tell(mp_worker *w, const void *data, size_t n);
void mp_worker_note(mp_worker *w, const char *line);
const volatile sig_atomic_t *mp_worker_stop(const mp_worker *w);
mp_span mp_worker_order(const mp_worker *w); /* empty in a copy of the parent */

#endif
