/* haar.c - see haar.h.
 * SPDX-License-Identifier: MIT */
#include "graph/haar.h"
#include "base/guard.h"
#include "graph/spectral.h"

#include <math.h>

/* ---- the chain */

static double *dense_of(mp_arena *a, const mp_graph *g, int b)
{
    int first = g->node_ptr[b], n = g->node_ptr[b + 1] - first;
    double *W = MP_NEW(a, double, (size_t)n *(size_t)n);
    for (int v = 0; v < n; v++)
        for (int e = g->row_ptr[first + v]; e < g->row_ptr[first + v + 1]; e++)
            W[(size_t)v * (size_t)n + (size_t)(g->col[e] - first)] = g->w ? (double)g->w->v[e] : 1;
    return W;
}

/* Weights between clusters are sums; what lies inside a cluster stays on the diagonal. */
static double *coarser(mp_arena *a, const double *W, int n, const int *cluster, int K)
{
    double *C = MP_NEW(a, double, (size_t)K *(size_t)K);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[(size_t)cluster[i] * (size_t)K + (size_t)cluster[j]] += W[(size_t)i * (size_t)n + (size_t)j];
    return C;
}

const int *mp_chain_sizes(mp_arena *a, int nodes, int levels)
{
    mp_assert(levels >= 1);
    int *size = MP_NEW(a, int, levels + 1);
    size[0] = nodes;
    for (int l = 0; l < levels; l++) size[l + 1] = l < levels - 1 && size[l] > 2 ? size[l] / 2 + 1 : 1;
    return size;
}

void mp_chain_fill(mp_arena *scratch, const mp_graph *g, int b, const mp_chain *chain, int *const *parent)
{
    mp_arena_mark here = mp_arena_here(scratch);
    const int *size = chain->size;
    const double *W = size[1] > 1 ? dense_of(scratch, g, b) : NULL;
    for (int l = 0; l < chain->levels; l++) {
        if (size[l + 1] == 1) {
            for (int v = 0; v < size[l]; v++) parent[l][v] = 0;
            continue;
        }
        mp_spectral(scratch, W, size[l], size[l + 1], (uint64_t)l, parent[l]);
        W = coarser(scratch, W, size[l], parent[l], size[l + 1]);
    }
    mp_arena_back(scratch, here);
}

void mp_chain_make(mp_arena *a, mp_arena *scratch, const mp_graph *g, int b, int levels, mp_chain *out)
{
    const int *size = mp_chain_sizes(a, g->node_ptr[b + 1] - g->node_ptr[b], levels);
    int **parent = MP_NEW(a, int *, levels);
    for (int l = 0; l < levels; l++) parent[l] = MP_NEW(a, int, size[l]);
    *out = (mp_chain){ levels, size, (const int *const *)parent };
    mp_chain_fill(scratch, g, b, out, parent);
}

/* ---- the basis */

typedef struct members { /* of each cluster, ascending */
    const int *ptr, *list;
} members;

static members members_of(mp_arena *a, const int *parent, int n, int clusters)
{
    int *ptr = MP_NEW(a, int, clusters + 2), *list = MP_NEW_RAW(a, int, n);
    for (int v = 0; v < n; v++) ptr[parent[v] + 2]++;
    for (int q = 0; q < clusters; q++) ptr[q + 2] += ptr[q + 1];
    for (int v = 0; v < n; v++) list[ptr[parent[v] + 1]++] = v;
    return (members){ ptr, list };
}

typedef struct building { /* a basis in work */
    int *ptr, *row, cols;
    double *value;
} building;

static size_t spread_size(const mp_haar *above, const members *m, int cols)
{
    size_t n = 0;
    for (int i = 0; i < above->ptr[cols]; i++) n += (size_t)(m->ptr[above->row[i] + 1] - m->ptr[above->row[i]]);
    return n;
}

/* Vector k of the level above: each cluster's number goes to its members, divided by the root of their count.
 */
static void spread(building *b, const mp_haar *above, int k, const members *m)
{
    int at = b->ptr[b->cols];
    for (int i = above->ptr[k]; i < above->ptr[k + 1]; i++) {
        int q = above->row[i];
        double share = above->value[i] / sqrt((double)(m->ptr[q + 1] - m->ptr[q]));
        for (int j = m->ptr[q]; j < m->ptr[q + 1]; j++, at++) {
            b->row[at] = m->list[j];
            b->value[at] = share;
        }
    }
    b->ptr[++b->cols] = at;
}

/* sqrt((m-q)/(m-q+1)) (chi_{q-1} - (1/(m-q)) sum_{j >= q} chi_j) on the m members of a cluster. */
static void local(building *b, const int *member, int m, int q)
{
    int at = b->ptr[b->cols];
    double left = (double)(m - q), root = sqrt(left / (left + 1));
    for (int j = q - 1; j < m; j++, at++) {
        b->row[at] = member[j];
        b->value[at] = j == q - 1 ? root : -root / left;
    }
    b->ptr[++b->cols] = at;
}

void mp_haar_basis(mp_arena *a, const mp_chain *chain, int l, int cols, mp_haar *out)
{
    int n = chain->size[l];
    mp_assert(l <= chain->levels && cols >= 0 && cols <= n);
    if (l == chain->levels) {
        int *ptr = MP_NEW(a, int, 2), *row = MP_NEW(a, int, 1);
        double *value = MP_NEW(a, double, 1);
        ptr[1] = cols;
        value[0] = 1;
        *out = (mp_haar){ 1, cols, ptr, row, value };
        return;
    }
    int K = chain->size[l + 1], spread_cols = cols < K ? cols : K;
    mp_haar above;
    mp_haar_basis(a, chain, l + 1, spread_cols, &above);
    members m = members_of(a, chain->parent[l], n, K);
    size_t room = spread_size(&above, &m, spread_cols);
    for (int q = 0; cols > K && q < K; q++) {
        size_t count = (size_t)(m.ptr[q + 1] - m.ptr[q]);
        room += count * (count + 1) / 2;
    }
    mp_count((int64_t)room, "entries of a Haar basis");
    building b = { MP_NEW(a, int, n + 1), MP_NEW_RAW(a, int, room), 0, MP_NEW_RAW(a, double, room) };
    for (int k = 0; k < spread_cols; k++) spread(&b, &above, k, &m);
    for (int q = 0; q < K; q++)
        for (int k = 1; k < m.ptr[q + 1] - m.ptr[q] && b.cols < cols; k++)
            local(&b, m.list + m.ptr[q], m.ptr[q + 1] - m.ptr[q], k);
    *out = (mp_haar){ n, b.cols, b.ptr, b.row, b.value };
}

/* A counting sort: columns come out ascending. */
mp_haar_phi mp_haar_rows(mp_arena *a, const mp_haar *h)
{
    int *ptr = MP_NEW(a, int, h->rows + 2), n = h->ptr[h->cols];
    int *col = MP_NEW_RAW(a, int, n);
    mp_real *value = MP_NEW_RAW(a, mp_real, n);
    for (int i = 0; i < n; i++) ptr[h->row[i] + 2]++;
    for (int v = 0; v < h->rows; v++) ptr[v + 2] += ptr[v + 1];
    for (int k = 0; k < h->cols; k++) {
        for (int i = h->ptr[k]; i < h->ptr[k + 1]; i++) {
            int at = ptr[h->row[i] + 1]++;
            col[at] = k;
            value[at] = (mp_real)h->value[i];
        }
    }
    return (mp_haar_phi){ ptr, col, value };
}
