/* near.c - the largest value a channel has over a neighbourhood, and its backward.
 *
 * A row's maxima stay in registers while the neighbours go by. Which neighbour had the maximum is not written down: the
 * backward compares again, which costs less than N x C places stored and loaded.
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"
#include "math/simd.h"

#define MP_DECLARE(name, args) void MP_FN(name) args;
MP_KERNEL_LIST(MP_DECLARE)

#define WIDE  8
#define BLOCK 128 /* columns of the backward at a time */

/* Columns of row v that fill nv vectors. */
static inline __attribute__((always_inline)) void max_block(int nv, mp_real *y, const mp_real *X, const mp_links *g,
                                                            int v, int C)
{
    vec top[WIDE];
    int e = g->row_ptr[v];
    const mp_real *x = X + (size_t)g->col[e] * (size_t)C;
    for (int i = 0; i < nv; i++) top[i] = vload(x + i * VW);
    while (++e < g->row_ptr[v + 1]) {
        x = X + (size_t)g->col[e] * (size_t)C;
        for (int i = 0; i < nv; i++) top[i] = vmax(vload(x + i * VW), top[i]);
    }
    for (int i = 0; i < nv; i++) vstore(y + i * VW, top[i]);
}

/* One column that does not fill a vector. */
static void max_one(mp_real *y, const mp_real *X, const mp_links *g, int v, int C)
{
    int e = g->row_ptr[v];
    mp_real top = X[(size_t)g->col[e] * (size_t)C];
    while (++e < g->row_ptr[v + 1]) top = max1(X[(size_t)g->col[e] * (size_t)C], top);
    *y = top;
}

void MP_FN(near_max)(mp_real *out, const mp_real *X, mp_links g, int N, int C)
{
    for (int v = 0; v < N; v++) {
        mp_real *y = out + (size_t)v * (size_t)C;
        int c = 0;
        for (; c + WIDE * VW <= C; c += WIDE * VW) max_block(WIDE, y + c, X + c, &g, v, C);
        for (; c + VW <= C; c += VW) max_block(1, y + c, X + c, &g, v, C);
        for (; c < C; c++) max_one(y + c, X + c, &g, v, C);
    }
}

/* Gives what is left of dy to the columns where x is the maximum. */
static void give(mp_real *restrict dx, mp_real *restrict left, const mp_real *restrict x, const mp_real *restrict y,
                 int n)
{
    for (int c = 0; c < n; c++) {
        dx[c] = x[c] == y[c] ? dx[c] + left[c] : dx[c];
        left[c] = x[c] == y[c] ? 0 : left[c];
    }
}

void MP_FN(near_max_bwd)(mp_real *dX, const mp_real *dOut, const mp_real *out, const mp_real *X, mp_links g, int N,
                         int C)
{
    mp_real left[BLOCK];
    for (int v = 0; v < N; v++) {
        for (int c = 0; c < C; c += BLOCK) {
            int n = C - c < BLOCK ? C - c : BLOCK;
            size_t at = (size_t)v * (size_t)C + (size_t)c;
            memcpy(left, dOut + at, (size_t)n * sizeof *left);
            for (int e = g.row_ptr[v]; e < g.row_ptr[v + 1]; e++) {
                size_t u = (size_t)g.col[e] * (size_t)C + (size_t)c;
                give(dX + u, left, X + u, out + at, n);
            }
        }
    }
}
