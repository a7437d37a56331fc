/* op_norm.c - LayerNorm over the columns of a row, BatchNorm over the rows of a column (math.md 2.8).
 *     y = gamma xhat + beta,  xhat = (x - mu) / sqrt(var + 1e-5),  var the biased variance of the m numbers
 *     dx = (gamma / sqrt(var + eps)) (dy - mean(dy') - xhat mean(dy' xhat)), the means over the same m
 *          numbers, of dy' = gamma dy for a row (gamma varies along it) and dy for a column
 *     dgamma = sum dy xhat,  dbeta = sum dy
 * Statistics are summed in double: their error then does not grow with the size of the batch.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

struct norm {
    mp_mat *out, *x, *gamma, *beta;
    const mp_real *xhat;  /* N x C */
    const mp_real *scale; /* 1 / sqrt(var + eps): of each row, or of each column */
    bool fixed;           /* BatchNorm with running statistics: they are constants */
};

/* Column sums of dy xhat and of dy, in double; the latter in sum[C ..]. */
static double *sums(mp_ctx *c, const struct norm *a)
{
    double *sum = MP_NEW_RAW(mp_elements(c), double, 2 * (size_t)a->x->cols);
    c->k->col_pair(sum, a->out->g, a->xhat, a->x->rows, a->x->cols);
    return sum;
}

static void affine_back(mp_ctx *c, const struct norm *a, const double *sum)
{
    int C = a->x->cols;
    if (a->gamma->g) c->k->add_doubles(mp_grad_zeroed(c, a->gamma), sum, C);
    if (a->beta->g) c->k->add_doubles(mp_grad_zeroed(c, a->beta), sum + C, C);
}

static void layer_back(void *p, mp_ctx *c)
{
    struct norm *a = p;
    if (!a->out->live) return;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    affine_back(c, a, sums(c, a));
    mp_arena_back(mp_elements(c), here);
    if (!a->x->g) return;
    c->k->layer_norm_bwd(mp_grad_zeroed(c, a->x), a->out->g, a->xhat, a->scale, a->gamma->v, a->x->rows, a->x->cols);
}

mp_mat *mp_layer_norm(mp_ctx *c, mp_mat *x, mp_mat *gamma, mp_mat *beta)
{
    mp_assert(x->cols > 0 && mp_size(gamma) == (size_t)x->cols && mp_size(beta) == (size_t)x->cols);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    mp_real *xhat = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(x)),
            *scale = MP_NEW_RAW(mp_elements(c), mp_real, x->rows);
    c->k->layer_norm(out->v, xhat, scale, x->v, gamma->v, beta->v, x->rows, x->cols);
    MP_RECORD(c, layer_back, struct norm, out, x, gamma, beta, xhat, scale, false);
    return out;
}

static void batch_back(void *p, mp_ctx *c)
{
    struct norm *a = p;
    if (!a->out->live) return;
    int C = a->x->cols, N = a->x->rows;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    const double *sum = sums(c, a);
    affine_back(c, a, sum);
    if (a->x->g) {
        mp_real *less = MP_NEW_RAW(mp_elements(c), mp_real, 2 * (size_t)C),
                *factor = MP_NEW_RAW(mp_elements(c), mp_real, C);
        c->k->batch_slopes(factor, less, a->gamma->v, a->scale, sum, a->fixed, N, C);
        bool add = !mp_grad_store(c, a->x);
        c->k->norm_bwd(a->x->g, a->out->g, a->xhat, factor, less, add, N, C);
    }
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_batch_norm(mp_ctx *c, mp_mat *x, mp_mat *gamma, mp_mat *beta, mp_mat *mean, mp_mat *var)
{
    int C = x->cols, N = x->rows;
    mp_assert(mp_size(gamma) == (size_t)C && mp_size(beta) == (size_t)C);
    mp_assert(mp_size(mean) == (size_t)C && mp_size(var) == (size_t)C);
    bool fixed = !c->training || N < 2;
    mp_mat *out = mp_mat_new(c, N, C);
    mp_real *xhat = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(x)), *scale = MP_NEW_RAW(mp_elements(c), mp_real, C);
    mp_real *centre = MP_NEW_RAW(mp_elements(c), mp_real, C);
    double *stat = fixed ? NULL : MP_NEW_RAW(mp_elements(c), double, 2 * (size_t)C);
    if (stat) c->k->col_stats(stat, x->v, N, C);
    c->k->batch_stats(centre, scale, mean->v, var->v, stat, N, C);
    c->k->norm_fwd(out->v, xhat, x->v, &(mp_affine){ centre, scale, gamma->v, beta->v }, N, C);
    MP_RECORD(c, batch_back, struct norm, out, x, gamma, beta, xhat, scale, fixed);
    return out;
}
