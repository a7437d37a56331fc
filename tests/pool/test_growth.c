/* test_growth.c - no operator builds an n x n matrix: ten times the nodes of a sparse random graph (m = 2n)
 * need about ten times the memory, forward and backward. The bound is checked against everything that was
 * held at once, scratch included: the larger run gets an arena of that size and must not ask for more.
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

#include "pool/pool.h"
#include "sanitized.h"

#define FEW      2000
#define MANY     20000
#define CHANNELS 8
#define MUCH     ((size_t)64 << 20) /* bytes that are enough for FEW */

/* m distinct pairs: a random partner for each node, twice, repeats left out. */
static mp_graph random_graph(mp_arena *a, int n)
{
    mp_rng r = mp_rng_stream(3, MP_FOR_TEST, (uint64_t)n, 0, 0);
    int *src = MP_NEW(a, int, 4 * n), *dst = MP_NEW(a, int, 4 * n), *node_ptr = MP_NEW(a, int, 2), m = 0;
    for (int v = 0; v < n; v++) {
        int first = -1;
        for (int i = 0; i < 2; i++) {
            int u = mp_rng_below(&r, n);
            bool again = u == v || u == first;
            for (int e = 0; !again && u < v && e < 4; e += 2) again = src[4 * u + e] == u && dst[4 * u + e] == v;
            first = u;
            int e = 4 * v + 2 * i; /* the two directions lie side by side; a pair left out is marked */
            src[e] = dst[e + 1] = again ? -1 : v;
            dst[e] = src[e + 1] = again ? -1 : u;
        }
    }
    for (int e = 0; e < 4 * n; e++) {
        if (src[e] < 0) continue;
        src[m] = src[e];
        dst[m++] = dst[e];
    }
    node_ptr[1] = n;
    mp_graph g;
    assert_int_equal(mp_graph_from_edges(a, 1, node_ptr, m, src, dst, &g, NULL), MP_OK);
    return g;
}

static mp_mat features(mp_arena *a, int n)
{
    mp_rng r = mp_rng_stream(4, MP_FOR_TEST, (uint64_t)n, 0, 0);
    mp_mat x = {
        .rows = n, .cols = CHANNELS, .v = MP_NEW(a, mp_real, n * CHANNELS), .g = MP_NEW(a, mp_real, n * CHANNELS)
    };
    for (int i = 0; i < n * CHANNELS; i++) x.v[i] = (mp_real)mp_rng_between(&r, -1, 1);
    return x;
}

/* One pooling there and back: whether that many bytes are enough. */
static bool fits(const mp_pool_op *op, const mp_config *conf, int n, size_t bytes)
{
    mp_arena *a = mp_arena_new(1 << 20), *step = mp_arena_new(bytes);
    mp_graph g = random_graph(a, n);
    mp_mat x = features(a, n);
    mp_params params = { .arena = a };
    mp_pool *pool = mp_pool_new(a, op, conf, &params, "pool", CHANNELS);
    mp_params_alloc(&params);
    mp_params_init(&params, 1, 0);
    mp_ctx c = { .arena = step, .k = mp_kernels_get(), .record = true, .training = true };
    mp_params_bind(&params, &c, MP_NEW(a, mp_real, params.size));
    mp_pooling p = { .g = &g, .x = &x };
    size_t before = mp_arena_total();
    mp_arena_peak_reset();
    mp_pool_run(pool, &c, &p);
    assert_int_equal(p.keep_ptr[1], (n + 1) / 2);
    mp_grad_zeroed(&c, p.out_x)[0] = 1;
    if (p.out_g->w && p.out_g->w->g && p.out_g->edges) mp_grad_zeroed(&c, p.out_g->w)[0] = 1;
    if (p.loss) mp_grad_zeroed(&c, p.loss)[0] = 1;
    mp_tape_back(&c);
    bool enough = mp_arena_peak() == before;
    mp_arena_free(step);
    mp_arena_free(a);
    return enough;
}

/* The smallest size that is enough, to a thirtieth. */
static size_t need(const mp_pool_op *op, const mp_config *conf, int n)
{
    size_t little = 1 << 16, much = MUCH;
    assert_true(fits(op, conf, n, much));
    while (much > little + little / 30) {
        size_t middle = (size_t)sqrt((double)little * (double)much);
        if (fits(op, conf, n, middle))
            much = middle;
        else
            little = middle;
    }
    return much;
}

static void grows(const char *options, const char *name, double factor)
{
    mp_config conf;
    mp_config_init(&conf);
    char text[128], *rest = text;
    snprintf(text, sizeof text, "%s", options);
    for (char *one; (one = strsep(&rest, " "));) {
        char *value = strchr(one, '=');
        if (!value) continue;
        *value++ = '\0';
        assert_int_equal(mp_conf_set(mp_config_table, &conf, one, value, one), MP_OK);
    }
    const mp_pool_op *op = mp_pool_find(name);
    if (SANITIZED) { /* which watches the code, once through it; bytes are counted without */
        assert_true(fits(op, &conf, FEW, MUCH));
        return;
    }
    size_t few = need(op, &conf, FEW);
    if (getenv("MIDPOOL_TEST_VERBOSE"))
        print_message("             %s %s: %zu bytes a node\n", name, options, few / FEW);
    if (!fits(op, &conf, MANY, (size_t)(factor * (double)few)))
        fail_msg("%s %s: %d nodes need more than %g times the %zu bytes of %d", name, options, MANY, factor, few, FEW);
}

/* RepPool joins kept nodes up to five hops apart, and five hops reach a third of 2,000 nodes: the list is
 * still growing. */
static double factor_of(const char *name)
{
    return strcmp(name, "rep") == 0 ? 16 : 13;
}

static void memory_grows_with_the_nodes(void **state)
{
    (void)state;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) grows("", op->name, factor_of(op->name));
}

static void so_it_does_with_mid(void **state)
{
    (void)state;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++)
        grows("score-dim=3 flip=true drop=0.2", op->name, factor_of(op->name));
}

static void options_do_not_change_that(void **state)
{
    static const char *const rows[][2] = {
        { "topk", "adj-power=2" },
        { "att", "attention=local dnorm=true" },
        { "att", "assign=raw" },
        { "hgpsl", "candidates=sampled hops=2" },
        { "vip", "hops=3" },
        { "vip", "vip-adj=induced" },
        { "rep", "rep-score=original" },
        { "ug", "square=after" },
        { "cgi", "variant=authors" },
        { "tap", "connectivity=true" },
        { "ipool", "pick=local hops=3" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) grows(rows[i][1], rows[i][0], factor_of(rows[i][0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_with_the_nodes),
        cmocka_unit_test(so_it_does_with_mid),
        cmocka_unit_test(options_do_not_change_that),
    };
    return cmocka_run_group_tests_name("memory on a growing graph", tests, NULL, NULL);
}
