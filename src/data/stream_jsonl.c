/* stream_jsonl.c - JSON lines, one graph each:
 *
 *     {"nodes": 3, "edges": [[0,1],[1,2]], "labels": [6,0,0], "attributes": [[0.5],[1],[2]]}
 *
 * or "x", rows of finished features, in place of labels and attributes. What the model does not need may be left out.
 * Line n is graph n - 1; an empty line is an error.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "base/json.h"
#include "data/query.h"
#include "data/stream.h"
#include "graph/join.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECE          ((size_t)1 << 15) /* bytes */
#define NODES_TOGETHER (1 << 20)
#define MOST_NODES     20000000 /* as many as a line of JSON may have values: a number alone must not eat the machine */

typedef struct jsonl {
    mp_stream stream;
    const char *name; /* opens messages */
    const mp_dataset_as *as;
    mp_feed feed;
    size_t searched; /* bytes at the front of the feed that have no line end */
    int64_t lines;   /* cut off so far */
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

static mp_err cut(mp_stream *s, mp_piece *p, bool *got)
{
    jsonl *j = (jsonl *)s;
    size_t n;
    while ((n = whole_lines(j)) == 0 && !j->feed.end) MP_TRY(mp_feed_more(&j->feed));
    mp_feed_cut(&j->feed, n, &p->text[0]);
    j->searched = 0;
    p->start = j->lines;
    j->lines += count_lines(&p->text[0]);
    if (j->lines > INT_MAX) return mp_fail(MP_ERR_LIMIT, "%s: more than %d lines", j->name, INT_MAX);
    *got = n > 0;
    return MP_OK;
}

typedef struct reader { /* of one line */
    const char *name;
    const mp_json *line;
    mp_arena *arena;
} reader;

static mp_err bad(const reader *r, const char *key, const char *what)
{
    return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\": %s", r->name, r->line->line, key, what);
}

static mp_err take_number(const reader *r, const char *key, const mp_json *v, bool whole, double *out)
{
    if (v->kind != MP_JSON_NUMBER) return bad(r, key, "expected numbers");
    if (whole && !(v->exact && v->whole > INT_MIN && v->whole < INT_MAX)) return bad(r, key, "expected whole numbers");
    *out = v->number;
    return MP_OK;
}

/* A list of rows of `cols` numbers; rows of one number may stand without their brackets. */
static mp_err take_table(const reader *r, const char *key, int cols, bool whole, const double **out, int *rows)
{
    const mp_json *table = mp_json_get(r->line, key);
    *out = NULL;
    *rows = 0;
    if (!table || cols == 0) return MP_OK;
    if (table->kind != MP_JSON_ARRAY) return bad(r, key, "expected a list");
    double *v = MP_NEW_RAW(r->arena, double, (size_t)table->count *(size_t)cols);
    *out = v;
    *rows = table->count;
    for (const mp_json *row = table->first; row; row = row->next) {
        bool bare = row->kind == MP_JSON_NUMBER;
        if (bare ? cols != 1 : row->kind != MP_JSON_ARRAY || row->count != cols)
            return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\": expected rows of %d", r->name, r->line->line, key, cols);
        if (bare) MP_TRY(take_number(r, key, row, whole, v++));
        for (const mp_json *item = bare ? NULL : row->first; item; item = item->next)
            MP_TRY(take_number(r, key, item, whole, v++));
    }
    return MP_OK;
}

static mp_err take_edges(const reader *r, mp_query *q)
{
    const double *pair;
    MP_TRY(take_table(r, "edges", 2, true, &pair, &q->edges));
    int *from = MP_NEW_RAW(r->arena, int, q->edges), *to = MP_NEW_RAW(r->arena, int, q->edges);
    for (int e = 0; e < q->edges; e++) {
        from[e] = (int)pair[2 * e];
        to[e] = (int)pair[2 * e + 1];
    }
    q->from = from;
    q->to = to;
    return MP_OK;
}

static mp_err need_row_a_node(const reader *r, const char *key, const void *table, int rows, int nodes)
{
    if (!table || rows == nodes) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\" has %d rows for %d nodes", r->name, r->line->line, key, rows, nodes);
}

static mp_err take_reals(const reader *r, const char *key, int cols, int nodes, const float **out)
{
    const double *table;
    int rows;
    MP_TRY(take_table(r, key, cols, false, &table, &rows));
    MP_TRY(need_row_a_node(r, key, table, rows, nodes));
    float *v = table ? MP_NEW_RAW(r->arena, float, (size_t)rows *(size_t)cols) : NULL;
    for (size_t i = 0; v && i < (size_t)rows * (size_t)cols; i++) {
        v[i] = (float)table[i];
        if (!isfinite(v[i])) return bad(r, key, "a number does not fit a 32-bit float, whose largest is 3.4e38");
    }
    *out = v;
    return MP_OK;
}

static mp_err take_labels(const reader *r, int cols, int nodes, const int **out)
{
    const double *table;
    int rows;
    MP_TRY(take_table(r, "labels", cols, true, &table, &rows));
    MP_TRY(need_row_a_node(r, "labels", table, rows, nodes));
    int *v = table ? MP_NEW_RAW(r->arena, int, (size_t)rows *(size_t)cols) : NULL;
    for (size_t i = 0; v && i < (size_t)rows * (size_t)cols; i++) v[i] = (int)table[i];
    *out = v;
    return MP_OK;
}

static mp_err take_query(const reader *r, const mp_recipe *recipe, mp_query *q)
{
    static const char *const keys[] = { "nodes", "edges", "labels", "attributes", "x", NULL };
    const mp_json *nodes;
    MP_TRY(mp_json_need(r->line, "nodes", MP_JSON_NUMBER, r->name, &nodes));
    if (!nodes->exact || nodes->whole < 1 || nodes->whole > MOST_NODES)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"nodes\": expected a whole number from 1 to %d", r->name, r->line->line,
                       MOST_NODES);
    MP_TRY(mp_json_only(r->line, keys, r->name));
    *q = (mp_query){ .nodes = (int)nodes->whole };
    MP_TRY(take_edges(r, q));
    MP_TRY(take_labels(r, recipe->label_columns, q->nodes, &q->labels));
    MP_TRY(take_reals(r, "attributes", mp_recipe_attributes(recipe), q->nodes, &q->attributes));
    return take_reals(r, "x", mp_recipe_columns(recipe), q->nodes, &q->x);
}

/* The graph of one line; what it is made of stays in the piece's memory, the JSON does not. */
static mp_err read_line(const jsonl *j, mp_piece *p, mp_span text, int line, mp_graph *g, mp_sparse *x)
{
    reader r = { j->name, NULL, p->scratch };
    mp_query q;
    int unseen;
    mp_arena_reset(p->scratch);
    MP_TRY(mp_json_parse_line(text, j->name, line, p->scratch, &r.line));
    MP_TRY(take_query(&r, j->as->recipe, &q));
    mp_err e = mp_query_build(j->as->recipe, &q, p->memory, g, x, &unseen);
    if (e != MP_OK) return mp_fail_within(e, "%s:%d", j->name, line);
    p->data.unseen_nodes += unseen;
    return MP_OK;
}

/* Lines one after the other, until they are many nodes: graphs that are answered together are in memory together. */
static mp_err read_piece(const mp_stream *s, mp_piece *p)
{
    const jsonl *j = (const jsonl *)s;
    mp_span rest = { p->text[0].p + p->at, p->text[0].n - p->at }, text;
    int64_t most = p->most ? p->most : count_lines(&p->text[0]), nodes = 0;
    mp_graph *g = MP_NEW_RAW(p->memory, mp_graph, most);
    mp_sparse *x = MP_NEW_RAW(p->memory, mp_sparse, most);
    mp_err e = MP_OK;
    p->data = (mp_dataset){ .name = j->name };
    p->first += p->count;
    p->from = p->count = 0;
    while (e == MP_OK && p->count < most && nodes < NODES_TOGETHER && mp_next_line(&rest, &text)) {
        e = read_line(j, p, text, (int)p->first + p->count + 1, &g[p->count], &x[p->count]);
        if (e == MP_OK) nodes += g[p->count++].nodes;
    }
    p->at = p->text[0].n - rest.n;
    p->more = rest.n > 0;
    mp_graph_join(p->memory, g, x, p->count, &p->data.graphs, &p->data.x);
    return e;
}

static mp_err blame(const mp_stream *s, int64_t graph, mp_err e)
{
    return mp_fail_within(e, "%s:%lld", ((const jsonl *)s)->name, (long long)graph + 1);
}

static void close_feed(mp_stream *s)
{
    mp_feed_close(&((jsonl *)s)->feed);
    free(s);
}

mp_stream *mp_stream_jsonl(const char *name, mp_tap tap, const mp_dataset_as *as)
{
    jsonl *j = calloc(1, sizeof *j);
    if (!j) {
        tap.close(tap.state);
        mp_give_up(mp_no_memory(sizeof *j));
    }
    *j = (jsonl){ .stream = { cut, read_piece, blame, close_feed }, .name = name, .as = as };
    mp_feed_open(&j->feed, tap);
    return &j->stream;
}
