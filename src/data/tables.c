/* tables.c - see tables.h.
 *
 * Tables of nodes and edges are gone through twice: whether a column is one of numbers is known when all its fields were seen.
 * SPDX-License-Identifier: MIT */
#include "data/tables.h"
#include "data/csv.h"

#include <string.h>

const char *const mp_tables_file[MP_FRAME_PARTS] = { "graphs.csv", "nodes.csv", "edges.csv" };

/* What the columns are called that name graphs and nodes, the first that is there, in any case of letters. */
enum { GRAPH, FIRST, SECOND, IDS };
static const char *const id_names[MP_FRAME_PARTS][IDS] = {
    { "graph_id, graph, id", NULL, NULL },
    { "graph_id, graph", "node_id, node, id", NULL },
    { "graph_id, graph", "source, src, from", "target, dst, to" },
};

typedef struct sheet { /* one of the tables */
    mp_frame_part part;
    mp_csv csv; /* behind the header */
    mp_span text;
    mp_csv_head head;
    int id[IDS];
    mp_frame_kind *kind; /* a column of the file each */
    int *column;         /* of the frame; -1: it is none of its columns */
} sheet;

typedef struct reader {
    mp_frame *f;
    mp_arena *text, *scratch;
    bool graphs; /* there is a table of graphs: it lists them all */
} reader;

static int column_called(const mp_csv_head *h, const char *names, mp_arena *a)
{
    mp_span rest = mp_span_of(names), word;
    while (mp_next_field(&rest, ',', &word))
        for (int k = 0; k < h->columns; k++)
            if (mp_same_letters(h->name[k], mp_arena_text(a, word.p, word.n))) return k;
    return -1;
}

static mp_err open_sheet(const reader *r, const mp_tables *t, mp_frame_part part, sheet *out)
{
    mp_csv_record first;
    bool got;
    *out = (sheet){ .part = part, .csv = { .file = t->file[part] }, .text = t->text[part] };
    MP_TRY(mp_csv_next(&out->csv, &out->text, r->text, &first, &got));
    if (!got) return mp_fail(MP_ERR_INPUT, "%s: is empty; expected a header with the names of columns", t->file[part]);
    MP_TRY(mp_csv_names(&out->csv, &first, r->text, &out->head));
    for (int i = 0; i < IDS && id_names[part][i]; i++) {
        out->id[i] = column_called(&out->head, id_names[part][i], r->text);
        if (out->id[i] < 0)
            return mp_fail(MP_ERR_INPUT, "%s:%lld: expected a column called one of %s; it has %s", t->file[part],
                           (long long)first.line, id_names[part][i], mp_csv_list(&out->head, r->text));
    }
    return MP_OK;
}

static mp_err next(const reader *r, sheet *s, mp_csv_record *out, bool *got)
{
    mp_arena_reset(r->scratch);
    return mp_csv_next(&s->csv, &s->text, r->scratch, out, got);
}

static bool is_id(const sheet *s, int column)
{
    for (int i = 0; i < IDS && id_names[s->part][i]; i++)
        if (s->id[i] == column) return true;
    return false;
}

/* A field that says nothing: it does not make words of a column of numbers. */
static bool is_missing(mp_span field)
{
    char word[4] = "";
    if (field.n < sizeof word) memcpy(word, field.p, field.n);
    return field.n == 0 || mp_same_letters(word, "nan") || mp_same_letters(word, "na");
}

/* Whether there is nothing but numbers in each of the columns marked. */
static mp_err look_for_words(const reader *r, sheet s, const bool *open, mp_frame_kind *kind)
{
    bool got, *numbers = MP_NEW(r->text, bool, s.head.columns);
    mp_csv_record c;
    for (;;) {
        MP_TRY(next(r, &s, &c, &got));
        if (!got) break;
        for (int k = 0; k < s.head.columns; k++) {
            double v;
            if (!open[k] || kind[k] == MP_FRAME_WORD) continue;
            mp_span field = mp_trim(c.field[k]);
            if (mp_to_real(field, &v))
                numbers[k] = true;
            else if (!is_missing(field))
                kind[k] = MP_FRAME_WORD;
        }
    }
    for (int k = 0; k < s.head.columns; k++)
        if (open[k] && !numbers[k]) kind[k] = MP_FRAME_WORD;
    return MP_OK;
}

static mp_err settle_columns(const reader *r, sheet *s)
{
    int n = s->head.columns;
    bool any = false, *open = MP_NEW(r->text, bool, n);
    mp_frame_kind *kind = MP_NEW(r->text, mp_frame_kind, n);
    s->column = MP_NEW(r->text, int, n);
    for (int k = 0; k < n; k++) {
        bool wanted = !is_id(s, k) && mp_frame_wants(r->f, s->part, s->head.name[k]);
        s->column[k] = wanted ? 0 : -1;
        open[k] = wanted && !mp_frame_known(r->f, s->part, s->head.name[k], &kind[k]);
        if (open[k]) kind[k] = MP_FRAME_NUMBER;
        any = any || open[k];
    }
    if (any) MP_TRY(look_for_words(r, *s, open, kind));
    for (int k = 0; k < n; k++)
        if (s->column[k] >= 0) s->column[k] = mp_frame_make_column(r->f, s->part, s->head.name[k], kind[k]);
    return MP_OK;
}

static mp_err need_id(const sheet *s, const mp_csv_record *c, int id, mp_span *out)
{
    *out = mp_trim(c->field[s->id[id]]);
    if (out->n) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%lld: column '%.80s' is empty", s->csv.file, (long long)c->line,
                   s->head.name[s->id[id]]);
}

/* The graph of a node or edge; without a table of graphs it may be a new one. */
static mp_err graph_of(const reader *r, const sheet *s, const mp_csv_record *c, int *graph)
{
    mp_span id;
    MP_TRY(need_id(s, c, GRAPH, &id));
    *graph = mp_frame_find(r->f, id);
    if (*graph >= 0) return MP_OK;
    if (!r->graphs) return mp_frame_graph(r->f, id, c->line, graph);
    return mp_fail(MP_ERR_INPUT, "%s:%lld: graph '%.*s' is not in %s", s->csv.file, (long long)c->line,
                   (int)(id.n < 40 ? id.n : 40), id.p, mp_tables_file[MP_FRAME_GRAPHS]);
}

static mp_err put_row(const reader *r, const sheet *s, const mp_csv_record *c)
{
    mp_span first, second;
    int graph;
    if (s->part == MP_FRAME_GRAPHS) {
        MP_TRY(need_id(s, c, GRAPH, &first));
        return mp_frame_graph(r->f, first, c->line, &graph);
    }
    MP_TRY(graph_of(r, s, c, &graph));
    MP_TRY(need_id(s, c, FIRST, &first));
    if (s->part == MP_FRAME_NODES) return mp_frame_node(r->f, graph, first, c->line);
    MP_TRY(need_id(s, c, SECOND, &second));
    return mp_frame_edge(r->f, graph, first, second, c->line);
}

static mp_err read_sheet(const reader *r, const mp_tables *t, mp_frame_part part)
{
    sheet s;
    mp_csv_record c;
    bool got;
    MP_TRY(open_sheet(r, t, part, &s));
    MP_TRY(settle_columns(r, &s));
    mp_frame_file(r->f, t->file[part]);
    for (;;) {
        MP_TRY(next(r, &s, &c, &got));
        if (!got) return MP_OK;
        MP_TRY(put_row(r, &s, &c));
        for (int k = 0; k < s.head.columns; k++)
            if (s.column[k] >= 0) MP_TRY(mp_frame_set(r->f, part, s.column[k], c.field[k], c.line));
    }
}

static mp_err read_all(const mp_tables *t, const mp_dataset_as *as, reader *r, mp_arena *keep, mp_raw *out)
{
    r->f = mp_frame_new(as, r->text);
    r->graphs = t->file[MP_FRAME_GRAPHS] != NULL;
    if (!t->file[MP_FRAME_NODES]) mp_frame_open(r->f);
    for (int p = 0; p < MP_FRAME_PARTS; p++)
        if (t->file[p]) MP_TRY(read_sheet(r, t, (mp_frame_part)p));
    return mp_frame_finish(r->f, t->where, keep, out);
}

mp_err mp_tables_parse(const mp_tables *t, const mp_dataset_as *as, mp_arena *text, mp_arena *keep, mp_raw *out)
{
    reader r = { .text = text, .scratch = mp_arena_new(1 << 14) };
    mp_err e = read_all(t, as, &r, keep, out);
    mp_arena_free(r.scratch);
    return e;
}
