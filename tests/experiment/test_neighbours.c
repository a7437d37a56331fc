/* test_neighbours.c - kept neighbours by hand, and what chance gives against all choices of as many nodes.
 * SPDX-License-Identifier: MIT */
#include "hand.h"
#include "experiment/neighbours.h"
#include "world.h"

/* A path of four whose middle is kept, one whose ends are, and a graph without edges, which does not count.
 * Chance: 1 of 6 pairs; each end has one neighbour of three, each node between two of three. */
static void paths_by_hand(void **state)
{
    (void)state;
    hand h;
    mp_neighbours r;
    static const mp_real x[] = { 1, 5, 6, 2, /**/ 5, 1, 2, 6, /**/ 3, 3 };
    static const int edge[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 4, 5 }, { 5, 6 }, { 6, 7 } };
    hand_init(&h, 3, (int[]){ 4, 4, 2 }, 6, edge, 1, 1, 0.5, x);
    assert_int_equal(mp_neighbours_find(&h.s, 0, h.rig.memory, &r), MP_OK);
    assert_int_equal(r.levels, 1);
    assert_int_equal(r.level[0].counted, 2);
    assert_true(hand_near(r.level[0].edges, (1.0 / 3 + 0) / 2) && hand_near(r.level[0].nodes, (1.0 + 0) / 2));
    assert_true(hand_near(r.level[0].edges_chance, 1.0 / 6) && hand_near(r.level[0].nodes_chance, 0.5));
    hand_free(&h);
}

/* Mean over all choices of k of the n nodes. */
static void all_choices(const mp_graph *g, int k, double *edges, double *nodes)
{
    int choices = 0;
    *edges = *nodes = 0;
    for (int set = 0; set < 1 << g->nodes; set++) {
        int joined = 0, near = 0;
        if (__builtin_popcount((unsigned)set) != k) continue;
        for (int v = 0; v < g->nodes; v++) {
            bool with = false;
            for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
                bool both = (set >> v & 1) && (set >> g->col[e] & 1);
                joined += both;
                with |= both;
            }
            near += with;
        }
        *edges += (double)joined / g->edges;
        *nodes += (double)near / k;
        choices++;
    }
    *edges /= choices;
    *nodes /= choices;
}

static void chance_is_the_mean_over_all_choices(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        char options[100];
        snprintf(options, sizeof options, "pool=sag hidden=4 layers=1 ratio=%d.%d", i == 11, i == 11 ? 0 : i % 9 + 1);
        world w;
        mp_neighbours r;
        world_init(&w, options, 1, 1, 2);
        int n = 2 + i % 7;
        mp_graph g = mp_rig_graph(&w.rig, 1, &n, 0.45, 0);
        if (g.edges == 0) g = mp_rig_graph(&w.rig, 1, &n, 1, 0);
        int *ptr = MP_NEW(w.rig.memory, int, n + 1), *col = MP_NEW(w.rig.memory, int, n);
        for (int v = 0; v <= n; v++) ptr[v] = v;
        mp_sparse x = { .rows = n, .cols = FEATURES, .ptr = ptr, .col = col };
        mp_subject s = { w.model, &g, &x, w.order, 1, 1 };
        assert_int_equal(mp_neighbours_find(&s, 0, w.rig.memory, &r), MP_OK);
        double edges, nodes;
        all_choices(&g, mp_kept_count(w.conf.ratio, n), &edges, &nodes);
        assert_int_equal(r.level[0].counted, 1);
        assert_true(hand_near(r.level[0].edges_chance, edges) && hand_near(r.level[0].nodes_chance, nodes));
        world_free(&w);
    }
}

static void find(world *w, int threads, int draws, mp_neighbours *r)
{
    mp_subject s = { w->model, &w->all, &w->x, w->order, w->all.graphs, threads };
    assert_int_equal(mp_neighbours_find(&s, draws, w->rig.memory, r), MP_OK);
}

static void draws_are_those_of_dropscore_on_any_number_of_threads(void **state)
{
    (void)state;
    world w;
    mp_neighbours off, on, again, more;
    world_init(&w, "pool=sag hidden=6 score-dim=2 flip=true drop=0.4", 15, 18, 2);
    find(&w, 1, 0, &off);
    find(&w, 1, 4, &on);
    find(&w, 3, 4, &again);
    find(&w, 1, 5, &more);
    assert_memory_equal(&on, &again, sizeof on);
    assert_int_equal(on.levels, 3);
    assert_int_equal(on.level[0].counted, 4 * off.level[0].counted);
    assert_true(on.level[0].edges != off.level[0].edges && on.level[0].edges != more.level[0].edges);
    assert_true(hand_near(on.level[0].edges_chance, off.level[0].edges_chance)); /* as many nodes are kept */
    world_free(&w);
    world_init(&w, "pool=sag hidden=6 score-dim=2 flip=true", 15, 18, 2);
    find(&w, 1, 0, &off);
    find(&w, 1, 4, &on);
    assert_true(hand_near(on.level[0].edges, off.level[0].edges)); /* without it draws are all the same */
    assert_true(hand_near(on.level[2].nodes, off.level[2].nodes));
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_by_hand),
        cmocka_unit_test(chance_is_the_mean_over_all_choices),
        cmocka_unit_test(draws_are_those_of_dropscore_on_any_number_of_threads),
    };
    return cmocka_run_group_tests_name("kept neighbours", tests, NULL, NULL);
}
