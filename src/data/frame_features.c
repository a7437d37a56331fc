/* frame_features.c - columns of nodes or edges as features: which are attributes, which labels, in which order. See frame.h.
 *
 * Where a model knows its columns by name they are taken in its order and with its words; else in the order of the files, words
 * in that of their letters.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "data/frame_parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 1000 /* of a column: more are names of things, not kinds of them */

static const char *const things[MP_FRAME_PARTS] = { "graph", "node", "edge" };

typedef struct chosen { /* columns of a table, by what they become */
    int attributes, labels;
    const mp_frame_column **attribute, **label;
} chosen;

const char *mp_frame_attribute(const mp_names *names, int columns, int k, mp_arena *a)
{
    if (names && names->attributes == columns) return names->attribute[k];
    return columns == 1 ? "x" : mp_arena_printf(a, "x_%d", k + 1);
}

const char *mp_frame_label(const mp_names *names, int columns, int k, mp_arena *a)
{
    if (names && names->labels == columns) return names->label[k];
    return columns == 1 ? "label" : mp_arena_printf(a, "label_%d", k + 1);
}

/* label, label_1, ...: numbers there are kinds of things. */
static bool is_label_name(const char *name)
{
    static const char word[] = "label";
    size_t n = strlen(word);
    if (strncmp(name, word, n) != 0) return false;
    return name[n] == '\0' ||
           (name[n] == '_' && name[n + 1] && strspn(name + n + 1, "0123456789") == strlen(name + n + 1));
}

static bool is_whole(const mp_frame_column *c)
{
    for (int i = 0; i < c->rows; i++)
        if (!(fabs(c->number[i]) < INT_MAX) || c->number[i] != rint(c->number[i])) return false;
    return true;
}

static mp_err no_column(const mp_frame *f, mp_frame_part part, const char *where, const char *name)
{
    return mp_fail(MP_ERR_INPUT, "%s: no %s has '%.80s', which the model reads; there is %s", where, things[part], name,
                   mp_frame_list(&f->part[part], f->a));
}

static mp_err find(const mp_frame *f, mp_frame_part part, const char *where, const char *name,
                   const mp_frame_column **out)
{
    const mp_frame_table *t = &f->part[part];
    int at = mp_frame_place(t, name);
    if (at < 0) return no_column(f, part, where, name);
    *out = &t->column[at];
    return MP_OK;
}

static mp_err choose_known(const mp_frame *f, mp_frame_part part, const char *where, const mp_names *n, chosen *out)
{
    for (int k = 0; k < n->attributes; k++)
        MP_TRY(find(f, part, where, n->attribute[k], &out->attribute[out->attributes++]));
    for (int k = 0; k < n->labels; k++) MP_TRY(find(f, part, where, n->label[k], &out->label[out->labels++]));
    return MP_OK;
}

static void choose_all(const mp_frame_table *t, chosen *out)
{
    for (int k = 0; k < t->columns; k++) {
        const mp_frame_column *c = &t->column[k];
        if (c->values == 0) continue;
        if (c->kind == MP_FRAME_WORD || (is_label_name(c->name) && is_whole(c)))
            out->label[out->labels++] = c;
        else
            out->attribute[out->attributes++] = c;
    }
}

/* Every row has a value in every column that counts. */
static mp_err need_values(const mp_frame *f, mp_frame_part part, const mp_frame_column *c, const int *order, int n)
{
    for (int i = 0; i < n && c->values < n; i++) {
        int row = order[i];
        bool set = row < c->rows && (c->kind == MP_FRAME_WORD ? c->word[row] >= 0 : !isnan(c->number[row]));
        if (set) continue;
        mp_fail(MP_ERR_INPUT, "the %s has no '%.80s', as others have", things[part], c->name);
        return mp_frame_blame(f, part, row, MP_ERR_INPUT);
    }
    return MP_OK;
}

/* ---- attributes ---- */

static void take_attributes(const chosen *c, const int *order, int n, mp_arena *keep, mp_sparse *out)
{
    int64_t stored = 0;
    int used = 0, *ptr = MP_NEW(keep, int, n + 1);
    for (int k = 0; k < c->attributes; k++)
        for (int i = 0; i < n; i++) stored += c->attribute[k]->number[order[i]] != 0;
    int *col = MP_NEW_RAW(keep, int, mp_count(stored, "attributes"));
    mp_real *val = MP_NEW_RAW(keep, mp_real, stored);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < c->attributes; k++) {
            double v = c->attribute[k]->number[order[i]];
            if (v == 0) continue;
            col[used] = k;
            val[used++] = (mp_real)(float)v;
        }
        ptr[i + 1] = used;
    }
    *out = (mp_sparse){ .rows = n, .cols = c->attributes, .ptr = ptr, .col = col, .val = val };
}

/* ---- labels ---- */

static int by_letters(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static const char *const *sorted_words(const mp_frame_column *c, mp_arena *keep)
{
    const char **out = MP_NEW_RAW(keep, const char *, c->words.count);
    for (int i = 0; i < c->words.count; i++) out[i] = mp_arena_text(keep, c->words.word[i], strlen(c->words.word[i]));
    qsort(out, (size_t)c->words.count, sizeof *out, by_letters);
    return out;
}

/* The label of each word of a column, -1 where it has none: its place among `word`, which ascend. */
static const int *places(const mp_frame_column *c, const char *const *word, int words, mp_arena *a)
{
    int *out = MP_NEW_RAW(a, int, c->words.count);
    for (int i = 0; i < c->words.count; i++) {
        const char *const *at = bsearch(&c->words.word[i], word, (size_t)words, sizeof *word, by_letters);
        out[i] = at ? (int)(at - word) : -1;
    }
    return out;
}

typedef struct labelling { /* column k of the labels */
    const mp_frame *f;
    mp_frame_part part;
    const int *order;
    int n, k, columns, *labels;
} labelling;

static mp_err label_words(const labelling *l, const mp_frame_column *c, const char *const *word, int words)
{
    const int *place = places(c, word, words, l->f->a);
    for (int i = 0; i < l->n; i++) {
        int row = l->order[i], label = place[c->word[row]];
        if (label < 0) {
            mp_fail(MP_ERR_INPUT, "column '%.80s': the model knows no '%.40s'", c->name, mp_frame_word(c, row));
            return mp_frame_blame(l->f, l->part, row, MP_ERR_INPUT);
        }
        l->labels[(size_t)i * (size_t)l->columns + (size_t)l->k] = label;
    }
    return MP_OK;
}

static mp_err label_numbers(const labelling *l, const mp_frame_column *c)
{
    for (int i = 0; i < l->n; i++) {
        double v = c->number[l->order[i]];
        if (!(fabs(v) < INT_MAX) || v != rint(v)) {
            mp_fail(MP_ERR_INPUT, "column '%.80s': expected a whole number, got %g", c->name, v);
            return mp_frame_blame(l->f, l->part, l->order[i], MP_ERR_INPUT);
        }
        l->labels[(size_t)i * (size_t)l->columns + (size_t)l->k] = (int)v;
    }
    return MP_OK;
}

/* ---- names ---- */

/* Names that columns without any would have are none. */
static bool are_usual(const chosen *c, mp_arena *a)
{
    for (int k = 0; k < c->attributes; k++)
        if (strcmp(c->attribute[k]->name, mp_frame_attribute(NULL, c->attributes, k, a)) != 0) return false;
    for (int k = 0; k < c->labels; k++) {
        if (c->label[k]->kind == MP_FRAME_WORD) return false;
        if (strcmp(c->label[k]->name, mp_frame_label(NULL, c->labels, k, a)) != 0) return false;
    }
    return true;
}

static const char *const *column_names(const mp_frame_column *const *c, int n, mp_arena *keep)
{
    const char **out = MP_NEW(keep, const char *, n + 1);
    for (int k = 0; k < n; k++) out[k] = mp_arena_text(keep, c[k]->name, strlen(c[k]->name));
    return out;
}

static const mp_names *name_columns(const chosen *c, mp_arena *keep)
{
    mp_names *out = MP_NEW(keep, mp_names, 1);
    int *words = MP_NEW(keep, int, c->labels + 1);
    const char *const **word = MP_NEW(keep, const char *const *, c->labels + 1);
    for (int k = 0; k < c->labels; k++) {
        if (c->label[k]->kind != MP_FRAME_WORD) continue;
        words[k] = c->label[k]->words.count;
        word[k] = sorted_words(c->label[k], keep);
    }
    *out = (mp_names){ c->attributes,
                       c->labels,
                       column_names(c->attribute, c->attributes, keep),
                       column_names(c->label, c->labels, keep),
                       words,
                       word };
    return out;
}

/* ---- all of it ---- */

static mp_err check(const mp_frame *f, mp_frame_part part, const char *where, const chosen *c, const int *order, int n)
{
    for (int k = 0; k < c->attributes; k++) MP_TRY(need_values(f, part, c->attribute[k], order, n));
    for (int k = 0; k < c->labels; k++) {
        const mp_frame_column *l = c->label[k];
        MP_TRY(need_values(f, part, l, order, n));
        if (l->words.count > MOST_WORDS)
            return mp_fail(MP_ERR_LIMIT,
                           "%s: '%.80s' of %ss has %d different words, more than %d; leave it out with "
                           "--ignore",
                           where, l->name, things[part], l->words.count, MOST_WORDS);
    }
    if (c->labels <= MP_MAX_LABEL_COLUMNS) return MP_OK;
    return mp_fail(MP_ERR_LIMIT,
                   "%s: %d columns of %ss are words or labels, at most %d may be; leave some out with --ignore", where,
                   c->labels, things[part], MP_MAX_LABEL_COLUMNS);
}

mp_err mp_frame_take_features(const mp_frame *f, mp_frame_part part, const char *where, const int *order, int n,
                              mp_arena *keep, mp_frame_features *out)
{
    const mp_frame_table *t = &f->part[part];
    const mp_names *model = !f->as || !f->as->recipe ? NULL : part == MP_FRAME_NODES ? f->as->names : f->as->edge_names;
    int most = t->columns + (model ? model->attributes + model->labels : 0);
    chosen c = { 0, 0, MP_NEW(f->a, const mp_frame_column *, most + 1),
                 MP_NEW(f->a, const mp_frame_column *, most + 1) };
    *out = (mp_frame_features){ 0 };
    if (n == 0) return MP_OK;
    if (model)
        MP_TRY(choose_known(f, part, where, model, &c));
    else
        choose_all(t, &c);
    MP_TRY(check(f, part, where, &c, order, n));
    if (c.attributes) take_attributes(&c, order, n, keep, &out->attributes);
    out->names = model ? model : are_usual(&c, f->a) ? NULL : name_columns(&c, keep);
    int *labels = MP_NEW_RAW(keep, int, (size_t)n *(size_t)c.labels);
    for (int k = 0; k < c.labels; k++) {
        labelling l = { f, part, order, n, k, c.labels, labels };
        MP_TRY(c.label[k]->kind == MP_FRAME_WORD
                   ? label_words(&l, c.label[k], out->names->word[k], out->names->words[k])
                   : label_numbers(&l, c.label[k]));
    }
    out->label_columns = c.labels;
    out->labels = labels;
    return MP_OK;
}
