/* test_data_edges.c - labels and attributes of edges: from files to edge_x, and what is said about those nobody wants.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/gather.h"

#define LABELS     "1\n1\n2\n2\n5\n5\n1\n1\n2\n2\n"
#define ATTRIBUTES "0, 1\n0, 1\n.5, 0\n.5, 0\n0, 0\n0, 0\n0, 1\n0, 1\n-2, 3\n-2, 3\n"

static mp_tu_files with_edges(const char *labels, const char *attributes)
{
    mp_tu_files f = two_graphs();
    f.edges = true;
    if (labels) f.part[MP_TU_EDGE_LABELS] = mp_span_of(labels);
    if (attributes) f.part[MP_TU_EDGE_ATTRIBUTES] = mp_span_of(attributes);
    return f;
}

static mp_err build(const mp_tu_files *f, const mp_dataset_as *as, mp_arena *a, mp_dataset *d)
{
    mp_raw raw;
    MP_TRY(mp_tu_parse(f, a, &raw));
    return mp_dataset_build(&raw, as, a, d);
}

/* Rows of the graph are 1-2 1-3 | 1-2 2-3 | 1-3 2-3 3-4 | 3-4 || 5-6 | 5-6. */
static const int expected[] = { 1, 5, 1, 2, 5, 2, 1, 1, 2, 2 };

static void values_stand_in_the_order_of_the_graph_the_same_from_both_ends(void **state)
{
    mp_tu_files f = with_edges(LABELS, ATTRIBUTES);
    mp_raw raw;
    WORKS(mp_tu_parse(&f, *state, &raw));
    assert_int_equal(raw.edge_label_columns, 1);
    assert_memory_equal(raw.edge_labels, expected, sizeof expected);
    static const int ptr[] = { 0, 1, 1, 2, 3, 3, 4, 5, 6, 8, 10 };
    static const int col[] = { 1, 1, 0, 0, 1, 1, 0, 1, 0, 1 };
    assert_int_equal(raw.edge_attributes.cols, 2);
    assert_memory_equal(raw.edge_attributes.ptr, ptr, sizeof ptr);
    assert_memory_equal(raw.edge_attributes.col, col, sizeof col);
    assert_true(raw.edge_attributes.val[2] == (mp_real)0.5 && raw.edge_attributes.val[9] == 3);
    assert_int_equal(raw.edge_columns_unread, 0);
}

static void an_edge_that_was_added_takes_the_values_of_its_twin(void **state)
{
    mp_tu_files f = with_edges("5\n1\n7\n1\n2\n1\n2\n", NULL);
    mp_raw raw;
    f.part[MP_TU_EDGES] = mp_span_of("3, 1\n1, 2\n4, 4\n4, 3\n2, 3\n1, 2\n5, 6\n");
    WORKS(mp_tu_parse(&f, *state, &raw));
    assert_int_equal(raw.added_reverse, 5);
    assert_memory_equal(raw.edge_labels, expected, sizeof expected);
}

static void values_that_differ_between_ends_are_refused_with_both_lines(void **state)
{
    static const struct {
        const char *labels, *attributes, *message;
    } cases[] = {
        { "1\n1\n2\n3\n5\n5\n1\n1\n2\n2\n", NULL,
          "T_edge_labels.txt:4: the edge of nodes 3 and 2 has other values on line 3" },
        { LABELS, "1\n1\n1\n1\n1\n1\n1\n1\n1\n1.5\n",
          "T_edge_attributes.txt:10: the edge of nodes 6 and 5 has other values on line 9" },
        { NULL, "0\n1\n1\n1\n1\n1\n1\n1\n1\n1\n",
          "T_edge_attributes.txt:2: the edge of nodes 2 and 1 has other values on line 1" },
        { "1\n1\n", NULL, "T_edge_labels.txt: 2 lines for 10 edges" },
        { NULL, "1\n1\n", "T_edge_attributes.txt: 2 lines for 10 edges" },
        { "1\n1\n2\n2\n5\n5\n1\nx\n2\n2\n", NULL, "T_edge_labels.txt:8: expected a whole number, got 'x'" },
        { NULL, "1\n1\n1\n1\n1\ninf\n1\n1\n1\n1\n", "T_edge_attributes.txt:6: expected a finite number" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_tu_files f = with_edges(cases[i].labels, cases[i].attributes);
        mp_raw raw;
        FAILS(mp_tu_parse(&f, *state, &raw), cases[i].message);
    }
}

static void attributes_come_first_then_each_label_one_hot(void **state)
{
    mp_tu_files f = with_edges(LABELS, ATTRIBUTES);
    mp_dataset d, copy;
    WORKS(build(&f, NULL, *state, &d));
    assert_int_equal(d.recipe.edge_attributes, 2);
    assert_int_equal(d.recipe.edge_label_columns, 1);
    assert_int_equal(d.recipe.edge_label_min[0], 1);
    assert_int_equal(d.recipe.edge_label_count[0], 5);
    assert_int_equal(d.edge_x.cols, 7);
    assert_int_equal(d.edge_x.rows, 10);
    static const int row8[] = { 0, 1, 3 };
    assert_int_equal(d.edge_x.ptr[9] - d.edge_x.ptr[8], 3);
    assert_memory_equal(d.edge_x.col + d.edge_x.ptr[8], row8, sizeof row8);
    assert_true(d.edge_x.val[d.edge_x.ptr[8]] == -2 && d.edge_x.val[d.edge_x.ptr[8] + 2] == 1);
    copy = d;
    d.edge_x = (mp_sparse){ 0 };
    assert_ptr_equal(copy.graphs.edge_x->col, copy.edge_x.col);

    f = with_edges(LABELS, NULL);
    WORKS(build(&f, NULL, *state, &d));
    assert_null(d.edge_x.val); /* all 1 */
}

static void values_nobody_wants_change_nothing_and_are_counted(void **state)
{
    mp_tu_files plain = two_graphs(), f = with_edges(LABELS, ATTRIBUTES), unread = f;
    mp_dataset p, used, d;
    unread.edges = false;
    unread.part[MP_TU_EDGE_LABELS] = mp_span_of("1\nnever looked at");
    WORKS(build(&plain, NULL, *state, &p));
    WORKS(build(&f, NULL, *state, &used));
    WORKS(build(&unread, NULL, *state, &d));
    assert_true(d.fingerprint == p.fingerprint && used.fingerprint != p.fingerprint);
    assert_int_equal(d.unused_edge_columns, 3);
    assert_int_equal(used.unused_edge_columns, 0);
    assert_null(d.graphs.edge_x);

    mp_dataset_as as = { .recipe = &p.recipe };
    assert_false(mp_dataset_wants_edges(&as));
    WORKS(build(&f, &as, *state, &d)); /* read for another reason, and a model that takes none */
    assert_null(d.graphs.edge_x);
    assert_int_equal(d.unused_edge_columns, 3);
    as = (mp_dataset_as){ .edges = true };
    assert_true(mp_dataset_wants_edges(&as) && !mp_dataset_wants_edges(NULL));
}

static void a_model_gets_its_own_columns_or_an_error(void **state)
{
    mp_tu_files f = with_edges(LABELS, NULL);
    mp_dataset first, d;
    WORKS(build(&f, NULL, *state, &first));
    mp_dataset_as as = { .recipe = &first.recipe };
    assert_true(mp_dataset_wants_edges(&as));
    f = with_edges("2\n2\n2\n2\n2\n2\n2\n2\n2\n2\n", NULL);
    WORKS(build(&f, &as, *state, &d));
    assert_int_equal(d.edge_x.cols, 5);
    assert_int_equal(d.edge_x.col[0], 1);
    f = with_edges("2\n2\n2\n2\n2\n2\n6\n6\n2\n2\n", NULL);
    FAILS(build(&f, &as, *state, &d), "T: graph 0: the edge of its nodes 2 and 3 has label 6; the model knows 1 to 5");
    f = with_edges(NULL, ATTRIBUTES);
    FAILS(build(&f, &as, *state, &d), "T: 2 attributes of edges, the model needs 0");
    f = with_edges(NULL, NULL);
    FAILS(build(&f, &as, *state, &d), "T: 0 label columns of edges, the model needs 1");
}

/* The head of a file is all that is read of it when nobody wants it. */
static void files_written_are_read_back_and_only_when_wanted(void **state)
{
    mp_tu_files f = with_edges(LABELS, ATTRIBUTES);
    mp_raw raw, again;
    const char *folder = new_folder(*state);
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_tu_write(&raw, folder));
    mp_gather wanted = { .where = folder, .text = *state, .keep = *state, .edges = true };
    WORKS(mp_gather_folder(&wanted, folder));
    WORKS(mp_tu_parse(&wanted.files, *state, &again));
    assert_memory_equal(again.edge_labels, expected, sizeof expected);
    assert_memory_equal(again.edge_attributes.ptr, raw.edge_attributes.ptr, 11 * sizeof(int));
    assert_memory_equal(again.edge_attributes.val, raw.edge_attributes.val, 10 * sizeof(mp_real));

    mp_buf large = { 0 };
    mp_buf_puts(&large, "1,2,3\n");
    while (large.n < 3 * MP_GATHER_HEAD) mp_buf_puts(&large, "4,5,6\n");
    WORKS(mp_write_file(mp_arena_printf(*state, "%s/T_edge_labels.txt", folder), large.p, large.n));
    mp_buf_free(&large);
    mp_gather head = { .where = folder, .text = *state, .keep = *state };
    WORKS(mp_gather_folder(&head, folder));
    assert_int_equal(head.files.part[MP_TU_EDGE_LABELS].n, MP_GATHER_HEAD);
    WORKS(mp_tu_parse(&head.files, *state, &again));
    assert_int_equal(again.edge_columns_unread, 5);
    assert_null(again.edge_labels);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(values_stand_in_the_order_of_the_graph_the_same_from_both_ends),
        CASE(an_edge_that_was_added_takes_the_values_of_its_twin),
        CASE(values_that_differ_between_ends_are_refused_with_both_lines),
        CASE(attributes_come_first_then_each_label_one_hot),
        CASE(values_nobody_wants_change_nothing_and_are_counted),
        CASE(a_model_gets_its_own_columns_or_an_error),
        CASE(files_written_are_read_back_and_only_when_wanted),
    };
    return cmocka_run_group_tests_name("data_edges", tests, NULL, NULL);
}
