/* parcel.c - see parcel.h. What follows from the rest is not sent but found out again: reverses of edges, kinds of rows, twins.
 * SPDX-License-Identifier: MIT */
#include "data/parcel.h"
#include "base/bytes.h"
#include "baseline/haar.h"
#include "data/seal.h"
#include "graph/twins.h"

#include <string.h>

#define FORMAT "midpool data set 2"

/* ---- pieces ---- */

static void put_texts(mp_buf *b, const char *const *text, int n)
{
    mp_bytes_put_int(b, text != NULL);
    for (int i = 0; text && i < n; i++) mp_bytes_put_text(b, text[i]);
}

static const char *const *get_texts(mp_bytes *b, mp_arena *a, int n)
{
    if (!mp_bytes_int(b, 0, 1) || (size_t)n > b->rest.n) return NULL;
    const char **text = MP_NEW(a, const char *, n + 1);
    for (int i = 0; i < n && !b->bad; i++) {
        text[i] = mp_bytes_text(b, a);
        b->bad = b->bad || !text[i];
    }
    return text;
}

static void put_sparse(mp_buf *b, const mp_sparse *x)
{
    size_t count = x->ptr ? (size_t)x->ptr[x->rows] : (size_t)x->rows * (size_t)x->cols;
    mp_bytes_put_int(b, x->rows);
    mp_bytes_put_int(b, x->cols);
    mp_bytes_put_list(b, x->ptr, (size_t)x->rows + 1, sizeof *x->ptr);
    mp_bytes_put_list(b, x->col, count, sizeof *x->col);
    mp_bytes_put_list(b, x->val, count, sizeof *x->val);
    mp_bytes_put_int(b, x->kind != NULL);
}

/* Ranges of `n` rows, from 0 on, none of a negative length. */
static bool are_ranges(const int *ptr, int n)
{
    if (!ptr || ptr[0] != 0) return false;
    for (int i = 0; i < n; i++)
        if (ptr[i + 1] < ptr[i]) return false;
    return true;
}

static bool are_below(const int *v, size_t n, int end)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] < 0 || v[i] >= end) return false;
    return true;
}

static bool ascend(const int *ptr, const int *col, int rows)
{
    for (int v = 0; v < rows; v++)
        for (int i = ptr[v] + 1; i < ptr[v + 1]; i++)
            if (col[i] <= col[i - 1]) return false;
    return true;
}

static void get_sparse(mp_bytes *b, mp_arena *a, mp_sparse *x)
{
    x->rows = mp_bytes_count(b);
    x->cols = mp_bytes_count(b);
    x->ptr = mp_bytes_list(b, a, (size_t)x->rows + 1, sizeof *x->ptr);
    b->bad = b->bad || (x->ptr && !are_ranges(x->ptr, x->rows));
    size_t count = b->bad ? 0 : x->ptr ? (size_t)x->ptr[x->rows] : (size_t)x->rows * (size_t)x->cols;
    x->col = mp_bytes_list(b, a, count, sizeof *x->col);
    x->val = mp_bytes_list(b, a, count, sizeof *x->val);
    bool kinds = mp_bytes_int(b, 0, 1);
    b->bad = b->bad || (x->ptr ? !x->col : x->col || (count && !x->val));
    if (b->bad) return;
    b->bad = x->ptr && (!are_below(x->col, count, x->cols) || !ascend(x->ptr, x->col, x->rows));
    if (!b->bad && kinds) mp_sparse_know(a, x);
}

static void put_graphs(mp_buf *b, const mp_graph *g)
{
    mp_assert(!g->w);
    mp_bytes_put_int(b, g->graphs);
    mp_bytes_put_int(b, g->nodes);
    mp_bytes_put_int(b, g->edges);
    mp_bytes_put_list(b, g->node_ptr, (size_t)g->graphs + 1, sizeof *g->node_ptr);
    mp_bytes_put_list(b, g->row_ptr, (size_t)g->nodes + 1, sizeof *g->row_ptr);
    mp_bytes_put_list(b, g->col, (size_t)g->edges, sizeof *g->col);
    mp_bytes_put_list(b, g->aim, (size_t)g->nodes, sizeof *g->aim);
    mp_bytes_put_int(b, g->norm && g->norm->twins);
}

static void get_graphs(mp_bytes *b, mp_arena *a, mp_graph *out)
{
    int graphs = mp_bytes_count(b), nodes = mp_bytes_count(b), edges = mp_bytes_count(b);
    const int *node_ptr = mp_bytes_list(b, a, (size_t)graphs + 1, sizeof *node_ptr);
    const int *row_ptr = mp_bytes_list(b, a, (size_t)nodes + 1, sizeof *row_ptr);
    const int *col = mp_bytes_list(b, a, (size_t)edges, sizeof *col);
    const mp_real *aim = mp_bytes_list(b, a, (size_t)nodes, sizeof *aim);
    bool twins = mp_bytes_int(b, 0, 1);
    b->bad = b->bad || !are_ranges(node_ptr, graphs) || node_ptr[graphs] != nodes || !are_ranges(row_ptr, nodes) ||
             row_ptr[nodes] != edges || !col || !are_below(col, (size_t)edges, nodes) || !ascend(row_ptr, col, nodes);
    if (b->bad) return;
    int *rev = MP_NEW(a, int, edges + 1);
    b->bad = !mp_graph_reverse(nodes, row_ptr, col, rev);
    if (b->bad) return;
    *out = mp_graph_of(a, graphs, node_ptr, row_ptr, col, rev);
    out->aim = aim;
    b->bad = mp_graph_check(out) != MP_OK;
    if (!b->bad && twins) mp_graph_know(a, out);
}

static void put_labels(mp_buf *b, const mp_dataset *d)
{
    mp_bytes_put_int(b, d->seal != NULL);
    if (!d->seal) return;
    mp_labels l = mp_seal_break(d->seal);
    int graphs = d->graphs.graphs;
    mp_bytes_put_int(b, l.columns);
    mp_bytes_put_list(b, l.ptr, (size_t)graphs + 1, sizeof *l.ptr);
    mp_bytes_put_list(b, l.v, (size_t)mp_labels_row(&l, graphs) * (size_t)l.columns, sizeof *l.v);
}

static void get_labels(mp_bytes *b, mp_arena *a, mp_dataset *d)
{
    int graphs = d->graphs.graphs;
    if (!mp_bytes_int(b, 0, 1)) return;
    mp_labels l = { .columns = mp_bytes_count(b) };
    l.ptr = mp_bytes_list(b, a, (size_t)graphs + 1, sizeof *l.ptr);
    b->bad = b->bad || l.columns != d->targets || l.columns < 1 || (l.ptr != NULL) != d->task->nodes ||
             (l.ptr && memcmp(l.ptr, d->graphs.node_ptr, sizeof *l.ptr * ((size_t)graphs + 1)) != 0);
    if (b->bad) return;
    size_t all = (size_t)mp_labels_row(&l, graphs) * (size_t)l.columns;
    l.v = mp_bytes_list(b, a, all, sizeof *l.v);
    b->bad = b->bad || !l.v;
    for (size_t i = 0; !b->bad && d->classes && i < all; i++)
        b->bad = l.v[i] == l.v[i] && !(l.v[i] >= 0 && l.v[i] < d->classes);
    if (!b->bad) d->seal = mp_seal_new(a, graphs, l);
}

static void put_split(mp_buf *b, const mp_dataset *d)
{
    mp_buf_add(b, d->fixed, sizeof d->fixed);
    mp_bytes_put_list(b, d->fixed_list, (size_t)d->graphs.graphs, sizeof *d->fixed_list);
    for (int i = 0; i < 5; i++) mp_bytes_put_text(b, d->fixed_name[i]);
}

static void get_split(mp_bytes *b, mp_arena *a, mp_dataset *d)
{
    int graphs = d->graphs.graphs;
    for (int i = 0; i < 10; i++) {
        int v;
        b->bad = b->bad || b->rest.n < sizeof v;
        if (b->bad) return;
        memcpy(&v, b->rest.p, sizeof v);
        b->rest = (mp_span){ b->rest.p + sizeof v, b->rest.n - sizeof v };
        d->fixed[i / 2][i % 2] = v;
        b->bad = v < 0 || v > graphs || (i % 2 && v < d->fixed[i / 2][0]);
    }
    d->fixed_list = mp_bytes_list(b, a, (size_t)graphs, sizeof *d->fixed_list);
    b->bad = b->bad || (d->fixed_list && !are_below(d->fixed_list, (size_t)graphs, graphs));
    for (int i = 0; i < 5; i++) d->fixed_name[i] = mp_bytes_text(b, a);
}

static void put_recipe(mp_buf *b, const mp_recipe *r)
{
    mp_bytes_put_list(b, r, 1, sizeof *r);
}

/* Whether the columns add up; sums that an int could not hold do not. */
static bool make_up(const int *count, int n, int64_t first, int64_t last, int columns)
{
    int64_t sum = first + last;
    for (int i = 0; i < n; i++) sum += count[i] >= 0 ? count[i] : (int64_t)columns + 1;
    return first >= 0 && last >= 0 && sum == columns;
}

static void get_recipe(mp_bytes *b, mp_arena *a, mp_dataset *d)
{
    const mp_recipe *r = mp_bytes_list(b, a, 1, sizeof *r);
    b->bad = b->bad || !r || r->label_columns < 0 || r->label_columns > MP_MAX_LABEL_COLUMNS ||
             r->edge_label_columns < 0 || r->edge_label_columns > MP_MAX_LABEL_COLUMNS || r->degree < MP_DEGREE_NONE ||
             r->degree > MP_DEGREE_NORMALISED;
    if (b->bad) return;
    int64_t degrees = r->degree == MP_DEGREE_ONE_HOT ? (int64_t)r->degree_max + 1 : r->degree == MP_DEGREE_NORMALISED;
    b->bad = !make_up(r->label_count, r->label_columns, r->attributes, degrees, d->x.cols) ||
             !make_up(r->edge_label_count, r->edge_label_columns, r->edge_attributes, 0, d->edge_x.cols);
    d->recipe = *r;
}

static void put_names(mp_buf *b, const mp_names *n)
{
    mp_bytes_put_int(b, n != NULL);
    if (!n) return;
    mp_bytes_put_int(b, n->attributes);
    mp_bytes_put_int(b, n->labels);
    put_texts(b, n->attribute, n->attributes);
    put_texts(b, n->label, n->labels);
    mp_bytes_put_list(b, n->words, (size_t)n->labels, sizeof *n->words);
    for (int k = 0; k < n->labels; k++) put_texts(b, n->words[k] ? n->word[k] : NULL, n->words[k]);
}

static const mp_names *get_names(mp_bytes *b, mp_arena *a)
{
    if (!mp_bytes_int(b, 0, 1)) return NULL;
    mp_names *n = MP_NEW(a, mp_names, 1);
    n->attributes = mp_bytes_count(b);
    n->labels = (int)mp_bytes_int(b, 0, MP_MAX_LABEL_COLUMNS);
    n->attribute = get_texts(b, a, n->attributes);
    n->label = get_texts(b, a, n->labels);
    n->words = mp_bytes_list(b, a, (size_t)n->labels, sizeof *n->words);
    b->bad = b->bad || !n->attribute || !n->label || (n->labels && !n->words);
    const char *const **word = MP_NEW(a, const char *const *, n->labels + 1);
    for (int k = 0; k < n->labels && !b->bad; k++) {
        b->bad = n->words[k] < 0;
        word[k] = b->bad ? NULL : get_texts(b, a, n->words[k]);
        b->bad = b->bad || (n->words[k] && !word[k]);
    }
    n->word = word;
    return n;
}

/* ---- all of it ---- */

void mp_dataset_pack(const mp_dataset *d, mp_buf *out)
{
    static const char room[MP_SEAL_DIGITS];
    size_t from = out->n;
    mp_buf_add(out, room, sizeof room);
    mp_bytes_put_text(out, FORMAT);
    mp_bytes_put_int(out, sizeof(mp_real));
    mp_bytes_put_text(out, d->name);
    put_graphs(out, &d->graphs);
    put_sparse(out, &d->x);
    put_sparse(out, &d->edge_x);
    put_recipe(out, &d->recipe);
    put_names(out, d->names);
    put_names(out, d->edge_names);
    mp_bytes_put_text(out, d->task->name);
    mp_bytes_put_int(out, d->targets);
    mp_bytes_put_int(out, d->classes);
    mp_bytes_put_list(out, d->class_value, (size_t)d->classes, sizeof *d->class_value);
    mp_bytes_put_int(out, d->class_names);
    put_texts(out, d->class_name, d->class_names);
    put_texts(out, d->target_name, d->targets);
    put_texts(out, d->smiles, d->graphs.graphs);
    mp_bytes_put_text(out, d->preset);
    mp_bytes_put_text(out, d->origin);
    mp_bytes_put_list(out, &d->fingerprint, 1, sizeof d->fingerprint);
    put_labels(out, d);
    put_split(out, d);
    mp_haar_pack(&d->graphs, out);
    mp_bytes_seal(out, from);
}

static void get_classes(mp_bytes *b, mp_arena *a, mp_dataset *d)
{
    d->targets = mp_bytes_count(b);
    d->classes = mp_bytes_count(b);
    d->class_value = mp_bytes_list(b, a, (size_t)d->classes, sizeof *d->class_value);
    d->class_names = mp_bytes_count(b);
    d->class_name = get_texts(b, a, d->class_names);
    d->target_name = get_texts(b, a, d->targets);
    d->smiles = get_texts(b, a, d->graphs.graphs);
    b->bad = b->bad || (d->task->classes != (d->classes > 0)) || (d->class_names && !d->class_name) ||
             (d->class_name && d->class_names != (d->classes ? d->classes : 2));
}

static bool get_head(mp_bytes *b, mp_arena *a, mp_dataset *d)
{
    const char *format = mp_bytes_text(b, a);
    b->bad = b->bad || !format || strcmp(format, FORMAT) != 0 || mp_bytes_int(b, 1, 64) != sizeof(mp_real);
    d->name = b->bad ? NULL : mp_bytes_text(b, a);
    b->bad = b->bad || !d->name;
    return !b->bad;
}

static bool get_features(mp_bytes *b, mp_arena *a, mp_dataset *d)
{
    get_graphs(b, a, &d->graphs);
    if (!b->bad) get_sparse(b, a, &d->x);
    if (!b->bad) get_sparse(b, a, &d->edge_x);
    b->bad = b->bad || d->x.rows != d->graphs.nodes || (d->edge_x.cols && d->edge_x.rows != d->graphs.edges);
    if (!b->bad) get_recipe(b, a, d);
    if (!b->bad) d->names = get_names(b, a);
    if (!b->bad) d->edge_names = get_names(b, a);
    return !b->bad;
}

static bool get_meaning(mp_bytes *b, mp_arena *a, mp_dataset *d)
{
    const char *task = mp_bytes_text(b, a);
    d->task = task ? mp_task_find(task) : NULL;
    b->bad = b->bad || !d->task;
    if (!b->bad) get_classes(b, a, d);
    d->preset = mp_bytes_text(b, a);
    d->origin = mp_bytes_text(b, a);
    const uint64_t *fingerprint = mp_bytes_list(b, a, 1, sizeof *fingerprint);
    b->bad = b->bad || !fingerprint;
    if (fingerprint) d->fingerprint = *fingerprint;
    if (!b->bad) get_labels(b, a, d);
    if (!b->bad) get_split(b, a, d);
    return !b->bad;
}

mp_err mp_dataset_unpack(mp_span bytes, mp_arena *a, mp_dataset *out)
{
    mp_bytes b;
    MP_TRY(mp_bytes_unseal(bytes, "a data set", &b));
    mp_dataset *d = MP_NEW(a, mp_dataset, 1); /* what points into it stays good when it is copied */
    if (!get_head(&b, a, d) || !get_features(&b, a, d) || !get_meaning(&b, a, d))
        return mp_fail(MP_ERR_INPUT, "a data set: not one that this version of midpool packed");
    if (d->edge_x.cols) d->graphs.edge_x = &d->edge_x;
    MP_TRY(mp_haar_unpack(&b, a, &d->graphs));
    if (b.rest.n) return mp_fail(MP_ERR_INPUT, "a data set: %zu bytes too many", b.rest.n);
    *out = *d;
    return MP_OK;
}
