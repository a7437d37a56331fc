/* test_data_mols.c - molecules out of tables: columns, labels, rows that are left out, splits; and the sets of the Open Graph
 * Benchmark, made again from their SMILES.
 * SPDX-License-Identifier: MIT */
#include "../rig/rdkit.h"
#include "fixture.h"
#include "pour.h"

#include <math.h>

#include "same_raw.h"

#include "data/archive.h"
#include "data/features.h"
#include "data/load.h"
#include "data/mols.h"
#include "data/ogb.h"
#include "data/seal.h"

static mp_err read_as(const char *text, const mp_dataset_as *as, mp_arena *a, mp_raw *out)
{
    memory *m = MP_NEW(a, memory, 1);
    *m = (memory){ mp_span_of(text), 11 };
    return mp_mols_read_all("t.csv", "t", (mp_tap){ pour, leave, m }, as, a, out);
}

static mp_err read_with(const char *text, mp_columns columns, mp_arena *a, mp_raw *out)
{
    mp_dataset_as as = { .edges = true, .columns = &columns };
    return read_as(text, &as, a, out);
}

static const char small[] = "name,SMILES,active,tox,when\n"
                            "a,CCO,1,0.5,2020-01-03\n"
                            "b,\"c1ccccc1\",0,,2019-05-01\n"
                            "c,C1CC,1,2,2018-01-01\n"
                            "d, [Na+].[Cl-] ,NaN,NA,2021\n";

static void rows_are_graphs_with_labels_and_lines(void **state)
{
    mp_raw raw;
    mp_dataset d;
    NEED_RDKIT();
    WORKS(read_with(small, (mp_columns){ .labels = "active, tox" }, *state, &raw));
    static const int node_ptr[] = { 0, 3, 9, 11 }, line[] = { 2, 3, 5 };
    assert_int_equal(raw.graphs.graphs, 3);
    same_ints(raw.graphs.node_ptr, node_ptr, 4);
    same_ints(raw.line, line, 3);
    assert_int_equal(raw.graphs.edges, 2 * (2 + 6));
    assert_string_equal(raw.smiles[2], "[Na+].[Cl-]");
    assert_string_equal(raw.target_name[1], "tox");
    assert_true(raw.target[0] == 1 && raw.target[1] == 0.5 && raw.target[2] == 0);
    assert_true(isnan(raw.target[3]) && isnan(raw.target[4]) && isnan(raw.target[5]));
    assert_int_equal(raw.labels[3 * MP_ATOM_COLUMNS + 7], 1); /* an aromatic atom of the second */
    assert_int_equal(raw.edge_labels[raw.graphs.row_ptr[3] * MP_BOND_COLUMNS], 3);
    assert_int_equal(raw.left.count, 1);
    assert_non_null(strstr(raw.left.text[0], "t.csv:4: 'C1CC': "));
    WORKS(mp_graph_check(&raw.graphs));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_ptr_equal(d.task, &mp_task_regress);
    assert_int_equal(d.x.cols, 119 + 5 + 12 + 12 + 10 + 6 + 6 + 2 + 2);
    assert_int_equal(d.left.count, 1);
    assert_string_equal(d.preset, "ogb");
}

static void ones_and_zeros_are_yes_and_no(void **state)
{
    mp_raw raw;
    mp_dataset d;
    NEED_RDKIT();
    WORKS(read_with(small, (mp_columns){ .labels = "active" }, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_ptr_equal(d.task, &mp_task_binary);
    assert_string_equal(d.target_name[0], "active");
}

static void words_are_classes_with_names(void **state)
{
    mp_raw raw;
    mp_dataset d;
    NEED_RDKIT();
    WORKS(read_with("smiles,c\nC,toxic\nCC,inert\nCCC,toxic\n", (mp_columns){ .labels = "c" }, *state, &raw));
    static const int64_t want[] = { 1, 0, 1 };
    assert_memory_equal(raw.graph_label, want, sizeof want);
    assert_string_equal(raw.class_name[0], "inert");
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_ptr_equal(d.task, &mp_task_classify);
}

static void two_words_are_no_and_yes_that_keep_their_names(void **state)
{
    static const char *const label[] = { "c" };
    const mp_dataset_as binary = { .task = &mp_task_binary };
    mp_raw raw;
    mp_dataset d, classes;
    NEED_RDKIT();
    WORKS(read_with("smiles,c\nC,toxic\nCC,inert\n", (mp_columns){ .labels = "c" }, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &classes));
    for (int i = 0; i < 2; i++) { /* built so, and made so */
        WORKS(i ? mp_dataset_retask(&classes, &mp_task_binary, *state, &d)
                : mp_dataset_build(&raw, &binary, *state, &d));
        assert_int_equal(d.class_names, 2);
        assert_string_equal(d.class_name[1], "toxic");
        assert_true(mp_seal_break(d.seal).v[0] == 1);
    }
    mp_dataset_as as = {
        .recipe = &d.recipe, .task = &mp_task_binary, .targets = 1, .target_name = label, .class_name = d.class_name
    };
    WORKS(read_as("smiles,c\nC,toxic\nC,0\nC,\n", &as, *state, &raw));
    assert_true(raw.target[0] == 1 && raw.target[1] == 0 && isnan(raw.target[2]));
    FAILS(read_as("smiles,c\nC,odd\n", &as, *state, &raw), "t.csv:2: column 'c': the model knows no class 'odd'");
    FAILS(read_as("smiles,c\nC,2\n", &as, *state, &raw), "t.csv:2: column 'c': expected 0, 1, or nothing, got '2'");
    WORKS(read_with("smiles,c\nC,a\nCC,b\nCC,c\n", (mp_columns){ .labels = "c" }, *state, &raw));
    FAILS(mp_dataset_build(&raw, &binary, *state, &d),
          "t: its labels are 3 names; to be learned as binary they must be two");
    WORKS(read_with("smiles,c\nC,a\n", (mp_columns){ .labels = "c" }, *state, &raw));
    FAILS(mp_dataset_build(&raw, &binary, *state, &d), "t: its labels are 1 name; to be");
}

static void a_model_finds_its_labels_by_name(void **state)
{
    static const char *const names[] = { "tox", "gone" };
    mp_raw fitted, raw;
    mp_recipe recipe;
    NEED_RDKIT();
    WORKS(read_with(small, (mp_columns){ 0 }, *state, &fitted));
    WORKS(mp_recipe_fit(&fitted, &recipe));
    mp_dataset_as as = { .recipe = &recipe, .task = &mp_task_regress, .targets = 2, .target_name = names };
    WORKS(read_as(small, &as, *state, &raw));
    assert_int_equal(raw.target_columns, 2);
    assert_true(raw.target[0] == 0.5 && isnan(raw.target[1]));
    assert_null(raw.fixed_name[0]); /* nothing to split */
    as.target_name = names + 1;
    as.targets = 1;
    WORKS(read_as(small, &as, *state, &raw));
    assert_null(raw.target);
}

static void what_is_wrong_is_said_with_line_and_column(void **state)
{
    static const struct {
        const char *text;
        mp_columns columns;
        const char *message;
    } cases[] = {
        { "a,b\n1,2\n",
          { 0 },
          "t.csv: no column is called smiles, canonical_smiles, isomeric_smiles, structure; say which it is with "
          "--smiles: a, b" },
        { "smiles,Canonical_SMILES\nC,C\n", { 0 }, "'smiles' and 'Canonical_SMILES' may both be SMILES" },
        { "a,b\nC,2\n", { .smiles = "c" }, "--smiles: t.csv has no column 'c'; it has a, b" },
        { "smiles,y\nC,2\n", { .labels = "z" }, "--label: t.csv has no column 'z'; it has smiles, y" },
        { "smiles,y\nC,2\n", { .labels = "smiles" }, "--label: 'smiles' is the column of SMILES" },
        { "smiles,y\nC,2\n",
          { .labelled = true },
          "t.csv: say with --label which columns are to be learned: smiles, y" },
        { "smiles,y\nC,2\n", { .split = "by hand" }, "--split: expected scaffold, random" },
        { "smiles,y\nC,2\n", { .split = "time:t" }, "--split: t.csv has no column 't'" },
        { "smiles,y\nC,2\n", { .split = "stratified" }, "stratified: is by the first label" },
        { "smiles,y\nC,2\nCC,x\n", { .labels = "y" }, "t.csv:3: column 'y': expected a number, or nothing, got 'x'" },
        { "smiles,y\nC,2\nCC,1e60\n", { .labels = "y" }, "t.csv:3: column 'y': expected a number" },
        { "smiles,y\nC,x\nCC,1\n", { .labels = "y" }, "t.csv:3: column 'y': expected a word" },
        { "smiles,y\nC,x\nCC,\n", { .labels = "y" }, "t.csv:3: column 'y': expected the name of a class" },
        { "smiles,y\nC,\nCC,x\n", { .labels = "y" }, "t.csv:3: column 'y'" },
        { "smiles,y,z\nC,1,2\nCC,1,x\n", { .labels = "y,z" }, "t.csv:3: column 'z': expected a number" },
        { "smiles,y\nC,2\nC(,2\n", { .strict = true }, "t.csv:3: 'C(': " },
        { "smiles,y\nC(,2\n,2\n", { 0 }, "t.csv: none of 2 rows is a molecule; the first: t.csv:2: 'C('" },
        { "smiles,y\n", { 0 }, "t.csv: has no rows" },
        { "", { 0 }, "t.csv: is empty" },
        { "smiles,y\nC\n", { 0 }, "t.csv:2: 1 field; the header has 2" },
        { "smiles,t\nC,1\nC,x\n", { .split = "time:t" }, "t.csv:3: column 't': expected a number, as before, got 'x'" },
        { "smiles,t\nC,2020-01-01\nC,7\n", { .split = "time:t" }, "t.csv:3: column 't': expected a date" },
        { "smiles,t\nC,\n", { .split = "time:t" }, "t.csv:2: column 't' is empty" },
    };
    mp_raw raw;
    NEED_RDKIT();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        FAILS(read_with(cases[i].text, cases[i].columns, *state, &raw), cases[i].message);
}

static void only_the_first_rows_that_are_left_out_are_kept(void **state)
{
    mp_buf b = { 0 };
    mp_raw raw;
    NEED_RDKIT();
    mp_buf_puts(&b, "smiles\nC\n");
    for (int i = 0; i < 25; i++) mp_buf_puts(&b, "C(\n");
    WORKS(read_with(b.p, (mp_columns){ 0 }, *state, &raw));
    assert_int_equal(raw.left.count, 25);
    assert_non_null(strstr(raw.left.text[MP_LEFT_SAID - 1], "t.csv:12: "));
    mp_buf_free(&b);
}

/* ---- splits ---- */

/* n molecules: chains, of which every third has a benzene ring behind it; label and time fall with the row. */
static const unsigned char *parts_of(int n, const char *split, mp_arena *a, mp_raw *raw)
{
    mp_buf b = { 0 };
    mp_buf_puts(&b, "smiles,y,t\n");
    for (int i = 0; i < n; i++) {
        for (int k = 0; k <= i % 7; k++) mp_buf_puts(&b, "C");
        mp_buf_printf(&b, "%s,%d,%d\n", i % 3 ? "" : "c1ccccc1", i % 4 == 0, n - i);
    }
    WORKS(read_with(b.p, (mp_columns){ .labels = "y", .split = split }, a, raw));
    mp_buf_free(&b);
    return mp_raw_parts(raw, a);
}

static int count(const unsigned char *part, int n, int which)
{
    int c = 0;
    for (int i = 0; i < n; i++) c += part[i] == which;
    return c;
}

static void splits_have_their_shares(void **state)
{
    static const char *const splits[] = { "random", "random:7", "stratified", "time:t" };
    NEED_RDKIT();
    for (int i = 0; i < 4; i++) {
        mp_raw raw;
        const unsigned char *part = parts_of(200, splits[i], *state, &raw);
        assert_int_equal(count(part, 200, 0), 160);
        assert_int_equal(count(part, 200, 1), 20);
        assert_int_equal(count(part, 200, 2), 20);
    }
}

static void a_split_is_by_its_seed(void **state)
{
    mp_raw raw;
    NEED_RDKIT();
    const unsigned char *first = parts_of(200, "random", *state, &raw), *same = parts_of(200, "random:0", *state, &raw);
    assert_memory_equal(first, same, 200);
    assert_memory_not_equal(first, parts_of(200, "random:1", *state, &raw), 200);
    assert_string_equal(raw.split_kind, "random");
}

static void a_stratified_split_keeps_the_share_of_labels(void **state)
{
    mp_raw raw;
    int yes[3] = { 0 };
    NEED_RDKIT();
    const unsigned char *part = parts_of(400, "stratified:3", *state, &raw);
    for (int b = 0; b < 400; b++) yes[part[b]] += raw.target[b] == 1;
    assert_int_equal(yes[0], 80);
    assert_int_equal(yes[1], 10);
    assert_int_equal(yes[2], 10);
}

static void the_oldest_train(void **state)
{
    mp_raw raw;
    NEED_RDKIT();
    const unsigned char *part = parts_of(50, "time:t", *state, &raw); /* the last row is the oldest */
    for (int b = 0; b < 50; b++) assert_int_equal(part[b], b >= 10 ? 0 : b >= 5 ? 1 : 2);
    WORKS(read_with(small, (mp_columns){ .split = "time:when" }, *state, &raw));
    part = mp_raw_parts(&raw, *state);
    assert_int_equal(part[1], 0); /* 2019 before 2020 before 2021 */
    assert_int_equal(part[2], 2);
}

/* Ten molecules: seven chains (no ring: one group), two pyridines, which would make nine in training, one benzene, which fits. */
static void a_scaffold_stays_together(void **state)
{
    static const unsigned char want[] = { 0, 0, 1, 0, 0, 0, 0, 1, 0, 0 };
    mp_raw raw;
    NEED_RDKIT();
    WORKS(read_with("smiles\nC\nCC\nCc1ccncc1\nCCC\nCO\nCN\nCc1ccccc1\nc1ccncc1C\nCF\nCCl\n", (mp_columns){ 0 }, *state,
                    &raw));
    assert_memory_equal(mp_raw_parts(&raw, *state), want, sizeof want);
    assert_string_equal(raw.split_kind, "scaffold");
}

/* ---- the benchmark's own sets ---- */

static void put_labels(mp_buf *b, const mp_raw *raw, int graph)
{
    for (int k = 0; k < raw->target_columns; k++) {
        double v = raw->target[(size_t)graph * (size_t)raw->target_columns + (size_t)k];
        mp_buf_printf(b, isnan(v) ? "," : "%g,", v);
    }
}

/* Every graph, feature, label and part of ogbg-molbbbp from its SMILES. */
static void the_benchmark_comes_out_of_its_smiles(void **state)
{
    const char *data = real_data(), *found;
    mp_dataset_as as = { .edges = true };
    mp_raw theirs, ours;
    mp_buf b = { 0 };
    NEED_RDKIT();
    if (!data) {
        print_message("no data sets here: not compared with the benchmark's files\n");
        skip();
    }
    mp_unpack_with(&mp_libarchive);
    WORKS(mp_dataset_raw(mp_arena_printf(*state, "%s/molecules/ogbg_molbbbp.zip", data), NULL, &as, *state, &theirs,
                         &found));
    mp_buf_puts(&b, "p_np,smiles,mol_id\n");
    for (int i = 0; i < theirs.graphs.graphs; i++) {
        put_labels(&b, &theirs, i);
        mp_csv_put(&b, mp_span_of(theirs.smiles[i]));
        mp_buf_puts(&b, ",");
        mp_csv_put(&b, mp_span_of(theirs.id[i]));
        mp_buf_puts(&b, "\n");
    }
    WORKS(read_with(b.p, (mp_columns){ .labels = "p_np", .strict = true }, *state, &ours));
    assert_int_equal(ours.graphs.graphs, 2039);
    ours.name = theirs.name;
    memcpy(ours.fixed_name, theirs.fixed_name, sizeof ours.fixed_name);
    same_raw(&ours, &theirs);
    same_ints(ours.edge_list, theirs.edge_list, (size_t)ours.graphs.edges / 2);
    assert_memory_equal(mp_raw_parts(&ours, *state), mp_raw_parts(&theirs, *state), 2039);
    mp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(rows_are_graphs_with_labels_and_lines),
        CASE(ones_and_zeros_are_yes_and_no),
        CASE(words_are_classes_with_names),
        CASE(two_words_are_no_and_yes_that_keep_their_names),
        CASE(a_model_finds_its_labels_by_name),
        CASE(what_is_wrong_is_said_with_line_and_column),
        CASE(only_the_first_rows_that_are_left_out_are_kept),
        CASE(splits_have_their_shares),
        CASE(a_split_is_by_its_seed),
        CASE(a_stratified_split_keeps_the_share_of_labels),
        CASE(the_oldest_train),
        CASE(a_scaffold_stays_together),
        CASE(the_benchmark_comes_out_of_its_smiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
