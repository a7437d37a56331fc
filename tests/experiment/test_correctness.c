/* test_correctness.c - score correctness: nodes left out one by one, and cuts and AUCs by hand.
 * SPDX-License-Identifier: MIT */
#include "experiment/correctness.h"
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Graph b without node `without` (-1: whole) as a collection of its own, built edge by edge. */
static void built(world *w, int b, int without, mp_graph *g, mp_sparse *x)
{
    mp_arena *a = w->rig.memory;
    int first = w->all.node_ptr[b], n = w->all.node_ptr[b + 1] - first, count = 0, kept = 0;
    int *now = MP_NEW(a, int, n), *ptr = MP_NEW(a, int, n + 1), *col = MP_NEW(a, int, n), *node_ptr = MP_NEW(a, int, 2);
    int *src = MP_NEW(a, int, w->all.edges), *dst = MP_NEW(a, int, w->all.edges);
    for (int v = 0; v < n; v++) {
        now[v] = v == without ? -1 : kept;
        if (now[v] < 0) continue;
        col[kept++] = w->x.col[first + v];
        ptr[kept] = kept;
    }
    for (int v = 0; v < n; v++)
        for (int e = w->all.row_ptr[first + v]; e < w->all.row_ptr[first + v + 1]; e++) {
            src[count] = now[w->all.col[e] - first];
            dst[count] = now[v];
            count += src[count] >= 0 && dst[count] >= 0;
        }
    node_ptr[1] = kept;
    assert_int_equal(mp_graph_from_edges(a, 1, node_ptr, count, src, dst, g, NULL), MP_OK);
    *x = (mp_sparse){ .rows = kept, .cols = FEATURES, .ptr = ptr, .col = col };
}

/* Log-softmax, by the engine; `y` reads off it what the analysis reads off its own pass. */
static double output(world *w, mp_engine *e, int b, int without, int class, mp_truth_output y)
{
    mp_graph g;
    mp_sparse x;
    mp_real told[3];
    built(w, b, without, &g, &x);
    mp_batch batch = { .all = &g, .x = &x, .which = (int[]){ 0 }, .n = 1 };
    if (mp_engine_predict(e, &batch, told) != MP_OK) fail_msg("%s", mp_message());
    if (class < 0) {
        class = 0;
        for (int c = 1; c < 3; c++) class = told[c] > told[class] ? c : class;
        return class;
    }
    return y == MP_TRUTH_SHOWN ? exp((double)told[class]) : (double)told[class];
}

static void left_out(const char *options, int most, mp_truth_output y)
{
    world w;
    mp_truths t;
    int seen = 0;
    world_init(&w, options, 7, most, 3);
    mp_engine *e = mp_engine_new(w.model, 1);
    train(&w, e, 0, 3, 7, 1);
    for (int i = 0; i < 7; i++) w.order[i] = 6 - i; /* places are not numbers */
    mp_subject s = { w.model, &w.all, &w.x, w.order, 7, 1 };
    assert_int_equal(mp_truths_find(&s, y, w.rig.memory, &t), MP_OK);
    assert_int_equal(t.n, 7);
    for (int i = 0; i < 7; i++) {
        int b = w.order[i], n = w.all.node_ptr[b + 1] - w.all.node_ptr[b];
        assert_int_equal(t.graph[i].nodes, n);
        double far[60], sum = 0;
        int class = (int)output(&w, e, b, -1, -1, y);
        for (int v = 0; v < n && n > 1; v++) {
            far[v] = fabs(output(&w, e, b, v, class, y) - output(&w, e, b, -1, class, y));
            sum += far[v];
        }
        assert_true(!t.graph[i].share == !(sum > 0));
        for (int v = 0; v < n && sum > 0; v++, seen++) assert_true(fabs(t.graph[i].share[v] - far[v] / sum) <= 1e-5);
    }
    assert_true(seen > 20);
    mp_engine_free(e);
    world_free(&w);
}

static void shares_are_those_of_nodes_left_out_one_by_one(void **state)
{
    (void)state;
    left_out("pool=sag hidden=6", 60, MP_TRUTH_TOLD); /* 61 copies are more than one pass takes */
    left_out("pool=sag hidden=6 score-dim=3 flip=true", 12, MP_TRUTH_SHOWN);
    left_out("pool=asap hidden=6", 12, MP_TRUTH_TOLD);
    left_out("pool=topk hidden=6 conv=sage", 12, MP_TRUTH_TOLD);
}

/* A logit more in all classes changes no probability: what logits say is not what their softmax says. */
static void logits_are_raw_outputs(void **state)
{
    (void)state;
    world w;
    mp_truths raw, told;
    world_init(&w, "pool=sag hidden=6", 3, 12, 2);
    mp_subject s = { w.model, &w.all, &w.x, w.order, 3, 1 };
    assert_int_equal(mp_truths_find(&s, MP_TRUTH_RAW, w.rig.memory, &raw), MP_OK);
    assert_int_equal(mp_truths_find(&s, MP_TRUTH_TOLD, w.rig.memory, &told), MP_OK);
    for (int b = 0; b < 3; b++) {
        int n = raw.graph[b].nodes, class = 0;
        double far[12], sum = 0, whole = 0;
        for (int v = -1; v < n && n > 1; v++) {
            mp_graph g;
            mp_sparse x;
            built(&w, b, v, &g, &x);
            mp_ctx c = { .arena = w.rig.memory, .k = mp_kernels_get() };
            mp_params_bind(w.params, &c, NULL);
            mp_mat *y = mp_model_forward(w.model, &c, &g, &x, NULL, NULL, NULL);
            if (v < 0) class = y->v[1] > y->v[0];
            if (v < 0) whole = (double)y->v[class];
            if (v < 0) continue;
            far[v] = fabs((double)y->v[class] - whole);
            sum += far[v];
        }
        for (int v = 0; v < n && n > 1; v++) assert_true(fabs(raw.graph[b].share[v] - far[v] / sum) <= 1e-5);
        for (int v = 0; v < n && n > 1; v++)
            if (fabs(raw.graph[b].share[v] - told.graph[b].share[v]) > 1e-4) class = -1;
        assert_true(n < 2 || class == -1);
    }
    world_free(&w);
}

static void keys_are_those_of_the_first_pooling(void **state)
{
    (void)state;
    world w;
    mp_truths t;
    world_init(&w, "pool=sag hidden=6 score-dim=3 flip=true drop=0.5", 5, 12, 2);
    mp_subject s = { w.model, &w.all, &w.x, w.order, 5, 1 };
    assert_int_equal(mp_truths_find(&s, MP_TRUTH_TOLD, w.rig.memory, &t), MP_OK);
    mp_ctx c = { .arena = w.rig.memory, .k = mp_kernels_get() };
    mp_params_bind(w.params, &c, NULL);
    mp_trail trail;
    mp_model_forward(w.model, &c, &w.all, &w.x, NULL, &trail, NULL);
    const mp_mat *score = trail.level[0]->score;
    for (int b = 0; b < 5; b++)
        for (int v = 0; v < t.graph[b].nodes; v++) {
            double sum = 0;
            for (int d = 0; d < 3; d++) sum += fabs((double)score->v[(w.all.node_ptr[b] + v) * 3 + d]);
            assert_true(fabs(t.graph[b].key[v] - sum) < 1e-5);
        }
    world_free(&w);
}

static void numbers_are_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    world w;
    mp_truths one, four;
    world_init(&w, "pool=sag hidden=6 score-dim=2", 6, 60, 2);
    mp_subject s = { w.model, &w.all, &w.x, w.order, 6, 1 };
    assert_int_equal(mp_truths_find(&s, MP_TRUTH_TOLD, w.rig.memory, &one), MP_OK);
    s.threads = 4;
    assert_int_equal(mp_truths_find(&s, MP_TRUTH_TOLD, w.rig.memory, &four), MP_OK);
    int most = 0;
    for (int i = 0; i < 6; i++) {
        size_t bytes = (size_t)one.graph[i].nodes * sizeof(double);
        most = one.graph[i].nodes > most ? one.graph[i].nodes : most;
        assert_memory_equal(one.graph[i].key, four.graph[i].key, bytes);
        if (one.graph[i].share) assert_memory_equal(one.graph[i].share, four.graph[i].share, bytes);
    }
    assert_true(most > 40);
    world_free(&w);
}

static void where_no_node_matters_there_is_no_truth(void **state)
{
    (void)state;
    world w;
    mp_truths t;
    world_init(&w, "pool=sag hidden=6", 3, 12, 2);
    memset(w.params->theta, 0, w.params->size * sizeof(mp_real));
    mp_subject s = { w.model, &w.all, &w.x, w.order, 3, 1 };
    assert_int_equal(mp_truths_find(&s, MP_TRUTH_TOLD, w.rig.memory, &t), MP_OK);
    for (int i = 0; i < 3; i++) assert_null(t.graph[i].share);
    assert_true(isnan(mp_truths_auc(&t, MP_CUT_MEAN, 0.5, MP_AUC_STANDARD, w.rig.memory)));
    assert_true(isnan(mp_truths_auc(&t, MP_CUT_MEAN, 0.5, MP_AUC_EACH, w.rig.memory)));
    world_free(&w);
}

/* Class 1 is a constant, as large as class 0 of the whole graph: of the two the first is looked at, which is the one that moves. */
static void of_equal_outputs_the_first_is_looked_at(void **state)
{
    (void)state;
    world w;
    mp_truths before, after;
    world_init(&w, "pool=sag hidden=6", 1, 12, 2);
    const mp_param *bias = &w.params->list[w.params->count - 1], *weight = bias - 1;
    assert_true(weight->cols == 2 && bias->rows * bias->cols == 2);
    mp_real *from = w.params->theta + weight->offset, *own = w.params->theta + bias->offset;
    for (int i = 0; i < weight->rows; i++) from[2 * i + 1] = 0;
    mp_ctx c = { .arena = w.rig.memory, .k = mp_kernels_get() };
    mp_params_bind(w.params, &c, NULL);
    const mp_mat *y = mp_model_forward(w.model, &c, &w.all, &w.x, NULL, NULL, NULL);
    mp_subject s = { w.model, &w.all, &w.x, w.order, 1, 1 };
    own[1] = y->v[0] - 1;
    assert_int_equal(mp_truths_find(&s, MP_TRUTH_RAW, w.rig.memory, &before), MP_OK);
    own[1] = y->v[0];
    assert_int_equal(mp_truths_find(&s, MP_TRUTH_RAW, w.rig.memory, &after), MP_OK);
    assert_non_null(before.graph[0].share);
    assert_non_null(after.graph[0].share);
    size_t bytes = (size_t)before.graph[0].nodes * sizeof(double);
    assert_memory_equal(before.graph[0].share, after.graph[0].share, bytes);
    world_free(&w);
}

static void models_of_nodes_are_refused(void **state)
{
    (void)state;
    world w;
    mp_truths t;
    world_init(&w, "pool=sag arch=autoencoder hidden=6", 3, 12, 2);
    mp_subject s = { w.model, &w.all, &w.x, w.order, 3, 1 };
    assert_int_equal(mp_truths_find(&s, MP_TRUTH_TOLD, w.rig.memory, &t), MP_ERR_USAGE);
    assert_string_equal(
        mp_message(),
        "score correctness: task node-labels has answers for nodes, and here there is one answer a graph");
    world_free(&w);
}

/* Two graphs, and one that does not count:
 *     keys 1 2 3 with shares .1 .2 .7;  keys 10 20 30 40 with shares .4 .3 .2 .1 */
static void cuts_and_aucs_by_hand(void **state)
{
    (void)state;
    static const double key_a[] = { 1, 2, 3 }, share_a[] = { 0.1, 0.2, 0.7 };
    static const double key_b[] = { 10, 20, 30, 40 }, share_b[] = { 0.4, 0.3, 0.2, 0.1 }, zero_b[] = { 0.7, 0.3, 0, 0 };
    static const double tied_b[] = { 0.25, 0.25, 0.25, 0.25 };
    mp_truth graph[] = { { 3, key_a, share_a }, { 2, key_b, NULL }, { 4, key_b, share_b } };
    mp_truths t = { 3, graph };
    mp_arena *a = mp_arena_new(1 << 14);
#define IS(cut, pooled, want) assert_true(fabs(mp_truths_auc(&t, cut, 0.5, pooled, a) - (want)) < 1e-12)
    IS(MP_CUT_MEAN, MP_AUC_RAW, 6.0 / 12);      /* yes 3 10 20, no 1 2 30 40 */
    IS(MP_CUT_MEAN, MP_AUC_STANDARD, 4.0 / 12); /* yes 1.22 -1.34 -.45, no -1.22 0 .45 1.34 */
    IS(MP_CUT_MEAN, MP_AUC_EACH, (1.0 + 0) / 2);
    IS(MP_CUT_MEDIAN, MP_AUC_RAW, 6.0 / 12);
    IS(MP_CUT_TOPK, MP_AUC_RAW, 4.0 / 12); /* yes 2 3 10 20, no 1 30 40 */
    IS(MP_CUT_TOPK, MP_AUC_EACH, (1.0 + 0) / 2);
    assert_true(isnan(mp_truths_auc(&t, MP_CUT_POSITIVE, 0.5, MP_AUC_RAW, a))); /* every node is a yes */
    graph[2].share = zero_b;
    IS(MP_CUT_POSITIVE, MP_AUC_RAW, 0);  /* yes 1 2 3 10 20, no 30 40 */
    IS(MP_CUT_POSITIVE, MP_AUC_EACH, 0); /* the first graph has no no */
    graph[2].share = tied_b;
    IS(MP_CUT_TOPK, MP_AUC_EACH, (1.0 + 0) / 2); /* of equal ones the lower numbers */
    IS(MP_CUT_MEDIAN, MP_AUC_EACH, 1);           /* none is above the median */
#undef IS
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_nodes_left_out_one_by_one),
        cmocka_unit_test(logits_are_raw_outputs),
        cmocka_unit_test(keys_are_those_of_the_first_pooling),
        cmocka_unit_test(numbers_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(where_no_node_matters_there_is_no_truth),
        cmocka_unit_test(of_equal_outputs_the_first_is_looked_at),
        cmocka_unit_test(models_of_nodes_are_refused),
        cmocka_unit_test(cuts_and_aucs_by_hand),
    };
    return cmocka_run_group_tests_name("score correctness", tests, NULL, NULL);
}
