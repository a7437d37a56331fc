/* tally.h - how many runs a store has, why some failed, and how fast they came lately: what is known without reading runs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TALLY_H
#define MP_TALLY_H

#include "store/store.h"

typedef struct mp_store_failure { /* runs that failed for the same reason */
    const char *message;
    int64_t runs;
    const char *dataset; /* of the first of them */
    int seed, fold;
} mp_store_failure;

typedef struct mp_store_tally {
    int64_t done, failed;
    const mp_store_failure *failure; /* the most frequent reasons first, at most MP_TALLY_REASONS */
    int reasons;                     /* so many are listed */
    int lately;                      /* runs finished within the window, at most MP_TALLY_LATELY ... */
    double span;                     /* ... in so many seconds */
    double seconds;                  /* of training, the mean of the last MP_TALLY_LATELY; NAN: there are none */
} mp_store_tally;
#define MP_TALLY_REASONS 8
#define MP_TALLY_LATELY  1000

/* `window`: seconds before now by the clock of the store. Texts are the arena's. */
MP_MUST mp_err mp_store_count(mp_store *s, double window, mp_arena *a, mp_store_tally *out);

#endif
