/* update.c - one step of Adam on the gradients of a batch's shards, in chunks of weights that threads take.
 * SPDX-License-Identifier: MIT */
#include "train/update.h"
#include "nn/adam.h"

#include <math.h>
#include <string.h>

#define UPDATE_CHUNK 16384 /* weights a thread updates at a time */

/* Adds the shards' gradients of one chunk in the order of the shards, and updates its weights. */
typedef struct update {
    mp_engine *e;
    mp_real scale;      /* of the gradient, from clipping */
    double *squares;    /* per chunk: its part of the squared norm */
    const mp_adam *how; /* per parameter */
    const int *first;   /* per parameter: the first shard with a gradient, or -1 */
    const int *chunk_param;
    const size_t *chunk_from;
} update;

typedef struct chunk {
    int id;
    size_t at, n;
    mp_real *sum; /* the gradient, in the first shard's block */
} chunk;

static chunk chunk_of(const update *u, int index)
{
    int id = u->chunk_param[index];
    const mp_param *p = &u->e->params->list[id];
    size_t from = u->chunk_from[index], n = (size_t)p->rows * (size_t)p->cols - from;
    if (n > UPDATE_CHUNK) n = UPDATE_CHUNK;
    return (chunk){ id, p->offset + from, n, u->e->shards[u->first[id]].grad + p->offset + from };
}

static bool by_rows(const mp_engine *e, int id)
{
    for (int s = 0; s < e->shard_count; s++)
        if (e->shards[s].live[id] && e->shards[s].rows[id]) return true;
    return false;
}

static bool has_row(const mp_shard *s, int id, size_t row)
{
    return s->live[id] && (!s->rows[id] || s->rows[id][row]);
}

/* n weights of one row, from place `from` of the chunk on. */
static void add_row(const mp_engine *e, const update *u, const chunk *k, size_t from, size_t n, size_t row)
{
    int s = u->first[k->id];
    bool begun = has_row(&e->shards[s], k->id, row);
    while (++s < e->shard_count) {
        if (!has_row(&e->shards[s], k->id, row)) continue;
        e->kernels->axpy(k->sum + from, 1, e->shards[s].grad + k->at + from, begun, n);
        begun = true;
    }
    if (!begun) memset(k->sum + from, 0, n * sizeof *k->sum);
}

static void add_shards(const mp_engine *e, const update *u, const chunk *k)
{
    const mp_param *p = &e->params->list[k->id];
    if (by_rows(e, k->id)) {
        size_t cols = (size_t)p->cols, n;
        for (size_t from = 0; from < k->n; from += n) {
            size_t at = k->at - p->offset + from;
            n = cols - at % cols < k->n - from ? cols - at % cols : k->n - from;
            add_row(e, u, k, from, n, at / cols);
        }
        return;
    }
    for (int s = u->first[k->id] + 1; s < e->shard_count; s++)
        if (e->shards[s].live[k->id]) e->kernels->axpy(k->sum, 1, e->shards[s].grad + k->at, true, k->n);
}

static void sum_chunk(void *arg, int index, int worker)
{
    update *u = arg;
    chunk k = chunk_of(u, index);
    mp_profile *profile = mp_profile_of(u->e, worker);
    add_shards(u->e, u, &k);
    mp_mark(profile, "add shards");
    double square = 0;
    for (size_t i = 0; i < k.n; i++) square += (double)k.sum[i] * (double)k.sum[i];
    u->squares[index] = square;
    mp_mark(profile, "norm");
}

static void update_chunk(void *arg, int index, int worker)
{
    update *u = arg;
    mp_engine *e = u->e;
    chunk k = chunk_of(u, index);
    mp_profile *profile = mp_profile_of(e, worker);
    if (!u->squares) add_shards(e, u, &k);
    mp_mark(profile, "add shards");
    if (u->scale != 1) e->kernels->axpy(k.sum, u->scale, k.sum, false, k.n);
    e->kernels->adam(e->params->theta + k.at, e->m + k.at, e->v + k.at, k.sum, &u->how[k.id], k.n);
    mp_mark(profile, "adam");
}

/* Clipping needs the norm of the whole gradient first: one pass to add up, one to update. */
static void clip(update *u, int chunks, double most)
{
    mp_engine *e = u->e;
    u->squares = MP_NEW(e->step[0], double, chunks);
    mp_crew_run(e->crew, chunks, sum_chunk, u);
    double norm = 0;
    for (int i = 0; i < chunks; i++) norm += u->squares[i];
    norm = sqrt(norm);
    if (norm > most) u->scale = (mp_real)(most / (norm + 1e-6));
}

/* Parameters that got no gradient in this step are left alone entirely, as PyTorch does. */
void mp_update_weights(mp_engine *e)
{
    mp_arena *a = e->step[0];
    mp_arena_reset(a);
    int count = e->params->count, chunks = 0;
    mp_adam *how = MP_NEW(a, mp_adam, count);
    int *first = MP_NEW(a, int, count);
    for (int id = 0; id < count; id++) {
        first[id] = -1;
        for (int s = e->shard_count - 1; s >= 0; s--)
            if (e->shards[s].live[id]) first[id] = s;
        if (first[id] < 0) continue;
        how[id] = mp_adam_for(mp_model_config(e->model), e->rate, ++e->updates[id]);
        how[id].shared = mp_crew_size(e->crew) > 1;
        chunks += (int)(((size_t)e->params->list[id].rows * (size_t)e->params->list[id].cols + UPDATE_CHUNK - 1) /
                        UPDATE_CHUNK);
    }
    int *chunk_param = MP_NEW(a, int, chunks), k = 0;
    size_t *chunk_from = MP_NEW(a, size_t, chunks);
    for (int id = 0; id < count; id++) {
        size_t n = (size_t)e->params->list[id].rows * (size_t)e->params->list[id].cols;
        for (size_t at = 0; first[id] >= 0 && at < n; at += UPDATE_CHUNK, k++) {
            chunk_param[k] = id;
            chunk_from[k] = at;
        }
    }
    update u = { e, 1, NULL, how, first, chunk_param, chunk_from };
    double most = mp_model_config(e->model)->clip;
    if (most > 0) clip(&u, chunks, most);
    mp_crew_run(e->crew, chunks, update_chunk, &u);
}
