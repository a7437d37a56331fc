/* group_time.c - see group_time.h. Every run has a thread, as in a study; they wait for each other before and after the timed
 * epochs, and not between.
 * SPDX-License-Identifier: MIT */
#include "study/group_time.h"
#include "base/clock.h"
#include "base/guard.h"
#include "data/seal.h"
#include "train/once.h"

#include <pthread.h>

typedef struct meeting {
    const mp_epoch_ask *ask;
    mp_group *group;
    mp_labels labels;
    int once, n; /* graphs, and with repeats those of an epoch */
    pthread_barrier_t warm, start, end;
} meeting;

typedef struct member {
    meeting *at;
    pthread_t thread;
    mp_config config;
    mp_arena *arena;
    mp_engine *engine;
    int *order;
    double *losses;
    bool aux_apart;      /* once an epoch a step on the auxiliary loss alone */
    double flops, moved; /* of the timed epochs */
    mp_failure failure;
} member;

static mp_err run_epoch(member *m, int epoch)
{
    const mp_dataset *d = m->at->ask->data;
    int n = m->at->n, size = m->config.batch_size;
    mp_rng r = mp_rng_stream((uint64_t)m->config.seed, MP_FOR_SHUFFLE, 0, (uint64_t)epoch, 0);
    mp_rng_shuffle(&r, m->order, n);
    for (int step = 0; step * size < n; step++) {
        int left = n - step * size;
        mp_batch b = { &d->graphs, &d->x, m->order + step * size, left < size ? left : size, m->at->labels };
        mp_draw draw = { (uint64_t)m->config.seed, 0, (uint64_t)epoch, (uint64_t)step };
        MP_TRY(mp_engine_train(m->engine, &b, draw, &m->losses[2 * step], &m->losses[2 * step + 1]));
        if (m->aux_apart) MP_TRY(mp_engine_aux_add(m->engine, &b, draw, 1.0 / n, &m->losses[2 * step + 1]));
    }
    if (m->aux_apart) MP_TRY(mp_engine_aux_update(m->engine));
    return mp_engine_settle(m->engine);
}

static mp_err begin(void *arg)
{
    member *m = arg;
    mp_model *model;
    m->order = MP_NEW(m->arena, int, m->at->n);
    m->losses = MP_NEW(m->arena, double, 2 * ((size_t)m->at->n / (size_t)m->config.batch_size + 1));
    for (int i = 0; i < m->at->n; i++) m->order[i] = i % m->at->once;
    MP_TRY(mp_run_plan(m->at->ask->data, &m->config, m->arena, &model));
    mp_params_alloc(mp_model_params(model));
    mp_params_init(mp_model_params(model), (uint64_t)m->config.seed, 0);
    m->aux_apart = mp_model_aux_apart(model);
    MP_TRY(mp_engine_new_on(m->at->group, model, &m->engine));
    for (int epoch = 1; epoch <= MP_EPOCH_WARM; epoch++) MP_TRY(run_epoch(m, epoch));
    return MP_OK;
}

static mp_err go_on(void *arg)
{
    member *m = arg;
    double flops = mp_engine_flops(m->engine), moved = mp_engine_moved(m->engine);
    for (int i = 0; i < m->at->ask->timed; i++) MP_TRY(run_epoch(m, MP_EPOCH_WARM + 1 + i));
    m->flops = mp_engine_flops(m->engine) - flops;
    m->moved = mp_engine_moved(m->engine) - moved;
    return MP_OK;
}

/* Whoever fails comes to all meetings all the same, or the others would wait for ever. */
static void *member_main(void *arg)
{
    member *m = arg;
    mp_err e = mp_guarded(begin, m);
    pthread_barrier_wait(&m->at->warm);
    pthread_barrier_wait(&m->at->start);
    if (e == MP_OK) e = mp_guarded(go_on, m);
    mp_failure_keep(&m->failure, e);
    pthread_barrier_wait(&m->at->end);
    mp_engine_free(m->engine);
    return NULL;
}

static double meet(meeting *at)
{
    pthread_barrier_wait(&at->warm);
    if (at->ask->profile) mp_group_profile(at->group);
    pthread_barrier_wait(&at->start);
    double from = mp_seconds();
    pthread_barrier_wait(&at->end);
    return mp_seconds() - from;
}

mp_err mp_time_group(const mp_epoch_ask *ask, mp_group *g, int runs, mp_arena *a, mp_group_time *out)
{
    const mp_dataset *d = ask->data;
    int once = (int)(ask->share * d->graphs.graphs + 0.5), *all = MP_NEW(a, int, once), begun = 0;
    meeting at = { .ask = ask, .group = g, .once = once, .n = once * ask->repeat };
    for (int i = 0; i < once; i++) all[i] = i;
    at.labels = mp_seal_open(d->seal, a, all, once, NULL, 0);
    MP_TRY(mp_run_check_gpu(d, ask->config));
    member *m = MP_NEW(a, member, runs);
    pthread_barrier_init(&at.warm, NULL, (unsigned)runs + 1);
    pthread_barrier_init(&at.start, NULL, (unsigned)runs + 1);
    pthread_barrier_init(&at.end, NULL, (unsigned)runs + 1);
    for (; begun < runs; begun++) {
        m[begun] = (member){ .at = &at, .config = *ask->config, .arena = mp_arena_new(65536) };
        m[begun].config.seed += begun;
        if (pthread_create(&m[begun].thread, NULL, member_main, &m[begun]) != 0)
            return mp_fail(MP_ERR_IO, "group: the system has threads for %d runs", begun);
    }
    double seconds = meet(&at);
    *out = (mp_group_time){ .runs = runs, .graphs = at.n, .seconds = seconds / ask->timed };
    mp_err e = MP_OK;
    for (int i = 0; i < runs; i++) {
        pthread_join(m[i].thread, NULL);
        if (e == MP_OK) e = mp_failure_again(&m[i].failure);
        out->flops += m[i].flops / ask->timed / runs;
        out->moved += m[i].moved / ask->timed / runs;
        mp_arena_free(m[i].arena);
    }
    pthread_barrier_destroy(&at.warm);
    pthread_barrier_destroy(&at.start);
    pthread_barrier_destroy(&at.end);
    return e;
}
