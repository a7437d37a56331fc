/* stream_jsonl.c - JSON lines (jsonl.h) as a stream for a model. What it does not need may be left out. Line n is graph
 * n - 1, or n - 2 behind a line about the set; an empty line is an error.
 * SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/guard.h"
#include "data/jsonl.h"
#include "data/stream.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECE          ((size_t)1 << 15) /* bytes */
#define NODES_TOGETHER (1 << 20)

typedef struct jsonl {
    mp_stream stream;
    const char *name; /* of all of it */
    mp_book *book;    /* it is several files; NULL: one */
    const mp_dataset_as *as;
    mp_feed feed;
    size_t searched; /* bytes at the front of the feed that have no line end */
    int64_t lines;   /* of graphs, cut off so far */
    int head;        /* lines before the graphs: 0 or 1 */
    bool begun;
} jsonl;

/* Bytes of whole lines at the front, about a piece; 0: not one has ended. A pipe brings a long line in many parts: what was
 * searched in vain is not searched again. */
static size_t whole_lines(jsonl *j)
{
    mp_span seen = mp_feed_window(&j->feed);
    size_t near = seen.n < PIECE ? seen.n : PIECE, from = j->searched > near ? j->searched : near;
    const char *last = j->searched < near ? memrchr(seen.p + j->searched, '\n', near - j->searched) : NULL;
    if (!last) last = memchr(seen.p + from, '\n', seen.n - from);
    j->searched = seen.n;
    if (last) return (size_t)(last - seen.p) + 1;
    return j->feed.end ? seen.n : 0;
}

static int64_t count_lines(const mp_buf *b)
{
    bool open = b->n > 0 && b->p[b->n - 1] != '\n';
    return (int64_t)mp_newlines(b->p, b->n) + open;
}

/* The line that has this graph. */
static mp_line line_of(const jsonl *j, int64_t graph)
{
    int line = (int)(graph + 1 + j->head);
    return j->book ? mp_book_line(j->book, line) : (mp_line){ j->name, line };
}

/* A line about the set is checked, and says nothing that a model asks for. `n` bytes of the window are whole lines. */
static mp_err cut_head(jsonl *j, mp_piece *p, size_t n)
{
    mp_span seen = { mp_feed_window(&j->feed).p, n }, line;
    mp_jsonl_head head;
    bool found = false;
    j->begun = true;
    mp_arena_reset(p->scratch);
    if (mp_next_line(&seen, &line)) MP_TRY(mp_jsonl_first(line, line_of(j, 0).file, p->scratch, &head, &found));
    if (found) mp_feed_cut(&j->feed, n - seen.n, &p->text[0]);
    j->head = found;
    return MP_OK;
}

/* Bytes of whole lines at the front of the feed; 0: there is nothing left. */
static mp_err next_lines(jsonl *j, size_t *n)
{
    while ((*n = whole_lines(j)) == 0 && !j->feed.end) MP_TRY(mp_feed_more(&j->feed));
    j->searched = 0;
    return MP_OK;
}

static mp_err cut(mp_stream *s, mp_piece *p, bool *got)
{
    jsonl *j = (jsonl *)s;
    size_t n;
    MP_TRY(next_lines(j, &n));
    if (!j->begun) MP_TRY(cut_head(j, p, n));
    if (j->head && j->lines == 0) MP_TRY(next_lines(j, &n));
    mp_feed_cut(&j->feed, n, &p->text[0]);
    p->start = j->lines;
    p->graphs = count_lines(&p->text[0]);
    j->lines += p->graphs;
    if (j->lines > INT_MAX) return mp_fail(MP_ERR_LIMIT, "%s: more than %d lines", j->name, INT_MAX);
    *got = n > 0;
    return MP_OK;
}

typedef struct answers { /* of the graphs of a piece; what a line does not say is missing */
    int64_t *label;
    double *target;
    int labels, targets, columns; /* lines that say so; of `target` */
} answers;

static mp_err unknown_class(mp_line at, const mp_jsonl_graph *g)
{
    if (g->kind == MP_Y_TEXT)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"y\": the model knows no class '%.40s'", at.file, at.line, g->text);
    return mp_fail(MP_ERR_INPUT, "%s:%d: \"y\": the model knows no class %lld", at.file, at.line, (long long)g->whole);
}

static mp_err take_class(const jsonl *j, mp_line at, const mp_jsonl_graph *g, int64_t *label)
{
    const mp_dataset_as *as = j->as;
    if (g->kind == MP_Y_WHOLE) {
        *label = g->whole;
        return mp_class_of(as->class_value, as->classes, *label) < 0 ? unknown_class(at, g) : MP_OK;
    }
    for (*label = 0; *label < mp_dataset_as_names(as); ++*label)
        if (strcmp(as->class_name[*label], g->text) == 0) return MP_OK;
    return unknown_class(at, g);
}

/* Answer i of a piece: a class for a model of classes, else one target or several. */
static mp_err take_answer(const jsonl *j, const mp_piece *p, int i, int most, const mp_jsonl_graph *g, answers *out)
{
    mp_line at = line_of(j, p->first + i);
    bool classes = j->as->task && j->as->task->classes, list = g->kind == MP_Y_LIST;
    double number = g->real;
    if (classes && j->as->classes && (g->kind == MP_Y_WHOLE || g->kind == MP_Y_TEXT)) {
        out->labels++;
        return take_class(j, at, g, &out->label[i]);
    }
    if (g->kind == MP_Y_TEXT && !classes && j->as->class_name) { /* no or yes by its name */
        int64_t yes;
        MP_TRY(take_class(j, at, g, &yes));
        number = (double)yes;
    } else if (classes || g->kind == MP_Y_NONE || g->kind == MP_Y_TEXT) {
        return MP_OK;
    }
    int columns = list ? g->targets : 1;
    if (j->as->targets && j->as->targets != columns)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"y\": %d numbers; the model knows %d", at.file, at.line, columns,
                       j->as->targets);
    if (!out->target) {
        out->columns = columns;
        out->target = MP_NEW_RAW(p->memory, double, (size_t)most *(size_t)columns);
        for (size_t k = 0; k < (size_t)most * (size_t)columns; k++) out->target[k] = (double)NAN;
    }
    if (columns != out->columns)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"y\": %d targets; lines before have %d", at.file, at.line, columns,
                       out->columns);
    for (int k = 0; k < columns; k++)
        out->target[(size_t)i * (size_t)columns + (size_t)k] = list ? g->target[k] : number;
    out->targets++;
    return MP_OK;
}

/* The graph of one line; what it is made of stays in the piece's memory, the JSON does not. */
static mp_err read_line(const jsonl *j, mp_piece *p, mp_span text, mp_line at, mp_jsonl_graph *read, mp_graph *g,
                        mp_sparse *x)
{
    const mp_recipe *r = j->as->recipe;
    mp_jsonl_shape shape = { r->label_columns, mp_recipe_attributes(r), mp_recipe_columns(r), r->edge_label_columns,
                             r->edge_attributes };
    int unseen;
    mp_arena_reset(p->scratch);
    MP_TRY(mp_jsonl_line(text, at.file, at.line, &shape, p->scratch, read));
    mp_err e = mp_query_build(r, &read->query, p->memory, g, x, &unseen);
    if (e != MP_OK) return mp_fail_within(e, "%s:%d", at.file, at.line);
    p->data.unseen_nodes += unseen;
    return MP_OK;
}

/* Graphs side by side, with their features, those of edges and their answers. */
static mp_err join(const jsonl *j, mp_piece *p, const mp_graph *g, const mp_sparse *x, const answers *y)
{
    mp_dataset *d = &p->data;
    mp_piece_join(p, j->as->recipe, g, x);
    int *line = MP_NEW_RAW(p->memory, int, p->count + 1);
    const char **file_of = MP_NEW_RAW(p->memory, const char *, p->count + 1);
    mp_raw raw = { .name = j->name,
                   .graphs = d->graphs,
                   .class_name = j->as->class_name,
                   .class_names = mp_dataset_as_names(j->as),
                   .file = j->name,
                   .line = line,
                   .file_of = file_of };
    for (int i = 0; i < p->count; i++) {
        mp_line at = line_of(j, p->first + i);
        line[i] = at.line;
        file_of[i] = at.file;
    }
    if (y->labels == p->count) raw.graph_label = y->label;
    if (y->targets) {
        raw.target = y->target;
        raw.target_columns = y->columns;
    }
    return p->count && (raw.graph_label || raw.target) ? mp_dataset_seal(&raw, j->as, p->memory, d) : MP_OK;
}

/* Lines one after the other, until they are many nodes: graphs that are answered together are in memory together. */
static mp_err read_piece(const mp_stream *s, mp_piece *p)
{
    const jsonl *j = (const jsonl *)s;
    mp_span rest = { p->text[0].p + p->at, p->text[0].n - p->at }, text;
    int most = p->most ? p->most : (int)count_lines(&p->text[0]);
    int64_t nodes = 0;
    mp_graph *g = MP_NEW_RAW(p->memory, mp_graph, most);
    mp_sparse *x = MP_NEW_RAW(p->memory, mp_sparse, most);
    answers y = { .label = MP_NEW(p->memory, int64_t, most) };
    mp_err e = MP_OK;
    p->data = (mp_dataset){ .name = j->name };
    p->first += p->count;
    p->from = p->count = 0;
    while (e == MP_OK && p->count < most && nodes < NODES_TOGETHER && mp_next_line(&rest, &text)) {
        mp_jsonl_graph read;
        e = read_line(j, p, text, line_of(j, p->first + p->count), &read, &g[p->count], &x[p->count]);
        if (e == MP_OK) e = take_answer(j, p, p->count, most, &read, &y);
        if (e == MP_OK) nodes += g[p->count++].nodes;
    }
    p->at = p->text[0].n - rest.n;
    p->more = rest.n > 0;
    mp_err joined = join(j, p, g, x, &y);
    return e == MP_OK ? joined : e;
}

static mp_err blame(const mp_stream *s, int64_t graph, mp_err e)
{
    mp_line at = line_of((const jsonl *)s, graph);
    return mp_fail_within(e, "%s:%d", at.file, at.line);
}

static void close_feed(mp_stream *s)
{
    mp_feed_close(&((jsonl *)s)->feed);
    mp_put(s);
}

mp_stream *mp_stream_jsonl(const char *name, mp_book *book, mp_tap tap, const mp_dataset_as *as)
{
    jsonl *j = mp_get_zero(1, sizeof *j);
    if (!j) {
        tap.close(tap.state);
        mp_give_up(mp_no_memory(sizeof *j));
    }
    *j = (jsonl){ .stream = { .cut = cut, .read = read_piece, .blame = blame, .close = close_feed },
                  .name = name,
                  .book = book,
                  .as = as };
    mp_feed_open(&j->feed, tap);
    return &j->stream;
}
