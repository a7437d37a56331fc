/* op_heads.c - what every graph's queries get from weighted sums of rows, head by head:  O_h = q_h + s_h b_h + Z_h W_h
 *     dW_h = Z_h^T dO_h,  dZ_h = dO_h W_h^T,  db_h = s_h^T dO_h,  ds_h = dO_h b_h^T,  dq_h = sum of dO_h over the graphs
 * q m x C, the same for every graph; Z (B H m) x in and s (B H m) x 1 graph by graph, head by head; W in x C and b 1 x C,
 * of which a head has its own columns; O (B m) x C (math.md 5.8).
 *
 * Heads are computed apart, one after another in memory, so that the products of all are calls beside each other.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "grad/ops.h"
#include "grad/product.h"

struct heads {
    mp_mat *out, *q, *z, *s, *w, *b;
    int graphs, heads;
    mp_real *zs, *ss; /* z and s, head by head, graph by graph */
};

typedef struct sizes {
    int m, n, C, width, in; /* n: rows of a head */
} sizes;

static sizes sizes_of(const struct heads *a)
{
    int m = a->q->rows, C = a->q->cols;
    return (sizes){ m, a->graphs * m, C, C / a->heads, a->w->rows };
}

static mp_real *room_for(mp_ctx *c, int rows, int cols)
{
    return MP_NEW_RAW(mp_elements(c), mp_real, mp_at(rows, cols));
}

static void next_head(mp_ctx *c, int h)
{
    if (h > 0) mp_op_beside(c);
}

/* Rows of `cols` numbers from graph by graph to head by head, and added the other way round. */
static mp_real *by_head(mp_ctx *c, const struct heads *a, const mp_real *x, int cols)
{
    int piece = a->q->rows * cols;
    mp_real *to = room_for(c, a->heads * a->graphs, piece);
    for (int h = 0; h < a->heads; h++) {
        next_head(c, h);
        c->k->cols_copy(to + mp_at(h * a->graphs, piece), piece, x + mp_at(h, piece), a->heads * piece, false,
                        a->graphs, piece);
    }
    return to;
}

static void add_by_graph(mp_ctx *c, const struct heads *a, mp_real *to, const mp_real *x, int cols)
{
    int piece = a->q->rows * cols;
    for (int h = 0; h < a->heads; h++) {
        next_head(c, h);
        c->k->cols_copy(to + mp_at(h, piece), a->heads * piece, x + mp_at(h * a->graphs, piece), piece, true, a->graphs,
                        piece);
    }
}

/* Columns of heads, which lie apart in `of`, to or from rows of C. */
static void cols_apart(mp_ctx *c, const struct heads *a, mp_real *of, const mp_real *x, int rows)
{
    int C = a->q->cols, width = C / a->heads;
    for (int h = 0; h < a->heads; h++) {
        next_head(c, h);
        c->k->cols_copy(of + mp_at(h * rows, width), width, x + mp_at(h, width), C, false, rows, width);
    }
}

static void cols_together(mp_ctx *c, const struct heads *a, mp_real *to, const mp_real *of, bool add, int rows)
{
    int C = a->q->cols, width = C / a->heads;
    for (int h = 0; h < a->heads; h++) {
        next_head(c, h);
        c->k->cols_copy(to + mp_at(h, width), C, of + mp_at(h * rows, width), width, add, rows, width);
    }
}

static void weights_back(mp_ctx *c, const struct heads *a, const mp_real *dy)
{
    sizes k = sizes_of(a);
    mp_real *dw = room_for(c, a->heads * k.in, k.width);
    for (int h = 0; h < a->heads; h++) {
        next_head(c, h);
        mp_product(c, dw + mp_at(h * k.in, k.width), (mp_operand){ a->zs + mp_at(h * k.n, k.in), k.in, true },
                   (mp_operand){ dy + mp_at(h * k.n, k.width), k.width, false }, k.in, k.width, k.n, false);
    }
    cols_together(c, a, mp_grad_zeroed(c, a->w), dw, true, k.in);
}

static void bias_back(mp_ctx *c, const struct heads *a, const mp_real *dy)
{
    sizes k = sizes_of(a);
    mp_real *db = room_for(c, 1, k.C);
    for (int h = 0; h < a->heads; h++) {
        next_head(c, h);
        mp_product(c, db + mp_at(h, k.width), (mp_operand){ a->ss + mp_at(h, k.n), 1, true },
                   (mp_operand){ dy + mp_at(h * k.n, k.width), k.width, false }, 1, k.width, k.n, false);
    }
    c->k->axpy(mp_grad_zeroed(c, a->b), 1, db, true, (size_t)k.C);
}

/* dO_h times the transposed rows of W or b, for z or s. */
static void sums_back(mp_ctx *c, const struct heads *a, mp_mat *x, const mp_mat *w, const mp_real *dy)
{
    sizes k = sizes_of(a);
    mp_real *dx = room_for(c, a->heads * k.n, x->cols);
    for (int h = 0; h < a->heads; h++) {
        next_head(c, h);
        mp_product(c, dx + mp_at(h * k.n, x->cols), (mp_operand){ dy + mp_at(h * k.n, k.width), k.width, false },
                   (mp_operand){ w->v + mp_at(h, k.width), k.C, true }, k.n, x->cols, k.width, false);
    }
    add_by_graph(c, a, mp_grad_zeroed(c, x), dx, x->cols);
}

/* A graph's rows of a head are one row of a sum. */
static void queries_back(mp_ctx *c, const struct heads *a, const mp_real *dy)
{
    sizes k = sizes_of(a);
    const int *one = mp_even_ptr(c, a->graphs, 0);
    mp_real *dq = room_for(c, a->heads * k.m, k.width);
    c->k->fill(dq, 0, mp_at(k.m, k.C));
    for (int h = 0; h < a->heads; h++) {
        next_head(c, h);
        c->k->rows_give(dq + mp_at(h * k.m, k.width), dy + mp_at(h * k.n, k.width), one, a->graphs, k.m * k.width);
    }
    cols_together(c, a, mp_grad_zeroed(c, a->q), dq, true, k.m);
}

static void heads_back(void *p, mp_ctx *c)
{
    const struct heads *a = p;
    if (!a->out->live) return;
    sizes k = sizes_of(a);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *dy = room_for(c, a->heads * k.n, k.width);
    cols_apart(c, a, dy, a->out->g, k.n);
    if (a->w->g) weights_back(c, a, dy);
    if (a->z->g) sums_back(c, a, a->z, a->w, dy);
    if (a->b->g) bias_back(c, a, dy);
    if (a->s->g) sums_back(c, a, a->s, a->b, dy);
    if (a->q->g) queries_back(c, a, dy);
    mp_arena_back(mp_elements(c), here);
}

/* x_h w_h of all heads, added to y. */
static void add_products(mp_ctx *c, const struct heads *a, mp_real *y, const mp_real *x, const mp_mat *w)
{
    sizes k = sizes_of(a);
    for (int h = 0; h < a->heads; h++) {
        next_head(c, h);
        mp_product(c, y + mp_at(h * k.n, k.width), (mp_operand){ x + mp_at(h * k.n, w->rows), w->rows, false },
                   (mp_operand){ w->v + mp_at(h, k.width), k.C, false }, k.n, k.width, w->rows, true);
    }
}

mp_mat *mp_head_values(mp_ctx *c, mp_mat *q, mp_mat *z, mp_mat *s, mp_mat *w, mp_mat *b, int graphs, int heads)
{
    int C = q->cols, rows = mp_count((int64_t)graphs * heads * q->rows, "queries of all heads");
    mp_assert(heads > 0 && C % heads == 0 && z->cols == w->rows && w->cols == C && mp_size(b) == (size_t)C);
    mp_assert(z->rows == rows && s->rows == rows && s->cols == 1);
    mp_count((int64_t)heads * q->rows * (z->cols > C ? z->cols : C), "columns of the queries of a graph");
    mp_mat *out = mp_mat_new(c, rows / heads, C);
    struct heads a = { out, q, z, s, w, b, graphs, heads, NULL, NULL };
    a.zs = by_head(c, &a, z->v, z->cols);
    a.ss = by_head(c, &a, s->v, 1);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *y = room_for(c, rows, C / heads), *asks = room_for(c, q->rows, C);
    int piece = q->rows * (C / heads);
    cols_apart(c, &a, asks, q->v, q->rows);
    for (int h = 0; h < heads; h++) { /* the same queries for each graph */
        next_head(c, h);
        c->k->cols_copy(y + mp_at(h * graphs, piece), piece, asks + mp_at(h, piece), 0, false, graphs, piece);
    }
    add_products(c, &a, y, a.ss, b);
    add_products(c, &a, y, a.zs, w);
    cols_together(c, &a, out->v, y, false, out->rows);
    mp_arena_back(mp_elements(c), here);
    MP_RECORD(c, heads_back, struct heads, out, q, z, s, w, b, graphs, heads, a.zs, a.ss);
    return out;
}
