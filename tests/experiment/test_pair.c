/* test_pair.c - the ring of six and the two triangles of the case studies.
 * SPDX-License-Identifier: MIT */
#include "experiment/pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void the_pair_has_equal_scores_and_readouts(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_pair p;
    mp_pair_gap gap;
    assert_int_equal(mp_pair_make(a, &p), MP_OK);
    for (int i = 0; i < MP_PAIR; i++) assert_int_equal(mp_graph_check(&p.g[i]), MP_OK);
    assert_int_equal(mp_graph_edge(&p.g[0], 0, 2), -1);
    assert_true(mp_graph_edge(&p.g[1], 0, 2) >= 0);
    assert_int_equal(mp_pair_compare(&p, a, &gap), MP_OK);
    assert_true(gap.score == 0 && gap.readout == 0);
    mp_arena_free(a);
}

/* With other features on one node the same function finds differences. */
static void other_features_are_seen(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_pair p;
    mp_pair_gap gap;
    static const mp_real other[MP_PAIR_NODES] = { 1, 1, 4, 1, 1, 1 };
    assert_int_equal(mp_pair_make(a, &p), MP_OK);
    p.x.val = other;
    assert_int_equal(mp_pair_compare(&p, a, &gap), MP_OK);
    assert_true(gap.score > 1e-3);
    p.g[1] = p.g[0];
    mp_pair_gap same;
    assert_int_equal(mp_pair_compare(&p, a, &same), MP_OK);
    assert_true(same.score > 1e-3 && same.readout == 0); /* one graph twice: nodes differ, readouts do not */
    assert_true(gap.readout > 0);
    mp_arena_free(a);
}

static void draws_keep_other_nodes(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_pair p;
    unsigned kept = 0, off = 0;
    assert_int_equal(mp_pair_make(a, &p), MP_OK);
    for (int draw = 0; draw <= 20; draw++) {
        mp_trail_of_graph t;
        assert_int_equal(mp_trail_run(p.model, &p.g[1], &p.x, draw, a, &t), MP_OK);
        for (int i = 0; i < t.level[0].keep; i++) *(draw ? &kept : &off) |= 1u << t.level[0].order[i];
    }
    assert_int_equal(off, 7); /* nodes 0 1 2 */
    assert_int_equal(kept, 63);
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pair_has_equal_scores_and_readouts),
        cmocka_unit_test(other_features_are_seen),
        cmocka_unit_test(draws_keep_other_nodes),
    };
    return cmocka_run_group_tests_name("a pair that scores do not tell apart", tests, NULL, NULL);
}
