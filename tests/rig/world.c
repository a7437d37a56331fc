/* world.c - see world.h.
 * SPDX-License-Identifier: MIT */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void world_init(world *w, const char *options, int n, int most, int outputs)
{
    memset(w, 0, sizeof *w);
    w->rig = mp_rig_new(1);
    mp_arena *a = w->rig.memory;
    int *sizes = MP_NEW(a, int, n);
    for (int i = 0; i < n; i++) sizes[i] = 1 + mp_rng_below(&w->rig.rng, most);
    w->all = mp_rig_graph(&w->rig, n, sizes, 0.15, 0);
    int *ptr = MP_NEW(a, int, w->all.nodes + 1), *col = MP_NEW(a, int, w->all.nodes);
    w->value = MP_NEW(a, mp_real, w->all.nodes);
    w->class = MP_NEW(a, double, n);
    w->target = MP_NEW(a, double, n);
    w->order = MP_NEW(a, int, n);
    for (int i = 0; i < n; i++) {
        w->order[i] = i;
        int lead = 0;
        for (int v = w->all.node_ptr[i]; v < w->all.node_ptr[i + 1]; v++) {
            ptr[v + 1] = v + 1;
            col[v] = mp_rng_below(&w->rig.rng, FEATURES);
            w->value[v] = 1;
            lead += (col[v] == 0) - (col[v] == 1);
        }
        w->class[i] = lead > 0;
        w->target[i] = lead;
    }
    w->x = (mp_sparse){ .rows = w->all.nodes, .cols = FEATURES, .ptr = ptr, .col = col, .val = w->value };
    mp_config_init(&w->conf);
    bench_set(&w->conf, options);
    mp_err e = mp_model_new(a, &w->conf, (mp_inputs){ .features = FEATURES, .outputs = outputs }, &w->model);
    if (e != MP_OK) fail_msg("%s", mp_message());
    w->params = mp_model_params(w->model);
    mp_params_init(w->params, 1, 0);
}

void world_free(world *w)
{
    mp_rig_free(&w->rig);
}

mp_batch batch_of(const world *w, int from, int n)
{
    return (mp_batch){ .all = &w->all,
                       .x = &w->x,
                       .which = w->order + from,
                       .n = n,
                       .labels = { .columns = 1, .v = mp_model_goal(w->model)->task->classes ? w->class : w->target } };
}

double train(world *w, mp_engine *e, int from, int to, int size, uint64_t seed)
{
    double last = 0;
    for (int epoch = from; epoch < to; epoch++) {
        for (int i = 0; i < w->all.graphs; i++) w->order[i] = i;
        mp_rng r = mp_rng_stream(seed, MP_FOR_SHUFFLE, 0, (uint64_t)epoch, 0);
        mp_rng_shuffle(&r, w->order, w->all.graphs);
        last = 0;
        for (int at = 0, step = 0; at < w->all.graphs; at += size, step++) {
            int n = w->all.graphs - at < size ? w->all.graphs - at : size;
            mp_batch b = batch_of(w, at, n);
            double loss, aux;
            mp_err err = mp_engine_train(e, &b, (mp_draw){ seed, 0, (uint64_t)epoch, (uint64_t)step }, &loss, &aux);
            if (err != MP_OK) fail_msg("%s", mp_message());
            last += loss * n / w->all.graphs;
        }
    }
    return last;
}
