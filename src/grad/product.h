/* product.h - dense products inside ops: scratch from the step's arena, operations counted. A batch that is one shard has
 * all threads to itself: they share the rows of a large product, or of another loop over rows.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PRODUCT_H
#define MP_PRODUCT_H

#include "grad/tape.h"

/* C[m][n] = A B from C (add), the bias or 0, then ReLU; k is the length of the sums. */
void mp_product_of(mp_ctx *c, mp_real *C, mp_operand a, mp_operand b, int m, int n, int k, const mp_real *bias,
                   bool add, bool relu);

static inline void mp_product(mp_ctx *c, mp_real *C, mp_operand a, mp_operand b, int m, int n, int k, bool add)
{
    mp_product_of(c, C, a, b, m, n, k, NULL, add, false);
}

/* The product of each block of rows: as long as a has columns, k, or with flip as its block has rows (mp_kernels.gemm_blocks). */
void mp_products(mp_ctx *c, mp_real *C, mp_operand a, mp_operand b, mp_blocks of, int n, int k, bool add);
/* The same with a call for each, which a GPU has faster kernels for where products are large. */
void mp_products_apart(mp_ctx *c, mp_real *C, mp_operand a, mp_operand b, mp_blocks of, int n, int k, bool add);

/* In how many pieces a loop over rows is worth cutting, and the loop: work(arg, from, to, piece) for each. */
typedef void mp_row_work(void *arg, int from, int to, int piece);
int mp_pieces(const mp_ctx *c, int rows, double operations);
void mp_share_rows(mp_ctx *c, int rows, int pieces, mp_row_work *work, void *arg);

static inline size_t mp_size(const mp_mat *m)
{
    return (size_t)m->rows * (size_t)m->cols;
}

/* The first number of row r of an array with `cols` columns. */
static inline size_t mp_at(int r, int cols)
{
    return (size_t)r * (size_t)cols;
}

/* The backward of + bias and ReLU: out's gradient is masked in place, the bias (may be NULL) gets the column sums. */
static inline void mp_bias_back(mp_ctx *c, mp_mat *out, mp_mat *bias, bool relu)
{
    bool sums = bias && bias->g, add = sums && !mp_grad_store(c, bias);
    if (relu && sums && out->cols > MP_NARROW) {
        c->k->relu_col_sum(bias->g, out->g, out->v, add, out->rows, out->cols);
        return;
    }
    if (relu) c->k->act_bwd(out->g, out->g, out->v, MP_ACT_RELU, false, mp_size(out));
    if (sums) c->k->col_sum(bias->g, out->g, add, out->rows, out->cols);
}

#endif
