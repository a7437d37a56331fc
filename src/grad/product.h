/* product.h - dense products inside ops: scratch from the step's arena, operations counted.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PRODUCT_H
#define MP_PRODUCT_H

#include "grad/tape.h"

/* C[m][n] = A B, or C += A B, then ReLU; k is the length of the sums. */
static inline void mp_product_relu(mp_ctx *c, mp_real *C, mp_operand a, mp_operand b, int m, int n, int k, bool add,
                                   bool relu)
{
    mp_arena_mark here = mp_arena_here(c->arena);
    c->k->gemm(C, a, b, m, n, k, NULL, add, relu, MP_NEW_RAW(c->arena, mp_real, mp_gemm_work(m, n, k)));
    mp_arena_back(c->arena, here);
    c->flops += 2.0 * m * n * k;
}

static inline void mp_product(mp_ctx *c, mp_real *C, mp_operand a, mp_operand b, int m, int n, int k, bool add)
{
    mp_product_relu(c, C, a, b, m, n, k, add, false);
}

static inline size_t mp_size(const mp_mat *m)
{
    return (size_t)m->rows * (size_t)m->cols;
}

/* The first number of row r of an array with `cols` columns. */
static inline size_t mp_at(int r, int cols)
{
    return (size_t)r * (size_t)cols;
}

#endif
