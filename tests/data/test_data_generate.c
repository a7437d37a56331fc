/* test_data_generate.c - generated sets: labels count what they should, no graph comes twice, files read
 * back.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/gather.h"
#include "data/generate.h"
#include "data/load.h"
#include "data/seal.h"
#include "data/sketch.h"

static bool adjacent(const mp_graph *g, int v, int u)
{
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
        if (g->col[e] == u) return true;
    return false;
}

static int triangles_of(const mp_graph *g, int b)
{
    int corners = 0;
    for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            for (int k = e + 1; k < g->row_ptr[v + 1]; k++) corners += adjacent(g, g->col[e], g->col[k]);
    return corners / 3;
}

static double sum_of_column(const mp_raw *raw, int b, int column)
{
    const mp_sparse *x = &raw->attributes;
    double sum = 0;
    for (int i = x->ptr[raw->graphs.node_ptr[b]]; i < x->ptr[raw->graphs.node_ptr[b + 1]]; i++)
        if (x->col[i] == column) sum += x->val ? (double)x->val[i] : 1;
    return sum;
}

/* Equal as numbered graphs, with equal attributes. */
static bool same(const mp_raw *raw, int b, int c)
{
    const mp_graph *g = &raw->graphs;
    const mp_sparse *x = &raw->attributes;
    int v = g->node_ptr[b], u = g->node_ptr[c], n = g->node_ptr[b + 1] - v;
    if (g->node_ptr[c + 1] - u != n) return false;
    for (int i = 0; i < n; i++) {
        int e = g->row_ptr[v + i], f = g->row_ptr[u + i], m = g->row_ptr[v + i + 1] - e;
        if (g->row_ptr[u + i + 1] - f != m) return false;
        for (int k = 0; k < m; k++)
            if (g->col[e + k] - v != g->col[f + k] - u) return false;
        int p = x->ptr[v + i], q = x->ptr[u + i], w = x->ptr[v + i + 1] - p;
        if (x->ptr[u + i + 1] - q != w || memcmp(x->col + p, x->col + q, (size_t)w * sizeof(int)) != 0) return false;
    }
    return true;
}

static void sizes_are_within(const mp_raw *raw, int part, int lo, int hi)
{
    for (int b = raw->fixed[part][0]; b < raw->fixed[part][1]; b++) {
        int n = raw->graphs.node_ptr[b + 1] - raw->graphs.node_ptr[b];
        int m = (raw->graphs.row_ptr[raw->graphs.node_ptr[b + 1]] - raw->graphs.row_ptr[raw->graphs.node_ptr[b]]) / 2;
        assert_true(n >= lo && n <= hi);
        assert_true(m < 2 * n && (m >= n || m == n * (n - 1) / 2));
    }
}

static void published_colors_have_the_published_shape(void **state)
{
    mp_raw raw;
    WORKS(mp_generate_colors(&mp_colors_published, *state, &raw));
    WORKS(mp_graph_check(&raw.graphs));
    static const int fixed[5][2] = { { 0, 500 }, { 500, 3000 }, { 3000, 5500 }, { 5500, 8000 }, { 8000, 10500 } };
    assert_memory_equal(raw.fixed, fixed, sizeof fixed);
    assert_int_equal(raw.graphs.graphs, 10500);
    for (int part = 0; part < 5; part++) sizes_are_within(&raw, part, part < 3 ? 4 : 26, part < 3 ? 25 : 200);
    double nodes = (double)raw.graphs.nodes / 10500, edges = (double)raw.graphs.edges / 2 / 10500;
    assert_true(nodes > 60 && nodes < 62.6 && edges > 89 && edges < 93);
}

static void the_label_of_colors_is_the_number_of_green_nodes(void **state)
{
    mp_raw raw;
    WORKS(mp_generate_colors(&mp_colors_published, *state, &raw));
    for (int b = 0; b < raw.graphs.graphs; b++) {
        assert_true(raw.graph_label[b] >= 0 && raw.graph_label[b] <= 10);
        assert_true(sum_of_column(&raw, b, 0) == (double)raw.graph_label[b]);
        assert_true(sum_of_column(&raw, b, 2) == (double)raw.graph_label[b]);
        if (b < 8000) assert_true(sum_of_column(&raw, b, 4) == 0);
    }
}

static void no_two_colors_graphs_are_the_same(void **state)
{
    mp_colors_options o = mp_colors_published;
    o.large = o.large_c = 0;
    o.val = o.test = 500;
    mp_raw raw;
    WORKS(mp_generate_colors(&o, *state, &raw));
    assert_int_equal(raw.graphs.graphs, 1500);
    assert_null(raw.fixed_name[3]);
    for (int b = 0; b < 1500; b++)
        for (int c = 0; c < b; c++) assert_false(same(&raw, b, c));
}

static void leaving_a_part_out_does_not_move_the_others(void **state)
{
    mp_colors_options o = mp_colors_published;
    mp_raw all, some;
    o.large_c = 10;
    WORKS(mp_generate_colors(&o, *state, &all));
    o.large_c = 0;
    WORKS(mp_generate_colors(&o, *state, &some));
    int nodes = some.graphs.nodes;
    assert_memory_equal(all.graphs.row_ptr, some.graphs.row_ptr, sizeof(int) * (size_t)(nodes + 1));
    assert_memory_equal(all.graphs.col, some.graphs.col, sizeof(int) * (size_t)some.graphs.edges);
}

static void impossible_colors_are_refused(void **state)
{
    mp_colors_options o = mp_colors_published;
    mp_raw raw;
    o.lo = o.hi = 1;
    FAILS(mp_generate_colors(&o, *state, &raw), "different colourings of graphs with 1 nodes");
    o.lo = 30;
    FAILS(mp_generate_colors(&o, *state, &raw), "graph sizes 30..1");
    o = mp_colors_published;
    o.train = 0;
    FAILS(mp_generate_colors(&o, *state, &raw), "0 graphs for train");
}

static void the_label_of_triangles_is_their_number(void **state)
{
    mp_triangles_options o = { 3, 300, 100, 100, 100, 4, 25, 26, 100 };
    mp_raw raw;
    WORKS(mp_generate_triangles(&o, *state, &raw));
    WORKS(mp_graph_check(&raw.graphs));
    assert_int_equal(raw.graphs.graphs, 600);
    int count[4][11] = { { 0 } };
    for (int part = 0; part < 4; part++) {
        sizes_are_within(&raw, part, part < 3 ? 4 : 26, part < 3 ? 25 : 100);
        for (int b = raw.fixed[part][0]; b < raw.fixed[part][1]; b++) {
            int label = (int)raw.graph_label[b];
            assert_int_equal(label, triangles_of(&raw.graphs, b));
            assert_true(sum_of_column(&raw, b, 0) == 3.0 * label);
            count[part][label]++;
        }
        for (int label = 1; label <= 10; label++) assert_int_equal(count[part][label], part == 0 ? 30 : 10);
    }
    for (int b = 0; b < 500; b++)
        for (int c = 0; c < b; c++) assert_false(same(&raw, b, c));
}

static void published_triangles_have_the_published_shape(void **state)
{
    mp_raw raw;
    mp_dataset d;
    WORKS(mp_generate_triangles(&mp_triangles_published, *state, &raw));
    WORKS(mp_graph_check(&raw.graphs));
    assert_int_equal(raw.graphs.graphs, 45000);
    double nodes = (double)raw.graphs.nodes / 45000, edges = (double)raw.graphs.edges / 2 / 45000;
    assert_true(nodes > 20.7 && nodes < 21 && edges > 32.5 && edges < 33);
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_int_equal(d.x.cols, 15);
    assert_ptr_equal(d.task, &mp_task_count);
    assert_int_equal(d.fixed[3][1], 45000);
}

static void random_graphs_have_the_nodes_and_edges_asked_for(void **state)
{
    static const int edges[] = { 1, 30, 150, 189, 190 }; /* 20 nodes have 190 pairs */
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        mp_er_options o = { 5, 6, 20, edges[i], 3 };
        mp_raw raw;
        WORKS(mp_generate_er(&o, *state, &raw));
        WORKS(mp_graph_check(&raw.graphs));
        assert_int_equal(raw.graphs.edges, 6 * 2 * edges[i]);
        assert_int_equal(raw.attributes.ptr[120], 360);
    }
}

static void every_pair_is_drawn_equally_often(void **state)
{
    enum { DRAWS = 20000 };
    int count[5][5] = { { 0 } };
    for (int i = 0; i < DRAWS; i++) {
        mp_arena_mark here = mp_arena_here(*state);
        mp_rng rng = mp_rng_stream(1, MP_FOR_TEST, (uint64_t)i, 0, 0);
        mp_sketch s;
        mp_sketch_draw(&rng, *state, 5, i % 2 ? 3 : 7, &s); /* few edges are drawn, many are drawn by what is missing */
        for (int e = 0; e < s.edges; e++) count[s.edge[e] >> 32][s.edge[e] & 0xffffffffu]++;
        mp_arena_back(*state, here);
    }
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) { /* 0.3 and 0.7 of half the draws each; five deviations are 320 */
            if (i < j)
                assert_true(abs(count[i][j] - DRAWS / 2) < 320);
            else
                assert_int_equal(count[i][j], 0);
        }
    }
}

static void impossible_random_graphs_are_refused(void **state)
{
    mp_er_options o = { 0, 1, 4, 7, 0 };
    mp_raw raw;
    FAILS(mp_generate_er(&o, *state, &raw), "4 nodes have 6 pairs");
    o = (mp_er_options){ 0, 2000000, 100000, 0, 0 };
    FAILS(mp_generate_er(&o, *state, &raw), "below 2^31");
}

static void the_same_seed_gives_the_same_set_and_another_seed_another(void **state)
{
    uint64_t seen[3];
    for (int i = 0; i < 3; i++) {
        mp_colors_options o = { i == 2 ? 1 : 0, 50, 20, 20, 20, 0, 4, 10, 26, 30 };
        mp_raw raw;
        mp_dataset d;
        WORKS(mp_generate_colors(&o, *state, &raw));
        WORKS(mp_dataset_build(&raw, NULL, *state, &d));
        seen[i] = d.fingerprint;
    }
    assert_true(seen[0] == seen[1] && seen[0] != seen[2]);
}

/* Written and read again, a set has the same fingerprint and the same split. */
static void read_back(const mp_raw *raw, mp_arena *a)
{
    const char *folder = new_folder(a);
    mp_gather g = { .where = folder, .text = a, .keep = a };
    mp_raw again;
    mp_dataset d, e;
    WORKS(mp_tu_write(raw, mp_arena_printf(a, "%s/a/b", folder)));
    WORKS(mp_gather_folder(&g, mp_arena_printf(a, "%s/a/b", folder)));
    WORKS(mp_tu_parse(&g.files, a, &again));
    WORKS(mp_dataset_build(raw, NULL, a, &d));
    WORKS(mp_dataset_build(&again, NULL, a, &e));
    assert_true(d.fingerprint == e.fingerprint);
    assert_memory_equal(d.fixed, e.fixed, sizeof d.fixed);
    for (int i = 0; i < 5; i++) assert_int_equal(!d.fixed_name[i], !e.fixed_name[i]);
    remove_folder(folder);
}

static void written_sets_read_back_the_same(void **state)
{
    mp_raw raw;
    mp_colors_options c = { 0, 50, 20, 20, 20, 20, 4, 10, 26, 30 };
    WORKS(mp_generate_colors(&c, *state, &raw));
    read_back(&raw, *state);
    mp_triangles_options t = { 0, 30, 10, 10, 0, 4, 25, 26, 100 };
    WORKS(mp_generate_triangles(&t, *state, &raw));
    read_back(&raw, *state);
    mp_er_options o = { 0, 10, 12, 0, 4 };
    WORKS(mp_generate_er(&o, *state, &raw));
    read_back(&raw, *state);
}

static int colors_of(const mp_raw *raw, int b)
{
    int n = 0;
    for (int k = 0; k < raw->attributes.cols; k++) n += sum_of_column(raw, b, k) > 0;
    return n;
}

static void the_label_of_distinct_is_the_number_of_colours_that_occur(void **state)
{
    mp_distinct_options o = { 4, 160, 40, 80, 40, 5, 6, 14, 15, 30 };
    mp_raw raw;
    int seen[6] = { 0 }, color[5] = { 0 };
    WORKS(mp_generate_distinct(&o, *state, &raw));
    assert_int_equal(raw.graphs.graphs, 320);
    assert_int_equal(raw.attributes.cols, 5);
    sizes_are_within(&raw, 0, 6, 14);
    sizes_are_within(&raw, 3, 15, 30);
    for (int b = 0; b < 320; b++) {
        int n = raw.graphs.node_ptr[b + 1] - raw.graphs.node_ptr[b];
        double nodes = 0;
        for (int k = 0; k < 5; k++) {
            nodes += sum_of_column(&raw, b, k);
            color[k] += sum_of_column(&raw, b, k) > 0;
        }
        assert_true(nodes == n); /* one colour a node */
        assert_int_equal(raw.graph_label[b], colors_of(&raw, b));
        seen[raw.graph_label[b]]++;
        for (int c = 0; c < b; c++) assert_false(same(&raw, b, c));
    }
    for (int label = 1; label <= 5; label++) assert_int_equal(seen[label], 64); /* the same share of each */
    for (int k = 0; k < 5; k++) assert_true(color[k] > 150 && color[k] < 234);  /* of 192: no colour tells the label */
    read_back(&raw, *state);
}

static void the_larger_part_of_distinct_does_not_move_the_others(void **state)
{
    mp_distinct_options o = { 4, 40, 10, 10, 0, 5, 6, 14, 15, 30 };
    mp_raw without, with;
    WORKS(mp_generate_distinct(&o, *state, &without));
    o.large = 20;
    WORKS(mp_generate_distinct(&o, *state, &with));
    int nodes = without.graphs.nodes;
    assert_int_equal(with.graphs.graphs, without.graphs.graphs + 20);
    assert_memory_equal(with.graphs.row_ptr, without.graphs.row_ptr, sizeof(int) * (size_t)(nodes + 1));
    assert_memory_equal(with.attributes.col, without.attributes.col, sizeof(int) * (size_t)nodes);
    o.colors = 7; /* a graph of 6 nodes cannot have them */
    assert_int_equal(mp_generate_distinct(&o, *state, &with), MP_ERR_USAGE);
}

static void distinct_needs_no_files_and_counts(void **state)
{
    mp_dataset d;
    mp_dataset_as as = { 0 };
    WORKS(mp_dataset_load_as("DISTINCT", NULL, &as, *state, &d));
    assert_ptr_equal(d.task, &mp_task_count);
    assert_int_equal(d.graphs.graphs, 3500);
    assert_int_equal(d.x.cols, 8);
    assert_string_equal(d.fixed_name[3], "test-large");
    assert_int_equal(d.fixed[3][1], 3500);
}

/* The column that is no input, of the whole set and of graphs that are taken out of it. */
static void attention_is_read_and_goes_with_its_graphs(void **state)
{
    mp_colors_options c = { 0, 30, 10, 10, 5, 5, 4, 10, 26, 30 };
    mp_triangles_options t = { 0, 30, 10, 10, 0, 4, 12, 26, 100 };
    mp_distinct_options n = { 4, 40, 10, 10, 0, 5, 6, 14, 15, 30 };
    static const int which[] = { 7, 2, 31 };
    for (int set = 0; set < 2; set++) {
        mp_raw raw;
        mp_dataset d;
        mp_graph some;
        mp_sparse x;
        WORKS(set ? mp_generate_triangles(&t, *state, &raw) : mp_generate_colors(&c, *state, &raw));
        WORKS(mp_dataset_build(&raw, NULL, *state, &d));
        mp_graph_gather(*state, &d.graphs, &d.x, which, 3, false, &some, &x);
        for (int i = 0; i < 3; i++) {
            double label = set ? 3.0 * (double)raw.graph_label[which[i]] : (double)raw.graph_label[which[i]], sum = 0;
            int first = d.graphs.node_ptr[which[i]];
            for (int v = some.node_ptr[i]; v < some.node_ptr[i + 1]; v++) {
                assert_true(some.aim[v] == d.graphs.aim[first + v - some.node_ptr[i]]);
                sum += (double)some.aim[v];
            }
            assert_true(sum == label); /* green nodes; corners of triangles */
        }
    }
    mp_raw raw;
    mp_dataset d;
    WORKS(mp_generate_distinct(&n, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_null(d.graphs.aim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(published_colors_have_the_published_shape),
        CASE(the_label_of_colors_is_the_number_of_green_nodes),
        CASE(no_two_colors_graphs_are_the_same),
        CASE(leaving_a_part_out_does_not_move_the_others),
        CASE(impossible_colors_are_refused),
        CASE(the_label_of_triangles_is_their_number),
        CASE(published_triangles_have_the_published_shape),
        CASE(random_graphs_have_the_nodes_and_edges_asked_for),
        CASE(every_pair_is_drawn_equally_often),
        CASE(impossible_random_graphs_are_refused),
        CASE(the_same_seed_gives_the_same_set_and_another_seed_another),
        CASE(written_sets_read_back_the_same),
        CASE(the_label_of_distinct_is_the_number_of_colours_that_occur),
        CASE(the_larger_part_of_distinct_does_not_move_the_others),
        CASE(distinct_needs_no_files_and_counts),
        CASE(attention_is_read_and_goes_with_its_graphs),
    };
    return cmocka_run_group_tests_name("data_generate", tests, NULL, NULL);
}
