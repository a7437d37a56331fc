/* test_kinds.c - rows that are equal are of one kind, and a matrix is its kinds picked by node.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define SEEDS 60

/* Rows of up to three entries in four columns, from few values, so that many are equal and many almost. */
static mp_sparse some_rows(mp_rig *r, int rows, bool values, bool dense)
{
    int *ptr = MP_NEW(r->memory, int, rows + 1), *col = MP_NEW(r->memory, int, 4 * rows + 1), n = 0;
    mp_real *val = MP_NEW(r->memory, mp_real, 4 * rows + 1);
    for (int v = 0; v < rows; v++) {
        for (int c = 0; c < 4; c++) {
            if (!dense && mp_rng_unit(&r->rng) < 0.5) continue;
            col[n] = c;
            val[n++] = (mp_real)mp_rng_below(&r->rng, 2);
        }
        ptr[v + 1] = n;
    }
    return (mp_sparse){
        .rows = rows, .cols = 4, .ptr = dense ? NULL : ptr, .col = dense ? NULL : col, .val = values ? val : NULL
    };
}

static bool same_row(const mp_sparse *x, int u, const mp_sparse *y, int v)
{
    if (!x->ptr) return memcmp(x->val + 4 * u, y->val + 4 * v, 4 * sizeof *x->val) == 0;
    int n = x->ptr[u + 1] - x->ptr[u];
    if (n != y->ptr[v + 1] - y->ptr[v]) return false;
    for (int i = 0; i < n; i++) {
        if (x->col[x->ptr[u] + i] != y->col[y->ptr[v] + i]) return false;
        if (x->val && x->val[x->ptr[u] + i] != y->val[y->ptr[v] + i]) return false;
    }
    return true;
}

typedef void with_rows(mp_rig *r, const mp_sparse *x);

static void for_many(with_rows *each)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        mp_rig r = mp_rig_new(seed);
        bool dense = seed % 3 == 0;
        mp_sparse x = some_rows(&r, seed == 1 ? 0 : mp_rng_below(&r.rng, 80), dense || seed % 2, dense);
        each(&r, &x);
        mp_rig_free(&r);
    }
}

static void kinds_of(mp_rig *r, const mp_sparse *x)
{
    mp_sparse known = *x;
    int met = 0;
    mp_sparse_know(r->memory, &known);
    for (int v = 0; v < x->rows; v++) {
        assert_in_range(known.kind[v], 0, met); /* new kinds are counted up */
        met += known.kind[v] == met;
        for (int u = 0; u < v; u++) assert_int_equal(known.kind[u] == known.kind[v], same_row(x, u, x, v));
    }
    assert_int_equal(known.kinds, met);
}

static void rows_are_of_one_kind_exactly_when_they_are_equal(void **state)
{
    (void)state;
    for_many(kinds_of);
}

static void distinct_rows(mp_rig *r, const mp_sparse *x)
{
    mp_sparse known = *x;
    int n = x->rows ? mp_rng_below(&r->rng, 60) : 0, *which = MP_NEW(r->memory, int, n + 1), met = 0;
    const int *of, *again;
    for (int i = 0; i < n; i++) which[i] = mp_rng_below(&r->rng, x->rows);
    mp_sparse rows = mp_sparse_distinct(r->memory, x, which, n, &of);
    for (int i = 0; i < n; i++) {
        assert_true(same_row(&rows, of[i], x, which[i]));
        assert_in_range(of[i], 0, met); /* in the order in which they are met */
        met += of[i] == met;
    }
    assert_int_equal(rows.rows, met);
    for (int u = 0; u < rows.rows; u++)
        for (int v = 0; v < u; v++) assert_false(same_row(&rows, u, &rows, v));
    mp_sparse_know(r->memory, &known); /* what is known before changes nothing */
    assert_int_equal(mp_sparse_distinct(r->memory, &known, which, n, &again).rows, rows.rows);
    assert_memory_equal(of, again, (size_t)n * sizeof *of);
    rows = mp_sparse_distinct(r->memory, &known, NULL, x->rows, &of);
    assert_int_equal(rows.rows, known.kinds);
    assert_memory_equal(of, known.kind, (size_t)x->rows * sizeof *of);
}

static void a_matrix_is_its_distinct_rows_picked_by_node(void **state)
{
    (void)state;
    for_many(distinct_rows);
}

static void a_batch_has_the_kinds_of_its_collection(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(5);
    static const int sizes[] = { 5, 1, 7 }, which[] = { 2, 0, 2 };
    mp_graph g = mp_rig_graph(&r, 3, sizes, 0.4, 0), batch;
    mp_sparse x = some_rows(&r, g.nodes, true, false), own;
    mp_sparse_know(r.memory, &x);
    mp_graph_gather(r.memory, &g, &x, which, 3, false, &batch, &own);
    for (int b = 0, v = 0; b < 3; b++)
        for (int u = g.node_ptr[which[b]]; u < g.node_ptr[which[b] + 1]; u++, v++)
            assert_int_equal(own.kind[v], x.kind[u]);
    assert_int_equal(own.kinds, x.kinds);
    mp_rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_of_one_kind_exactly_when_they_are_equal),
        cmocka_unit_test(a_matrix_is_its_distinct_rows_picked_by_node),
        cmocka_unit_test(a_batch_has_the_kinds_of_its_collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
