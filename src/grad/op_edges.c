/* op_edges.c - one number an edge, E x 1; edge e ends in row i and comes from col j.
 *     edge_pair    u_e = a_i + b_j;                 da_i = sum of du over the edges that end in i, db_j over those that
 *                                                   leave j
 *     edge_take    w'_k = w[from_k], or 1 where from_k < 0;   dw[from_k] += dw'_k
 *     edge_mix     y_i = sum_e w_e (sa a_i + sb b_j), N x C (LEConv);   dw_e = sa <dy_i, a_i> + sb <dy_i, b_j>
 *     edge_score   u_e = <w_src, x_j> + <w_dst, x_i> + b,   w = [w_src ; w_dst] 2C x 1
 *     edge_sym     w'_e = s_i w_e s_j,  s = (sum of the weights that leave a node + 1e-10)^-1/2
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

static mp_links plain(const mp_graph *g, const mp_real *p, const int *perm)
{
    return (mp_links){ .row_ptr = g->row_ptr, .col = g->col, .p = p, .perm = perm };
}

/* ---- edge_pair: out_e = a_row + b_col */
struct edge_pair {
    mp_mat *out, *a, *b;
    const mp_graph *g;
};

static void edge_pair_back(void *p, mp_ctx *c)
{
    struct edge_pair *s = p;
    if (!s->out->live) return;
    mp_csr g = mp_graph_csr(s->g);
    c->k->edge_pair_bwd(mp_grad_zeroed(c, s->a), s->b ? mp_grad_zeroed(c, s->b) : NULL, s->out->g, &g);
}

mp_mat *mp_edge_pair(mp_ctx *c, const mp_graph *g, mp_mat *a, mp_mat *b)
{
    mp_assert(a->rows == g->nodes && a->cols == 1 && (!b || (b->rows == g->nodes && b->cols == 1)));
    mp_mat *out = mp_mat_new(c, g->edges, 1);
    mp_csr on = mp_graph_csr(g);
    c->k->edge_pair(out->v, a->v, b ? b->v : NULL, &on);
    MP_RECORD(c, edge_pair_back, struct edge_pair, out, a, b, g);
    return out;
}

/* ---- edge_take: weights of the edges of a graph made from another */
struct edge_take {
    mp_mat *out, *w;
    const int *from;
};

static void edge_take_back(void *p, mp_ctx *c)
{
    struct edge_take *s = p;
    if (!s->out->live || !s->w->g) return;
    c->k->edges_give(mp_grad_zeroed(c, s->w), s->out->g, s->from, s->out->rows);
}

mp_mat *mp_edge_take(mp_ctx *c, mp_mat *w, const int *from, int n)
{
    if (!w) return NULL;
    mp_mat *out = mp_mat_new(c, n, 1);
    c->k->rows_take(out->v, w->v, from, 1, n, 1);
    MP_RECORD(c, edge_take_back, struct edge_take, out, w, from);
    return out;
}

/* ---- edge_mix: out_i = sum_e w_e (sa a_i + sb b_j) = sa deg_i a_i + sb sum_e w_e b_j */
struct edge_mix {
    mp_mat *out, *a, *b;
    const mp_graph *g;
    mp_real sa, sb;
    const mp_real *degree;
};

static void edge_mix_weight_back(mp_ctx *c, struct edge_mix *s)
{
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *G = MP_NEW_RAW(mp_elements(c), mp_real, s->g->edges),
            *self = MP_NEW_RAW(mp_elements(c), mp_real, s->g->nodes);
    mp_real *unused = MP_NEW_RAW(mp_elements(c), mp_real, s->g->edges);
    c->k->edge_dot(G, NULL, s->out->g, s->b->v, plain(s->g, NULL, NULL), false, s->g->nodes, s->b->cols);
    c->k->edge_dot(unused, self, s->out->g, s->a->v, plain(s->g, NULL, NULL), false, s->g->nodes, s->a->cols);
    mp_csr g = mp_graph_csr(s->g);
    c->k->edge_mix_bwd(mp_grad_zeroed(c, s->g->w), self, G, s->sa, s->sb, &g);
    mp_arena_back(mp_elements(c), here);
}

static void edge_mix_back(void *p, mp_ctx *c)
{
    struct edge_mix *s = p;
    if (!s->out->live) return;
    int C = s->out->cols;
    if (s->g->w && s->g->w->g) edge_mix_weight_back(c, s);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    if (s->a->g) {
        mp_real *factor = MP_NEW_RAW(mp_elements(c), mp_real, s->g->nodes);
        c->k->axpy(factor, s->sa, s->degree, false, (size_t)s->g->nodes);
        c->k->rows_axpy(mp_grad_zeroed(c, s->a), factor, s->out->g, C, true, s->g->nodes, C);
    }
    if (s->b->g) {
        size_t n = mp_size(s->out);
        mp_real *t = MP_NEW_RAW(mp_elements(c), mp_real, n);
        c->k->agg(t, s->out->g, plain(s->g, s->g->w ? s->g->w->v : NULL, s->g->w ? s->g->rev : NULL), NULL, false,
                  false, 0, s->g->nodes, C);
        c->k->axpy(s->b->g, s->sb, t, !mp_grad_store(c, s->b), n);
    }
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_edge_mix(mp_ctx *c, const mp_graph *g, mp_mat *a, mp_real sa, mp_mat *b, mp_real sb)
{
    mp_assert(a->rows == g->nodes && b->rows == g->nodes && a->cols == b->cols);
    int C = a->cols;
    mp_mat *out = mp_mat_new(c, g->nodes, C);
    mp_real *degree = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes);
    mp_csr on = mp_graph_csr(g);
    c->k->weight_sums(degree, false, &on);
    c->k->agg(out->v, b->v, plain(g, on.w, NULL), NULL, false, false, 0, g->nodes, C);
    c->k->edge_mix(out->v, a->v, degree, sa, sb, g->nodes, C);
    MP_RECORD(c, edge_mix_back, struct edge_mix, out, a, b, g, sa, sb, degree);
    return out;
}

/* ---- edge_score: one product N x C by C x 2 and a sum an edge, instead of a product with E rows of 2C:
 *     S = X [w_src, w_dst],   u_e = S[j, 0] + S[i, 1] + b
 *     dS[v] = (sum of du over the edges that leave v, sum over those that enter),
 *     dX = dS w,   dw = dS^T X,   db = sum of du
 * As rows, w is 2 x C, which makes dw a product with C columns: whole vectors, where C rows of one column would be
 * mostly idle lanes. */
struct edge_score {
    mp_mat *out, *x, *w, *b;
    const mp_graph *g;
};

static void edge_score_back(void *p, mp_ctx *c)
{
    struct edge_score *a = p;
    const mp_graph *g = a->g;
    if (!a->out->live) return;
    int N = g->nodes, C = a->x->cols;
    if (a->b->g) c->k->col_sum(a->b->g, a->out->g, !mp_grad_store(c, a->b), g->edges, 1);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *ds = MP_NEW(c->arena, mp_real, 2 * (size_t)N);
    mp_csr on = mp_graph_csr(g);
    c->k->edge_ends_bwd(ds, a->out->g, &on);
    if (a->w->g) {
        bool add = !mp_grad_store(c, a->w);
        mp_product(c, a->w->g, (mp_operand){ ds, 2, true }, (mp_operand){ a->x->v, C, false }, 2, C, N, add);
    }
    if (a->x->g) {
        bool add = !mp_grad_store(c, a->x);
        mp_product(c, a->x->g, (mp_operand){ ds, 2, false }, (mp_operand){ a->w->v, C, false }, N, C, 2, add);
    }
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_edge_score(mp_ctx *c, const mp_graph *g, mp_mat *x, mp_mat *w, mp_mat *b)
{
    mp_assert(x->rows == g->nodes && w->rows == 2 * x->cols && w->cols == 1 && b->rows * b->cols == 1);
    mp_mat *out = mp_mat_new(c, g->edges, 1);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *s = MP_NEW_RAW(mp_elements(c), mp_real, 2 * (size_t)g->nodes);
    mp_product(c, s, (mp_operand){ x->v, x->cols, false }, (mp_operand){ w->v, x->cols, true }, g->nodes, 2, x->cols,
               false);
    mp_csr on = mp_graph_csr(g);
    c->k->edge_ends(out->v, s, b->v, &on);
    mp_arena_back(mp_elements(c), here);
    MP_RECORD(c, edge_score_back, struct edge_score, out, x, w, b, g);
    return out;
}

/* ---- edge_sym: with G the gradient of w' and d the sums of what leaves a node:
 *      dd_i = -(1/(2 d_i)) (sum_j G_ij w'_ij + sum_m G_mi w'_mi),   dw_ij = G_ij s_i s_j + dd_j     (math.md 3.7) */
struct edge_sym {
    mp_mat *out;
    const mp_graph *g;
    const mp_real *s;
};

static void edge_sym_back(void *p, mp_ctx *c)
{
    struct edge_sym *a = p;
    if (!a->out->live || !a->g->w->g) return;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *dd = MP_NEW_RAW(mp_elements(c), mp_real, a->g->nodes);
    mp_csr g = mp_graph_csr(a->g);
    c->k->edge_sym_bwd(mp_grad_zeroed(c, a->g->w), dd, a->out->g, a->out->v, a->s, &g);
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_edge_sym(mp_ctx *c, const mp_graph *g)
{
    mp_assert(g->w != NULL);
    mp_mat *out = mp_mat_new(c, g->edges, 1);
    mp_real *s = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes);
    mp_csr on = mp_graph_csr(g);
    c->k->edge_sym(out->v, s, &on);
    MP_RECORD(c, edge_sym_back, struct edge_sym, out, g, s);
    return out;
}
