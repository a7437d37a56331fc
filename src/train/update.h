/* update.h - the inside of an engine, shared by its parts: engine.c trains on shards, engine_predict.c predicts, update.c changes
 * the weights.
 * SPDX-License-Identifier: MIT */
#ifndef MP_UPDATE_H
#define MP_UPDATE_H

#include "base/crew.h"
#include "cuda/lane.h"
#include "train/engine.h"

typedef struct mp_told { /* what is known of a shard when its work is done */
    mp_real loss, aux;
    bool nan; /* a score was NaN */
} mp_told;

typedef struct mp_shard {
    int from, to;  /* of the batch's list of graphs */
    size_t row;    /* of mp_engine_predict: where its rows begin */
    mp_real *grad; /* gradients of this shard */
    bool *live;    /* per parameter: it got one */
    bool **rows;   /* per parameter: marks of the rows that got one, NULL: all of them */
    bool *wrote;   /* room for all those marks */
    mp_told told;  /* where a lane does the work: once that is settled */
    mp_real *raw;  /* mp_engine_predict in a lane: its outputs, once they are there */
    int rows_out;
    double flops, moved;
    mp_failure failure; /* what it gave up with */
} mp_shard;

typedef struct mp_pending { /* a step of a lane whose numbers are not known yet */
    double *loss, *aux;     /* where they go; NULL: nothing is pending */
    const mp_told *told;
    int shards;
    uint64_t epoch;
} mp_pending;

struct mp_engine {
    mp_model *model;
    mp_params *params;
    mp_crew *crew;
    const mp_kernels *kernels;
    int threads;      /* asked for */
    mp_arena **step;  /* one per thread, emptied after each shard */
    mp_arena *memory; /* the engine's own */
    mp_lane *lane;    /* of the GPU that does the work; NULL: this processor */
    mp_pending pending[MP_SHEETS];
    mp_told *told; /* in a lane: of each shard */
    int told_cap;
    mp_arena *elements; /* of weights, moments and gradients: memory, or the lane's */
    mp_real *theta;     /* the weights that kernels use: the model's, or the lane's  */
    bool behind;        /* the model's weights have yet to be taken over to the lane */
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
    int first;    /* the same in a lane: the first shard of the sheet */
    bool validating;
    bool unseen; /* mp_engine_try: works as if in a lane, with memory for all that may be */
    double flops, moved;
    mp_batch known;      /* the batch of mp_engine_train, its collection with twins */
    mp_graph all;        /* a collection that did not know its twins, with them     */
    mp_profile *profile; /* one per thread; NULL: nobody asks */
    double rate;         /* of the configured learning rate */
    double aux_weight;   /* of the auxiliary loss in this pass */
    bool aux_only;       /* this pass has no other loss */
    double unused;       /* the other loss of such a pass */
    mp_shard total;      /* mp_engine_aux_add: the gradient so far; grad NULL until the first */
};

typedef struct mp_turn { /* a shard and the thread that works on it */
    mp_engine *engine;
    int index, worker;
} mp_turn;

int mp_batch_nodes(const mp_batch *b, int i); /* of its i-th graph */

/* Cuts a batch into shards, or makes it one. */
void mp_engine_shards(mp_engine *e, const mp_batch *b, bool whole);
/* What ops work with: threads have an arena each, shards of a lane share its structure and have elements of their own. */
mp_ctx mp_engine_context(mp_engine *e, int index, int worker);
/* Outputs of a shard. */
mp_mat *mp_engine_forward(const mp_engine *e, mp_ctx *c, const mp_shard *s, mp_mat **aux);
/* Work on an mp_turn. What it gives up with (guard.h) stays with the shard, so that the others, on other threads, can end. */
void mp_engine_guarded(mp_engine *e, mp_err (*work)(void *), int index, int worker);
/* The first failure in the order of the shards, with the graph that it is about; who asks about one graph knows which. */
MP_MUST mp_err mp_engine_failed(const mp_engine *e);

/* In a lane: begins a sheet for so many shards; and what is told of them when the sheet is done. On a processor nothing. */
MP_MUST mp_err mp_engine_open(mp_engine *e, int shards);
const mp_told *mp_engine_told(mp_engine *e, int shards);

/* Calls work(arg, index, worker) for each index: on the threads, or recorded as a phase of the lane. */
void mp_engine_each(mp_engine *e, int count, void (*work)(void *arg, int index, int worker), void *arg);

/* Memory of this step that only the host writes, emptied or new. */
mp_arena *mp_engine_scratch(mp_engine *e);

/* The profile of a thread that begins to work now, or NULL. */
static inline mp_profile *mp_profile_of(const mp_engine *e, int worker)
{
    if (!e->profile || e->lane) return NULL;
    mp_profile_start(&e->profile[worker]);
    return &e->profile[worker];
}

/* Adds the gradients of the shards in their order, clips, and takes one step of Adam. */
void mp_update_weights(mp_engine *e);
/* Adds them to the total of mp_engine_aux_add. */
void mp_add_to_total(mp_engine *e);

#endif
