/* test_aim.c - scores held against the attention that nodes deserve: the loss by hand, for each target and each kind of score.
 * SPDX-License-Identifier: MIT */
#include "model/aim.h"
#include "property.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define C      4
#define GRAPHS 3

/* Shares of one graph's n rows: of numbers over their sum, or of their softmax. */
static void shares(double *out, const mp_real *v, int n, int cols, int col, bool softmax)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += out[i] = softmax ? exp((double)v[i * cols + col]) : (double)v[i * cols + col];
    for (int i = 0; i < n; i++) out[i] = sum > 0 ? out[i] / sum : 0;
}

/* The sum over graphs of KL(deserved || mean over score columns of shares). */
static double by_hand(const mp_pooling *p, const mp_real *aim, bool softmax, bool are_shares)
{
    double sum = 0, want[8], one[8];
    for (int b = 0; b < GRAPHS; b++) {
        int first = p->g->node_ptr[b], n = p->g->node_ptr[b + 1] - first, cols = p->score->cols;
        double have[8] = { 0 };
        shares(want, aim + first, n, 1, 0, softmax);
        for (int d = 0; d < cols; d++) {
            const mp_real *v = p->score->v + first * cols;
            shares(one, v, n, cols, d, !are_shares);
            for (int i = 0; i < n; i++) have[i] += (are_shares ? (double)v[i * cols + d] : one[i]) / cols;
        }
        for (int i = 0; i < n; i++) sum += want[i] > 0 ? want[i] * log(want[i] / have[i]) : 0;
    }
    return sum;
}

static void the_loss_is_the_weighted_mean_divergence_from_the_chosen_target(void **state)
{
    (void)state;
    static const int sizes[GRAPHS] = { 5, 1, 8 };
    static const mp_real aim[] = { 0, 2, 1, 0, (mp_real)0.5, 1, 3, 0, 0, 1, 1, 0, 2, 4 };
    static const char *const scores[] = { "", "score-dim=3 flip=true", "min-score=0.01" };
    static const char *const target[] = { "share", "softmax" };
    double seen[2] = { 0 };
    for (int s = 0; s < 3; s++)
        for (int t = 0; t < 2; t++) {
            bench b;
            char options[120];
            snprintf(options, sizeof options, "attention-loss=2.5 attention-target=%s %s", target[t], scores[s]);
            bench_init(&b, mp_pool_find("topk"), options, C, 7);
            mp_graph g = mp_rig_graph(&b.rig, GRAPHS, sizes, 0.5, 0);
            mp_pooling p = bench_run(&b, &g, mp_rig_mat(&b.rig, g.nodes, C));
            mp_ctx c = { .arena = b.step, .k = mp_kernels_get() };
            double sum = by_hand(&p, aim, t, s == 2);
            double loss = (double)mp_aim_loss(&b.conf, &c, &p, aim)->v[0];
            assert_true(fabs(loss - 2.5 / GRAPHS * sum) < 1e-4 * loss);
            mp_whole whole = { .graphs = 10 }; /* of whose graphs these are a shard */
            c.whole = &whole;
            assert_true(fabs((double)mp_aim_loss(&b.conf, &c, &p, aim)->v[0] - 0.25 * sum) < 1e-4 * loss);
            seen[t] = loss;
            bench_free(&b);
        }
    assert_true(fabs(seen[0] - seen[1]) > 0.01 * seen[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_is_the_weighted_mean_divergence_from_the_chosen_target),
    };
    return cmocka_run_group_tests_name("aim", tests, NULL, NULL);
}
