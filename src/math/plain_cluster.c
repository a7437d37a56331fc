/* plain_cluster.c - clusters: coarse adjacencies sparse and dense, and closeness to the keys of a memory (plain.h). The ops
 * say what each computes: op_coarse.c, coarse_dense.c, op_memory.c.
 * SPDX-License-Identifier: MIT */
#include "math/plain.h"

MP_PLAIN_LIST(MP_PLAIN_DECLARE)

static size_t at(int row, int cols)
{
    return (size_t)row * (size_t)cols;
}

/* ---- coarse: M of cluster p; returns how many nodes have it set. */
static int spread(const mp_coarse_work *s, const mp_real *alpha, const mp_csr *g, const mp_members *t, int p)
{
    int count = 0;
    for (int i = t->cluster_ptr[p]; i < t->cluster_ptr[p + 1]; i++) {
        int j = t->member[i];
        mp_real strength = alpha[t->member_at[i]];
        for (int f = g->row_ptr[j]; f < g->row_ptr[j + 1]; f++) {
            int l = g->col[f];
            if (s->mark[l] != p) {
                s->mark[l] = p;
                s->m[l] = 0;
                s->near[count++] = l;
            }
            s->m[l] += strength * s->leaving[f];
        }
    }
    return count;
}

/* The clusters that share a node with M, each once, and their sums. */
void mp_plain_coarse_meet(int *count, const mp_coarse_work *s, const mp_real *alpha, const mp_csr *g,
                          const mp_members *t, int p)
{
    int near = spread(s, alpha, g, t, p), n = 0;
    for (int i = 0; i < near; i++) {
        int l = s->near[i];
        for (int k = t->node_ptr[l]; k < t->node_ptr[l + 1]; k++) {
            int q = t->owner[k];
            if (s->seen[q] != p) {
                s->seen[q] = p;
                s->value[q] = 0;
                s->found[n++] = q;
            }
            s->value[q] += s->m[l] * s->share[k];
        }
    }
    *count = n;
}

void mp_plain_coarse_list(int *count, int *to, mp_real *weight, const mp_coarse_work *s, int found,
                          mp_diagonal diagonal, int p)
{
    int n = 0;
    for (int i = 0; i < found; i++) {
        int q = s->found[i];
        if (q == p && diagonal != MP_DIAGONAL_SUM) continue;
        to[n] = q;
        weight[n++] = s->value[q];
    }
    if (diagonal == MP_DIAGONAL_ONE) {
        to[n] = p;
        weight[n++] = 1;
    }
    *count = n;
}

static void coarse_row_bwd(mp_real *dshare, mp_real *dalpha, mp_real *dw, const mp_real *dweight,
                           const mp_coarse_work *s, const mp_real *alpha, const mp_csr *g, const mp_csr *out,
                           const mp_members *t, mp_diagonal diagonal, int p)
{
    int count = spread(s, alpha, g, t, p);
    for (int k = out->row_ptr[p]; k < out->row_ptr[p + 1]; k++) s->da[out->col[k]] = dweight[out->rev[k]];
    if (diagonal != MP_DIAGONAL_SUM) s->da[p] = 0;
    for (int i = 0; i < count; i++) {
        int l = s->near[i];
        mp_real sum = 0;
        for (int k = t->node_ptr[l]; k < t->node_ptr[l + 1]; k++) {
            mp_real d = s->da[t->owner[k]];
            sum += d * s->share[k];
            if (dshare) dshare[k] += d * s->m[l];
        }
        s->dm[l] = sum;
    }
    for (int i = t->cluster_ptr[p]; i < t->cluster_ptr[p + 1]; i++) {
        int j = t->member[i], here = t->member_at[i];
        mp_real sum = 0;
        for (int f = g->row_ptr[j]; f < g->row_ptr[j + 1]; f++) {
            mp_real dm = s->dm[g->col[f]];
            sum += s->leaving[f] * dm;
            if (dw) dw[g->rev[f]] += alpha[here] * dm;
        }
        if (dalpha) dalpha[here] += sum;
    }
}

void mp_plain_coarse_rows_bwd(mp_real *dshare, mp_real *dalpha, mp_real *dw, const mp_real *dweight,
                              const mp_coarse_work *s, const mp_real *alpha, const mp_csr *g, const mp_csr *out,
                              const mp_members *t, mp_diagonal diagonal, int from, int end)
{
    for (int p = from; p < end; p++) coarse_row_bwd(dshare, dalpha, dw, dweight, s, alpha, g, out, t, diagonal, p);
}

/* ---- dense blocks */
void mp_plain_dense_put(mp_real *D, const mp_real *value, const int *ptr, const int *item, int first, bool flip,
                        int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        for (int i = ptr[r]; i < ptr[r + 1]; i++) {
            int c = item[i] - first;
            D[flip ? at(c, rows) + (size_t)r : at(r, cols) + (size_t)c] = value ? value[i] : (mp_real)1;
        }
    }
}

void mp_plain_dense_take(mp_real *value, const mp_real *D, const int *ptr, const int *item, int first, bool add,
                         int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        for (int i = ptr[r]; i < ptr[r + 1]; i++) {
            mp_real d = D[at(r, cols) + (size_t)(item[i] - first)];
            value[i] = add ? value[i] + d : d;
        }
    }
}

void mp_plain_diagonal_set(mp_real *Y, mp_real value, int K)
{
    for (int i = 0; i < K; i++) Y[at(i, K + 1)] = value;
}

/* ---- memory. Rounding may leave a distance below 0. */
void mp_plain_closeness(mp_real *u, mp_real *sum, const mp_real *x2, const mp_real *key2, int N, int H, int K)
{
    for (int v = 0; v < N; v++) {
        mp_real *row = u + at(v, H * K);
        for (int j = 0; j < H * K; j++) {
            mp_real d = x2[v] - 2 * row[j] + key2[j];
            row[j] = 1 / (1 + (d > 0 ? d : 0));
        }
        for (int h = 0; h < H; h++) {
            mp_real all = 0;
            for (int j = h * K; j < (h + 1) * K; j++) all += row[j];
            sum[at(v, H) + (size_t)h] = all;
        }
    }
}

void mp_plain_closeness_bwd(mp_real *e, mp_real *dmix, const mp_real *dout, const mp_real *u, const mp_real *sum,
                            const mp_real *mix, int N, int H, int K)
{
    for (int v = 0; v < N; v++) {
        const mp_real *d = dout + at(v, K);
        for (int h = 0; h < H; h++) {
            size_t first = at(v, H * K) + at(h, K);
            mp_real scale = 1 / sum[at(v, H) + (size_t)h], along = 0;
            for (int j = 0; j < K; j++) along += d[j] * u[first + (size_t)j] * scale;
            if (dmix) dmix[h] += along;
            for (int j = 0; j < K; j++) {
                mp_real near = u[first + (size_t)j];
                e[first + (size_t)j] = 2 * near * near * mix[h] * (d[j] - along) * scale;
            }
        }
    }
}

void mp_plain_head_weights(mp_real *out, const mp_real *mix, const mp_real *sum, int h, int N, int H)
{
    for (int v = 0; v < N; v++) out[v] = mix[h] / sum[at(v, H) + (size_t)h];
}

void mp_plain_minus_sums(mp_real *rows, mp_real *cols, const mp_real *X, int N, int C)
{
    for (int j = 0; j < C; j++) cols[j] = 0;
    for (int v = 0; v < N; v++) {
        mp_real sum = 0;
        for (int j = 0; j < C; j++) {
            sum += X[at(v, C) + (size_t)j];
            cols[j] += X[at(v, C) + (size_t)j];
        }
        rows[v] = -sum;
    }
    for (int j = 0; j < C; j++) cols[j] = -cols[j];
}
