/* edge_rows.c - see edge_rows.h. Time is linear in the edges.
 *
 * Rows are transposed: walking the sources in ascending order leaves every target's list sorted, and repeated edges side by
 * side.
 * SPDX-License-Identifier: MIT */
#include "data/edge_rows.h"
#include "base/guard.h"

#include <string.h>

void mp_lengths_to_starts(int *ptr, int nodes)
{
    int sum = 0;
    for (int v = 0; v <= nodes; v++) {
        int n = ptr[v];
        ptr[v] = sum;
        sum += n;
    }
}

static int *copy_of(const int *p, int n, mp_arena *a)
{
    int *q = MP_NEW_RAW(a, int, n);
    memcpy(q, p, (size_t)n * sizeof *q);
    return q;
}

/* Rows by target from rows by source. Columns of the result ascend, repeats are left out and counted. */
static mp_adjacency transpose(const mp_adjacency *in, int nodes, mp_arena *scratch, mp_arena *a, int *repeated)
{
    mp_adjacency out = { MP_NEW(a, int, nodes + 1), MP_NEW_RAW(a, int, in->ptr[nodes]) };
    for (int e = 0; e < in->ptr[nodes]; e++) out.ptr[in->col[e]]++;
    mp_lengths_to_starts(out.ptr, nodes);
    int *next = copy_of(out.ptr, nodes + 1, scratch), dropped = 0;
    for (int v = 0; v < nodes; v++) {
        for (int e = in->ptr[v]; e < in->ptr[v + 1]; e++) {
            int u = in->col[e];
            if (next[u] > out.ptr[u] && out.col[next[u] - 1] == v)
                dropped++;
            else
                out.col[next[u]++] = v;
        }
    }
    for (int v = 0, at = 0; dropped && v <= nodes; v++) { /* close the gaps */
        int first = out.ptr[v], n = v < nodes ? next[v] - first : 0;
        memmove(out.col + at, out.col + first, (size_t)n * sizeof(int));
        out.ptr[v] = at;
        at += n;
    }
    *repeated = dropped;
    return out;
}

/* rev[e] for symmetric rows. Sources come in ascending order, as do the columns of every row, so the reverse
 * of the next edge that points to u is the next one of u's row: no search. False when one is missing. */
static bool reverse(const mp_adjacency *r, int nodes, int *next, int *rev)
{
    memcpy(next, r->ptr, (size_t)nodes * sizeof *next);
    for (int v = 0; v < nodes; v++) {
        for (int e = r->ptr[v]; e < r->ptr[v + 1]; e++) {
            int u = r->col[e], back = next[u];
            if (back == r->ptr[u + 1] || r->col[back] != v) return false;
            rev[e] = back;
            next[u]++;
        }
    }
    return true;
}

/* One ascending list out of two; `out` NULL only counts. */
static int merge(const int *x, int nx, const int *y, int ny, int *out)
{
    int n = 0;
    for (int i = 0, j = 0; i < nx || j < ny; n++) {
        int take = j == ny || (i < nx && x[i] < y[j]) ? x[i] : y[j];
        i += i < nx && x[i] == take;
        j += j < ny && y[j] == take;
        if (out) out[n] = take;
    }
    return n;
}

static mp_err add_reverses(mp_adjacency *r, int nodes, const char *file, mp_arena *scratch, mp_arena *a, int *added)
{
    int none;
    mp_adjacency other = transpose(r, nodes, scratch, scratch, &none), both = { MP_NEW(a, int, nodes + 1), NULL };
    int64_t total = 0;
    for (int v = 0; v < nodes; v++) {
        both.ptr[v] = merge(r->col + r->ptr[v], r->ptr[v + 1] - r->ptr[v], other.col + other.ptr[v],
                            other.ptr[v + 1] - other.ptr[v], NULL);
        total += both.ptr[v];
    }
    if (total > MP_MOST_COUNT)
        return mp_fail(MP_ERR_LIMIT, "%s: more than %d edges with their reverses", file, MP_MOST_COUNT);
    mp_lengths_to_starts(both.ptr, nodes);
    both.col = MP_NEW_RAW(a, int, total);
    for (int v = 0; v < nodes; v++)
        merge(r->col + r->ptr[v], r->ptr[v + 1] - r->ptr[v], other.col + other.ptr[v], other.ptr[v + 1] - other.ptr[v],
              both.col + both.ptr[v]);
    *added = (int)total - r->ptr[nodes];
    *r = both;
    return MP_OK;
}

mp_err mp_edge_rows(mp_adjacency by_source, const char *file, mp_arena *scratch, mp_arena *a, mp_raw *raw)
{
    mp_graph *g = &raw->graphs;
    int nodes = g->nodes;
    mp_adjacency r = transpose(&by_source, nodes, scratch, a, &raw->repeated_edges);
    int *next = MP_NEW_RAW(scratch, int, nodes), *rev = MP_NEW_RAW(a, int, r.ptr[nodes]);
    if (!reverse(&r, nodes, next, rev)) {
        MP_TRY(add_reverses(&r, nodes, file, scratch, a, &raw->added_reverse));
        rev = MP_NEW_RAW(a, int, r.ptr[nodes]);
        bool whole = reverse(&r, nodes, next, rev);
        mp_assert(whole);
    }
    g->edges = r.ptr[nodes];
    g->row_ptr = r.ptr;
    g->col = r.col;
    g->rev = rev;
    return MP_OK;
}
