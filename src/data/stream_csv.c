/* stream_csv.c - see stream_csv.h.
 * SPDX-License-Identifier: MIT */
#include "data/stream_csv.h"
#include "base/alloc.h"
#include "base/guard.h"
#include "chem/chem.h"
#include "data/query.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECE          ((size_t)1 << 15) /* bytes */
#define NODES_TOGETHER (1 << 20)

typedef struct table {
    mp_stream stream;
    const char *name; /* opens messages */
    const mp_dataset_as *as;
    mp_feed feed;
    mp_csv place;     /* of what was cut off */
    int64_t rows;     /* cut off so far */
    int smiles;       /* which column */
    const int *label; /* as->targets columns; NULL: there are no labels */
    bool strict;
} table;

/* ---- cutting ---- */

/* Of whole records; one that is broken off is seen when they are read. */
static int count_records(const table *t, const mp_buf *text, mp_arena *scratch)
{
    mp_csv place = { .file = t->name };
    mp_span rest = { text->p, text->n };
    mp_csv_record r;
    bool got = true;
    int n = 0;
    while (got && mp_csv_next(&place, &rest, scratch, &r, &got) == MP_OK) {
        n += got;
        mp_arena_reset(scratch);
    }
    return n;
}

static mp_err cut(mp_stream *s, mp_piece *p, bool *got)
{
    table *t = (table *)s;
    MP_TRY(mp_csv_cut(&t->place, &t->feed, PIECE, &p->text[0], &p->lines_before[0]));
    *got = p->text[0].n > 0;
    p->start = t->rows;
    t->rows += count_records(t, &p->text[0], p->scratch);
    return MP_OK;
}

/* ---- reading ---- */

static mp_err read_molecule(const table *t, const mp_csv_record *r, mp_piece *p, mp_graph *g, mp_sparse *x)
{
    mp_molecule m;
    int unseen;
    MP_TRY(mp_molecule_read(r->field[t->smiles], 0, p->scratch, &m));
    mp_query q = {
        .nodes = m.atoms, .edges = m.bonds, .from = m.from, .to = m.to, .labels = m.atom, .edge_labels = m.bond
    };
    return mp_query_build(t->as->recipe, &q, p->memory, g, x, &unseen);
}

static void read_labels(const table *t, const mp_csv_record *r, double *out)
{
    for (int i = 0; i < t->as->targets; i++)
        if (!mp_to_real(mp_trim(r->field[t->label[i]]), &out[i])) out[i] = (double)NAN;
}

/* A row that is no molecule is noted, or ends the reading. */
static mp_err read_row(const table *t, const mp_csv_record *r, mp_piece *p, mp_row *row, mp_graph *g, mp_sparse *x,
                       double *label)
{
    *row = (mp_row){ .raw = r->raw, .line = r->line, .graph = -1 };
    mp_err e = read_molecule(t, r, p, &g[p->count], &x[p->count]);
    if (e != MP_OK && (t->strict || e != MP_ERR_INPUT)) return mp_fail_within(e, "%s:%" PRId64, t->name, row->line);
    if (e != MP_OK) {
        row->why = mp_arena_text(p->memory, mp_message(), strlen(mp_message()));
        return MP_OK;
    }
    if (t->label) read_labels(t, r, label + (size_t)p->count * (size_t)t->as->targets);
    row->graph = p->count++;
    return MP_OK;
}

static mp_err seal(const table *t, mp_piece *p, const double *label)
{
    if (!t->label || p->count == 0) return MP_OK;
    mp_raw raw = { .name = t->name, .graphs = p->data.graphs, .target = label, .target_columns = t->as->targets };
    return mp_dataset_seal(&raw, t->as, p->memory, &p->data);
}

/* Records one after the other, until they are many nodes: graphs that are answered together are in memory together. */
static mp_err read_piece(const mp_stream *s, mp_piece *p)
{
    const table *t = (const table *)s;
    mp_span rest = { p->text[0].p + p->at, p->text[0].n - p->at };
    mp_csv place = { .file = t->name,
                     .lines = p->lines_before[0] + (int64_t)mp_newlines(p->text[0].p, p->at),
                     .columns = t->place.columns };
    int room = (int)mp_newlines(rest.p, rest.n) + 1, most = p->most ? p->most : room;
    int64_t nodes = 0;
    mp_row *row = MP_NEW_RAW(p->memory, mp_row, room);
    mp_graph *g = MP_NEW_RAW(p->memory, mp_graph, most);
    mp_sparse *x = MP_NEW_RAW(p->memory, mp_sparse, most);
    double *label = t->label ? MP_NEW_RAW(p->memory, double, (size_t)most *(size_t)t->as->targets) : NULL;
    mp_err e = MP_OK;
    bool got = true;
    p->data = (mp_dataset){ .name = t->name };
    p->first += p->rows;
    p->row = row;
    p->from = p->count = p->rows = 0;
    while (e == MP_OK && p->count < most && nodes < NODES_TOGETHER) {
        mp_csv_record r;
        mp_arena_reset(p->scratch);
        e = mp_csv_next(&place, &rest, p->scratch, &r, &got);
        if (e != MP_OK || !got) break;
        e = read_row(t, &r, p, &row[p->rows], g, x, label);
        if (e != MP_OK) break;
        if (row[p->rows++].graph >= 0) nodes += g[p->count - 1].nodes;
    }
    p->at = p->text[0].n - rest.n;
    p->more = rest.n > 0;
    mp_piece_join(p, t->as->recipe, g, x);
    mp_err sealed = seal(t, p, label);
    return e == MP_OK ? sealed : e;
}

/* Rows know their lines; a graph by its number does not. */
static mp_err blame(const mp_stream *s, int64_t graph, mp_err e)
{
    return mp_fail_within(e, "%s: row %" PRId64, ((const table *)s)->name, graph);
}

static void close_table(mp_stream *s)
{
    mp_feed_close(&((table *)s)->feed);
    mp_put(s);
}

/* ---- opening ---- */

/* What OGB's features of atoms and bonds are, and nothing else. */
static mp_err check_recipe(const table *t)
{
    const mp_recipe *r = t->as->recipe;
    bool bonds = r->edge_label_columns == 0 || r->edge_label_columns == MP_BOND_COLUMNS;
    if (r->label_columns == MP_ATOM_COLUMNS && bonds && !r->attributes && !r->edge_attributes) return MP_OK;
    return mp_fail(MP_ERR_INPUT,
                   "%s: the model reads other features than molecules have: it was trained on other graphs", t->name);
}

static mp_err find_smiles(table *t, const mp_csv_head *h, mp_arena *a)
{
    const char *wanted = t->as->columns ? t->as->columns->smiles : NULL;
    t->smiles = mp_csv_column(h, wanted ? wanted : "smiles");
    for (int i = 0; !wanted && t->smiles < 0 && i < h->columns; i++)
        if (mp_same_letters(h->name[i], "smiles")) t->smiles = i;
    if (t->smiles >= 0) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "%s:1: no column '%s' for molecules (--smiles names it); there are %s", t->name,
                   wanted ? wanted : "smiles", mp_csv_list(h, a));
}

static void find_labels(table *t, const char *const *label, const mp_csv_head *h, mp_arena *a)
{
    int n = t->as->targets, *column = MP_NEW(a, int, n + 1);
    if (!label || t->as->classes) return;
    for (int i = 0; i < n; i++) {
        column[i] = mp_csv_column(h, label[i]);
        if (column[i] < 0) return;
    }
    t->label = column;
}

static mp_err read_head(table *t, const char *const *label, mp_arena *a, mp_csv_stream_head *head)
{
    mp_buf text = { 0 };
    mp_csv_record first;
    bool got = false;
    int64_t before;
    MP_TRY(check_recipe(t));
    MP_TRY(mp_chem_load());
    mp_err e = mp_csv_cut(&t->place, &t->feed, 1, &text, &before);
    char *copy = mp_arena_text(a, text.p ? text.p : "", text.n);
    mp_span rest = { copy, text.n };
    mp_csv place = { .file = t->name };
    mp_buf_free(&text);
    MP_TRY(e);
    MP_TRY(mp_csv_next(&place, &rest, a, &first, &got));
    if (!got) return mp_fail(MP_ERR_INPUT, "%s:1: expected a line with the names of columns", t->name);
    MP_TRY(mp_csv_names(&t->place, &first, a, &head->names));
    head->raw = first.raw;
    find_labels(t, label, &head->names, a);
    return find_smiles(t, &head->names, a);
}

mp_err mp_stream_csv(const char *name, mp_tap tap, const mp_dataset_as *as, const char *const *label, mp_arena *a,
                     mp_csv_stream_head *head, mp_stream **out)
{
    table *t = mp_get_zero(1, sizeof *t);
    if (!t) {
        tap.close(tap.state);
        return mp_no_memory(sizeof *t);
    }
    *t = (table){ .stream = { cut, read_piece, blame, close_table },
                  .name = name,
                  .as = as,
                  .place = { .file = name },
                  .strict = as->columns && as->columns->strict };
    mp_feed_open(&t->feed, tap);
    mp_err e = read_head(t, label, a, head);
    if (e != MP_OK) close_table(&t->stream);
    *out = e == MP_OK ? &t->stream : NULL;
    return e;
}
