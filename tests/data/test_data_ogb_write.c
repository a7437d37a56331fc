/* test_data_ogb_write.c - sets written in OGB's raw layout: the same texts as were read, from any format that has what it takes.
 * SPDX-License-Identifier: MIT */
#include "ogb_set.h"
#include "same_raw.h"

#include "data/format.h"
#include "data/jsonl.h"
#include "data/load.h"

static const mp_dataset_as with_edges = { .edges = true };

static mp_ogb_files all_parts(void)
{
    mp_ogb_files f = three_molecules();
    f.as = &with_edges;
    f.part[MP_OGB_LABELS] = mp_span_of("1,nan\nnan,0\n0,nan\n"); /* as it is written */
    f.part[MP_OGB_MAPPING] =
        mp_span_of("active,\"toxic, in \"\"rats\"\"\",smiles,mol_id\n1,,CCO,\"two\nlines\"\n,0,[Xe],\n0,,OO,x\n");
    return f;
}

static mp_span text_of(const char *path, mp_arena *a)
{
    mp_tap tap;
    mp_span text;
    WORKS(mp_tap_packed(path, &tap));
    WORKS(mp_tap_all(tap, path, SIZE_MAX, SIZE_MAX, a, &text));
    return text;
}

static void same_members(const mp_ogb_files *f, const char *folder, mp_arena *a)
{
    for (int part = 0; part < MP_OGB_PARTS; part++) {
        const char *dir = part < MP_OGB_TRAIN ? "" : mp_arena_printf(a, "split/%s/", f->split);
        const char *path = mp_arena_printf(a, "%s/%s%s.gz", folder, dir, mp_ogb_path[part]);
        if (!f->part[part].p) {
            assert_int_not_equal(access(path, F_OK), 0);
            continue;
        }
        mp_span text = text_of(path, a);
        if (text.n != f->part[part].n || memcmp(text.p, f->part[part].p, text.n) != 0)
            fail_msg("%s has:\n%.*s\nnot:\n%.*s", path, (int)text.n, text.p, (int)f->part[part].n, f->part[part].p);
    }
}

static void what_was_read_is_written_as_it_was(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = all_parts();
    const char *top = new_folder(a), *to = mp_arena_printf(a, "%s/deep/S", top), *path;
    mp_raw raw, again;
    WORKS(mp_ogb_parse(&f, a, &raw));
    WORKS(mp_ogb_write(&raw, NULL, to));
    same_members(&f, to, a);
    WORKS(mp_dataset_raw(to, NULL, &with_edges, a, &again, &path));
    same_raw(&raw, &again);

    f.part[MP_OGB_NODE_FEAT] = mp_span_of("0.5,0\n0,-1\n0,0\n3.40282347e+38,1\n0,1\n0.100000001,1\n");
    f.part[MP_OGB_EDGE_FEAT] = f.part[MP_OGB_LABELS] = f.part[MP_OGB_MAPPING] = (mp_span){ NULL, 0 };
    f.split = NULL;
    f.part[MP_OGB_TRAIN] = f.part[MP_OGB_VALID] = f.part[MP_OGB_TEST] = (mp_span){ NULL, 0 };
    to = mp_arena_printf(a, "%s/attributes", top);
    WORKS(mp_ogb_parse(&f, a, &raw));
    WORKS(mp_ogb_write(&raw, NULL, to));
    f.split = "scaffold";
    same_members(&f, to, a);
    remove_folder(top);
}

static void packed_members_have_the_same_bytes_each_time(void **state)
{
    mp_buf one = { 0 }, two = { 0 };
    mp_span text = mp_span_of("1,2\n3,4\n");
    (void)state;
    WORKS(mp_pack(text, &one));
    WORKS(mp_pack(text, &two));
    assert_int_equal(one.n, two.n);
    assert_memory_equal(one.p, two.p, one.n);
    assert_int_equal((unsigned char)one.p[0], 0x1f);
    for (int i = 4; i < 8; i++) assert_int_equal(one.p[i], 0); /* no time */
    assert_int_equal(one.p[3], 0);                             /* no name */
    mp_buf_free(&one);
    mp_buf_free(&two);
}

static void a_set_without_a_single_edge_survives(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = all_parts();
    const char *top = new_folder(a), *to = mp_arena_printf(a, "%s/S", top), *path;
    mp_raw raw, again;
    f.part[MP_OGB_EDGE_COUNTS] = mp_span_of("0\n0\n0\n");
    f.part[MP_OGB_EDGES] = mp_span_of("");
    f.part[MP_OGB_EDGE_FEAT] = (mp_span){ NULL, 0 };
    WORKS(mp_ogb_parse(&f, a, &raw));
    WORKS(mp_ogb_write(&raw, NULL, to));
    same_members(&f, to, a);
    WORKS(mp_dataset_raw(to, NULL, &with_edges, a, &again, &path));
    same_raw(&raw, &again);
    remove_folder(top);
}

static void json_lines_carry_all_of_it(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = all_parts();
    const char *top = new_folder(a), *lines = mp_arena_printf(a, "%s/S.jsonl", top),
               *to = mp_arena_printf(a, "%s/S", top);
    const char *path;
    mp_raw raw, again;
    WORKS(mp_ogb_parse(&f, a, &raw));
    WORKS(mp_jsonl_write(&raw, NULL, lines));
    WORKS(mp_dataset_raw(lines, NULL, &with_edges, a, &again, &path));
    same_raw(&raw, &again);
    WORKS(mp_ogb_write(&again, NULL, to));
    same_members(&f, to, a);
    mp_dataset one, two;
    WORKS(mp_dataset_build(&raw, &with_edges, a, &one));
    WORKS(mp_dataset_build(&again, &with_edges, a, &two));
    assert_true(one.fingerprint == two.fingerprint); /* by the ranges, not by what occurs */
    remove_folder(top);
}

static void classes_and_folds_go_along(void **state)
{
    mp_arena *a = *state;
    mp_tu_files f = two_graphs();
    const char *top = new_folder(a), *to = mp_arena_printf(a, "%s/T", top), *path;
    mp_raw raw, again;
    mp_folds folds;
    f.part[MP_TU_GRAPH_LABELS] = mp_span_of("-1\n1\n");
    f.part[MP_TU_NODE_LABELS] = mp_span_of("3\n3\n4\n5\n3\n3\n");
    WORKS(mp_tu_parse(&f, a, &raw));
    static const int zero[] = { 0 }, one[] = { 1 };
    const mp_split split[2] = { { 1, 1, 1, 1, zero, zero, one }, { 2, 1, 1, 1, one, one, zero } };
    folds = (mp_folds){ .count = 2, .split = split };
    WORKS(mp_ogb_write(&raw, &folds, to));
    WORKS(mp_dataset_raw(to, NULL, NULL, a, &again, &path));
    assert_int_equal(again.label_columns, 1);
    same_ints(raw.labels, again.labels, 6);
    same_ints(raw.graphs.col, again.graphs.col, (size_t)raw.graphs.edges);
    assert_null(again.graph_label);
    assert_true(again.target[0] == -1 && again.target[1] == 1);
    assert_non_null(again.fold_text);
    assert_true(mp_span_is(again.fold_text->train[1], "1\n"));
    assert_true(mp_span_is(again.fold_text->test[0], "1\n"));
    remove_folder(top);
}

static void what_the_layout_has_no_place_for_is_refused(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = all_parts();
    mp_raw good, raw;
    WORKS(mp_ogb_parse(&f, a, &good));
    const char *top = new_folder(a);
    static const char *const names[] = { "a" };
    raw = good;
    raw.attributes = (mp_sparse){ .rows = 6, .cols = 1 };
    FAILS(mp_ogb_write(&raw, NULL, top), "labels or attributes of nodes, not both");
    raw = good;
    raw.edge_attributes = (mp_sparse){ .rows = 6, .cols = 1 };
    FAILS(mp_ogb_write(&raw, NULL, top), "labels or attributes of edges, not both");
    raw = good;
    raw.class_name = names;
    FAILS(mp_ogb_write(&raw, NULL, top), "its classes are names");
    raw = good;
    raw.fixed_name[3] = "test-large";
    FAILS(mp_ogb_write(&raw, NULL, top), "has a part 'test-large'");
    FAILS(mp_format_ogb.write(&good, NULL, "x.zip"), "archives are not written");
    WORKS(mp_format_ogb.write(&good, NULL, top));
    FAILS(mp_format_ogb.write(&good, NULL, top), "the folder is not empty");
    remove_folder(top);
}

static void where_nothing_packs_members_are_plain(void **state)
{
    mp_arena *a = *state;
    mp_ogb_files f = all_parts();
    mp_raw raw, again;
    const char *top = new_folder(a), *to = mp_arena_printf(a, "%s/S", top), *path;
    WORKS(mp_ogb_parse(&f, a, &raw));
    mp_unpack_with(NULL);
    mp_err e = mp_ogb_write(&raw, NULL, to);
    if (e == MP_OK) e = mp_dataset_raw(to, NULL, &with_edges, a, &again, &path);
    mp_unpack_with(&mp_libarchive);
    WORKS(e);
    same_raw(&raw, &again);
    assert_string_equal(again.file, "S/raw/graph-label.csv");
    remove_folder(top);
}

int main(void)
{
    mp_unpack_with(&mp_libarchive);
    const struct CMUnitTest tests[] = {
        CASE(what_was_read_is_written_as_it_was),
        CASE(packed_members_have_the_same_bytes_each_time),
        CASE(a_set_without_a_single_edge_survives),
        CASE(json_lines_carry_all_of_it),
        CASE(classes_and_folds_go_along),
        CASE(what_the_layout_has_no_place_for_is_refused),
        CASE(where_nothing_packs_members_are_plain),
    };
    return cmocka_run_group_tests_name("data_ogb_write", tests, NULL, NULL);
}
