/* one_loss.h - losses of clusterings for one graph or one row: one text for the processor's kernels (plain_loss.c) and a GPU's
 * (cuda/losses.cuh), as one.h. The op says what each computes: op_cluster_loss.c.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ONE_LOSS_H
#define MP_ONE_LOSS_H

#include "math/fun.h"
#include "math/one.h"

#define LOSS_TINY 1e-15

MP_ANYWHERE double diagonal_sum(const mp_real *a, int K)
{
    double sum = 0;
    for (int i = 0; i < K; i++) sum += (double)a[(size_t)i * ((size_t)K + 1)];
    return sum;
}

/* |A_b - S_b S_b^T|^2; rounding may push a perfect fit below 0. */
MP_ANYWHERE double residual(const mp_real *A0, const mp_real *M, const mp_real *w, const int *node_ptr,
                            const int *row_ptr, int b, int K)
{
    size_t size = (size_t)K * (size_t)K, block = (size_t)b * size;
    int from = row_ptr[node_ptr[b]], to = row_ptr[node_ptr[b + 1]];
    double edges = w ? squares(w + from, (size_t)(to - from)) : to - from;
    double r = edges - 2 * diagonal_sum(A0 + block, K) + squares(M + block, size);
    return r > 0 ? r : 0;
}

MP_ANYWHERE mp_real row_scale(const int *ptr, int b, int padded, int B)
{
    return 1 / ((mp_real)(padded ? padded : ptr[b + 1] - ptr[b]) * (mp_real)B);
}

MP_ANYWHERE double at_least(double v)
{
    return v > LOSS_TINY ? v : LOSS_TINY;
}

/* log of a double from the logarithm of mp_real: P and S are often close, and what is left of their
 * difference is the loss, so the rounding of the argument must not be in it. */
MP_ANYWHERE double log_of(double q)
{
    mp_real near = (mp_real)q;
    return (double)log1(near) + (q - (double)near) / (double)near;
}

/* One row: its loss; slope gets the derivative with P held fixed, du that by U, 0 when P is a constant. The
 * row is divided by its sum, which is 1 but for rounding. */
MP_ANYWHERE double kl_row(mp_real *slope, double *du, const mp_real *s, const double *f, int K, bool detach)
{
    double r = 0, along = 0, loss = 0, sum = 0, all = 0;
    for (int j = 0; j < K; j++) {
        r += (double)s[j] * (double)s[j] / f[j];
        sum += (double)s[j];
    }
    double log_sum = log_of(sum);
    for (int j = 0; j < K; j++) {
        double share = (double)s[j] * (double)s[j] / f[j] / r, target = at_least(share);
        double gap = log_of(target / at_least((double)s[j])) + log_sum;
        loss += target * gap;
        all += target;
        slope[j] = (double)s[j] > LOSS_TINY ? (mp_real)(-target / (double)s[j]) : 0;
        du[j] = share > LOSS_TINY && !detach ? gap + 1 : 0; /* dP */
        along += du[j] * share;
    }
    for (int j = 0; j < K; j++) {
        slope[j] += (mp_real)(all / sum);
        du[j] = detach ? 0 : (du[j] - along) / r;
    }
    return loss;
}

#endif
