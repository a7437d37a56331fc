/* test_data_tu.c - the reader of TUDataset texts, its failures, and the features it makes.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/features.h"
#include "data/seal.h"

#include <math.h>

static void structure_is_read_sorted_and_symmetric(void **state)
{
    mp_tu_files f = two_graphs();
    mp_raw raw;
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_graph_check(&raw.graphs));
    assert_int_equal(raw.graphs.graphs, 2);
    assert_int_equal(raw.graphs.nodes, 6);
    assert_int_equal(raw.graphs.edges, 10);
    static const int col[] = { 1, 2, 0, 2, 0, 1, 3, 2, 5, 4 };
    assert_memory_equal(raw.graphs.col, col, sizeof col);
    assert_int_equal(raw.added_reverse + raw.self_loops + raw.repeated_edges, 0);
}

static void line_ends_and_spaces_do_not_matter(void **state)
{
    mp_tu_files f = two_graphs();
    f.part[MP_TU_INDICATOR] = mp_span_of("1\r\n 1\r\n1 \r\n1\r\n2\r\n2\n\n\n");
    f.part[MP_TU_EDGES] = mp_span_of("1,2\r\n2 ,1\n 2,  3\n3, 2\n1,\t3\n3, 1\n3, 4\n4, 3\n5, 6\n6, 5");
    mp_raw raw;
    WORKS(mp_tu_parse(&f, *state, &raw));
    assert_int_equal(raw.graphs.edges, 10);
}

static void self_loops_and_repeats_are_dropped_and_counted(void **state)
{
    mp_tu_files f = two_graphs();
    f.part[MP_TU_EDGES] = mp_span_of("4, 4\n1, 2\n2, 1\n1, 2\n2, 3\n3, 2\n2, 3\n1, 2\n5, 6\n6, 5\n6, 6\n");
    mp_raw raw;
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_graph_check(&raw.graphs));
    assert_int_equal(raw.graphs.edges, 6);
    assert_int_equal(raw.self_loops, 2);
    assert_int_equal(raw.repeated_edges, 3);
    assert_int_equal(raw.added_reverse, 0);
}

static void missing_reverses_are_added_and_counted(void **state)
{
    mp_tu_files f = two_graphs();
    f.part[MP_TU_EDGES] = mp_span_of("3, 1\n1, 2\n2, 1\n4, 3\n2, 3\n5, 6\n6, 5\n4, 3\n");
    mp_raw raw;
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_graph_check(&raw.graphs));
    assert_int_equal(raw.graphs.edges, 10);
    assert_int_equal(raw.added_reverse, 3);
    assert_int_equal(raw.repeated_edges, 1);
}

typedef struct bad {
    mp_tu_part part;
    const char *text, *message;
} bad;

static void every_bad_file_fails_with_its_name_and_line(void **state)
{
    static const bad cases[] = {
        { MP_TU_EDGES, "1, 2\n2, x\n", "T_A.txt:2: expected a node id, got 'x'" },
        { MP_TU_EDGES, "1, 2\n2, } ~\x7f\x1f\xff!\n",
          "T_A.txt:2: expected a node id, got '} ~\?\?\?!'" }, /* plain text alone */
        { MP_TU_EDGES, "1, 2\n2, abcdefghijklmnopqrstuvwxyz0123456789\n", "got 'abcdefghijklmnopqrstuvwxyz012345'" },
        { MP_TU_EDGES, "1, 2\n2, \r\n", "T_A.txt:2: expected a node id, the line ends here" },
        { MP_TU_EDGES, "1, 2\n2 1\n", "T_A.txt:2: expected a comma" },
        { MP_TU_EDGES, "1, 2\n\n2, 1\n", "T_A.txt:2: expected a node id, the line ends here" },
        { MP_TU_EDGES, "1, 2, 3\n", "T_A.txt:1: expected the end of the line" },
        { MP_TU_EDGES, "1, 2\n2, 7\n", "T_A.txt:2: node 7 is outside 1..6" },
        { MP_TU_EDGES, "0, 2\n", "T_A.txt:1: node 0 is outside 1..6" },
        { MP_TU_EDGES, "-1, 2\n", "T_A.txt:1: node -1 is outside 1..6" },
        { MP_TU_EDGES, "1, 99999999999999999999999\n", "T_A.txt:1: expected a node id" },
        { MP_TU_EDGES, "1, 4294967297\n", "T_A.txt:1: node 4294967297 is outside" },
        { MP_TU_EDGES, "1, 2\n4, 5\n", "T_A.txt:2: edge 4, 5 crosses from graph 1 to graph 2" },
        { MP_TU_EDGES, "", "T_A.txt: empty" },
        { MP_TU_EDGES, " \n\n", "T_A.txt: empty" },
        { MP_TU_EDGES, NULL, "T_A.txt: missing" },
        { MP_TU_INDICATOR, NULL, "T_graph_indicator.txt: missing" },
        { MP_TU_INDICATOR, "", "T_graph_indicator.txt: empty" },
        { MP_TU_INDICATOR, "1\n1\n2\n1\n", "T_graph_indicator.txt:4: graph 1 after graph 2; ids must not fall" },
        { MP_TU_INDICATOR, "1\n1\n3\n", "T_graph_indicator.txt:3: graph 2 has no nodes" },
        { MP_TU_INDICATOR, "2\n2\n", "T_graph_indicator.txt:1: graph 1 has no nodes" },
        { MP_TU_INDICATOR, "0\n1\n", "T_graph_indicator.txt:1: graph 0; ids begin with 1" },
        { MP_TU_INDICATOR, "1\n1.5\n", "T_graph_indicator.txt:2: expected one whole number" },
        { MP_TU_GRAPH_LABELS, "1\n", "T_graph_labels.txt: 1 lines for 2 graphs" },
        { MP_TU_GRAPH_LABELS, "1\n2\n3\n", "T_graph_labels.txt: 3 lines for 2 graphs" },
        { MP_TU_GRAPH_LABELS, "1\none\n", "T_graph_labels.txt:2: expected a whole number, got 'one'" },
        { MP_TU_GRAPH_LABELS, "", "T_graph_labels.txt: empty" },
        { MP_TU_NODE_LABELS, "1\n2\n", "T_node_labels.txt: 2 lines for 6 nodes" },
        { MP_TU_NODE_LABELS, "1\n2\n3\n4\n5\n6, 7\n", "T_node_labels.txt:6: expected the end of the line" },
        { MP_TU_NODE_LABELS, "1, 1\n2, 1\n3, 1\n4\n5, 1\n6, 1\n", "T_node_labels.txt:4: expected 2 columns" },
        { MP_TU_NODE_LABELS, "1\n2\n3\n4\n5\n9999999999\n", "T_node_labels.txt:6: label 9999999999 is too large" },
        { MP_TU_NODE_ATTRIBUTES, "1\n2\n3\nnan\n5\n6\n", "T_node_attributes.txt:4: expected a finite number" },
        { MP_TU_NODE_ATTRIBUTES, "1\n2\ninf\n4\n5\n6\n", "T_node_attributes.txt:3: expected a finite number" },
        { MP_TU_NODE_ATTRIBUTES, "1\n2\n1e999\n4\n5\n6\n", "T_node_attributes.txt:3: expected a finite number" },
        { MP_TU_NODE_ATTRIBUTES, "1\n2\n3\n-1e308\n5\n6\n",
          "T_node_attributes.txt:4: -1e+308 does not fit a 32-bit float" },
        { MP_TU_GRAPH_ATTRIBUTES, "1.5\n1e39\n", "T_graph_attributes.txt:2: 1e+39 does not fit a 32-bit float" },
        { MP_TU_NODE_ATTRIBUTES, "1,1\n2,1\n3\n4,1\n5,1\n6,1\n", "T_node_attributes.txt:3: expected 2 columns" },
        { MP_TU_NODE_ATTRIBUTES, "1\n2\n3,4\n4\n5\n6\n", "T_node_attributes.txt:3: expected 1 columns" },
        { MP_TU_NODE_ATTRIBUTES, "1\n2\n3\n", "T_node_attributes.txt: 3 lines for 6 nodes" },
        { MP_TU_GRAPH_ATTRIBUTES, "1.5\n", "T_graph_attributes.txt: 1 lines for 2 graphs" },
        { MP_TU_GRAPH_ATTRIBUTES, "1.5\n2, 3\n", "T_graph_attributes.txt:2: expected 1 columns, as on line 1" },
        { MP_TU_SPLITS, "train 0 1\n", "T_splits.txt: expected 3 to 5 parts" },
        { MP_TU_SPLITS, "train 0 1\nval 1 1\ntest 1 3\n", "T_splits.txt:3: expected a name" },
        { MP_TU_SPLITS, "train 0 1\nval 0 1\ntest 1 2\n", "T_splits.txt:2: overlaps" },
        { MP_TU_SPLITS, "a 0 1\nb 1 1\nc 1 1\nd 1 1\ne 1 1\nf 1 2\n", "T_splits.txt:6: more than 5 parts" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_tu_files f = two_graphs();
        f.part[cases[i].part] = cases[i].text ? mp_span_of(cases[i].text) : (mp_span){ NULL, 0 };
        mp_raw raw;
        FAILS(mp_tu_parse(&f, *state, &raw), cases[i].message);
    }
}

/* A text cut off anywhere is either a whole, shorter data set or a failure; never a crash. */
static void a_text_cut_off_anywhere_is_handled(void **state)
{
    mp_tu_files whole = two_graphs();
    whole.part[MP_TU_NODE_ATTRIBUTES] = mp_span_of("1, 0\n0.5, 2\n-1e-3, 0\n4, 4\n5, 5\n6, 0.125\n");
    for (int part = 0; part < 2; part++) {
        for (size_t n = 0; n < whole.part[part].n; n++) {
            mp_tu_files f = whole;
            char *copy = malloc(n + 1); /* of exactly this size, so that a sanitizer sees a step too far */
            memcpy(copy, f.part[part].p, n);
            f.part[part] = (mp_span){ copy, n };
            mp_raw raw;
            mp_err e = mp_tu_parse(&f, *state, &raw);
            if (e == MP_OK) WORKS(mp_graph_check(&raw.graphs));
            free(copy);
        }
    }
}

static void attributes_come_before_labels_and_zeros_are_not_stored(void **state)
{
    mp_tu_files f = two_graphs();
    f.part[MP_TU_NODE_ATTRIBUTES] = mp_span_of("1, 0\n0.5, 2\n-1e-3, 0\n0, 0\n5, 5\n6, 0.125\n");
    f.part[MP_TU_NODE_LABELS] = mp_span_of("3, -1\n5, 0\n3, 0\n4, 0\n3, 0\n3, -1\n");
    f.part[MP_TU_GRAPH_LABELS] = mp_span_of("7\n-2\n");
    mp_raw raw;
    mp_dataset d;
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_int_equal(d.x.cols, 2 + 3 + 2);
    assert_int_equal(d.recipe.attributes, 2);
    assert_int_equal(d.recipe.label_min[0], 3);
    assert_int_equal(d.recipe.label_min[1], -1);
    static const int ptr[] = { 0, 3, 7, 10, 12, 16, 20 };
    static const int col[] = { 0, 2, 5, 0, 1, 4, 6, 0, 2, 6, 3, 6, 0, 1, 2, 6, 0, 1, 2, 5 };
    assert_memory_equal(d.x.ptr, ptr, sizeof ptr);
    assert_memory_equal(d.x.col, col, sizeof col);
    assert_true(d.x.val[3] == (mp_real)0.5 && d.x.val[7] == (mp_real)-1e-3 && d.x.val[17] == (mp_real)0.125);
    assert_int_equal(d.classes, 2);
    assert_int_equal(d.class_value[0], -2);
    mp_labels labels = mp_seal_break(d.seal);
    assert_int_equal(labels.columns, 1);
    assert_true(labels.v[0] == 1 && labels.v[1] == 0);
}

static void without_labels_and_attributes_degrees_are_one_hot(void **state)
{
    mp_tu_files f = two_graphs();
    mp_raw raw;
    mp_dataset d;
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_int_equal(d.x.cols, 4);
    assert_null(d.x.val);
    assert_null(d.seal);
    static const int col[] = { 2, 2, 3, 1, 1, 1 };
    assert_memory_equal(d.x.col, col, sizeof col);
}

/* A star of 1001 nodes: the largest degree is 1000. */
static void degrees_of_a_thousand_are_normalised_with_the_unbiased_deviation(void **state)
{
    mp_buf edges = { 0 }, indicator = { 0 };
    for (int v = 2; v <= 1001; v++) mp_buf_printf(&edges, "1,%d\n%d,1\n", v, v);
    for (int v = 1; v <= 1001; v++) mp_buf_puts(&indicator, "1\n");
    mp_tu_files f = { .name = "T" };
    f.part[MP_TU_EDGES] = (mp_span){ edges.p, edges.n };
    f.part[MP_TU_INDICATOR] = (mp_span){ indicator.p, indicator.n };
    mp_raw raw;
    mp_dataset d;
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    double mean = 2000.0 / 1001;
    double std = sqrt(((1000 - mean) * (1000 - mean) + 1000 * (1 - mean) * (1 - mean)) / 1000);
    assert_int_equal(d.x.cols, 1);
    assert_true(fabs((double)d.x.val[0] - (1000 - mean) / std) < 1e-4);
    assert_true(fabs((double)d.x.val[7] - (1 - mean) / std) < 1e-6);
    mp_buf_free(&edges);
    mp_buf_free(&indicator);
}

static mp_dataset with_labels(const char *labels, const mp_dataset_as *as, mp_arena *a, mp_err *e)
{
    mp_tu_files f = two_graphs();
    f.part[MP_TU_NODE_LABELS] = mp_span_of(labels);
    f.part[MP_TU_GRAPH_LABELS] = mp_span_of("1\n5\n");
    mp_raw raw;
    mp_dataset d = { 0 };
    *e = mp_tu_parse(&f, a, &raw);
    if (*e == MP_OK) *e = mp_dataset_build(&raw, as, a, &d);
    return d;
}

static void a_models_recipe_and_classes_apply_to_other_files(void **state)
{
    mp_err e;
    static const int64_t values[] = { 0, 1, 5 }, others[] = { 0, 1, 9 };
    mp_dataset first = with_labels("0\n1\n2\n3\n4\n5\n", NULL, *state, &e);
    mp_dataset_as as = { .recipe = &first.recipe, .task = &mp_task_classify, .classes = 3, .class_value = values };
    mp_dataset other = with_labels("5\n5\n5\n5\n5\n5\n", &as, *state, &e);
    WORKS(e);
    assert_int_equal(other.x.cols, 6);
    assert_int_equal(other.x.col[0], 5);
    assert_int_equal(other.classes, 3);
    assert_true(mp_seal_break(other.seal).v[0] == 1);
    assert_true(mp_seal_break(other.seal).v[1] == 2);
    with_labels("5\n5\n5\n5\n6\n5\n", &as, *state, &e);
    FAILS(e, "T_node_labels.txt:5: graph 1 has node label 6; the model knows 0 to 5");
    as.class_value = others;
    with_labels("5\n5\n5\n5\n5\n5\n", &as, *state, &e);
    FAILS(e, "T_graph_labels.txt:2: class 5; the model knows 0, 1, 9");
}

static void a_model_that_needs_labels_refuses_files_without(void **state)
{
    mp_err e;
    mp_dataset first = with_labels("0\n1\n2\n3\n4\n5\n", NULL, *state, &e);
    mp_dataset_as as = { .recipe = &first.recipe };
    mp_tu_files f = two_graphs();
    mp_raw raw;
    mp_dataset d;
    WORKS(mp_tu_parse(&f, *state, &raw));
    FAILS(mp_dataset_build(&raw, &as, *state, &d), "0 node label columns, the model needs 1");
}

static void a_degree_the_model_does_not_know_gives_an_empty_row(void **state)
{
    mp_recipe r = { .degree = MP_DEGREE_ONE_HOT, .degree_max = 2 };
    mp_dataset_as as = { .recipe = &r };
    mp_tu_files f = two_graphs();
    mp_raw raw;
    mp_dataset d;
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, &as, *state, &d));
    assert_int_equal(d.unseen_nodes, 1);
    assert_int_equal(d.x.cols, 3);
    assert_int_equal(d.x.ptr[2], d.x.ptr[3]);
}

/* The attention column of COLORS-3 sums to the label: as an input it would give the answer away. */
static void attention_columns_are_never_inputs(void **state)
{
    mp_tu_files f = two_graphs();
    mp_raw raw;
    mp_dataset d;
    f.name = "COLORS-3";
    f.part[MP_TU_NODE_ATTRIBUTES] = mp_span_of("1,0,1,0,0\n0,1,0,0,0\n0,1,0,0,0\n0,0,0,1,0\n1,0,1,0,0\n1,0,1,0,0\n");
    f.part[MP_TU_GRAPH_LABELS] = mp_span_of("1\n2\n");
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_int_equal(d.x.cols, 4);
    assert_null(d.x.val);
    static const int col[] = { 1, 0, 0, 2, 1, 1 };
    assert_memory_equal(d.x.col, col, sizeof col);
    assert_ptr_equal(d.task, &mp_task_count);
    assert_true(mp_seal_break(d.seal).v[1] == 2);

    f.name = "TRIANGLES";
    f.part[MP_TU_NODE_ATTRIBUTES] = mp_span_of("1\n1\n1\n0\n0\n0\n");
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_int_equal(d.x.cols, 15);
    assert_int_equal(d.recipe.attributes, 0);
}

static void targets_without_labels_make_a_regression(void **state)
{
    mp_tu_files f = two_graphs();
    f.part[MP_TU_GRAPH_ATTRIBUTES] = mp_span_of("1.25\n-3e-2\n");
    mp_raw raw;
    mp_dataset d;
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_ptr_equal(d.task, &mp_task_regress);
    assert_int_equal(d.classes, 0);
    assert_int_equal(d.targets, 1);
    assert_true(mp_seal_break(d.seal).v[1] == -3e-2);
}

static void several_targets_a_graph_are_columns_and_those_missing_are_nan(void **state)
{
    mp_tu_files f = two_graphs();
    mp_raw raw;
    mp_dataset d, other;
    f.part[MP_TU_GRAPH_ATTRIBUTES] = mp_span_of("1.5, NaN,-2\n,4 , \n");
    WORKS(mp_tu_parse(&f, *state, &raw));
    assert_int_equal(raw.target_columns, 3);
    assert_true(raw.target[0] == 1.5 && isnan(raw.target[1]) && raw.target[2] == -2);
    assert_true(isnan(raw.target[3]) && raw.target[4] == 4 && isnan(raw.target[5]));
    f.part[MP_TU_GRAPH_ATTRIBUTES] = mp_span_of("2\n\n"); /* the last of one column */
    WORKS(mp_tu_parse(&f, *state, &raw));
    assert_true(raw.target[0] == 2 && isnan(raw.target[1]));
    f.part[MP_TU_GRAPH_ATTRIBUTES] = mp_span_of("nan\n2\n");
    WORKS(mp_tu_parse(&f, *state, &raw));
    assert_true(isnan(raw.target[0]) && raw.target[1] == 2);
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_ptr_equal(d.task, &mp_task_regress);
    assert_int_equal(mp_seal_known(d.seal, (const int[]){ 0, 1 }, 2), 1);
    f.part[MP_TU_GRAPH_ATTRIBUTES] = mp_span_of("1,0\n,1\n");
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_ptr_equal(d.task, &mp_task_binary);
    assert_int_equal(d.targets, 2);
    FAILS(mp_dataset_retask(&d, &mp_task_classify, *state, &other), "T: classes must be one whole number a graph");
    f.part[MP_TU_GRAPH_ATTRIBUTES] = mp_span_of("7\n5\n");
    WORKS(mp_tu_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    WORKS(mp_dataset_retask(&d, &mp_task_classify, *state, &other));
    assert_int_equal(other.classes, 2);
    assert_int_equal(other.class_value[0], 5);
    assert_true(mp_seal_break(other.seal).v[0] == 1);
    WORKS(mp_dataset_retask(&other, &mp_task_binary, *state, &d));
    assert_true(mp_seal_break(d.seal).v[0] == 1 && mp_seal_break(d.seal).v[1] == 0);
    WORKS(mp_dataset_retask(&other, &mp_task_regress, *state, &d));
    assert_true(mp_seal_break(d.seal).v[0] == 7 && d.fingerprint != other.fingerprint);
}

static void the_fingerprint_sees_edges_features_and_labels(void **state)
{
    uint64_t seen[4];
    for (int i = 0; i < 4; i++) {
        mp_tu_files f = two_graphs();
        f.part[MP_TU_GRAPH_LABELS] = mp_span_of(i == 1 ? "2\n1\n" : "1\n2\n");
        f.part[MP_TU_NODE_LABELS] = mp_span_of(i == 2 ? "0\n0\n1\n0\n0\n0\n" : "0\n0\n0\n1\n0\n0\n");
        if (i == 3) f.part[MP_TU_EDGES] = mp_span_of("1,2\n2,1\n2,3\n3,2\n1,3\n3,1\n2,4\n4,2\n5,6\n6,5\n");
        mp_raw raw;
        mp_dataset d;
        WORKS(mp_tu_parse(&f, *state, &raw));
        WORKS(mp_dataset_build(&raw, NULL, *state, &d));
        seen[i] = d.fingerprint;
        for (int j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
    }
}

static void numbers_read_as_strtod_reads_them(void **state)
{
    static const char *const text[] = { "0",
                                        "-0",
                                        "1",
                                        "0.1",
                                        "-3.25",
                                        "123456.789",
                                        "1e-3",
                                        "1E+5",
                                        ".5",
                                        "5.",
                                        "000.250",
                                        "0.000001",
                                        "98765432",
                                        "123456789012345678",
                                        "3.4028235e38",
                                        "1e-45",
                                        "0.30000000000000004" };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        mp_tu_files f = two_graphs();
        f.part[MP_TU_GRAPH_ATTRIBUTES] = mp_span_of(mp_arena_printf(*state, "%s\n%s", text[i], text[i]));
        mp_raw raw;
        WORKS(mp_tu_parse(&f, *state, &raw));
        assert_true(raw.target[0] == strtod(text[i], NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(structure_is_read_sorted_and_symmetric),
        CASE(line_ends_and_spaces_do_not_matter),
        CASE(self_loops_and_repeats_are_dropped_and_counted),
        CASE(missing_reverses_are_added_and_counted),
        CASE(every_bad_file_fails_with_its_name_and_line),
        CASE(a_text_cut_off_anywhere_is_handled),
        CASE(attributes_come_before_labels_and_zeros_are_not_stored),
        CASE(without_labels_and_attributes_degrees_are_one_hot),
        CASE(degrees_of_a_thousand_are_normalised_with_the_unbiased_deviation),
        CASE(a_models_recipe_and_classes_apply_to_other_files),
        CASE(a_model_that_needs_labels_refuses_files_without),
        CASE(a_degree_the_model_does_not_know_gives_an_empty_row),
        CASE(attention_columns_are_never_inputs),
        CASE(targets_without_labels_make_a_regression),
        CASE(several_targets_a_graph_are_columns_and_those_missing_are_nan),
        CASE(the_fingerprint_sees_edges_features_and_labels),
        CASE(numbers_read_as_strtod_reads_them),
    };
    return cmocka_run_group_tests_name("data_tu", tests, NULL, NULL);
}
