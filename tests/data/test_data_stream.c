/* test_data_stream.c - graphs piece by piece: the same as all at once, whatever the pieces and the reads are; bad lines.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"
#include "pour.h"

#include "base/rng.h"
#include "data/seal.h"
#include "data/stream.h"

#include <time.h>

static mp_tap tap_of(mp_arena *a, mp_span text, size_t step)
{
    memory *m = MP_NEW(a, memory, 1);
    *m = (memory){ text, step };
    return (mp_tap){ pour, leave, m };
}

static const mp_recipe with_labels = { .attributes = 2, .label_columns = 1, .label_min = { -1 }, .label_count = { 4 } };
#define GRAPHS 3000 /* several pieces */

/* The same, and one attribute and one label of edges. */
static const mp_recipe with_edges = { .attributes = 2,
                                      .label_columns = 1,
                                      .label_min = { -1 },
                                      .label_count = { 4 },
                                      .edge_attributes = 1,
                                      .edge_label_columns = 1,
                                      .edge_label_min = { 2 },
                                      .edge_label_count = { 3 } };

static const int64_t classes[] = { 0, 1 };
static const mp_dataset_as as_labels = {
    .recipe = &with_labels, .task = &mp_task_classify, .classes = 2, .class_value = classes
};
static const mp_dataset_as as_edges = {
    .recipe = &with_edges, .task = &mp_task_classify, .classes = 2, .class_value = classes
};

/* ---- a random set in TU files and in JSON lines ---- */

typedef struct texts {
    mp_buf part[MP_TU_PARTS], lines;
} texts;

static void random_set(int graphs, texts *t)
{
    mp_rng r = mp_rng_stream(3, MP_FOR_TEST, 0, 0, 0);
    memset(t, 0, sizeof *t);
    for (int b = 0, first = 1; b < graphs; b++) {
        int n = 1 + mp_rng_below(&r, b % 50 == 0 ? 400 : 12);
        mp_buf labels = { 0 }, attributes = { 0 }, edge_labels = { 0 }, edge_attributes = { 0 };
        mp_buf_printf(&t->lines, "{\"nodes\":%d,\"edges\":[", n);
        const char *comma = "";
        for (int v = 0; v < n; v++) {
            int label = mp_rng_below(&r, 4) - 1, value = mp_rng_below(&r, 5) - 2;
            mp_buf_printf(&t->part[MP_TU_INDICATOR], "%d\n", b + 1);
            mp_buf_printf(&t->part[MP_TU_NODE_LABELS], "%d\n", label);
            mp_buf_printf(&t->part[MP_TU_NODE_ATTRIBUTES], "%d.25, %d\n", value, v % 3);
            mp_buf_printf(&labels, "%s%d", v ? "," : "", label);
            mp_buf_printf(&attributes, "%s[%d.25,%d]", v ? "," : "", value, v % 3);
            int u = mp_rng_below(&r, n);
            if (mp_rng_below(&r, 4) == 0) continue;
            mp_buf_printf(&t->part[MP_TU_EDGES], "%d, %d\n%d, %d\n", first + v, first + u, first + u, first + v);
            for (int way = 0; way < 2; way++) {
                mp_buf_printf(&t->part[MP_TU_EDGE_LABELS], "%d\n", 2 + (u + v) % 3);
                mp_buf_printf(&t->part[MP_TU_EDGE_ATTRIBUTES], "%d.5\n", u * v % 7 - 3);
            }
            mp_buf_printf(&edge_labels, "%s%d", comma, 2 + (u + v) % 3);
            mp_buf_printf(&edge_attributes, "%s[%d.5]", comma, u * v % 7 - 3);
            mp_buf_printf(&t->lines, "%s[%d,%d]", comma, v, u);
            comma = ",";
        }
        int class = mp_rng_below(&r, 2);
        mp_buf_printf(&t->lines, "],\"labels\":[%s],\"attributes\":[%s],", labels.p, attributes.p);
        mp_buf_printf(&t->lines, "\"edge_labels\":[%s],\"edge_attributes\":[%s],\"y\":%d}\n",
                      edge_labels.p ? edge_labels.p : "", edge_attributes.p ? edge_attributes.p : "", class);
        mp_buf_printf(&t->part[MP_TU_GRAPH_LABELS], "%d\n", class);
        first += n;
        mp_buf_free(&labels);
        mp_buf_free(&attributes);
        mp_buf_free(&edge_labels);
        mp_buf_free(&edge_attributes);
    }
}

static void free_texts(texts *t)
{
    for (int part = 0; part < MP_TU_PARTS; part++) mp_buf_free(&t->part[part]);
    mp_buf_free(&t->lines);
}

static mp_span span(const mp_buf *b)
{
    return (mp_span){ b->p, b->n };
}

static mp_err load_whole(const texts *t, const mp_dataset_as *as, mp_arena *a, mp_dataset *d)
{
    mp_tu_files f = { .name = "T", .edges = mp_dataset_wants_edges(as) };
    mp_raw raw;
    for (int part = 0; part < MP_TU_PARTS; part++) f.part[part] = span(&t->part[part]);
    MP_TRY(mp_tu_parse(&f, a, &raw));
    return mp_dataset_build(&raw, as, a, d);
}

/* Opens the text of a part: `path` is its number, `where` the set. */
typedef struct source {
    const texts *t;
    size_t step;
    mp_arena *arena;
} source;
static source now;

static mp_err open_text(const char *where, const char *path, mp_tap *out)
{
    assert_string_equal(where, "here");
    *out = tap_of(now.arena, span(&now.t->part[path[0] - '0']), now.step);
    return MP_OK;
}

static mp_err open_tu(const texts *t, const mp_dataset_as *as, size_t step, mp_arena *a, mp_stream **out)
{
    mp_gather g = { .where = "here", .files.name = "T", .edges = mp_dataset_wants_edges(as) };
    now = (source){ t, step, a };
    for (int part = 0; part < MP_TU_PARTS; part++)
        if (t->part[part].p) g.files.part[part] = mp_span_of(mp_arena_printf(a, "%d", part));
    return mp_stream_gathered(&g, open_text, as, 3, out);
}

static void same_features(const mp_sparse *x, const mp_sparse *all, int rows, int first)
{
    int z = all->ptr[first];
    for (int v = 0; v <= rows; v++) assert_int_equal(x->ptr[v] + z, all->ptr[first + v]);
    for (int i = 0; i < x->ptr[rows]; i++) {
        assert_int_equal(x->col[i], all->col[z + i]);
        assert_true((x->val ? x->val[i] : 1) == (all->val ? all->val[z + i] : 1));
    }
}

/* The graphs of a piece are those of the whole set from p->first on. */
static void same_graphs(const mp_piece *p, const mp_dataset *whole)
{
    const mp_graph *g = &p->data.graphs, *all = &whole->graphs;
    int first = all->node_ptr[p->first], from = all->row_ptr[first];
    WORKS(mp_graph_check(g));
    assert_int_equal(g->graphs, p->count);
    for (int b = 0; b <= p->count; b++) assert_int_equal(g->node_ptr[b] + first, all->node_ptr[p->first + b]);
    for (int v = 0; v <= g->nodes; v++) assert_int_equal(g->row_ptr[v] + from, all->row_ptr[first + v]);
    for (int e = 0; e < g->edges; e++) assert_int_equal(g->col[e] + first, all->col[from + e]);
    same_features(&p->data.x, &whole->x, g->nodes, first);
    if (p->data.seal && whole->seal)
        assert_memory_equal(mp_seal_break(p->data.seal).v, mp_seal_break(whole->seal).v + p->first,
                            (size_t)p->count * sizeof(double));
    assert_int_equal(!g->edge_x, !all->edge_x);
    if (g->edge_x) same_features(g->edge_x, all->edge_x, g->edges, from);
}

static mp_err read_all(mp_stream *s, const mp_dataset *whole, int *graphs, int *pieces)
{
    mp_piece p;
    bool got = true;
    mp_err e;
    mp_piece_init(&p);
    *graphs = *pieces = 0;
    while ((e = mp_stream_cut(s, &p, &got)) == MP_OK && got) {
        e = mp_stream_read(s, &p);
        assert_int_equal(p.first, *graphs);
        if (p.count && whole) same_graphs(&p, whole);
        *graphs += p.count;
        ++*pieces;
        if (e != MP_OK) break;
    }
    mp_piece_free(&p);
    mp_stream_close(s);
    return e;
}

static void pieces_are_the_whole_set(void **state)
{
    static const size_t steps[] = { 1 << 20, 4096, 777, 13 };
    texts t;
    mp_dataset whole;
    random_set(GRAPHS, &t);
    WORKS(load_whole(&t, &as_labels, *state, &whole));
    for (int i = 0; i < 4; i++) {
        mp_stream *s;
        int graphs, pieces;
        WORKS(open_tu(&t, &as_labels, steps[i], *state, &s));
        WORKS(read_all(s, &whole, &graphs, &pieces));
        assert_int_equal(graphs, GRAPHS);
        assert_true(pieces > 3);
        s = mp_stream_jsonl("lines", NULL, tap_of(*state, span(&t.lines), steps[i]), &as_labels);
        WORKS(read_all(s, &whole, &graphs, &pieces));
        assert_int_equal(graphs, GRAPHS);
        assert_true(pieces > 3);
    }
    free_texts(&t);
}

static void values_of_edges_are_in_the_pieces_when_the_model_takes_them(void **state)
{
    texts t;
    mp_dataset whole;
    mp_stream *s;
    int graphs, pieces;
    random_set(GRAPHS, &t);
    WORKS(load_whole(&t, &as_edges, *state, &whole));
    assert_int_equal(whole.edge_x.cols, 4);
    WORKS(open_tu(&t, &as_edges, 4096, *state, &s));
    WORKS(read_all(s, &whole, &graphs, &pieces));
    assert_int_equal(graphs, GRAPHS);
    s = mp_stream_jsonl("lines", NULL, tap_of(*state, span(&t.lines), 4096), &as_edges);
    WORKS(read_all(s, &whole, &graphs, &pieces));
    assert_int_equal(graphs, GRAPHS);
    mp_buf_puts(&t.part[MP_TU_EDGE_LABELS], "1\n"); /* a line too many: seen by whoever reads the file */
    WORKS(open_tu(&t, &as_edges, 4096, *state, &s));
    FAILS(read_all(s, NULL, &graphs, &pieces), "not in the order of the graphs");
    WORKS(open_tu(&t, &as_labels, 4096, *state, &s));
    WORKS(read_all(s, NULL, &graphs, &pieces));
    free_texts(&t);
}

/* A line too many or too few in any file: whatever the loader says of it, it is no stream. */
static void files_out_of_step_are_noticed(void **state)
{
    static const struct {
        mp_tu_part part;
        const char *more; /* behind the end; NULL: the last line is lost */
    } rows[] = { { MP_TU_EDGES, "1, 2\n2, 1\n" }, { MP_TU_NODE_LABELS, "0\n" },  { MP_TU_GRAPH_LABELS, NULL },
                 { MP_TU_NODE_ATTRIBUTES, NULL }, { MP_TU_NODE_LABELS, NULL },   { MP_TU_INDICATOR, "2\n" },
                 { MP_TU_INDICATOR, "x\n" },      { MP_TU_INDICATOR, "9999\n" }, { MP_TU_EDGES, "9999999, 1\n" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        texts t;
        int graphs, pieces;
        mp_stream *s;
        random_set(GRAPHS, &t);
        mp_buf *b = &t.part[rows[i].part];
        if (rows[i].more)
            mp_buf_puts(b, rows[i].more);
        else
            while (b->p[--b->n - 1] != '\n') {}
        mp_err e = open_tu(&t, &as_labels, 4096, *state, &s);
        if (e == MP_OK) e = read_all(s, NULL, &graphs, &pieces);
        assert_int_not_equal(e, MP_OK);
        free_texts(&t);
    }
}

/* ... before a single graph is given out without some of its edges. */
static void edges_in_another_order_are_noticed(void **state)
{
    texts t;
    mp_stream *s;
    mp_dataset whole;
    random_set(GRAPHS, &t);
    mp_buf *b = &t.part[MP_TU_EDGES], turned = { 0 };
    const char *half = memchr(b->p + b->n / 2, '\n', b->n / 2);
    size_t n = (size_t)(half + 1 - b->p);
    mp_buf_add(&turned, b->p + n, b->n - n);
    mp_buf_add(&turned, b->p, n);
    mp_buf_free(b);
    *b = turned;
    WORKS(load_whole(&t, &as_labels, *state, &whole));
    FAILS(open_tu(&t, &as_labels, 4096, *state, &s), "the files of T are not in the order of the graphs");
    free_texts(&t);
}

static void a_set_without_files_or_edges_is_no_stream(void **state)
{
    mp_stream *s;
    mp_tap tap[MP_TU_PARTS] = { 0 };
    FAILS(mp_stream_tu("T", tap, &as_labels, &s), "T_graph_indicator.txt: missing");
    tap[MP_TU_INDICATOR] = tap_of(*state, mp_span_of("1\n"), 9);
    FAILS(mp_stream_tu("T", tap, &as_labels, &s), "T_A.txt: missing");
    tap[MP_TU_EDGES] = tap_of(*state, mp_span_of("\n"), 9);
    assert_int_not_equal(mp_stream_tu("T", tap, &as_labels, &s), MP_OK);
}

/* ---- JSON lines ---- */

#define GOOD "{\"nodes\":2,\"edges\":[[0,1]],\"labels\":[0,1],\"attributes\":[[1,0],[0,0.5]]}\n"

static void bad_lines_name_file_and_line_and_spare_the_lines_before(void **state)
{
    static const char *const rows[][2] = {
        { "{\"nodes\":2,", "in:3: " },
        { "", "in:3: the text ends where a value should be" },
        { "[1]", "in:3: expected an object with 'nodes'" },
        { "{\"edges\":[]}", "in:3: 'nodes' is missing" },
        { "{\"nodes\":\"2\"}", "in:3: 'nodes' should be a number, not a string" },
        { "{\"nodes\":0}", "in:3: \"nodes\": expected a whole number from 1 to 20000000" },
        { "{\"nodes\":2000000000}", "in:3: \"nodes\": expected a whole number from 1 to 20000000" },
        { "{\"nodes\":2.5}", "in:3: \"nodes\": expected a whole number from 1 to 20000000" },
        { "{\"nodes\":1,\"label\":[1]}", "in:3: no such key 'label'; did you mean 'labels'?" },
        { "{\"nodes\":1,\"nodes\":1}", "in:3: key 'nodes' is given twice" },
        { "{\"nodes\":2,\"edges\":3}", "in:3: \"edges\": expected a list" },
        { "{\"nodes\":2,\"edges\":[0,1]}", "in:3: \"edges\": expected rows of 2" },
        { "{\"nodes\":2,\"edges\":[[0,1,1]]}", "in:3: \"edges\": expected rows of 2" },
        { "{\"nodes\":2,\"edges\":[[0,0.5]]}", "in:3: \"edges\": expected whole numbers" },
        { "{\"nodes\":2,\"edges\":[[0,\"1\"]]}", "in:3: \"edges\": expected numbers" },
        { "{\"nodes\":2,\"edges\":[[0,2]],\"x\":[[1,0,0,0,0,0],[1,0,0,0,0,0]]}",
          "in:3: edge 0 joins nodes 0 and 2, but nodes are 0 to 1" },
        { "{\"nodes\":1,\"labels\":[1]}", "in:3: the model needs 2 node attributes" },
        { "{\"nodes\":1,\"attributes\":[[1,2]]}", "in:3: the model needs 1 node labels" },
        { "{\"nodes\":1,\"labels\":[9],\"attributes\":[[1,2]]}", "in:3: node 0 has label 9; the model knows -1 to 2" },
        { "{\"nodes\":1,\"labels\":[1,1],\"attributes\":[[1,2]]}", "in:3: \"labels\" has 2 rows for 1 nodes" },
        { "{\"nodes\":1,\"labels\":[1],\"attributes\":[1]}", "in:3: \"attributes\": expected rows of 2" },
        { "{\"nodes\":1,\"x\":[[1,2]]}", "in:3: \"x\": expected rows of 6" },
        { "{\"nodes\":1,\"x\":[[1e300,0,0,0,0,0]]}", "in:3: \"x\": a number does not fit a 32-bit float" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        int graphs, pieces;
        snprintf(text, sizeof text, "%s%s%s\n%s", GOOD, GOOD, rows[i][0], GOOD);
        for (size_t step = 1; step < 2000; step *= 100) {
            mp_stream *s = mp_stream_jsonl("in", NULL, tap_of(*state, mp_span_of(text), step), &as_labels);
            FAILS(read_all(s, NULL, &graphs, &pieces), rows[i][1]);
            assert_int_equal(graphs, 2);
        }
    }
}

static void forms_that_mean_the_same_give_the_same(void **state)
{
    static const char *const same[] = {
        "{\"nodes\":3,\"edges\":[[0,1],[1,2]],\"labels\":[0,1,-1],\"attributes\":[[1,0],[0,0.5],[0,0]]}",
        " { \"attributes\" : [[1,0],[0,5e-1],[0,0]], \"labels\" : [[0],[1],[-1]], \"edges\" : "
        "[[0,1],[1,0],[2,1],[1,1]],"
        "\"nodes\":3.0}\r\n",
        "{\"nodes\":3,\"edges\":[[1,0],[2,1]],\"x\":[[1,0,0,1,0,0],[0,0.5,0,0,1,0],[0,0,1,0,0,0]]}\n",
    };
    mp_piece first, p;
    for (int i = 0; i < 3; i++) {
        mp_stream *s = mp_stream_jsonl("in", NULL, tap_of(*state, mp_span_of(same[i]), 100), &as_labels);
        bool got;
        mp_piece_init(i ? &p : &first);
        WORKS(mp_stream_cut(s, i ? &p : &first, &got));
        assert_true(got);
        WORKS(mp_stream_read(s, i ? &p : &first));
        if (i) same_graphs(&p, &first.data);
        if (i) mp_piece_free(&p);
        mp_stream_close(s);
    }
    mp_piece_free(&first);
}

static void a_mark_before_the_first_line_is_passed_over(void **state)
{
    for (size_t step = 1; step < 200; step += 2) {
        int graphs, pieces;
        mp_stream *s =
            mp_stream_jsonl("in", NULL, tap_of(*state, mp_span_of("\xEF\xBB\xBF" GOOD GOOD), step), &as_labels);
        WORKS(read_all(s, NULL, &graphs, &pieces));
        assert_int_equal(graphs, 2);
        s = mp_stream_jsonl("in", NULL, tap_of(*state, mp_span_of("\xEF\xBB" GOOD), step), &as_labels);
        FAILS(read_all(s, NULL, &graphs, &pieces), "in:1: expected a value");
        s = mp_stream_jsonl("in", NULL, tap_of(*state, mp_span_of("\xEF\xBB\xBF"), step), &as_labels);
        WORKS(read_all(s, NULL, &graphs, &pieces));
        assert_int_equal(graphs, 0);
    }
}

static void the_last_line_need_not_end_and_no_line_is_no_graph(void **state)
{
    int graphs, pieces;
    WORKS(
        read_all(mp_stream_jsonl("in", NULL, tap_of(*state, mp_span_of(""), 100), &as_labels), NULL, &graphs, &pieces));
    assert_int_equal(graphs, 0);
    mp_span open = { GOOD GOOD, 2 * strlen(GOOD) - 1 };
    WORKS(read_all(mp_stream_jsonl("in", NULL, tap_of(*state, open, 7), &as_labels), NULL, &graphs, &pieces));
    assert_int_equal(graphs, 2);
    int64_t counted; /* without reading what lines say */
    WORKS(mp_stream_count(mp_stream_jsonl("in", NULL, tap_of(*state, open, 7), &as_labels), &counted));
    assert_int_equal(counted, 2);
}

/* A pipe that gives a line is answered at once: nothing waits for more. */
static void a_line_is_there_as_soon_as_it_has_ended(void **state)
{
    memory m = { mp_span_of(GOOD GOOD), strlen(GOOD) };
    mp_stream *s = mp_stream_jsonl("in", NULL, (mp_tap){ pour, leave, &m }, &as_labels);
    mp_piece p;
    bool got;
    (void)state;
    mp_piece_init(&p);
    WORKS(mp_stream_cut(s, &p, &got));
    assert_int_equal(m.rest.n, strlen(GOOD)); /* the second is still in the pipe */
    WORKS(mp_stream_read(s, &p));
    assert_int_equal(p.count, 1);
    mp_piece_free(&p);
    mp_stream_close(s);
}

/* Two megabytes that come byte by byte: searched from their start each time, that is two million megabytes. */
static void a_long_line_from_a_pipe_is_searched_once(void **state)
{
    size_t n = 2 << 20;
    char *text = MP_NEW_RAW(*state, char, n);
    int graphs, pieces;
    memset(text, ' ', n);
    memcpy(text, GOOD, strlen(GOOD) - 1);
    text[n - 1] = '\n';
    clock_t before = clock();
    WORKS(read_all(mp_stream_jsonl("in", NULL, tap_of(*state, (mp_span){ text, n }, 1), &as_labels), NULL, &graphs,
                   &pieces));
    assert_int_equal(graphs, 1);
    assert_true(clock() - before < 2 * CLOCKS_PER_SEC);
}

/* Lines of a piece that are many nodes are read in parts, and one by one when that is asked for. */
static void large_graphs_are_read_in_parts(void **state)
{
    static const mp_recipe degrees = { .degree = MP_DEGREE_ONE_HOT, .degree_max = 3 };
    static const mp_dataset_as as = { .recipe = &degrees };
    const char *text = "{\"nodes\":900000}\n{\"nodes\":900000}\n{\"nodes\":900000}\n{\"nodes\":2}\n";
    mp_stream *s = mp_stream_jsonl("in", NULL, tap_of(*state, mp_span_of(text), 100), &as);
    mp_piece p;
    bool got;
    mp_piece_init(&p);
    WORKS(mp_stream_cut(s, &p, &got));
    for (int most = 0; most < 2; most++) {
        int reads = 0, graphs = 0;
        mp_piece_rewind(&p, most);
        do {
            WORKS(mp_stream_read(s, &p));
            assert_int_equal(p.first, graphs);
            assert_int_equal(p.data.graphs.graphs, p.count);
            graphs += p.count;
            reads++;
        } while (p.more);
        assert_int_equal(graphs, 4);
        assert_int_equal(reads, most ? 4 : 2);
    }
    mp_piece_free(&p);
    mp_stream_close(s);
}

static void line_ends_are_counted(void **state)
{
    mp_rng r = mp_rng_stream(5, MP_FOR_TEST, 0, 0, 0);
    char text[300];
    (void)state;
    for (int round = 0; round < 2000; round++) {
        size_t n = (size_t)mp_rng_below(&r, 300), ends = 0;
        for (size_t i = 0; i < n; i++) {
            text[i] = (char)(mp_rng_below(&r, 3) ? mp_rng_below(&r, 256) : '\n');
            ends += text[i] == '\n';
        }
        assert_int_equal(mp_newlines(text, n), ends);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(pieces_are_the_whole_set),
        CASE(values_of_edges_are_in_the_pieces_when_the_model_takes_them),
        CASE(files_out_of_step_are_noticed),
        CASE(edges_in_another_order_are_noticed),
        CASE(a_set_without_files_or_edges_is_no_stream),
        CASE(bad_lines_name_file_and_line_and_spare_the_lines_before),
        CASE(forms_that_mean_the_same_give_the_same),
        CASE(a_mark_before_the_first_line_is_passed_over),
        CASE(the_last_line_need_not_end_and_no_line_is_no_graph),
        CASE(a_line_is_there_as_soon_as_it_has_ended),
        CASE(a_long_line_from_a_pipe_is_searched_once),
        CASE(large_graphs_are_read_in_parts),
        CASE(line_ends_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
