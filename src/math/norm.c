/* norm.c - BatchNorm and PReLU: statistics of columns in double, each a chain over the rows upwards, and loops over
 * elements.
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"
#include "math/simd.h"

#define MP_DECLARE(name, args) void MP_FN(name) args;
MP_KERNEL_LIST(MP_DECLARE)

void MP_FN(col_stats)(double *restrict stat, const mp_real *restrict X, int N, int C)
{
    size_t n = (size_t)N, m = (size_t)C;
    for (size_t j = 0; j < 2 * m; j++) stat[j] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) stat[j] += (double)X[i * m + j];
    for (size_t j = 0; j < m; j++) stat[j] /= N;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            double d = (double)X[i * m + j] - stat[j];
            stat[m + j] += d * d;
        }
    }
    for (size_t j = 0; j < m; j++) stat[m + j] /= N;
}

void MP_FN(col_pair)(double *restrict sum, const mp_real *restrict X, const mp_real *restrict Y, int N, int C)
{
    size_t n = (size_t)N, m = (size_t)C;
    for (size_t j = 0; j < 2 * m; j++) sum[j] = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            double x = (double)X[i * m + j];
            sum[j] += x * (double)Y[i * m + j];
            sum[m + j] += x;
        }
    }
}

void MP_FN(norm_fwd)(mp_real *restrict Y, mp_real *restrict hat, const mp_real *restrict X, const mp_affine *how, int N,
                     int C)
{
    const mp_real *restrict mean = how->mean, *restrict scale = how->scale;
    const mp_real *restrict gamma = how->gamma, *restrict beta = how->beta;
    size_t n = (size_t)N, m = (size_t)C;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            mp_real h = (X[i * m + j] - mean[j]) * scale[j];
            hat[i * m + j] = h;
            Y[i * m + j] = gamma[j] * h + beta[j];
        }
    }
}

void MP_FN(norm_bwd)(mp_real *restrict dX, const mp_real *restrict dY, const mp_real *restrict hat,
                     const mp_real *restrict factor, const mp_real *restrict less, bool add, int N, int C)
{
    size_t n = (size_t)N, m = (size_t)C;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            mp_real d = factor[j] * (dY[i * m + j] - less[j] - hat[i * m + j] * less[m + j]);
            dX[i * m + j] = add ? dX[i * m + j] + d : d;
        }
    }
}

void MP_FN(prelu_fwd)(mp_real *restrict out, const mp_real *restrict x, const mp_real *slope, size_t n)
{
    mp_real a = *slope;
    for (size_t i = 0; i < n; i++) out[i] = x[i] < 0 ? a * x[i] : x[i];
}

void MP_FN(prelu_bwd)(mp_real *restrict dx, const mp_real *restrict dy, const mp_real *restrict x, const mp_real *slope,
                      bool add, size_t n)
{
    mp_real a = *slope;
    for (size_t i = 0; i < n; i++) {
        mp_real d = x[i] < 0 ? a * dy[i] : dy[i];
        dx[i] = add ? dx[i] + d : d;
    }
}
