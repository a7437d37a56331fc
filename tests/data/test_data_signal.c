/* test_data_signal.c - graphs with coordinates are those of their formulas.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/gather.h"
#include "data/load.h"
#include "data/signal.h"
#include "data/split.h"

#include <math.h>

static mp_raw make(const char *set, mp_signal_options o, mp_arena *a)
{
    mp_raw raw;
    WORKS(mp_signal_make(mp_signal_of_set(set), &o, a, &raw));
    assert_int_equal(raw.graphs.graphs, 1);
    assert_int_equal(raw.attributes.cols, 2);
    assert_null(raw.graph_label);
    return raw;
}

static double at(const mp_raw *raw, int v, int k)
{
    const mp_sparse *x = &raw->attributes;
    for (int i = x->ptr[v]; i < x->ptr[v + 1]; i++)
        if (x->col[i] == k) return (double)x->val[i];
    return 0;
}

static bool joined(const mp_raw *raw, int v, int u)
{
    const mp_graph *g = &raw->graphs;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
        if (g->col[e] == u) return true;
    return false;
}

static double distance(const mp_raw *raw, int v, int u)
{
    return hypot(at(raw, v, 0) - at(raw, u, 0), at(raw, v, 1) - at(raw, u, 1));
}

static void a_ring_goes_around(void **state)
{
    mp_raw raw = make("RING", (mp_signal_options){ .nodes = 200 }, *state);
    assert_int_equal(raw.graphs.nodes, 200);
    assert_int_equal(raw.graphs.edges, 2 * 200);
    for (int v = 0; v < 200; v++) {
        double angle = 2 * 3.14159265358979323846 * v / 200;
        assert_true(joined(&raw, v, (v + 1) % 200));
        assert_true(fabs(at(&raw, v, 0) - cos(angle)) < 1e-7);
        assert_true(fabs(at(&raw, v, 1) - sin(angle)) < 1e-7);
    }
}

static void a_grid_has_rows_and_columns(void **state)
{
    mp_raw raw = make("GRID", (mp_signal_options){ .side = 3 }, *state);
    assert_int_equal(raw.graphs.nodes, 9);
    assert_int_equal(raw.graphs.edges, 2 * 12);
    assert_true(joined(&raw, 0, 1) && joined(&raw, 0, 3) && joined(&raw, 4, 7) && joined(&raw, 5, 8));
    assert_false(joined(&raw, 2, 3) || joined(&raw, 0, 4));
    assert_true(fabs(at(&raw, 5, 0) - (2 / 3.0)) < 1e-7); /* row 1, column 2 */
    assert_true(fabs(at(&raw, 5, 1) - (1 / 3.0)) < 1e-7);
    raw = make("GRID", (mp_signal_options){ .side = 30 }, *state);
    assert_int_equal(raw.graphs.edges, 2 * 2 * 30 * 29);
}

/* Communities can be told from the picture: their nodes are around a centre. */
static void communities_are_near_their_centres_and_few_edges_lie_between_them(void **state)
{
    mp_raw raw = make("COMMUNITY", (mp_signal_options){ .nodes = 256 }, *state);
    const mp_graph *g = &raw.graphs;
    int of[256], size[8] = { 0 }, between = 0;
    for (int v = 0, c = 0; v < 256; v++) { /* nodes come community by community, which have at least 11 */
        double angle = 2 * 3.14159265358979323846 * (c + 2) / 8;
        double next = hypot(at(&raw, v, 0) - 16 * cos(angle), at(&raw, v, 1) - 16 * sin(angle));
        double mine = hypot(at(&raw, v, 0) - 16 * cos(angle - 3.14159265358979323846 / 4),
                            at(&raw, v, 1) - 16 * sin(angle - 3.14159265358979323846 / 4));
        if (c < 7 && size[c] >= 11 && next < mine) c++;
        of[v] = c;
        size[c]++;
    }
    int64_t squares = 0;
    for (int c = 0; c < 8; c++) {
        assert_true(size[c] >= 11);
        squares += (int64_t)size[c] * size[c];
    }
    for (int v = 0; v < 256; v++)
        for (int u = v + 1; u < 256; u++) {
            double radius = sqrt(2 * sqrt(256.0)) / 2;
            between += of[v] != of[u] && joined(&raw, v, u);
            if (of[v] == of[u]) assert_int_equal(joined(&raw, v, u), distance(&raw, v, u) <= radius);
        }
    assert_int_equal(between, (256 * 256 - squares) / 512);
    assert_int_equal(g->nodes, 256);
    for (int seed = 0; seed < 200; seed++) { /* so few nodes that pairs are drawn again */
        raw = make("COMMUNITY", (mp_signal_options){ .nodes = 16, .seed = seed }, *state);
        for (int v = 0; v < 16; v++)
            for (int e = raw.graphs.row_ptr[v]; e < raw.graphs.row_ptr[v + 1]; e++) {
                assert_true(raw.graphs.col[e] != v);
                if (e > raw.graphs.row_ptr[v]) assert_true(raw.graphs.col[e] > raw.graphs.col[e - 1]);
            }
    }
}

/* 236 edges is what the published weights have. */
static void the_sensors_of_david_are_joined_when_they_are_near(void **state)
{
    mp_raw raw = make("DAVID", (mp_signal_options){ .nodes = 64 }, *state);
    assert_int_equal(raw.graphs.edges, 2 * 236);
    assert_true(fabs(at(&raw, 0, 0) - 0.23236084414290303) < 1e-7);
    assert_true(fabs(at(&raw, 2, 1) - 0.8356564514505008) < 1e-7);
    double cut = 0.2183 - 0.125 * 64 / 436.075, s = sqrt(-cut * cut / (2 * log(0.6)));
    assert_true(fabs(s - 0.19782) < 1e-5);
    for (int v = 0; v < 64; v++)
        for (int u = 0; u < 64; u++) {
            double weight = exp(-distance(&raw, v, u) * distance(&raw, v, u) / (2 * s * s));
            assert_int_equal(joined(&raw, v, u), v != u && weight >= 0.6);
        }
    mp_raw other = make("DAVID", (mp_signal_options){ .nodes = 100, .seed = 1 }, *state);
    for (int v = 0; v < 100; v++) assert_true(at(&other, v, 0) >= 0 && at(&other, v, 0) < 1);
}

static void sets_with_coordinates_need_no_files_and_are_the_same_with_them(void **state)
{
    for (const mp_signal *s = mp_signals; s->name; s++) {
        mp_dataset made, read;
        mp_raw raw = make(s->set, s->usual, *state), again;
        mp_folds folds;
        const char *folder = new_folder(*state);
        mp_gather g = { .where = folder, .text = *state, .keep = *state };
        mp_dataset_as as = { .nodes = true };
        WORKS(mp_dataset_load_as(s->set, folder, &as, *state, &made));
        WORKS(mp_tu_write(&raw, mp_arena_printf(*state, "%s/%s", folder, s->set)));
        WORKS(mp_gather_folder(&g, mp_arena_printf(*state, "%s/%s", folder, s->set)));
        WORKS(mp_tu_parse(&g.files, *state, &again));
        WORKS(mp_dataset_build(&again, &as, *state, &read));
        assert_true(made.fingerprint == read.fingerprint);
        WORKS(mp_folds_load(&made, NULL, 0, *state, &folds));
        assert_string_equal(folds.from, "single");
        remove_folder(folder);
    }
}

static void sizes_that_make_no_graph_are_refused(void **state)
{
    mp_raw raw;
    FAILS(mp_signal_make(mp_signal_of_set("RING"), &(mp_signal_options){ .nodes = 2 }, *state, &raw), "at least 3");
    FAILS(mp_signal_make(mp_signal_of_set("GRID"), &(mp_signal_options){ .side = 0 }, *state, &raw), "1 to 20000");
    FAILS(mp_signal_make(mp_signal_of_set("COMMUNITY"), &(mp_signal_options){ .nodes = 8 }, *state, &raw),
          "at least 9 nodes");
    assert_null(mp_signal_of_set("MUTAG"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_ring_goes_around),
        CASE(a_grid_has_rows_and_columns),
        CASE(communities_are_near_their_centres_and_few_edges_lie_between_them),
        CASE(the_sensors_of_david_are_joined_when_they_are_near),
        CASE(sets_with_coordinates_need_no_files_and_are_the_same_with_them),
        CASE(sizes_that_make_no_graph_are_refused),
    };
    return cmocka_run_group_tests_name("data_signal", tests, NULL, NULL);
}
