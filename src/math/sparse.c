/* sparse.c - sums over neighbours and over the nonzeros of input features, gates, readouts.
 *
 * Wide rows are walked in blocks of up to eight vectors that stay in registers while the neighbours go by; what is
 * left of a row is done element by element with the same chains.
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"
#include "math/simd.h"

#define MP_DECLARE(name, args) void MP_FN(name) args;
MP_KERNEL_LIST(MP_DECLARE)

#define WIDE 8

static inline mp_real coefficient(const mp_links *g, int e)
{
    return g->p ? g->p[g->perm ? g->perm[e] : e] : (mp_real)1;
}

/* Columns c .. c + nv*VW of row v of Y. */
static inline __attribute__((always_inline)) void agg_block(int nv, mp_real *y, const mp_real *Z, const mp_links *g,
                                                            const mp_real *bias, bool add, bool relu, int v, int C)
{
    vec acc[WIDE];
    for (int i = 0; i < nv; i++) acc[i] = add ? vload(y + i * VW) : bias ? vload(bias + i * VW) : vset((mp_real)0);
    int e = g->row_ptr[v], end = g->row_ptr[v + 1];
    bool self = g->q != NULL;
    for (;;) {
        int u;
        mp_real w;
        if (self && (e == end || g->col[e] >= v)) {
            self = false;
            u = v;
            w = g->q[v];
            if (e < end && g->col[e] == v) e++; /* a stored loop: its weight is in q */
        } else if (e < end) {
            u = g->col[e];
            w = coefficient(g, e++);
        } else {
            break;
        }
        const mp_real *z = Z + (size_t)u * (size_t)C;
        vec x = vset(w);
        for (int i = 0; i < nv; i++) acc[i] = vfma(x, vload(z + i * VW), acc[i]);
    }
    for (int i = 0; i < nv; i++) vstore(y + i * VW, relu ? vrelu(acc[i]) : acc[i]);
}

/* The columns of a row that do not fill a vector. */
static void agg_rest(mp_real *y, const mp_real *Z, const mp_links *g, const mp_real *bias, bool add, bool relu, int v,
                     int C, int n)
{
    mp_real acc[VW > 1 ? VW : 2];
    for (int i = 0; i < n; i++) acc[i] = add ? y[i] : bias ? bias[i] : (mp_real)0;
    bool self = g->q != NULL;
    for (int e = g->row_ptr[v], end = g->row_ptr[v + 1]; e < end || self;) {
        int u = v;
        mp_real w;
        if (self && (e == end || g->col[e] >= v)) {
            self = false;
            w = g->q[v];
            if (e < end && g->col[e] == v) e++;
        } else {
            u = g->col[e];
            w = coefficient(g, e++);
        }
        const mp_real *z = Z + (size_t)u * (size_t)C;
        for (int i = 0; i < n; i++) acc[i] = fma1(w, z[i], acc[i]);
    }
    for (int i = 0; i < n; i++) y[i] = relu ? relu1(acc[i]) : acc[i];
}

void MP_FN(agg)(mp_real *Y, const mp_real *Z, mp_links g, const mp_real *bias, bool add, bool relu, int N, int C)
{
    for (int v = 0; v < N; v++) {
        mp_real *y = Y + (size_t)v * (size_t)C;
        int c = 0;
        for (; c + WIDE * VW <= C; c += WIDE * VW)
            agg_block(WIDE, y + c, Z + c, &g, bias ? bias + c : NULL, add, relu, v, C);
        for (; c + VW <= C; c += VW) agg_block(1, y + c, Z + c, &g, bias ? bias + c : NULL, add, relu, v, C);
        if (c < C) agg_rest(y + c, Z + c, &g, bias ? bias + c : NULL, add, relu, v, C, C - c);
    }
}

void MP_FN(edge_dot)(mp_real *out, mp_real *self, const mp_real *A, const mp_real *B, mp_links g, bool add, int N,
                     int C)
{
    for (int v = 0; v < N; v++) {
        const mp_real *a = A + (size_t)v * (size_t)C;
        for (int e = g.row_ptr[v]; e < g.row_ptr[v + 1]; e++) {
            mp_real d = dot(a, B + (size_t)g.col[e] * (size_t)C, C);
            out[e] = add ? out[e] + d : d;
        }
        if (!self) continue;
        mp_real d = dot(a, B + (size_t)v * (size_t)C, C);
        self[v] = add ? self[v] + d : d;
    }
}

static void add_row(mp_real *restrict y, mp_real a, const mp_real *restrict x, int C)
{
    for (int c = 0; c < C; c++) y[c] = fma1(a, x[c], y[c]);
}

void MP_FN(sparse_fwd)(mp_real *Y, const int *ptr, const int *col, const mp_real *val, const mp_real *W,
                       const mp_real *bias, int N, int C)
{
    for (int v = 0; v < N; v++) {
        mp_real *y = Y + (size_t)v * (size_t)C;
        if (bias)
            memcpy(y, bias, (size_t)C * sizeof *y);
        else
            memset(y, 0, (size_t)C * sizeof *y);
        for (int z = ptr[v]; z < ptr[v + 1]; z++)
            add_row(y, val ? val[z] : (mp_real)1, W + (size_t)col[z] * (size_t)C, C);
    }
}

void MP_FN(sparse_bwd)(mp_real *dW, const mp_real *dY, const int *ptr, const int *col, const mp_real *val, int N, int C)
{
    for (int v = 0; v < N; v++)
        for (int z = ptr[v]; z < ptr[v + 1]; z++)
            add_row(dW + (size_t)col[z] * (size_t)C, val ? val[z] : (mp_real)1, dY + (size_t)v * (size_t)C, C);
}

static void scale_row(mp_real *restrict y, mp_real a, const mp_real *restrict x, int C)
{
    for (int c = 0; c < C; c++) y[c] = a * x[c];
}

void MP_FN(gate_fwd)(mp_real *out, const mp_real *X, const mp_real *G, const int *keep, int K, int C, int D, int split)
{
    for (int i = 0; i < K; i++, G += D) {
        const mp_real *x = X + (size_t)keep[i] * (size_t)C;
        if (split == 0) {
            for (int d = 0; d < D; d++, out += C) scale_row(out, G[d], x, C);
        } else {
            for (int c = 0; c < C; c++) out[c] = G[c / split] * x[c];
            out += C;
        }
    }
}

void MP_FN(gate_bwd)(mp_real *dX, mp_real *dG, const mp_real *dOut, const mp_real *X, const mp_real *G, const int *keep,
                     int K, int C, int D, int split)
{
    int copies = split ? 1 : D;
    for (int i = 0; i < K; i++, G += D, dOut += (size_t)copies * (size_t)C) {
        size_t at = (size_t)keep[i] * (size_t)C;
        for (int d = 0; d < D; d++) {
            int from = split ? (d * split < C ? d * split : C) : 0;
            int to = split ? (from + split < C ? from + split : C) : C;
            const mp_real *dy = dOut + (split ? 0 : (size_t)d * (size_t)C) + from;
            if (dX) add_row(dX + at + from, G[d], dy, to - from);
            if (dG) dG[(size_t)i * (size_t)D + d] = dot(X + at + from, dy, to - from);
        }
    }
}

void MP_FN(readout_max)(mp_real *out, int *arg, const mp_real *X, const int *ptr, int B, int C, int ld)
{
    for (int b = 0; b < B; b++) {
        mp_real *restrict y = out + (size_t)b * (size_t)ld;
        int *restrict at = arg + (size_t)b * (size_t)C;
        for (int c = 0; c < C; c++) {
            y[c] = ptr[b] < ptr[b + 1] ? X[(size_t)ptr[b] * (size_t)C + c] : 0;
            at[c] = ptr[b] < ptr[b + 1] ? ptr[b] : -1;
        }
        for (int v = ptr[b] + 1; v < ptr[b + 1]; v++) {
            const mp_real *restrict x = X + (size_t)v * (size_t)C;
            for (int c = 0; c < C; c++) {
                at[c] = x[c] > y[c] ? v : at[c];
                y[c] = x[c] > y[c] ? x[c] : y[c];
            }
        }
    }
}

void MP_FN(readout_sum)(mp_real *out, const mp_real *X, const int *ptr, const mp_real *scale, int B, int C, int ld)
{
    for (int b = 0; b < B; b++) {
        mp_real *restrict y = out + (size_t)b * (size_t)ld;
        for (int c = 0; c < C; c++) y[c] = 0;
        for (int v = ptr[b]; v < ptr[b + 1]; v++) {
            const mp_real *restrict x = X + (size_t)v * (size_t)C;
            for (int c = 0; c < C; c++) y[c] += x[c];
        }
        if (scale)
            for (int c = 0; c < C; c++) y[c] *= scale[b];
    }
}

void MP_FN(readout_max_bwd)(mp_real *dX, const mp_real *dOut, const int *arg, int B, int C, int ld)
{
    for (int b = 0; b < B; b++) {
        for (int c = 0; c < C; c++) {
            int v = arg[(size_t)b * (size_t)C + c];
            if (v >= 0) dX[(size_t)v * (size_t)C + c] += dOut[(size_t)b * (size_t)ld + c];
        }
    }
}

void MP_FN(readout_sum_bwd)(mp_real *dX, const mp_real *dOut, const int *ptr, const mp_real *scale, bool add, int B,
                            int C, int ld)
{
    for (int b = 0; b < B; b++) {
        const mp_real *restrict dy = dOut + (size_t)b * (size_t)ld;
        mp_real s = scale ? scale[b] : (mp_real)1;
        for (int v = ptr[b]; v < ptr[b + 1]; v++) {
            mp_real *restrict dx = dX + (size_t)v * (size_t)C;
            if (add)
                for (int c = 0; c < C; c++) dx[c] = fma1(s, dy[c], dx[c]);
            else
                for (int c = 0; c < C; c++) dx[c] = s * dy[c];
        }
    }
}

void MP_FN(col_sum)(mp_real *out, const mp_real *X, bool add, int N, int C)
{
    if (C <= MP_NARROW) { /* few columns, often sums that cancel: double costs nothing here */
        double sum[MP_NARROW] = { 0 };
        for (int v = 0; v < N; v++)
            for (int c = 0; c < C; c++) sum[c] += (double)X[(size_t)v * (size_t)C + c];
        for (int c = 0; c < C; c++) out[c] = (mp_real)(add ? (double)out[c] + sum[c] : sum[c]);
        return;
    }
    if (!add) memset(out, 0, (size_t)C * sizeof *out);
    for (int v = 0; v < N; v++) {
        const mp_real *restrict x = X + (size_t)v * (size_t)C;
        for (int c = 0; c < C; c++) out[c] += x[c];
    }
}
