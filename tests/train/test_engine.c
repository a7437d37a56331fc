/* test_engine.c - training: the same bits whatever the threads and instruction sets, every graph once, divergence is an
 * error, nothing is allocated in the long run.
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

/* The weights after training, in memory of the caller. */
static mp_real *weights_after(const char *options, int graphs, int outputs, int threads, uint64_t seed, size_t *n)
{
    world w;
    world_init(&w, options, graphs, 30, outputs);
    mp_engine *e = mp_engine_new(w.model, threads);
    train(&w, e, 0, 2, graphs * 2 / 3, seed);
    mp_engine_free(e);
    *n = w.params->size;
    mp_real *copy = malloc(*n * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, w.params->theta, *n * sizeof *copy);
    world_free(&w);
    return copy;
}

static bool same_weights(const char *options, int graphs, int outputs, int threads, uint64_t seed, const mp_real *want)
{
    size_t n;
    mp_real *got = weights_after(options, graphs, outputs, threads, seed, &n);
    bool same = memcmp(got, want, n * sizeof *got) == 0;
    free(got);
    return same;
}

static const char *const nets[] = {
    "pool=%s hidden=8 layers=2",
    "pool=%s hidden=8 layers=2 score-dim=3 flip=true drop=0.2",
    "pool=%s hidden=6 arch=colors score-dim=2 flip=true drop=0.1",
};

/* Shards hold some 640 nodes: 90 graphs of 15 are two, 200 are five. */
static void weights_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        for (int i = 0; i < 3; i++) {
            char options[128];
            size_t n;
            int outputs = i == 2 ? 1 : 2, graphs = i == 1 ? 200 : 90;
            snprintf(options, sizeof options, nets[i], op->name);
            mp_real *one = weights_after(options, graphs, outputs, 1, 7, &n);
            for (size_t k = 0; k < n; k++) assert_true(isfinite(one[k]));
            for (int threads = 2; threads <= 5; threads += 3)
                if (!same_weights(options, graphs, outputs, threads, 7, one))
                    fail_msg("%s: %d threads", options, threads);
            assert_true(same_weights(options, graphs, outputs, 1, 7, one));
            assert_false(same_weights(options, graphs, outputs, 1, 8, one));
            free(one);
        }
    }
}

static void weights_do_not_depend_on_the_instruction_set(void **state)
{
    (void)state;
    static const char *const sets[] = { "v3", "v4" };
    const char *usual = getenv("MIDPOOL_ISA");
    char *before = usual ? strdup(usual) : NULL;
    int compared = 0;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        for (int i = 0; i < 3; i++) {
            char options[128];
            size_t n;
            int outputs = i == 2 ? 1 : 2;
            snprintf(options, sizeof options, nets[i], op->name);
            setenv("MIDPOOL_ISA", "base", 1);
            mp_real *base = weights_after(options, 50, outputs, 2, 7, &n);
            for (int s = 0; s < 2; s++) {
                if (!mp_kernels_named(sets[s])) continue;
                setenv("MIDPOOL_ISA", sets[s], 1);
                if (!same_weights(options, 50, outputs, 2, 7, base))
                    fail_msg("%s: %s differs from base", options, sets[s]);
                compared++;
            }
            free(base);
        }
    }
    if (before)
        setenv("MIDPOOL_ISA", before, 1);
    else
        unsetenv("MIDPOOL_ISA");
    free(before);
    if (!compared) {
        print_message("this machine has only the base set: nothing to compare\n");
        skip();
    }
}

/* ---- batches and shards */

static void every_graph_is_in_one_shard(void **state)
{
    (void)state;
    static const int counts[] = { 1, 2, 40, 200 };
    for (int i = 0; i < 4; i++) {
        world w;
        world_init(&w, "pool=sag hidden=8 layers=2 dropout=0", counts[i], 30, 2);
        mp_engine *e = mp_engine_new(w.model, 3);
        int n = counts[i];
        mp_real *all = MP_NEW(w.rig.memory, mp_real, 2 * n), one[2];
        mp_batch b = batch_of(&w, 0, n);
        assert_int_equal(mp_engine_predict(e, &b, all), MP_OK);
        double sum = 0, loss, aux;
        for (int k = 0; k < n; k++) { /* alone, each gives the same bits: the rest of a batch does not matter */
            mp_batch single = batch_of(&w, k, 1);
            assert_int_equal(mp_engine_predict(e, &single, one), MP_OK);
            assert_memory_equal(one, all + 2 * k, sizeof one);
            sum += mp_engine_loss(e, &single, one);
        }
        assert_true(fabs(mp_engine_loss(e, &b, all) - sum) < 1e-5 * n);
        assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 0, 0 }, &loss, &aux),
                         MP_OK); /* the loss before the step */
        assert_true(fabs(loss - sum / n) < 1e-5);
        mp_engine_free(e);
        world_free(&w);
    }
}

static void trying_a_batch_leaves_training_alone(void **state)
{
    (void)state;
    static const char options[] = "pool=sag hidden=64 layers=2 score-dim=3 flip=true drop=0.2";
    size_t n;
    mp_real *want = weights_after(options, 90, 2, 1, 7, &n);
    world w;
    world_init(&w, options, 90, 30, 2);
    mp_engine *e = mp_engine_new(w.model, 1);
    mp_batch all = batch_of(&w, 0, 90), largest;
    int shards = mp_engine_cut(e, &all, &largest);
    assert_true(shards > 1 && largest.n > 0 && largest.n < 90);
    assert_true(mp_batch_size(&largest) * shards >= mp_batch_size(&all));
    size_t some, more;
    assert_int_equal(mp_engine_try(e, &largest, false, &some), MP_OK);
    assert_int_equal(mp_engine_try(e, &all, false, &more), MP_OK);
    assert_true(some > 0 && more > some);
    train(&w, e, 0, 2, 60, 7);
    assert_memory_equal(w.params->theta, want, n * sizeof *want);
    mp_engine_free(e);
    world_free(&w);
    free(want);
}

static void graphs_without_nodes_do_no_harm(void **state)
{
    (void)state;
    world w;
    world_init(&w, "pool=sag hidden=8 layers=2", 10, 12, 2);
    static const int node_ptrs[][4] = { { 0, 5, 5, 5 }, { 0, 0, 0, 5 }, { 0, 0, 5, 5 }, { 0, 0, 0, 0 } };
    for (int i = 0; i < 4; i++) {
        mp_graph g;
        mp_err err = mp_graph_from_edges(w.rig.memory, 3, node_ptrs[i], 0, NULL, NULL, &g, NULL);
        assert_int_equal(err, MP_OK);
        w.all = g;
        w.x.rows = g.nodes;
        mp_engine *e = mp_engine_new(w.model, 2);
        mp_real out[6];
        double loss, aux;
        for (int n = 1; n <= 3; n++) {
            mp_batch b = batch_of(&w, 0, n);
            assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 0, 0 }, &loss, &aux), MP_OK);
            assert_int_equal(mp_engine_predict(e, &b, out), MP_OK);
        }
        mp_engine_free(e);
    }
    world_free(&w);
}

static void a_small_set_is_learned_by_heart(void **state)
{
    (void)state;
    static const char *const names[] = { "topk", "sag", "gsa", "asap" };
    for (int i = 0; i < 4; i++) {
        char options[128];
        world w;
        snprintf(options, sizeof options, "pool=%s hidden=16 layers=2 lr=0.01 dropout=0 score-dim=2 flip=true",
                 names[i]);
        world_init(&w, options, 12, 12, 2);
        mp_engine *e = mp_engine_new(w.model, 1);
        double first = train(&w, e, 0, 1, 12, 1), last = train(&w, e, 1, 150, 12, 1);
        if (!(last < 0.05 && last < first / 10))
            fail_msg("%s: the loss went from %g to %g only", names[i], first, last);
        mp_engine_free(e);
        world_free(&w);
    }
}

static void a_saved_state_continues_bit_for_bit(void **state)
{
    (void)state;
    world w, v;
    const char *options = "pool=sag hidden=8 layers=2 score-dim=3 flip=true drop=0.2";
    world_init(&w, options, 60, 30, 2);
    world_init(&v, options, 60, 30, 2);
    mp_engine *e = mp_engine_new(w.model, 2), *f = mp_engine_new(v.model, 1);
    train(&w, e, 0, 2, 25, 3);
    void *saved = malloc(mp_engine_state_size(e));
    assert_non_null(saved);
    assert_int_equal(mp_engine_state_get(e, saved), MP_OK);
    memcpy(v.params->theta, w.params->theta, w.params->size * sizeof *w.params->theta);
    assert_int_equal(mp_engine_state_set(f, saved), MP_OK);
    train(&w, e, 2, 4, 25, 3);
    train(&v, f, 2, 4, 25, 3);
    assert_memory_equal(w.params->theta, v.params->theta, w.params->size * sizeof *w.params->theta);
    free(saved);
    mp_engine_free(e);
    mp_engine_free(f);
    world_free(&w);
    world_free(&v);
}

/* ---- what can go wrong */

/* Trains up to three steps; the first error, or MP_OK. */
static mp_err three_steps(mp_engine *e, const mp_batch *b)
{
    double loss, aux;
    mp_err err = MP_OK;
    for (uint64_t step = 0; err == MP_OK && step < 3; step++)
        err = mp_engine_train(e, b, (mp_draw){ 1, 0, 0, step }, &loss, &aux);
    return err;
}

static void nan_is_an_error_and_moves_no_weight(void **state)
{
    (void)state;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        char options[128];
        world w;
        snprintf(options, sizeof options, "pool=%s hidden=8 layers=2", op->name);
        world_init(&w, options, 30, 12, 2);
        mp_real *before = MP_NEW(w.rig.memory, mp_real, w.params->size), out[60];
        memcpy(before, w.params->theta, w.params->size * sizeof *before);
        w.value[w.all.nodes / 2] = NAN;
        mp_engine *e = mp_engine_new(w.model, 2);
        mp_batch b = batch_of(&w, 0, 30);
        if (three_steps(e, &b) != MP_ERR_DIVERGED) fail_msg("%s: training went on", op->name);
        assert_true(strlen(mp_message()) > 0);
        assert_memory_equal(before, w.params->theta, w.params->size * sizeof *before);
        if (mp_engine_predict(e, &b, out) != MP_ERR_DIVERGED) fail_msg("%s: it was predicted from", op->name);
        mp_engine_free(e);
        world_free(&w);
    }
}

/* A node with an infinite feature may be dropped and forgotten; what must not happen is weights that are not finite. */
static void infinity_is_an_error_or_forgotten(void **state)
{
    (void)state;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        char options[128];
        world w;
        snprintf(options, sizeof options, "pool=%s hidden=8 layers=2", op->name);
        world_init(&w, options, 30, 12, 2);
        w.value[w.all.nodes / 2] = INFINITY;
        mp_engine *e = mp_engine_new(w.model, 2);
        mp_batch b = batch_of(&w, 0, 30);
        if (three_steps(e, &b) == MP_OK)
            for (size_t i = 0; i < w.params->size; i++)
                if (!isfinite(w.params->theta[i])) fail_msg("%s: weights are not finite and nobody said so", op->name);
        mp_engine_free(e);
        world_free(&w);
    }
}

static void weights_that_are_not_finite_are_noticed(void **state)
{
    (void)state;
    world w;
    world_init(&w, "pool=sag hidden=8 layers=2", 10, 12, 2);
    mp_engine *e = mp_engine_new(w.model, 1);
    w.params->theta[w.params->list[w.params->count - 1].offset] = NAN; /* the last bias: no score sees it */
    mp_batch b = batch_of(&w, 0, 10);
    mp_real out[20];
    double loss, aux;
    assert_int_equal(mp_engine_predict(e, &b, out), MP_ERR_DIVERGED);
    assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 0, 0 }, &loss, &aux), MP_ERR_DIVERGED);
    mp_engine_free(e);
    world_free(&w);
}

static void the_long_run_allocates_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "sag", "asap" };
    for (int i = 0; i < 2; i++) {
        char options[128];
        world w;
        snprintf(options, sizeof options, "pool=%s hidden=8 layers=2 score-dim=3", names[i]);
        world_init(&w, options, 150, 20, 2);
        mp_engine *e = mp_engine_new(w.model, 1);
        mp_real *out = MP_NEW(w.rig.memory, mp_real, 300);
        mp_batch all = batch_of(&w, 0, 150);
        /* Epochs 0 and 1 again and again, so that no later mini-batch is larger than those of the warm-up. */
        for (int epoch = 0; epoch < 2; epoch++) train(&w, e, epoch, epoch + 1, 64, 1);
        assert_int_equal(mp_engine_predict(e, &all, out), MP_OK);
        train(&w, e, 0, 1, 64, 1);
        size_t before = mp_arena_total();
        mp_arena_peak_reset();
        for (int round = 0; round < 4; round++) {
            for (int epoch = 0; epoch < 2; epoch++) train(&w, e, epoch, epoch + 1, 64, 1);
            assert_int_equal(mp_engine_predict(e, &all, out), MP_OK);
        }
        assert_int_equal(mp_arena_total(), before);
        assert_int_equal(mp_arena_peak(), before);
        mp_engine_free(e);
        world_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_do_not_depend_on_the_threads),
        cmocka_unit_test(weights_do_not_depend_on_the_instruction_set),
        cmocka_unit_test(every_graph_is_in_one_shard),
        cmocka_unit_test(trying_a_batch_leaves_training_alone),
        cmocka_unit_test(graphs_without_nodes_do_no_harm),
        cmocka_unit_test(a_small_set_is_learned_by_heart),
        cmocka_unit_test(a_saved_state_continues_bit_for_bit),
        cmocka_unit_test(nan_is_an_error_and_moves_no_weight),
        cmocka_unit_test(infinity_is_an_error_or_forgotten),
        cmocka_unit_test(weights_that_are_not_finite_are_noticed),
        cmocka_unit_test(the_long_run_allocates_nothing),
    };
    return cmocka_run_group_tests_name("training", tests, NULL, NULL);
}
