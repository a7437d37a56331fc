/* test_data_format.c - formats as rows: what is known by its name or its bytes, files of every kind, a row added later.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"
#include "same_raw.h"

#include "data/archive.h"
#include "data/format.h"
#include "data/gather.h"
#include "data/load.h"

#include <pthread.h>

static mp_dataset make_set(const char *folder, mp_arena *a)
{
    mp_tu_files f = two_graphs();
    mp_raw raw;
    mp_dataset d;
    f.part[MP_TU_NODE_LABELS] = mp_span_of("0\n1\n2\n0\n0\n1\n");
    f.part[MP_TU_GRAPH_LABELS] = mp_span_of("3\n4\n");
    WORKS(mp_tu_parse(&f, a, &raw));
    WORKS(mp_tu_write(&raw, mp_arena_printf(a, "%s/T", folder)));
    WORKS(mp_format_jsonl.write(&raw, NULL, mp_arena_printf(a, "%s/T.jsonl", folder)));
    WORKS(mp_dataset_build(&raw, NULL, a, &d));
    return d;
}

static void shell(const char *command)
{
    assert_int_equal(system(command), 0);
}

static void a_set_is_the_same_in_every_format_and_under_any_name(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a);
    mp_dataset made = make_set(folder, a), d;
    static const char *const names[] = { "T", "T.jsonl", "T.jsonl.gz", "lines" };
    shell(mp_arena_printf(a, "cd %s && gzip -k T.jsonl && cp T.jsonl lines", folder));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = mp_arena_printf(a, "%s/%s", folder, names[i]);
        WORKS(mp_dataset_load(path, NULL, a, &d));
        assert_true(d.fingerprint == made.fingerprint);
        assert_string_equal(d.name, "T");
        assert_string_equal(d.origin, path);
    }
    shell(mp_arena_printf(a, "cd %s && rm -r T", folder));
    WORKS(mp_dataset_load("T", folder, a, &d)); /* the name finds T.jsonl now */
    assert_true(strstr(d.origin, "T.jsonl") != NULL);
    shell(mp_arena_printf(a, "cd %s && echo hello > odd && head -c 60 T.jsonl.gz > cut.jsonl.gz", folder));
    FAILS(mp_dataset_load(mp_arena_printf(a, "%s/odd", folder), NULL, a, &d),
          "odd: is in none of the formats tu, jsonl");
    FAILS(mp_dataset_load(mp_arena_printf(a, "%s/cut.jsonl.gz", folder), NULL, a, &d),
          "cut.jsonl.gz: cannot be unpacked");
    FAILS(mp_dataset_load(mp_arena_printf(a, "%s/no.jsonl", folder), NULL, a, &d), "no such folder or file");
    remove_folder(folder);
}

static void a_text_without_a_name_is_named_by_its_file(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a), *path = mp_arena_printf(a, "%s/some.set.jsonl", folder);
    mp_dataset d;
    static const char text[] = "{\"nodes\":1,\"y\":0}\n{\"nodes\":1,\"y\":1}\n";
    WORKS(mp_write_file(path, text, strlen(text)));
    WORKS(mp_dataset_load(path, NULL, a, &d));
    assert_string_equal(d.name, "some.set");
    remove_folder(folder);
}

/* ---- a format of one's own: a line a graph, the number of nodes of a path ---- */

static const char *const path_ends[] = { ".paths", NULL };

static bool probe_paths(const char *path, bool folder, mp_span head)
{
    size_t stem;
    extern const mp_data_format paths;
    (void)head;
    return !folder && mp_format_named(&paths, path, &stem);
}

static mp_err read_paths(const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    mp_span text, line;
    int64_t n;
    mp_buf edges = { 0 }, indicator = { 0 };
    MP_TRY(mp_slurp(in->path, 0, a, &text));
    for (int b = 1, first = 1; mp_next_line(&text, &line); b++, first += (int)n) {
        if (!mp_to_int(line, &n)) return mp_fail(MP_ERR_INPUT, "%s:%d: expected a number", in->path, b);
        for (int v = 0; v < (int)n; v++) {
            mp_buf_printf(&indicator, "%d\n", b);
            if (v) mp_buf_printf(&edges, "%d, %d\n", first + v - 1, first + v);
        }
    }
    mp_tu_files f = { .name = "PATHS" };
    f.part[MP_TU_EDGES] = (mp_span){ edges.p, edges.n };
    f.part[MP_TU_INDICATOR] = (mp_span){ indicator.p, indicator.n };
    mp_err e = mp_tu_parse(&f, a, out);
    mp_buf_free(&edges);
    mp_buf_free(&indicator);
    return e;
}

extern const mp_data_format paths;
const mp_data_format paths = {
    .name = "paths", .title = "lengths of paths", .ends = path_ends, .probe = probe_paths, .read = read_paths
};

static void *look_on(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2000; i++) {
        const mp_data_format *f;
        if (mp_format_find("tu", &f) != MP_OK || mp_format_at(0) != f) return "wrong";
    }
    return NULL;
}

static void a_row_added_at_run_time_is_a_format_like_the_others(void **state)
{
    mp_arena *a = *state;
    const char *folder = new_folder(a), *path = mp_arena_printf(a, "%s/P.paths", folder);
    const mp_data_format *f;
    mp_dataset d;
    pthread_t thread;
    void *wrong = NULL;
    WORKS(mp_write_file(path, "3\n2\n", 4));
    FAILS(mp_dataset_load(path, NULL, a, &d), "is in none of the formats tu, jsonl");
    FAILS(mp_format_find("paths", &f), "no format 'paths'; expected one of tu, jsonl");
    assert_int_equal(pthread_create(&thread, NULL, look_on, NULL), 0);
    WORKS(mp_format_add(&paths));
    assert_int_equal(pthread_join(thread, &wrong), 0);
    assert_null(wrong);
    FAILS(mp_format_add(&paths), "there is a format 'paths' already");
    FAILS(mp_format_add(&(mp_data_format){ .name = "x" }), "a format needs");
    WORKS(mp_dataset_load(path, NULL, a, &d));
    assert_int_equal(d.graphs.nodes, 5);
    assert_int_equal(d.graphs.edges, 6);
    WORKS(mp_dataset_load("P", folder, a, &d)); /* found by its ending */
    assert_ptr_equal(mp_format_for("x/y.paths"), &paths);
    assert_ptr_equal(mp_format_for("x.jsonl"), &mp_format_jsonl);
    assert_null(mp_format_for("x.txt"));
    remove_folder(folder);
}

int main(void)
{
    mp_unpack_with(&mp_libarchive);
    const struct CMUnitTest tests[] = {
        CASE(a_set_is_the_same_in_every_format_and_under_any_name),
        CASE(a_text_without_a_name_is_named_by_its_file),
        CASE(a_row_added_at_run_time_is_a_format_like_the_others),
    };
    return cmocka_run_group_tests_name("data_format", tests, NULL, NULL);
}
