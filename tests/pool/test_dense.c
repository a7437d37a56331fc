/* test_dense.c - the four operators agree with the dense reference (dense.h): kept nodes exactly, features and edges to
 * 1e-10, and gradients with central differences of the reference, on 200 random graphs a setting.
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

#include "dense.h"
#include "pool/pool.h"
#include "rig.h"

#define CASES    100 /* batches of two graphs */
#define CHANNELS 3
#define STEP     1e-5

typedef struct setting {
    int h;
    bool flip;
    int combine;
    double ratio;
    bool weighted;
    double min_score; /* 0: the ratio counts */
} setting;

typedef struct duel { /* one batch, in both worlds */
    const mp_pool_op *op;
    setting how;
    mp_config conf;
    mp_rig rig;
    mp_graph g;
    mp_mat *x;
    mp_params params;
    mp_pool *pool;
    mp_ctx ctx;
    mp_pooling p;
    dense_result truth[2];
} duel;

static const double *weight_of(const void *from, const char *name)
{
    const mp_params *p = from;
    char full[80];
    snprintf(full, sizeof full, "pool.%s", name);
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->list[i].name, full) == 0) return p->theta + p->list[i].offset;
    fail_msg("the operator has no weight '%s'", full);
    return NULL;
}

static void reference(duel *d, dense_result truth[2])
{
    for (int b = 0; b < 2; b++) {
        int first = d->g.node_ptr[b];
        dense_case in = { .g.n = d->g.node_ptr[b + 1] - first,
                          .c = CHANNELS,
                          .h = d->how.h,
                          .ratio = d->how.ratio,
                          .min_score = d->how.min_score,
                          .alpha = 0.6,
                          .flip = d->how.flip,
                          .combine = d->how.combine,
                          .weight = weight_of,
                          .from = &d->params };
        for (int v = 0; v < in.g.n; v++) {
            for (int c = 0; c < CHANNELS; c++) in.x[v][c] = d->x->v[(first + v) * CHANNELS + c];
            for (int e = d->g.row_ptr[first + v]; e < d->g.row_ptr[first + v + 1]; e++) {
                in.g.edge[v][d->g.col[e] - first] = true;
                in.g.w[v][d->g.col[e] - first] = d->g.w ? d->g.w->v[e] : 1;
            }
        }
        assert_true(dense_pool(d->op->name, &in, &truth[b]));
    }
}

/* From each other and from the threshold. */
static bool keys_apart(const duel *d)
{
    for (int b = 0; b < 2; b++) {
        int n = d->g.node_ptr[b + 1] - d->g.node_ptr[b];
        for (int v = 0; v < n; v++) {
            if (!(fabs(d->truth[b].key[v] - d->how.min_score) > 1e-4) && d->how.min_score > 0) return false;
            for (int u = 0; u < v; u++)
                if (!(fabs(d->truth[b].key[u] - d->truth[b].key[v]) > 1e-4)) return false;
        }
    }
    return true;
}

static void draw(duel *d)
{
    int draws = 0;
    do {
        if (draws++ == 500) fail_msg("%s: no case with keys apart", d->op->name);
        mp_arena_reset(d->rig.memory);
        int sizes[2] = { 1 + mp_rng_below(&d->rig.rng, 8), 1 + mp_rng_below(&d->rig.rng, 8) };
        double density = mp_rng_between(&d->rig.rng, 0, 0.7);
        d->g = mp_rig_graph(&d->rig, 2, sizes, density, d->how.weighted ? 0.3 : 0);
        if (d->how.weighted) d->g.w = mp_rig_weights(&d->rig, &d->g);
        d->x = mp_rig_mat(&d->rig, d->g.nodes, CHANNELS);
        d->params = (mp_params){ .arena = d->rig.memory };
        d->pool = mp_pool_new(d->rig.memory, d->op, &d->conf, &d->params, "pool", CHANNELS);
        mp_rig_params(&d->rig, &d->params);
        reference(d, d->truth);
    } while (!keys_apart(d));
}

static double coefficient(int kind, int b, int i, int j)
{
    mp_rng r = mp_rng_stream(5, MP_FOR_TEST, (uint64_t)kind, (uint64_t)b, (uint64_t)(i * 64 + j));
    return mp_rng_between(&r, -1, 1);
}

/* A random linear form of everything a pooling gives. */
static double probe(const dense_result t[2])
{
    double sum = 0;
    for (int b = 0; b < 2; b++) {
        for (int i = 0; i < t[b].k; i++) {
            for (int c = 0; c < t[b].cols; c++) sum += coefficient(0, b, i, c) * t[b].x[i][c];
            for (int j = 0; j < t[b].k; j++) sum += coefficient(1, b, i, j) * t[b].g.w[i][j];
        }
    }
    return sum;
}

/* The same form's gradient, given to the outputs of the library. */
static void seed_gradients(duel *d)
{
    mp_mat *x = d->p.out_x, *w = d->p.out_g->w;
    mp_real *gx = mp_grad_zeroed(&d->ctx, x), *gw = w ? mp_grad_zeroed(&d->ctx, w) : NULL;
    for (int b = 0; b < 2; b++) {
        int first = d->p.keep_ptr[b];
        for (int i = first; i < d->p.keep_ptr[b + 1]; i++) {
            for (int c = 0; c < x->cols; c++) gx[i * x->cols + c] += coefficient(0, b, i - first, c);
            for (int e = d->p.out_g->row_ptr[i]; gw && e < d->p.out_g->row_ptr[i + 1]; e++)
                gw[e] += coefficient(1, b, i - first, d->p.out_g->col[e] - first);
        }
    }
}

static void run_library(duel *d, mp_real *grad)
{
    mp_arena_reset(d->ctx.arena);
    d->ctx.last = NULL;
    d->ctx.record = true;
    mp_params_bind(&d->params, &d->ctx, grad);
    d->x->live = false;
    if (d->g.w) d->g.w->live = false;
    d->g.norm = NULL;
    d->p = (mp_pooling){ .g = &d->g, .x = d->x };
    mp_pool_run(d->pool, &d->ctx, &d->p);
}

static void close_to(const char *what, double got, double want)
{
    if (!(fabs(got - want) <= 1e-10 * fmax(1, fabs(want))))
        fail_msg("%s: %.15g, the reference has %.15g", what, got, want);
}

static void compare_outputs(const duel *d)
{
    for (int b = 0; b < 2; b++) {
        const dense_result *t = &d->truth[b];
        int first = d->p.keep_ptr[b], nodes = d->g.node_ptr[b];
        assert_int_equal(d->p.keep_ptr[b + 1] - first, t->k);
        bool keys = d->how.combine != DENSE_L2 || d->how.min_score > 0; /* a ranking does not need the root */
        for (int v = nodes; v < d->g.node_ptr[b + 1] && keys; v++) close_to("key", d->p.key[v], t->key[v - nodes]);
        for (int i = 0; i < t->k; i++) {
            assert_int_equal(d->p.keep[first + i] - nodes, t->keep[i]);
            for (int c = 0; c < t->cols; c++)
                close_to("feature", d->p.out_x->v[(first + i) * d->p.out_x->cols + c], t->x[i][c]);
            bool seen[DENSE_NODES] = { false };
            for (int e = d->p.out_g->row_ptr[first + i]; e < d->p.out_g->row_ptr[first + i + 1]; e++) {
                int j = d->p.out_g->col[e] - first;
                seen[j] = true;
                assert_true(t->g.edge[i][j]);
                close_to("edge", d->p.out_g->w ? d->p.out_g->w->v[e] : 1, t->g.w[i][j]);
            }
            for (int j = 0; j < t->k; j++) assert_true(seen[j] == t->g.edge[i][j]);
        }
    }
}

/* Moves each entry of v by a step and compares the change of the reference's probe with the tape's gradient. */
static void compare_gradient(duel *d, const char *what, mp_real *v, const mp_real *gradient, size_t n)
{
    double numeric[512], largest = 1e-2;
    dense_result t[2];
    assert_true(n <= 512);
    for (size_t i = 0; i < n; i++) {
        double centre = v[i];
        v[i] = centre + STEP;
        reference(d, t);
        double above = probe(t);
        v[i] = centre - STEP;
        reference(d, t);
        numeric[i] = (above - probe(t)) / (2 * STEP);
        v[i] = centre;
        largest = fmax(largest, fabs(numeric[i]));
    }
    for (size_t i = 0; i < n; i++) {
        double got = gradient ? gradient[i] : 0;
        if (!(fabs(got - numeric[i]) <= 1e-7 * largest))
            fail_msg("%s, gradient of %s, entry %zu: %.12g, the reference's differences say %.12g", d->op->name, what,
                     i, got, numeric[i]);
    }
}

static void compare_gradients(duel *d, mp_real *grad)
{
    seed_gradients(d);
    mp_tape_back(&d->ctx);
    compare_gradient(d, "x", d->x->v, d->x->live ? d->x->g : NULL, (size_t)d->x->rows * CHANNELS);
    if (d->g.w) compare_gradient(d, "edge weights", d->g.w->v, d->g.w->live ? d->g.w->g : NULL, (size_t)d->g.edges);
    for (int i = 0; i < d->params.count; i++) {
        const mp_param *q = &d->params.list[i];
        compare_gradient(d, q->name, d->params.theta + q->offset, d->ctx.params[i].live ? grad + q->offset : NULL,
                         (size_t)q->rows * (size_t)q->cols);
    }
}

static void settings_agree(const char *name, const setting *settings, size_t count)
{
    for (size_t s = 0; s < count; s++) {
        duel d = { .op = mp_pool_find(name), .how = settings[s], .rig = mp_rig_new(s + 1) };
        d.ctx = (mp_ctx){ .arena = mp_arena_new(1 << 18), .k = mp_kernels_get() };
        mp_config_init(&d.conf);
        d.conf.score_dim = d.how.h;
        d.conf.flip = d.how.flip;
        d.conf.combine = d.how.combine;
        d.conf.ratio = d.how.ratio;
        d.conf.min_score = d.how.min_score;
        for (int i = 0; i < CASES; i++) {
            draw(&d);
            mp_real *grad = MP_NEW(d.rig.memory, mp_real, d.params.size);
            run_library(&d, grad);
            compare_outputs(&d);
            compare_gradients(&d, grad);
        }
        mp_arena_free(d.ctx.arena);
        mp_rig_free(&d.rig);
    }
}

static void operator_agrees(const char *name)
{
    static const setting settings[] = {
        { 1, false, DENSE_SUM, 0.5, false, 0 }, { 1, false, DENSE_SUM, 0.3, true, 0 },
        { 3, true, DENSE_SUM, 0.5, false, 0 },  { 2, true, DENSE_SUM, 0.8, true, 0 },
        { 5, true, DENSE_MAX, 0.5, false, 0 },  { 3, false, DENSE_L2, 0.5, true, 0 },
    };
    settings_agree(name, settings, sizeof settings / sizeof *settings);
}

/* Low enough for several nodes, and so high that only the best remain. */
static void thresholds_agree_with_the_equations(void **state)
{
    static const setting settings[] = {
        { 1, false, DENSE_SUM, 0.5, false, 0.1 }, { 1, true, DENSE_SUM, 0.5, true, 0.9 },
        { 3, true, DENSE_SUM, 0.5, false, 0.1 },  { 5, true, DENSE_SUM, 0.5, true, 0.15 },
        { 3, true, DENSE_MAX, 0.5, false, 0.15 }, { 3, false, DENSE_L2, 0.5, false, 0.1 },
    };
    (void)state;
    settings_agree("topk", settings, sizeof settings / sizeof *settings);
    settings_agree("sag", settings, sizeof settings / sizeof *settings);
}

static void topk_agrees_with_the_equations(void **state)
{
    (void)state;
    operator_agrees("topk");
}

static void sag_agrees_with_the_equations(void **state)
{
    (void)state;
    operator_agrees("sag");
}

static void gsa_agrees_with_the_equations(void **state)
{
    (void)state;
    operator_agrees("gsa");
}

static void asap_agrees_with_the_equations(void **state)
{
    (void)state;
    operator_agrees("asap");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topk_agrees_with_the_equations),      cmocka_unit_test(sag_agrees_with_the_equations),
        cmocka_unit_test(gsa_agrees_with_the_equations),       cmocka_unit_test(asap_agrees_with_the_equations),
        cmocka_unit_test(thresholds_agree_with_the_equations),
    };
    return cmocka_run_group_tests_name("operators against dense references", tests, NULL, NULL);
}
