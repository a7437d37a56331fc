/* test_data_jsonl.c - JSON lines as a data set: what is read, every failure with its line, and there and back again.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"
#include "pour.h"
#include "same_raw.h"

#include "data/gather.h"
#include "data/jsonl.h"
#include "data/load.h"
#include "data/seal.h"
#include "data/stream.h"

static const mp_dataset_as with_edges = { .edges = true };

static mp_err read_text(const char *text, const mp_dataset_as *as, mp_arena *a, mp_raw *out)
{
    memory m = { mp_span_of(text), 7 };
    return mp_jsonl_read("in", NULL, "SET", (mp_tap){ pour, leave, &m }, as, a, out);
}

static const char all_keys[] =
    "{\"nodes\":3,\"edges\":[[0,1],[2,1]],\"labels\":[[1,-2],[3,4],[5,6]],\"attributes\":[[0.5,0],[0,2],[0,0]],"
    "\"edge_labels\":[7,8],\"edge_attributes\":[[0,1],[-1.25,0]],\"y\":4}\n"
    "{\"nodes\":1,\"labels\":[[0,0]],\"attributes\":[[1,1]],\"y\":-3}\n"
    "{\"nodes\":2,\"edges\":[[1,0],[0,1],[1,1]],\"labels\":[[9,9],[9,9]],\"attributes\":[[1,1],[3,0]],"
    "\"edge_labels\":[2,2,6],\"edge_attributes\":[[0,0],[0,0],[5,5]],\"y\":4}";

static void every_key_is_read(void **state)
{
    mp_raw raw;
    WORKS(read_text(all_keys, &with_edges, *state, &raw));
    WORKS(mp_graph_check(&raw.graphs));
    assert_string_equal(raw.name, "SET");
    static const int node_ptr[] = { 0, 3, 4, 6 }, col[] = { 1, 0, 2, 1, 5, 4 };
    static const int labels[] = { 1, -2, 3, 4, 5, 6, 0, 0, 9, 9, 9, 9 }, edge_labels[] = { 7, 7, 8, 8, 2, 2 };
    static const int ptr[] = { 0, 1, 2, 2, 4, 6, 7 }, edge_ptr[] = { 0, 1, 2, 3, 4, 4, 4 };
    static const int64_t y[] = { 4, -3, 4 };
    same_ints(raw.graphs.node_ptr, node_ptr, 4);
    same_ints(raw.graphs.col, col, 6);
    assert_int_equal(raw.label_columns, 2);
    same_ints(raw.labels, labels, 12);
    assert_int_equal(raw.edge_label_columns, 1);
    same_ints(raw.edge_labels, edge_labels, 6);
    same_ints(raw.attributes.ptr, ptr, 7);
    same_ints(raw.edge_attributes.ptr, edge_ptr, 7);
    assert_true(raw.attributes.val[0] == (mp_real)0.5 && raw.edge_attributes.val[2] == (mp_real)-1.25);
    assert_memory_equal(raw.graph_label, y, sizeof y);
    assert_null(raw.target);
    assert_int_equal(raw.self_loops, 1);
}

static void values_of_edges_nobody_wants_are_counted(void **state)
{
    mp_raw raw;
    WORKS(read_text(all_keys, NULL, *state, &raw));
    assert_int_equal(raw.edge_columns_unread, 3);
    assert_int_equal(raw.edge_label_columns + raw.edge_attributes.cols, 0);
}

#define ONE  "{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[0,1],\"edge_labels\":[1],\"y\":1}\n"
#define BARE "{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[0,1]}\n"

static void every_bad_line_fails_with_file_and_line(void **state)
{
    static const char *const rows[][2] = {
        { "", "in: holds no graphs" },
        { "{\"dataset\":\"A\"}\n", "in: holds no graphs" },
        { ONE "{\"nodes\":2,", "in:2: " },
        { ONE "\n" ONE, "in:2: the text ends where a value should be" },
        { ONE "{\"dataset\":\"A\"}\n", "in:2: 'nodes' is missing" },
        { "{\"dataset\":\"A\",\"split\":3}\n" ONE, "in:1: no such key 'split'; did you mean 'splits'?" },
        { "{\"dataset\":3}\n" ONE, "in:1: 'dataset' should be a string" },
        { "{\"dataset\":\"../x\"}\n" ONE, "in:1: \"dataset\": expected a name" },
        { "{\"dataset\":\"A\",\"splits\":[\"a\",\"b\"]}\n" ONE, "in:1: \"splits\": expected 3 to 5 names" },
        { "{\"dataset\":\"A\",\"splits\":[\"a\",\"b\",\"c d\"]}\n" ONE, "in:1: \"splits\": expected names of 1 to 32" },
        { "{\"dataset\":\"A\",\"label_names\":[\"a\",3]}\n" ONE, "in:1: \"label_names\": expected a list of texts" },
        { "{\"dataset\":\"A\",\"label_names\":[]}\n" ONE, "in:1: \"label_names\": expected a list of texts" },
        { "{\"dataset\":\"A\",\"label_names\":[\"a\",\"b\"]}\n{\"nodes\":1,\"y\":[1]}",
          "in:1: \"label_names\": 2 names for 1 targets" },
        { "{\"dataset\":\"A\",\"split_kind\":\"../x\"}\n" ONE, "in:1: \"split_kind\": expected a name" },
        { "{\"dataset\":\"A\",\"label_range\":[0]}\n" ONE, "in:1: " },
        { "{\"dataset\":\"A\",\"label_range\":[]}\n" ONE, "in:1: \"label_range\": expected 1 to 16 numbers" },
        { "{\"dataset\":\"A\",\"label_range\":[1]}\n" ONE,
          "in:2: \"labels\": column 1 of row 2 is 1; expected 0 to 0" },
        { "{\"dataset\":\"A\",\"label_range\":[2,2]}\n" ONE,
          "in:2: \"labels\": 1 columns; the line about the set has" },
        { "{\"dataset\":\"A\",\"edge_label_range\":[1]}\n" ONE,
          "in:2: \"edge_labels\": column 1 of row 1 is 1; expected 0 to 0" },
        { "{\"nodes\":1,\"smiles\":\"C\"}\n{\"nodes\":1}\n", "in:2: \"smiles\" is missing; the lines before have it" },
        { "{\"nodes\":1}\n{\"nodes\":1,\"id\":\"C\"}\n", "in:2: \"id\": the lines before have none" },
        { "{\"nodes\":1,\"smiles\":3}\n", "in:1: \"smiles\": expected a molecule as a text" },
        { ONE "{\"nodes\":2,\"edges\":[[0,2]],\"labels\":[0,1],\"edge_labels\":[1],\"y\":1}",
          "in:2: edge 0 joins nodes 0 and 2, but nodes are 0 to 1" },
        { ONE "{\"nodes\":2,\"labels\":[0],\"y\":1}", "in:2: \"labels\" has 1 rows for 2 nodes" },
        { ONE "{\"nodes\":2,\"labels\":[[0,1],[0,1]],\"y\":1}", "in:2: \"labels\": expected rows of 1" },
        { ONE "{\"nodes\":2,\"y\":1}", "in:2: \"labels\" is missing; the lines before have it" },
        { ONE "{\"nodes\":2,\"labels\":[0,1],\"attributes\":[1,1],\"y\":1}",
          "in:2: \"attributes\": the lines before have none" },
        { ONE "{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[0,1],\"y\":1}",
          "in:2: \"edge_labels\" is missing; the lines before have it" },
        { ONE "{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[0,1],\"edge_labels\":[1],\"edge_attributes\":[1],\"y\":1}",
          "in:2: \"edge_attributes\": the lines before have none" },
        { ONE "{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[0,1],\"edge_labels\":[1,2],\"y\":1}",
          "in:2: \"edge_labels\" has 2 rows for 1 edges" },
        { ONE "{\"nodes\":2,\"edges\":[[0,1],[1,0]],\"labels\":[0,1],\"edge_labels\":[1,2],\"y\":1}",
          "in:2: edges 0 and 1 join the same nodes, 1 and 0, with other labels" },
        { "{\"nodes\":2,\"x\":[1,2],\"labels\":[0,1]}", "in:1: \"x\": finished features exclude" },
        { "{\"nodes\":1,\"labels\":[[]]}", "in:1: \"labels\": expected rows of at least one number" },
        { "{\"nodes\":1,\"labels\":[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]]}",
          "in:1: \"labels\": 17 label columns" },
        { ONE "{\"nodes\":2,\"labels\":[0,1],\"y\":\"one\"}", "in:2: \"y\": a text, but a number on line 1" },
        { ONE "{\"nodes\":2,\"labels\":[0,1],\"y\":[1]}", "in:2: \"y\": a list, but a number on line 1" },
        { ONE "{\"nodes\":2,\"labels\":[0,1],\"y\":true}", "in:2: \"y\": expected a number, the name of a class" },
        { ONE "{\"nodes\":2,\"labels\":[0,1],\"y\":1e39}", "in:2: \"y\": the number does not fit a 32-bit float" },
        { ONE BARE, "in:2: \"edge_labels\" is missing" },
        { "{\"nodes\":1,\"y\":1}\n{\"nodes\":1}\n", "in:2: \"y\" is missing, and the others are classes" },
        { "{\"nodes\":1,\"y\":null}\n{\"nodes\":1,\"y\":\"a\"}\n",
          "in:1: \"y\" is missing, and the others are classes" },
        { "{\"nodes\":1,\"y\":\"\"}\n", "in:1: \"y\": expected the name of a class, got an empty text" },
        { "{\"nodes\":1,\"y\":[1,2]}\n{\"nodes\":1,\"y\":[1]}\n", "in:2: \"y\": 1 targets, but 2 on line 1" },
        { "{\"nodes\":1,\"y\":[]}\n", "in:1: \"y\": expected at least one target" },
        { "{\"nodes\":1,\"y\":[\"1\"]}\n", "in:1: \"y\": expected a list of numbers, null where one is missing" },
        { "{\"nodes\":1,\"split\":\"tst\"}\n", "in:1: \"split\": no part 'tst'; expected one of train, val, test" },
        { "{\"nodes\":1}\n{\"nodes\":1,\"split\":\"train\"}\n{\"nodes\":1,\"split\":\"test\"}\n",
          "in:2: \"split\": no graph is in the part 'val'" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mp_raw raw;
        FAILS(read_text(rows[i][0], &with_edges, *state, &raw), rows[i][1]);
    }
}

static void names_of_classes_are_sorted_and_kept(void **state)
{
    mp_raw raw;
    mp_dataset d;
    WORKS(read_text("{\"nodes\":1,\"y\":\"toxic\"}\n{\"nodes\":2,\"y\":\"fine\"}\n{\"nodes\":2,\"y\":\"toxic\"}\n",
                    NULL, *state, &raw));
    static const int64_t labels[] = { 1, 0, 1 };
    assert_memory_equal(raw.graph_label, labels, sizeof labels);
    assert_string_equal(raw.class_name[0], "fine");
    assert_string_equal(raw.class_name[1], "toxic");
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_int_equal(d.classes, 2);
    assert_string_equal(d.class_name[1], "toxic");
}

static void numbers_are_classes_when_all_are_whole_and_targets_otherwise(void **state)
{
    mp_raw raw;
    WORKS(read_text("{\"nodes\":1,\"y\":2}\n{\"nodes\":1,\"y\":1.0}\n", NULL, *state, &raw));
    assert_true(raw.graph_label && !raw.target && raw.graph_label[1] == 1);
    WORKS(read_text("{\"nodes\":1,\"y\":2}\n{\"nodes\":1,\"y\":1.5}\n{\"nodes\":1,\"y\":null}\n", NULL, *state, &raw));
    assert_true(!raw.graph_label && raw.target_columns == 1);
    assert_true(raw.target[0] == 2 && raw.target[1] == 1.5 && isnan(raw.target[2]));
    WORKS(read_text("{\"nodes\":1}\n{\"nodes\":1,\"y\":[1,null]}\n{\"nodes\":1,\"y\":[3,4]}\n", NULL, *state, &raw));
    assert_true(!raw.graph_label && raw.target_columns == 2);
    assert_true(isnan(raw.target[0]) && isnan(raw.target[1]) && raw.target[2] == 1 && isnan(raw.target[3]));
    assert_true(raw.target[4] == 3 && raw.target[5] == 4);
    WORKS(read_text("{\"nodes\":1,\"y\":[1]}\n{\"nodes\":1,\"y\":[2]}\n", NULL, *state, &raw));
    assert_true(!raw.graph_label && raw.target_columns == 1 && raw.target[1] == 2);
    WORKS(read_text("{\"nodes\":1}\n{\"nodes\":1,\"y\":null}\n", NULL, *state, &raw));
    assert_true(!raw.graph_label && !raw.target);
}

static void a_split_need_not_be_in_one_piece(void **state)
{
    mp_raw raw;
    mp_dataset d;
    mp_folds f;
    WORKS(read_text(
        "{\"nodes\":1,\"y\":1,\"split\":\"val\"}\n{\"nodes\":2,\"y\":0,\"split\":\"train\"}\n"
        "{\"nodes\":2,\"y\":0,\"split\":\"test\"}\n{\"nodes\":2,\"y\":0}\n{\"nodes\":2,\"y\":0,\"split\":\"train\"}\n",
        NULL, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_true(mp_dataset_is_fixed(&d));
    mp_folds_fixed(&d, *state, &f);
    assert_int_equal(f.split->n_train, 2);
    assert_int_equal(f.split->train[0], 1);
    assert_int_equal(f.split->train[1], 4);
    assert_int_equal(f.split->val[0], 0);
    assert_int_equal(f.split->test[0], 2);
}

static void finished_features_are_attributes(void **state)
{
    mp_raw raw;
    WORKS(read_text("{\"nodes\":2,\"x\":[[1,0],[0,3]]}\n", NULL, *state, &raw));
    assert_int_equal(raw.attributes.cols, 2);
    assert_true(raw.attributes.val[1] == 3);
}

/* A model's data: what it cannot use is said with the line, not after all of them. */
static void a_model_refuses_lines_that_are_not_for_it(void **state)
{
    static const mp_recipe labels = { .label_columns = 1,
                                      .label_count = { 2 },
                                      .edge_label_columns = 1,
                                      .edge_label_min = { 1 },
                                      .edge_label_count = { 2 } };
    static const int64_t value[] = { 0, 1 };
    static const char *const name[] = { "fine", "toxic" };
    const mp_dataset_as named = {
        .recipe = &labels, .task = &mp_task_classify, .classes = 2, .class_value = value, .class_name = name
    };
    mp_dataset_as bare = named;
    bare.class_name = NULL;
#define LINE(y) "{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[0,1],\"edge_labels\":[2],\"y\":" y "}\n"
    mp_raw raw;
    mp_dataset d;
    WORKS(read_text(LINE("\"toxic\"") LINE("\"toxic\""), &named, *state, &raw));
    WORKS(mp_dataset_build(&raw, &named, *state, &d));
    assert_true(mp_seal_break(d.seal).v[0] == 1); /* "fine" is class 0, though it is not here */
    assert_int_equal(d.edge_x.cols, 2);
    WORKS(read_text(LINE("1"), &bare, *state, &raw));
    FAILS(read_text(LINE("\"toxic\"") LINE("\"bad\""), &named, *state, &raw),
          "in:2: \"y\": the model knows no class 'bad'");
    FAILS(read_text("{\"dataset\":\"A\"}\n" LINE("\"toxic\"") LINE("\"bad\""), &named, *state, &raw), "in:3: \"y\"");
    FAILS(read_text(LINE("1") LINE("2"), &bare, *state, &raw), "in:2: \"y\": the model knows no class 2");
    FAILS(read_text(LINE("\"toxic\""), &bare, *state, &raw), "in:1: \"y\": the model knows no class 'toxic'");
    const mp_dataset_as yes = { .recipe = &labels, .task = &mp_task_binary, .targets = 1, .class_name = name };
    WORKS(read_text(LINE("\"toxic\""), &yes, *state, &raw));
    WORKS(mp_dataset_build(&raw, &yes, *state, &d));
    assert_true(mp_seal_break(d.seal).v[0] == 1); /* a yes, though there is no other word */
    FAILS(read_text(LINE("\"bad\""), &yes, *state, &raw), "in:1: \"y\": the model knows no class 'bad'");
    FAILS(read_text("{\"nodes\":1,\"labels\":[5]}", &bare, *state, &raw),
          "in:1: node 0 has label 5; the model knows 0 to 1");
    FAILS(read_text("{\"nodes\":1}", &bare, *state, &raw), "in:1: 0 node labels, the model needs 1");
    FAILS(read_text("{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[0,1]}", &bare, *state, &raw),
          "in:1: 0 labels and 0 attributes of edges, the model needs 1 and 0");
    FAILS(read_text("{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[0,1],\"edge_labels\":[3]}", &bare, *state, &raw),
          "in:1: edge 0 has label 3; the model knows 1 to 2");
    FAILS(read_text("{\"nodes\":1,\"x\":[[1,0]]}", &bare, *state, &raw), "in:1: \"x\": finished features");
}

static void folds_in_the_line_about_the_set_are_its_folds(void **state)
{
    mp_raw raw;
    mp_folds f;
    WORKS(read_text("{\"dataset\":\"A\",\"folds\":[{\"train\":[0],\"val\":[1],\"test\":[2]}]}\n"
                    "{\"nodes\":1}\n{\"nodes\":1}\n{\"nodes\":1}\n",
                    NULL, *state, &raw));
    assert_string_equal(raw.name, "A");
    WORKS(mp_folds_parse(raw.fold_text, 3, *state, &f));
    assert_int_equal(f.count, 1);
    assert_int_equal(f.split->test[0], 2);
    assert_string_equal(f.from, "files");
    FAILS(mp_folds_parse(raw.fold_text, 2, *state, &f), "in:1: ");
}

/* Every kind of answer and of split, with labels and attributes of nodes and edges. */
static mp_raw full(int kind, mp_arena *a)
{
    static const char edges[] = "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n3, 4\n4, 3\n5, 6\n6, 5\n8, 9\n9, 8\n";
    mp_tu_files f = { .name = "FULL", .edges = true };
    f.part[MP_TU_EDGES] = mp_span_of(edges);
    f.part[MP_TU_INDICATOR] = mp_span_of("1\n1\n1\n1\n2\n2\n3\n4\n4\n");
    f.part[MP_TU_NODE_LABELS] = mp_span_of("0,-3\n1,0\n2,7\n0,0\n0,0\n1,1\n5,5\n0,0\n1,2\n");
    f.part[MP_TU_NODE_ATTRIBUTES] = mp_span_of("0.1\n0\n1e-7\n3\n123456.7\n-2\n0.3333333333\n1\n1\n");
    f.part[MP_TU_EDGE_LABELS] = mp_span_of("1\n1\n2\n2\n5\n5\n1\n1\n2\n2\n0\n0\n");
    f.part[MP_TU_EDGE_ATTRIBUTES] = mp_span_of("0,1\n0,1\n.7,0\n.7,0\n0,0\n0,0\n0,1\n0,1\n-2,3\n-2,3\n1,1\n1,1\n");
    if (kind == 0) f.part[MP_TU_GRAPH_LABELS] = mp_span_of("3\n-1\n3\n0\n");
    if (kind == 1) f.part[MP_TU_GRAPH_ATTRIBUTES] = mp_span_of("1,nan\n2.5,0.1\nnan,nan\n0,1e-30\n");
    if (kind == 2) f.part[MP_TU_GRAPH_ATTRIBUTES] = mp_span_of("1\n2\nnan\n3\n"); /* whole, and no classes */
    if (kind == 1) f.part[MP_TU_SPLITS] = mp_span_of("train 0 2\nval 2 3\ntest-origin 3 4\n");
    if (kind == 2) f.part[MP_TU_SPLITS] = mp_span_of("train 0 1\nval 1 2\nextra 2 3\ntrain 3 4\n");
    mp_raw raw;
    WORKS(mp_tu_parse(&f, a, &raw));
    return raw;
}

static void sets_go_to_lines_and_back_without_a_loss(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a), *path = mp_arena_printf(a, "%s/set.jsonl", folder);
    for (int kind = 0; kind < 3; kind++) {
        mp_raw raw = full(kind, a), lines, again;
        mp_tap tap;
        WORKS(mp_jsonl_write(&raw, NULL, path));
        WORKS(mp_tap_file(path, &tap));
        WORKS(mp_jsonl_read(path, NULL, "other", tap, &with_edges, a, &lines));
        same_raw(&raw, &lines);
        const char *home = mp_arena_printf(a, "%s/%d", folder, kind);
        WORKS(mp_tu_write(&lines, home));
        mp_gather g = { .where = home, .text = a, .keep = a, .edges = true };
        WORKS(mp_gather_folder(&g, home));
        WORKS(mp_tu_parse(&g.files, a, &again));
        same_raw(&raw, &again);
    }
    remove_folder(folder);
}

/* ---- as a stream ---- */

static mp_err first_piece(const char *text, const mp_dataset_as *as, mp_piece *p, int *graphs)
{
    memory m = { mp_span_of(text), 5 };
    mp_stream *s = mp_stream_jsonl("in", NULL, (mp_tap){ pour, leave, &m }, as);
    bool got = true;
    mp_err e = MP_OK;
    *graphs = 0;
    while (e == MP_OK && (e = mp_stream_cut(s, p, &got)) == MP_OK && got) {
        e = mp_stream_read(s, p);
        *graphs += p->count;
        if (p->first + p->count == 2) break;
    }
    mp_stream_close(s);
    return e;
}

static void a_stream_passes_the_line_about_the_set_and_takes_answers(void **state)
{
    static const mp_recipe degrees = { .degree = MP_DEGREE_ONE_HOT, .degree_max = 3 };
    static const int64_t value[] = { 0, 1 };
    static const char *const name[] = { "fine", "toxic" };
    mp_dataset_as as = {
        .recipe = &degrees, .task = &mp_task_classify, .classes = 2, .class_value = value, .class_name = name
    };
    mp_piece p;
    int graphs;
    (void)state;
    mp_piece_init(&p);
    WORKS(first_piece(
        "{\"dataset\":\"A\"}\n{\"nodes\":1,\"y\":\"toxic\",\"split\":\"val\"}\n{\"nodes\":2,\"y\":\"fine\"}\n", &as, &p,
        &graphs));
    assert_int_equal(graphs, 2);
    if (p.count == 2) assert_true(mp_seal_break(p.data.seal).v[0] == 1);
    FAILS(first_piece("{\"dataset\":\"A\"}\n{\"nodes\":1}\n{\"nodes\":2,\"y\":\"odd\"}\n", &as, &p, &graphs),
          "in:3: \"y\": the model knows no class 'odd'");
    FAILS(first_piece("{\"dataset\":\"A\"}\n{\"nodes\":1}\n{\"nodes\":0}\n", &as, &p, &graphs), "in:3: \"nodes\"");
    FAILS(first_piece("{\"nodes\":1,\"y\":2}\n", &as, &p, &graphs), "in:1: \"y\": the model knows no class 2");
    WORKS(first_piece("{\"nodes\":1,\"y\":1}\n{\"nodes\":2}\n", &as, &p, &graphs));
    WORKS(first_piece("{\"nodes\":1,\"y\":0.5}\n{\"nodes\":2}\n", &as, &p, &graphs)); /* not a class: not looked at */
    as = (mp_dataset_as){ .recipe = &degrees, .task = &mp_task_regress, .targets = 1 };
    WORKS(first_piece("{\"nodes\":1,\"y\":0.5}\n{\"nodes\":2,\"y\":[2]}\n", &as, &p, &graphs));
    assert_true(mp_seal_break(p.data.seal).v[p.count - 1] == 2);
    as = (mp_dataset_as){ .recipe = &degrees, .task = &mp_task_binary, .targets = 1, .class_name = name };
    WORKS(first_piece("{\"nodes\":1,\"y\":\"fine\"}\n{\"nodes\":2,\"y\":\"toxic\"}\n", &as, &p, &graphs));
    assert_true(mp_seal_break(p.data.seal).v[p.count - 1] == 1);
    FAILS(first_piece("{\"nodes\":1,\"y\":\"odd\"}\n", &as, &p, &graphs),
          "in:1: \"y\": the model knows no class 'odd'");
    mp_piece_free(&p);
}

static void put_file(const char *folder, const char *name, const char *text, mp_arena *a)
{
    WORKS(mp_write_file(mp_arena_printf(a, "%s/%s", folder, name), text, strlen(text)));
}

/* Messages name the file and the line in it; the last line of a file needs no end. */
static void files_of_a_folder_are_one_set(void **state)
{
    mp_arena *a = *state;
    const char *top = new_folder(a), *path;
    mp_raw raw;
    put_file(top, "b.jsonl", "\xEF\xBB\xBF{\"nodes\": 3, \"y\": \"u\"}", a);
    put_file(top, "a.jsonl",
             "{\"dataset\": \"T\", \"folds\": [{\"train\": [0], \"val\": [1], \"test\": [2]}]}\n{\"nodes\": 1, \"y\": "
             "\"v\"}\n{\"nodes\": 2, \"y\": \"u\"}",
             a);
    put_file(top, "c.jsonl", "", a);
    put_file(top, "d.jsonl", "{\"nodes\": 4, \"y\": \"v\"}\n", a);
    put_file(top, "notes.txt", "not a graph", a);
    WORKS(mp_dataset_raw(top, NULL, NULL, a, &raw, &path));
    assert_string_equal(raw.name, "T");
    assert_int_equal(raw.graphs.graphs, 4);
    assert_int_equal(raw.graphs.node_ptr[3], 6);
    static const int line[] = { 2, 3, 1, 1 };
    assert_memory_equal(raw.line, line, sizeof line);
    assert_non_null(strstr(raw.file_of[2], "/b.jsonl"));
    assert_non_null(strstr(raw.file_of[3], "/d.jsonl"));
    assert_non_null(raw.fold_text);
    put_file(top, "d.jsonl", "{\"nodes\": 4, \"y\": \"v\"}\n{\"nodes\": 4, \"y\": 1}\n", a);
    FAILS(mp_dataset_raw(top, NULL, NULL, a, &raw, &path), "/d.jsonl:2: \"y\": a number, but a text on line 2 of ");
    put_file(top, "d.jsonl", "{\"nodes\": 4}\n", a);
    FAILS(mp_dataset_raw(top, NULL, NULL, a, &raw, &path), "/d.jsonl:1: \"y\" is missing");
    put_file(top, "d.jsonl", "{}\n", a);
    FAILS(mp_dataset_raw(top, NULL, NULL, a, &raw, &path), "/d.jsonl:1: 'nodes' is missing");
    remove_folder(top);
}

static void notes_are_texts_and_numbers_of_graphs(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    WORKS(read_text("{\"nodes\":1}\n{\"nodes\":1,\"notes\":{\"lab\":\"A\",\"year\":2021}}\n{\"nodes\":1,\"notes\":{"
                    "\"year\":0.5}}\n",
                    NULL, a, &raw));
    assert_int_equal(raw.notes, 2);
    assert_string_equal(raw.note_name[1], "year");
    static const char *const note[] = { "", "", "A", "2021", "", "0.5" };
    for (int i = 0; i < 6; i++) assert_string_equal(raw.note[i], note[i]);
    FAILS(read_text("{\"nodes\":1,\"notes\":{\"lab\":\"A\"}}\n{\"nodes\":1,\"notes\":{\"la\":\"A\"}}\n", NULL, a, &raw),
          "in:2: \"notes\": one that the first line with notes does not have");
    FAILS(read_text("{\"nodes\":1,\"notes\":{\"lab\":[]}}\n", NULL, a, &raw),
          "expected an object of texts and numbers");
    FAILS(read_text("{\"nodes\":1,\"notes\":3}\n", NULL, a, &raw), "expected an object of texts and numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_key_is_read),
        CASE(values_of_edges_nobody_wants_are_counted),
        CASE(every_bad_line_fails_with_file_and_line),
        CASE(names_of_classes_are_sorted_and_kept),
        CASE(numbers_are_classes_when_all_are_whole_and_targets_otherwise),
        CASE(a_split_need_not_be_in_one_piece),
        CASE(finished_features_are_attributes),
        CASE(a_model_refuses_lines_that_are_not_for_it),
        CASE(folds_in_the_line_about_the_set_are_its_folds),
        CASE(sets_go_to_lines_and_back_without_a_loss),
        CASE(a_stream_passes_the_line_about_the_set_and_takes_answers),
        CASE(files_of_a_folder_are_one_set),
        CASE(notes_are_texts_and_numbers_of_graphs),
    };
    return cmocka_run_group_tests_name("data_jsonl", tests, NULL, NULL);
}
