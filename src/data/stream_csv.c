/* stream_csv.c - a table of molecules as a stream for a model. See mols.h.
 * SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/guard.h"
#include "chem/chem.h"
#include "data/mols.h"
#include "data/query.h"
#include "data/seal.h"

#include <inttypes.h>
#include <string.h>

#define PIECE          ((size_t)1 << 15) /* bytes */
#define NODES_TOGETHER (1 << 20)

typedef struct table {
    mp_stream stream;
    mp_mols mols;
    mp_feed feed;
    mp_csv place; /* of what was cut off */
} table;

static mp_err cut(mp_stream *s, mp_piece *p, bool *got)
{
    table *t = (table *)s;
    p->start = t->place.records - 1; /* the header is none of the rows */
    MP_TRY(mp_csv_cut(&t->place, &t->feed, PIECE, &p->text[0], &p->lines_before[0]));
    p->graphs = t->place.records - 1 - p->start;
    *got = p->text[0].n > 0;
    return MP_OK;
}

/* ---- reading ---- */

static mp_err read_molecule(const table *t, const mp_csv_record *r, mp_piece *p, mp_graph *g, mp_sparse *x)
{
    mp_molecule m;
    int unseen;
    MP_TRY(mp_molecule_read(r->field[t->mols.smiles], 0, p->scratch, &m));
    mp_query q = {
        .nodes = m.atoms, .edges = m.bonds, .from = m.from, .to = m.to, .labels = m.atom, .edge_labels = m.bond
    };
    return mp_query_build(t->mols.as->recipe, &q, p->memory, g, x, &unseen);
}

/* A row that is no molecule is noted, or ends the reading. */
static mp_err read_row(const table *t, const mp_csv_record *r, mp_piece *p, mp_row *row, mp_graph *g, mp_sparse *x,
                       double *label)
{
    *row = (mp_row){ .raw = r->raw, .line = r->line, .graph = -1 };
    mp_err e = read_molecule(t, r, p, &g[p->count], &x[p->count]);
    if (e != MP_OK && (t->mols.want.strict || e != MP_ERR_INPUT)) return mp_mols_blame(&t->mols, r, e);
    if (e != MP_OK) {
        row->why = mp_arena_text(p->memory, mp_message(), strlen(mp_message()));
        return MP_OK;
    }
    MP_TRY(mp_mols_known(&t->mols, r, label + (size_t)p->count * (size_t)t->mols.labels));
    row->graph = p->count++;
    return MP_OK;
}

/* Records one after the other, until they are many nodes: graphs that are answered together are in memory together. */
static mp_err read_piece(const mp_stream *s, mp_piece *p)
{
    const table *t = (const table *)s;
    mp_span rest = { p->text[0].p + p->at, p->text[0].n - p->at };
    mp_csv place = { .file = t->mols.file,
                     .lines = p->lines_before[0] + (int64_t)mp_newlines(p->text[0].p, p->at),
                     .columns = t->place.columns };
    int room = (int)mp_newlines(rest.p, rest.n) + 1, most = p->most ? p->most : room;
    int64_t nodes = 0;
    mp_row *row = MP_NEW_RAW(p->memory, mp_row, room);
    mp_graph *g = MP_NEW_RAW(p->memory, mp_graph, most);
    mp_sparse *x = MP_NEW_RAW(p->memory, mp_sparse, most);
    double *label = MP_NEW_RAW(p->memory, double, (size_t)most *(size_t)t->mols.labels + 1);
    mp_err e = MP_OK;
    bool got = true;
    p->data = (mp_dataset){ .name = t->mols.file };
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
    mp_piece_join(p, t->mols.as->recipe, g, x);
    if (t->mols.labels && p->count)
        p->data.seal = mp_seal_new(p->memory, p->count, (mp_labels){ .columns = t->mols.labels, .v = label });
    return e;
}

/* Rows know their lines; a graph by its number does not. */
static mp_err blame(const mp_stream *s, int64_t graph, mp_err e)
{
    return mp_fail_within(e, "%s: row %" PRId64, ((const table *)s)->mols.file, graph);
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
    const mp_recipe *r = t->mols.as->recipe;
    bool bonds = r->edge_label_columns == 0 || r->edge_label_columns == MP_BOND_COLUMNS;
    if (r->label_columns == MP_ATOM_COLUMNS && bonds && !r->attributes && !r->edge_attributes) return MP_OK;
    return mp_fail(MP_ERR_INPUT,
                   "%s: the model reads other features than molecules have: it was trained on other graphs",
                   t->mols.file);
}

static mp_err read_head(table *t, const mp_dataset_as *as, mp_arena *a)
{
    mp_buf text = { 0 };
    mp_csv place = { .file = t->place.file };
    mp_err e;
    do { /* empty lines are no header */
        e = mp_csv_cut(&t->place, &t->feed, 1, &text, &place.lines);
    } while (e == MP_OK && text.n && t->place.records == 0);
    mp_span rest = { mp_arena_text(a, text.p ? text.p : "", text.n), text.n };
    mp_buf_free(&text);
    MP_TRY(e);
    MP_TRY(mp_mols_head(&place, &rest, as, a, &t->stream.header, &t->mols));
    t->place.columns = place.columns;
    MP_TRY(check_recipe(t));
    return mp_chem_load();
}

mp_err mp_stream_csv(const char *name, mp_tap tap, const mp_dataset_as *as, mp_arena *a, mp_stream **out)
{
    table *t = mp_get_zero(1, sizeof *t);
    if (!t) {
        tap.close(tap.state);
        return mp_no_memory(sizeof *t);
    }
    *t = (table){ .stream = { .cut = cut, .read = read_piece, .blame = blame, .close = close_table },
                  .place = { .file = name } };
    mp_feed_open(&t->feed, tap);
    mp_err e = read_head(t, as, a);
    if (e != MP_OK) close_table(&t->stream);
    *out = e == MP_OK ? &t->stream : NULL;
    return e;
}
