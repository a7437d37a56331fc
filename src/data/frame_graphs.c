/* frame_graphs.c - columns of graphs: what is to be learned, the split, SMILES, notes; read, and written. See frame.h.
 *
 * To be learned are the columns that were asked for; else those a model has names of; else `y` and `y:NAME`; else the one that is
 * called label, class or target. One column of words, or of whole numbers, is classes; others are numbers, which may be missing.
 * SPDX-License-Identifier: MIT */
#include "data/class_names.h"
#include "data/frame_parts.h"
#include "data/table.h"

#include <math.h>
#include <string.h>

typedef struct answers { /* the columns that are to be learned; NULL where a model knows one that is not there */
    int count;
    const mp_frame_column **column;
    const char **name; /* NULL: they have none */
} answers;

static mp_err blame(const mp_frame *f, int graph)
{
    return mp_frame_blame(f, MP_FRAME_GRAPHS, graph, MP_ERR_INPUT);
}

static bool is_missing(const char *word)
{
    return !word[0] || mp_same_letters(word, "nan") || mp_same_letters(word, "na");
}

static const char *value_of(const answers *y, int k, int graph)
{
    return y->column[k] ? mp_frame_word(y->column[k], graph) : "";
}

/* ---- which ---- */

static mp_err asked_for(const mp_frame *f, const char *where, const char *list, answers *y)
{
    const mp_frame_table *t = &f->part[MP_FRAME_GRAPHS];
    mp_span rest = mp_span_of(list), word;
    while (mp_next_field(&rest, ',', &word)) {
        const char *name = mp_arena_text(f->a, word.p, word.n);
        int at = mp_frame_place(t, name);
        if (at < 0)
            return mp_fail(MP_ERR_USAGE, "--label: %s has no '%.80s' of graphs; it has %s", where, name,
                           mp_frame_list(t, f->a));
        if (y->count == t->columns) return mp_fail(MP_ERR_USAGE, "--label: '%.80s' is there twice", name);
        y->column[y->count] = &t->column[at];
        y->name[y->count++] = name;
    }
    return MP_OK;
}

static bool known_by_model(const mp_frame *f, answers *y)
{
    const mp_frame_table *t = &f->part[MP_FRAME_GRAPHS];
    const mp_dataset_as *as = f->as;
    int targets = as && as->recipe && as->target_name ? as->targets : 0, there = 0;
    if (targets == 0) return false;
    y->column = MP_NEW(f->a, const mp_frame_column *, targets);
    y->name = MP_NEW(f->a, const char *, targets);
    for (int k = 0; k < targets; k++) {
        int at = mp_frame_place(t, as->target_name[k]);
        there += at >= 0;
        y->column[k] = at >= 0 ? &t->column[at] : NULL;
        y->name[k] = as->target_name[k];
    }
    if (there) y->count = targets;
    return there > 0;
}

static bool is_y(const char *name)
{
    return name[0] == 'y' && (name[1] == '\0' || name[1] == ':');
}

/* y alone has no name; of y:NAME it is behind the colon, and y:1, y:2, ... have none. */
static void called_y(const mp_frame *f, answers *y)
{
    const mp_frame_table *t = &f->part[MP_FRAME_GRAPHS];
    bool named = false;
    for (int k = 0; k < t->columns; k++) {
        const char *name = t->column[k].name;
        if (!is_y(name)) continue;
        y->column[y->count] = &t->column[k];
        y->name[y->count] = name[1] ? name + 2 : name;
        const char *usual = mp_arena_printf(f->a, "%d", ++y->count);
        named = named || (name[1] && strcmp(name + 2, usual) != 0);
    }
    if (!named) y->name = NULL;
}

static mp_err called_otherwise(const mp_frame *f, const char *where, answers *y)
{
    static const char *const usual[] = { "label", "class", "target" };
    const mp_frame_table *t = &f->part[MP_FRAME_GRAPHS];
    for (int k = 0; k < t->columns; k++)
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
            if (!mp_same_letters(t->column[k].name, usual[i])) continue;
            if (y->count)
                return mp_fail(MP_ERR_USAGE,
                               "%s: '%s' and '%s' may both be what is to be learned; say which with --label", where,
                               y->column[0]->name, t->column[k].name);
            y->column[y->count++] = &t->column[k];
        }
    y->name = NULL;
    return MP_OK;
}

static mp_err choose(const mp_frame *f, const char *where, answers *y)
{
    const mp_frame_table *t = &f->part[MP_FRAME_GRAPHS];
    const mp_columns want = f->as && f->as->columns ? *f->as->columns : (mp_columns){ 0 };
    *y = (answers){ 0, MP_NEW(f->a, const mp_frame_column *, t->columns + 1),
                    MP_NEW(f->a, const char *, t->columns + 1) };
    if (want.labels) return asked_for(f, where, want.labels, y);
    if (known_by_model(f, y)) return MP_OK;
    called_y(f, y);
    if (y->count == 0) MP_TRY(called_otherwise(f, where, y));
    if (y->count || !want.labelled) return MP_OK;
    return mp_fail(
        MP_ERR_USAGE,
        "%s: nothing of graphs is called y, label, class or target; say with --label what is to be learned: %s", where,
        mp_frame_list(t, f->a));
}

/* ---- what they say ---- */

typedef struct looks {   /* of one column */
    bool whole, numbers; /* of all that is there */
    int missing, first;  /* how many graphs have none; the first of these */
    int graphs;
} looks;

static looks look_at(const answers *y, int k, int graphs)
{
    looks l = { true, true, 0, 0, graphs };
    for (int b = graphs - 1; b >= 0; b--) {
        const char *word = value_of(y, k, b);
        double real;
        int64_t whole;
        if (is_missing(word)) {
            l.missing++;
            l.first = b;
            continue;
        }
        l.whole = l.whole && mp_to_int(mp_span_of(word), &whole);
        l.numbers = l.numbers && mp_to_real(mp_span_of(word), &real);
    }
    return l;
}

static mp_err take_targets(const mp_frame *f, const answers *y, mp_arena *keep, mp_raw *raw)
{
    int graphs = raw->graphs.graphs;
    double *target = MP_NEW_RAW(keep, double, (size_t)graphs *(size_t)y->count);
    for (int b = 0; b < graphs; b++)
        for (int k = 0; k < y->count; k++) {
            const char *word = value_of(y, k, b);
            double *v = &target[(size_t)b * (size_t)y->count + (size_t)k];
            *v = (double)NAN;
            if (is_missing(word)) continue;
            if (mp_to_real(mp_span_of(word), v) && isfinite((float)*v)) continue;
            mp_fail(MP_ERR_INPUT, "column '%.80s': expected a number, or nothing, got '%.40s'", y->column[k]->name,
                    word);
            return blame(f, b);
        }
    raw->target = target;
    raw->target_columns = y->count;
    return MP_OK;
}

static mp_err take_words(const mp_frame *f, const answers *y, const looks *l, mp_arena *keep, mp_raw *raw)
{
    int graphs = raw->graphs.graphs;
    const char **word = MP_NEW_RAW(keep, const char *, graphs);
    if (l->missing && f->as && f->as->recipe) return MP_OK; /* a model of classes wants all labels or none */
    if (l->missing) {
        mp_fail(MP_ERR_INPUT, "column '%.80s': expected the name of a class, which cannot be missing",
                y->column[0]->name);
        return blame(f, l->first);
    }
    for (int b = 0; b < graphs; b++) {
        const char *w = value_of(y, 0, b);
        word[b] = mp_arena_text(keep, w, strlen(w));
    }
    int unknown = mp_class_names(word, graphs, f->as, keep, raw);
    if (unknown < 0) return MP_OK;
    mp_fail(MP_ERR_INPUT, "column '%.80s': the model knows no class '%.40s'", y->column[0]->name, word[unknown]);
    return blame(f, unknown);
}

static void take_whole(const answers *y, mp_arena *keep, mp_raw *raw)
{
    int64_t *label = MP_NEW(keep, int64_t, raw->graphs.graphs);
    for (int b = 0; b < raw->graphs.graphs; b++)
        if (!mp_to_int(mp_span_of(value_of(y, 0, b)), &label[b])) mp_assert(false);
    raw->graph_label = label;
}

static mp_err take_answers(const mp_frame *f, const answers *y, mp_arena *keep, mp_raw *raw)
{
    const mp_dataset_as *as = f->as;
    int graphs = raw->graphs.graphs;
    if (y->count == 0) return MP_OK;
    if (y->name) {
        const char **name = MP_NEW(keep, const char *, y->count);
        for (int k = 0; k < y->count; k++) name[k] = mp_arena_text(keep, y->name[k], strlen(y->name[k]));
        raw->target_name = name;
    }
    if (y->count > 1) return take_targets(f, y, keep, raw);
    looks l = look_at(y, 0, graphs);
    bool model = as && as->recipe, named = model && as->class_name, classes = model && as->classes;
    if (l.missing == graphs) return MP_OK;
    if (named || !l.numbers) return take_words(f, y, &l, keep, raw);
    if (classes && l.missing) return MP_OK;
    if (l.whole && !l.missing)
        take_whole(y, keep, raw);
    else
        return take_targets(f, y, keep, raw);
    return MP_OK;
}

/* ---- splits, ids, notes ---- */

static const char *const part_names[MP_PARTS] = { "train", "val", "test", "test-large", "test-large-c" };

static int part_called(const char *word)
{
    static const struct {
        const char *word;
        int part;
    } other[] = { { "valid", 1 }, { "validation", 1 }, { "test-origin", 2 } };
    for (int i = 0; i < MP_PARTS; i++)
        if (strcmp(word, part_names[i]) == 0) return i;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(word, other[i].word) == 0) return other[i].part;
    return MP_PARTS;
}

static mp_err take_split(const mp_frame *f, const mp_frame_column *c, mp_arena *keep, mp_raw *raw)
{
    int count[MP_PARTS + 1] = { 0 };
    const char *name[MP_PARTS] = { NULL };
    unsigned char *part = MP_NEW(f->a, unsigned char, raw->graphs.graphs);
    for (int b = 0; b < raw->graphs.graphs; b++) {
        const char *word = mp_frame_word(c, b);
        part[b] = (unsigned char)part_called(word);
        count[part[b]]++;
        if (word[0] && part[b] == MP_PARTS) {
            mp_fail(MP_ERR_INPUT,
                    "column '%.80s': expected train, val, test, test-large, test-large-c or nothing, got '%.40s'",
                    c->name, word);
            return blame(f, b);
        }
    }
    if (count[MP_PARTS] == raw->graphs.graphs) return MP_OK;
    for (int i = 0; i < MP_PARTS; i++) {
        if (i < 3 && !count[i])
            return mp_fail(MP_ERR_INPUT, "%s: column '%.80s': no graph is in the part '%s'",
                           mp_frame_file_of(&f->part[MP_FRAME_GRAPHS], 0), c->name, part_names[i]);
        if (count[i]) name[i] = part_names[i];
    }
    mp_raw_split(raw, part, name, keep);
    return MP_OK;
}

static const char *const *texts(const mp_frame_column *c, int graphs, mp_arena *keep)
{
    const char **out = MP_NEW(keep, const char *, graphs);
    for (int b = 0; b < graphs; b++) {
        const char *word = mp_frame_word(c, b);
        out[b] = mp_arena_text(keep, word, strlen(word));
    }
    return out;
}

/* Graphs that are called 0, 1, ... have no names. */
static void take_ids(const mp_frame *f, mp_arena *keep, mp_raw *raw)
{
    int graphs = raw->graphs.graphs;
    const char **id = MP_NEW(keep, const char *, graphs);
    bool named = false;
    for (int b = 0; b < graphs; b++) {
        int64_t number;
        const char *word = f->graph.word[b];
        named = named || !mp_to_int(mp_span_of(word), &number) || number != b;
        id[b] = mp_arena_text(keep, word, strlen(word));
    }
    if (named) raw->id = id;
}

static void take_notes(const mp_frame_column *const *note, int notes, mp_arena *keep, mp_raw *raw)
{
    int graphs = raw->graphs.graphs;
    const char **name = MP_NEW(keep, const char *, notes);
    const char **text = MP_NEW(keep, const char *, (size_t)graphs *(size_t)notes);
    for (int k = 0; k < notes; k++) {
        name[k] = mp_arena_text(keep, note[k]->name, strlen(note[k]->name));
        for (int b = 0; b < graphs; b++) {
            const char *word = mp_frame_word(note[k], b);
            text[(size_t)b * (size_t)notes + (size_t)k] = mp_arena_text(keep, word, strlen(word));
        }
    }
    raw->notes = notes;
    raw->note_name = name;
    raw->note = text;
}

static void take_places(const mp_frame *f, mp_arena *keep, mp_raw *raw)
{
    const mp_frame_table *t = &f->part[MP_FRAME_GRAPHS];
    int graphs = raw->graphs.graphs, *line = MP_NEW(keep, int, graphs);
    const char **file = MP_NEW(keep, const char *, t->runs), **file_of = MP_NEW(keep, const char *, graphs);
    for (int r = 0, b = 0; r < t->runs; r++) {
        file[r] = mp_arena_text(keep, t->run[r].file, strlen(t->run[r].file));
        for (; b < graphs && (r + 1 == t->runs || b < t->run[r + 1].first); b++) file_of[b] = file[r];
    }
    memcpy(line, t->line, (size_t)graphs * sizeof *line);
    raw->file = file[0];
    raw->line = line;
    if (t->runs > 1) raw->file_of = file_of;
}

mp_err mp_frame_take_graphs(const mp_frame *f, const char *where, mp_arena *keep, mp_raw *raw)
{
    const mp_frame_table *t = &f->part[MP_FRAME_GRAPHS];
    const mp_frame_column **note = MP_NEW(f->a, const mp_frame_column *, t->columns + 1);
    int notes = 0;
    answers y;
    take_places(f, keep, raw);
    take_ids(f, keep, raw);
    MP_TRY(choose(f, where, &y));
    MP_TRY(take_answers(f, &y, keep, raw));
    for (int k = 0; k < t->columns; k++) {
        const mp_frame_column *c = &t->column[k];
        bool learned = false;
        for (int i = 0; i < y.count; i++) learned = learned || y.column[i] == c;
        if (learned) continue;
        if (mp_same_letters(c->name, "split"))
            MP_TRY(take_split(f, c, keep, raw));
        else if (mp_same_letters(c->name, "smiles"))
            raw->smiles = texts(c, raw->graphs.graphs, keep);
        else if (!is_y(c->name)) /* written, it would be taken for an answer */
            note[notes++] = c;
    }
    if (notes) take_notes(note, notes, keep, raw);
    return MP_OK;
}

/* ---- written ---- */

const char *mp_frame_target(const mp_raw *raw, int k, mp_arena *a)
{
    if (raw->target_columns == 1 && !raw->target_name) return "y";
    return raw->target_name ? mp_arena_printf(a, "y:%s", raw->target_name[k]) : mp_arena_printf(a, "y:%d", k + 1);
}

/* A word that would not be read as the same one. */
static bool is_lost(const char *word)
{
    mp_span s = mp_span_of(word);
    return is_missing(word) || mp_trim(s).n != s.n;
}

mp_err mp_frame_holds(const mp_raw *raw, const char *path)
{
    bool numbers = raw->class_name != NULL;
    for (int c = 0; c < raw->class_names; c++) {
        double v;
        numbers = numbers && mp_to_real(mp_span_of(raw->class_name[c]), &v);
        if (is_lost(raw->class_name[c]))
            return mp_fail(MP_ERR_INPUT, "%s: has no place for a class called '%.40s'", path, raw->class_name[c]);
    }
    if (numbers) return mp_fail(MP_ERR_INPUT, "%s: has no place for classes whose names are numbers", path);
    return MP_OK;
}

const char *const *mp_frame_ids(const mp_raw *raw, mp_arena *a)
{
    mp_lexicon seen = { .a = a };
    for (int b = 0; raw->id && b < raw->graphs.graphs; b++) {
        mp_span id = mp_span_of(raw->id[b]);
        if (id.n == 0 || mp_trim(id).n != id.n || mp_lexicon_add(&seen, 0, id) != b) return NULL;
    }
    return raw->id;
}

/* The columns in their order: what is learned, then these, then notes. */
static int answers_of(const mp_raw *raw)
{
    return raw->graph_label ? 1 : raw->target ? raw->target_columns : 0;
}

int mp_frame_graph_columns(const mp_raw *raw, mp_arena *a, const char *const **name)
{
    int n = 0, targets = answers_of(raw);
    const char **out = MP_NEW(a, const char *, targets + raw->notes + 2);
    for (int k = 0; k < targets; k++) out[n++] = raw->graph_label ? "y" : mp_frame_target(raw, k, a);
    if (raw->fixed_name[0]) out[n++] = "split";
    if (raw->smiles) out[n++] = "smiles";
    for (int k = 0; k < raw->notes; k++) out[n++] = raw->note_name[k];
    *name = out;
    return n;
}

/* Numbers that are to be hit have a point, so that they are not taken for classes. */
static void put_number(mp_buf *b, double v)
{
    size_t from = b->n;
    mp_put_target(b, v, "");
    if (b->n > from && !strpbrk(b->p + from, ".e")) mp_buf_puts(b, ".0");
}

void mp_frame_graph_cell(const mp_raw *raw, const unsigned char *part, int graph, int column, mp_buf *out)
{
    int k = column, targets = answers_of(raw);
    if (k < targets) {
        if (raw->graph_label && raw->class_name)
            mp_buf_puts(out, raw->class_name[raw->graph_label[graph]]);
        else if (raw->graph_label)
            mp_put_int(out, raw->graph_label[graph]);
        else
            put_number(out, raw->target[(size_t)graph * (size_t)targets + (size_t)k]);
        return;
    }
    k -= targets;
    if (raw->fixed_name[0] && k-- == 0) {
        if (part[graph] < MP_PARTS) mp_buf_puts(out, part_names[part[graph]]);
        return;
    }
    if (raw->smiles && k-- == 0) {
        mp_buf_puts(out, raw->smiles[graph]);
        return;
    }
    mp_buf_puts(out, raw->note[(size_t)graph * (size_t)raw->notes + (size_t)k]);
}
