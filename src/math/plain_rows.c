/* plain_rows.c - loops over rows and columns: sparsemax, sizes, normalisation, sequences, heads (plain.h). The ops say what
 * each computes: op_softmax.c, op_size.c, op_block.c, op_norm.c, op_lstm.c, op_conv1d.c, op_mha.c, op_act.c.
 * SPDX-License-Identifier: MIT */
#include "math/one.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MP_PLAIN_LIST(MP_PLAIN_DECLARE)

static size_t at(int row, int cols)
{
    return (size_t)row * (size_t)cols;
}

/* ---- sparsemax */
static int falling(const void *a, const void *b)
{
    mp_real x = *(const mp_real *)a, y = *(const mp_real *)b;
    return (x < y) - (x > y);
}

/* tau of one group z - top, in sorted scratch. */
static mp_real threshold(mp_real *sorted, int n)
{
    qsort(sorted, (size_t)n, sizeof *sorted, falling);
    mp_real sum = 0, tau = 0;
    for (int r = 1; r <= n; r++) {
        sum += sorted[r - 1];
        if (1 + (mp_real)r * sorted[r - 1] > sum) tau = (sum - 1) / (mp_real)r;
    }
    return tau;
}

void mp_plain_sparsemax(mp_real *out, mp_real *sorted, const mp_real *u, const int *ptr, int segments)
{
    for (int s = 0; s < segments; s++) {
        int from = ptr[s], n = ptr[s + 1] - from;
        if (n == 0) continue;
        mp_real top = u[from];
        for (int i = 1; i < n; i++) top = u[from + i] > top ? u[from + i] : top;
        for (int i = 0; i < n; i++) sorted[i] = u[from + i] - top;
        mp_real tau = threshold(sorted, n);
        for (int i = 0; i < n; i++) {
            mp_real z = u[from + i] - top - tau;
            out[from + i] = z > 0 ? z : 0;
        }
    }
}

void mp_plain_sparsemax_bwd(mp_real *du, const mp_real *dout, const mp_real *out, const int *ptr, int segments)
{
    for (int s = 0; s < segments; s++) {
        mp_real sum = 0;
        int support = 0;
        for (int i = ptr[s]; i < ptr[s + 1]; i++) {
            if (!(out[i] > 0)) continue;
            sum += dout[i];
            support++;
        }
        for (int i = ptr[s]; i < ptr[s + 1]; i++)
            if (out[i] > 0) du[i] += dout[i] - sum / (mp_real)support;
    }
}

/* ---- columns */
void mp_plain_column(mp_real *out, const mp_real *X, int d, int N, int C)
{
    for (int i = 0; i < N; i++) out[i] = X[at(i, C) + (size_t)d];
}

void mp_plain_column_put(mp_real *X, const mp_real *x, bool add, int d, int N, int C)
{
    if (add)
        for (int i = 0; i < N; i++) X[at(i, C) + (size_t)d] += x[i];
    else
        for (int i = 0; i < N; i++) X[at(i, C) + (size_t)d] = x[i];
}

/* ---- sizes */
static size_t group_width(int C, int D)
{
    return (size_t)((C + D - 1) / D);
}

void mp_plain_row_length(mp_real *out, const mp_real *X, mp_length_kind kind, int N, int C, int D)
{
    size_t width = group_width(C, D);
    for (int v = 0; v < N; v++) {
        mp_real *s = out + at(v, D);
        for (int d = 0; d < D; d++) s[d] = 0;
        for (size_t k = 0; k < (size_t)C; k++) {
            mp_real y = X[at(v, C) + k];
            s[k / width] += kind != MP_LENGTH_L1 ? y * y : y < 0 ? -y : y;
        }
        for (int d = 0; kind == MP_LENGTH_L2 && d < D; d++) s[d] = (mp_real)sqrt((double)s[d]);
    }
}

static mp_real slope(mp_length_kind kind, mp_real x, mp_real length)
{
    switch (kind) {
    case MP_LENGTH_L1:
        return (mp_real)((x > 0) - (x < 0));
    case MP_LENGTH_SQUARE:
        return 2 * x;
    case MP_LENGTH_L2:
        break;
    }
    return length > 0 ? x / length : 0;
}

void mp_plain_row_length_bwd(mp_real *dX, const mp_real *dout, const mp_real *out, const mp_real *X,
                             mp_length_kind kind, int N, int C, int D)
{
    size_t width = group_width(C, D);
    for (int v = 0; v < N; v++) {
        for (size_t k = 0; k < (size_t)C; k++) {
            size_t i = at(v, C) + k, s = at(v, D) + k / width;
            dX[i] += dout[s] * slope(kind, X[i], out[s]);
        }
    }
}

void mp_plain_over_max(mp_real *out, int *arg, const mp_real *u, const int *ptr, mp_real eps, int segments, int D)
{
    for (int s = 0; s < segments; s++) {
        for (size_t d = 0; d < (size_t)D && ptr[s] < ptr[s + 1]; d++) {
            int top = ptr[s];
            for (int i = top; i < ptr[s + 1]; i++) top = u[at(i, D) + d] > u[at(top, D) + d] ? i : top;
            arg[at(s, D) + d] = top;
            mp_real m = u[at(top, D) + d] + eps;
            for (int i = ptr[s]; i < ptr[s + 1]; i++) out[at(i, D) + d] = u[at(i, D) + d] / m;
        }
    }
}

void mp_plain_over_max_bwd(mp_real *du, const mp_real *dout, const mp_real *out, const mp_real *u, const int *arg,
                           const int *ptr, mp_real eps, int segments, int D)
{
    for (int s = 0; s < segments; s++) {
        for (size_t d = 0; d < (size_t)D && ptr[s] < ptr[s + 1]; d++) {
            size_t top = at(arg[at(s, D) + d], D) + d;
            mp_real m = u[top] + eps, sum = 0;
            for (int i = ptr[s]; i < ptr[s + 1]; i++) {
                size_t k = at(i, D) + d;
                du[k] += dout[k] / m;
                sum += dout[k] * out[k];
            }
            du[top] -= sum / m;
        }
    }
}

void mp_plain_row_div(mp_real *out, const mp_real *X, const mp_real *d, mp_real eps, int N, int C)
{
    for (int v = 0; v < N; v++)
        for (size_t k = at(v, C); k < at(v + 1, C); k++) out[k] = X[k] / (d[v] + eps);
}

void mp_plain_row_div_bwd(mp_real *dX, mp_real *dd, const mp_real *dout, const mp_real *out, const mp_real *d,
                          mp_real eps, int N, int C)
{
    for (int v = 0; v < N; v++) {
        mp_real m = d[v] + eps, sum = 0;
        for (size_t k = at(v, C); k < at(v + 1, C); k++) {
            if (dX) dX[k] += dout[k] / m;
            sum += dout[k] * out[k];
        }
        if (dd) dd[v] -= sum / m;
    }
}

void mp_plain_row_share(mp_real *out, mp_real *sum, const mp_real *A, int N, int C)
{
    for (int i = 0; i < N; i++) {
        const mp_real *row = A + at(i, C);
        mp_real *y = out + at(i, C), all = 0;
        for (int j = 0; j < C; j++) all += row[j];
        mp_real scale = all > 1 ? 1 / all : 1;
        for (int j = 0; j < C; j++) y[j] = scale * row[j];
        sum[i] = all;
    }
}

void mp_plain_row_share_bwd(mp_real *dA, const mp_real *dout, const mp_real *out, const mp_real *sum, int N, int C)
{
    for (int i = 0; i < N; i++) {
        const mp_real *dy = dout + at(i, C), *y = out + at(i, C);
        mp_real along = 0, scale = sum[i] > 1 ? 1 / sum[i] : 1;
        for (int j = 0; sum[i] > 1 && j < C; j++) along += dy[j] * y[j];
        for (int j = 0; j < C; j++) dA[at(i, C) + (size_t)j] += (dy[j] - along) * scale;
    }
}

void mp_plain_unit_cols(mp_real *out, mp_real *length, const mp_real *P, int N, int D)
{
    size_t n = at(N, D), step = (size_t)D;
    for (size_t j = 0; j < step; j++) {
        mp_real sum = 0;
        for (size_t i = j; i < n; i += step) sum += P[i] * P[i];
        length[j] = (mp_real)sqrt((double)sum);
        for (size_t i = j; i < n; i += step) out[i] = length[j] > 0 ? P[i] / length[j] : 0;
    }
}

void mp_plain_unit_cols_bwd(mp_real *dP, const mp_real *dout, const mp_real *out, const mp_real *length, int N, int D)
{
    size_t n = at(N, D), step = (size_t)D;
    for (size_t j = 0; j < step; j++) {
        mp_real r = length[j], along = 0;
        if (!(r > 0)) continue;
        for (size_t i = j; i < n; i += step) along += out[i] * dout[i];
        for (size_t i = j; i < n; i += step) dP[i] += (dout[i] - out[i] * along) / r;
    }
}

/* ---- block_sym: s = 1 / (sqrt d + 1e-15), d the row sums off the diagonal; 0 where they are not positive
 *      ds_i = sum_j (dy_ij a_ij + dy_ji a_ji) s_j,   dd_i = -ds_i s_i^2 / (2 sqrt d_i),
 *      da_ij = dy_ij s_i s_j + dd_i */
void mp_plain_block_sym(mp_real *out, mp_real *s, const mp_real *A, int rows, int K)
{
    for (int r = 0; r < rows; r++) {
        double d = 0;
        for (int j = 0; j < K; j++) d += j == r % K ? 0 : (double)A[at(r, K) + (size_t)j];
        s[r] = d > 0 ? (mp_real)(1 / (sqrt(d) + 1e-15)) : 0;
    }
    for (int r = 0; r < rows; r++) {
        int first = r - r % K;
        for (int j = 0; j < K; j++) {
            size_t i = at(r, K) + (size_t)j;
            out[i] = j == r % K ? 0 : s[r] * A[i] * s[first + j];
        }
    }
}

void mp_plain_block_sym_bwd(mp_real *dA, const mp_real *dout, const mp_real *A, const mp_real *s, int rows, int K)
{
    for (int r = 0; r < rows; r++) {
        int i = r % K, first = r - i; /* row r of the matrix is row i of its block */
        const mp_real *own = s + first;
        mp_real ds = 0;
        for (int j = 0; j < K; j++) {
            size_t ij = at(r, K) + (size_t)j, ji = at(first + j, K) + (size_t)i;
            if (j != i) ds += (dout[ij] * A[ij] + dout[ji] * A[ji]) * own[j];
        }
        mp_real dd = (mp_real)-0.5 * ds * own[i] * own[i] * own[i]; /* 1 / sqrt d is s */
        for (int j = 0; j < K; j++)
            if (j != i && own[i] > 0) dA[at(r, K) + (size_t)j] += dout[at(r, K) + (size_t)j] * own[i] * own[j] + dd;
    }
}

void mp_plain_range_shares(mp_real *out, const int *ptr, int ranges)
{
    for (int b = 0; b < ranges; b++) out[b] = ptr[b + 1] > ptr[b] ? 1 / (mp_real)(ptr[b + 1] - ptr[b]) : 0;
}

/* ---- normalisation */
#define EPSILON  1e-5
#define MOMENTUM 0.1

void mp_plain_layer_norm(mp_real *Y, mp_real *hat, mp_real *scale, const mp_real *X, const mp_real *gamma,
                         const mp_real *beta, int N, int C)
{
    for (int i = 0; i < N; i++) {
        const mp_real *row = X + at(i, C);
        mp_real *y = Y + at(i, C), *h = hat + at(i, C);
        double mean = 0, var = 0;
        for (int j = 0; j < C; j++) mean += (double)row[j];
        mean /= C;
        for (int j = 0; j < C; j++) var += ((double)row[j] - mean) * ((double)row[j] - mean);
        double root = 1 / sqrt(var / C + EPSILON);
        scale[i] = (mp_real)root;
        for (int j = 0; j < C; j++) h[j] = (mp_real)(((double)row[j] - mean) * root);
        for (int j = 0; j < C; j++) y[j] = gamma[j] * h[j] + beta[j];
    }
}

void mp_plain_layer_norm_bwd(mp_real *dX, const mp_real *dY, const mp_real *hat, const mp_real *scale,
                             const mp_real *gamma, int N, int C)
{
    for (int i = 0; i < N; i++) {
        const mp_real *dy = dY + at(i, C), *h = hat + at(i, C);
        mp_real *dx = dX + at(i, C);
        double mean = 0, along = 0;
        for (int j = 0; j < C; j++) {
            mean += (double)(gamma[j] * dy[j]);
            along += (double)(gamma[j] * dy[j]) * (double)h[j];
        }
        mp_real m = (mp_real)(mean / C), s = (mp_real)(along / C);
        for (int j = 0; j < C; j++) dx[j] += scale[i] * (gamma[j] * dy[j] - m - h[j] * s);
    }
}

/* running <- 0.9 running + 0.1 of this batch, with the unbiased variance. */
void mp_plain_batch_stats(mp_real *centre, mp_real *scale, mp_real *mean, mp_real *var, const double *stat, int N,
                          int C)
{
    for (int j = 0; j < C; j++) {
        centre[j] = stat ? (mp_real)stat[j] : mean[j];
        scale[j] = (mp_real)(1 / sqrt((stat ? stat[C + j] : (double)var[j]) + EPSILON));
    }
    for (int j = 0; stat && j < C; j++) {
        mean[j] = (mp_real)((1 - MOMENTUM) * (double)mean[j] + MOMENTUM * stat[j]);
        var[j] = (mp_real)((1 - MOMENTUM) * (double)var[j] + MOMENTUM * stat[C + j] * N / (N - 1));
    }
}

void mp_plain_batch_slopes(mp_real *factor, mp_real *less, const mp_real *gamma, const mp_real *scale,
                           const double *sum, bool fixed, int N, int C)
{
    for (int j = 0; j < C; j++) {
        factor[j] = gamma[j] * scale[j];
        less[j] = fixed ? 0 : (mp_real)(sum[C + j] / N);
        less[C + j] = fixed ? 0 : (mp_real)(sum[j] / N);
    }
}

void mp_plain_square_sum(double *out, const mp_real *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    *out = sum;
}

void mp_plain_clip_scale(mp_real *scale, const double *squares, double most, int n)
{
    *scale = clipped(squares, most, n);
}

void mp_plain_add_doubles(mp_real *y, const double *x, int n)
{
    for (int j = 0; j < n; j++) y[j] += (mp_real)x[j];
}

void mp_plain_prelu_slope(mp_real *da, const mp_real *dy, const mp_real *x, size_t n)
{
    mp_real sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] < 0 ? x[i] * dy[i] : 0;
    da[0] += sum;
}

/* ---- sequences */
void mp_plain_lstm_bwd(mp_real *da, mp_real *dbefore, const mp_real *dh, const mp_real *dcell, const mp_real *gate,
                       const mp_real *squash, const mp_real *before, int B, int H)
{
    for (int r = 0; r < B; r++) {
        size_t row = at(r, H);
        const mp_real *i = gate + 4 * row, *f = i + H, *g = f + H, *o = g + H, *t = squash + row;
        mp_real *d = da + 4 * row;
        for (int k = 0; k < H; k++) {
            size_t here = row + (size_t)k;
            mp_real dy = dh ? dh[here] : 0, dc = dy * o[k] * (1 - t[k] * t[k]);
            if (dcell) dc += dcell[here];
            d[k] += dc * g[k] * i[k] * (1 - i[k]);
            if (before) d[H + k] += dc * before[here] * f[k] * (1 - f[k]);
            d[2 * H + k] += dc * i[k] * (1 - g[k] * g[k]);
            d[3 * H + k] += dy * t[k] * o[k] * (1 - o[k]);
            if (dbefore) dbefore[here] += dc * f[k];
        }
    }
}

void mp_plain_window_order(mp_real *to, const mp_real *from, bool back, int channels, int width, int out)
{
    for (int ch = 0; ch < channels; ch++) {
        for (int u = 0; u < width; u++) {
            size_t file = (at(ch, width) + (size_t)u) * (size_t)out;
            size_t window = (at(u, channels) + (size_t)ch) * (size_t)out;
            mp_real *t = to + (back ? file : window);
            const mp_real *f = from + (back ? window : file);
            for (int o = 0; o < out; o++) t[o] = back ? t[o] + f[o] : f[o];
        }
    }
}

void mp_plain_max_pairs(mp_real *out, int *arg, const mp_real *X, int N, int C, int C_in, int channels)
{
    for (int r = 0; r < N; r++) {
        const mp_real *row = X + at(r, C_in);
        for (int k = 0; k < C; k++) {
            int first = 2 * (k / channels) * channels + k % channels;
            int most = row[first + channels] > row[first] ? first + channels : first;
            arg[at(r, C) + (size_t)k] = most;
            out[at(r, C) + (size_t)k] = row[most];
        }
    }
}

void mp_plain_max_pairs_bwd(mp_real *dX, const mp_real *dout, const int *arg, int N, int C, int C_in)
{
    for (int r = 0; r < N; r++)
        for (size_t i = at(r, C); i < at(r + 1, C); i++) dX[at(r, C_in) + (size_t)arg[i]] += dout[i];
}

void mp_plain_flip_places(mp_real *out, const mp_real *X, int N, int channels, int places)
{
    for (int r = 0; r < N; r++) {
        size_t row = at(r, channels * places);
        for (int k = 0; k < channels; k++)
            for (int t = 0; t < places; t++) out[row + (size_t)(k * places + t)] = X[row + (size_t)(t * channels + k)];
    }
}

void mp_plain_flip_places_bwd(mp_real *dX, const mp_real *dout, int N, int channels, int places)
{
    for (int r = 0; r < N; r++) {
        size_t row = at(r, channels * places);
        for (int k = 0; k < channels; k++)
            for (int t = 0; t < places; t++)
                dX[row + (size_t)(t * channels + k)] += dout[row + (size_t)(k * places + t)];
    }
}

/* ---- heads */
void mp_plain_head_spread(mp_real *out, const mp_real *q, mp_real scale, int heads, int m, int C)
{
    int width = C / heads, cols = heads * m;
    memset(out, 0, at(C, cols) * sizeof *out);
    for (int k = 0; k < C; k++)
        for (int i = 0; i < m; i++) out[at(k, cols) + (size_t)(k / width * m + i)] = scale * q[at(i, C) + (size_t)k];
}

void mp_plain_head_spread_bwd(mp_real *dq, const mp_real *dout, mp_real scale, int heads, int m, int C)
{
    int width = C / heads, cols = heads * m;
    for (int k = 0; k < C; k++)
        for (int i = 0; i < m; i++) dq[at(i, C) + (size_t)k] += scale * dout[at(k, cols) + (size_t)(k / width * m + i)];
}
