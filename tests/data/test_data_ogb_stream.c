/* test_data_ogb_stream.c - a set in OGB's raw layout as a stream: the same graphs, features and labels as the whole, and the
 * same lines in messages.
 * SPDX-License-Identifier: MIT */
#include "ogb_set.h"
#include "pour.h"

#include "base/rng.h"
#include "data/format.h"
#include "data/load.h"
#include "data/seal.h"
#include "data/stream.h"

#include <math.h>

typedef struct texts { /* a set that has several pieces */
    mp_buf part[MP_OGB_MAPPING];
} texts;

enum { GRAPHS = 700, COLUMNS = 3 };

static void put_row(mp_buf *b, const int *range, int columns, mp_rng *rng)
{
    for (int k = 0; k < columns; k++) mp_buf_printf(b, "%s%d", k ? "," : "", mp_rng_below(rng, range[k]));
    mp_buf_puts(b, "\n");
}

static void make(texts *t)
{
    mp_rng rng = mp_rng_stream(7, MP_FOR_TEST, 0, 0, 0);
    *t = (texts){ 0 };
    for (int b = 0; b < GRAPHS; b++) {
        int nodes = 1 + mp_rng_below(&rng, 30), edges = mp_rng_below(&rng, nodes);
        mp_buf_printf(&t->part[MP_OGB_NODE_COUNTS], "%d\n", nodes);
        mp_buf_printf(&t->part[MP_OGB_EDGE_COUNTS], "%d\n", edges);
        for (int e = 0; e < edges; e++) { /* a path, forwards or backwards */
            bool back = mp_rng_below(&rng, 2);
            mp_buf_printf(&t->part[MP_OGB_EDGES], "%d,%d\n", e + back, e + !back);
            put_row(&t->part[MP_OGB_EDGE_FEAT], mp_bond_range, MP_BOND_COLUMNS, &rng);
        }
        for (int v = 0; v < nodes; v++) put_row(&t->part[MP_OGB_NODE_FEAT], mp_atom_range, MP_ATOM_COLUMNS, &rng);
        static const char *const said[] = { "0", "1", "nan", "" };
        for (int k = 0; k < COLUMNS; k++)
            mp_buf_printf(&t->part[MP_OGB_LABELS], "%s%s", said[mp_rng_below(&rng, 4)], k + 1 < COLUMNS ? "," : "\n");
    }
}

static void drop(texts *t)
{
    for (int part = 0; part < MP_OGB_MAPPING; part++) mp_buf_free(&t->part[part]);
}

static mp_ogb_files files_of(const texts *t, const mp_dataset_as *as)
{
    mp_ogb_files f = three_molecules();
    for (int part = 0; part < MP_OGB_PARTS; part++)
        f.part[part] = part < MP_OGB_MAPPING && t->part[part].n ? (mp_span){ t->part[part].p, t->part[part].n }
                                                                : (mp_span){ NULL, 0 };
    f.split = NULL;
    f.as = as;
    return f;
}

/* A model of OGB's features; the whole is read as it reads. */
static mp_recipe model(bool edges)
{
    mp_recipe r = { .label_columns = MP_ATOM_COLUMNS };
    memcpy(r.label_count, mp_atom_range, sizeof mp_atom_range);
    r.edge_label_columns = edges ? MP_BOND_COLUMNS : 0;
    if (edges) memcpy(r.edge_label_count, mp_bond_range, sizeof mp_bond_range);
    return r;
}

static void same_rows(const mp_sparse *all, int first, const mp_sparse *some)
{
    assert_int_equal(all->cols, some->cols);
    for (int i = 0; i < some->rows; i++) {
        int n = some->ptr[i + 1] - some->ptr[i];
        assert_int_equal(n, all->ptr[first + i + 1] - all->ptr[first + i]);
        assert_memory_equal(all->col + all->ptr[first + i], some->col + some->ptr[i], (size_t)n * sizeof(int));
    }
}

static void same_graphs(const mp_dataset *all, int first, const mp_dataset *some)
{
    const mp_graph *g = &all->graphs, *h = &some->graphs;
    int node = g->node_ptr[first], edge = g->row_ptr[node];
    WORKS(mp_graph_check(h));
    for (int b = 0; b <= h->graphs; b++) assert_int_equal(h->node_ptr[b], g->node_ptr[first + b] - node);
    for (int v = 0; v <= h->nodes; v++) assert_int_equal(h->row_ptr[v], g->row_ptr[node + v] - edge);
    for (int e = 0; e < h->edges; e++) assert_int_equal(h->col[e], g->col[edge + e] - node);
    same_rows(&all->x, node, &some->x);
    assert_int_equal(all->edge_x.cols, some->edge_x.cols);
    if (all->edge_x.cols) same_rows(&all->edge_x, edge, &some->edge_x);
    assert_int_equal(all->unused_edge_columns, some->unused_edge_columns);
    mp_labels x = mp_seal_break(all->seal), y = mp_seal_break(some->seal);
    for (int i = 0; i < h->graphs * COLUMNS; i++) {
        double v = x.v[first * COLUMNS + i];
        assert_true(v == y.v[i] || (isnan(v) && isnan(y.v[i])));
    }
}

/* Reads a stream to its end; graphs so far are compared with the whole. */
static mp_err read_stream(mp_stream *s, const mp_dataset *all, int *graphs, int *pieces)
{
    mp_piece p;
    bool got = true;
    mp_err e;
    *graphs = *pieces = 0;
    mp_piece_init(&p);
    while ((e = mp_stream_cut(s, &p, &got)) == MP_OK && got && (e = mp_stream_read(s, &p)) == MP_OK) {
        assert_int_equal(p.first, *graphs);
        if (all) same_graphs(all, *graphs, &p.data);
        *graphs += p.count;
        ++*pieces;
    }
    mp_piece_free(&p);
    mp_stream_close(s);
    return e;
}

static mp_err pour_set(const mp_ogb_files *f, size_t step, const mp_dataset *all, int *graphs, int *pieces)
{
    memory text[MP_OGB_MAPPING];
    mp_tap tap[MP_OGB_MAPPING] = { 0 };
    mp_stream *s;
    bool edges = mp_dataset_wants_edges(f->as);
    for (int part = 0; part < MP_OGB_MAPPING; part++) {
        text[part] = (memory){ f->part[part], step };
        if (f->part[part].p && (edges || part != MP_OGB_EDGE_FEAT)) tap[part] = (mp_tap){ pour, leave, &text[part] };
    }
    WORKS(mp_stream_ogb(f, tap, edges ? 0 : 3, &s));
    return read_stream(s, all, graphs, pieces);
}

static void pieces_have_what_the_whole_has(void **state)
{
    static const size_t steps[] = { 1, 7, 4096, 1 << 20 };
    texts t;
    make(&t);
    for (int edges = 0; edges < 2; edges++) {
        mp_recipe r = model(edges);
        mp_dataset_as as = { .recipe = &r, .task = &mp_task_binary, .targets = COLUMNS };
        mp_ogb_files f = files_of(&t, &as);
        mp_raw raw;
        mp_dataset all;
        WORKS(mp_ogb_parse(&f, *state, &raw));
        WORKS(mp_dataset_piece(&raw, &as, *state, &all));
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            int graphs, pieces;
            WORKS(pour_set(&f, steps[i], &all, &graphs, &pieces));
            assert_int_equal(graphs, GRAPHS);
            assert_true(pieces > 2);
        }
    }
    drop(&t);
}

/* Text of a part with one line replaced. */
static mp_span with_line(mp_span text, int line, const char *by, mp_arena *a)
{
    mp_buf b = { 0 };
    mp_span rest = text, one;
    for (int i = 1; mp_next_line(&rest, &one); i++) {
        mp_buf_add(&b, i == line ? by : one.p, i == line ? strlen(by) : one.n);
        mp_buf_puts(&b, "\n");
    }
    mp_span out = { mp_arena_text(a, b.p, b.n), b.n };
    mp_buf_free(&b);
    return out;
}

static void faults_have_the_lines_of_the_whole(void **state)
{
    static const struct {
        mp_ogb_part part;
        int line; /* of a piece behind the first */
        const char *by, *message;
    } faults[] = {
        { MP_OGB_NODE_COUNTS, 600, "x", "S/raw/num-node-list.csv:600: expected a whole number, got 'x'" },
        { MP_OGB_NODE_COUNTS, 600, "0", "S/raw/num-node-list.csv:600: 0; expected at least 1" },
        { MP_OGB_EDGE_COUNTS, 600, "y", "S/raw/num-edge-list.csv:600: expected a whole number, got 'y'" },
        { MP_OGB_EDGE_COUNTS, 600, "-4", "S/raw/num-edge-list.csv:600: -4; expected at least 0" },
        { MP_OGB_EDGES, 4001, "0,9999", "S/raw/edge.csv:4001: node 9999 is outside 0.." },
        { MP_OGB_NODE_FEAT, 9001, "1,1,1,1,1,1,1,1,7", "S/raw/node-feat.csv:9001: column 9 is 7; expected 0 to 1" },
        { MP_OGB_EDGE_FEAT, 4001, "1,z,1", "S/raw/edge-feat.csv:4001: expected a whole number, got 'z,1'" },
        { MP_OGB_LABELS, 601, "1,maybe,0", "S/raw/graph-label.csv:601: expected a finite number, got 'maybe,0'" },
        { MP_OGB_LABELS, 601, "1,0.5,0", "S/raw/graph-label.csv:601: 0.5 cannot be learned as binary" },
    };
    mp_recipe r = model(true);
    mp_dataset_as as = { .recipe = &r, .task = &mp_task_binary, .targets = COLUMNS };
    texts t;
    make(&t);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mp_ogb_files f = files_of(&t, &as);
        int graphs, pieces;
        f.part[faults[i].part] = with_line(f.part[faults[i].part], faults[i].line, faults[i].by, *state);
        FAILS(pour_set(&f, 4096, NULL, &graphs, &pieces), faults[i].message);
        assert_true(pieces > 0); /* what comes before was answered */
    }
    drop(&t);
}

static void counts_that_do_not_fit_are_told(void **state)
{
    mp_recipe r = model(true);
    mp_dataset_as as = { .recipe = &r, .task = &mp_task_binary, .targets = 2 };
    static const struct {
        mp_ogb_part part;
        const char *text, *message;
    } faults[] = {
        { MP_OGB_NODE_COUNTS, "\n", "S/raw/num-node-list.csv: empty" },
        { MP_OGB_NODE_COUNTS, "3\n1\n", "S/raw/num-edge-list.csv:3: more lines than" },
        { MP_OGB_EDGE_COUNTS, "2\n0\n", "S/raw/num-edge-list.csv: 2 lines for 3 graphs" },
        { MP_OGB_EDGES, "0,1\n2,1\n0,1\n0,1\n", "S/raw/edge.csv:4: more lines than" },
        { MP_OGB_EDGES, "0,1\n2,1\n", "S/raw/edge.csv: 2 lines for 3 edges" },
        { MP_OGB_NODE_FEAT, ATOM, "S/raw/node-feat.csv: 1 lines for 6 nodes" },
        { MP_OGB_EDGE_FEAT, "1,0,0\n3,2,1\n0,5,1\n\n0,5,1\n", "S/raw/edge-feat.csv:4: more lines than" },
        { MP_OGB_LABELS, "1,1\n", "S/raw/graph-label.csv: 1 lines for 3 graphs" },
        { MP_OGB_LABELS, "1\n1\n0\n", "S/raw/graph-label.csv: 1 numbers a graph; the model knows 2" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mp_ogb_files f = three_molecules();
        int graphs, pieces;
        f.as = &as;
        f.part[faults[i].part] = mp_span_of(faults[i].text);
        FAILS(pour_set(&f, 3, NULL, &graphs, &pieces), faults[i].message);
    }
    mp_ogb_files f = three_molecules();
    int graphs, pieces;
    f.as = &as;
    f.part[MP_OGB_EDGES] = mp_span_of("0,1\n2,1\n0,1\n\n \n");
    WORKS(pour_set(&f, 3, NULL, &graphs, &pieces));
    assert_int_equal(graphs, 3);
}

static void a_graph_without_nodes_ends_its_piece(void **state)
{
    mp_recipe r = model(false);
    mp_dataset_as as = { .recipe = &r };
    mp_ogb_files f = three_molecules();
    mp_buf zeros = { 0 };
    memory text[MP_OGB_MAPPING];
    mp_tap tap[MP_OGB_MAPPING] = { 0 };
    mp_stream *s;
    mp_piece p;
    bool got;
    (void)state;
    for (int i = 0; i < 100000; i++) mp_buf_puts(&zeros, "0\n");
    f.as = &as;
    for (int part = 0; part <= MP_OGB_EDGES; part++) {
        text[part] = (memory){ { zeros.p, zeros.n }, 4096 };
        tap[part] = (mp_tap){ pour, leave, &text[part] };
    }
    WORKS(mp_stream_ogb(&f, tap, 0, &s));
    mp_piece_init(&p);
    WORKS(mp_stream_cut(s, &p, &got));
    assert_int_equal(p.text[MP_OGB_NODE_COUNTS].n, 2); /* not all of them: memory does not grow with the input */
    FAILS(mp_stream_read(s, &p), "S/raw/num-node-list.csv:1: 0; expected at least 1");
    mp_piece_free(&p);
    mp_stream_close(s);
    mp_buf_free(&zeros);
}

static void folders_and_zips_are_streams(void **state)
{
    mp_arena *a = *state;
    mp_recipe edges = model(true), none = model(false);
    const char *top = new_folder(a);
    texts t;
    make(&t);
    for (int kind = 0; kind < 8; kind++) {
        const char *to = mp_arena_printf(a, "%s/%d%s", top, kind, kind & 1 ? ".zip" : "");
        mp_dataset_as as = { .recipe = kind & 4 ? &edges : &none, .task = &mp_task_binary, .targets = COLUMNS };
        mp_ogb_files f = files_of(&t, &as);
        put_set(&f, to, kind & 1, kind & 2, a);
        const mp_data_format *format;
        mp_dataset all;
        mp_stream *s;
        int graphs, pieces;
        WORKS(mp_dataset_load_as(to, NULL, &as, a, &all));
        WORKS(mp_format_of(to, !(kind & 1), &format));
        assert_ptr_equal(format, &mp_format_ogb);
        WORKS(format->stream(&(mp_data_input){ .path = to, .folder = !(kind & 1), .as = &as, .threads = 1 }, a, &s));
        WORKS(read_stream(s, &all, &graphs, &pieces));
        assert_int_equal(graphs, GRAPHS);
    }
    drop(&t);
    remove_folder(top);
}

static void a_member_that_breaks_off_ends_the_stream(void **state)
{
    mp_arena *a = *state;
    mp_recipe r = model(false);
    mp_dataset_as as = { .recipe = &r, .task = &mp_task_binary, .targets = COLUMNS };
    const char *top = new_folder(a), *to = mp_arena_printf(a, "%s/ogbg_cut", top);
    const char *member = mp_arena_printf(a, "%s/raw/node-feat.csv.gz", to);
    mp_span packed;
    mp_stream *s;
    int graphs, pieces;
    texts t;
    make(&t);
    mp_ogb_files f = files_of(&t, &as);
    put_set(&f, to, false, true, a);
    WORKS(mp_slurp(member, 0, a, &packed));
    WORKS(mp_write_file(member, packed.p, packed.n * 3 / 4));
    WORKS(mp_format_ogb.stream(&(mp_data_input){ .path = to, .folder = true, .as = &as, .threads = 1 }, a, &s));
    FAILS(read_stream(s, NULL, &graphs, &pieces), "ogbg_cut/raw/node-feat.csv.gz: cannot be unpacked");
    assert_true(graphs < GRAPHS);
    drop(&t);
    remove_folder(top);
}

int main(void)
{
    mp_unpack_with(&mp_libarchive);
    const struct CMUnitTest tests[] = {
        CASE(pieces_have_what_the_whole_has),       CASE(faults_have_the_lines_of_the_whole),
        CASE(counts_that_do_not_fit_are_told),      CASE(folders_and_zips_are_streams),
        CASE(a_graph_without_nodes_ends_its_piece), CASE(a_member_that_breaks_off_ends_the_stream),
    };
    return cmocka_run_group_tests_name("data_ogb_stream", tests, NULL, NULL);
}
