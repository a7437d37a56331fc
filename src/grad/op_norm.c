/* op_norm.c - LayerNorm over the columns of a row, BatchNorm over the rows of a column (math.md 2.8).
 *     y = gamma xhat + beta,  xhat = (x - mu) / sqrt(var + 1e-5),  var the biased variance of the m numbers
 *     dx = (gamma / sqrt(var + eps)) (dy - mean(dy') - xhat mean(dy' xhat)), the means over the same m
 *          numbers, of dy' = gamma dy for a row (gamma varies along it) and dy for a column
 *     dgamma = sum dy xhat,  dbeta = sum dy
 * Statistics are summed in double: their error then does not grow with the size of the batch.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

#include <math.h>

#define EPSILON  1e-5
#define MOMENTUM 0.1

struct norm {
    mp_mat *out, *x, *gamma, *beta;
    const mp_real *xhat;  /* N x C */
    const mp_real *scale; /* 1 / sqrt(var + eps): of each row, or of each column */
    bool fixed;           /* BatchNorm with running statistics: they are constants */
};

static void affine(mp_real *y, const mp_real *xhat, const mp_mat *gamma, const mp_mat *beta, int C)
{
    for (int j = 0; j < C; j++) y[j] = gamma->v[j] * xhat[j] + beta->v[j];
}

/* Column sums of dy xhat and of dy, in double; the latter in sum[C ..]. */
static double *sums(mp_ctx *c, const struct norm *a)
{
    double *sum = MP_NEW_RAW(c->arena, double, 2 * (size_t)a->x->cols);
    c->k->col_pair(sum, a->out->g, a->xhat, a->x->rows, a->x->cols);
    return sum;
}

static void affine_back(const struct norm *a, const double *sum)
{
    mp_real *dgamma = mp_grad_zeroed(a->gamma), *dbeta = mp_grad_zeroed(a->beta);
    int C = a->x->cols;
    for (int j = 0; j < C; j++) {
        if (dgamma) dgamma[j] += (mp_real)sum[j];
        if (dbeta) dbeta[j] += (mp_real)sum[C + j];
    }
}

static void layer_back(void *p, mp_ctx *c)
{
    struct norm *a = p;
    if (!a->out->live) return;
    int C = a->x->cols;
    mp_arena_mark here = mp_arena_here(c->arena);
    affine_back(a, sums(c, a));
    mp_arena_back(c->arena, here);
    mp_real *dx = mp_grad_zeroed(a->x);
    for (int i = 0; dx && i < a->x->rows; i++, dx += C) {
        const mp_real *dy = a->out->g + mp_at(i, C), *xhat = a->xhat + mp_at(i, C), *gamma = a->gamma->v;
        double mean = 0, along = 0;
        for (int j = 0; j < C; j++) {
            mean += (double)(gamma[j] * dy[j]);
            along += (double)(gamma[j] * dy[j]) * (double)xhat[j];
        }
        mp_real m = (mp_real)(mean / C), s = (mp_real)(along / C);
        for (int j = 0; j < C; j++) dx[j] += a->scale[i] * (gamma[j] * dy[j] - m - xhat[j] * s);
    }
}

mp_mat *mp_layer_norm(mp_ctx *c, mp_mat *x, mp_mat *gamma, mp_mat *beta)
{
    mp_assert(x->cols > 0 && mp_size(gamma) == (size_t)x->cols && mp_size(beta) == (size_t)x->cols);
    int C = x->cols;
    mp_mat *out = mp_mat_new(c, x->rows, C);
    mp_real *xhat = MP_NEW_RAW(c->arena, mp_real, mp_size(x)), *scale = MP_NEW_RAW(c->arena, mp_real, x->rows);
    for (int i = 0; i < x->rows; i++) {
        const mp_real *row = x->v + mp_at(i, C);
        double mean = 0, var = 0;
        for (int j = 0; j < C; j++) mean += (double)row[j];
        mean /= C;
        for (int j = 0; j < C; j++) var += ((double)row[j] - mean) * ((double)row[j] - mean);
        double root = 1 / sqrt(var / C + EPSILON);
        scale[i] = (mp_real)root;
        for (int j = 0; j < C; j++) xhat[mp_at(i, C) + (size_t)j] = (mp_real)(((double)row[j] - mean) * root);
        affine(out->v + mp_at(i, C), xhat + mp_at(i, C), gamma, beta, C);
    }
    MP_RECORD(c, layer_back, struct norm, out, x, gamma, beta, xhat, scale, false);
    return out;
}

static void batch_back(void *p, mp_ctx *c)
{
    struct norm *a = p;
    if (!a->out->live) return;
    int C = a->x->cols, N = a->x->rows;
    mp_arena_mark here = mp_arena_here(c->arena);
    const double *sum = sums(c, a);
    affine_back(a, sum);
    if (a->x->g) {
        mp_real *less = MP_NEW(c->arena, mp_real, 2 * (size_t)C), *factor = MP_NEW_RAW(c->arena, mp_real, C);
        for (int j = 0; j < C; j++) {
            factor[j] = a->gamma->v[j] * a->scale[j];
            less[j] = a->fixed ? 0 : (mp_real)(sum[C + j] / N);
            less[C + j] = a->fixed ? 0 : (mp_real)(sum[j] / N);
        }
        bool add = !mp_grad_store(a->x);
        c->k->norm_bwd(a->x->g, a->out->g, a->xhat, factor, less, add, N, C);
    }
    mp_arena_back(c->arena, here);
}

/* running <- 0.9 running + 0.1 of this batch, with the unbiased variance. */
static void remember(mp_mat *mean, mp_mat *var, const double *stat, int N, int C)
{
    for (int j = 0; j < C; j++) {
        mean->v[j] = (mp_real)((1 - MOMENTUM) * (double)mean->v[j] + MOMENTUM * stat[j]);
        var->v[j] = (mp_real)((1 - MOMENTUM) * (double)var->v[j] + MOMENTUM * stat[C + j] * N / (N - 1));
    }
}

mp_mat *mp_batch_norm(mp_ctx *c, mp_mat *x, mp_mat *gamma, mp_mat *beta, mp_mat *mean, mp_mat *var)
{
    int C = x->cols, N = x->rows;
    mp_assert(mp_size(gamma) == (size_t)C && mp_size(beta) == (size_t)C);
    mp_assert(mp_size(mean) == (size_t)C && mp_size(var) == (size_t)C);
    bool fixed = !c->training || N < 2;
    mp_mat *out = mp_mat_new(c, N, C);
    mp_real *xhat = MP_NEW_RAW(c->arena, mp_real, mp_size(x)), *scale = MP_NEW_RAW(c->arena, mp_real, C);
    mp_real *centre = MP_NEW_RAW(c->arena, mp_real, C);
    double *stat = MP_NEW_RAW(c->arena, double, 2 * (size_t)C);
    if (!fixed) c->k->col_stats(stat, x->v, N, C);
    for (int j = 0; j < C; j++) {
        centre[j] = fixed ? mean->v[j] : (mp_real)stat[j];
        scale[j] = (mp_real)(1 / sqrt((fixed ? (double)var->v[j] : stat[C + j]) + EPSILON));
    }
    if (!fixed) remember(mean, var, stat, N, C);
    c->k->norm_fwd(out->v, xhat, x->v, &(mp_affine){ centre, scale, gamma->v, beta->v }, N, C);
    MP_RECORD(c, batch_back, struct norm, out, x, gamma, beta, xhat, scale, fixed);
    return out;
}
