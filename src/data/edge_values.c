/* edge_values.c - see edge_values.h. Every entry of the list looks its edge up in the sorted row: E log(degree) steps.
 * SPDX-License-Identifier: MIT */
#include "data/edge_values.h"
#include "base/guard.h"

#include <string.h>

static bool same_labels(const mp_edge_list *in, int i, int j)
{
    size_t n = (size_t)in->label_columns;
    return n == 0 || memcmp(in->labels + (size_t)i * n, in->labels + (size_t)j * n, n * sizeof(int)) == 0;
}

static bool same_attributes(const mp_sparse *x, int i, int j)
{
    if (x->cols == 0) return true;
    int n = x->ptr[i + 1] - x->ptr[i];
    bool same = x->ptr[j + 1] - x->ptr[j] == n;
    for (int k = 0; same && k < n; k++) {
        int p = x->ptr[i] + k, q = x->ptr[j] + k;
        same = x->col[p] == x->col[q] && (!x->val || x->val[p] == x->val[q]);
    }
    return same;
}

/* For each edge of the graph, in both directions, the first entry of the list that has it. */
static bool first_entries(const mp_edge_list *in, const mp_graph *g, int *entry, mp_edge_clash *clash)
{
    for (int e = 0; e < g->edges; e++) entry[e] = -1;
    for (int i = 0; i < in->n; i++) {
        if (in->from[i] == in->to[i]) continue;
        int e = mp_graph_edge(g, in->from[i], in->to[i]);
        mp_assert(e >= 0);
        if (entry[e] < 0) {
            entry[e] = entry[g->rev[e]] = i;
            continue;
        }
        bool labels = same_labels(in, entry[e], i);
        if (labels && same_attributes(&in->attributes, entry[e], i)) continue;
        *clash = (mp_edge_clash){ entry[e], i, !labels };
        return false;
    }
    return true;
}

void mp_edge_places(const mp_graph *g, int n, const int *from, const int *to, bool *listed, int *place)
{
    memset(listed, 0, (size_t)g->edges * sizeof *listed);
    for (int i = 0; i < n; i++) {
        int e = from[i] == to[i] ? -1 : mp_graph_edge(g, from[i], to[i]);
        if (e < 0 || listed[e]) continue;
        listed[e] = listed[g->rev[e]] = true;
        *place++ = e;
    }
}

static const int *take_labels(const mp_edge_list *in, const int *entry, int edges, mp_arena *a)
{
    size_t n = (size_t)in->label_columns;
    int *out = MP_NEW_RAW(a, int, (size_t)edges *n);
    for (int e = 0; e < edges; e++) memcpy(out + (size_t)e * n, in->labels + (size_t)entry[e] * n, n * sizeof *out);
    return out;
}

static mp_sparse take_attributes(const mp_sparse *x, const int *entry, int edges, mp_arena *a)
{
    int *ptr = MP_NEW(a, int, edges + 1);
    int64_t count = 0;
    for (int e = 0; e < edges; e++) {
        count += x->ptr[entry[e] + 1] - x->ptr[entry[e]];
        ptr[e + 1] = mp_count(count, "attributes of edges");
    }
    int *col = MP_NEW_RAW(a, int, count);
    mp_real *val = x->val ? MP_NEW_RAW(a, mp_real, count) : NULL;
    for (int e = 0; e < edges; e++) {
        size_t n = (size_t)(ptr[e + 1] - ptr[e]);
        memcpy(col + ptr[e], x->col + x->ptr[entry[e]], n * sizeof *col);
        if (val) memcpy(val + ptr[e], x->val + x->ptr[entry[e]], n * sizeof *val);
    }
    return (mp_sparse){ .rows = edges, .cols = x->cols, .ptr = ptr, .col = col, .val = val };
}

bool mp_edge_values(const mp_edge_list *in, mp_arena *scratch, mp_arena *a, mp_raw *raw, mp_edge_clash *clash)
{
    const mp_graph *g = &raw->graphs;
    int *entry = MP_NEW_RAW(scratch, int, g->edges);
    if (!first_entries(in, g, entry, clash)) return false;
    raw->edge_label_columns = in->label_columns;
    if (in->label_columns) raw->edge_labels = take_labels(in, entry, g->edges, a);
    if (in->attributes.cols) raw->edge_attributes = take_attributes(&in->attributes, entry, g->edges, a);
    return true;
}
