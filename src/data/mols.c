/* mols.c - see mols.h.
 *
 * Atoms and bonds of all molecules are put one behind the other in growing arrays, with nodes numbered through, and made one
 * graph at the end: a molecule is a component of it.
 * SPDX-License-Identifier: MIT */
#include "data/mols.h"
#include "base/guard.h"
#include "chem/chem.h"
#include "data/class_names.h"
#include "data/edge_values.h"
#include "data/query.h"
#include "data/rules.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- columns ---- */

static bool by_model(const mp_mols *t)
{
    return t->as && t->as->recipe;
}

/* A column by the name that was asked for. */
static mp_err named_column(const mp_mols *t, const char *option, const char *name, mp_arena *a, int *out)
{
    *out = mp_csv_column(&t->head, name);
    if (*out >= 0) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "%s: %s has no column '%.80s'; it has %s", option, t->file, name,
                   mp_csv_list(&t->head, a));
}

/* The one column that is called as columns of SMILES usually are. */
static mp_err usual_smiles(const mp_mols *t, mp_arena *a, int *out)
{
    *out = -1;
    for (int i = 0; i < t->head.columns; i++) {
        mp_span rest = mp_span_of(MP_SMILES_NAMES), word;
        while (mp_next_field(&rest, ',', &word)) {
            if (!mp_same_letters(t->head.name[i], mp_arena_text(a, word.p, word.n))) continue;
            if (*out >= 0)
                return mp_fail(MP_ERR_USAGE, "%s: '%s' and '%s' may both be SMILES; say which with --smiles", t->file,
                               t->head.name[*out], t->head.name[i]);
            *out = i;
        }
    }
    if (*out >= 0) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "%s: no column is called " MP_SMILES_NAMES "; say which it is with --smiles: %s",
                   t->file, mp_csv_list(&t->head, a));
}

static mp_err asked_labels(mp_mols *t, mp_arena *a)
{
    mp_span rest = mp_span_of(t->want.labels), word;
    int room = 1;
    for (const char *p = t->want.labels; *p; p++) room += *p == ',';
    int *column = MP_NEW_RAW(a, int, room);
    const char **name = MP_NEW_RAW(a, const char *, room);
    while (mp_next_field(&rest, ',', &word)) {
        name[t->labels] = mp_arena_text(a, word.p, word.n);
        MP_TRY(named_column(t, "--label", name[t->labels], a, &column[t->labels]));
        if (column[t->labels] == t->smiles)
            return mp_fail(MP_ERR_USAGE, "--label: '%.80s' is the column of SMILES", name[t->labels]);
        t->labels++;
    }
    t->label = column;
    t->label_name = name;
    int known = by_model(t) ? t->as->targets : 0;
    if (known && known != t->labels)
        return mp_fail(MP_ERR_USAGE, "--label: %d columns; the model knows %d", t->labels, known);
    return MP_OK;
}

/* Those a model has the names of, if the table has any of them. */
static void known_labels(mp_mols *t, mp_arena *a)
{
    int targets = t->as && t->as->target_name ? t->as->targets : 0, there = 0;
    int *column = MP_NEW_RAW(a, int, targets);
    for (int k = 0; k < targets; k++) {
        column[k] = mp_csv_column(&t->head, t->as->target_name[k]);
        there += column[k] >= 0;
    }
    if (!there) return;
    t->labels = targets;
    t->label = column;
    t->label_name = t->as->target_name;
}

/* By the names in the header and what `as` says of them. */
static mp_err settle(const char *file, const mp_csv_head *head, const mp_dataset_as *as, mp_arena *a, mp_mols *out)
{
    *out = (mp_mols){ .file = file, .as = as, .head = *head, .note = -1 };
    if (as && as->columns) out->want = *as->columns;
    if (out->want.split) MP_TRY(mp_rule_check("--split", out->want.split));
    MP_TRY(out->want.smiles ? named_column(out, "--smiles", out->want.smiles, a, &out->smiles)
                            : usual_smiles(out, a, &out->smiles));
    out->id = mp_csv_column(head, "mol_id");
    const char *note = out->want.split ? mp_rule_column(out->want.split) : NULL;
    if (note) MP_TRY(named_column(out, "--split", note, a, &out->note));
    if (out->want.note) MP_TRY(named_column(out, "--by", out->want.note, a, &out->note));
    if (out->want.labels) return asked_labels(out, a);
    known_labels(out, a);
    if (out->labels || !out->want.labelled) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "%s: say with --label which columns are to be learned: %s", file,
                   mp_csv_list(head, a));
}

/* ---- labels ---- */

static bool missing(mp_span field)
{
    char word[4] = "";
    if (field.n < sizeof word) memcpy(word, field.p, field.n);
    return field.n == 0 || mp_same_letters(word, "nan") || mp_same_letters(word, "na");
}

static mp_span label_field(const mp_mols *t, const mp_csv_record *r, int k)
{
    return t->label[k] < 0 ? (mp_span){ "", 0 } : mp_trim(r->field[t->label[k]]);
}

static mp_err bad_label(const mp_mols *t, const mp_csv_record *r, int k, const char *expected)
{
    mp_span got = label_field(t, r, k);
    return mp_fail(MP_ERR_INPUT, "%s:%lld: column '%.80s': expected %s, got '%.*s'", t->file, (long long)r->line,
                   t->label_name[k], expected, (int)(got.n < 40 ? got.n : 40), got.p);
}

static bool is_number(mp_span field, double *v)
{
    return mp_to_real(field, v) && isfinite((float)*v);
}

/* Which of the model's classes, or of no and yes, a field says, by its name or its value; -1: none. */
static int class_said(const mp_dataset_as *as, mp_span field)
{
    double v;
    for (int c = 0; c < mp_dataset_as_names(as); c++)
        if (strlen(as->class_name[c]) == field.n && memcmp(as->class_name[c], field.p, field.n) == 0) return c;
    bool whole = is_number(field, &v) && fabs(v) < 9e15 && v == rint(v);
    return whole && as->classes ? mp_class_of(as->class_value, as->classes, (int64_t)v) : -1;
}

static mp_err known_label(const mp_mols *t, const mp_csv_record *r, int k, double *out)
{
    const mp_dataset_as *as = t->as;
    mp_span field = label_field(t, r, k);
    int class = class_said(as, field);
    *out = class < 0 ? (double)NAN : class;
    if (class >= 0 || missing(field)) return MP_OK;
    if (as->classes || (as->class_name && !mp_to_real(field, out)))
        return mp_fail(MP_ERR_INPUT, "%s:%lld: column '%.80s': the model knows no class '%.*s'", t->file,
                       (long long)r->line, t->label_name[k], (int)(field.n < 40 ? field.n : 40), field.p);
    if (!is_number(field, out)) return bad_label(t, r, k, "a number, or nothing");
    if (!as->task || !as->task->fits || as->task->fits(*out)) return MP_OK;
    return bad_label(t, r, k, as->task->yes_no ? "0, 1, or nothing" : "a whole number, or nothing");
}

mp_err mp_mols_known(const mp_mols *t, const mp_csv_record *r, double *out)
{
    for (int k = 0; k < t->labels; k++) MP_TRY(known_label(t, r, k, &out[k]));
    return MP_OK;
}

mp_err mp_mols_blame(const mp_mols *t, const mp_csv_record *r, mp_err e)
{
    mp_span smiles = mp_trim(r->field[t->smiles]);
    int n = (int)(smiles.n < 60 ? smiles.n : 60);
    return mp_fail_within(e, "%s:%lld: '%.*s%s'", t->file, (long long)r->line, n, smiles.p,
                          smiles.n > (size_t)n ? "..." : "");
}

/* ---- rows ---- */

typedef struct pile { /* all molecules so far */
    const mp_mols *t;
    mp_arena *scratch, *keep;
    int64_t nodes;
    int graphs;
    bool words;                                  /* the one label is a word, as the first of them was */
    int64_t first_label;                         /* line of that; 0: none so far */
    mp_buf node_end, atom, from, to, bond, line; /* int */
    mp_buf smiles, id, scaffold, word, note;     /* const char * */
    mp_buf target;                               /* double */
    mp_left left;
} pile;

static void put_ints(mp_buf *b, const int *v, int n)
{
    mp_buf_add(b, v, (size_t)n * sizeof *v);
}

static void put_text(mp_buf *b, mp_span text, mp_arena *a)
{
    const char *copy = mp_arena_text(a, text.p, text.n);
    mp_buf_add(b, &copy, sizeof copy);
}

/* What was gathered, in the arena. */
static const void *taken(const mp_buf *b, mp_arena *a)
{
    void *v = mp_arena_raw(a, b->n + 1, 1);
    if (b->n) memcpy(v, b->p, b->n);
    return v;
}

/* The one label as a word, where labels may be words and the first was one. */
static mp_err take_word(pile *p, const mp_csv_record *r, mp_span field)
{
    double number;
    if (missing(field)) return bad_label(p->t, r, 0, "the name of a class, which cannot be missing");
    if (mp_to_real(field, &number)) return bad_label(p->t, r, 0, "a word, as in the rows before");
    put_text(&p->word, field, p->keep);
    return MP_OK;
}

/* Label k where no model says what it may be. */
static mp_err take_label(pile *p, const mp_csv_record *r, int k)
{
    const mp_mols *t = p->t;
    mp_span field = label_field(t, r, k);
    double v = (double)NAN;
    bool absent = missing(field), number = !absent && mp_to_real(field, &v);
    if (!absent && !p->first_label) {
        p->words = !number && t->labels == 1;
        p->first_label = r->line;
        if (p->words && p->graphs) return bad_label(t, r, k, "a number, or a class in every row before");
    }
    if (p->words) return take_word(p, r, field);
    if (!absent && !is_number(field, &v)) return bad_label(t, r, k, "a number, or nothing");
    mp_buf_add(&p->target, &v, sizeof v);
    return MP_OK;
}

static mp_err take_labels(pile *p, const mp_csv_record *r)
{
    const mp_mols *t = p->t;
    if (by_model(t)) {
        double *v = MP_NEW_RAW(p->scratch, double, t->labels);
        MP_TRY(mp_mols_known(t, r, v));
        mp_buf_add(&p->target, v, (size_t)t->labels * sizeof *v);
        return MP_OK;
    }
    for (int k = 0; k < t->labels; k++) MP_TRY(take_label(p, r, k));
    return MP_OK;
}

static mp_err leave_out(pile *p, const mp_csv_record *r)
{
    mp_err e = mp_mols_blame(p->t, r, MP_ERR_INPUT);
    if (p->t->want.strict) return e;
    if (p->left.count < MP_LEFT_SAID)
        p->left.text[p->left.count] = mp_arena_text(p->keep, mp_message(), strlen(mp_message()));
    p->left.count++;
    return MP_OK;
}

static void put_molecule(pile *p, const mp_molecule *m)
{
    int end = (int)(p->nodes + m->atoms);
    put_ints(&p->node_end, &end, 1);
    put_ints(&p->atom, m->atom, m->atoms * MP_ATOM_COLUMNS);
    put_ints(&p->bond, m->bond, m->bonds * MP_BOND_COLUMNS);
    for (int b = 0; b < m->bonds; b++) {
        int from = (int)p->nodes + m->from[b], to = (int)p->nodes + m->to[b];
        put_ints(&p->from, &from, 1);
        put_ints(&p->to, &to, 1);
    }
    if (m->scaffold) put_text(&p->scaffold, mp_span_of(m->scaffold), p->keep);
    p->nodes = end;
    p->graphs++;
}

static bool by_scaffold(const mp_mols *t)
{
    return !by_model(t) && (!t->want.split || mp_rule_needs_scaffolds(t->want.split));
}

static mp_err put_record(pile *p, const mp_csv_record *r)
{
    const mp_mols *t = p->t;
    mp_molecule m;
    mp_span smiles = mp_trim(r->field[t->smiles]);
    mp_err e = mp_molecule_read(smiles, by_scaffold(t) ? MP_MOLECULE_SCAFFOLD : 0, p->scratch, &m);
    if (r->line > INT_MAX) return mp_fail(MP_ERR_LIMIT, "%s: more than %d lines", t->file, INT_MAX);
    if (e == MP_ERR_INPUT) return leave_out(p, r);
    MP_TRY(e);
    if (p->nodes + m.atoms > MP_MOST_COUNT / 4)
        return mp_fail(MP_ERR_LIMIT, "%s:%lld: more than %d atoms", t->file, (long long)r->line, MP_MOST_COUNT / 4);
    MP_TRY(take_labels(p, r));
    int line = (int)r->line;
    put_ints(&p->line, &line, 1);
    put_text(&p->smiles, smiles, p->keep);
    if (t->id >= 0) put_text(&p->id, r->field[t->id], p->keep);
    if (t->note >= 0) put_text(&p->note, mp_trim(r->field[t->note]), p->keep);
    put_molecule(p, &m);
    return MP_OK;
}

/* ---- one graph of all ---- */

static mp_err put_structure(pile *p, mp_raw *raw)
{
    mp_arena *a = p->keep;
    int bonds = (int)(p->from.n / sizeof(int)), *node_ptr = MP_NEW(a, int, p->graphs + 1);
    mp_query all = { .nodes = (int)p->nodes,
                     .edges = bonds,
                     .from = (const int *)p->from.p,
                     .to = (const int *)p->to.p,
                     .edge_labels = (const int *)p->bond.p };
    mp_graph g;
    mp_query_graph(&all, a, &g);
    memcpy(node_ptr + 1, p->node_end.p, p->node_end.n);
    raw->graphs = mp_graph_of(a, p->graphs, node_ptr, g.row_ptr, g.col, g.rev);
    if (!mp_dataset_wants_bonds(p->t->as)) {
        raw->edge_columns_unread = MP_BOND_COLUMNS;
        return MP_OK;
    }
    if (mp_dataset_wants_all(p->t->as)) {
        int *list = MP_NEW_RAW(a, int, bonds);
        mp_edge_places(&raw->graphs, bonds, all.from, all.to, MP_NEW_RAW(p->scratch, bool, raw->graphs.edges), list);
        raw->edge_list = list;
    }
    raw->edge_label_range = mp_bond_range;
    return mp_query_edge_values(&all, 0, MP_BOND_COLUMNS, p->scratch, a, raw);
}

/* A model of classes wants all labels of a part or none. */
static void put_classes(const pile *p, const double *class, mp_raw *raw)
{
    const mp_dataset_as *as = p->t->as;
    int64_t *label = MP_NEW_RAW(p->keep, int64_t, p->graphs);
    for (int i = 0; i < p->graphs; i++) {
        if (isnan(class[i])) return;
        label[i] = as->class_value[(int)class[i]];
    }
    raw->graph_label = label;
    raw->class_name = as->class_name;
    raw->class_names = mp_dataset_as_names(as);
}

static void put_answers(const pile *p, mp_raw *raw)
{
    const mp_mols *t = p->t;
    const double *target = taken(&p->target, p->keep);
    raw->target_name = t->label_name;
    if (by_model(t) && t->as->classes) {
        put_classes(p, target, raw);
    } else if (p->words) {
        mp_class_names(taken(&p->word, p->keep), p->graphs, NULL, p->keep, raw);
    } else {
        raw->target = target;
        raw->target_columns = t->labels;
    }
}

static mp_err finish(pile *p, mp_mols_rows *out)
{
    mp_arena *a = p->keep;
    mp_raw *raw = &out->raw;
    raw->left = p->left;
    raw->file = p->t->file;
    if (p->graphs == 0) return MP_OK;
    raw->line = taken(&p->line, a);
    raw->label_columns = MP_ATOM_COLUMNS;
    raw->labels = taken(&p->atom, a);
    raw->label_range = mp_atom_range;
    raw->smiles = taken(&p->smiles, a);
    if (p->id.n) raw->id = taken(&p->id, a);
    if (p->scaffold.n) out->scaffold = taken(&p->scaffold, a);
    if (p->note.n) {
        raw->notes = 1;
        raw->note = taken(&p->note, a);
        raw->note_name = &p->t->head.name[p->t->note];
    }
    if (p->t->labels) put_answers(p, raw);
    return put_structure(p, raw);
}

/* The records behind the header. */
static mp_err read_rows(const mp_mols *t, mp_csv *csv, mp_span text, mp_arena *scratch, mp_arena *a, mp_mols_rows *out)
{
    pile p = { .t = t, .scratch = scratch, .keep = a };
    mp_buf *const all[] = { &p.node_end, &p.atom,     &p.from, &p.to,     &p.bond, &p.line,
                            &p.smiles,   &p.scaffold, &p.word, &p.target, &p.note, &p.id };
    mp_err e = MP_OK;
    *out = (mp_mols_rows){ .raw = { .name = t->file } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) all[i]->local = true;
    for (;;) {
        mp_csv_record r;
        bool got;
        mp_arena_reset(scratch);
        e = mp_csv_next(csv, &text, scratch, &r, &got);
        if (e != MP_OK || !got) break;
        e = put_record(&p, &r);
        if (e != MP_OK) break;
    }
    mp_arena_reset(scratch);
    if (e == MP_OK) e = finish(&p, out);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mp_buf_free(all[i]);
    return e;
}

/* ---- a whole table ---- */

mp_err mp_mols_head(mp_csv *csv, mp_span *text, const mp_dataset_as *as, mp_arena *a, mp_span *raw, mp_mols *out)
{
    mp_csv_record first;
    mp_csv_head head;
    bool got;
    MP_TRY(mp_csv_next(csv, text, a, &first, &got));
    if (!got) return mp_fail(MP_ERR_INPUT, "%s: is empty; expected a header with the names of columns", csv->file);
    MP_TRY(mp_csv_names(csv, &first, a, &head));
    *raw = first.raw;
    return settle(csv->file, &head, as, a, out);
}

static mp_err read_text(const char *file, mp_span text, const mp_dataset_as *as, mp_arena *scratch, mp_arena *a,
                        mp_raw *out)
{
    mp_csv csv = { .file = file };
    mp_span header;
    mp_mols t;
    mp_mols_rows rows;
    MP_TRY(mp_mols_head(&csv, &text, as, a, &header, &t));
    MP_TRY(mp_chem_load());
    MP_TRY(read_rows(&t, &csv, text, scratch, a, &rows));
    *out = rows.raw;
    if (rows.raw.graphs.graphs == 0 && rows.raw.left.count)
        return mp_fail(MP_ERR_INPUT, "%s: none of %lld rows is a molecule; the first: %s", file,
                       (long long)rows.raw.left.count, rows.raw.left.text[0]);
    if (rows.raw.graphs.graphs == 0) return mp_fail(MP_ERR_INPUT, "%s: has no rows", file);
    return by_model(&t) ? MP_OK : mp_rule_split(t.want.split ? t.want.split : "scaffold", rows.scaffold, a, out);
}

typedef struct whole {
    const char *file;
    const mp_dataset_as *as;
    mp_feed feed;
    mp_arena *a;
    mp_raw *out;
} whole;

static mp_err read_whole(void *arg)
{
    whole *w = arg;
    mp_arena *scratch = mp_arena_new(1 << 14);
    mp_err e = MP_OK;
    while (e == MP_OK && !w->feed.end) e = mp_feed_more(&w->feed);
    if (e == MP_OK) e = read_text(w->file, mp_feed_window(&w->feed), w->as, scratch, w->a, w->out);
    mp_arena_free(scratch);
    return e;
}

mp_err mp_mols_read_all(const char *file, const char *set, mp_tap tap, const mp_dataset_as *as, mp_arena *a,
                        mp_raw *out)
{
    whole w = { .file = file, .as = as, .a = a, .out = out };
    mp_feed_open(&w.feed, tap);
    mp_err e = mp_guarded(read_whole, &w);
    mp_feed_close(&w.feed);
    if (e == MP_OK) out->name = set;
    return e;
}
