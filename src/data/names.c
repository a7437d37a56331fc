/* names.c - see names.h.
 * SPDX-License-Identifier: MIT */
#include "data/names.h"

#include <string.h>

typedef struct features { /* of nodes or of edges */
    const char *what;
    int rows, label_columns;
    const int *labels;
    mp_sparse attributes;
} features;

static int place(const char *const *list, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0) return i;
    return -1;
}

static mp_err missing(const char *set, const features *x, const char *name)
{
    return mp_fail(MP_ERR_INPUT, "%s: no %s has '%.80s', which the model reads", set, x->what, name);
}

static mp_err match_attributes(const char *set, const mp_names *mine, const mp_names *model, mp_arena *a, features *x)
{
    const mp_sparse *from = &x->attributes;
    int *at = MP_NEW(a, int, model->attributes + 1), used = 0, stored = from->cols ? from->ptr[from->rows] : 0;
    for (int k = 0; k < model->attributes; k++)
        if ((at[k] = place(mine->attribute, mine->attributes, model->attribute[k])) < 0)
            return missing(set, x, model->attribute[k]);
    int *ptr = MP_NEW(a, int, x->rows + 1), *col = MP_NEW(a, int, stored + 1);
    mp_real *val = MP_NEW(a, mp_real, stored + 1), *row = MP_NEW(a, mp_real, from->cols + 1);
    for (int v = 0; v < x->rows && from->cols; v++) {
        memset(row, 0, (size_t)from->cols * sizeof *row);
        for (int i = from->ptr[v]; i < from->ptr[v + 1]; i++) row[from->col[i]] = from->val ? from->val[i] : 1;
        for (int k = 0; k < model->attributes; k++) {
            if (row[at[k]] == 0) continue;
            col[used] = k;
            val[used++] = row[at[k]];
        }
        ptr[v + 1] = used;
    }
    if (from->cols)
        x->attributes = (mp_sparse){ .rows = x->rows, .cols = model->attributes, .ptr = ptr, .col = col, .val = val };
    return MP_OK;
}

/* The model's number of each word of a column, -1 where it has none; NULL: labels are numbers. */
static mp_err match_words(const char *set, const features *x, const mp_names *mine, int from, const mp_names *model,
                          int k, mp_arena *a, const int **out)
{
    *out = NULL;
    if (!mine->words[from] != !model->words[k])
        return mp_fail(MP_ERR_INPUT, "%s: '%.80s' of %ss is %s; the model knows %s", set, model->label[k], x->what,
                       mine->words[from] ? "words" : "numbers", model->words[k] ? "words" : "numbers");
    if (!mine->words[from]) return MP_OK;
    int *number = MP_NEW(a, int, mine->words[from]);
    for (int i = 0; i < mine->words[from]; i++) number[i] = place(model->word[k], model->words[k], mine->word[from][i]);
    *out = number;
    return MP_OK;
}

static mp_err match_labels(const char *set, const mp_names *mine, const mp_names *model, mp_arena *a, features *x)
{
    int columns = model->labels, *out = MP_NEW(a, int, (size_t)x->rows *(size_t)columns + 1);
    for (int k = 0; k < columns; k++) {
        const int *number;
        int from = place(mine->label, mine->labels, model->label[k]);
        if (from < 0) return missing(set, x, model->label[k]);
        MP_TRY(match_words(set, x, mine, from, model, k, a, &number));
        for (int v = 0; v < x->rows; v++) {
            int label = x->labels[(size_t)v * (size_t)x->label_columns + (size_t)from];
            if (number && number[label] < 0)
                return mp_fail(MP_ERR_INPUT, "%s: '%.80s' of %ss: the model knows no '%.40s'", set, model->label[k],
                               x->what, mine->word[from][label]);
            out[(size_t)v * (size_t)columns + (size_t)k] = number ? number[label] : label;
        }
    }
    x->labels = out;
    x->label_columns = columns;
    return MP_OK;
}

static mp_err match(const char *set, const mp_names *mine, const mp_names *model, mp_arena *a, features *x)
{
    if (!mine || !model || mine == model) return MP_OK;
    MP_TRY(match_attributes(set, mine, model, a, x));
    return match_labels(set, mine, model, a, x);
}

mp_err mp_names_match(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_raw *out)
{
    *out = *raw;
    if (!as || !as->recipe) return MP_OK;
    features x = { "node", raw->graphs.nodes, raw->label_columns, raw->labels, raw->attributes };
    MP_TRY(match(raw->name, raw->names, as->names, a, &x));
    out->label_columns = x.label_columns;
    out->labels = x.labels;
    out->attributes = x.attributes;
    bool edges = raw->edge_label_columns || raw->edge_attributes.cols;
    features e = { "edge", raw->graphs.edges, raw->edge_label_columns, raw->edge_labels, raw->edge_attributes };
    if (edges) MP_TRY(match(raw->name, raw->edge_names, as->edge_names, a, &e));
    out->edge_label_columns = e.label_columns;
    out->edge_labels = e.labels;
    out->edge_attributes = e.attributes;
    if (raw->names && as->names) out->names = as->names;
    if (raw->edge_names && as->edge_names) out->edge_names = as->edge_names;
    return MP_OK;
}
