/* hands.h - transports: how workers are started, given jobs and heard. Rows: forked processes of this machine, or
 * threads of this process; ranks of MPI.
 *
 * Hands have places 0 .. most-1. The scheduler (jobs.c) decides who does what, what a lost hand costs and when to stop; a transport
 * carries bytes and notices that a hand is gone. A place whose hand is gone may be hired again.
 * SPDX-License-Identifier: MIT */
#ifndef MP_HANDS_H
#define MP_HANDS_H

#include "base/halt.h"
#include "train/jobs.h"

/* What a hand said. GONE: it ended without having been dropped; the body says how. Bodies of NOTE, FAILED and GONE are text. */
enum { MP_SAID_NEWS = 1, MP_SAID_NOTE, MP_SAID_DONE, MP_SAID_FAILED, MP_SAID_GONE };
typedef struct mp_said {
    int place, kind;
    mp_err status; /* FAILED */
    mp_span body;  /* good during the call */
} mp_said;

typedef struct mp_hearer {
    mp_err (*hear)(void *state, const mp_said *s);
    void *state;
} mp_hearer;

typedef struct mp_transport {
    int (*most)(void);

    /* `halt` has begun, blocked: whoever waits lets signals in. */
    void *(*open)(const mp_jobs *j, const mp_halt *halt);
    void (*close)(void *state); /* drops all hands */

    MP_MUST mp_err (*hire)(void *state, int place);
    /* A failure is one of packing the job, not of the hand. */
    MP_MUST mp_err (*give)(void *state, int place, int job);
    void (*drop)(void *state, int place); /* ends the hand, whatever it does, without a word */
    void (*stop)(void *state, int place); /* asks it to save and end */

    /* Waits for hands, a signal or so many seconds, and passes on what was said. Ends with the first failure of the hearer. */
    MP_MUST mp_err (*listen)(void *state, double seconds, const mp_hearer *h);
} mp_transport;

extern const mp_transport mp_by_fork, mp_by_mpi;

/* ---- for transports ---- */

/* A job for a forked worker, with what mp_worker_order gives it. */
void mp_fork_give(void *state, int place, int job, mp_span order);

#endif
