/* forecast.c - see forecast.h.
 *
 *     bytes = held now + jobs (threads shard + gradients and moments)
 *
 * Every thread meets the largest shard sooner or later and keeps the memory for it. What a shard needs grows as a power
 * between 1 and 2 of its nodes plus edges, estimated from the last two that were tried.
 * SPDX-License-Identifier: MIT */
#include "study/forecast.h"
#include "study/memory.h"
#include "train/once.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EPOCHS       4    /* shuffles in which the largest shard is looked for */
#define FIRST        6    /* sizes tried: 1/2^6, 1/2^4, 1/2^2 of the largest shard, and all of it */
#define GROWTH       1.25 /* arenas grow by a quarter, and small ones keep as much to spare */
#define SURE         1.5  /* tries may need more than was thought by this factor */
#define PARAM_BLOCKS 6    /* copies of all weights: themselves, two moments, best so far, moments to save */
#define TRY_BLOCKS   4    /* of those while trying: themselves, two moments, a gradient */
#define MIB          1048576.0

typedef struct sized {
    int graph;
    int64_t size; /* nodes plus edges */
} sized;

typedef struct ladder {
    mp_engine *engine;
    mp_batch largest; /* shard */
    int shards;       /* most of a batch */
    const sized *sorted;
    double size[2], bytes[2]; /* of the last two tries, newest last; 0: none */
    bool unseen;              /* as in a lane */
} ladder;

/* ---- the largest shard ---- */

static void look_in(ladder *l, const mp_batch *all, int batch_size, int *copy)
{
    for (int at = 0; at < all->n; at += batch_size) {
        mp_batch b = *all, shard;
        b.which = all->which + at;
        b.n = all->n - at < batch_size ? all->n - at : batch_size;
        int shards = mp_engine_cut(l->engine, &b, &shard);
        if (shards > l->shards) l->shards = shards;
        if (l->largest.n && mp_batch_size(&shard) <= mp_batch_size(&l->largest)) continue;
        memcpy(copy, shard.which, (size_t)shard.n * sizeof *copy);
        l->largest = shard;
        l->largest.which = copy;
    }
}

static void find_largest(ladder *l, const mp_workload *w, mp_batch all, mp_arena *a)
{
    int *order = MP_NEW_RAW(a, int, w->n), *copy = MP_NEW_RAW(a, int, w->n);
    memcpy(order, w->which, (size_t)w->n * sizeof *order);
    all.which = order;
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        mp_rng r = mp_rng_stream((uint64_t)w->config->seed, MP_FOR_SHUFFLE, 0, (uint64_t)epoch, 0);
        mp_rng_shuffle(&r, order, w->n);
        look_in(l, &all, w->config->batch_size, copy);
    }
}

/* ---- smaller ones first ---- */

static int by_size(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : x->graph - y->graph;
}

static const sized *sort(const mp_batch *all, mp_arena *a)
{
    sized *list = MP_NEW_RAW(a, sized, all->n);
    for (int i = 0; i < all->n; i++) {
        mp_batch one = *all;
        one.which = all->which + i;
        one.n = 1;
        list[i] = (sized){ all->which[i], mp_batch_size(&one) };
    }
    qsort(list, (size_t)all->n, sizeof *list, by_size);
    return list;
}

/* As many of the largest graphs as have no more than `most` nodes and edges together. */
static mp_batch fill(const sized *sorted, const mp_batch *all, int64_t most, int *room)
{
    mp_batch b = *all;
    b.which = room;
    b.n = 0;
    for (int i = 0; i < all->n; i++) {
        if (sorted[i].size > most) continue;
        most -= sorted[i].size;
        room[b.n++] = sorted[i].graph;
    }
    return b;
}

static double extrapolated(const ladder *l, double size)
{
    if (l->size[1] <= 0) return 0;
    double power = 1;
    if (l->size[0] > 0 && l->size[1] > l->size[0])
        power = log(l->bytes[1] / l->bytes[0]) / log(l->size[1] / l->size[0]);
    return l->bytes[1] * pow(size / l->size[1], power < 1 ? 1 : power > 2 ? 2 : power);
}

static mp_err try(ladder *l, const mp_batch *b)
{
    if (b->n == 0) return MP_OK;
    size_t bytes;
    MP_TRY(mp_engine_try(l->engine, b, l->unseen, &bytes));
    l->size[0] = l->size[1];
    l->bytes[0] = l->bytes[1];
    l->bytes[1] = (double)bytes;
    l->size[1] = (double)mp_batch_size(b);
    return MP_OK;
}

/* Bytes of one thread. A try that might not fit is left to the extrapolation. */
static mp_err climb(ladder *l, const mp_batch *all, double most, mp_arena *a, double *bytes)
{
    int *room = MP_NEW_RAW(a, int, all->n);
    int64_t whole = mp_batch_size(&l->largest);
    for (int shift = FIRST; shift >= 0 && SURE * extrapolated(l, (double)(whole >> shift)) <= most; shift -= 2) {
        mp_batch smaller = fill(l->sorted, all, whole >> shift, room);
        if (l->size[1] > 0) mp_arena_limit(0); /* foreseen: a guess that is a little low must not end the program */
        MP_TRY(try(l, shift ? &smaller : &l->largest));
    }
    *bytes = extrapolated(l, (double)whole);
    return MP_OK;
}

/* The same for a lane: where the number of edges is not known there is room for all that may be. */
static double climb_unseen(ladder *l, mp_model *m, const mp_batch *all, double most, mp_arena *a)
{
    double bytes;
    mp_engine_free(l->engine); /* its memory is that of the largest shard already */
    l->engine = mp_engine_new(m, 1);
    l->unseen = true;
    memset(l->size, 0, sizeof l->size);
    return climb(l, all, most, a, &bytes) == MP_OK ? bytes : HUGE_VAL;
}

/* ---- the sum ---- */

static mp_err refuse(const mp_workload *w, const mp_forecast *f, int largest)
{
    const mp_graph *g = &w->data->graphs;
    const int *node = g->node_ptr + largest;
    return mp_fail(
        MP_ERR_LIMIT,
        "%s, %s: needs about %.0f MiB of memory, %.0f MiB are free: %d run%s at a time, %d thread%s, %.0f MiB a "
        "thread for the largest shard (largest graph: %d nodes, %d edges); try %s%sa smaller --batch-size or "
        "--hidden",
        w->data->name, w->config->pool, (double)f->bytes / MIB, (double)mp_memory_free() / MIB, w->jobs,
        mp_plural(w->jobs), f->threads, mp_plural(f->threads), (double)f->shard / MIB, node[1] - node[0],
        (g->row_ptr[node[1]] - g->row_ptr[node[0]]) / 2, w->jobs > 1 ? "--jobs 1, " : "",
        f->threads > 1 ? "--threads 1, " : "");
}

static mp_err refuse_weights(const mp_workload *w, const mp_forecast *f, size_t weights)
{
    return mp_fail(MP_ERR_LIMIT,
                   "%s, %s: its %zu weights need about %.0f MiB of memory, %.0f MiB are free: %d run%s at a time; try "
                   "%sa smaller --hidden, --score-dim or --clusters",
                   w->data->name, w->config->pool, weights, (double)f->bytes / MIB, (double)mp_memory_free() / MIB,
                   w->jobs, mp_plural(w->jobs), w->jobs > 1 ? "--jobs 1, " : "");
}

static mp_err forecast(const mp_workload *w, mp_arena *a, mp_forecast *out)
{
    size_t held = mp_arena_total(), most = mp_memory_free();
    mp_config config = *w->config;
    mp_config_resolve(&config, &w->data->graphs);
    mp_model *m;
    MP_TRY(mp_run_plan(w->data, &config, a, &m));
    mp_params *params = mp_model_params(m);
    const mp_graph *g = &w->data->graphs;
    bool nodes = w->data->task->nodes;
    size_t labels = (size_t)(nodes ? g->nodes : g->graphs) * (size_t)w->data->targets;
    mp_labels none = { w->data->targets, MP_NEW(a, double, labels), nodes ? g->node_ptr : NULL };
    mp_batch all = { g, &w->data->x, w->which, w->n, none };
    ladder l = { .sorted = sort(&all, a) };
    size_t block = params->size * sizeof(mp_real), tried = mp_arena_total() + TRY_BLOCKS * block;
    if (most && tried >= most) {
        *out = (mp_forecast){ .bytes = held + (size_t)w->jobs * PARAM_BLOCKS * block, .threads = w->threads };
        if (out->bytes < tried) out->bytes = tried;
        return refuse_weights(w, out, params->size);
    }
    mp_params_alloc(params);
    mp_params_init(params, (uint64_t)config.seed, 0);
    l.engine = mp_engine_new(m, 1);
    find_largest(&l, w, all, a);
    double bytes = 0, unseen = 0, left = most ? (double)most - (double)tried : HUGE_VAL;
    mp_err e = climb(&l, &all, left, a, &bytes);
    if (e == MP_OK && w->lane && !mp_model_needs_sight(m)) unseen = climb_unseen(&l, m, &all, left, a);
    mp_engine_free(l.engine);
    mp_arena_limit(most);
    if (e != MP_OK) return mp_fail_within(e, "%s, %s", w->data->name, config.pool);
    out->shard = (size_t)(GROWTH * bytes);
    out->threads = w->threads < l.shards ? w->threads : l.shards;
    size_t blocks = (size_t)(l.shards + PARAM_BLOCKS) * block;
    out->bytes = held + (size_t)w->jobs * ((size_t)out->threads * out->shard + blocks);
    double lane = GROWTH * unseen * (l.shards > MP_SHEET_SHARDS ? l.shards : MP_SHEET_SHARDS) + (double)blocks;
    if (unseen > 0) out->lane = lane < (double)(SIZE_MAX / 2) ? (size_t)lane : SIZE_MAX;
    return most && out->bytes > most ? refuse(w, out, l.sorted[0].graph) : MP_OK;
}

mp_err mp_forecast_memory(const mp_workload *w, mp_forecast *out)
{
    *out = (mp_forecast){ 0 };
    if (w->n == 0) return MP_OK;
    mp_arena *a = mp_arena_new(65536);
    mp_err e = forecast(w, a, out);
    mp_arena_free(a);
    return e;
}
