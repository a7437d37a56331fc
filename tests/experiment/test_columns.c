/* test_columns.c - correlation of score columns by hand, and against plain sums.
 * SPDX-License-Identifier: MIT */
#include "hand.h"
#include "experiment/columns.h"
#include "world.h"

/* Within the first graph columns rise together, within the second one rises as the other falls, as much: no correlation. Over all
 * nodes with one mean they would have -0.95. */
static void graphs_are_taken_without_their_means(void **state)
{
    (void)state;
    hand h;
    mp_alikes r;
    static const mp_real x[] = { 0, 20, 2, 22, /**/ 20, 2, 22, 0 };
    hand_init(&h, 2, (int[]){ 2, 2 }, 2, (const int[][2]){ { 0, 1 }, { 2, 3 } }, 2, 2, 0.5, x);
    assert_int_equal(mp_alikes_find(&h.s, h.rig.memory, &r), MP_OK);
    assert_int_equal(r.levels, 1);
    assert_int_equal(r.columns, 2);
    assert_true(hand_near(r.level[0].alike, 0) && hand_near(r.level[0].effective, 2));
    hand_free(&h);
}

/* The second column is twice the first, the third 7 less the first: three that say one thing. The fourth does not vary. */
static void columns_that_say_the_same_count_once(void **state)
{
    (void)state;
    hand h;
    mp_alikes r;
    static const mp_real x[] = { 0, 0, 7, 3, 1, 2, 6, 3, 4, 8, 3, 3 };
    hand_init(&h, 1, (int[]){ 3 }, 2, (const int[][2]){ { 0, 1 }, { 1, 2 } }, 4, 4, 0.5, x);
    assert_int_equal(mp_alikes_find(&h.s, h.rig.memory, &r), MP_OK);
    assert_true(hand_near(r.level[0].alike, 1) && hand_near(r.level[0].effective, 1));
    assert_true(hand_near(r.level[0].r[0 * 4 + 1], 1) && hand_near(r.level[0].r[0 * 4 + 2], -1));
    assert_true(isnan(r.level[0].r[0 * 4 + 3]) && isnan(r.level[0].r[3 * 4 + 3]));
    hand_free(&h);
    hand_init(&h, 1, (int[]){ 3 }, 2, (const int[][2]){ { 0, 1 }, { 1, 2 } }, 4, 1, 0.5, x);
    assert_int_equal(mp_alikes_find(&h.s, h.rig.memory, &r), MP_OK);
    assert_true(isnan(r.level[0].alike) && hand_near(r.level[0].effective, 1));
    hand_free(&h);
}

/* Columns i and j of one pass over all graphs at once, sums of one graph after the other. */
static double plain(const mp_pooling *p, int i, int j)
{
    int h = p->score->cols;
    double xy = 0, xx = 0, yy = 0;
    for (int b = 0; b < p->g->graphs; b++) {
        int first = p->g->node_ptr[b], n = p->g->node_ptr[b + 1] - first;
        double sx = 0, sy = 0, sxy = 0, sxx = 0, syy = 0;
        for (int v = first; v < first + n; v++) {
            double a = (double)p->score->v[v * h + i], c = (double)p->score->v[v * h + j];
            sx += a;
            sy += c;
            sxy += a * c;
            sxx += a * a;
            syy += c * c;
        }
        xy += sxy - sx * sy / n;
        xx += sxx - sx * sx / n;
        yy += syy - sy * sy / n;
    }
    return xy / sqrt(xx * yy);
}

static void every_level_agrees_with_plain_sums_on_any_number_of_threads(void **state)
{
    (void)state;
    world w;
    mp_alikes one, three;
    world_init(&w, "pool=sag hidden=6 score-dim=4 flip=true ratio=0.7", 12, 15, 2);
    mp_ctx c = { .arena = w.rig.memory, .k = mp_kernels_get() };
    mp_params_bind(w.params, &c, NULL);
    mp_trail trail;
    mp_model_forward(w.model, &c, &w.all, &w.x, NULL, &trail, NULL);
    mp_subject s = { w.model, &w.all, &w.x, w.order, 12, 1 };
    assert_int_equal(mp_alikes_find(&s, w.rig.memory, &one), MP_OK);
    s.threads = 3;
    assert_int_equal(mp_alikes_find(&s, w.rig.memory, &three), MP_OK);
    assert_int_equal(one.levels, 3);
    assert_int_equal(one.columns, 4);
    for (int l = 0; l < 3; l++) {
        double sum = 0, squares = 0;
        assert_memory_equal(one.level[l].r, three.level[l].r, 16 * sizeof(double));
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                double r = plain(trail.level[l], i, j);
                assert_true(fabs(one.level[l].r[i * 4 + j] - r) < 1e-4);
                sum += i < j ? fabs(r) : 0;
                squares += r * r;
            }
        assert_true(fabs(one.level[l].alike - sum / 6) < 1e-4 && fabs(one.level[l].effective - 16 / squares) < 1e-3);
        assert_true(one.level[l].alike > 0.02 && one.level[l].alike < 0.98);
    }
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_taken_without_their_means),
        cmocka_unit_test(columns_that_say_the_same_count_once),
        cmocka_unit_test(every_level_agrees_with_plain_sums_on_any_number_of_threads),
    };
    return cmocka_run_group_tests_name("score columns", tests, NULL, NULL);
}
