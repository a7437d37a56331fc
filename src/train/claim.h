/* claim.h - what programs that share a store say of a run: who trains it, and how far it is.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLAIM_H
#define MP_CLAIM_H

#include "train/run.h"

typedef enum mp_claim {
    MP_CLAIM_MINE,   /* nobody else trains it until it is stored or released, or this program dies */
    MP_CLAIM_DONE,   /* it is in the store */
    MP_CLAIM_FAILED, /* somebody tried it since this program began, and it failed */
    MP_CLAIM_HELD    /* somebody else trains it at the moment */
} mp_claim;

typedef struct mp_claim_news { /* how far a claimed run is */
    const mp_run_key *key;
    int epoch, epochs;
    double loss; /* NAN: no epoch yet */
} mp_claim_news;

#endif
