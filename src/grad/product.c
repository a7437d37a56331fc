/* product.c - see product.h. Which thread computes which rows changes no bit: an element is one chain.
 * SPDX-License-Identifier: MIT */
#include "grad/product.h"
#include "base/crew.h"

#define WORTH 2e6 /* operations that are worth waking a thread for */

typedef struct sharing {
    int rows, pieces;
    mp_row_work *work;
    void *arg;
} sharing;

static void piece(void *arg, int index, int worker)
{
    const sharing *s = arg;
    (void)worker;
    int64_t rows = s->rows;
    s->work(s->arg, (int)(rows * index / s->pieces), (int)(rows * (index + 1) / s->pieces), index);
}

int mp_pieces(const mp_ctx *c, int rows, double operations)
{
    if (!c->crew || operations < WORTH) return 1;
    int all = mp_crew_size(c->crew);
    return rows < all ? 1 : all;
}

void mp_share_rows(mp_ctx *c, int rows, int pieces, mp_row_work *work, void *arg)
{
    if (pieces == 1)
        work(arg, 0, rows, 0);
    else
        mp_crew_run(c->crew, pieces, piece, &(sharing){ rows, pieces, work, arg });
}

typedef struct product {
    const mp_kernels *k;
    mp_real *C;
    mp_operand a, b;
    int n, len;
    const mp_real *bias;
    bool add, relu;
    mp_real *room; /* scratch of each piece, one after another */
    size_t each;
} product;

static void some_rows(void *arg, int from, int to, int index)
{
    const product *p = arg;
    mp_operand a = p->a;
    if (from) a.p += a.flip ? (size_t)from : mp_at(from, a.ld); /* an operand without columns has no memory */
    p->k->gemm(p->C + mp_at(from, p->n), a, p->b, to - from, p->n, p->len, p->bias, p->add, p->relu,
               p->room + (size_t)index * p->each);
}

void mp_product_of(mp_ctx *c, mp_real *C, mp_operand a, mp_operand b, int m, int n, int k, const mp_real *bias,
                   bool add, bool relu)
{
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    double flops = 2.0 * m * n * k;
    int pieces = mp_pieces(c, m, flops);
    size_t each = mp_gemm_work(m, n, k);
    product p = {
        c->k, C, a, b, n, k, bias, add, relu, MP_NEW_RAW(mp_elements(c), mp_real, each * (size_t)pieces), each
    };
    mp_share_rows(c, m, pieces, some_rows, &p);
    mp_arena_back(mp_elements(c), here);
    c->flops += flops;
}

static int rows_of(const int *ptr, int i)
{
    return ptr[i + 1] - ptr[i];
}

void mp_products_apart(mp_ctx *c, mp_real *C, mp_operand a, mp_operand b, mp_blocks of, int n, int k, bool add)
{
    for (int i = 0; i < of.count; i++) {
        if (i > 0) mp_op_beside(c);
        mp_operand left = { a.p + mp_at(of.in_a[i], a.ld), a.ld, a.flip },
                   right = { b.p + mp_at(of.in_b[i], b.ld), b.ld, b.flip };
        mp_product(c, C + mp_at(of.in_c[i], n), left, right, rows_of(of.in_c, i), n, a.flip ? rows_of(of.in_a, i) : k,
                   add);
    }
}

void mp_products(mp_ctx *c, mp_real *C, mp_operand a, mp_operand b, mp_blocks of, int n, int k, bool add)
{
    if (c->crew) { /* its threads share the rows of each */
        mp_products_apart(c, C, a, b, of, n, k, add);
        return;
    }
    int most = 0, longest = 0;
    for (int i = 0; i < of.count; i++) {
        int rows = rows_of(of.in_c, i), length = a.flip ? rows_of(of.in_a, i) : k;
        most = rows > most ? rows : most;
        longest = length > longest ? length : longest;
        c->flops += 2.0 * rows * n * length;
    }
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *work = MP_NEW_RAW(mp_elements(c), mp_real, mp_gemm_work(most, n, longest));
    c->k->gemm_blocks(C, a, b, of, n, k, add, most, work);
    mp_arena_back(mp_elements(c), here);
}
