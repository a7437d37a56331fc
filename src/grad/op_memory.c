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
    mp_real *square = MP_NEW_RAW(mp_elements(c), mp_real, x->rows);
    for (int v = 0; v <= x->rows; v++) self[v] = v;
    c->k->edge_dot(square, NULL, x->v, x->v, (mp_links){ .row_ptr = self, .col = self }, false, x->rows, x->cols);
    return square;
}

static void memory_back(void *p, mp_ctx *c)
{
    struct memory *a = p;
    if (!a->out->live) return;
    int N = a->x->rows, C = a->x->cols, HK = a->keys->rows, K = HK / a->heads;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *e = MP_NEW_RAW(mp_elements(c), mp_real, mp_at(N, HK)); /* -2 dD of all pairs */
    mp_real *less_x = MP_NEW_RAW(mp_elements(c), mp_real, N), *less_k = MP_NEW_RAW(mp_elements(c), mp_real, HK);
    c->k->closeness_bwd(e, mp_grad_zeroed(c, a->mix), a->out->g, a->u, a->sum, a->mix->v, N, a->heads, K);
    c->k->minus_sums(less_x, less_k, e, N, HK);
    if (a->x->g) {
        mp_real *dx = mp_grad_zeroed(c, a->x);
        c->k->rows_axpy(dx, less_x, a->x->v, C, true, N, C);
        mp_product(c, dx, (mp_operand){ e, HK, false }, (mp_operand){ a->keys->v, C, false }, N, C, HK, true);
    }
    if (a->keys->g) {
        mp_real *dk = mp_grad_zeroed(c, a->keys);
        c->k->rows_axpy(dk, less_k, a->keys->v, C, true, HK, C);
        mp_product(c, dk, (mp_operand){ e, HK, true }, (mp_operand){ a->x->v, C, false }, HK, C, N, true);
    }
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_memory(mp_ctx *c, mp_mat *x, mp_mat *keys, mp_mat *mix, int heads)
{
    mp_assert(heads > 0 && keys->rows % heads == 0 && keys->cols == x->cols && mp_size(mix) == (size_t)heads);
    int N = x->rows, C = x->cols, HK = keys->rows, K = HK / heads;
    mp_mat *out = mp_mat_new(c, N, K);
    mp_real *u = MP_NEW_RAW(mp_elements(c), mp_real, mp_at(N, HK)),
            *sum = MP_NEW_RAW(mp_elements(c), mp_real, mp_at(N, heads));
    mp_product(c, u, (mp_operand){ x->v, C, false }, (mp_operand){ keys->v, C, true }, N, HK, C, false);
    const mp_real *x2 = squares(c, x);
    mp_op_beside(c);
    c->k->closeness(u, sum, x2, squares(c, keys), N, heads, K);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *weight = MP_NEW_RAW(mp_elements(c), mp_real, mp_at(heads, N));
    for (int h = 0; h < heads; h++) {
        if (h > 0) mp_op_beside(c);
        c->k->head_weights(weight + mp_at(h, N), mix->v, sum, h, N, heads);
    }
    for (int h = 0; h < heads; h++) c->k->rows_axpy(out->v, weight + mp_at(h, N), u + h * K, HK, h > 0, N, K);
    mp_arena_back(mp_elements(c), here);
    MP_RECORD(c, memory_back, struct memory, out, x, keys, mix, heads, u, sum);
    return out;
}
