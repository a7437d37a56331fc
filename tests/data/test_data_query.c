/* test_data_query.c - a graph that a caller gives: what is refused, in which words, and what just passes; its structure.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "base/guard.h"
#include "base/rng.h"
#include "data/query.h"

#include <math.h>

/* Two attributes of which the first is no input, labels -1..1, edges with an attribute and labels 3..4. */
static const mp_recipe recipe = { .attributes = 1,
                                  .skip_attributes = 1,
                                  .label_columns = 1,
                                  .label_min = { -1 },
                                  .label_count = { 3 },
                                  .edge_attributes = 1,
                                  .edge_label_columns = 1,
                                  .edge_label_min = { 3 },
                                  .edge_label_count = { 2 } };
static const int from[] = { 0, 1 }, to[] = { 1, 2 }, label[] = { -1, 0, 1 }, edge_label[] = { 3, 4 };
static const float attribute[] = { 1, 2, 3, 4, 5, 6 }, edge_attribute[] = { 7, 8 };

static mp_query whole(void)
{
    return (mp_query){ .nodes = 3,
                       .edges = 2,
                       .from = from,
                       .to = to,
                       .labels = label,
                       .attributes = attribute,
                       .edge_labels = edge_label,
                       .edge_attributes = edge_attribute };
}

static void structure_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static const int outside[] = { 1, 3 }, below[] = { 1, -1 };
    mp_query q = whole();
    WORKS(mp_query_check(NULL, &q));
    q.nodes = 0;
    FAILS(mp_query_check(NULL, &q), "a graph needs at least one node");
    q.nodes = 2;
    FAILS(mp_query_check(NULL, &q), "edge 1 joins nodes 1 and 2, but nodes are 0 to 1");
    q = whole();
    q.nodes = MP_MOST_COUNT;
    WORKS(mp_query_check(NULL, &q));
    q.nodes++;
    FAILS(mp_query_check(NULL, &q), "2147483584 nodes are too many");
    q = whole();
    q.edges = -1;
    FAILS(mp_query_check(NULL, &q), "-1 edges are not possible");
    q.edges = MP_MOST_COUNT / 2 + 1;
    FAILS(mp_query_check(NULL, &q), "1073741792 edges are not possible");
    q = whole();
    q.from = NULL;
    FAILS(mp_query_check(NULL, &q), "2 edges, but no numbers of nodes");
    q = whole();
    q.to = NULL;
    FAILS(mp_query_check(NULL, &q), "2 edges, but no numbers of nodes");
    q.edges = 0;
    WORKS(mp_query_check(NULL, &q));
    q = whole();
    q.to = outside;
    FAILS(mp_query_check(NULL, &q), "edge 1 joins nodes 1 and 3, but nodes are 0 to 2");
    q.to = below;
    FAILS(mp_query_check(NULL, &q), "edge 1 joins nodes 1 and -1, but");
    q = whole();
    q.from = outside;
    FAILS(mp_query_check(NULL, &q), "edge 1 joins nodes 3 and 2, but");
    q.from = below;
    FAILS(mp_query_check(NULL, &q), "edge 1 joins nodes -1 and 2, but");
}

static void what_the_model_reads_must_be_there(void **state)
{
    (void)state;
    static const float x[9] = { 0 };
    mp_query q = whole();
    WORKS(mp_query_check(&recipe, &q));
    q.attributes = NULL;
    FAILS(mp_query_check(&recipe, &q), "the model needs 2 node attributes");
    q.x = x; /* its features are there already */
    WORKS(mp_query_check(&recipe, &q));
    q = whole();
    q.labels = NULL;
    FAILS(mp_query_check(&recipe, &q), "the model needs 1 node labels");
    q = whole();
    q.edge_attributes = NULL;
    FAILS(mp_query_check(&recipe, &q), "the model needs 1 attributes of edges");
    q = whole();
    q.edge_labels = NULL;
    FAILS(mp_query_check(&recipe, &q), "the model needs 1 labels of edges");
    q.x = x;
    FAILS(mp_query_check(&recipe, &q), "the model needs 1 labels of edges");
    q.edges = 0;
    WORKS(mp_query_check(&recipe, &q));
}

static void labels_are_those_that_the_model_knows(void **state)
{
    (void)state;
    static const int low[] = { -1, -2, 1 }, high[] = { -1, 0, 2 }, edge_low[] = { 3, 2 }, edge_high[] = { 5, 4 };
    mp_query q = whole();
    q.labels = low;
    FAILS(mp_query_check(&recipe, &q), "node 1 has label -2; the model knows -1 to 1");
    q.labels = high;
    FAILS(mp_query_check(&recipe, &q), "node 2 has label 2; the model knows -1 to 1");
    q = whole();
    q.edge_labels = edge_low;
    FAILS(mp_query_check(&recipe, &q), "edge 1 has label 2; the model knows 3 to 4");
    q.edge_labels = edge_high;
    FAILS(mp_query_check(&recipe, &q), "edge 0 has label 5; the model knows 3 to 4");
}

static void numbers_are_finite_and_zeros_are_not_stored(void **state)
{
    static const float v[] = { 0, 2, 0, 0, 5, 6 };
    float bad[] = { 0, 2, 0, 0, (float)NAN, 6 };
    mp_sparse s;
    WORKS(mp_sparse_of(v, 3, 2, "things of node", *state, &s));
    static const int ptr[] = { 0, 1, 1, 3 }, col[] = { 1, 0, 1 };
    static const mp_real val[] = { 2, 5, 6 };
    assert_true(s.rows == 3 && s.cols == 2);
    assert_memory_equal(s.ptr, ptr, sizeof ptr);
    assert_memory_equal(s.col, col, sizeof col);
    assert_memory_equal(s.val, val, sizeof val);
    FAILS(mp_sparse_of(bad, 3, 2, "things of node", *state, &s), "things of node 2: column 0 is not finite");
    FAILS(mp_sparse_of(v, 1 << 16, 1 << 15, "things of node", *state, &s), "65536 x 32768 things of node are too many");
}

/* Random lists with loops, repeats and edges from one or both ends, sorted or not, against a matrix. */
static void the_structure_has_every_edge_from_both_ends_once(void **state)
{
    enum { MOST = 9, LINES = 24 };
    mp_rng r = mp_rng_stream(1, MP_FOR_TEST, 0, 0, 0);
    for (int round = 0; round < 400; round++) {
        int n = 1 + (int)mp_rng_below(&r, MOST), lines = (int)mp_rng_below(&r, LINES), edges = 0, a[LINES], b[LINES];
        bool there[MOST][MOST] = { { false } }, sorted = round % 2;
        for (int e = 0; e < lines; e++) {
            a[e] = (int)mp_rng_below(&r, (uint32_t)n);
            b[e] = (int)mp_rng_below(&r, (uint32_t)n);
            if (a[e] != b[e]) there[a[e]][b[e]] = there[b[e]][a[e]] = true;
        }
        if (sorted) { /* as matrices have them, now and then without the last one */
            lines = 0;
            for (int v = 0; v < n; v++)
                for (int u = 0; u < n && lines < LINES; u++)
                    if (there[v][u]) a[lines] = v, b[lines++] = u;
            memset(there, 0, sizeof there);
            lines -= lines && round % 3 == 0;
            for (int e = 0; e < lines; e++) there[a[e]][b[e]] = there[b[e]][a[e]] = true;
        }
        mp_query q = { .nodes = n, .edges = lines, .from = a, .to = b };
        mp_graph g;
        WORKS(mp_query_check(NULL, &q));
        mp_query_graph(&q, *state, &g);
        WORKS(mp_graph_check(&g));
        assert_true(g.graphs == 1 && g.nodes == n && g.node_ptr[1] == n);
        for (int v = 0; v < n; v++)
            for (int u = 0; u < n; u++) {
                assert_int_equal(mp_graph_edge(&g, v, u) >= 0, there[v][u]);
                edges += there[v][u];
            }
        assert_int_equal(g.edges, edges);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(structure_that_cannot_be_is_refused),
        CASE(what_the_model_reads_must_be_there),
        CASE(labels_are_those_that_the_model_knows),
        CASE(numbers_are_finite_and_zeros_are_not_stored),
        CASE(the_structure_has_every_edge_from_both_ends_once),
    };
    return cmocka_run_group_tests_name("data_query", tests, NULL, NULL);
}
