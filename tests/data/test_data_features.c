/* test_data_features.c - input features from degrees alone: columns up to a degree of 999, one normalised number beyond.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/features.h"

#include <math.h>

/* All pairs of n nodes, but for the first `without` pairs of 0 and 1, 2 and 3 ... */
static mp_raw complete(int n, int without, mp_arena *a)
{
    int *ptr = MP_NEW(a, int, 2), *row = MP_NEW(a, int, n + 1), *col = MP_NEW(a, int, (size_t)n *(size_t)n), edges = 0;
    for (int v = 0; v < n; v++) {
        for (int u = 0; u < n; u++)
            if (u != v && !(u / 2 == v / 2 && u / 2 < without)) col[edges++] = u;
        row[v + 1] = edges;
    }
    ptr[1] = n;
    return (mp_raw){
        .name = "T", .graphs = { .graphs = 1, .nodes = n, .edges = edges, .node_ptr = ptr, .row_ptr = row, .col = col }
    };
}

static mp_sparse features(const mp_raw *raw, mp_recipe *r, mp_arena *a)
{
    mp_sparse x;
    int unseen;
    WORKS(mp_recipe_fit(raw, r));
    WORKS(mp_features_apply(r, raw, a, &x, &unseen));
    assert_int_equal(unseen, 0);
    return x;
}

static void degrees_up_to_999_have_columns_of_their_own(void **state)
{
    mp_raw raw = complete(1000, 0, *state);
    mp_recipe r;
    mp_sparse x = features(&raw, &r, *state);
    assert_int_equal(r.degree, MP_DEGREE_ONE_HOT);
    assert_int_equal(x.cols, 1000);
    for (int v = 0; v < 1000; v++) assert_int_equal(x.col[x.ptr[v]], 999);
}

/* Every degree is 1000: no spread to divide by, and nothing but zeros. */
static void equal_degrees_are_zeros_and_divide_by_one(void **state)
{
    mp_raw raw = complete(1001, 0, *state);
    mp_recipe r;
    mp_sparse x = features(&raw, &r, *state);
    assert_int_equal(r.degree, MP_DEGREE_NORMALISED);
    assert_true(r.degree_mean == 1000 && r.degree_std == 1);
    assert_int_equal(x.cols, 1);
    assert_int_equal(x.ptr[1001], 0);
}

/* Two nodes of degree 999 among 1001: a deviation far below 1 is divided by as any other. */
static void a_small_deviation_is_divided_by(void **state)
{
    mp_raw raw = complete(1001, 1, *state);
    mp_recipe r;
    mp_sparse x = features(&raw, &r, *state);
    double mean = 1000 - 2.0 / 1001, std = sqrt((2 * pow(999 - mean, 2) + 999 * pow(1000 - mean, 2)) / 1000);
    assert_true(std < 0.1 && fabs(r.degree_std - std) < 1e-12);
    assert_true(fabs(r.degree_mean - mean) < 1e-9);
    for (int v = 0; v < 1001; v++)
        assert_true(fabs((double)x.val[x.ptr[v]] - ((v < 2 ? 999 : 1000) - mean) / std) < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(degrees_up_to_999_have_columns_of_their_own),
        CASE(equal_degrees_are_zeros_and_divide_by_one),
        CASE(a_small_deviation_is_divided_by),
    };
    return cmocka_run_group_tests_name("data_features", tests, NULL, NULL);
}
