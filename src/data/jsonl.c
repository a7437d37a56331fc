/* jsonl.c - JSON lines as a whole data set.
 *
 * A line is parsed and its graph built in scratch memory; what it says is appended to growing arrays, which are copied into
 * the caller's arena at the end. Which tables there are, and with how many columns, is what the first line has (for edges:
 * the first that has some); every other line must agree. What "y" is follows from all lines: names of classes, lists of
 * targets, or numbers, which are classes when all are whole and targets otherwise.
 *
 * 640 lines because every table of a line has a few of its own: to be checked, piled up and taken over.
 * SPDX-License-Identifier: MIT */
#include "data/jsonl.h"
#include "base/guard.h"
#include "data/class_names.h"
#include "data/edge_values.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct table { /* a sparse matrix on its way */
    mp_buf ptr, col, val;
} table;

typedef struct pile { /* all graphs so far */
    const char *name; /* of all of it */
    mp_book *book;    /* it is several files; NULL: one */
    mp_line here;     /* the line that is read, for messages */
    const mp_dataset_as *as;
    mp_arena *keep, *scratch; /* the caller's; of one line */
    mp_feed feed;
    mp_buf line; /* its text */
    int at;      /* number of the line, over all files */
    bool wants_edges;
    mp_jsonl_head head;
    mp_jsonl_shape shape;
    int64_t graphs, nodes, edges;
    mp_buf node_end, row_end, col, rev, labels, edge_labels; /* int */
    table attributes, edge_attributes;
    mp_buf edge_list;        /* int: as mp_raw.edge_list                  */
    mp_buf smiles, id, note; /* const char *                              */
    const char **note_name;
    int notes;               /* columns of `note`; 0: no line had one so far */
    mp_buf y, part;          /* a struct answer, an unsigned char a graph */
    mp_buf target;           /* double */
    int targets;             /* columns; 0: no list so far */
    int seen[MP_Y_LIST + 1]; /* the first line with each kind of y; 0: none */
    int split_from;          /* the first line with a split; 0: none */
    mp_raw raw;
} pile;

typedef struct answer {
    int64_t whole;
    double real;
    const char *text; /* in `keep` */
} answer;

static void put_ints(mp_buf *b, const int *v, int n)
{
    mp_buf_add(b, v, (size_t)n * sizeof *v);
}

static const int *ints(const mp_buf *b, mp_arena *a)
{
    int *v = MP_NEW_RAW(a, int, b->n / sizeof *v);
    if (b->n) memcpy(v, b->p, b->n);
    return v;
}

/* v[i] + by, appended. */
static void put_shifted(mp_buf *b, const int *v, int n, int by)
{
    for (int i = 0; i < n; i++) {
        int shifted = v[i] + by;
        mp_buf_add(b, &shifted, sizeof shifted);
    }
}

static mp_err put_rows(pile *p, table *t, const mp_sparse *x)
{
    int64_t before = (int64_t)(t->col.n / sizeof(int));
    if (before + x->ptr[x->rows] > MP_MOST_COUNT)
        return mp_fail(MP_ERR_LIMIT, "%s:%d: more than %d values", p->here.file, p->here.line, MP_MOST_COUNT);
    put_shifted(&t->ptr, x->ptr + 1, x->rows, (int)before);
    put_ints(&t->col, x->col, x->ptr[x->rows]);
    mp_buf_add(&t->val, x->val, (size_t)x->ptr[x->rows] * sizeof *x->val);
    return MP_OK;
}

static mp_sparse rows_of(const table *t, int rows, int cols, mp_arena *a)
{
    int *ptr = MP_NEW(a, int, rows + 1);
    mp_real *val = MP_NEW_RAW(a, mp_real, t->val.n / sizeof *val);
    if (t->ptr.n) memcpy(ptr + 1, t->ptr.p, t->ptr.n);
    if (t->val.n) memcpy(val, t->val.p, t->val.n);
    return (mp_sparse){ .rows = rows, .cols = cols, .ptr = ptr, .col = ints(&t->col, a), .val = val };
}

/* ---- one line ---- */

static mp_err bad(const pile *p, const char *key, const char *what)
{
    return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\": %s", p->here.file, p->here.line, key, what);
}

typedef struct column { /* a table of the line, and the columns it had before and has now */
    const char *key;
    int before, *now;
    const void *has;
    int rows; /* that it must have; 0: the line says nothing about columns */
} column;

/* Found by the first line that could have it, wanted of all behind it. */
static mp_err settle(const pile *p, const mp_jsonl_graph *g, const column *c)
{
    if (c->rows == 0) return MP_OK;
    if (c->before == 0 && mp_json_get(g->line, c->key)) return bad(p, c->key, "the lines before have none");
    if (c->before > 0 && !c->has)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\" is missing; the lines before have it", p->here.file, p->here.line,
                       c->key);
    if (*c->now == MP_ANY_COLUMNS) *c->now = 0;
    return MP_OK;
}

/* Values of edges that nobody wants: counted by the first row there is. */
static void count_unread(pile *p, const mp_jsonl_graph *g)
{
    static const char *const keys[] = { "edge_labels", "edge_attributes" };
    if (p->raw.edge_columns_unread) return;
    for (int i = 0; i < 2; i++) {
        const mp_json *v = mp_json_get(g->line, keys[i]), *row = mp_json_at(v, 0);
        if (row) p->raw.edge_columns_unread += row->kind == MP_JSON_ARRAY ? row->count : 1;
    }
}

static mp_err settle_all(pile *p, const mp_jsonl_shape *before, const mp_jsonl_graph *g)
{
    const mp_query *q = &g->query;
    mp_jsonl_shape *now = &p->shape;
    const column all[] = {
        { "labels", before->labels, &now->labels, q->labels, q->nodes },
        { "attributes", before->attributes, &now->attributes, q->attributes, q->nodes },
        { "x", before->x, &now->x, q->x, q->nodes },
        { "edge_labels", before->edge_labels, &now->edge_labels, q->edge_labels, q->edges },
        { "edge_attributes", before->edge_attributes, &now->edge_attributes, q->edge_attributes, q->edges },
    };
    for (int i = 0; i < (p->wants_edges ? 5 : 3); i++) MP_TRY(settle(p, g, &all[i]));
    if (!p->wants_edges) count_unread(p, g);
    if (now->x && (now->labels || now->attributes))
        return bad(p, "x", "finished features exclude \"labels\" and \"attributes\"");
    return MP_OK;
}

/* What a model takes must be there; else FILE:LINE is lost, for features are made when all lines were read. */
static mp_err suits(const pile *p, const mp_query *q)
{
    const mp_recipe *r = p->as ? p->as->recipe : NULL;
    const mp_jsonl_shape *s = &p->shape;
    mp_err e = mp_query_check(NULL, q);
    if (e == MP_OK && r) {
        int attributes = mp_recipe_attributes(r);
        bool plain = !r->label_columns && r->degree == MP_DEGREE_NONE && !r->skip_attributes;
        if (s->x && !plain) e = mp_fail(MP_ERR_INPUT, "\"x\": finished features are for the command predict alone");
        if (e == MP_OK && attributes && s->attributes != attributes && s->x != attributes)
            e = mp_fail(MP_ERR_INPUT, "%d node attributes, the model needs %d", s->x ? s->x : s->attributes,
                        attributes);
        if (e == MP_OK && r->label_columns && s->labels != r->label_columns)
            e = mp_fail(MP_ERR_INPUT, "%d node labels, the model needs %d", s->labels, r->label_columns);
        bool edges = mp_recipe_edge_columns(r) && q->edges;
        if (e == MP_OK && edges &&
            (s->edge_labels != r->edge_label_columns || s->edge_attributes != r->edge_attributes))
            e = mp_fail(MP_ERR_INPUT, "%d labels and %d attributes of edges, the model needs %d and %d", s->edge_labels,
                        s->edge_attributes, r->edge_label_columns, r->edge_attributes);
        if (e == MP_OK) e = mp_query_check(r, q);
    }
    return e == MP_OK ? e : mp_fail_within(e, "%s:%d", p->here.file, p->here.line);
}

static mp_err check_range(const pile *p, const char *key, const int *label, int rows, int columns, const int *range,
                          int wanted)
{
    if (!range || rows == 0) return MP_OK;
    if (columns != wanted)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\": %d columns; the line about the set has ranges of %d", p->here.file,
                       p->here.line, key, columns, wanted);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++, label++)
            if (*label < 0 || *label >= range[k])
                return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\": column %d of row %d is %d; expected 0 to %d", p->here.file,
                               p->here.line, key, k + 1, i + 1, *label, range[k] - 1);
    return MP_OK;
}

static mp_err in_range(const pile *p, const mp_query *q)
{
    const mp_jsonl_head *h = &p->head;
    MP_TRY(check_range(p, "labels", q->labels, q->nodes, p->shape.labels, h->label_range, h->label_columns));
    if (!p->wants_edges) return MP_OK;
    return check_range(p, "edge_labels", q->edge_labels, q->edges, p->shape.edge_labels, h->edge_label_range,
                       h->edge_label_columns);
}

static void put_edge_list(pile *p, const mp_query *q, const mp_graph *g)
{
    int *place = MP_NEW_RAW(p->scratch, int, g->edges / 2);
    mp_edge_places(g, q->edges, q->from, q->to, MP_NEW_RAW(p->scratch, bool, g->edges), place);
    put_shifted(&p->edge_list, place, g->edges / 2, (int)p->edges);
}

static mp_err put_structure(pile *p, const mp_query *q, mp_graph *g)
{
    mp_query_graph(q, p->scratch, g);
    if (p->nodes + g->nodes > MP_MOST_COUNT || p->edges + g->edges > MP_MOST_COUNT)
        return mp_fail(MP_ERR_LIMIT, "%s:%d: more than %d nodes or edges", p->here.file, p->here.line, MP_MOST_COUNT);
    put_shifted(&p->node_end, g->node_ptr + 1, 1, (int)p->nodes);
    put_shifted(&p->row_end, g->row_ptr + 1, g->nodes, (int)p->edges);
    put_shifted(&p->col, g->col, g->edges, (int)p->nodes);
    put_shifted(&p->rev, g->rev, g->edges, (int)p->edges);
    for (int e = 0; e < q->edges; e++) p->raw.self_loops += q->from[e] == q->to[e];
    if (mp_dataset_wants_all(p->as)) put_edge_list(p, q, g);
    return MP_OK;
}

static mp_err put_edge_values(pile *p, const mp_query *q, const mp_graph *g)
{
    const mp_jsonl_shape *s = &p->shape;
    mp_raw one = { .graphs = *g };
    if (q->edges == 0 || !(s->edge_labels || s->edge_attributes)) return MP_OK;
    mp_err e = mp_query_edge_values(q, s->edge_attributes, s->edge_labels, p->scratch, p->scratch, &one);
    if (e != MP_OK) return mp_fail_within(e, "%s:%d", p->here.file, p->here.line);
    put_ints(&p->edge_labels, one.edge_labels, g->edges * s->edge_labels);
    return s->edge_attributes ? put_rows(p, &p->edge_attributes, &one.edge_attributes) : MP_OK;
}

static mp_err put_tables(pile *p, const mp_query *q)
{
    int columns = p->shape.x ? p->shape.x : p->shape.attributes;
    mp_sparse x;
    put_ints(&p->labels, q->labels, q->nodes * p->shape.labels);
    if (!columns) return MP_OK;
    MP_TRY(mp_sparse_of(p->shape.x ? q->x : q->attributes, q->nodes, columns, "attributes of node", p->scratch, &x));
    return put_rows(p, &p->attributes, &x);
}

/* Where a line is, by its number over all files; and in words, for a message about another one. */
static mp_line line_at(const pile *p, int line)
{
    return p->book ? mp_book_line(p->book, line) : (mp_line){ p->name, line };
}

static const char *on_line(const pile *p, int line)
{
    mp_line at = line_at(p, line);
    return p->book ? mp_arena_printf(p->scratch, "line %d of %s", at.line, at.file)
                   : mp_arena_printf(p->scratch, "line %d", at.line);
}

/* Which kinds of y may stand together in one set. */
static int family(mp_jsonl_y kind)
{
    return kind == MP_Y_REAL ? MP_Y_WHOLE : (int)kind;
}

static mp_err put_y(pile *p, const mp_jsonl_graph *g)
{
    static const char *const what[] = { "null", "a number", "a number", "a text", "a list" };
    answer y = { g->whole, g->kind == MP_Y_NONE ? (double)NAN : g->real, NULL };
    for (int k = MP_Y_WHOLE; k <= MP_Y_LIST && g->kind != MP_Y_NONE; k++)
        if (p->seen[k] && family((mp_jsonl_y)k) != family(g->kind))
            return mp_fail(MP_ERR_INPUT, "%s:%d: \"y\": %s, but %s on %s", p->here.file, p->here.line, what[g->kind],
                           what[k], on_line(p, p->seen[k]));
    if (g->kind == MP_Y_LIST && p->targets && g->targets != p->targets)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"y\": %d targets, but %d on %s", p->here.file, p->here.line, g->targets,
                       p->targets, on_line(p, p->seen[MP_Y_LIST]));
    if (g->kind == MP_Y_LIST) p->targets = g->targets;
    if (!p->seen[g->kind]) p->seen[g->kind] = p->at;
    if (g->kind == MP_Y_TEXT) y.text = mp_arena_text(p->keep, g->text, strlen(g->text));
    mp_buf_add(&p->y, &y, sizeof y);
    /* Lines before the first list had none; how many columns that is, is known only now. */
    double missing = (double)NAN;
    size_t due = (size_t)p->graphs * (size_t)p->targets * sizeof missing;
    while (p->targets && p->target.n < due) mp_buf_add(&p->target, &missing, sizeof missing);
    for (int k = 0; k < p->targets; k++)
        mp_buf_add(&p->target, g->kind == MP_Y_LIST ? &g->target[k] : &missing, sizeof missing);
    return MP_OK;
}

static mp_err put_split(pile *p, const char *split)
{
    unsigned char part = MP_PARTS;
    for (int i = 0; split && i < MP_PARTS; i++)
        if (p->head.split[i] && strcmp(split, p->head.split[i]) == 0) part = (unsigned char)i;
    if (split && part == MP_PARTS) {
        mp_buf names = MP_BUF_LOCAL;
        for (int i = 0; i < MP_PARTS && p->head.split[i]; i++)
            mp_buf_printf(&names, "%s%s", i ? ", " : "", p->head.split[i]);
        mp_err e = mp_fail(MP_ERR_INPUT, "%s:%d: \"split\": no part '%.40s'; expected one of %s", p->here.file,
                           p->here.line, split, names.p);
        mp_buf_free(&names);
        return e;
    }
    if (split && !p->split_from) p->split_from = p->at;
    mp_buf_add(&p->part, &part, 1);
    return MP_OK;
}

/* A text that all lines have or none. */
static mp_err put_text(pile *p, const char *key, const char *text, mp_buf *list)
{
    if (p->graphs > 0 && text && list->n == 0) return bad(p, key, "the lines before have none");
    if (p->graphs > 0 && !text && list->n > 0)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\" is missing; the lines before have it", p->here.file, p->here.line,
                       key);
    const char *copy = text ? mp_arena_text(p->keep, text, strlen(text)) : NULL;
    if (copy) mp_buf_add(list, &copy, sizeof copy);
    return MP_OK;
}

static const char *note_text(const mp_json *v, mp_arena *a)
{
    char number[32];
    if (!v || v->kind == MP_JSON_NULL) return "";
    if (v->kind == MP_JSON_STRING) return mp_arena_text(a, v->text, v->bytes);
    if (v->exact) return mp_arena_printf(a, "%lld", (long long)v->whole);
    mp_real_text(v->number, number);
    return mp_arena_text(a, number, strlen(number));
}

/* The first line that has notes says which there are; on others one may be missing. */
static mp_err put_notes(pile *p, const mp_json *notes)
{
    if (!p->notes && notes) {
        const char *none = "";
        p->note_name = MP_NEW(p->keep, const char *, notes->count);
        for (const mp_json *v = notes->first; v; v = v->next)
            p->note_name[p->notes++] = mp_arena_text(p->keep, v->key, strlen(v->key));
        for (int64_t i = 0; i < p->graphs * p->notes; i++) mp_buf_add(&p->note, &none, sizeof none);
    }
    for (int k = 0; k < p->notes; k++) {
        const char *text = note_text(mp_json_get(notes, p->note_name[k]), p->keep);
        mp_buf_add(&p->note, &text, sizeof text);
    }
    int known = 0;
    for (int k = 0; k < p->notes && notes; k++) known += mp_json_get(notes, p->note_name[k]) != NULL;
    return notes && known < notes->count ? bad(p, "notes", "one that the first line with notes does not have") : MP_OK;
}

static mp_err put_graph(pile *p, mp_span text)
{
    mp_jsonl_graph g;
    mp_graph structure;
    mp_jsonl_shape before = p->shape;
    if (p->graphs == MP_MOST_COUNT) return mp_fail(MP_ERR_LIMIT, "%s: more than %d graphs", p->name, MP_MOST_COUNT);
    MP_TRY(mp_jsonl_line(text, p->here.file, p->here.line, &p->shape, p->scratch, &g));
    MP_TRY(settle_all(p, &before, &g));
    MP_TRY(suits(p, &g.query));
    MP_TRY(in_range(p, &g.query));
    MP_TRY(put_structure(p, &g.query, &structure));
    MP_TRY(put_tables(p, &g.query));
    MP_TRY(put_edge_values(p, &g.query, &structure));
    MP_TRY(put_y(p, &g));
    MP_TRY(put_split(p, g.split));
    MP_TRY(put_text(p, "smiles", g.smiles, &p->smiles));
    MP_TRY(put_text(p, "id", g.id, &p->id));
    MP_TRY(put_notes(p, g.notes));
    p->graphs++;
    p->nodes += structure.nodes;
    p->edges += structure.edges;
    return MP_OK;
}

/* ---- all lines ---- */

static void want_edges(pile *p, bool wanted)
{
    p->wants_edges = wanted;
    p->shape.edge_labels = p->shape.edge_attributes = wanted ? MP_ANY_COLUMNS : 0;
}

static mp_err read_head(pile *p, mp_span text, bool *found)
{
    MP_TRY(mp_jsonl_first(text, p->here.file, p->keep, &p->head, found));
    if (!*found) return MP_OK;
    if (p->head.dataset) p->raw.name = p->head.dataset;
    mp_raw said = { .label_columns = p->head.label_columns,
                    .label_range = p->head.label_range,
                    .edge_label_columns = p->head.edge_label_columns };
    want_edges(p, mp_raw_wants_edges(&said, p->as));
    if (!p->head.folds) return MP_OK;
    mp_fold_text *folds = MP_NEW(p->keep, mp_fold_text, 1);
    folds->where = mp_arena_text(p->keep, p->here.file, strlen(p->here.file));
    folds->json = (mp_span){ mp_arena_text(p->keep, text.p, text.n), text.n };
    p->raw.fold_text = folds;
    return MP_OK;
}

static mp_err read_lines(pile *p)
{
    for (;;) {
        bool head = false;
        MP_TRY(mp_feed_lines(&p->feed, 1, &p->line));
        if (p->line.n == 0) return MP_OK;
        if (p->at == INT_MAX) return mp_fail(MP_ERR_LIMIT, "%s: more than %d lines", p->name, INT_MAX);
        p->here = line_at(p, ++p->at);
        mp_span rest = { p->line.p, p->line.n }, text;
        if (!mp_next_line(&rest, &text)) text = rest;
        mp_arena_reset(p->scratch);
        if (p->at == 1) MP_TRY(read_head(p, text, &head));
        if (!head) MP_TRY(put_graph(p, text));
    }
}

static mp_err line_of(const pile *p, int graph)
{
    mp_line at = line_at(p, p->raw.first_line + graph);
    return mp_fail_within(MP_ERR_INPUT, "%s:%d", at.file, at.line);
}

static mp_err text_labels(pile *p, const answer *y)
{
    int n = (int)p->graphs;
    const char **word = MP_NEW_RAW(p->keep, const char *, n);
    for (int b = 0; b < n; b++) word[b] = y[b].text;
    int unknown = mp_class_names(word, n, p->as, p->keep, &p->raw);
    if (unknown < 0) return MP_OK;
    mp_fail(MP_ERR_INPUT, "\"y\": the model knows no class '%.40s'", word[unknown]);
    return line_of(p, unknown);
}

static mp_err whole_labels(pile *p, const answer *y)
{
    int64_t *label = MP_NEW_RAW(p->keep, int64_t, p->graphs);
    bool model = p->as && p->as->classes && p->as->task && p->as->task->classes;
    for (int b = 0; b < (int)p->graphs; b++) {
        label[b] = y[b].whole;
        if (model && mp_class_of(p->as->class_value, p->as->classes, label[b]) < 0) {
            mp_fail(MP_ERR_INPUT, "\"y\": the model knows no class %lld", (long long)label[b]);
            return line_of(p, b);
        }
    }
    p->raw.graph_label = label;
    return MP_OK;
}

static void number_targets(pile *p, const answer *y)
{
    double *target = MP_NEW_RAW(p->keep, double, p->graphs);
    for (int b = 0; b < (int)p->graphs; b++) target[b] = y[b].real;
    p->raw.target = target;
    p->raw.target_columns = 1;
}

static void list_targets(pile *p)
{
    double *target = MP_NEW_RAW(p->keep, double, p->target.n / sizeof *target);
    memcpy(target, p->target.p, p->target.n);
    p->raw.target = target;
    p->raw.target_columns = p->targets;
}

/* Kinds do not mix (put_y); only numbers and targets may be missing. */
static mp_err finish_y(pile *p)
{
    mp_line none = line_at(p, p->seen[MP_Y_NONE]);
    const answer *y = (const answer *)(const void *)p->y.p;
    bool classes = p->seen[MP_Y_TEXT] || (p->seen[MP_Y_WHOLE] && !p->seen[MP_Y_REAL]);
    if (classes && p->seen[MP_Y_NONE])
        return mp_fail(MP_ERR_INPUT,
                       "%s:%d: \"y\" is missing, and the others are classes; a number that may be missing "
                       "stands in a list: [null]",
                       none.file, none.line);
    if (p->seen[MP_Y_TEXT]) return text_labels(p, y);
    if (classes) return whole_labels(p, y);
    if (p->seen[MP_Y_REAL]) number_targets(p, y);
    if (p->seen[MP_Y_LIST]) list_targets(p);
    return MP_OK;
}

static mp_err finish_split(pile *p)
{
    if (!p->split_from) return MP_OK;
    const char *name[MP_PARTS] = { NULL };
    int count[MP_PARTS] = { 0 };
    mp_line first = line_at(p, p->split_from);
    for (int b = 0; b < (int)p->graphs; b++)
        if ((unsigned char)p->part.p[b] < MP_PARTS) count[(unsigned char)p->part.p[b]]++;
    for (int i = 0; i < MP_PARTS; i++) {
        if (i < 3 && !count[i])
            return mp_fail(MP_ERR_INPUT, "%s:%d: \"split\": no graph is in the part '%s'", first.file, first.line,
                           p->head.split[i]);
        if (count[i]) name[i] = mp_arena_text(p->keep, p->head.split[i], strlen(p->head.split[i]));
    }
    mp_raw_split(&p->raw, (const unsigned char *)p->part.p, name, p->keep);
    p->raw.split_kind = p->head.split_kind;
    return MP_OK;
}

static mp_err finish_head(pile *p)
{
    const mp_jsonl_head *h = &p->head;
    mp_raw *raw = &p->raw;
    if (h->names && h->names != raw->target_columns)
        return mp_fail(MP_ERR_INPUT, "%s:1: \"label_names\": %d names for %d targets", line_at(p, 1).file, h->names,
                       raw->target_columns);
    raw->target_name = h->name;
    if (raw->label_columns) raw->label_range = h->label_range;
    if (raw->edge_label_columns) raw->edge_label_range = h->edge_label_range;
    return MP_OK;
}

static const char *const *texts_of(const mp_buf *list, mp_arena *a)
{
    const char **out = MP_NEW_RAW(a, const char *, list->n / sizeof *out);
    if (list->n) memcpy(out, list->p, list->n);
    return list->n ? out : NULL;
}

/* An array of ends with the 0 before the first. */
static const int *starts(const mp_buf *ends, mp_arena *a)
{
    int *v = MP_NEW(a, int, ends->n / sizeof *v + 1);
    memcpy(v + 1, ends->p, ends->n);
    return v;
}

/* Of several files each graph has a file and a line of its own. */
static void take_places(pile *p)
{
    int graphs = (int)p->graphs, *line = MP_NEW_RAW(p->keep, int, graphs);
    const char **file_of = MP_NEW_RAW(p->keep, const char *, graphs), *before = NULL;
    for (int b = 0; b < graphs; b++) {
        mp_line at = line_at(p, p->raw.first_line + b);
        bool same = before && strcmp(before, at.file) == 0;
        file_of[b] = same ? file_of[b - 1] : mp_arena_text(p->keep, at.file, strlen(at.file));
        before = at.file;
        line[b] = at.line;
    }
    p->raw.line = line;
    p->raw.file_of = file_of;
}

static mp_err read_set(pile *p)
{
    mp_arena *a = p->keep;
    mp_raw *raw = &p->raw;
    const mp_jsonl_shape *s = &p->shape;
    MP_TRY(read_lines(p));
    if (p->graphs == 0) return mp_fail(MP_ERR_INPUT, "%s: holds no graphs", p->name);
    raw->file = mp_arena_text(a, p->name, strlen(p->name));
    raw->first_line = p->at - (int)p->graphs + 1;
    if (p->book) take_places(p);
    raw->graphs.graphs = (int)p->graphs;
    raw->graphs.nodes = (int)p->nodes;
    raw->graphs.edges = (int)p->edges;
    raw->graphs.node_ptr = starts(&p->node_end, a);
    raw->graphs.row_ptr = starts(&p->row_end, a);
    raw->graphs.col = ints(&p->col, a);
    raw->graphs.rev = ints(&p->rev, a);
    raw->label_columns = s->labels;
    if (s->labels) raw->labels = ints(&p->labels, a);
    int columns = s->x ? s->x : s->attributes;
    if (columns) raw->attributes = rows_of(&p->attributes, (int)p->nodes, columns, a);
    if (s->edge_labels > 0) {
        raw->edge_label_columns = s->edge_labels;
        raw->edge_labels = ints(&p->edge_labels, a);
    }
    if (s->edge_attributes > 0)
        raw->edge_attributes = rows_of(&p->edge_attributes, (int)p->edges, s->edge_attributes, a);
    if (mp_dataset_wants_all(p->as)) raw->edge_list = ints(&p->edge_list, a);
    raw->smiles = texts_of(&p->smiles, a);
    raw->id = texts_of(&p->id, a);
    raw->notes = p->notes;
    raw->note_name = p->note_name;
    raw->note = texts_of(&p->note, a);
    MP_TRY(finish_y(p));
    MP_TRY(finish_head(p));
    return finish_split(p);
}

/* Scratch memory is made under the guard, which frees it when the work gives up. */
static mp_err read_all(void *arg)
{
    pile *p = arg;
    p->scratch = mp_arena_new(1 << 16);
    mp_err e = read_set(p);
    mp_arena_free(p->scratch);
    return e;
}

mp_err mp_jsonl_read(const char *name, mp_book *book, const char *set, mp_tap tap, const mp_dataset_as *as, mp_arena *a,
                     mp_raw *out)
{
    bool edges = mp_dataset_wants_edges(as);
    int any = MP_ANY_COLUMNS;
    pile p = { .name = name,
               .book = book,
               .as = as,
               .keep = a,
               .wants_edges = edges,
               .shape = { any, any, any, edges ? any : 0, edges ? any : 0 },
               .raw = { .name = set } };
    mp_feed_open(&p.feed, tap);
    mp_err e = mp_guarded(read_all, &p);
    mp_buf *const bufs[] = { &p.line,
                             &p.node_end,
                             &p.row_end,
                             &p.col,
                             &p.rev,
                             &p.labels,
                             &p.edge_labels,
                             &p.attributes.ptr,
                             &p.attributes.col,
                             &p.attributes.val,
                             &p.edge_attributes.ptr,
                             &p.edge_attributes.col,
                             &p.edge_attributes.val,
                             &p.edge_list,
                             &p.smiles,
                             &p.id,
                             &p.note,
                             &p.y,
                             &p.part,
                             &p.target };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) mp_buf_free(bufs[i]);
    mp_feed_close(&p.feed);
    *out = p.raw;
    return e;
}
