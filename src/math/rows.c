/* rows.c - whole rows: taken and given back by number, copied between matrices of different widths, added with a factor
 * each. One chain an element, so every instruction set gives the same bits.
 * SPDX-License-Identifier: MIT */
#include "math/fun.h"
#include "math/kernels.h"
#include "math/simd.h"

#define MP_DECLARE(name, args) void MP_FN(name) args;
MP_KERNEL_LIST(MP_DECLARE)

static size_t at(int row, int cols)
{
    return (size_t)row * (size_t)cols;
}

static void add_row(mp_real *restrict y, const mp_real *restrict x, int C)
{
    for (int c = 0; c < C; c++) y[c] += x[c];
}

static void scaled_row(mp_real *restrict y, mp_real a, const mp_real *restrict x, bool add, int C)
{
    if (add)
        for (int c = 0; c < C; c++) y[c] = fma1(a, x[c], y[c]);
    else
        for (int c = 0; c < C; c++) y[c] = a * x[c];
}

void MP_FN(rows_take)(mp_real *out, const mp_real *X, const int *which, mp_real other, int n, int C)
{
    if (C == 1) {
        for (int i = 0; i < n; i++) out[i] = which[i] >= 0 ? X[which[i]] : other;
        return;
    }
    for (int i = 0; i < n; i++) {
        mp_real *y = out + at(i, C);
        if (which[i] >= 0)
            memcpy(y, X + at(which[i], C), (size_t)C * sizeof *y);
        else
            for (int c = 0; c < C; c++) y[c] = other;
    }
}

void MP_FN(rows_give)(mp_real *dX, const mp_real *dout, const int *which, int n, int C)
{
    if (C == 1) {
        for (int i = 0; i < n; i++)
            if (which[i] >= 0) dX[which[i]] += dout[i];
        return;
    }
    for (int i = 0; i < n; i++)
        if (which[i] >= 0) add_row(dX + at(which[i], C), dout + at(i, C), C);
}

void MP_FN(rows_clear)(mp_real *X, const bool *except, int N, int C)
{
    for (int v = 0; v < N; v++)
        if (!except[v]) memset(X + at(v, C), 0, (size_t)C * sizeof *X);
}

void MP_FN(cols_copy)(mp_real *to, int ld_to, const mp_real *from, int ld_from, bool add, int N, int C)
{
    for (int r = 0; r < N; r++) {
        if (add)
            add_row(to + at(r, ld_to), from + at(r, ld_from), C);
        else
            memcpy(to + at(r, ld_to), from + at(r, ld_from), (size_t)C * sizeof *to);
    }
}

void MP_FN(windows_add)(mp_real *dX, const mp_real *windows, int step, int places, int span)
{
    MP_FN(cols_copy)(dX, step, windows, span, true, places, span);
}

void MP_FN(rows_axpy)(mp_real *Y, const mp_real *a, const mp_real *X, int ld, bool add, int N, int C)
{
    for (int r = 0; r < N; r++) scaled_row(Y + at(r, C), a[r], X + at(r, ld), add, C);
}

void MP_FN(bias_rows)(mp_real *Y, const mp_real *bias, bool add, int N, int C)
{
    MP_FN(cols_copy)(Y, C, bias, 0, add, N, C);
}

void MP_FN(cut_loss_bwd)(mp_real *dS, mp_real *dA0, mp_real *dd, const mp_real *dloss, const mp_real *S,
                         const mp_real *d, const double *num, const double *den, const int *ptr, int B, int K)
{
    double g = (double)dloss[0] / B;
    for (int b = 0; b < B; b++) {
        if (!(den[b] > 0)) continue;
        mp_real t = (mp_real)(g * num[b] / (den[b] * den[b])), one = (mp_real)(-g / den[b]);
        for (int i = 0; dA0 && i < K; i++) dA0[at(b * K, K) + at(i, K + 1)] += one;
        for (int v = ptr[b]; v < ptr[b + 1]; v++) {
            const mp_real *s = S + at(v, K);
            if (dS) scaled_row(dS + at(v, K), 2 * t * d[v], s, true, K);
            if (dd) dd[v] += t * (mp_real)squares(s, (size_t)K);
        }
    }
}

static bool has_row(const mp_addends *p, int k, size_t row)
{
    return !p->mark[k] || p->mark[k][row];
}

/* n numbers of one row, which begin at number `at` of the matrix. */
static void add_row_parts(mp_real *sum, const mp_addends *p, size_t at, size_t n, size_t row)
{
    bool begun = has_row(p, 0, row);
    for (int k = 1; k < p->count; k++) {
        if (!has_row(p, k, row)) continue;
        MP_FN(axpy)(sum, 1, p->addend[k] + at, begun, n);
        begun = true;
    }
    if (!begun) memset(sum, 0, n * sizeof *sum);
}

void MP_FN(add_all)(mp_real *sum, const mp_addends *p, size_t from, size_t n)
{
    if (!p->marked) {
        for (int k = 1; k < p->count; k++) MP_FN(axpy)(sum, 1, p->addend[k] + from, true, n);
        return;
    }
    size_t cols = (size_t)p->cols, end = from + n, more;
    for (size_t i = from; i < end; i += more) {
        more = cols - i % cols < end - i ? cols - i % cols : end - i;
        add_row_parts(sum + (i - from), p, i, more, i / cols);
    }
}
