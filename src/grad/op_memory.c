/* op_memory.c - MemPool: how much each row of X, N x C, belongs to each of K keys, by H heads (math.md 5.7).
 *     u_hvj = 1 / (1 + |x_v - k_hj|^2),   p = u / sum_j u,   out_vj = sum_h w_h p_hvj
 *     dp = w_h dout,   du = (dp - sum_j dp p) / sum_j u,   dD = -u^2 du for the squared distance D,
 *     dx_v = sum 2 dD (x_v - k_hj),   dk_hj = sum 2 dD (k_hj - x_v),   dw_h = sum dout p
 * Distances are |x|^2 - 2 x k + |k|^2, one product for all keys.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

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
