/* engine.h - runs mini-batches: cuts them into shards of whole graphs, gives the shards to threads, adds the
 * gradients in the order of the shards, and updates the weights.
 *
 * The cut looks only at the batch, each shard draws from a stream of its own, and sums run in shard order: the
 * bits do not depend on the number of threads.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ENGINE_H
#define MP_ENGINE_H

#include "cuda/lane.h"
#include "model/model.h"

typedef struct mp_engine mp_engine;

mp_engine *mp_engine_new(mp_model *m, int threads);
#define MP_SHEET_SHARDS 8 /* that are predicted side by side in a lane */

/* On a GPU, in a lane of the group (cuda/lane.h), for a model without need of sight (model.h). The same bits. */
MP_MUST mp_err mp_engine_new_on(mp_group *g, mp_model *m, mp_engine **out);
void mp_engine_free(mp_engine *e);

typedef struct mp_batch {
    const mp_graph *all; /* the collection */
    const mp_sparse *x;  /* its features   */
    const int *which;    /* graphs of this batch */
    int n;
    mp_labels labels; /* of the collection; v NULL where none are needed */
} mp_batch;

/* Forward, backward, Adam. `draw` names the random stream: (seed, fold, epoch, step). *loss: the mean of the task's loss
 * over the known labels of the batch; *aux the auxiliary loss. MP_ERR_DIVERGED when a score is
 * NaN or the loss is not finite; weights that an update made infinite show so in the next step or prediction. MP_ERR_LIMIT
 * when a graph is too large for an operator, or for the memory there is; weights stay as they were. */
typedef struct mp_draw {
    uint64_t seed, fold, epoch, step;
} mp_draw;
MP_MUST mp_err mp_engine_train(mp_engine *e, const mp_batch *b, mp_draw draw, double *loss, double *aux);

/* On a GPU a step may still be under way when mp_engine_train returns: then its numbers and failures come later, at the latest
 * here, and `loss` and `aux` must stay until then. */
MP_MUST mp_err mp_engine_settle(mp_engine *e);

/* For a model that trains its auxiliary loss apart (mp_model_aux_apart), once an epoch: _add computes the gradient of
 * `weight` times the auxiliary loss of a batch and adds it to that of the batches before; _update takes one step of Adam
 * on the sum and forgets it. *aux comes when a step's numbers do (mp_engine_settle). mp_engine_train leaves that loss alone for such a model. */
MP_MUST mp_err mp_engine_aux_add(mp_engine *e, const mp_batch *b, mp_draw draw, double weight, double *aux);
MP_MUST mp_err mp_engine_aux_update(mp_engine *e);

/* The learning rate of the next steps is this many times the configured one. */
void mp_engine_rate(mp_engine *e, double factor);

/* Rows of outputs that a batch has: its graphs, or their nodes where the task of the model is about nodes. */
size_t mp_batch_rows(const mp_batch *b, const mp_model *m);

/* Evaluation mode, any number of graphs. `out`: rows x outputs, as the task tells them (task.h). MP_ERR_DIVERGED when a
 * score is NaN or an output not finite, MP_ERR_LIMIT as mp_engine_train. */
MP_MUST mp_err mp_engine_predict(mp_engine *e, const mp_batch *b, mp_real *out);

/* The same for graphs that decide when training ends. */
MP_MUST mp_err mp_engine_validate(mp_engine *e, const mp_batch *b, mp_real *out);

/* Sum over the batch of the loss that `out` of mp_engine_predict has against its labels. */
double mp_engine_loss(const mp_engine *e, const mp_batch *b, const mp_real *out);

/* Operations of the dense products of all training so far, counted from their shapes. */
double mp_engine_flops(const mp_engine *e);
/* Bytes its sums over neighbours read and wrote: a row for each neighbour, a row for each result. */
double mp_engine_moved(const mp_engine *e);

/* From now on training notes where its time goes; _profiled adds it up over threads. */
void mp_engine_profile(mp_engine *e);
void mp_engine_profiled(const mp_engine *e, mp_profile *sum);

/* For forecasts of memory. _cut: the number of shards a batch makes, and the largest as a batch. _try: forward and backward
 * of a batch as one shard, in an engine with one thread; weights stay as they are; the bytes of the thread's memory. unseen: as much
 * as a lane has for it.
 * MP_ERR_LIMIT as mp_engine_train. */
int64_t mp_batch_size(const mp_batch *b); /* nodes plus edges */
int mp_engine_cut(mp_engine *e, const mp_batch *b, mp_batch *largest);
MP_MUST mp_err mp_engine_try(mp_engine *e, const mp_batch *b, bool unseen, size_t *bytes);

/* The optimiser's memory (moments and step counts), to continue a run later: size in bytes, copy out, copy in. */
size_t mp_engine_state_size(const mp_engine *e);
MP_MUST mp_err mp_engine_state_get(const mp_engine *e, void *out);
MP_MUST mp_err mp_engine_state_set(mp_engine *e, const void *in);

/* The weights as training has left them, params.size of them; `out` may be the model's own. _renew: the model's own were set by
 * someone else, and are taken from now on. */
MP_MUST mp_err mp_engine_weights(const mp_engine *e, mp_real *out);
void mp_engine_renew(mp_engine *e);

#endif
