/* test_data_ogb.c - sets in OGB's raw layout: what is read from bytes, folders and zips, and what is refused.
 *
 * 550 lines because a third of them is the list of faults, a line or two each.
 * SPDX-License-Identifier: MIT */
#include "ogb_set.h"
#include "same_raw.h"

#include "data/archive.h"
#include "data/format.h"
#include "data/load.h"
#include "data/seal.h"
#include "data/stats.h"

#include <math.h>
#include <sys/stat.h>

static const mp_dataset_as with_edges = { .edges = true };

static mp_ogb_files files_with_edges(void)
{
    mp_ogb_files f = three_molecules();
    f.as = &with_edges;
    return f;
}

static void everything_in_the_files_is_there(void **state)
{
    mp_ogb_files f = files_with_edges();
    mp_raw raw;
    WORKS(mp_ogb_parse(&f, *state, &raw));
    WORKS(mp_graph_check(&raw.graphs));
    assert_string_equal(raw.name, "S");
    static const int node_ptr[] = { 0, 3, 4, 6 }, row_ptr[] = { 0, 1, 3, 4, 4, 5, 6 }, col[] = { 1, 0, 2, 1, 5, 4 };
    same_ints(raw.graphs.node_ptr, node_ptr, 4);
    same_ints(raw.graphs.row_ptr, row_ptr, 7);
    same_ints(raw.graphs.col, col, 6);
    assert_int_equal(raw.label_columns, 9);
    static const int second[] = { 6, 4, 3, 5, 1, 0, 1, 1, 1 };
    same_ints(raw.labels + 9, second, 9);
    assert_ptr_equal(raw.label_range, mp_atom_range);
    assert_int_equal(raw.edge_label_columns, 3);
    static const int bonds[] = { 1, 0, 0, 1, 0, 0, 3, 2, 1, 3, 2, 1, 0, 5, 1, 0, 5, 1 };
    same_ints(raw.edge_labels, bonds, 18);
    assert_ptr_equal(raw.edge_label_range, mp_bond_range);
    assert_null(raw.graph_label);
    assert_int_equal(raw.target_columns, 2);
    assert_true(raw.target[0] == 1 && isnan(raw.target[1]) && isnan(raw.target[2]) && raw.target[3] == 0);
    assert_true(raw.target[4] == 0 && isnan(raw.target[5]));
    assert_string_equal(raw.split_kind, "scaffold");
    const unsigned char *part = mp_raw_parts(&raw, *state);
    assert_true(part[0] == 0 && part[1] == 2 && part[2] == 1);
    assert_string_equal(raw.fixed_name[1], "val");
    assert_int_equal(raw.self_loops + raw.repeated_edges + raw.added_reverse, 0);
    static const int list[] = { 1, 2, 5 }; /* "0,1", "2,1", "0,1": places whose column is the first node of the line */
    same_ints(raw.edge_list, list, 3);
    assert_string_equal(raw.file, "S/raw/graph-label.csv");
    assert_int_equal(raw.first_line, 1);
}

static void edges_have_no_features_unless_they_are_wanted(void **state)
{
    mp_ogb_files f = three_molecules();
    mp_raw raw;
    f.part[MP_OGB_EDGE_FEAT] = mp_span_of("1,0,0\n"); /* a head is enough */
    WORKS(mp_ogb_parse(&f, *state, &raw));
    assert_int_equal(raw.edge_label_columns, 0);
    assert_null(raw.edge_labels);
    assert_int_equal(raw.edge_columns_unread, 3);
    assert_true(mp_raw_is_molecules(&raw));
    f.part[MP_OGB_EDGE_FEAT] = (mp_span){ NULL, 0 };
    WORKS(mp_ogb_parse(&f, *state, &raw));
    assert_false(mp_raw_is_molecules(&raw));
}

static void what_ogb_may_leave_out_may_be_missing(void **state)
{
    static const mp_ogb_part parts[] = { MP_OGB_NODE_FEAT, MP_OGB_EDGE_FEAT, MP_OGB_LABELS, MP_OGB_TRAIN };
    mp_ogb_files f = files_with_edges();
    mp_raw raw;
    mp_dataset d;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) f.part[parts[i]] = (mp_span){ NULL, 0 };
    f.split = NULL;
    WORKS(mp_ogb_parse(&f, *state, &raw));
    assert_int_equal(raw.label_columns + raw.edge_label_columns + raw.target_columns, 0);
    assert_null(raw.fixed_name[0]);
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_int_equal(d.recipe.degree, MP_DEGREE_ONE_HOT);
    assert_null(d.seal);
}

static void other_columns_are_labels_by_what_occurs_or_attributes(void **state)
{
    mp_ogb_files f = files_with_edges();
    mp_raw raw;
    mp_dataset d;
    f.part[MP_OGB_NODE_FEAT] = mp_span_of("7,-2\n9,0\n7,0\n7,0\n7,0\n7,0\n");
    f.part[MP_OGB_EDGE_FEAT] = mp_span_of("9,9,9\n0,0,0\n1,1,1\n"); /* three columns, but no atoms: no bonds either */
    WORKS(mp_ogb_parse(&f, *state, &raw));
    assert_int_equal(raw.label_columns, 2);
    assert_null(raw.label_range);
    assert_int_equal(raw.edge_label_columns, 3);
    assert_null(raw.edge_label_range);
    WORKS(mp_dataset_build(&raw, &with_edges, *state, &d));
    assert_int_equal(d.recipe.label_min[0], 7);
    assert_int_equal(d.recipe.label_count[1], 3);

    f.part[MP_OGB_NODE_FEAT] = mp_span_of("0.5,1\n0,1\n0,0\n1,0\n2,0\n3e2,0\n");
    f.part[MP_OGB_EDGE_FEAT] = mp_span_of("1\n0.25\n0\n");
    WORKS(mp_ogb_parse(&f, *state, &raw));
    assert_int_equal(raw.label_columns + raw.edge_label_columns, 0);
    assert_int_equal(raw.attributes.cols, 2);
    assert_true(raw.attributes.val[0] == 0.5F && raw.attributes.ptr[6] == 6);
    assert_int_equal(raw.edge_attributes.cols, 1);
    assert_true(raw.edge_attributes.val[2] == 0.25F);

    /* A model that has one kind settles it: whole numbers are attributes when it takes attributes. */
    mp_recipe model = { .attributes = 2, .edge_attributes = 1 };
    mp_dataset_as as = { .recipe = &model };
    f.as = &as;
    f.part[MP_OGB_NODE_FEAT] = mp_span_of("0,1\n0,1\n0,0\n1,0\n2,0\n3,0\n");
    f.part[MP_OGB_EDGE_FEAT] = mp_span_of("1\n2\n0\n");
    WORKS(mp_ogb_parse(&f, *state, &raw));
    assert_int_equal(raw.attributes.cols, 2);
    assert_int_equal(raw.edge_attributes.cols, 1);
}

static void one_column_may_be_missing_up_to_the_last_graph(void **state)
{
    static const char *const texts[] = { "1\n\n\n", "1\n\n\n\n\n", "1\n\nnan", "1\r\n\r\nnan\r\n" };
    mp_ogb_files f = three_molecules();
    mp_raw raw;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        f.part[MP_OGB_LABELS] = mp_span_of(texts[i]);
        WORKS(mp_ogb_parse(&f, *state, &raw));
        assert_int_equal(raw.target_columns, 1);
        assert_true(raw.target[0] == 1 && isnan(raw.target[1]) && isnan(raw.target[2]));
    }
    f.part[MP_OGB_LABELS] = mp_span_of("1\n\n");
    FAILS(mp_ogb_parse(&f, *state, &raw), "S/raw/graph-label.csv: 1 lines for 3 graphs");
    f.part[MP_OGB_LABELS] = mp_span_of("1\n1\n1\n1\n");
    FAILS(mp_ogb_parse(&f, *state, &raw), "S/raw/graph-label.csv: 4 lines for 3 graphs");
}

static void names_molecules_and_ids_come_from_the_mapping(void **state)
{
    mp_ogb_files f = three_molecules();
    mp_raw raw;
    mp_dataset d;
    f.part[MP_OGB_MAPPING] = mp_span_of("active,\"toxic, in \"\"rats\"\"\",smiles,mol_id\r\n"
                                        "1,,CCO,\"two\nlines, and a comma\"\r\n,0,[Xe],\n0,,\"OO\",x\n");
    WORKS(mp_ogb_parse(&f, *state, &raw));
    assert_string_equal(raw.target_name[0], "active");
    assert_string_equal(raw.target_name[1], "toxic, in \"rats\"");
    assert_string_equal(raw.smiles[0], "CCO");
    assert_string_equal(raw.smiles[2], "OO");
    assert_string_equal(raw.id[0], "two\nlines, and a comma");
    assert_string_equal(raw.id[1], "");
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    assert_string_equal(d.target_name[0], "active");
    assert_string_equal(d.smiles[1], "[Xe]");

    f.part[MP_OGB_MAPPING] = mp_span_of("a,b,c,smiles\n1,1,1,C\n1,1,1,C\n1,1,1,C\n"); /* three names for two columns */
    WORKS(mp_ogb_parse(&f, *state, &raw));
    assert_null(raw.target_name);
    assert_null(raw.id);
    assert_string_equal(raw.smiles[2], "C");
    f.part[MP_OGB_MAPPING] = mp_span_of("a,b\n1,1\n1,1\n1,1\n");
    WORKS(mp_ogb_parse(&f, *state, &raw));
    assert_null(raw.target_name);
    assert_null(raw.smiles);
}

static void statistics_count_label_columns_and_what_is_known(void **state)
{
    mp_ogb_files f = three_molecules();
    mp_raw raw;
    mp_dataset d;
    mp_stats s;
    mp_buf b = { 0 };
    f.name = "ogbg_moltox21"; /* 12 of them in the paper */
    WORKS(mp_ogb_parse(&f, *state, &raw));
    WORKS(mp_dataset_build(&raw, NULL, *state, &d));
    d.origin = "here";
    mp_stats_of(&d, *state, &s);
    mp_stats_text(&d, &s, &b);
    if (!strstr(b.p, "label columns   2, 50.0 % known\n") || !strstr(b.p, "paper: classes 2 here, 12 there\n"))
        fail_msg("%s", b.p);
    mp_buf_free(&b);
}

static void self_loops_and_repeats_are_dropped_and_counted(void **state)
{
    mp_ogb_files f = files_with_edges();
    mp_raw raw;
    f.part[MP_OGB_EDGE_COUNTS] = mp_span_of("5\n0\n1\n");
    f.part[MP_OGB_EDGES] = mp_span_of("0,1\n2,1\n1,0\n2,2\n2,1\n0,1\n");
    f.part[MP_OGB_EDGE_FEAT] = mp_span_of("1,0,0\n3,2,1\n1,0,0\n4,4,0\n3,2,1\n0,5,1\n");
    WORKS(mp_ogb_parse(&f, *state, &raw));
    WORKS(mp_graph_check(&raw.graphs));
    assert_int_equal(raw.graphs.edges, 6);
    assert_int_equal(raw.self_loops, 1);
    assert_int_equal(raw.repeated_edges, 2);
    static const int list[] = { 1, 2, 5 };
    same_ints(raw.edge_list, list, 3);
    f.part[MP_OGB_EDGE_FEAT] = mp_span_of("1,0,0\n3,2,1\n1,0,1\n4,4,0\n3,2,1\n0,5,1\n");
    FAILS(mp_ogb_parse(&f, *state, &raw), "S/raw/edge-feat.csv:3: an edge that is on line 1 too has other values");
}

static void every_fault_is_told_with_file_and_line(void **state)
{
    static const struct {
        mp_ogb_part part;
        const char *text, *message;
    } faults[] = {
        { MP_OGB_NODE_COUNTS, "", "S/raw/num-node-list.csv: empty" },
        { MP_OGB_NODE_COUNTS, "3\nx\n2\n", "S/raw/num-node-list.csv:2: expected a whole number, got 'x'" },
        { MP_OGB_NODE_COUNTS, "3\n0\n3\n", "S/raw/num-node-list.csv:2: 0; expected at least 1" },
        { MP_OGB_NODE_COUNTS, "3\n1,1\n2\n", "S/raw/num-node-list.csv:2: expected one whole number" },
        { MP_OGB_NODE_COUNTS, "3\n1\n2147483647\n", "S/raw/num-node-list.csv:3: more than" },
        { MP_OGB_NODE_COUNTS, "3\n1\n3\n", "S/raw/node-feat.csv: 6 lines for 7 nodes" },
        { MP_OGB_NODE_COUNTS, "3\n1\n2\n1\n", "S/raw/num-edge-list.csv: 3 lines for 4 graphs" },
        { MP_OGB_EDGE_COUNTS, "2\n-1\n1\n", "S/raw/num-edge-list.csv:2: -1; expected at least 0" },
        { MP_OGB_EDGE_COUNTS, "2\n0\n2\n", "S/raw/edge.csv: 3 lines for 4 edges" },
        { MP_OGB_EDGE_COUNTS, "", "S/raw/num-edge-list.csv: 0 lines for 3 graphs" },
        { MP_OGB_EDGES, "0,1\n2,1\n0,2\n", "S/raw/edge.csv:3: node 2 is outside 0..1, the nodes of graph 2" },
        { MP_OGB_EDGES, "0,1\n-1,1\n0,1\n", "S/raw/edge.csv:2: node -1 is outside 0..2, the nodes of graph 0" },
        { MP_OGB_EDGES, "0,1\n2\n0,1\n", "S/raw/edge.csv:2: expected a comma" },
        { MP_OGB_EDGES, "0,1\n2,1,0\n0,1\n", "S/raw/edge.csv:2: expected the end of the line, got ',0'" },
        { MP_OGB_EDGES, "0,1\n\n0,1\n", "S/raw/edge.csv:2: expected the number of a node" },
        { MP_OGB_EDGES, "", "S/raw/edge.csv: 0 lines for 3 edges" },
        { MP_OGB_NODE_FEAT, "", "S/raw/node-feat.csv: 0 lines for 6 nodes" },
        { MP_OGB_NODE_FEAT, ATOM ATOM "5,0,4,5,3,0,2,0,x\n" ATOM ATOM ATOM,
          "S/raw/node-feat.csv:3: expected a whole number, got 'x'" },
        { MP_OGB_NODE_FEAT, ATOM ATOM "5,0,4,5,3,0,2,0,2\n" ATOM ATOM ATOM,
          "S/raw/node-feat.csv:3: column 9 is 2; expected 0 to 1" },
        { MP_OGB_NODE_FEAT, ATOM ATOM ATOM "119,0,4,5,3,0,2,0,0\n" ATOM ATOM,
          "S/raw/node-feat.csv:4: column 1 is 119; expected 0 to 118" },
        { MP_OGB_NODE_FEAT, ATOM "5,-1,4,5,3,0,2,0,0\n" ATOM ATOM ATOM ATOM,
          "S/raw/node-feat.csv:2: column 2 is -1; expected 0 to 4" },
        { MP_OGB_NODE_FEAT, ATOM ATOM "5,0,4,5,3,0,2,0\n" ATOM ATOM ATOM,
          "S/raw/node-feat.csv:3: expected 9 columns, as on line 1" },
        { MP_OGB_NODE_FEAT, "1\n1\nnan\n1\n1\n1\n", "S/raw/node-feat.csv:3: expected a finite number, got 'nan'" },
        { MP_OGB_EDGE_FEAT, "1,0,0\n3,6,1\n0,5,1\n", "S/raw/edge-feat.csv:2: column 2 is 6; expected 0 to 5" },
        { MP_OGB_EDGE_FEAT, "1,0,0\n3,y,1\n0,5,1\n", "S/raw/edge-feat.csv:2: expected a whole number, got 'y,1'" },
        { MP_OGB_EDGE_FEAT, "1,0,0\n3,2,1\n", "S/raw/edge-feat.csv: 2 lines for 3 edges" },
        { MP_OGB_LABELS, "1,0\n0\n1,1\n", "S/raw/graph-label.csv:2: expected 2 columns, as on line 1" },
        { MP_OGB_LABELS, "1,0\n0,yes\n1,1\n", "S/raw/graph-label.csv:2: expected a finite number, got 'yes'" },
        { MP_OGB_LABELS, "1,0\n0,1e99\n1,1\n", "S/raw/graph-label.csv:2: 1e+99 does not fit" },
        { MP_OGB_LABELS, "1,0\n0,1\n", "S/raw/graph-label.csv: 2 lines for 3 graphs" },
        { MP_OGB_VALID, "3\n", "S/split/scaffold/valid.csv:1: graph 3 is outside 0..2" },
        { MP_OGB_VALID, "2\n-1\n", "S/split/scaffold/valid.csv:2: graph -1 is outside 0..2" },
        { MP_OGB_VALID, "2\n0\n", "S/split/scaffold/valid.csv:2: graph 0 is in the split twice" },
        { MP_OGB_TEST, "1\n1\n", "S/split/scaffold/test.csv:2: graph 1 is in the split twice" },
        { MP_OGB_TRAIN, "0.5\n", "S/split/scaffold/train.csv:1: expected one whole number" },
        { MP_OGB_TRAIN, "", "S/split/scaffold/train.csv: empty" },
        { MP_OGB_MAPPING, "", "S/mapping/mol.csv: empty" },
        { MP_OGB_MAPPING, "smiles\nC\nC\n", "S/mapping/mol.csv: 2 records for 3 graphs" },
        { MP_OGB_MAPPING, "smiles\nC\n\"C\nC\"\nC\nC\n",
          "S/mapping/mol.csv:6: a record more than there are graphs, 3" },
        { MP_OGB_MAPPING, "smiles,x\nC,\nC\nC,\n", "S/mapping/mol.csv:3: " },
        { MP_OGB_MAPPING, "smiles\nC\nC\n\"C\n", "S/mapping/mol.csv:4: " },
        { MP_OGB_TRAIN, NULL, "S/split/scaffold/train.csv: missing" },
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mp_ogb_files f = files_with_edges();
        mp_raw raw;
        f.part[faults[i].part] = faults[i].text ? mp_span_of(faults[i].text) : (mp_span){ NULL, 0 };
        FAILS(mp_ogb_parse(&f, *state, &raw), faults[i].message);
    }
}

static void nodes_that_nothing_confirms_are_limited(void **state)
{
    mp_ogb_files f = three_molecules();
    mp_raw raw;
    f.part[MP_OGB_NODE_FEAT] = (mp_span){ NULL, 0 };
    f.part[MP_OGB_NODE_COUNTS] = mp_span_of("3\n60000000\n2\n");
    FAILS(mp_ogb_parse(&f, *state, &raw), "S/raw/num-node-list.csv:2: more than 50000000 in all");
}

static void a_model_settles_the_range_of_labels(void **state)
{
    mp_ogb_files f = three_molecules();
    mp_recipe model = { .label_columns = 9, .label_count = { 119, 5, 12, 12, 10, 6, 6, 1, 2 } };
    mp_dataset_as as = { .recipe = &model };
    mp_raw raw;
    f.as = &as;
    FAILS(mp_ogb_parse(&f, *state, &raw), "S/raw/node-feat.csv:2: column 8 is 1; expected 0 to 0");
}

/* ---- folders and zips ---- */

static void a_folder_and_a_zip_plain_or_packed_are_the_same(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = files_with_edges();
    mp_raw want, got;
    const char *top = new_folder(a), *path;
    f.name = "ogbg_s";
    WORKS(mp_ogb_parse(&f, a, &want));
    for (int kind = 0; kind < 4; kind++) {
        bool zip = kind & 1, packed = kind & 2;
        const char *to = mp_arena_printf(a, "%s/%d/ogbg_s%s", top, kind, zip ? ".zip" : "");
        put_set(&f, to, zip, packed, a);
        WORKS(mp_dataset_raw(to, NULL, &with_edges, a, &got, &path));
        same_raw(&want, &got);
        same_ints(want.edge_list, got.edge_list, 3);
        assert_string_equal(got.split_kind, "scaffold");
        assert_string_equal(got.file, packed ? "ogbg_s/raw/graph-label.csv.gz" : "ogbg_s/raw/graph-label.csv");
    }
    WORKS(mp_dataset_raw(mp_arena_printf(a, "%s/0/ogbg_s//", top), NULL, &with_edges, a, &got, &path));
    assert_string_equal(got.name, "ogbg_s");
    remove_folder(top);
}

static void a_set_is_found_with_either_sign_among_molecules(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = three_molecules();
    mp_dataset d;
    const char *top = new_folder(a);
    put_set(&f, mp_arena_printf(a, "%s/molecules/ogbg_one", top), false, true, a);
    put_set(&f, mp_arena_printf(a, "%s/ogbg-two.zip", top), true, true, a);
    WORKS(mp_dataset_load("ogbg-one", top, a, &d));
    assert_string_equal(d.name, "ogbg_one");
    WORKS(mp_dataset_load("ogbg_one", top, a, &d));
    WORKS(mp_dataset_load("ogbg_two", top, a, &d));
    assert_string_equal(d.name, "ogbg-two");
    FAILS(mp_dataset_load("ogbg-three", top, a, &d), "no data set 'ogbg-three'");
    put_set(&f, mp_arena_printf(a, "%s/molecules/ogbg-one.zip", top), true, true, a);
    WORKS(mp_dataset_load("ogbg-one", top, a, &d)); /* the name as it was given wins */
    assert_string_equal(d.name, "ogbg-one");
    remove_folder(top);
}

static void note(void *state, const char *name, const char *path)
{
    (void)path;
    mp_buf_printf(state, "%s ", name);
}

static void the_list_of_sets_has_folders_and_zips_of_molecules(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = three_molecules();
    mp_buf names = { 0 };
    const char *top = new_folder(a);
    put_set(&f, mp_arena_printf(a, "%s/molecules/ogbg_one", top), false, true, a);
    put_set(&f, mp_arena_printf(a, "%s/molecules/ogbg_two.zip", top), true, true, a);
    put_set(&f, mp_arena_printf(a, "%s/ogbg_three", top), false, false, a);
    assert_int_equal(mkdir(mp_arena_printf(a, "%s/empty", top), 0777), 0);
    WORKS(mp_dataset_list(top, note, &names));
    if (strncmp(names.p, "ogbg_three ogbg_one ogbg_two ", 29) != 0) fail_msg("listed: %s", names.p);
    mp_buf_free(&names);
    remove_folder(top);
}

static void scaffold_is_preferred_to_other_splits(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = three_molecules();
    mp_raw raw;
    const char *top = new_folder(a), *path, *to = mp_arena_printf(a, "%s/S", top);
    f.split = "zeta";
    put_set(&f, to, false, false, a);
    f.split = "alpha";
    f.part[MP_OGB_TRAIN] = mp_span_of("1\n");
    f.part[MP_OGB_TEST] = mp_span_of("0\n");
    put_set(&f, to, false, false, a);
    WORKS(mp_dataset_raw(to, NULL, NULL, a, &raw, &path));
    assert_string_equal(raw.split_kind, "alpha");
    assert_int_equal(mp_raw_parts(&raw, a)[1], 0);
    f = three_molecules();
    put_set(&f, to, false, false, a);
    WORKS(mp_dataset_raw(to, NULL, NULL, a, &raw, &path));
    assert_string_equal(raw.split_kind, "scaffold");
    assert_int_equal(mp_raw_parts(&raw, a)[0], 0);
    put_set(&f, to, false, true, a); /* beside the plain ones */
    FAILS(mp_dataset_raw(to, NULL, NULL, a, &raw, &path), "is there twice");
    remove_folder(top);
}

static void members_of_a_zip_count_by_their_folders_in_any_order(void **state)
{
    static const char *const kinds[][2] = { { "scaffold", "alpha" }, { "alpha", "scaffold" } };
    mp_arena *a = *state;
    mp_ogb_files f = three_molecules();
    const char *top = new_folder(a), *path, *to = mp_arena_printf(a, "%s/S.zip", top);
    for (int order = 0; order < 2; order++) {
        mp_raw raw;
        struct archive *w = archive_write_new();
        assert_int_equal(archive_write_set_format_zip(w), ARCHIVE_OK);
        assert_int_equal(archive_write_open_filename(w, to), ARCHIVE_OK);
        put_member(w, "S/old-raw/edge.csv", mp_span_of("other"));
        put_member(w, "S/.raw/edge.csv", mp_span_of("other"));
        put_member(w, "S/split/train.csv", mp_span_of("other"));
        for (int part = 0; part < MP_OGB_TRAIN; part++)
            if (f.part[part].p) put_member(w, mp_arena_printf(a, "S/%s", mp_ogb_path[part]), f.part[part]);
        for (int k = 0; k < 2; k++)
            for (int part = MP_OGB_TRAIN; part <= MP_OGB_TEST; part++)
                put_member(w, mp_arena_printf(a, "S/split/%s/%s", kinds[order][k], mp_ogb_path[part]), f.part[part]);
        assert_int_equal(archive_write_close(w), ARCHIVE_OK);
        archive_write_free(w);
        WORKS(mp_dataset_raw(to, NULL, NULL, a, &raw, &path));
        assert_string_equal(raw.split_kind, "scaffold");
    }
    remove_folder(top);
}

static void damaged_and_missing_members_are_refused(void **state)
{
    static const mp_ogb_part needed[] = { MP_OGB_NODE_COUNTS, MP_OGB_EDGE_COUNTS };
    mp_arena *a = *state;
    mp_raw raw;
    const char *top = new_folder(a), *path;
    for (int k = 0; k < 4; k++) {
        mp_ogb_files f = three_molecules();
        const char *to = mp_arena_printf(a, "%s/%d%s", top, k, k & 1 ? ".zip" : "");
        f.part[needed[k / 2]] = (mp_span){ NULL, 0 };
        put_set(&f, to, k & 1, true, a);
        FAILS(mp_dataset_raw(to, NULL, NULL, a, &raw, &path), "-list.csv.gz is missing");
    }
    mp_ogb_files f = three_molecules();
    const char *to = mp_arena_printf(a, "%s/cut", top), *member = mp_arena_printf(a, "%s/raw/node-feat.csv.gz", to);
    put_set(&f, to, false, true, a);
    mp_span packed;
    WORKS(mp_slurp(member, 0, a, &packed));
    WORKS(mp_write_file(member, packed.p, packed.n / 2));
    FAILS(mp_dataset_raw(to, NULL, NULL, a, &raw, &path), "cut/raw/node-feat.csv.gz: cannot be unpacked");
    WORKS(mp_write_file(member, "no gzip at all", 14));
    FAILS(mp_dataset_raw(to, NULL, NULL, a, &raw, &path), "cut/raw/node-feat.csv.gz: ");
    WORKS(mp_write_file(member, "", 0));
    FAILS(mp_dataset_raw(to, NULL, NULL, a, &raw, &path), "cut/raw/node-feat.csv.gz: 0 lines for 6 nodes");
    remove_folder(top);
}

static void a_damaged_zip_never_crashes_the_reader(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = three_molecules();
    const char *top = new_folder(a), *to = mp_arena_printf(a, "%s/x.zip", top);
    mp_span whole;
    put_set(&f, to, true, true, a);
    WORKS(mp_slurp(to, 0, a, &whole));
    char *copy = MP_NEW(a, char, whole.n);
    for (size_t i = 0; i < whole.n; i += 7) {
        mp_arena_mark here = mp_arena_here(a);
        mp_dataset d;
        memcpy(copy, whole.p, whole.n);
        copy[i] = (char)(copy[i] ^ 0x55);
        put_file(to, (mp_span){ copy, whole.n });
        if (mp_dataset_load(to, NULL, a, &d) == MP_OK) WORKS(mp_graph_check(&d.graphs));
        mp_arena_back(a, here);
    }
    remove_folder(top);
}

static void the_library_alone_reads_plain_files_and_no_packed_ones(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = three_molecules();
    mp_raw raw;
    const char *top = new_folder(a), *path, *plain = mp_arena_printf(a, "%s/plain", top),
               *packed = mp_arena_printf(a, "%s/packed", top);
    put_set(&f, plain, false, false, a);
    put_set(&f, packed, false, true, a);
    mp_unpack_with(NULL);
    mp_err good = mp_dataset_raw(plain, NULL, NULL, a, &raw, &path),
           bad = mp_dataset_raw(packed, NULL, NULL, a, &raw, &path);
    mp_unpack_with(&mp_libarchive);
    assert_int_equal(good, MP_OK);
    FAILS(bad, "the library reads no archives");
    remove_folder(top);
}

/* ---- the real ones ---- */

typedef struct expected {
    const char *name;
    int graphs, tasks;
    double nodes, edges;
    int part[3], yes[3]; /* of the first task */
    double known;        /* share of entries */
} expected;

static void real_sets_have_the_figures_counted_for_them(void **state)
{
    static const expected sets[] = {
        { "ogbg-molbbbp", 2039, 1, 24.06, 25.95, { 1631, 204, 204 }, { -1, -1, -1 }, 1 },
        { "ogbg-molhiv", 41127, 1, 25.51, 27.47, { 32901, 4113, 4113 }, { 1232, 81, 130 }, 1 },
        { "ogbg-moltox21", 7831, 12, 18.57, 19.29, { 6264, 783, 784 }, { -1, -1, -1 }, -1 },
        { "ogbg-moltoxcast", 8576, 617, 18.78, 19.26, { 6860, 858, 858 }, { -1, -1, -1 }, 0.29 },
    };
    const char *place = real_data();
    int found = 0;
    (void)state;
    for (size_t i = 0; place && i < sizeof sets / sizeof *sets; i++) {
        const expected *x = &sets[i];
        mp_arena *a = mp_arena_new(1 << 20);
        mp_dataset d;
        if (mp_dataset_load_as(x->name, place, &with_edges, a, &d) != MP_OK) {
            if (!strstr(mp_message(), "no data set")) fail_msg("%s", mp_message());
            print_message("%s is not there: skipped\n", x->name);
            mp_arena_free(a);
            continue;
        }
        found++;
        WORKS(mp_graph_check(&d.graphs));
        assert_int_equal(d.graphs.graphs, x->graphs);
        assert_int_equal(d.targets, x->tasks);
        assert_ptr_equal(d.task, &mp_task_binary);
        assert_true(fabs((double)d.graphs.nodes / x->graphs - x->nodes) < 0.00501);
        assert_true(fabs((double)d.graphs.edges / 2 / x->graphs - x->edges) < 0.00501);
        assert_int_equal(d.x.cols, 174); /* 119 + 5 + 12 + 12 + 10 + 6 + 6 + 2 + 2 */
        assert_int_equal(d.edge_x.cols, 13);
        mp_labels labels = mp_seal_break(d.seal);
        int64_t known = 0, yes = 0;
        for (int k = 0; k < x->graphs * x->tasks; k++) known += !isnan(labels.v[k]);
        for (int b = 0; b < x->graphs; b++) yes += labels.v[(size_t)b * (size_t)x->tasks] == 1;
        if (x->known >= 0) assert_true(fabs((double)known / ((double)x->graphs * x->tasks) - x->known) < 0.00501);
        if (strcmp(d.name, "ogbg_molbbbp") == 0) {
            assert_int_equal(yes, 1560);
            assert_string_equal(d.target_name[0], "p_np");
            assert_string_equal(d.smiles[1], "C(=O)(OC(C)(C)C)CCCc1ccc(cc1)N(CCCl)CCCl");
        }
        for (int p = 0; p < 3; p++) {
            int n, count = 0;
            const int *list = mp_fixed_part(&d, p, a, &n);
            assert_int_equal(n, x->part[p]);
            for (int k = 0; k < n; k++) count += labels.v[(size_t)list[k] * (size_t)x->tasks] == 1;
            if (x->yes[p] >= 0) assert_int_equal(count, x->yes[p]);
        }
        mp_arena_free(a);
    }
    if (!found) {
        print_message("no real sets of molecules here: skipped\n");
        skip();
    }
}

int main(void)
{
    mp_unpack_with(&mp_libarchive);
    const struct CMUnitTest tests[] = {
        CASE(everything_in_the_files_is_there),
        CASE(edges_have_no_features_unless_they_are_wanted),
        CASE(what_ogb_may_leave_out_may_be_missing),
        CASE(other_columns_are_labels_by_what_occurs_or_attributes),
        CASE(one_column_may_be_missing_up_to_the_last_graph),
        CASE(names_molecules_and_ids_come_from_the_mapping),
        CASE(statistics_count_label_columns_and_what_is_known),
        CASE(self_loops_and_repeats_are_dropped_and_counted),
        CASE(every_fault_is_told_with_file_and_line),
        CASE(nodes_that_nothing_confirms_are_limited),
        CASE(a_model_settles_the_range_of_labels),
        CASE(a_folder_and_a_zip_plain_or_packed_are_the_same),
        CASE(a_set_is_found_with_either_sign_among_molecules),
        CASE(the_list_of_sets_has_folders_and_zips_of_molecules),
        CASE(scaffold_is_preferred_to_other_splits),
        CASE(members_of_a_zip_count_by_their_folders_in_any_order),
        CASE(damaged_and_missing_members_are_refused),
        CASE(a_damaged_zip_never_crashes_the_reader),
        CASE(the_library_alone_reads_plain_files_and_no_packed_ones),
        cmocka_unit_test(real_sets_have_the_figures_counted_for_them),
    };
    return cmocka_run_group_tests_name("data_ogb", tests, NULL, NULL);
}
