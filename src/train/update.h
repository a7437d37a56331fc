/* update.h - the inside of an engine, shared by its two halves: engine.c runs shards, update.c changes the weights.
 * SPDX-License-Identifier: MIT */
#ifndef MP_UPDATE_H
#define MP_UPDATE_H

#include "base/crew.h"
#include "train/engine.h"

typedef struct mp_shard {
    int from, to;  /* of the batch's list of graphs */
    size_t row;    /* of mp_engine_predict: where its rows begin */
    mp_real *grad; /* gradients of this shard */
    bool *live;    /* per parameter: it got one */
    bool **rows;   /* per parameter: marks of the rows that got one, NULL: all of them */
    bool *wrote;   /* room for all those marks */
    double loss, aux, flops, moved;
    bool diverged;
    mp_failure failure; /* what it gave up with */
} mp_shard;

struct mp_engine {
    mp_model *model;
    mp_params *params;
    mp_crew *crew;
    const mp_kernels *kernels;
    int threads;      /* asked for */
    mp_arena **step;  /* one per thread, emptied after each shard */
    mp_arena *memory; /* the engine's own */
    mp_shard *shards;
    int shard_count, shard_cap;
    mp_real *m, *v;   /* Adam's moments */
    int64_t *updates; /* per parameter: updates so far */
    const mp_batch *batch;
    mp_whole whole; /* the batch, for means over it */
    mp_real scale;  /* 1 / known labels of the batch */
    int64_t meets[MP_LEVELS];
    mp_draw draw;
    mp_real *out; /* mp_engine_predict */
    bool validating;
    double flops, moved;
    mp_batch known;      /* the batch of mp_engine_train, its collection with twins */
    mp_graph all;        /* a collection that did not know its twins, with them     */
    mp_profile *profile; /* one per thread; NULL: nobody asks */
    double rate;         /* of the configured learning rate */
    double aux_weight;   /* of the auxiliary loss in this pass */
    bool aux_only;       /* this pass has no other loss */
    mp_shard total;      /* mp_engine_aux_add: the gradient so far; grad NULL until the first */
};

/* The profile of a thread that begins to work now, or NULL. */
static inline mp_profile *mp_profile_of(const mp_engine *e, int worker)
{
    if (!e->profile) return NULL;
    mp_profile_start(&e->profile[worker]);
    return &e->profile[worker];
}

/* Adds the gradients of the shards in their order, clips, and takes one step of Adam. */
void mp_update_weights(mp_engine *e);

#endif
