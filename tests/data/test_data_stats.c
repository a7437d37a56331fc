/* test_data_stats.c - the figures of a data set, in words and as JSON, and where they differ from the paper's.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "base/json.h"
#include "data/known.h"
#include "data/stats.h"

/* Two graphs under a name, with a class each; node labels or nothing but structure. */
static mp_dataset two_named(const char *name, const char *node_labels, mp_arena *a)
{
    mp_tu_files f = two_graphs();
    mp_raw raw;
    mp_dataset d;
    f.name = name;
    f.part[MP_TU_GRAPH_LABELS] = mp_span_of("-1\n1\n");
    if (node_labels) f.part[MP_TU_NODE_LABELS] = mp_span_of(node_labels);
    WORKS(mp_tu_parse(&f, a, &raw));
    WORKS(mp_dataset_build(&raw, NULL, a, &d));
    return d;
}

static const char *text_of(const mp_dataset *d, mp_arena *a)
{
    mp_stats s;
    mp_buf b = { 0 };
    mp_stats_of(d, a, &s);
    mp_stats_text(d, &s, &b);
    const char *text = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return text;
}

static const mp_json *json_of(const mp_dataset *d, mp_arena *a)
{
    mp_stats s;
    mp_buf b = { 0 };
    const mp_json *v;
    mp_stats_of(d, a, &s);
    mp_stats_json(d, &s, &b);
    WORKS(mp_json_parse(mp_span_of(mp_arena_text(a, b.p, b.n)), "stats", a, &v));
    mp_buf_free(&b);
    return v;
}

static void holds(const char *text, const char *part)
{
    assert_non_null(text);
    if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

static void shapes_and_classes_are_counted(void **state)
{
    mp_dataset d = two_named("T", NULL, *state);
    const char *text = text_of(&d, *state);
    const mp_json *v = json_of(&d, *state), *class = mp_json_get(v, "class_counts");
    holds(text, "classes         2 (-1: 1, 1: 1)\n");
    holds(text, "nodes a graph   3.00 (2 to 4)\n");
    holds(text, "edges a graph   2.50, largest degree 3\n");
    holds(text, "columns of x    4: one-hot degree\n");
    assert_null(strstr(text, "paper"));
    assert_int_equal(mp_json_get(v, "paper")->kind, MP_JSON_NULL);
    assert_int_equal(mp_json_int(v, "nodes", 0), 6);
    assert_int_equal(mp_json_int(v, "edges", 0), 5);
    assert_int_equal(mp_json_int(v, "min_nodes", 0), 2);
    assert_int_equal(mp_json_int(v, "max_nodes", 0), 4);
    assert_int_equal(mp_json_int(v, "max_degree", 0), 3);
    assert_int_equal(mp_json_int(v, "edgeless_graphs", -1), 0);
    assert_int_equal(mp_json_int(mp_json_at(class, 0), "value", 0), -1);
    assert_int_equal(mp_json_int(mp_json_at(class, 1), "graphs", 0), 1);
}

/* MUTAG has seven labels of nodes; a set of that name with three differs in every figure but the classes. */
static void figures_that_are_not_the_papers_are_named(void **state)
{
    const mp_known *k = mp_known_find("MUTAG");
    mp_dataset d = two_named("MUTAG", "0\n1\n2\n1\n0\n0\n", *state);
    const char *text = text_of(&d, *state);
    holds(text, "differs from the paper: graphs 2 here, 188 there\n");
    holds(text, mp_arena_printf(*state, "differs from the paper: nodes a graph 3.00 here, %.2f there\n", k->avg_nodes));
    holds(text, mp_arena_printf(*state, "differs from the paper: columns of x 3 here, %d there\n", k->columns));
    assert_null(strstr(text, "classes 2 here"));
    assert_null(strstr(text, "are those of the paper"));
    const mp_json *paper = mp_json_get(json_of(&d, *state), "paper");
    assert_int_equal(mp_json_int(paper, "columns", 0), k->columns);
    assert_false(mp_json_flag(paper, "agrees", true));
}

/* The paper has two decimals; counts must be equal. */
static void averages_agree_when_they_round_to_the_papers(void **state)
{
    const mp_known *k = mp_known_find("MUTAG");
    mp_dataset d = two_named("MUTAG", "0\n1\n2\n1\n0\n6\n", *state);
    mp_stats s;
    mp_stats_of(&d, *state, &s);
    s.graphs = k->graphs;
    s.avg_nodes = k->avg_nodes + 0.005;
    s.avg_edges = k->avg_edges - 0.005;
    mp_buf b = { 0 };
    mp_stats_text(&d, &s, &b);
    holds(b.p, "graphs, classes, averages and columns are those of the paper\n");
    mp_buf_free(&b);
    mp_stats_json(&d, &s, &b);
    holds(b.p, "\"agrees\":true");
    mp_buf_free(&b);
    s.avg_nodes = k->avg_nodes + 0.006;
    mp_stats_text(&d, &s, &b);
    holds(b.p, "differs from the paper: nodes a graph");
    mp_buf_free(&b);
    s.avg_nodes = k->avg_nodes;
    s.columns--;
    mp_stats_text(&d, &s, &b);
    holds(b.p, "differs from the paper: columns of x 6 here, 7 there\n");
    mp_buf_free(&b);
}

/* A graph for every class: two nodes, then one each. */
static mp_dataset of_classes(int n, mp_arena *a)
{
    mp_buf nodes = { 0 }, labels = { 0 };
    mp_buf_puts(&nodes, "1\n");
    for (int i = 1; i <= n; i++) {
        mp_buf_printf(&nodes, "%d\n", i);
        mp_buf_printf(&labels, "%d\n", 2 * i);
    }
    mp_raw raw;
    mp_dataset d;
    mp_tu_files f = { .name = "T" };
    f.part[MP_TU_INDICATOR] = (mp_span){ nodes.p, nodes.n };
    f.part[MP_TU_EDGES] = mp_span_of("1, 2\n2, 1\n");
    f.part[MP_TU_GRAPH_LABELS] = (mp_span){ labels.p, labels.n };
    WORKS(mp_tu_parse(&f, a, &raw));
    WORKS(mp_dataset_build(&raw, NULL, a, &d));
    mp_buf_free(&nodes);
    mp_buf_free(&labels);
    return d;
}

static void twenty_classes_are_shown_and_up_to_a_thousand_counted(void **state)
{
    static const struct {
        int classes, listed;
        const char *shown;
    } sets[] = { { 20, 20, "classes         20 (2: 1, 4: 1," },
                 { 20, 20, ", 38: 1, 40: 1)\n" },
                 { 21, 21, ", 38: 1, 40: 1, ...)\n" },
                 { 1000, 1000, "classes         1000 (" },
                 { 1001, 0, NULL } };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        mp_dataset d = of_classes(sets[i].classes, *state);
        const char *text = text_of(&d, *state);
        if (sets[i].shown)
            holds(text, sets[i].shown);
        else
            assert_null(strstr(text, "classes "));
        assert_int_equal(mp_json_get(json_of(&d, *state), "class_counts")->count, sets[i].listed);
    }
}

/* "18 attributes + 3 node labels": 21 columns. */
static void sources_of_known_sets_add_up_to_their_columns(void **state)
{
    (void)state;
    int checked = 0;
    for (int i = 0; mp_known_at(i); i++) {
        const mp_known *k = mp_known_at(i);
        int sum = 0;
        if (strstr(k->source, "atom features")) continue; /* which have several columns each */
        for (const char *part = k->source; part; part = strstr(part, " + ") ? strstr(part, " + ") + 3 : NULL)
            sum += atoi(part);
        if (sum == 0) continue; /* in words */
        if (sum != k->columns) fail_msg("%s: %s are %d columns", k->name, k->source, k->columns);
        checked++;
    }
    assert_in_range(checked, 5, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(shapes_and_classes_are_counted),
        CASE(figures_that_are_not_the_papers_are_named),
        CASE(averages_agree_when_they_round_to_the_papers),
        CASE(sources_of_known_sets_add_up_to_their_columns),
        CASE(twenty_classes_are_shown_and_up_to_a_thousand_counted),
    };
    return cmocka_run_group_tests_name("data_stats", tests, NULL, NULL);
}
