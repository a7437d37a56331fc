/* op_memory.c - MemPool: how much each row belongs to each key, and the loss that sharpens it (math.md 5.7).
 *
 *     memory   u_hvj = 1 / (1 + |x_v - k_hj|^2),   p = u / sum_j u,   out_vj = sum_h w_h p_hvj
 *              dp = w_h dout,   du = (dp - sum_j dp p) / sum_j u,   dD = -u^2 du for the squared distance D,
 *              dx_v = sum 2 dD (x_v - k_hj),   dk_hj = sum 2 dD (k_hj - x_v),   dw_h = sum dout p
 *     kl       U_vj = S_vj^2 / f_j,  f_j = sum_v S_vj in the graph,  P = U / r,  r_v = sum_j U_vj
 *              loss = sum P (log P - log S) / B, both logarithms of at least 1e-15
 *              dP = log P - log S + 1,   dU = (dP - sum_j dP P) / r,
 *              dS = -P/S + 2 dU S / f - (sum_v dU U) / f,  plus a number a row from dividing by its sum
 * Distances are |x|^2 - 2 x k + |k|^2, one product for all keys.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"
#include "math/fun.h"

#define TINY 1e-15

/* ---- memory */
struct memory {
    mp_mat *out, *x, *keys, *mix;
    int heads;
    const mp_real *u, *sum; /* N x HK, N x H */
};

/* |x_v|^2 of every row: each row against itself, as an edge from the row to itself. */
static const mp_real *squares(mp_ctx *c, const mp_mat *x)
{
    int *self = MP_NEW_RAW(c->arena, int, x->rows + 1);
    mp_real *square = MP_NEW_RAW(c->arena, mp_real, x->rows);
    for (int v = 0; v <= x->rows; v++) self[v] = v;
    c->k->edge_dot(square, NULL, x->v, x->v, (mp_links){ .row_ptr = self, .col = self }, false, x->rows, x->cols);
    return square;
}

/* u of one row, in the place of the products x k. Rounding may leave a distance below 0. */
static void closeness(mp_real *row, mp_real x2, const mp_real *key2, int HK)
{
    for (int j = 0; j < HK; j++) {
        mp_real d = x2 - 2 * row[j] + key2[j];
        row[j] = 1 / (1 + (d > 0 ? d : 0));
    }
}

static void memory_forward(mp_ctx *c, mp_real *u, mp_real *sum, const mp_mat *x, const mp_mat *keys, int heads)
{
    int N = x->rows, C = x->cols, HK = keys->rows, K = HK / heads;
    const mp_real *key2 = squares(c, keys), *x2 = squares(c, x);
    mp_product(c, u, (mp_operand){ x->v, C, false }, (mp_operand){ keys->v, C, true }, N, HK, C, false);
    for (int v = 0; v < N; v++) {
        mp_real *row = u + mp_at(v, HK);
        closeness(row, x2[v], key2, HK);
        for (int h = 0; h < heads; h++)
            for (int j = h * K; j < (h + 1) * K; j++) sum[mp_at(v, heads) + (size_t)h] += row[j];
    }
}

/* -2 dD of all pairs, and what the heads' weights get. */
static mp_real *distance_back(mp_ctx *c, const struct memory *a)
{
    int N = a->x->rows, HK = a->keys->rows, H = a->heads, K = HK / H;
    mp_real *e = MP_NEW_RAW(c->arena, mp_real, mp_at(N, HK)), *dmix = mp_grad_zeroed(a->mix);
    for (int v = 0; v < N; v++) {
        const mp_real *d = a->out->g + mp_at(v, K);
        for (int h = 0; h < H; h++) {
            const mp_real *u = a->u + mp_at(v, HK) + h * K;
            mp_real scale = 1 / a->sum[mp_at(v, H) + (size_t)h], along = 0;
            for (int j = 0; j < K; j++) along += d[j] * u[j] * scale;
            if (dmix) dmix[h] += along;
            for (int j = 0; j < K; j++)
                e[mp_at(v, HK) + (size_t)(h * K + j)] = 2 * u[j] * u[j] * a->mix->v[h] * (d[j] - along) * scale;
        }
    }
    return e;
}

static void memory_back(void *p, mp_ctx *c)
{
    struct memory *a = p;
    if (!a->out->live) return;
    int N = a->x->rows, C = a->x->cols, HK = a->keys->rows;
    mp_arena_mark here = mp_arena_here(c->arena);
    const mp_real *e = distance_back(c, a);
    mp_real *key_sum = MP_NEW(c->arena, mp_real, HK), *dx = mp_grad_zeroed(a->x), *dk = mp_grad_zeroed(a->keys);
    for (int v = 0; v < N; v++) {
        mp_real row_sum = 0;
        for (int j = 0; j < HK; j++) {
            row_sum += e[mp_at(v, HK) + (size_t)j];
            key_sum[j] += e[mp_at(v, HK) + (size_t)j];
        }
        if (dx) c->k->axpy(dx + mp_at(v, C), -row_sum, a->x->v + mp_at(v, C), true, (size_t)C);
    }
    if (dx) mp_product(c, dx, (mp_operand){ e, HK, false }, (mp_operand){ a->keys->v, C, false }, N, C, HK, true);
    if (dk) {
        for (int j = 0; j < HK; j++)
            c->k->axpy(dk + mp_at(j, C), -key_sum[j], a->keys->v + mp_at(j, C), true, (size_t)C);
        mp_product(c, dk, (mp_operand){ e, HK, true }, (mp_operand){ a->x->v, C, false }, HK, C, N, true);
    }
    mp_arena_back(c->arena, here);
}

mp_mat *mp_memory(mp_ctx *c, mp_mat *x, mp_mat *keys, mp_mat *mix, int heads)
{
    mp_assert(heads > 0 && keys->rows % heads == 0 && keys->cols == x->cols && mp_size(mix) == (size_t)heads);
    int N = x->rows, HK = keys->rows, K = HK / heads;
    mp_mat *out = mp_mat_new(c, N, K);
    mp_real *u = MP_NEW_RAW(c->arena, mp_real, mp_at(N, HK)), *sum = MP_NEW(c->arena, mp_real, mp_at(N, heads));
    memory_forward(c, u, sum, x, keys, heads);
    for (int v = 0; v < N; v++)
        for (int h = 0; h < heads; h++)
            c->k->axpy(out->v + mp_at(v, K), mix->v[h] / sum[mp_at(v, heads) + (size_t)h], u + mp_at(v, HK) + h * K,
                       h > 0, (size_t)K);
    MP_RECORD(c, memory_back, struct memory, out, x, keys, mix, heads, u, sum);
    return out;
}

/* ---- kl */
struct kl {
    mp_mat *out, *s;
    const mp_real *slope; /* dLoss/dS for a gradient of 1 */
};

static void kl_back(void *p, mp_ctx *c)
{
    struct kl *a = p;
    if (!a->out->live || !a->s->g) return;
    c->k->axpy(a->s->g, a->out->g[0], a->slope, !mp_grad_store(a->s), mp_size(a->s));
}

static double at_least(double v)
{
    return v > TINY ? v : TINY;
}

/* log of a double from the logarithm of mp_real: P and S are often close, and what is left of their
 * difference is the loss, so the rounding of the argument must not be in it. */
static double log_of(double q)
{
    mp_real near = (mp_real)q;
    return (double)log1(near) + (q - (double)near) / (double)near;
}

/* One row: its loss; slope gets the derivative with P held fixed, du that by U, 0 when P is a constant. The
 * row is divided by its sum, which is 1 but for rounding. */
static double kl_row(mp_real *slope, double *du, const mp_real *s, const double *f, int K, bool detach)
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
        slope[j] = (double)s[j] > TINY ? (mp_real)(-target / (double)s[j]) : 0;
        du[j] = share > TINY && !detach ? gap + 1 : 0; /* dP */
        along += du[j] * share;
    }
    for (int j = 0; j < K; j++) {
        slope[j] += (mp_real)(all / sum);
        du[j] = detach ? 0 : (du[j] - along) / r;
    }
    return loss;
}

/* All rows of a graph: slope and the loss. */
static double kl_graph(mp_ctx *c, mp_real *slope, const mp_real *s, int n, int K, bool detach)
{
    mp_arena_mark here = mp_arena_here(c->arena);
    double *f = MP_NEW(c->arena, double, K), *df = MP_NEW(c->arena, double, K), loss = 0;
    double *du = MP_NEW_RAW(c->arena, double, mp_at(n, K));
    for (int v = 0; v < n; v++)
        for (int j = 0; j < K; j++) f[j] += (double)s[mp_at(v, K) + (size_t)j];
    for (int j = 0; j < K; j++) f[j] = at_least(f[j]);
    for (int v = 0; v < n; v++) {
        size_t at = mp_at(v, K);
        loss += kl_row(slope + at, du + at, s + at, f, K, detach);
        for (int j = 0; j < K; j++) {
            double share = (double)s[at + (size_t)j] / f[j];
            df[j] -= du[at + (size_t)j] * share * share;
        }
    }
    for (int v = 0; v < n; v++) {
        for (int j = 0; j < K; j++) {
            size_t i = mp_at(v, K) + (size_t)j;
            slope[i] += (mp_real)(2 * du[i] * (double)s[i] / f[j] + df[j]);
        }
    }
    mp_arena_back(c->arena, here);
    return loss;
}

mp_mat *mp_kl_loss(mp_ctx *c, mp_mat *s, const int *ptr, int graphs, bool detach)
{
    mp_assert(ptr[graphs] == s->rows);
    int K = s->cols;
    mp_mat *out = mp_mat_new(c, 1, 1);
    mp_real *slope = MP_NEW_RAW(c->arena, mp_real, mp_size(s));
    double loss = 0;
    for (int b = 0; b < graphs; b++) {
        size_t at = mp_at(ptr[b], K);
        loss += kl_graph(c, slope + at, s->v + at, ptr[b + 1] - ptr[b], K, detach);
    }
    c->k->axpy(slope, 1 / (mp_real)graphs, slope, false, mp_size(s));
    out->v[0] = (mp_real)(loss / graphs);
    MP_RECORD(c, kl_back, struct kl, out, s, slope);
    return out;
}
