/* update.c - one step of Adam on the gradients of a batch's shards, or on their sum over batches, in chunks of weights that threads take; weights and the
 * optimiser's memory out of an engine and into it.
 * SPDX-License-Identifier: MIT */
#include "train/update.h"
#include "nn/adam.h"

#include <stdint.h>
#include <string.h>

#define UPDATE_CHUNK 16384 /* weights a thread updates at a time */

/* Adds the shards' gradients of one chunk in the order of the shards, and updates its weights. */
typedef struct update {
    mp_engine *e;
    mp_real *scale;  /* of the gradient, from clipping; NULL: it is not clipped */
    double *squares; /* per chunk: its part of the squared norm */
    int chunks;
    const mp_adam *how;      /* per parameter */
    const mp_addends *parts; /* per parameter: its gradients, those of the first shard that has some first */
    const int *chunk_param;
    const size_t *chunk_from;
} update;

typedef struct chunk {
    int id;
    size_t from, at, n; /* within the parameter, within all of them */
    mp_real *sum;       /* the gradient, in the first shard's block */
} chunk;

static chunk chunk_of(const update *u, int index)
{
    int id = u->chunk_param[index];
    const mp_param *p = &u->e->params->list[id];
    size_t from = u->chunk_from[index], n = (size_t)p->rows * (size_t)p->cols - from;
    if (n > UPDATE_CHUNK) n = UPDATE_CHUNK;
    return (chunk){ id, from, p->offset + from, n, (mp_real *)(uintptr_t)u->parts[id].addend[0] + from };
}

static mp_addends parts_of(const mp_engine *e, int id, mp_arena *a)
{
    const mp_param *p = &e->params->list[id];
    const mp_real **addend = MP_NEW_RAW(a, const mp_real *, e->shard_count);
    const bool **mark = MP_NEW_RAW(a, const bool *, e->shard_count);
    mp_addends all = { addend, mark, 0, p->cols, false };
    for (int s = 0; s < e->shard_count; s++) {
        if (!e->shards[s].live[id]) continue;
        mark[all.count] = e->shards[s].rows[id];
        all.marked |= mark[all.count] != NULL;
        addend[all.count++] = e->shards[s].grad + p->offset;
    }
    return all;
}

static void sum_chunk(void *arg, int index, int worker)
{
    update *u = arg;
    chunk k = chunk_of(u, index);
    mp_profile *profile = mp_profile_of(u->e, worker);
    u->e->kernels->add_all(k.sum, &u->parts[k.id], k.from, k.n);
    mp_mark(profile, "add shards");
    u->e->kernels->square_sum(&u->squares[index], k.sum, k.n);
    mp_mark(profile, "norm");
}

static void update_chunk(void *arg, int index, int worker)
{
    update *u = arg;
    mp_engine *e = u->e;
    chunk k = chunk_of(u, index);
    mp_profile *profile = mp_profile_of(e, worker);
    if (!u->squares) e->kernels->add_all(k.sum, &u->parts[k.id], k.from, k.n);
    mp_mark(profile, "add shards");
    if (u->scale && (e->lane || *u->scale != 1)) e->kernels->axpy_by(k.sum, u->scale, k.sum, false, k.n);
    e->kernels->adam(e->theta + k.at, e->m + k.at, e->v + k.at, k.sum, &u->how[k.id], k.n);
    mp_mark(profile, "adam");
}

static void find_scale(void *arg, int index, int worker)
{
    const update *u = arg;
    (void)index;
    (void)worker;
    u->e->kernels->clip_scale(u->scale, u->squares, mp_model_config(u->e->model)->clip, u->chunks);
}

/* Clipping needs the norm of the whole gradient first: one pass to add up, one to update. */
static void clip(update *u, mp_arena *a)
{
    u->squares = MP_NEW(a, double, u->chunks);
    u->scale = MP_NEW(a, mp_real, 1);
    mp_engine_each(u->e, u->chunks, sum_chunk, u);
    mp_engine_each(u->e, 1, find_scale, u);
}

/* Parameters that got no gradient in this step are left alone entirely, as PyTorch does. */
void mp_update_weights(mp_engine *e)
{
    mp_arena *a = mp_engine_scratch(e);
    int count = e->params->count, chunks = 0;
    mp_adam *how = MP_NEW(a, mp_adam, count);
    mp_addends *parts = MP_NEW(a, mp_addends, count);
    for (int id = 0; id < count; id++) {
        parts[id] = parts_of(e, id, a);
        if (!parts[id].count) continue;
        how[id] = mp_adam_for(mp_model_config(e->model), e->rate, ++e->updates[id]);
        how[id].shared = mp_crew_size(e->crew) > 1;
        chunks += (int)(((size_t)e->params->list[id].rows * (size_t)e->params->list[id].cols + UPDATE_CHUNK - 1) /
                        UPDATE_CHUNK);
    }
    int *chunk_param = MP_NEW(a, int, chunks), k = 0;
    size_t *chunk_from = MP_NEW(a, size_t, chunks);
    for (int id = 0; id < count; id++) {
        size_t n = (size_t)e->params->list[id].rows * (size_t)e->params->list[id].cols;
        for (size_t at = 0; parts[id].count && at < n; at += UPDATE_CHUNK, k++) {
            chunk_param[k] = id;
            chunk_from[k] = at;
        }
    }
    update u = { e, NULL, NULL, chunks, how, parts, chunk_param, chunk_from };
    if (mp_model_config(e->model)->clip > 0) clip(&u, a);
    mp_engine_each(e, chunks, update_chunk, &u);
}

/* Adds a shard's gradient to the total; the first writer stores. */
static void add_shard(mp_engine *e, const mp_shard *s)
{
    for (int id = 0; id < e->params->count; id++) {
        const mp_param *p = &e->params->list[id];
        if (!s->live[id]) continue;
        e->kernels->axpy(e->total.grad + p->offset, 1, s->grad + p->offset, e->total.live[id],
                         (size_t)p->rows * (size_t)p->cols);
        e->total.live[id] = true;
    }
}

static void add_to_total(void *arg, int index, int worker)
{
    mp_engine *e = arg;
    (void)index;
    (void)worker;
    for (int s = 0; s < e->shard_count; s++) add_shard(e, &e->shards[s]);
}

void mp_add_to_total(mp_engine *e)
{
    mp_engine_each(e, 1, add_to_total, e);
}

mp_err mp_engine_aux_update(mp_engine *e)
{
    mp_assert(e->total.grad != NULL);
    MP_TRY(mp_engine_open(e, 0));
    mp_shard *shards = e->shards;
    e->shards = &e->total; /* the total is a batch of one mp_shard */
    e->shard_count = 1;
    mp_update_weights(e);
    if (e->lane) mp_lane_submit(e->lane);
    e->shards = shards;
    e->shard_count = 0;
    memset(e->total.live, 0, (size_t)e->params->count * sizeof *e->total.live);
    return MP_OK;
}

size_t mp_engine_state_size(const mp_engine *e)
{
    return 2 * e->params->size * sizeof(mp_real) + (size_t)e->params->count * sizeof(int64_t);
}

static mp_err fetch(const mp_engine *e, void *to, const void *from, size_t bytes)
{
    if (e->lane) return mp_lane_get(e->lane, to, from, bytes);
    if (to != from) memcpy(to, from, bytes);
    return MP_OK;
}

static mp_err store(const mp_engine *e, void *to, const void *from, size_t bytes)
{
    if (e->lane) return mp_lane_put(e->lane, to, from, bytes);
    memcpy(to, from, bytes);
    return MP_OK;
}

mp_err mp_engine_state_get(const mp_engine *e, void *out)
{
    size_t block = e->params->size * sizeof(mp_real);
    MP_TRY(fetch(e, out, e->m, block));
    MP_TRY(fetch(e, (char *)out + block, e->v, block));
    memcpy((char *)out + 2 * block, e->updates, (size_t)e->params->count * sizeof(int64_t));
    return MP_OK;
}

mp_err mp_engine_state_set(mp_engine *e, const void *in)
{
    size_t block = e->params->size * sizeof(mp_real);
    MP_TRY(store(e, e->m, in, block));
    MP_TRY(store(e, e->v, (const char *)in + block, block));
    memcpy(e->updates, (const char *)in + 2 * block, (size_t)e->params->count * sizeof(int64_t));
    return MP_OK;
}

mp_err mp_engine_weights(const mp_engine *e, mp_real *out)
{
    size_t bytes = e->params->size * sizeof *out;
    if (!e->behind) return fetch(e, out, e->theta, bytes);
    if (out != e->params->theta) memcpy(out, e->params->theta, bytes);
    return MP_OK;
}

void mp_engine_renew(mp_engine *e)
{
    e->behind = e->lane != NULL;
}
