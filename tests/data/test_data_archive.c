/* test_data_archive.c - folders and archives: what is read, what is refused, where sets are looked for.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/archive.h"
#include "data/fetch.h"
#include "data/load.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

typedef struct member {
    const char *path, *text;
} member;

static const member set[] = {
    { "T/T_A.txt", "1, 2\n2, 1\n3, 4\n4, 3\n" },
    { "T/T_graph_indicator.txt", "1\n1\n2\n2\n" },
    { "T/T_graph_labels.txt", "0\n1\n" },
    { "T/README.txt", "about the set" },
};
enum { SET = sizeof set / sizeof *set };

typedef enum packing { ZIP, TAR_XZ, TAR_GZ } packing;

static mp_span pack(const member *m, int n, packing how, mp_arena *a)
{
    size_t room = 1 << 20, used = 0;
    char *out = MP_NEW(a, char, room);
    struct archive *w = archive_write_new();
    if (how == ZIP) archive_write_set_format_zip(w);
    if (how != ZIP) archive_write_set_format_ustar(w);
    if (how == TAR_XZ) archive_write_add_filter_xz(w);
    if (how == TAR_GZ) archive_write_add_filter_gzip(w);
    assert_int_equal(archive_write_open_memory(w, out, room, &used), ARCHIVE_OK);
    for (int i = 0; i < n; i++) {
        struct archive_entry *e = archive_entry_new();
        size_t size = strlen(m[i].text);
        archive_entry_set_pathname(e, m[i].path);
        archive_entry_set_size(e, (la_int64_t)size);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        assert_int_equal(archive_write_header(w, e), ARCHIVE_OK);
        assert_int_equal(archive_write_data(w, m[i].text, size), (int)size);
        archive_entry_free(e);
    }
    assert_int_equal(archive_write_close(w), ARCHIVE_OK);
    archive_write_free(w);
    return (mp_span){ out, used };
}

static mp_err unpack(mp_span packed, mp_arena *a, mp_gather *g)
{
    *g = (mp_gather){ .where = "x.zip", .text = a, .keep = a };
    return mp_gather_archive_bytes(g, packed);
}

static void zip_and_compressed_tar_hold_the_same(void **state)
{
    for (packing how = ZIP; how <= TAR_GZ; how++) {
        mp_gather g;
        mp_raw raw;
        WORKS(unpack(pack(set, SET, how, *state), *state, &g));
        assert_string_equal(g.files.name, "T");
        assert_null(g.folds);
        WORKS(mp_tu_parse(&g.files, *state, &raw));
        assert_int_equal(raw.graphs.graphs, 2);
    }
}

static void an_archive_cut_off_anywhere_is_refused(void **state)
{
    for (packing how = ZIP; how <= TAR_GZ; how++) {
        mp_span whole = pack(set, SET, how, *state);
        size_t meant = how == TAR_GZ ? whole.n - 8 : whole.n; /* a gzip trailer that is missing goes unnoticed */
        if (how == TAR_XZ) meant = whole.n - 64;              /* as do the index and footer of xz              */
        for (size_t n = 0; n < meant; n++) {
            mp_arena_mark here = mp_arena_here(*state);
            mp_gather g;
            FAILS(unpack((mp_span){ whole.p, n }, *state, &g), "x.zip: ");
            mp_arena_back(*state, here);
        }
    }
}

static void damaged_bytes_never_crash_the_reader(void **state)
{
    mp_span whole = pack(set, SET, ZIP, *state);
    char *copy = MP_NEW(*state, char, whole.n);
    for (size_t i = 0; i < whole.n; i++) {
        mp_arena_mark here = mp_arena_here(*state);
        mp_gather g;
        mp_raw raw;
        memcpy(copy, whole.p, whole.n);
        copy[i] = (char)(copy[i] ^ 0x55);
        if (unpack((mp_span){ copy, whole.n }, *state, &g) == MP_OK && g.files.name &&
            mp_tu_parse(&g.files, *state, &raw) == MP_OK)
            WORKS(mp_graph_check(&raw.graphs));
        mp_arena_back(*state, here);
    }
}

static void only_base_names_count(void **state)
{
    static const member odd[] = {
        { "../../etc/T_A.txt", "1,2\n2,1\n" },
        { "/T_graph_indicator.txt", "1\n1\n" },
        { "__MACOSX/._T_A.txt", "rubbish" },
        { "deep/down/10fold_idx/train_idx-1.txt", "0\n" },
        { "deep/down/10fold_idx/my_test_idx-1.txt", "0\n" },
    };
    mp_gather g;
    WORKS(unpack(pack(odd, 5, ZIP, *state), *state, &g));
    assert_string_equal(g.files.name, "T");
    assert_int_equal(g.files.part[MP_TU_EDGES].n, 8);
    assert_non_null(g.folds->train[0].p);
    for (int f = 0; f < MP_MAX_FOLDS; f++) assert_null(g.folds->test[f].p);
}

static void repeated_members_and_second_sets_are_refused(void **state)
{
    static const member twice[] = { { "T/T_A.txt", "1" }, { "U/T_A.txt", "2" } };
    static const member two[] = { { "T/T_A.txt", "1" }, { "U/U_A.txt", "2" } };
    static const member folds[] = { { "a/test_idx-3.txt", "1" }, { "b/test_idx-3.txt", "2" } };
    mp_gather g;
    FAILS(unpack(pack(twice, 2, ZIP, *state), *state, &g), "x.zip: T_A.txt is there twice");
    FAILS(unpack(pack(two, 2, ZIP, *state), *state, &g), "x.zip: holds two data sets, T and U");
    FAILS(unpack(pack(folds, 2, ZIP, *state), *state, &g), "x.zip: test_idx-3.txt is there twice");
}

/* 150 MiB of zeros pack to about 150 KiB. */
static void a_bomb_is_refused(void **state)
{
    size_t n = (size_t)150 << 20;
    char *zeros = calloc(1, n + 1);
    memset(zeros, '0', n);
    member m = { "T_A.txt", zeros };
    mp_gather g;
    FAILS(unpack(pack(&m, 1, ZIP, *state), *state, &g), "times its size");
    free(zeros);
    g.bytes = 0;
    WORKS(mp_gather_grown(&g, MP_GATHER_LIMIT, 0));
    FAILS(mp_gather_grown(&g, 1, 0), "unpacks to more than 4096 MiB");
}

static void what_is_no_archive_is_refused(void **state)
{
    mp_gather g;
    FAILS(unpack(mp_span_of("this is no archive, only words"), *state, &g), "x.zip: ");
    g = (mp_gather){ .where = "nowhere.zip", .text = *state, .keep = *state };
    FAILS(mp_gather_archive(&g, "nowhere.zip"), "nowhere.zip");
    FAILS(mp_gather_folder(&g, "nowhere"), "nowhere: No such file");
}

static void write_text(const char *folder, const char *name, const char *text, mp_arena *a)
{
    WORKS(mp_write_file(mp_arena_printf(a, "%s/%s", folder, name), text, strlen(text)));
}

static void write_set(const char *folder, mp_arena *a)
{
    WORKS(mp_make_folder(folder));
    for (int i = 0; i < SET; i++) write_text(folder, set[i].path + 2, set[i].text, a);
}

static void sets_are_found_by_name_and_by_path(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a);
    mp_dataset d;
    mp_span zip = pack(set, SET, ZIP, a);
    write_set(mp_arena_printf(a, "%s/one/T", folder), a);
    WORKS(mp_make_folder(mp_arena_printf(a, "%s/two", folder)));
    WORKS(mp_write_file(mp_arena_printf(a, "%s/two/T.zip", folder), zip.p, zip.n));
    WORKS(mp_dataset_load("T", mp_arena_printf(a, "%s/one", folder), a, &d));
    assert_non_null(strstr(d.origin, "/one/T"));
    WORKS(mp_dataset_load("T", mp_arena_printf(a, "%s/two", folder), a, &d));
    assert_non_null(strstr(d.origin, "/two/T.zip"));
    WORKS(mp_dataset_load(mp_arena_printf(a, "%s/two/T.zip", folder), NULL, a, &d));
    assert_int_equal(d.graphs.graphs, 2);
    FAILS(mp_dataset_load(mp_arena_printf(a, "%s/three", folder), NULL, a, &d), "no such folder or file");
    FAILS(mp_dataset_load(folder, NULL, a, &d), "holds no data set");
    remove_folder(folder);
}

/* Sets the bit by which a zip says that its names are UTF-8, in every header. */
static mp_span names_are_utf8(mp_span zip)
{
    char *p = (char *)(uintptr_t)zip.p;
    for (size_t i = 0; i + 10 < zip.n; i++) {
        if (memcmp(p + i, "PK\3\4", 4) == 0) p[i + 7] |= 8;
        if (memcmp(p + i, "PK\1\2", 4) == 0) p[i + 9] |= 8;
    }
    return zip;
}

static void names_beyond_ascii_are_read(void **state)
{
    static const char *const names[] = { "M\xC3\xB6l", "\xE5\x88\x86\xE5\xAD\x90",
                                         "M\xF6l" }; /* the last one is Latin-1 */
    mp_arena *a = *state;
    for (int i = 0; i < 6; i++) {
        const char *name = names[i % 3];
        member m[] = { { mp_arena_printf(a, "%s/%s_A.txt", name, name), "1, 2\n2, 1\n" },
                       { mp_arena_printf(a, "%s/%s_graph_indicator.txt", name, name), "1\n1\n" },
                       { mp_arena_printf(a, "%s/%s_node_labels.txt", name, name), "3\n4\n" } };
        mp_span zip = pack(m, 3, ZIP, a);
        mp_gather g;
        if (i == 5) { /* it says UTF-8 and is not */
            FAILS(unpack(names_are_utf8(zip), a, &g), "x.zip: the name of member 1 cannot be read");
            continue;
        }
        WORKS(unpack(i < 3 ? zip : names_are_utf8(zip), a, &g));
        assert_string_equal(g.files.name, name);
        assert_non_null(g.files.part[MP_TU_NODE_LABELS].p);
    }
    member m[] = { { "T/T_A.txt", "1, 2\n" },
                   { "T/T_graph_indicator.txt", "1\n1\n" },
                   { "\xC3\xB6/T_node_labels.txt", "3\n4\n" } };
    mp_gather g;
    WORKS(unpack(names_are_utf8(pack(m, 3, ZIP, a)), a, &g));
    assert_non_null(g.files.part[MP_TU_NODE_LABELS].p); /* without labels the features would be degrees */
}

static void a_link_to_nothing_is_no_missing_file(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a);
    mp_dataset d;
    write_set(folder, a);
    assert_int_equal(symlink("nowhere", mp_arena_printf(a, "%s/notes.txt", folder)), 0);
    WORKS(mp_dataset_load(folder, NULL, a, &d));
    assert_int_equal(symlink("nowhere", mp_arena_printf(a, "%s/T_node_labels.txt", folder)), 0);
    FAILS(mp_dataset_load(folder, NULL, a, &d), "T_node_labels.txt: No such file");
    remove_folder(folder);
}

static void a_mark_before_a_text_is_passed_over(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a);
    member marked[SET];
    mp_dataset plain, d;
    mp_folds f;
    for (int i = 0; i < SET; i++)
        marked[i] = (member){ set[i].path, mp_arena_printf(a, "\xEF\xBB\xBF%s", set[i].text) };
    write_set(folder, a);
    WORKS(mp_dataset_load(folder, NULL, a, &plain));
    for (int i = 0; i < SET; i++) write_text(folder, marked[i].path + 2, marked[i].text, a);
    WORKS(mp_dataset_load(folder, NULL, a, &d));
    assert_true(d.fingerprint == plain.fingerprint);
    mp_span zip = pack(marked, SET, ZIP, a);
    const char *path = mp_arena_printf(a, "%s/T.zip", folder);
    WORKS(mp_write_file(path, zip.p, zip.n));
    WORKS(mp_dataset_load(path, NULL, a, &d));
    assert_true(d.fingerprint == plain.fingerprint);
    const char *json = "\xEF\xBB\xBF{\"folds\": [{\"train\": [0], \"test\": [1], \"val\": [2]}]}";
    WORKS(mp_folds_parse_json(mp_span_of(json), "f.json", 3, a, &f));
    remove_folder(folder);
}

static void an_unknown_name_says_where_it_looked_and_what_is_near(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a);
    mp_dataset d;
    FAILS(mp_dataset_load("MUTAGG", folder, a, &d), mp_arena_printf(a, "no data set 'MUTAGG' in %s, ", folder));
    assert_non_null(strstr(mp_message(), "did you mean 'MUTAG'?"));
    FAILS(mp_dataset_load("imdb-binary", folder, a, &d), "did you mean 'IMDB-BINARY'?");
    remove_folder(folder);
    FAILS(mp_dataset_load("MUTAG", folder, a, &d), "--data: no folder");
    FAILS(mp_dataset_load("", NULL, a, &d), "got an empty word");
}

static void a_failure_inside_names_the_archive_the_file_and_the_line(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a);
    mp_dataset d;
    write_set(folder, a);
    write_text(folder, "T_A.txt", "1, 2\n2, 9\n", a);
    FAILS(mp_dataset_load(folder, NULL, a, &d), mp_arena_printf(a, "%s: T_A.txt:2: node 9 is outside 1..4", folder));
    remove_folder(folder);
}

static void fold_files_that_cannot_be_numbered_are_refused(void **state)
{
    static const char *const names[] = { "train_idx-101.txt", "test_idx-0.txt", "val_idx-x.txt", "test_idx-.txt",
                                         "train_idx-99999999999999999999.txt" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mp_gather g = { .where = "F", .text = *state, .keep = *state };
        mp_gather_place at;
        FAILS(mp_gather_slot(&g, names[i], &at), "K from 1 to 100");
        WORKS(mp_gather_slot(&g, "old_train_idx-101.txt", &at)); /* is none */
        assert_null(at.slot);
    }
}

static void fold_files_are_found_in_the_set_and_beside_it(void **state)
{
    static const member folds[] = { { "T/10fold_idx/train_idx-1.txt", "1\n2\n3\n4\n5\n" },
                                    { "T/10fold_idx/test_idx-1.txt", "0\n" },
                                    { "T/10fold_idx/train_idx-2.txt", "0\n2\n3\n4\n5\n" },
                                    { "T/10fold_idx/test_idx-2.txt", "1\n" } };
    mp_arena *a = *state;
    const char *folder = new_folder(a), *home = mp_arena_printf(a, "%s/T", folder);
    mp_dataset d;
    mp_folds f;
    write_set(home, a);
    write_text(home, "T_graph_indicator.txt", "1\n2\n3\n4\n5\n6\n", a);
    write_text(home, "T_A.txt", "1,1\n", a);
    write_text(home, "T_graph_labels.txt", "0\n1\n0\n1\n0\n1\n", a);
    WORKS(mp_dataset_load(home, NULL, a, &d));
    WORKS(mp_folds_load(&d, NULL, 3, a, &f));
    assert_string_equal(f.from, "stratified");

    mp_span zip = pack(folds, 4, ZIP, a);
    WORKS(mp_make_folder(mp_arena_printf(a, "%s/folds", folder)));
    const char *beside = mp_arena_printf(a, "%s/folds/T.zip", folder);
    WORKS(mp_write_file(beside, zip.p, zip.n));
    WORKS(mp_folds_load(&d, NULL, 0, a, &f));
    assert_string_equal(f.from, "files");
    assert_int_equal(f.count, 2);
    assert_non_null(strstr(f.about, beside));
    WORKS(mp_folds_load(&d, NULL, 3, a, &f)); /* another number than the files have */
    assert_string_equal(f.from, "stratified");

    WORKS(mp_make_folder(mp_arena_printf(a, "%s/10fold_idx", home)));
    for (int i = 0; i < 4; i++) write_text(home, folds[i].path + 2, folds[i].text, a);
    WORKS(mp_dataset_load(home, NULL, a, &d));
    WORKS(mp_folds_load(&d, NULL, 0, a, &f));
    assert_non_null(strstr(f.about, home));

    const char *json = mp_arena_printf(a, "%s/f.json", folder);
    write_text(folder, "f.json", "{\"folds\":[{\"train\":[0,1],\"val\":[2],\"test\":[3,4]}]}", a);
    WORKS(mp_folds_load(&d, json, 0, a, &f));
    assert_int_equal(f.count, 1);
    assert_int_equal(strncmp(f.from, "f.json#", 7), 0);
    FAILS(mp_folds_load(&d, json, 10, a, &f), "has 1 folds, not 10");
    FAILS(mp_folds_load(&d, home + 1, 0, a, &f), "no such folder or file");
    remove_folder(folder);
}

static void a_download_is_taken_over_only_when_it_reads_as_the_set(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a), *got = mp_arena_printf(a, "%s/got.zip", folder);
    const char *target = mp_arena_printf(a, "%s/T.zip", folder);
    mp_span zip = pack(set, SET, ZIP, a), old;
    WORKS(mp_write_file(target, "old", 3));
    WORKS(mp_write_file(got, zip.p, zip.n));
    FAILS(mp_fetch_accept(got, "OTHER", target), "holds the data set T, not OTHER");
    assert_int_not_equal(access(got, F_OK), 0);
    WORKS(mp_write_file(got, zip.p, zip.n / 2));
    FAILS(mp_fetch_accept(got, "T", target), "T was not taken over");
    WORKS(mp_slurp(target, 0, a, &old));
    assert_true(mp_span_is(old, "old"));
    WORKS(mp_write_file(got, zip.p, zip.n));
    WORKS(mp_fetch_accept(got, "T", target));
    WORKS(mp_slurp(target, 0, a, &old));
    assert_int_equal(old.n, zip.n);
    remove_folder(folder);
}

static void names_that_are_no_names_are_not_fetched(void **state)
{
    static const char *const names[] = { "", "../MUTAG", "a b", "x/y", "http:", "%2e" };
    const char *path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        FAILS(mp_fetch(names[i], NULL, NULL, *state, &path), "is not the name of a data set");
}

/* Graphs read from a zip as a stream; -1 when it fails. */
static int graphs_streamed(mp_span zip, const char *name, mp_arena *a)
{
    static const mp_recipe degrees = { .degree = MP_DEGREE_ONE_HOT, .degree_max = 3 };
    static const int64_t classes[] = { 0, 1 };
    const mp_dataset_as as = { .recipe = &degrees, .task = &mp_task_classify, .classes = 2, .class_value = classes };
    const char *folder = new_folder(a), *path = mp_arena_printf(a, "%s/%s", folder, name);
    mp_stream *s = NULL;
    mp_piece p;
    int graphs = 0;
    bool got = true;
    WORKS(mp_write_file(path, zip.p, zip.n));
    mp_piece_init(&p);
    mp_err e = mp_stream_zip(path, &as, 1, a, &s);
    while (e == MP_OK && (e = mp_stream_cut(s, &p, &got)) == MP_OK && got) {
        e = mp_stream_read(s, &p);
        if (e == MP_OK) WORKS(mp_graph_check(&p.data.graphs));
        graphs += p.count;
    }
    mp_piece_free(&p);
    mp_stream_close(s);
    remove_folder(folder);
    return e == MP_OK ? graphs : -1;
}

static void a_zip_is_read_as_a_stream_and_a_tar_is_not(void **state)
{
    mp_span zip = pack(set, SET, ZIP, *state), tar = pack(set, SET, TAR_GZ, *state);
    assert_int_equal(graphs_streamed(zip, "x.zip", *state), 2);
    assert_int_equal(graphs_streamed(tar, "x.tar.gz", *state), -1);
    assert_int_equal(graphs_streamed((mp_span){ zip.p, zip.n - 30 }, "x.zip", *state), -1);
}

static void a_damaged_zip_never_crashes_the_stream(void **state)
{
    mp_span whole = pack(set, SET, ZIP, *state);
    char *copy = MP_NEW(*state, char, whole.n);
    for (size_t i = 0; i < whole.n; i += 3) {
        memcpy(copy, whole.p, whole.n);
        copy[i] = (char)(copy[i] ^ 0x55);
        assert_in_range(graphs_streamed((mp_span){ copy, whole.n }, "x.zip", *state) + 1, 0, 3);
    }
}

/* Variables that are empty are as good as none. */
static void the_cache_is_where_the_variables_say(void **state)
{
    static const struct {
        const char *cache, *home, *folder;
    } said[] = { { "/c", "/h", "/c/midpool" },
                 { "c", "/h", "c/midpool" },
                 { "", "/h", "/h/.cache/midpool" },
                 { NULL, "/h", "/h/.cache/midpool" },
                 { NULL, "h", "h/.cache/midpool" },
                 { "/c", NULL, "/c/midpool" },
                 { "", "", NULL },
                 { NULL, NULL, NULL } };
    const char *variable[] = { "XDG_CACHE_HOME", "HOME" }, *before[2];
    for (int v = 0; v < 2; v++)
        before[v] = getenv(variable[v]) ? mp_arena_printf(*state, "%s", getenv(variable[v])) : NULL;
    for (size_t i = 0; i <= sizeof said / sizeof *said; i++) {
        bool last = i == sizeof said / sizeof *said; /* as it was */
        const char *value[] = { last ? before[0] : said[i].cache, last ? before[1] : said[i].home };
        for (int v = 0; v < 2; v++)
            assert_int_equal(value[v] ? setenv(variable[v], value[v], 1) : unsetenv(variable[v]), 0);
        if (last) break;
        const char *folder = mp_cache_dir(*state);
        assert_true(!folder == !said[i].folder);
        if (folder) assert_string_equal(folder, said[i].folder);
    }
}

int main(void)
{
    mp_unpack_with(&mp_libarchive);
    const struct CMUnitTest tests[] = {
        CASE(zip_and_compressed_tar_hold_the_same),
        CASE(an_archive_cut_off_anywhere_is_refused),
        CASE(damaged_bytes_never_crash_the_reader),
        CASE(a_zip_is_read_as_a_stream_and_a_tar_is_not),
        CASE(a_damaged_zip_never_crashes_the_stream),
        CASE(only_base_names_count),
        CASE(repeated_members_and_second_sets_are_refused),
        CASE(a_bomb_is_refused),
        CASE(what_is_no_archive_is_refused),
        CASE(names_beyond_ascii_are_read),
        CASE(a_link_to_nothing_is_no_missing_file),
        CASE(a_mark_before_a_text_is_passed_over),
        CASE(sets_are_found_by_name_and_by_path),
        CASE(an_unknown_name_says_where_it_looked_and_what_is_near),
        CASE(a_failure_inside_names_the_archive_the_file_and_the_line),
        CASE(fold_files_that_cannot_be_numbered_are_refused),
        CASE(fold_files_are_found_in_the_set_and_beside_it),
        CASE(a_download_is_taken_over_only_when_it_reads_as_the_set),
        CASE(names_that_are_no_names_are_not_fetched),
        CASE(the_cache_is_where_the_variables_say),
    };
    return cmocka_run_group_tests_name("data_archive", tests, NULL, NULL);
}
