/* work.h - who is at work on a store, and on which runs: any number of programs share one store and train nothing twice.
 *
 * A program is one worker here, whatever the number of its processes. It claims a run before it trains it, gives a sign of life
 * every few seconds (mp_store_beat), and the claim ends with mp_store_put, mp_store_put_failed or mp_store_release. Claims of a
 * worker that is dead are free: one of this host whose process is gone, at once; any other when it gave no sign for
 * MP_WORK_DEAD_SECONDS by the clock of the store. Claims cost no wait for the disk: they matter only as long as the machine is up.
 * SPDX-License-Identifier: MIT */
#ifndef MP_WORK_H
#define MP_WORK_H

#include "base/process.h"
#include "store/store.h"
#include "train/claim.h"

#define MP_WORK_DEAD_SECONDS 60

typedef struct mp_work_plan { /* what a worker is about to do */
    const char *command;      /* as it was typed */
    const char *hash;    /* SHA-256 over the sorted keys of its runs: two programs with the same plan say the same */
    int total, finished; /* runs; of these, done already */
} mp_work_plan;

/* Begins work under a random id, which the handle keeps. Rows of dead workers go. One work at a time for a handle. */
MP_MUST mp_err mp_store_work_begin(mp_store *s, const mp_work_plan *plan);
MP_MUST mp_err mp_store_work_end(mp_store *s); /* all claims of the work end with it; nothing begun: nothing happens */

/* Asks for a run; `again`: also when it is done. */
MP_MUST mp_err mp_store_claim(mp_store *s, const mp_run_key *key, bool again, mp_claim *out);
MP_MUST mp_err mp_store_release(mp_store *s, const mp_run_key *key);

/* A sign of life, with all claimed runs. A worker that was taken for dead meanwhile is there again, with the claims that
 * nobody else has taken. */
MP_MUST mp_err mp_store_beat(mp_store *s, int finished, const mp_claim_news *news, int n);

typedef struct mp_store_lease { /* a run that is being trained */
    const char *key, *dataset, *pool;
    int seed, fold, epoch, epochs;
    double loss;    /* NAN: not known yet */
    double seconds; /* since it was claimed */
} mp_store_lease;

typedef struct mp_store_worker {
    const char *id, *command, *plan;
    mp_process process;
    bool dead;
    int total, finished;
    double seconds, silent; /* since it began; since its last sign of life */
    const mp_store_lease *lease;
    int leases;
} mp_store_worker;

/* Everyone at work, those who began first first; the dead ones too, until the next work begins. None in stores from before. */
MP_MUST mp_err mp_store_workers(mp_store *s, mp_arena *a, const mp_store_worker **out, int *n);

#endif
