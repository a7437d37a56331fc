/* op_attend.c - two ways to attend to the nodes of a graph (op_mha.c has the third).
 *     local_att    z N x D:  e = exp(|tau| (z - largest of the graph)),  S_i = e_i A_ii / (sum_j A_ij e_j + 1e-10)
 *     set_attend   x N x C, q B x C:  u_v = <x_v, q_b>,  a = softmax of u over graph b,  r_b = sum_v a_v x_v
 *                  da_v = <dr_b, x_v>,  du = softmax backward of da,  dx_v = a_v dr_b + du_v q_b,
 *                  dq_b = sum_v du_v x_v
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"
#include "math/fun.h"

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
    const mp_graph *g = a->g;
    int D = a->z->cols;
    size_t n = (size_t)a->z->rows * (size_t)D;
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *du = MP_NEW(c->arena, mp_real, n), tau = a->tau->v[0], sum = 0;
    for (int v = 0; v < g->nodes; v++) {
        for (int d = 0; d < D; d++) {
            size_t i = (size_t)v * (size_t)D + (size_t)d;
            mp_real flow = a->out->g[i] * a->out->v[i];
            du[i] += flow;
            for (int k = g->row_ptr[v]; k < g->row_ptr[v + 1]; k++) {
                size_t j = (size_t)g->col[k] * (size_t)D + (size_t)d;
                du[j] -= flow * g->w->v[k] * a->e[j] / a->den[i];
            }
        }
    }
    mp_real *dz = mp_grad_zeroed(a->z), *dtau = mp_grad_zeroed(a->tau), size = tau < 0 ? -tau : tau;
    for (int b = 0; b < g->graphs; b++) {
        for (int d = 0; d < D && g->node_ptr[b] < g->node_ptr[b + 1]; d++) {
            size_t top = (size_t)a->top[(size_t)b * (size_t)D + (size_t)d] * (size_t)D + (size_t)d;
            mp_real total = 0;
            for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
                size_t i = (size_t)v * (size_t)D + (size_t)d;
                if (dz) dz[i] += size * du[i];
                sum += du[i] * (a->z->v[i] - a->z->v[top]);
                total += du[i];
            }
            if (dz) dz[top] -= size * total;
        }
    }
    if (dtau) dtau[0] += tau < 0 ? -sum : sum;
    mp_arena_back(c->arena, here);
}

mp_mat *mp_local_att(mp_ctx *c, const mp_graph *g, mp_mat *z, mp_mat *tau)
{
    mp_assert(g->w != NULL && z->rows == g->nodes);
    int D = z->cols;
    size_t n = (size_t)z->rows * (size_t)D;
    mp_mat *out = mp_mat_new(c, z->rows, D);
    mp_real *e = MP_NEW_RAW(c->arena, mp_real, n), *den = MP_NEW(c->arena, mp_real, n);
    int *top = MP_NEW_RAW(c->arena, int, (size_t)g->graphs *(size_t)D);
    mp_real size = tau->v[0] < 0 ? -tau->v[0] : tau->v[0];
    for (int b = 0; b < g->graphs; b++) {
        for (int d = 0; d < D; d++) {
            int most = g->node_ptr[b];
            for (int v = most; v < g->node_ptr[b + 1]; v++)
                if (z->v[(size_t)v * (size_t)D + (size_t)d] > z->v[(size_t)most * (size_t)D + (size_t)d]) most = v;
            top[(size_t)b * (size_t)D + (size_t)d] = most;
            for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
                size_t i = (size_t)v * (size_t)D + (size_t)d;
                e[i] = exp1(size * (z->v[i] - z->v[(size_t)most * (size_t)D + (size_t)d]));
            }
        }
    }
    for (int v = 0; v < g->nodes; v++) {
        for (int d = 0; d < D; d++) {
            size_t i = (size_t)v * (size_t)D + (size_t)d;
            mp_real own = 0;
            for (int k = g->row_ptr[v]; k < g->row_ptr[v + 1]; k++) {
                den[i] += g->w->v[k] * e[(size_t)g->col[k] * (size_t)D + (size_t)d];
                if (g->col[k] == v) own = g->w->v[k];
            }
            den[i] += (mp_real)1e-10;
            out->v[i] = e[i] * own / den[i];
        }
    }
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
    mp_arena_mark here = mp_arena_here(c->arena);
    mp_real *da = MP_NEW_RAW(c->arena, mp_real, N), *du = MP_NEW_RAW(c->arena, mp_real, N);
    mp_links nodes = { .row_ptr = s->ptr, .col = s->self };
    c->k->edge_dot(da, NULL, s->out->g, s->x->v, nodes, false, B, C);
    c->k->softmax_bwd(du, da, s->alpha, s->ptr, false, B);
    if (s->q->g) {
        nodes.p = du;
        bool add = !mp_grad_store(s->q);
        c->k->agg(s->q->g, s->x->v, nodes, NULL, add, false, 0, B, C);
    }
    if (s->x->g) {
        bool add = !mp_grad_store(s->x);
        c->k->agg(s->x->g, s->out->g, (mp_links){ .row_ptr = s->self, .col = s->graph, .p = s->alpha }, NULL, add,
                  false, 0, N, C);
        c->k->agg(s->x->g, s->q->v, (mp_links){ .row_ptr = s->self, .col = s->graph, .p = du }, NULL, true, false, 0, N,
                  C);
    }
    mp_arena_back(c->arena, here);
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
    mp_real *u = MP_NEW_RAW(c->arena, mp_real, N), *alpha = MP_NEW_RAW(c->arena, mp_real, N);
    c->k->edge_dot(u, NULL, q->v, x->v, (mp_links){ .row_ptr = ptr, .col = self }, false, graphs, x->cols);
    c->k->softmax(alpha, u, ptr, graphs);
    c->k->agg(out->v, x->v, (mp_links){ .row_ptr = ptr, .col = self, .p = alpha }, NULL, false, false, 0, graphs,
              x->cols);
    MP_RECORD(c, set_attend_back, struct set_attend, out, x, q, alpha, ptr, self, graph);
    return out;
}
