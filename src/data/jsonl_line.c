/* jsonl_line.c - one line of a JSON lines file: tables of a graph, what it should be answered, and the line about the set.
 * SPDX-License-Identifier: MIT */
#include "data/jsonl.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define MOST_NODES 20000000 /* as many as a line of JSON may have values: a number alone must not eat the machine */

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

/* A list of rows of *cols numbers; rows of one number may stand without their brackets. */
static mp_err take_table(const reader *r, const char *key, int *cols, bool whole, const double **out, int *rows)
{
    const mp_json *table = mp_json_get(r->line, key);
    *out = NULL;
    *rows = 0;
    if (!table || *cols == 0) return MP_OK;
    if (table->kind != MP_JSON_ARRAY) return bad(r, key, "expected a list");
    const mp_json *first = table->first;
    if (*cols == MP_ANY_COLUMNS && first) *cols = first->kind == MP_JSON_ARRAY ? first->count : 1;
    if (*cols == 0) return bad(r, key, "expected rows of at least one number");
    double *v = MP_NEW_RAW(r->arena, double, (size_t)table->count *(size_t)(*cols < 0 ? 0 : *cols));
    *out = v;
    *rows = table->count;
    for (const mp_json *row = first; row; row = row->next) {
        bool bare = row->kind == MP_JSON_NUMBER;
        if (bare ? *cols != 1 : row->kind != MP_JSON_ARRAY || row->count != *cols)
            return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\": expected rows of %d", r->name, r->line->line, key, *cols);
        if (bare) MP_TRY(take_number(r, key, row, whole, v++));
        for (const mp_json *item = bare ? NULL : row->first; item; item = item->next)
            MP_TRY(take_number(r, key, item, whole, v++));
    }
    return MP_OK;
}

static mp_err take_edges(const reader *r, mp_query *q)
{
    const double *pair;
    int two = 2;
    MP_TRY(take_table(r, "edges", &two, true, &pair, &q->edges));
    int *from = MP_NEW_RAW(r->arena, int, q->edges), *to = MP_NEW_RAW(r->arena, int, q->edges);
    for (int e = 0; e < q->edges; e++) {
        from[e] = (int)pair[2 * e];
        to[e] = (int)pair[2 * e + 1];
    }
    q->from = from;
    q->to = to;
    return MP_OK;
}

static mp_err need_rows(const reader *r, const char *key, const void *table, int rows, int n, const char *things)
{
    if (!table || rows == n) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\" has %d rows for %d %s", r->name, r->line->line, key, rows, n, things);
}

static mp_err take_reals(const reader *r, const char *key, int *cols, int n, const char *things, const float **out)
{
    const double *table;
    int rows;
    MP_TRY(take_table(r, key, cols, false, &table, &rows));
    MP_TRY(need_rows(r, key, table, rows, n, things));
    size_t count = rows ? (size_t)rows * (size_t)*cols : 0;
    float *v = table ? MP_NEW_RAW(r->arena, float, count) : NULL;
    for (size_t i = 0; v && i < count; i++) {
        v[i] = (float)table[i];
        if (!isfinite(v[i])) return bad(r, key, "a number does not fit a 32-bit float, whose largest is 3.4e38");
    }
    *out = v;
    return MP_OK;
}

static mp_err take_labels(const reader *r, const char *key, int *cols, int n, const char *things, const int **out)
{
    const double *table;
    int rows;
    MP_TRY(take_table(r, key, cols, true, &table, &rows));
    MP_TRY(need_rows(r, key, table, rows, n, things));
    if (*cols > MP_MAX_LABEL_COLUMNS)
        return mp_fail(MP_ERR_LIMIT, "%s:%d: \"%s\": %d label columns; at most %d", r->name, r->line->line, key, *cols,
                       MP_MAX_LABEL_COLUMNS);
    size_t count = rows ? (size_t)rows * (size_t)*cols : 0;
    int *v = table ? MP_NEW_RAW(r->arena, int, count) : NULL;
    for (size_t i = 0; v && i < count; i++) v[i] = (int)table[i];
    *out = v;
    return MP_OK;
}

static mp_err take_targets(const reader *r, const mp_json *list, mp_jsonl_graph *out)
{
    double *v = MP_NEW_RAW(r->arena, double, list->count);
    if (list->count == 0) return bad(r, "y", "expected at least one target");
    out->targets = list->count;
    out->target = v;
    for (const mp_json *item = list->first; item; item = item->next, v++) {
        *v = (double)NAN;
        if (item->kind == MP_JSON_NULL) continue;
        if (item->kind != MP_JSON_NUMBER) return bad(r, "y", "expected a list of numbers, null where one is missing");
        *v = item->number;
        if (!isfinite((float)*v)) return bad(r, "y", "a number does not fit a 32-bit float, whose largest is 3.4e38");
    }
    return MP_OK;
}

static mp_err take_y(const reader *r, mp_jsonl_graph *out)
{
    const mp_json *y = mp_json_get(r->line, "y");
    if (!y || y->kind == MP_JSON_NULL) return MP_OK;
    switch ((mp_json_kind)y->kind) {
    case MP_JSON_NUMBER:
        out->kind = y->exact ? MP_Y_WHOLE : MP_Y_REAL;
        out->whole = y->exact ? y->whole : 0;
        out->real = y->number;
        return isfinite((float)y->number)
                   ? MP_OK
                   : bad(r, "y", "the number does not fit a 32-bit float, whose largest is 3.4e38");
    case MP_JSON_STRING:
        out->kind = MP_Y_TEXT;
        out->text = y->text;
        return y->bytes ? MP_OK : bad(r, "y", "expected the name of a class, got an empty text");
    case MP_JSON_ARRAY:
        out->kind = MP_Y_LIST;
        return take_targets(r, y, out);
    default:
        return bad(r, "y", "expected a number, the name of a class, or a list of numbers");
    }
}

static mp_err take_text(const reader *r, const char *key, const char *expected, const char **out)
{
    const mp_json *v = mp_json_get(r->line, key);
    *out = NULL;
    if (!v || v->kind == MP_JSON_NULL) return MP_OK;
    if (v->kind != MP_JSON_STRING) return bad(r, key, expected);
    *out = v->text;
    return MP_OK;
}

static mp_err take_notes(const reader *r, mp_jsonl_graph *out)
{
    static const char what[] = "expected an object of texts and numbers";
    const mp_json *v = mp_json_get(r->line, "notes");
    if (!v || v->kind == MP_JSON_NULL) return MP_OK;
    if (v->kind != MP_JSON_OBJECT) return bad(r, "notes", what);
    for (const mp_json *m = v->first; m; m = m->next)
        if (m->kind != MP_JSON_STRING && m->kind != MP_JSON_NUMBER && m->kind != MP_JSON_NULL)
            return bad(r, "notes", what);
    out->notes = v;
    return MP_OK;
}

mp_err mp_jsonl_line(mp_span text, const char *name, int line, mp_jsonl_shape *shape, mp_arena *a, mp_jsonl_graph *out)
{
    static const char *const keys[] = { "nodes",           "edges", "labels", "attributes", "x",     "y", "edge_labels",
                                        "edge_attributes", "split", "smiles", "id",         "notes", NULL };
    reader r = { name, NULL, a };
    const mp_json *nodes;
    mp_query *q = &out->query;
    *out = (mp_jsonl_graph){ .kind = MP_Y_NONE };
    MP_TRY(mp_json_parse_line(text, name, line, a, &r.line));
    out->line = r.line;
    MP_TRY(mp_json_need(r.line, "nodes", MP_JSON_NUMBER, name, &nodes));
    if (!nodes->exact || nodes->whole < 1 || nodes->whole > MOST_NODES)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"nodes\": expected a whole number from 1 to %d", name, line, MOST_NODES);
    MP_TRY(mp_json_only(r.line, keys, name));
    q->nodes = (int)nodes->whole;
    MP_TRY(take_edges(&r, q));
    MP_TRY(take_labels(&r, "labels", &shape->labels, q->nodes, "nodes", &q->labels));
    MP_TRY(take_reals(&r, "attributes", &shape->attributes, q->nodes, "nodes", &q->attributes));
    MP_TRY(take_reals(&r, "x", &shape->x, q->nodes, "nodes", &q->x));
    MP_TRY(take_labels(&r, "edge_labels", &shape->edge_labels, q->edges, "edges", &q->edge_labels));
    MP_TRY(take_reals(&r, "edge_attributes", &shape->edge_attributes, q->edges, "edges", &q->edge_attributes));
    MP_TRY(take_y(&r, out));
    MP_TRY(take_text(&r, "split", "expected the name of a part, such as \"train\"", &out->split));
    MP_TRY(take_text(&r, "smiles", "expected a molecule as a text", &out->smiles));
    MP_TRY(take_text(&r, "id", "expected a text", &out->id));
    return take_notes(&r, out);
}

static mp_err take_split_names(const mp_json *v, const char *name, mp_jsonl_head *out)
{
    int n = 0;
    if (v->kind != MP_JSON_ARRAY || v->count < 3 || v->count > MP_PARTS)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"splits\": expected 3 to %d names", name, v->line, MP_PARTS);
    memset(out->split, 0, sizeof out->split);
    for (const mp_json *item = v->first; item; item = item->next, n++) {
        bool word = item->kind == MP_JSON_STRING && item->bytes > 0 && item->bytes <= 32 && !strchr(item->text, ' ');
        if (!word)
            return mp_fail(MP_ERR_INPUT, "%s:%d: \"splits\": expected names of 1 to 32 characters without spaces", name,
                           item->line);
        out->split[n] = item->text;
    }
    return MP_OK;
}

static mp_err take_names(const mp_json *v, const char *name, mp_arena *a, mp_jsonl_head *out)
{
    if (!v) return MP_OK;
    if (v->kind != MP_JSON_ARRAY || v->count == 0)
        return mp_fail(MP_ERR_INPUT, "%s:%d: \"label_names\": expected a list of texts", name, v->line);
    const char **list = MP_NEW(a, const char *, v->count);
    for (const mp_json *item = v->first; item; item = item->next) {
        if (item->kind != MP_JSON_STRING)
            return mp_fail(MP_ERR_INPUT, "%s:%d: \"label_names\": expected a list of texts", name, item->line);
        list[out->names++] = item->text;
    }
    out->name = list;
    return MP_OK;
}

/* How many values each label column has: 0 to that less 1. */
static mp_err take_range(const mp_json *v, const char *key, const char *name, mp_arena *a, const int **range,
                         int *columns)
{
    if (!v) return MP_OK;
    mp_err e = mp_json_ints(v, 1, INT_MAX, name, a, range, columns);
    if (e == MP_OK && (*columns < 1 || *columns > MP_MAX_LABEL_COLUMNS))
        e = mp_fail(MP_ERR_INPUT, "%s:%d: \"%s\": expected 1 to %d numbers", name, v->line, key, MP_MAX_LABEL_COLUMNS);
    return e;
}

/* A name that could be one of a folder. */
static mp_err take_word(const mp_json *head, const char *key, const char *name, const char **out)
{
    const mp_json *v = mp_json_get(head, key);
    if (!v) return MP_OK;
    bool word =
        v->kind == MP_JSON_STRING && v->bytes > 0 && v->bytes <= 255 && !strchr(v->text, '/') && v->text[0] != '.';
    *out = v->kind == MP_JSON_STRING ? v->text : NULL;
    return word ? MP_OK
                : mp_fail(MP_ERR_INPUT, "%s:1: \"%s\": expected a name of 1 to 255 bytes without '/'", name, key);
}

mp_err mp_jsonl_first(mp_span text, const char *name, mp_arena *a, mp_jsonl_head *out, bool *found)
{
    static const char *const keys[] = { "dataset",     "splits",      "split_kind",       "folds",
                                        "label_names", "label_range", "edge_label_range", NULL };
    const mp_json *line, *set;
    *out = (mp_jsonl_head){ .split = { "train", "val", "test", "test-large", "test-large-c" } };
    *found = mp_json_parse(text, name, a, &line) == MP_OK && mp_json_get(line, "dataset");
    if (!*found) return MP_OK;
    MP_TRY(mp_json_only(line, keys, name));
    MP_TRY(mp_json_need(line, "dataset", MP_JSON_STRING, name, &set));
    out->dataset = set->text;
    out->folds = mp_json_get(line, "folds") != NULL;
    if (set->bytes == 0 || set->bytes > 255 || strchr(set->text, '/'))
        return mp_fail(MP_ERR_INPUT, "%s:1: \"dataset\": expected a name of 1 to 255 bytes without '/'", name);
    MP_TRY(take_word(line, "split_kind", name, &out->split_kind));
    MP_TRY(take_names(mp_json_get(line, "label_names"), name, a, out));
    MP_TRY(
        take_range(mp_json_get(line, "label_range"), "label_range", name, a, &out->label_range, &out->label_columns));
    MP_TRY(take_range(mp_json_get(line, "edge_label_range"), "edge_label_range", name, a, &out->edge_label_range,
                      &out->edge_label_columns));
    return mp_json_get(line, "splits") ? take_split_names(mp_json_get(line, "splits"), name, out) : MP_OK;
}
