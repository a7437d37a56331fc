/* op_attend.c - two ways to attend to the nodes of a graph (op_mha.c has the third).
 *     local_att    z N x D:  e = exp(|tau| (z - largest of the graph)),  S_i = e_i A_ii / (sum_j A_ij e_j + 1e-10)
 *     set_attend   x N x C, q B x C:  u_v = <x_v, q_b>,  a = softmax of u over graph b,  r_b = sum_v a_v x_v
 *                  da_v = <dr_b, x_v>,  du = softmax backward of da,  dx_v = a_v dr_b + du_v q_b,
 *                  dq_b = sum_v du_v x_v
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

/* ---- local attention:  u = |tau| (z - top),  e = exp u,  S_i = e_i A_ii / den_i,  den_i = sum_j A_ij e_j + 1e-10
 *      du_i += dS_i S_i,   du_j -= sum_i dS_i S_i A_ij e_j / den_i,   dz = |tau| du,   dtau = sign(tau) sum du (z - top)
 * The largest gets -|tau| sum du besides: 0 but for the 1e-10, which matters where a neighbourhood is far below it. */
struct local {
    mp_mat *out, *z, *tau;
    const mp_graph *g;
    const mp_real *e, *den; /* N x D */
    const int *top;         /* B x D: the node with the largest z of its graph */
};

static void local_back(void *p, mp_ctx *c)
{
    struct local *a = p;
    if (!a->out->live) return;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *du = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(a->z));
    mp_csr g = mp_graph_csr(a->g);
    c->k->local_att_bwd(mp_grad_zeroed(c, a->z), mp_grad_zeroed(c, a->tau), du, a->out->g, a->out->v, a->z->v,
                        a->tau->v, a->e, a->den, a->top, a->g->node_ptr, &g, a->g->graphs, a->z->cols);
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_local_att(mp_ctx *c, const mp_graph *g, mp_mat *z, mp_mat *tau)
{
    mp_assert(g->w != NULL && z->rows == g->nodes);
    mp_mat *out = mp_mat_new(c, z->rows, z->cols);
    mp_real *e = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(z)),
            *den = MP_NEW_RAW(mp_elements(c), mp_real, mp_size(z));
    int *top = MP_NEW_RAW(c->arena, int, mp_at(g->graphs, z->cols));
    mp_csr on = mp_graph_csr(g);
    c->k->local_att(out->v, e, den, top, z->v, tau->v, g->node_ptr, &on, g->graphs, z->cols);
    MP_RECORD(c, local_back, struct local, out, z, tau, g, e, den, top);
    return out;
}

/* ---- set_attend: graphs are rows that list their nodes, so all four sums are neighbour sums */
struct set_attend {
    mp_mat *out, *x, *q;
    const mp_real *alpha;
    const int *ptr, *self, *graph; /* self: 0..N-1; graph: of each node */
};

static void set_attend_back(void *p, mp_ctx *c)
{
    struct set_attend *s = p;
    if (!s->out->live) return;
    int N = s->x->rows, B = s->out->rows, C = s->x->cols;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *da = MP_NEW_RAW(mp_elements(c), mp_real, N), *du = MP_NEW_RAW(mp_elements(c), mp_real, N);
    mp_links nodes = { .row_ptr = s->ptr, .col = s->self };
    c->k->edge_dot(da, NULL, s->out->g, s->x->v, nodes, false, B, C);
    c->k->softmax_bwd(du, da, s->alpha, s->ptr, false, B);
    if (s->q->g) {
        nodes.p = du;
        bool add = !mp_grad_store(c, s->q);
        c->k->agg(s->q->g, s->x->v, nodes, NULL, add, false, 0, B, C);
    }
    if (s->x->g) {
        bool add = !mp_grad_store(c, s->x);
        c->k->agg(s->x->g, s->out->g, (mp_links){ .row_ptr = s->self, .col = s->graph, .p = s->alpha }, NULL, add,
                  false, 0, N, C);
        c->k->agg(s->x->g, s->q->v, (mp_links){ .row_ptr = s->self, .col = s->graph, .p = du }, NULL, true, false, 0, N,
                  C);
    }
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_set_attend(mp_ctx *c, mp_mat *x, mp_mat *q, const int *ptr, int graphs)
{
    mp_assert(q->rows == graphs && q->cols == x->cols && ptr[graphs] == x->rows);
    int N = x->rows;
    mp_mat *out = mp_mat_new(c, graphs, x->cols);
    int *self = MP_NEW_RAW(c->arena, int, N + 1), *graph = MP_NEW_RAW(c->arena, int, N);
    for (int v = 0; v <= N; v++) self[v] = v;
    for (int b = 0; b < graphs; b++)
        for (int v = ptr[b]; v < ptr[b + 1]; v++) graph[v] = b;
    mp_real *u = MP_NEW_RAW(mp_elements(c), mp_real, N), *alpha = MP_NEW_RAW(mp_elements(c), mp_real, N);
    c->k->edge_dot(u, NULL, q->v, x->v, (mp_links){ .row_ptr = ptr, .col = self }, false, graphs, x->cols);
    c->k->softmax(alpha, u, ptr, graphs);
    c->k->agg(out->v, x->v, (mp_links){ .row_ptr = ptr, .col = self, .p = alpha }, NULL, false, false, 0, graphs,
              x->cols);
    MP_RECORD(c, set_attend_back, struct set_attend, out, x, q, alpha, ptr, self, graph);
    return out;
}
