/* frame.c - tables on their way, and the structure of the graphs in them. See frame.h.
 *
 * An edge names its nodes by words, which get numbers when they are first met, be it in an edge or as a node. Which row such a
 * word is, is looked up at the end: so it does not matter what comes first.
 * SPDX-License-Identifier: MIT */
#include "data/frame.h"
#include "base/guard.h"
#include "data/edge_values.h"
#include "data/frame_parts.h"
#include "data/query.h"

#include <limits.h>
#include <math.h>
#include <string.h>

mp_frame *mp_frame_new(const mp_dataset_as *as, mp_arena *a)
{
    mp_frame *f = MP_NEW(a, mp_frame, 1);
    f->as = as;
    f->a = f->graph.a = f->node.a = a;
    for (int p = 0; p < MP_FRAME_PARTS; p++) f->part[p].unread.a = a;
    return f;
}

void mp_frame_file(mp_frame *f, const char *name)
{
    f->file = name;
}

void mp_frame_open(mp_frame *f)
{
    f->open = true;
}

/* ---- where things are ---- */

const char *mp_frame_file_of(const mp_frame_table *t, int row)
{
    int lo = 0, hi = t->runs;
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (t->run[mid].first <= row)
            lo = mid;
        else
            hi = mid;
    }
    return t->run[lo].file;
}

mp_err mp_frame_blame(const mp_frame *f, mp_frame_part part, int row, mp_err e)
{
    const mp_frame_table *t = &f->part[part];
    return mp_fail_within(e, "%s:%d", mp_frame_file_of(t, row), t->line[row]);
}

int mp_frame_place(const mp_frame_table *t, const char *name)
{
    for (int k = 0; k < t->columns; k++)
        if (strcmp(t->column[k].name, name) == 0) return k;
    return -1;
}

const char *mp_frame_list(const mp_frame_table *t, mp_arena *a)
{
    enum { SAID = 40 };
    const char *list = t->columns ? "" : "none";
    for (int k = 0; k < t->columns && k < SAID; k++)
        list = mp_arena_printf(a, "%s%s%.80s", list, k ? ", " : "", t->column[k].name);
    return t->columns > SAID ? mp_arena_printf(a, "%s, ... (%d)", list, t->columns) : list;
}

bool mp_frame_listed(const char *list, const char *name)
{
    mp_span rest = mp_span_of(list ? list : ""), word;
    while (list && mp_next_field(&rest, ',', &word))
        if (mp_span_is(word, name)) return true;
    return false;
}

/* ---- columns ---- */

static const mp_names *names_of(const mp_frame *f, mp_frame_part part)
{
    if (!f->as || !f->as->recipe || part == MP_FRAME_GRAPHS) return NULL;
    return part == MP_FRAME_NODES ? f->as->names : f->as->edge_names;
}

bool mp_frame_known(const mp_frame *f, mp_frame_part part, const char *name, mp_frame_kind *kind)
{
    const mp_names *n = names_of(f, part);
    *kind = part == MP_FRAME_GRAPHS ? MP_FRAME_WORD : MP_FRAME_NUMBER;
    if (part == MP_FRAME_GRAPHS) return true;
    for (int k = 0; n && k < n->labels; k++)
        if (strcmp(n->label[k], name) == 0) {
            *kind = n->words[k] ? MP_FRAME_WORD : MP_FRAME_NUMBER;
            return true;
        }
    for (int k = 0; n && k < n->attributes; k++)
        if (strcmp(n->attribute[k], name) == 0) return true;
    return false;
}

bool mp_frame_wants(mp_frame *f, mp_frame_part part, const char *name)
{
    const mp_columns *c = f->as ? f->as->columns : NULL;
    mp_frame_kind kind;
    if (name[0] == '\0') return false; /* such as the one that numbers rows */
    if (part == MP_FRAME_GRAPHS) return true;
    if (c && mp_frame_listed(c->ignore, name)) return false;
    if (part == MP_FRAME_EDGES && !mp_dataset_wants_edges(f->as)) {
        mp_lexicon_add(&f->part[part].unread, 0, mp_span_of(name));
        return false;
    }
    return !names_of(f, part) || mp_frame_known(f, part, name, &kind);
}

int mp_frame_make_column(mp_frame *f, mp_frame_part part, const char *name, mp_frame_kind kind)
{
    mp_frame_table *t = &f->part[part];
    int at = mp_frame_place(t, name);
    if (at >= 0) return at;
    if (t->columns == t->column_room) {
        t->column_room = mp_room(t->column_room, (int64_t)t->columns + 1, 8, "columns");
        MP_MORE(f->a, t->column, t->columns, t->column_room);
    }
    t->column[t->columns] = (mp_frame_column){ .name = mp_arena_text(f->a, name, strlen(name)), .kind = kind };
    t->column[t->columns].words.a = f->a;
    return t->columns++;
}

mp_frame_kind mp_frame_kind_of(const mp_frame *f, mp_frame_part part, int column)
{
    return f->part[part].column[column].kind;
}

/* A place for the last row of the table, rows before it that have no value included. */
static void reach(mp_frame *f, const mp_frame_table *t, mp_frame_column *c)
{
    if (c->room < t->rows) {
        c->room = mp_room(c->room, t->rows, 64, "rows");
        if (c->kind == MP_FRAME_NUMBER)
            MP_MORE(f->a, c->number, c->rows, c->room);
        else
            MP_MORE(f->a, c->word, c->rows, c->room);
    }
    for (; c->rows < t->rows; c->rows++) {
        if (c->kind == MP_FRAME_NUMBER)
            c->number[c->rows] = (double)NAN;
        else
            c->word[c->rows] = -1;
    }
}

bool mp_frame_is_set(const mp_frame *f, mp_frame_part part, int column)
{
    const mp_frame_table *t = &f->part[part];
    return t->column[column].rows == t->rows;
}

mp_err mp_frame_set(mp_frame *f, mp_frame_part part, int column, mp_span value, int64_t line)
{
    mp_frame_table *t = &f->part[part];
    mp_frame_column *c = &t->column[column];
    double v = 0;
    mp_assert(t->rows > 0);
    value = mp_trim(value);
    if (c->rows == t->rows)
        return mp_fail(MP_ERR_INPUT, "%s:%lld: '%.80s' is there twice", f->file, (long long)line, c->name);
    if (c->kind == MP_FRAME_NUMBER && !(mp_to_real(value, &v) && isfinite((float)v)))
        return mp_fail(MP_ERR_INPUT, "%s:%lld: column '%.80s': expected a number, got '%.*s'", f->file, (long long)line,
                       c->name, (int)(value.n < 40 ? value.n : 40), value.p);
    if (part != MP_FRAME_GRAPHS && value.n == 0)
        return mp_fail(MP_ERR_INPUT, "%s:%lld: column '%.80s': expected a word, the field is empty", f->file,
                       (long long)line, c->name);
    reach(f, t, c);
    c->values++;
    if (c->kind == MP_FRAME_NUMBER)
        c->number[t->rows - 1] = v;
    else
        c->word[t->rows - 1] = mp_lexicon_add(&c->words, 0, value);
    return MP_OK;
}

const char *mp_frame_word(const mp_frame_column *c, int row)
{
    return row < c->rows && c->word[row] >= 0 ? c->words.word[c->word[row]] : "";
}

double mp_frame_number(const mp_frame_column *c, int row)
{
    return row < c->rows ? c->number[row] : (double)NAN;
}

/* ---- rows ---- */

static mp_err add_row(mp_frame *f, mp_frame_part part, int graph, int64_t line)
{
    mp_frame_table *t = &f->part[part];
    if (line > INT_MAX) return mp_fail(MP_ERR_LIMIT, "%s: more than %d lines", f->file, INT_MAX);
    if (t->rows >= MP_MOST_COUNT / 2)
        return mp_fail(MP_ERR_LIMIT, "%s:%lld: more than %d rows", f->file, (long long)line, MP_MOST_COUNT / 2);
    if (t->rows == t->room) {
        t->room = mp_room(t->room, (int64_t)t->rows + 1, 64, "rows");
        MP_MORE(f->a, t->line, t->rows, t->room);
        MP_MORE(f->a, t->graph, t->rows, t->room);
    }
    if (t->runs == 0 || t->run[t->runs - 1].file != f->file) {
        if (t->runs == t->run_room) {
            t->run_room = mp_room(t->run_room, (int64_t)t->runs + 1, 8, "files");
            MP_MORE(f->a, t->run, t->runs, t->run_room);
        }
        t->run[t->runs++] = (mp_frame_run){ t->rows, f->file };
    }
    t->line[t->rows] = (int)line;
    t->graph[t->rows++] = graph;
    return MP_OK;
}

mp_err mp_frame_graph(mp_frame *f, mp_span id, int64_t line, int *graph)
{
    int before = f->graph.count;
    *graph = mp_lexicon_add(&f->graph, 0, id);
    if (*graph == before) return add_row(f, MP_FRAME_GRAPHS, *graph, line);
    const mp_frame_table *t = &f->part[MP_FRAME_GRAPHS];
    return mp_fail(MP_ERR_INPUT, "%s:%lld: graph '%.40s' is there twice; it is %s:%d too", f->file, (long long)line,
                   f->graph.word[*graph], mp_frame_file_of(t, *graph), t->line[*graph]);
}

int mp_frame_find(const mp_frame *f, mp_span id)
{
    return mp_lexicon_find(&f->graph, 0, id);
}

/* The word of a node, which may be no row yet. */
static int node_word(mp_frame *f, int graph, mp_span id)
{
    int before = f->node.count, word = mp_lexicon_add(&f->node, graph, id);
    if (word < before) return word;
    if (word == f->node_room) {
        f->node_room = mp_room(f->node_room, (int64_t)word + 1, 64, "nodes");
        MP_MORE(f->a, f->node_row, word, f->node_room);
    }
    f->node_row[word] = -1;
    return word;
}

mp_err mp_frame_node(mp_frame *f, int graph, mp_span id, int64_t line)
{
    int word = node_word(f, graph, id);
    if (f->node_row[word] >= 0)
        return mp_fail(MP_ERR_INPUT, "%s:%lld: node '%.40s' of graph '%.40s' is there twice; it is on line %d too",
                       f->file, (long long)line, f->node.word[word], f->graph.word[graph],
                       f->part[MP_FRAME_NODES].line[f->node_row[word]]);
    f->node_row[word] = f->part[MP_FRAME_NODES].rows;
    return add_row(f, MP_FRAME_NODES, graph, line);
}

mp_err mp_frame_edge(mp_frame *f, int graph, mp_span from, mp_span to, int64_t line)
{
    int row = f->part[MP_FRAME_EDGES].rows;
    MP_TRY(add_row(f, MP_FRAME_EDGES, graph, line));
    if (row == f->edge_room) {
        f->edge_room = mp_room(f->edge_room, (int64_t)row + 1, 64, "edges");
        MP_MORE(f->a, f->from, row, f->edge_room);
        MP_MORE(f->a, f->to, row, f->edge_room);
    }
    f->from[row] = node_word(f, graph, from);
    f->to[row] = node_word(f, graph, to);
    return MP_OK;
}

/* ---- structure ---- */

typedef struct order { /* rows of nodes or edges, graph by graph */
    int *ptr;          /* B+1: where those of a graph begin */
    int *row;          /* rows of the table in their new order */
    int *place;        /* of each row, its place in that */
} order;

static order by_graph(const mp_frame_table *t, int graphs, mp_arena *a)
{
    order o = { MP_NEW(a, int, graphs + 2), MP_NEW_RAW(a, int, t->rows), MP_NEW_RAW(a, int, t->rows) };
    for (int i = 0; i < t->rows; i++) o.ptr[t->graph[i] + 2]++;
    for (int b = 0; b < graphs; b++) o.ptr[b + 2] += o.ptr[b + 1];
    for (int i = 0; i < t->rows; i++) {
        o.place[i] = o.ptr[t->graph[i] + 1]++;
        o.row[o.place[i]] = i;
    }
    return o;
}

/* Every end of an edge is a node; where that is allowed, it becomes one. */
static mp_err settle_ends(mp_frame *f)
{
    const mp_frame_table *edges = &f->part[MP_FRAME_EDGES];
    for (int i = 0; i < edges->rows; i++)
        for (int end = 0; end < 2; end++) {
            int word = end ? f->to[i] : f->from[i], graph = edges->graph[i];
            if (f->node_row[word] >= 0) continue;
            if (!f->open) {
                mp_fail(MP_ERR_INPUT, "the edge joins node '%.40s', which graph '%.40s' does not have",
                        f->node.word[word], f->graph.word[graph]);
                return mp_frame_blame(f, MP_FRAME_EDGES, i, MP_ERR_INPUT);
            }
            f->node_row[word] = f->part[MP_FRAME_NODES].rows;
            f->file = mp_frame_file_of(edges, i);
            MP_TRY(add_row(f, MP_FRAME_NODES, graph, edges->line[i]));
        }
    return MP_OK;
}

static mp_err need_nodes(const mp_frame *f, const order *nodes)
{
    for (int b = 0; b < f->graph.count; b++)
        if (nodes->ptr[b] == nodes->ptr[b + 1]) {
            mp_fail(MP_ERR_INPUT, "graph '%.40s' has no nodes", f->graph.word[b]);
            return mp_frame_blame(f, MP_FRAME_GRAPHS, b, MP_ERR_INPUT);
        }
    return MP_OK;
}

static mp_err take_edge_values(mp_frame *f, const char *where, const mp_query *q, const order *edges, mp_arena *keep,
                               mp_raw *raw)
{
    mp_frame_table *t = &f->part[MP_FRAME_EDGES];
    mp_frame_features x;
    mp_edge_clash clash;
    raw->edge_columns_unread = t->unread.count;
    if (!mp_dataset_wants_edges(f->as)) return MP_OK;
    MP_TRY(mp_frame_take_features(f, MP_FRAME_EDGES, where, edges->row, q->edges, keep, &x));
    raw->edge_names = x.names;
    mp_edge_list list = { q->edges, q->from, q->to, x.label_columns, x.labels, x.attributes };
    if (mp_edge_values(&list, f->a, keep, raw, &clash)) return MP_OK;
    int before = edges->row[clash.before], here = edges->row[clash.here];
    mp_fail(MP_ERR_INPUT, "the edge of %s:%d once more, with other values", mp_frame_file_of(t, before),
            t->line[before]);
    return mp_frame_blame(f, MP_FRAME_EDGES, here, MP_ERR_INPUT);
}

static mp_err take_structure(mp_frame *f, const char *where, const order *nodes, mp_arena *keep, mp_raw *raw)
{
    const mp_frame_table *t = &f->part[MP_FRAME_EDGES];
    int graphs = f->graph.count, *node_ptr = MP_NEW(keep, int, graphs + 1);
    order edges = by_graph(t, graphs, f->a);
    int *from = MP_NEW_RAW(f->a, int, t->rows), *to = MP_NEW_RAW(f->a, int, t->rows);
    for (int i = 0; i < t->rows; i++) {
        from[i] = nodes->place[f->node_row[f->from[edges.row[i]]]];
        to[i] = nodes->place[f->node_row[f->to[edges.row[i]]]];
        raw->self_loops += from[i] == to[i];
    }
    mp_query q = { .nodes = f->part[MP_FRAME_NODES].rows, .edges = t->rows, .from = from, .to = to };
    mp_graph g;
    MP_TRY(mp_query_check(NULL, &q));
    mp_query_graph(&q, keep, &g);
    memcpy(node_ptr, nodes->ptr, (size_t)(graphs + 1) * sizeof *node_ptr);
    raw->graphs = mp_graph_of(keep, graphs, node_ptr, g.row_ptr, g.col, g.rev);
    if (mp_dataset_wants_all(f->as)) {
        int *list = MP_NEW_RAW(keep, int, g.edges / 2);
        mp_edge_places(&raw->graphs, t->rows, from, to, MP_NEW_RAW(f->a, bool, g.edges), list);
        raw->edge_list = list;
    }
    return take_edge_values(f, where, &q, &edges, keep, raw);
}

mp_err mp_frame_finish(mp_frame *f, const char *where, mp_arena *keep, mp_raw *out)
{
    mp_frame_features x;
    *out = (mp_raw){ 0 };
    if (f->graph.count == 0) return mp_fail(MP_ERR_INPUT, "%s: holds no graphs", where);
    MP_TRY(settle_ends(f));
    order nodes = by_graph(&f->part[MP_FRAME_NODES], f->graph.count, f->a);
    MP_TRY(need_nodes(f, &nodes));
    MP_TRY(take_structure(f, where, &nodes, keep, out));
    MP_TRY(mp_frame_take_features(f, MP_FRAME_NODES, where, nodes.row, out->graphs.nodes, keep, &x));
    out->label_columns = x.label_columns;
    out->labels = x.labels;
    out->attributes = x.attributes;
    out->names = x.names;
    return mp_frame_take_graphs(f, where, keep, out);
}
