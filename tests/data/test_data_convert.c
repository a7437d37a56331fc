/* test_data_convert.c - sets made by chance, written in one format after the other: what comes back is the set.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "base/rng.h"
#include "data/format.h"
#include "data/load.h"
#include "data/query.h"

#include <math.h>
#include <sys/stat.h>

static const mp_dataset_as all = { .edges = true };

/* Words with everything that a format must put in quotes or take out of the way. */
static const char *const odd_words[] = { "a,b", "say \"hi\"", "<tag> & co", "\xC3\xA9t\xC3\xA9", "C",   "N",
                                         "a b", "'",          "x;y",        "two\nlines",        "NA+", "-" };
enum { WORDS = sizeof odd_words / sizeof *odd_words };

static const int *random_labels(mp_rng *r, size_t n, int lo, int range, mp_arena *a)
{
    int *v = MP_NEW(a, int, n);
    for (size_t i = 0; i < n; i++) v[i] = lo + mp_rng_below(r, range);
    return v;
}

static mp_sparse random_numbers(mp_rng *r, int rows, int cols, mp_arena *a)
{
    float *v = MP_NEW(a, float, (size_t)rows *(size_t)cols + 1);
    mp_sparse out = { 0 };
    for (size_t i = 0; i < (size_t)rows * (size_t)cols; i++)
        v[i] = mp_rng_below(r, 3) == 0 ? 0 : mp_rng_below(r, 3) == 0 ? 7 : (float)mp_rng_normal(r);
    if (cols) WORKS(mp_sparse_of(v, rows, cols, "numbers", a, &out));
    return out;
}

/* Names of columns; every other column of labels is one of words, which are in the order of their letters and all there. */
static const mp_names *random_names(mp_rng *r, int attributes, int columns, int *labels, int rows, mp_arena *a)
{
    mp_names *n = MP_NEW(a, mp_names, 1);
    const char **attribute = MP_NEW(a, const char *, attributes + 1), **label = MP_NEW(a, const char *, columns + 1);
    const char *const **word = MP_NEW(a, const char *const *, columns + 1);
    int *words = MP_NEW(a, int, columns + 1);
    static const char *const alphabet[] = { "A,\"b\"", "B\nC & <d>", "z" };
    for (int k = 0; k < attributes; k++) attribute[k] = mp_arena_printf(a, "mass, of \"%d\" <&>", k);
    for (int k = 0; k < columns; k++) {
        bool made_of_words = rows >= 3;
        label[k] = mp_arena_printf(a, made_of_words ? "kind %d" : "label_%d", k + 1);
        if (!made_of_words) continue;
        words[k] = 3;
        word[k] = alphabet;
        for (int i = 0; i < rows; i++) labels[i * columns + k] = i < 3 ? i : mp_rng_below(r, 3);
    }
    *n = (mp_names){ attributes, columns, attribute, label, words, word };
    return n;
}

static void random_answers(mp_rng *r, mp_raw *raw, mp_arena *a)
{
    int graphs = raw->graphs.graphs, kind = mp_rng_below(r, 5);
    if (kind == 0) return;
    if (kind <= 2) {
        int64_t *label = MP_NEW(a, int64_t, graphs);
        for (int b = 0; b < graphs; b++) label[b] = kind == 1 ? mp_rng_below(r, 3) - 1 : b % 2;
        raw->graph_label = label;
    }
    if (kind == 2 && graphs > 1) {
        static const char *const name[] = { "\"no\" & never", "yes, <do>" };
        raw->class_name = name;
        raw->class_names = 2;
    }
    if (kind <= 2) return;
    raw->target_columns = kind == 3 ? 1 : 3;
    double *target = MP_NEW(a, double, graphs * 3);
    for (int i = 0; i < graphs * raw->target_columns; i++)
        target[i] = i && mp_rng_below(r, 4) == 0 ? (double)NAN
                    : mp_rng_below(r, 2)         ? mp_rng_below(r, 5)
                                                 : (double)(float)mp_rng_normal(r);
    raw->target = target;
    static const char *const names[] = { "a", "b,c", "\"d\"" };
    if (kind == 4 && mp_rng_below(r, 2)) raw->target_name = names;
}

static void random_set(mp_rng *r, mp_arena *a, mp_raw *raw)
{
    int graphs = 1 + mp_rng_below(r, 7), nodes = 0, *node_ptr = MP_NEW(a, int, graphs + 1);
    for (int b = 0; b < graphs; b++) node_ptr[b + 1] = nodes += 1 + mp_rng_below(r, 6);
    int edges = 0, *from = MP_NEW(a, int, graphs * 8), *to = MP_NEW(a, int, graphs * 8);
    for (int b = 0; b < graphs; b++)
        for (int i = mp_rng_below(r, 8); i > 0; i--) {
            int n = node_ptr[b + 1] - node_ptr[b], u = mp_rng_below(r, n), v = mp_rng_below(r, n);
            from[edges] = node_ptr[b] + u;
            to[edges++] = node_ptr[b] + v;
        }
    mp_query q = { .nodes = nodes, .edges = edges, .from = from, .to = to };
    mp_graph g;
    mp_query_graph(&q, a, &g);
    *raw = (mp_raw){ .name = "S", .graphs = mp_graph_of(a, graphs, node_ptr, g.row_ptr, g.col, g.rev) };
    raw->label_columns = mp_rng_below(r, 3);
    int *labels = (int *)random_labels(r, (size_t)nodes * (size_t)raw->label_columns + 1, -2, 5, a);
    raw->labels = labels;
    raw->attributes = random_numbers(r, nodes, mp_rng_below(r, 4), a);
    if (mp_rng_below(r, 2) && raw->label_columns + raw->attributes.cols)
        raw->names = random_names(r, raw->attributes.cols, raw->label_columns, labels, nodes, a);
    if (g.edges) { /* both directions of an edge have the same values */
        raw->edge_label_columns = mp_rng_below(r, 3);
        int *edge_labels = (int *)random_labels(r, (size_t)g.edges * (size_t)raw->edge_label_columns + 1, 0, 3, a);
        for (int e = 0; e < g.edges; e++)
            for (int k = 0; k < raw->edge_label_columns; k++)
                if (g.rev[e] < e)
                    edge_labels[e * raw->edge_label_columns + k] = edge_labels[g.rev[e] * raw->edge_label_columns + k];
        raw->edge_labels = edge_labels;
    }
    random_answers(r, raw, a);
    if (mp_rng_below(r, 2)) {
        const char **id = MP_NEW(a, const char *, graphs);
        for (int b = 0; b < graphs; b++) id[b] = mp_arena_printf(a, "%s %d", odd_words[mp_rng_below(r, WORDS)], b);
        raw->id = id;
    }
    if (graphs >= 3 && mp_rng_below(r, 2)) {
        static const char *const name[MP_PARTS] = { "train", "val", "test", NULL, NULL };
        unsigned char *part = MP_NEW(a, unsigned char, graphs);
        for (int b = 0; b < graphs; b++)
            part[b] = (unsigned char)(b < 3 ? 2 - b : mp_rng_below(r, 4) == 3 ? MP_PARTS : 0);
        mp_raw_split(raw, part, name, a);
    }
}

static const char *written(const mp_raw *raw, const mp_data_format *f, const char *top, int number, mp_arena *a)
{
    const char *end = f->ends[0]; /* a folder and a file alike make the set's name S */
    const char *dir = mp_arena_printf(a, "%s/%d", top, number);
    assert_int_equal(mkdir(dir, 0777), 0);
    const char *path = mp_arena_printf(a, "%s/S%s", dir, end);
    WORKS(f->write(raw, NULL, path));
    return path;
}

static uint64_t fingerprint(const mp_raw *raw, mp_arena *a)
{
    mp_dataset d;
    WORKS(mp_dataset_build(raw, &all, a, &d));
    return d.fingerprint;
}

static void same_names(const mp_names *x, const mp_names *y)
{
    assert_int_equal(!x, !y);
    if (!x) return;
    assert_int_equal(x->attributes, y->attributes);
    assert_int_equal(x->labels, y->labels);
    for (int k = 0; k < x->attributes; k++) assert_string_equal(x->attribute[k], y->attribute[k]);
    for (int k = 0; k < x->labels; k++) {
        assert_string_equal(x->label[k], y->label[k]);
        assert_int_equal(x->words[k], y->words[k]);
        for (int i = 0; i < x->words[k]; i++) assert_string_equal(x->word[k][i], y->word[k][i]);
    }
}

static void same_words(const mp_raw *x, const mp_raw *y)
{
    int graphs = x->graphs.graphs;
    same_names(x->names, y->names);
    assert_int_equal(x->class_names, y->class_names);
    for (int c = 0; c < x->class_names; c++) assert_string_equal(x->class_name[c], y->class_name[c]);
    assert_int_equal(!x->id, !y->id);
    for (int b = 0; x->id && b < graphs; b++) assert_string_equal(x->id[b], y->id[b]);
    assert_int_equal(!x->target_name, !y->target_name);
    for (int k = 0; x->target_name && k < x->target_columns; k++)
        assert_string_equal(x->target_name[k], y->target_name[k]);
    assert_memory_equal(x->fixed, y->fixed, sizeof x->fixed);
}

/* From format to format, a few steps: graphs, features, labels as the fingerprint has them, and all that has a name. */
static void a_set_survives_every_way_through_the_formats(void **state)
{
    static const mp_data_format *const formats[] = { &mp_format_tables, &mp_format_graphml, &mp_format_jsonl,
                                                     &mp_format_tu };
    (void)state;
    for (int run = 0; run < 40; run++) {
        mp_arena *a = mp_arena_new(1 << 16);
        mp_rng r = mp_rng_stream(7, MP_FOR_TEST, (uint64_t)run, 0, 0);
        const char *top = new_folder(a), *path;
        mp_raw first, raw, next;
        random_set(&r, a, &first);
        uint64_t wanted = fingerprint(&first, a);
        raw = first;
        bool words = true;
        for (int i = 0; i < 3; i++) {
            const mp_data_format *f = formats[mp_rng_below(&r, 4)];
            if (f == &mp_format_tu && raw.graphs.edges == 0) continue;
            path = written(&raw, f, top, i, a);
            WORKS(mp_dataset_raw(path, NULL, &all, a, &next, &path));
            if (fingerprint(&next, a) != wanted) fail_msg("run %d: another set after %s", run, f->name);
            words = words && f != &mp_format_jsonl && f != &mp_format_tu;
            if (words) same_words(&first, &next);
            raw = next;
        }
        remove_folder(top);
        mp_arena_free(a);
    }
}

static void what_would_be_read_as_something_else_is_refused(void **state)
{
    mp_arena *a = *state;
    const char *top = new_folder(a), *tables = mp_arena_printf(a, "%s/S", top),
               *file = mp_arena_printf(a, "%s/S.graphml", top);
    mp_rng r = mp_rng_stream(8, MP_FOR_TEST, 0, 0, 0);
    mp_raw raw;
    do random_set(&r, a, &raw);
    while (!raw.class_names);
    raw.class_name = (const char *const[]){ "1", "2" };
    FAILS(mp_format_tables.write(&raw, NULL, tables), "no place for classes whose names are numbers");
    FAILS(mp_format_graphml.write(&raw, NULL, file), "no place for classes whose names are numbers");
    raw.class_name = (const char *const[]){ " a", "b" };
    FAILS(mp_format_tables.write(&raw, NULL, tables), "no place for a class called ' a'");
    raw.class_name = (const char *const[]){ "a\x01", "b" };
    FAILS(mp_format_graphml.write(&raw, NULL, file), "a control character");
    FAILS(mp_format_graphml.write(&raw, NULL, "x.graphml.gz"), "not written compressed");
    raw.graphs.edges = 0;
    FAILS(mp_format_tu.write(&raw, NULL, tables), "has no edges");
    remove_folder(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_set_survives_every_way_through_the_formats),
        CASE(what_would_be_read_as_something_else_is_refused),
    };
    return cmocka_run_group_tests_name("data_convert", tests, NULL, NULL);
}
