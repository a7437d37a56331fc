/* test_adam.c - the optimiser against a plain reference: Adam as PyTorch writes it, L2 in the gradient, clipping, weights
 * without a gradient.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

typedef struct adam { /* in double numbers, as PyTorch writes it */
    double *theta, *m, *v;
    int *t;
} adam;

static adam adam_new(const world *w)
{
    mp_arena *a = w->rig.memory;
    adam d = { MP_NEW(a, double, w->params->size), MP_NEW(a, double, w->params->size),
               MP_NEW(a, double, w->params->size), MP_NEW(a, int, w->params->count) };
    for (size_t i = 0; i < w->params->size; i++) d.theta[i] = (double)w->params->theta[i];
    return d;
}

static void adam_step(const world *w, adam *d, const mp_real *grad, const mp_mat *params, double scale)
{
    for (int id = 0; id < w->params->count; id++) {
        const mp_param *q = &w->params->list[id];
        if (!params[id].live) continue;
        d->t[id]++;
        for (size_t i = q->offset; i < q->offset + (size_t)q->rows * (size_t)q->cols; i++) {
            double g = scale * (double)grad[i] + w->conf.weight_decay * d->theta[i], b1 = w->conf.beta1, b2 = 0.999;
            d->m[i] = b1 * d->m[i] + (1 - b1) * g;
            d->v[i] = b2 * d->v[i] + (1 - b2) * g * g;
            double m = d->m[i] / (1 - pow(b1, d->t[id])), v = d->v[i] / (1 - pow(b2, d->t[id]));
            d->theta[i] -= w->conf.lr * m / (sqrt(v) + 1e-8);
        }
    }
}

/* The gradient the engine is about to compute: one shard, the same random stream. */
static const mp_mat *gradient(world *w, const mp_batch *b, mp_draw d, mp_real *grad)
{
    mp_arena *a = w->rig.memory;
    mp_ctx c = { .arena = a, .k = mp_kernels_get(), .record = true, .training = true };
    c.rng = mp_rng_stream(d.seed, MP_FOR_STEP, d.fold, d.epoch << 32 | d.step, 0);
    mp_params_bind(w->params, &c, grad);
    mp_graph g;
    mp_sparse x;
    mp_mat *aux;
    mp_graph_gather(a, b->all, b->x, b->which, b->n, false, &g, &x);
    mp_mat *y = mp_model_forward(w->model, &c, &g, &x, NULL, NULL, &aux);
    int *label = MP_NEW(a, int, b->n);
    for (int i = 0; i < b->n; i++) label[i] = (int)b->labels.v[b->which[i]];
    mp_grad_zeroed(&c, mp_xent(&c, y, label, (mp_real)(1.0 / b->n), NULL))[0] = 1;
    if (aux) mp_grad_zeroed(&c, aux)[0] = 1;
    mp_tape_back(&c);
    return c.params;
}

static void follow_adam(const char *options)
{
    world w;
    world_init(&w, options, 20, 12, 2);
    double clip = w.conf.clip;
    mp_engine *e = mp_engine_new(w.model, 2);
    adam d = adam_new(&w);
    mp_real *grad = MP_NEW(w.rig.memory, mp_real, w.params->size);
    for (uint64_t step = 0; step < 8; step++) {
        mp_batch b = batch_of(&w, 0, 20);
        mp_draw draw = { 3, 0, 0, step };
        const mp_mat *params = gradient(&w, &b, draw, grad);
        double square = 0, loss, aux;
        for (int id = 0; id < w.params->count; id++)
            for (int i = 0; params[id].live && i < params[id].rows * params[id].cols; i++)
                square += pow((double)params[id].g[i], 2);
        double scale = clip > 0 && sqrt(square) > clip ? clip / (sqrt(square) + 1e-6) : 1;
        adam_step(&w, &d, grad, params, scale);
        assert_int_equal(mp_engine_train(e, &b, draw, &loss, &aux), MP_OK);
        for (int id = 0; id < w.params->count; id++) {
            const mp_param *q = &w.params->list[id];
            for (size_t i = q->offset; i < q->offset + (size_t)q->rows * (size_t)q->cols; i++) {
                /* An entry moves by lr a step at most; numbers near 1 have a spacing of 6e-8. */
                double error = fabs((double)w.params->theta[i] - d.theta[i]),
                       allowed = 2e-4 * w.conf.lr + 2e-7 * fabs(d.theta[i]);
                if (!(error <= allowed * (double)(step + 1)))
                    fail_msg("%s: step %d, %s: %.9g, PyTorch's formula gives %.9g", options, (int)step, q->name,
                             (double)w.params->theta[i], d.theta[i]);
                d.theta[i] = (double)w.params->theta[i]; /* errors must not pile up: gradients are of these weights */
            }
        }
    }
    mp_engine_free(e);
    world_free(&w);
}

static void adam_is_pytorchs(void **state)
{
    (void)state;
    follow_adam("pool=sag hidden=8 layers=2 lr=0.01 weight-decay=0.01");
    follow_adam("pool=asap hidden=8 layers=2 lr=0.01 weight-decay=0.5 beta1=0.5");
    follow_adam("pool=sag hidden=8 layers=2 lr=0.01 weight-decay=0");
    follow_adam("pool=cgi hidden=8 layers=2 lr=0.01");
    follow_adam("pool=sag hidden=8 layers=2 lr=0.01 weight-decay=0.01 clip=0.05");
    follow_adam(
        "pool=topk hidden=24 layers=1 lr=0.01 weight-decay=0.01"); /* rows that straddle chunks, if inputs are many */
}

/* After one step Adam's first moment is a tenth of the gradient: that of one tape over the whole batch. */
static void shards_add_up_to_the_gradient_of_the_batch(void **state)
{
    (void)state;
    static const char *const nets[] = { "pool=sag hidden=8 layers=2", "pool=asap hidden=8 layers=2",
                                        "pool=topk hidden=24 layers=1" }; /* many inputs: rows straddle chunks */
    for (int i = 0; i < 3; i++) {
        world w;
        char options[128];
        snprintf(options, sizeof options, "%s dropout=0 weight-decay=0", nets[i]);
        world_init(&w, options, 200, 30, 2);
        mp_real *grad = MP_NEW(w.rig.memory, mp_real, w.params->size);
        mp_batch b = batch_of(&w, 0, 200);
        mp_draw draw = { 3, 0, 0, 0 };
        gradient(&w, &b, draw, grad);
        mp_engine *e = mp_engine_new(w.model, 3);
        double loss, aux, most = 0;
        assert_int_equal(mp_engine_train(e, &b, draw, &loss, &aux), MP_OK);
        mp_real *moment = malloc(mp_engine_state_size(e)); /* opens with the first moments */
        assert_non_null(moment);
        assert_int_equal(mp_engine_state_get(e, moment), MP_OK);
        for (size_t k = 0; k < w.params->size; k++) most = fmax(most, fabs((double)grad[k]));
        for (size_t k = 0; k < w.params->size; k++)
            assert_true(fabs(10 * (double)moment[k] - (double)grad[k]) <= 1e-5 * most);
        free(moment);
        mp_engine_free(e);
        world_free(&w);
    }
}

static void weights_without_a_gradient_are_left_alone(void **state)
{
    (void)state;
    world w;
    world_init(&w, "pool=cgi mi-weight=0 hidden=8 layers=2 weight-decay=0.5 lr=0.1", 20, 12, 2);
    mp_real *before = MP_NEW(w.rig.memory, mp_real, w.params->size);
    memcpy(before, w.params->theta, w.params->size * sizeof *before);
    mp_engine *e = mp_engine_new(w.model, 1);
    train(&w, e, 0, 2, 20, 1);
    int still = 0, moved = 0;
    for (int id = 0; id < w.params->count; id++) {
        const mp_param *q = &w.params->list[id];
        bool same =
            memcmp(before + q->offset, w.params->theta + q->offset, (size_t)(q->rows * q->cols) * sizeof *before) == 0;
        bool unused = strstr(q->name, "disc") != NULL; /* the discriminator of a loss that is off */
        assert_true(same == unused);
        still += same;
        moved += !same;
    }
    assert_true(still > 0 && moved > 0);
    mp_engine_free(e);
    world_free(&w);
}

static void the_rate_scales_the_steps(void **state)
{
    (void)state;
    world w;
    world_init(&w, "pool=sag hidden=8 layers=2", 20, 12, 2);
    mp_real *before = MP_NEW(w.rig.memory, mp_real, w.params->size);
    memcpy(before, w.params->theta, w.params->size * sizeof *before);
    mp_engine *e = mp_engine_new(w.model, 1);
    mp_engine_rate(e, 0);
    train(&w, e, 0, 1, 20, 1);
    assert_memory_equal(before, w.params->theta, w.params->size * sizeof *before);
    mp_engine_rate(e, 1);
    train(&w, e, 1, 2, 20, 1);
    assert_memory_not_equal(before, w.params->theta, w.params->size * sizeof *before);
    mp_engine_free(e);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adam_is_pytorchs),
        cmocka_unit_test(shards_add_up_to_the_gradient_of_the_batch),
        cmocka_unit_test(weights_without_a_gradient_are_left_alone),
        cmocka_unit_test(the_rate_scales_the_steps),
    };
    return cmocka_run_group_tests_name("optimiser", tests, NULL, NULL);
}
