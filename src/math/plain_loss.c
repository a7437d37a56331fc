/* plain_loss.c - losses and their slopes (plain.h). The ops say what each computes: op_loss.c, op_cluster_loss.c. A loss is
 * summed in double.
 * SPDX-License-Identifier: MIT */
#include "math/one_loss.h"

MP_PLAIN_LIST(MP_PLAIN_DECLARE)

static size_t at(int row, int cols)
{
    return (size_t)row * (size_t)cols;
}

/* ---- one number an output */
/* want NULL: all are `same`. */
void mp_plain_bce(mp_real *loss, mp_real *slope, const mp_real *x, const mp_real *want, mp_real same, mp_real scale,
                  size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        mp_real v = x[i], size = v < 0 ? -v : v, y = want ? want[i] : same;
        bool known = y == y;
        if (known) sum += (double)(log1(1 + exp1(-size)) + (v > 0 ? v : 0) - v * y);
        slope[i] = known ? scale * (sigmoid1(v) - y) : 0;
    }
    loss[0] = (mp_real)(sum * (double)scale);
}

static double far_by(mp_real d, mp_error_kind how, mp_real delta, mp_real scale, mp_real *slope)
{
    mp_real size = d < 0 ? -d : d, sign = (mp_real)((d > 0) - (d < 0));
    switch (how) {
    case MP_ERROR_ABSOLUTE:
        *slope = scale * sign;
        return (double)size;
    case MP_ERROR_HUBER:
        *slope = scale * (size <= delta ? d : delta * sign);
        return size <= delta ? 0.5 * (double)d * (double)d : (double)delta * ((double)size - 0.5 * (double)delta);
    default:
        *slope = 2 * scale * d;
        return (double)d * (double)d;
    }
}

void mp_plain_distance(mp_real *loss, mp_real *slope, const mp_real *x, const mp_real *want, mp_error_kind how,
                       mp_real delta, mp_real scale, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        slope[i] = 0;
        if (want[i] == want[i]) sum += far_by(x[i] - want[i], how, delta, scale, &slope[i]);
    }
    loss[0] = (mp_real)(sum * (double)scale);
}

/* ---- clusterings */
void mp_plain_link_loss(mp_real *loss, mp_real *slope, const mp_real *A0, const mp_real *M, const mp_real *w,
                        const int *node_ptr, const int *row_ptr, int padded, int B, int K)
{
    double sum = 0, all = 0;
    for (int b = 0; padded && b < B; b++) sum += residual(A0, M, w, node_ptr, row_ptr, b, K);
    for (int b = 0; b < B; b++) {
        double n = padded ? padded : node_ptr[b + 1] - node_ptr[b];
        double r = sqrt(padded ? sum : residual(A0, M, w, node_ptr, row_ptr, b, K)), scale = 1 / (n * n * B);
        if (!padded || b == 0) all += r * scale; /* padded: one length over the whole batch */
        slope[b] = r > 0 ? (mp_real)(scale / r) : 0;
    }
    loss[0] = (mp_real)all;
}

void mp_plain_entropy_loss(mp_real *loss, const mp_real *S, const int *ptr, int padded, int B, int K)
{
    double all = 0;
    for (int b = 0; b < B; b++) {
        double sum = 0;
        for (size_t i = at(ptr[b], K); i < at(ptr[b + 1], K); i++)
            sum -= (double)(S[i] * log1(S[i] + (mp_real)LOSS_TINY));
        if (ptr[b + 1] > ptr[b]) all += sum * (double)row_scale(ptr, b, padded, B);
    }
    loss[0] = (mp_real)all;
}

void mp_plain_entropy_loss_bwd(mp_real *dS, const mp_real *dloss, const mp_real *S, const int *ptr, int padded, int B,
                               int K)
{
    for (int b = 0; b < B; b++) {
        mp_real f = dloss[0] * row_scale(ptr, b, padded, B);
        for (size_t i = at(ptr[b], K); i < at(ptr[b + 1], K); i++) {
            mp_real v = S[i] + (mp_real)LOSS_TINY;
            dS[i] -= f * (log1(v) + S[i] / v);
        }
    }
}

void mp_plain_cut_loss(mp_real *loss, double *num, double *den, const mp_real *S, const mp_real *A0, const mp_real *d,
                       const int *ptr, int B, int K)
{
    double all = 0;
    for (int b = 0; b < B; b++) {
        num[b] = diagonal_sum(A0 + at(b * K, K), K);
        den[b] = 0;
        for (int v = ptr[b]; v < ptr[b + 1]; v++) den[b] += (double)d[v] * squares(S + at(v, K), (size_t)K);
        if (den[b] > 0) all -= num[b] / den[b] / B;
    }
    loss[0] = (mp_real)all;
}

/* q of one block, and its slope: dLoss/dM = slope M + one I for a gradient of 1. */
static double ortho_of(mp_real *slope, mp_real *one, const mp_real *M, int K, int B)
{
    double f = sqrt(squares(M, (size_t)K * (size_t)K)), tr = diagonal_sum(M, K), length = f * sqrt((double)K);
    double square = length > 0 ? 2 - 2 * tr / length : 0;
    *slope = *one = 0;
    if (!(square > 0)) return 0;
    double q = sqrt(square), scale = 1 / (q * length * B);
    *slope = (mp_real)(scale * tr / (f * f));
    *one = (mp_real)-scale;
    return q;
}

void mp_plain_ortho_loss(mp_real *loss, mp_real *slope, mp_real *slope_one, const mp_real *M, int B, int K)
{
    double all = 0;
    for (int b = 0; b < B; b++) all += ortho_of(slope + b, slope_one + b, M + at(b * K, K), K, B) / B;
    loss[0] = (mp_real)all;
}

void mp_plain_diagonals(mp_real *Y, mp_real a, const mp_real *x, int B, int K)
{
    for (int b = 0; b < B; b++)
        for (int i = 0; i < K; i++) Y[at(b * K, K) + at(i, K + 1)] += a * x[b];
}

/* ---- kl */
/* All rows of a graph: slope and the loss. */
static double kl_graph(mp_real *slope, double *work, const mp_real *s, int n, int K, bool detach)
{
    double *f = work, *df = work + K, *du = work + 2 * (size_t)K, loss = 0;
    for (int j = 0; j < K; j++) f[j] = df[j] = 0;
    for (int v = 0; v < n; v++)
        for (int j = 0; j < K; j++) f[j] += (double)s[at(v, K) + (size_t)j];
    for (int j = 0; j < K; j++) f[j] = at_least(f[j]);
    for (int v = 0; v < n; v++) {
        size_t row = at(v, K);
        loss += kl_row(slope + row, du + row, s + row, f, K, detach);
        for (int j = 0; j < K; j++) {
            double share = (double)s[row + (size_t)j] / f[j];
            df[j] -= du[row + (size_t)j] * share * share;
        }
    }
    for (int v = 0; v < n; v++) {
        for (int j = 0; j < K; j++) {
            size_t i = at(v, K) + (size_t)j;
            slope[i] += (mp_real)(2 * du[i] * (double)s[i] / f[j] + df[j]);
        }
    }
    return loss;
}

void mp_plain_kl_loss(mp_real *loss, mp_real *slope, double *work, const mp_real *S, const int *ptr, bool detach, int B,
                      int K)
{
    double all = 0;
    for (int b = 0; b < B; b++)
        all += kl_graph(slope + at(ptr[b], K), work, S + at(ptr[b], K), ptr[b + 1] - ptr[b], K, detach);
    mp_real scale = 1 / (mp_real)B;
    for (size_t i = 0; i < at(ptr[B], K); i++) slope[i] = scale * slope[i];
    loss[0] = (mp_real)(all / B);
}

/* ---- shares of a graph against what they should be */
void mp_plain_aim_shares(mp_real *t, const mp_real *amount, const int *ptr, bool softmax, int B)
{
    for (int b = 0; b < B; b++) {
        double sum = 0;
        mp_real most = 0;
        for (int v = ptr[b]; v < ptr[b + 1]; v++) most = v == ptr[b] || amount[v] > most ? amount[v] : most;
        for (int v = ptr[b]; v < ptr[b + 1]; v++) {
            t[v] = softmax ? exp1(amount[v] - most) : amount[v];
            sum += (double)t[v];
        }
        for (int v = ptr[b]; v < ptr[b + 1]; v++) t[v] = sum > 0 ? (mp_real)((double)t[v] / sum) : 0;
    }
}

void mp_plain_share_kl(mp_real *loss, mp_real *slope, const mp_real *S, const mp_real *t, mp_real scale, int N, int D)
{
    double sum = 0;
    for (int v = 0; v < N; v++) {
        mp_real s = (mp_real)LOSS_TINY;
        for (int d = 0; d < D; d++) s += S[at(v, D) + (size_t)d] / (mp_real)D;
        if (t[v] > 0) sum += (double)(t[v] * (log1(t[v]) - log1(s)));
        for (int d = 0; d < D; d++) slope[at(v, D) + (size_t)d] = -scale * t[v] / (s * (mp_real)D);
    }
    loss[0] = (mp_real)(sum * (double)scale);
}
