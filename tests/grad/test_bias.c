/* test_bias.c - gradients of the biases of score layers are sums over all nodes that nearly cancel: they are taken in
 * double numbers, for every number of score columns the paper uses.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "property.h"

#define NODES    600
#define CHANNELS 4

/* Random numbers, and in the last row what makes each column nearly 0. */
static void fill_with_cancelling_columns(mp_rig *r, mp_real *g, int D)
{
    for (int d = 0; d < D; d++) {
        double sum = 0;
        for (int v = 0; v < NODES - 1; v++) {
            g[v * D + d] = (mp_real)mp_rng_between(&r->rng, -1, 1);
            sum += (double)g[v * D + d];
        }
        g[(NODES - 1) * D + d] = (mp_real)-sum;
    }
}

static const mp_mat *parameter(const bench *b, const mp_ctx *c, const char *name)
{
    for (int i = 0; i < b->params.count; i++)
        if (strcmp(b->params.list[i].name, name) == 0) return &c->params[i];
    fail_msg("%s has no %s", b->op->name, name);
    return NULL;
}

/* The gradient of `bias` for a gradient of the scores, of which its layer gets `factor` times as much; and what a chain of
 * additions in mp_real would give. */
static void compare(const char *op, const char *options, const char *bias, double factor)
{
    bench b;
    bench_init(&b, mp_pool_find(op), options, CHANNELS, 5);
    static const int sizes[] = { NODES / 2, NODES / 2 };
    mp_graph g = mp_rig_graph(&b.rig, 2, sizes, 0.01, 0);
    mp_ctx c = { .arena = b.step, .k = mp_kernels_get(), .record = true };
    mp_params_bind(&b.params, &c, MP_NEW(b.rig.memory, mp_real, b.params.size));
    mp_pooling p = { .g = &g, .x = mp_rig_mat(&b.rig, NODES, CHANNELS) };
    mp_pool_run(b.pool, &c, &p);
    int D = p.score->cols;
    mp_real *gradient = mp_grad_zeroed(&c, p.score);
    fill_with_cancelling_columns(&b.rig, gradient, D);
    double want[16] = { 0 }, most = 0, worst = 0;
    mp_real chain[16] = { 0 };
    assert_true(D <= 16);
    for (int i = 0; i < NODES * D; i++) {
        mp_real term = (mp_real)factor * gradient[i];
        want[i % D] += (double)term;
        chain[i % D] += term;
    }
    mp_tape_back(&c);
    const mp_mat *got = parameter(&b, &c, bias);
    for (int d = 0; d < D; d++) most = fmax(most, fabs(want[d]));
    for (int d = 0; d < D; d++) {
        worst = fmax(worst, fabs((double)chain[d] - want[d]) / most);
        if (!(fabs((double)got->g[d] - want[d]) <= 1e-6 * most))
            fail_msg("%s %s, %s: %.9g instead of %.9g", op, options, bias, (double)got->g[d], want[d]);
    }
    assert_true(worst > 1e-5); /* the case is one that needs it */
    bench_free(&b);
}

static void gradients_of_score_biases_survive_cancellation(void **state)
{
    (void)state;
    static const int columns[] = { 1, 5, 9, 16 };
    for (int i = 0; i < 4; i++) {
        char options[80];
        snprintf(options, sizeof options, "score-dim=%d", columns[i]);
        compare("sag", options, "pool.gcn.bias", 1);
        snprintf(options, sizeof options, "score-dim=%d mix=before", columns[i]);
        compare("gsa", options, "pool.gcn.bias", 0.6);
        compare("gsa", options, "pool.mlp.bias", (double)(1 - (mp_real)0.6));
        snprintf(options, sizeof options, "score-dim=%d variant=authors dropout=0", columns[i]);
        compare("topk", options, "pool.proj.bias", 1);
        snprintf(options, sizeof options, "score-dim=%d score-conv=graphconv", columns[i]);
        compare("sag", options, "pool.gcn.lin_rel.bias", 1);
        snprintf(options, sizeof options, "score-dim=%d mi-weight=0", columns[i]);
        compare("vip", options, "pool.b", 1);
        snprintf(options, sizeof options, "score-dim=%d", columns[i]);
        compare("asap", options, "pool.gnn_score.lin3.bias", 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_score_biases_survive_cancellation),
    };
    return cmocka_run_group_tests_name("biases of scores", tests, NULL, NULL);
}
