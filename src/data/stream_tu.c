/* stream_tu.c - the files of a TUDataset in step: a piece is some whole graphs, with their lines of every file.
 *
 * The indicator says how many graphs and nodes a piece has. Files with a line a node or a line a graph are cut by counting
 * lines. The edge file is cut behind the last line whose node is in the piece, found by halving the window: in practice
 * edges come in the order of the graphs. That they do is not taken for granted, since an edge that comes too late would
 * be missed by an answer already given: mp_stream_gathered looks at all of them first.
 * SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "data/stream.h"
#include "base/guard.h"
#include "base/relay.h"
#include "data/scan.h"

#include <stdlib.h>

#define LABELS_A_TIME 10000
#define PIECE         ((size_t)1 << 14) /* bytes of the indicator: 2000 to 4000 nodes, a few shards */

typedef struct tu {
    mp_stream stream;
    const char *name;
    const mp_dataset_as *as;
    mp_feed feed[MP_TU_PARTS]; /* tap.read NULL: no such file */
    int64_t graphs, nodes;     /* cut off so far */
    int edge_columns_unread;   /* as in mp_raw */
} tu;

static const mp_tu_part per_node[] = { MP_TU_NODE_LABELS, MP_TU_NODE_ATTRIBUTES };
static const mp_tu_part per_graph[] = { MP_TU_GRAPH_LABELS, MP_TU_GRAPH_ATTRIBUTES };
static const mp_tu_part per_edge[] = { MP_TU_EDGE_LABELS, MP_TU_EDGE_ATTRIBUTES };
static const mp_tu_part others[] = { MP_TU_EDGES,          MP_TU_NODE_LABELS,      MP_TU_NODE_ATTRIBUTES,
                                     MP_TU_GRAPH_LABELS,   MP_TU_GRAPH_ATTRIBUTES, MP_TU_EDGE_LABELS,
                                     MP_TU_EDGE_ATTRIBUTES };
#define COUNT(list) (sizeof(list) / sizeof *(list))

static mp_err out_of_step(const tu *t)
{
    return mp_fail(MP_ERR_INPUT, "the files of %s are not in the order of the graphs", t->name);
}

/* The number a line begins with; -1 when it does not. */
static int64_t number_at(mp_span text, size_t at)
{
    mp_scan s = mp_scan_of((mp_span){ text.p + at, text.n - at }, NULL);
    int64_t v;
    mp_scan_blanks(&s);
    return mp_scan_int(&s, &v) ? v : -1;
}

/* The start of the line that holds the byte `at`, not looked for before `from`. */
static size_t line_start(mp_span text, size_t from, size_t at)
{
    const char *end = memrchr(text.p + from, '\n', at - from);
    return end ? (size_t)(end - text.p) + 1 : from;
}

/* Bytes of the lines at the front that begin with a number of at most `last`, where numbers do not fall. */
static size_t up_to(mp_span text, int64_t last)
{
    size_t lo = 0, hi = text.n;
    while (lo < hi) {
        size_t start = line_start(text, lo, lo + (hi - lo) / 2);
        const char *end = memchr(text.p + start, '\n', text.n - start);
        if (number_at(text, start) > last)
            hi = start;
        else
            lo = end ? (size_t)(end - text.p) + 1 : text.n;
    }
    return lo;
}

/* The window without the line at its end that may go on. */
static mp_span whole_lines(const mp_feed *f)
{
    mp_span seen = mp_feed_window(f);
    if (!f->end) seen.n = line_start(seen, 0, seen.n);
    return seen;
}

static mp_err fill(mp_feed *f, size_t want)
{
    while (!f->end && mp_feed_window(f).n < want) MP_TRY(mp_feed_more(f));
    return MP_OK;
}

/* Lines of whole graphs: a graph is known to end where the id of the next one begins. */
static mp_err cut_indicator(tu *t, mp_piece *p, int64_t *last)
{
    mp_feed *f = &t->feed[MP_TU_INDICATOR];
    size_t n = 0;
    for (size_t want = PIECE; n == 0; want *= 2) {
        MP_TRY(fill(f, want));
        mp_span seen = whole_lines(f), text;
        bool all = f->end && seen.n <= want;
        if (!all && seen.n > want) seen.n = line_start(seen, 0, want);
        text = mp_trim(seen);
        if (all && text.n == 0) return MP_OK; /* the end */
        *last = number_at(seen, line_start(seen, 0, (size_t)(text.p - seen.p) + text.n));
        if (*last < 1) return out_of_step(t);
        *last -= !all;
        n = all ? seen.n : up_to(seen, *last);
    }
    mp_feed_cut(f, n, &p->text[MP_TU_INDICATOR]);
    return MP_OK;
}

static mp_err cut_edges(tu *t, mp_piece *p)
{
    mp_feed *f = &t->feed[MP_TU_EDGES];
    for (;;) {
        mp_span seen = whole_lines(f);
        size_t n = up_to(seen, t->nodes);
        if (n == seen.n && !f->end) {
            MP_TRY(mp_feed_more(f));
            continue;
        }
        mp_feed_cut(f, n, &p->text[MP_TU_EDGES]);
        return MP_OK;
    }
}

static mp_err cut_lines(tu *t, mp_piece *p, const mp_tu_part *list, size_t count, int64_t lines)
{
    for (size_t i = 0; i < count; i++)
        if (t->feed[list[i]].tap.read) MP_TRY(mp_feed_lines(&t->feed[list[i]], lines, &p->text[list[i]]));
    return MP_OK;
}

static mp_err nothing_left(tu *t)
{
    for (size_t i = 0; i < COUNT(others); i++) {
        mp_feed *f = &t->feed[others[i]];
        if (!f->tap.read) continue;
        MP_TRY(fill(f, PIECE));
        if (mp_trim(mp_feed_window(f)).n > 0) return out_of_step(t);
    }
    return MP_OK;
}

static mp_err cut(mp_stream *s, mp_piece *p, bool *got)
{
    tu *t = (tu *)s;
    int64_t last = 0;
    MP_TRY(cut_indicator(t, p, &last));
    if (last == 0) return nothing_left(t);
    if (last <= t->graphs) return out_of_step(t);
    mp_span lines = { p->text[MP_TU_INDICATOR].p, p->text[MP_TU_INDICATOR].n };
    int64_t nodes = mp_scan_lines(&lines), graphs = last - t->graphs;
    p->start = t->graphs;
    p->graphs = graphs;
    p->nodes_before = t->nodes;
    p->nodes = nodes;
    t->graphs += graphs;
    t->nodes += nodes;
    *got = true;
    MP_TRY(cut_edges(t, p));
    mp_span edges = { p->text[MP_TU_EDGES].p, p->text[MP_TU_EDGES].n };
    MP_TRY(cut_lines(t, p, per_edge, COUNT(per_edge), mp_scan_lines(&edges)));
    MP_TRY(cut_lines(t, p, per_node, COUNT(per_node), nodes));
    return cut_lines(t, p, per_graph, COUNT(per_graph), graphs);
}

static mp_err read_piece(const mp_stream *s, mp_piece *p)
{
    const tu *t = (const tu *)s;
    mp_tu_files files = { .name = t->name,
                          .edges = mp_dataset_wants_edges(t->as),
                          .piece = true,
                          .graphs_before = p->first,
                          .nodes_before = p->nodes_before };
    for (int part = 0; part < MP_TU_PARTS; part++)
        if (t->feed[part].tap.read) files.part[part] = (mp_span){ p->text[part].p, p->text[part].n };
    mp_raw raw;
    p->from = p->count = 0;
    MP_TRY(mp_tu_parse(&files, p->memory, &raw));
    raw.edge_columns_unread = t->edge_columns_unread;
    MP_TRY(mp_dataset_piece(&raw, t->as, p->memory, &p->data));
    p->count = raw.graphs.graphs;
    return MP_OK;
}

static mp_err blame(const mp_stream *s, int64_t graph, mp_err e)
{
    return mp_fail_within(e, "%s: graph %lld", ((const tu *)s)->name, (long long)graph);
}

static void close_all(mp_stream *s)
{
    tu *t = (tu *)s;
    for (int part = 0; part < MP_TU_PARTS; part++) mp_feed_close(&t->feed[part]);
    mp_put(t);
}

/* Both must have something: a set without a single edge is for the loader to judge. */
static mp_err begin(tu *t)
{
    static const mp_tu_part needed[] = { MP_TU_INDICATOR, MP_TU_EDGES };
    for (size_t i = 0; i < COUNT(needed); i++) {
        mp_feed *f = &t->feed[needed[i]];
        if (!f->tap.read) return mp_fail(MP_ERR_INPUT, "%s%s: missing", t->name, mp_tu_suffix[needed[i]]);
        MP_TRY(fill(f, PIECE));
        if (mp_trim(mp_feed_window(f)).n == 0) return out_of_step(t);
    }
    return MP_OK;
}

mp_err mp_stream_tu(const char *name, const mp_tap tap[MP_TU_PARTS], const mp_dataset_as *as, mp_stream **out)
{
    tu *t = mp_get_zero(1, sizeof *t);
    if (!t) {
        for (int part = 0; part < MP_TU_PARTS; part++)
            if (tap[part].close) tap[part].close(tap[part].state);
        return mp_no_memory(sizeof *t);
    }
    t->stream = (mp_stream){ .cut = cut, .read = read_piece, .blame = blame, .close = close_all };
    t->name = name;
    t->as = as;
    for (int part = 0; part < MP_TU_PARTS; part++) mp_feed_open(&t->feed[part], tap[part]);
    mp_err e = begin(t);
    if (e == MP_OK)
        *out = &t->stream;
    else
        close_all(&t->stream);
    return e;
}

static mp_err next_piece(void *stream, void *piece, bool *got)
{
    return mp_stream_cut(stream, piece, got);
}

/* Every line begins with a node of the piece. */
static mp_err edges_within(void *stream, void *piece, int thread)
{
    const mp_piece *p = piece;
    const char *at = p->text[MP_TU_EDGES].p, *end = at + p->text[MP_TU_EDGES].n;
    (void)thread;
    while (at < end) {
        int64_t node = number_at((mp_span){ at, (size_t)(end - at) }, 0) - p->nodes_before;
        if (node < 1 || node > p->nodes) return out_of_step(stream);
        while (at < end && *at++ != '\n') {}
    }
    return MP_OK;
}

static mp_err nothing_to_give(void *stream, void *piece)
{
    (void)stream;
    (void)piece;
    return MP_OK;
}

typedef struct looking {
    mp_stream *stream;
    int threads;
} looking;

static mp_err look(void *arg)
{
    static const mp_relay steps = { next_piece, edges_within, nothing_to_give };
    const looking *l = arg;
    mp_arena *a = mp_arena_new(4096);
    int count = 2 * l->threads;
    mp_piece *pieces = MP_NEW(a, mp_piece, count);
    void **piece = MP_NEW(a, void *, count);
    for (int i = 0; i < count; i++) {
        mp_piece_init(&pieces[i]);
        piece[i] = &pieces[i];
    }
    mp_err e = mp_relay_run(&steps, l->stream, piece, count, l->threads);
    for (int i = 0; i < count; i++) mp_piece_free(&pieces[i]);
    mp_arena_free(a);
    return e;
}

/* Looks at all edges before the first answer. Takes the stream, which needs no more than edges and indicator. */
static mp_err in_step(mp_stream *s, int threads)
{
    mp_err e = mp_guarded(look, &(looking){ s, threads });
    mp_stream_close(s);
    return e;
}

static bool of_edges(int part)
{
    for (size_t i = 0; i < COUNT(per_edge); i++)
        if ((int)per_edge[i] == part) return true;
    return false;
}

/* Taps of the files from part 0 up to `parts`, without those that nobody wants; none is left open after a failure. */
static mp_err open_parts(const mp_gather *g, mp_tap_open *open, int parts, mp_tap tap[MP_TU_PARTS])
{
    mp_err e = MP_OK;
    for (int part = 0; part < parts && e == MP_OK; part++)
        if (g->files.part[part].p && (g->edges || !of_edges(part)))
            e = open(g->where, g->files.part[part].p, &tap[part]);
    for (int part = 0; part < parts && e != MP_OK; part++)
        if (tap[part].close) tap[part].close(tap[part].state);
    return e;
}

/* Columns of the files of edges that nobody wants, by their first lines. */
static mp_err count_unread(const mp_gather *g, mp_tap_open *open, int *columns)
{
    mp_err e = MP_OK;
    mp_buf line = { 0 };
    for (size_t i = 0; i < COUNT(per_edge) && !g->edges && e == MP_OK; i++) {
        mp_tap tap = { 0 };
        mp_feed f;
        if (!g->files.part[per_edge[i]].p) continue;
        e = open(g->where, g->files.part[per_edge[i]].p, &tap);
        mp_feed_open(&f, tap);
        if (e == MP_OK) e = mp_feed_lines(&f, 1, &line);
        if (e == MP_OK) ++*columns;
        for (size_t k = 0; e == MP_OK && k < line.n; k++) *columns += line.p[k] == ',';
        mp_feed_close(&f);
    }
    mp_buf_free(&line);
    return e;
}

/* Looks at the classes of all graphs before the first answer: with others than the model's the set is not for it. */
static mp_err classes_known(const mp_gather *g, mp_tap_open *open, const mp_dataset_as *as)
{
    const char *path = g->files.part[MP_TU_GRAPH_LABELS].p;
    if (!path || !as->classes) return MP_OK;
    mp_tap tap = { 0 };
    mp_feed f;
    mp_buf lines = { 0 };
    bool known = true;
    mp_err e = open(g->where, path, &tap);
    mp_feed_open(&f, tap);
    while (e == MP_OK && known && (e = mp_feed_lines(&f, LABELS_A_TIME, &lines)) == MP_OK && lines.n > 0) {
        mp_scan s = mp_scan_of((mp_span){ lines.p, lines.n }, NULL);
        int64_t value;
        for (mp_scan_blanks(&s); known && mp_scan_int(&s, &value) && mp_scan_line_end(&s); mp_scan_blanks(&s))
            known = mp_class_of(as->class_value, as->classes, value) >= 0;
    }
    mp_buf_free(&lines);
    mp_feed_close(&f);
    return e != MP_OK || known ? e
                               : mp_fail(MP_ERR_INPUT, "%s has classes that the model does not know", g->files.name);
}

mp_err mp_stream_gathered(const mp_gather *g, mp_tap_open *open, const mp_dataset_as *as, int threads, mp_stream **out)
{
    static const int passes[] = { MP_TU_INDICATOR + 1, MP_TU_PARTS }; /* structure alone, to look; then all */
    int unread = 0;
    if (!g->files.name) return mp_fail(MP_ERR_INPUT, "%s: holds no data set (no file NAME_A.txt)", g->where);
    MP_TRY(count_unread(g, open, &unread));
    for (int pass = 0; pass < 2; pass++) {
        mp_tap tap[MP_TU_PARTS] = { 0 };
        MP_TRY(open_parts(g, open, passes[pass], tap));
        mp_stream *s;
        MP_TRY(mp_stream_tu(g->files.name, tap, as, &s));
        ((tu *)s)->edge_columns_unread = unread;
        if (pass == 1) *out = s;
        if (pass == 0) MP_TRY(in_step(s, threads));
        if (pass == 0) MP_TRY(classes_known(g, open, as));
    }
    return MP_OK;
}

static mp_err open_file(const char *where, const char *path, mp_tap *out)
{
    (void)where;
    return mp_tap_file(path, out);
}

mp_err mp_stream_folder(const char *path, const mp_dataset_as *as, int threads, mp_arena *a, mp_stream **out)
{
    mp_gather g = { .where = path, .text = a, .keep = a, .edges = mp_dataset_wants_edges(as), .names_only = true };
    MP_TRY(mp_gather_folder(&g, path));
    return mp_stream_gathered(&g, open_file, as, threads, out);
}
