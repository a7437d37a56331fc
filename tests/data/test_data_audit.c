/* test_data_audit.c - repeated graphs are found, different ones told apart, leaks between folds counted.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/audit.h"

typedef struct small {
    int nodes;
    const char *edges;  /* "0-1 1-2", within the graph */
    const char *labels; /* a digit a node */
    int label;
} small;

static mp_dataset build(const small *list, int n, mp_arena *a)
{
    mp_buf edges = { 0 }, owner = { 0 }, node = { 0 }, graph = { 0 };
    for (int b = 0, first = 1; b < n; first += list[b++].nodes) {
        for (const char *p = list[b].edges; *p; p += 4) {
            int i = first + p[0] - '0', j = first + p[2] - '0';
            mp_buf_printf(&edges, "%d, %d\n%d, %d\n", i, j, j, i);
            if (!p[3]) break;
        }
        for (int v = 0; v < list[b].nodes; v++) mp_buf_printf(&owner, "%d\n", b + 1);
        for (int v = 0; v < list[b].nodes; v++) mp_buf_printf(&node, "%c\n", list[b].labels[v]);
        mp_buf_printf(&graph, "%d\n", list[b].label);
    }
    mp_tu_files f = { .name = "T" };
    f.part[MP_TU_EDGES] = (mp_span){ edges.p, edges.n };
    f.part[MP_TU_INDICATOR] = (mp_span){ owner.p, owner.n };
    f.part[MP_TU_NODE_LABELS] = (mp_span){ node.p, node.n };
    f.part[MP_TU_GRAPH_LABELS] = (mp_span){ graph.p, graph.n };
    mp_raw raw;
    mp_dataset d;
    WORKS(mp_tu_parse(&f, a, &raw));
    WORKS(mp_dataset_build(&raw, NULL, a, &d));
    mp_buf_free(&edges);
    mp_buf_free(&owner);
    mp_buf_free(&node);
    mp_buf_free(&graph);
    return d;
}

static const small paths[] = {
    { 4, "0-1 1-2 2-3", "0011", 0 }, /* a path 0 0 1 1        */
    { 4, "3-0 0-2 2-1", "0101", 0 }, /* 1 0 0 1: another path */
    { 4, "2-0 0-3 3-1", "1001", 1 }, /* 0 1 1 0: another      */
    { 4, "1-0 0-3 3-2", "0010", 0 }, /* 0 0 0 1               */
    { 4, "2-3 3-0 0-1", "0110", 1 }, /* 1 0 0 1: the second one, with another label */
    { 4, "3-2 2-1 1-0", "1100", 0 }, /* 1 1 0 0: the first one */
};

static void renumbered_graphs_are_the_same_and_others_are_not(void **state)
{
    mp_dataset d = build(paths, 6, *state);
    mp_audit r;
    mp_audit_run(&d, NULL, *state, &r);
    assert_int_equal(r.groups, 2);
    assert_int_equal(r.repeated, 2);
    assert_int_equal(r.mixed, 1);
    assert_int_equal(r.mixed_graphs, 2);
    for (int k = 0; k < 2; k++) {
        const int *g = r.group + r.group_ptr[k];
        assert_true(r.is_mixed[k] ? g[0] == 1 && g[1] == 4 : g[0] == 0 && g[1] == 5);
    }
}

/* Two trees that agree for two rounds and differ in the third. */
static void refinement_goes_on_until_it_is_stable(void **state)
{
    static const small trees[] = {
        { 8, "0-1 1-2 2-3 3-4 4-5 5-6 2-7", "00000000", 0 },
        { 8, "0-1 1-2 2-3 3-4 4-5 5-6 3-7", "00000000", 0 },
    };
    mp_dataset d = build(trees, 2, *state);
    mp_audit r;
    mp_audit_run(&d, NULL, *state, &r);
    assert_int_equal(r.groups, 0);
}

static void odd_graphs_are_counted(void **state)
{
    static const small odd[] = { { 1, "", "0", 0 }, { 3, "", "000", 0 }, { 3, "0-1", "000", 1 } };
    mp_dataset d = build(odd, 3, *state);
    mp_audit r;
    mp_audit_run(&d, NULL, *state, &r);
    assert_int_equal(r.edgeless, 2);
    assert_int_equal(r.single_node, 1);
    assert_int_equal(r.isolated_nodes, 5);
    assert_int_equal(r.with_isolated, 3);
}

static void test_graphs_that_train_too_are_counted_by_fold(void **state)
{
    static const int train[] = { 0, 1 }, val[] = { 2 }, test[] = { 3, 4, 5 }, other[] = { 3, 4 };
    const mp_split split[] = { { 1, 2, 1, 3, train, val, test }, { 2, 2, 1, 2, other, val, train } };
    mp_folds f = { 2, split, "files", "two folds" };
    mp_dataset d = build(paths, 6, *state);
    mp_audit r;
    mp_audit_run(&d, &f, *state, &r);
    assert_int_equal(r.fold[0].repeated, 2);
    assert_int_equal(r.fold[0].conflicting, 1);
    assert_int_equal(r.fold[1].repeated, 1);
    mp_buf b = { 0 };
    mp_audit_text(&d, &r, &b);
    assert_non_null(strstr(b.p, "mixed groups      1, with 2 graphs"));
    mp_buf_free(&b);
    mp_audit_json(&d, &r, &b);
    assert_non_null(strstr(b.p, "\"mixed_groups\":1"));
    assert_non_null(strstr(b.p, "{\"fold\":1,\"repeated\":2,\"conflicting\":1}"));
    mp_buf_free(&b);
}

/* `n` graphs of each of `kinds` kinds (stars of different sizes), one kind after another; the first graph has a label of its
 * own, so the first kind is mixed. */
static mp_audit of_stars(int kinds, int n, mp_arena *a, mp_dataset *d)
{
    small *list = MP_NEW(a, small, kinds * n);
    for (int i = 0; i < kinds * n; i++) {
        int leaves = 1 + i / n;
        char *edges = MP_NEW(a, char, 4 * leaves + 1);
        for (int v = 0; v < leaves; v++) memcpy(edges + 4 * v, (char[]){ '0', '-', (char)('1' + v), ' ' }, 4);
        edges[4 * leaves - 1] = '\0';
        list[i] = (small){ leaves + 1, edges, "0000000000000000", i == 0 };
    }
    mp_audit r;
    *d = build(list, kinds * n, a);
    mp_audit_run(d, NULL, a, &r);
    assert_int_equal(r.groups, kinds);
    return r;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p++) n++;
    return n;
}

/* Groups come in the order of their colours, which means nothing. */
static void every_group_is_written_with_its_graphs(void **state)
{
    mp_dataset d;
    mp_audit r = of_stars(2, 2, *state, &d);
    mp_buf b = { 0 };
    mp_audit_text(&d, &r, &b);
    assert_non_null(strstr(b.p, "2 beyond the first of their kind, in 2 groups\n"));
    assert_int_equal(count(b.p, "\n  different labels: 0 1\n"), 1);
    assert_int_equal(count(b.p, "\n  same label: 2 3\n"), 1);
    assert_null(strstr(b.p, "attributes are not compared"));
    mp_buf_free(&b);
    mp_audit_json(&d, &r, &b);
    assert_int_equal(count(b.p, "{\"mixed\":true,\"graphs\":[0,1]}"), 1);
    assert_int_equal(count(b.p, "{\"mixed\":false,\"graphs\":[2,3]}"), 1);
    mp_buf_free(&b);
}

/* The text shows ten groups of twelve graphs and says that there are more; JSON has them all. */
static void a_long_list_of_groups_is_cut_in_words_alone(void **state)
{
    static const struct {
        int kinds, graphs, shown;
        const char *more; /* NULL: nothing is left out */
    } cases[] = { { 10, 2, 10, NULL },
                  { 11, 2, 10, "\n  and 1 more groups (--json lists all)\nwithout" },
                  { 1, 12, 1, NULL },
                  { 1, 13, 1, " 10 11 ...\n" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_dataset d;
        mp_audit r = of_stars(cases[i].kinds, cases[i].graphs, *state, &d);
        mp_buf b = { 0 };
        mp_audit_text(&d, &r, &b);
        assert_int_equal(count(b.p, "\n  same label:") + count(b.p, "\n  different labels:"), cases[i].shown);
        if (cases[i].more ? !strstr(b.p, cases[i].more) : strstr(b.p, "more groups") || strstr(b.p, "..."))
            fail_msg("%s", b.p);
        mp_buf_free(&b);
        mp_audit_json(&d, &r, &b);
        for (int k = 0; k < cases[i].kinds; k++)
            assert_int_equal(count(b.p, mp_arena_printf(*state, ",%d]}", (k + 1) * cases[i].graphs - 1)), 1);
        mp_buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(renumbered_graphs_are_the_same_and_others_are_not),
        CASE(refinement_goes_on_until_it_is_stable),
        CASE(odd_graphs_are_counted),
        CASE(test_graphs_that_train_too_are_counted_by_fold),
        CASE(every_group_is_written_with_its_graphs),
        CASE(a_long_list_of_groups_is_cut_in_words_alone),
    };
    return cmocka_run_group_tests_name("data_audit", tests, NULL, NULL);
}
