/* op_coarse.c - from nodes to clusters, T being the sparse matrix of memberships:
 *
 *     collect:  X' = T^T X          spread:  X = T X'          coarse:  A' = T^T W T
 *
 * coarse takes one cluster p at a time, unless a graph is better off dense (coarse_dense.c); everything stays near its
 * members:
 *     M_l  = sum_j T[j,p] W[j->l]          A'[p,q] = sum_l M_l T[l,q]                      (edge p -> q)
 *     dM_l = sum_q dA'[p,q] T[l,q],        dT[l,q] += dA'[p,q] M_l,
 *     dT[j,p] += sum_l W[j->l] dM_l,       dW[j->l] += T[j,p] dM_l
 * Scratch is one value a node. Where nobody can look at what is met, all pairs are tried (coarse_unseen.c).
 * SPDX-License-Identifier: MIT */
#include "grad/coarse.h"

#include <string.h>

/* ---- collect */
struct collect {
    mp_mat *out, *alpha, *x;
    mp_assign t;
};

static void collect_back(void *saved, mp_ctx *c)
{
    struct collect *a = saved;
    const mp_assign *t = &a->t;
    if (!a->out->live) return;
    if (a->alpha->g) {
        mp_arena_mark here = mp_arena_here(mp_elements(c));
        int members = t->cluster_ptr[t->clusters];
        mp_real *d = MP_NEW_RAW(mp_elements(c), mp_real, members);
        mp_links rows = { .row_ptr = t->cluster_ptr, .col = t->member };
        c->k->edge_dot(d, NULL, a->out->g, a->x->v, rows, false, t->clusters, a->x->cols);
        c->k->rows_give(mp_grad_zeroed(c, a->alpha), d, t->member_at, members, 1);
        mp_arena_back(mp_elements(c), here);
    }
    if (!a->x->g) return;
    bool add = !mp_grad_store(c, a->x);
    mp_links back = { .row_ptr = t->node_ptr, .col = t->owner, .p = a->alpha->v, .perm = t->owner_at };
    c->k->agg(a->x->g, a->out->g, back, NULL, add, false, 0, t->nodes, a->x->cols);
}

mp_mat *mp_collect(mp_ctx *c, const mp_assign *t, mp_mat *alpha, mp_mat *x)
{
    mp_assert(alpha->rows == t->size && x->rows == t->nodes);
    mp_mat *out = mp_mat_new(c, t->clusters, x->cols);
    mp_links rows = { .row_ptr = t->cluster_ptr, .col = t->member, .p = alpha->v, .perm = t->member_at };
    c->k->agg(out->v, x->v, rows, NULL, false, false, 0, t->clusters, x->cols);
    MP_RECORD(c, collect_back, struct collect, out, alpha, x, *t);
    return out;
}

/* ---- spread: collect the other way round */
static void spread_back(void *saved, mp_ctx *c)
{
    struct collect *a = saved;
    const mp_assign *t = &a->t;
    if (!a->out->live) return;
    if (a->alpha && a->alpha->g) {
        mp_arena_mark here = mp_arena_here(mp_elements(c));
        int pairs = t->node_ptr[t->nodes];
        mp_real *d = MP_NEW_RAW(mp_elements(c), mp_real, pairs);
        mp_links rows = { .row_ptr = t->node_ptr, .col = t->owner };
        c->k->edge_dot(d, NULL, a->out->g, a->x->v, rows, false, t->nodes, a->x->cols);
        c->k->rows_give(mp_grad_zeroed(c, a->alpha), d, t->owner_at, pairs, 1);
        mp_arena_back(mp_elements(c), here);
    }
    if (!a->x->g) return;
    bool add = !mp_grad_store(c, a->x);
    mp_links back = { .row_ptr = t->cluster_ptr, .col = t->member };
    if (a->alpha) {
        back.p = a->alpha->v;
        back.perm = t->member_at;
    }
    c->k->agg(a->x->g, a->out->g, back, NULL, add, false, 0, t->clusters, a->x->cols);
}

mp_mat *mp_spread(mp_ctx *c, const mp_assign *t, mp_mat *alpha, mp_mat *x)
{
    mp_assert((!alpha || alpha->rows == t->size) && x->rows == t->clusters);
    mp_mat *out = mp_mat_new(c, t->nodes, x->cols);
    mp_links rows = { .row_ptr = t->node_ptr, .col = t->owner };
    if (alpha) {
        rows.p = alpha->v;
        rows.perm = t->owner_at;
    }
    c->k->agg(out->v, x->v, rows, NULL, false, false, 0, t->nodes, x->cols);
    MP_RECORD(c, spread_back, struct collect, out, alpha, x, *t);
    return out;
}

/* ---- coarse */
static int *all_unseen(mp_ctx *c, int n)
{
    int *mark = MP_NEW_RAW(c->arena, int, n);
    if (n) memset(mark, -1, (size_t)n * sizeof *mark);
    return mark;
}

/* What both directions need. */
static mp_coarse_work work_new(mp_ctx *c, const mp_coarsening *a)
{
    const mp_graph *g = a->g;
    int pairs = a->t.node_ptr[g->nodes];
    mp_coarse_work s = { .share = MP_NEW_RAW(mp_elements(c), mp_real, pairs),
                         .leaving = MP_NEW_RAW(mp_elements(c), mp_real, g->edges),
                         .m = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes),
                         .near = MP_NEW_RAW(c->arena, int, g->nodes),
                         .mark = all_unseen(c, g->nodes) };
    c->k->rows_take(s.share, a->alpha->v, a->t.owner_at, 0, pairs, 1);
    if (g->w)
        c->k->rows_take(s.leaving, g->w->v, g->rev, 0, g->edges, 1);
    else
        c->k->fill(s.leaving, 1, (size_t)g->edges);
    return s;
}

static mp_lists met_all(mp_ctx *c, const mp_coarsening *a)
{
    int K = a->t.clusters;
    mp_lists met = mp_lists_new(c->arena, K, true);
    mp_coarse_work s = work_new(c, a);
    s.value = MP_NEW_RAW(mp_elements(c), mp_real, K);
    s.found = MP_NEW_RAW(c->arena, int, K);
    s.seen = all_unseen(c, K);
    mp_csr g = mp_graph_csr(a->g);
    mp_members t = mp_assign_members(&a->t);
    for (int b = 0; b < a->g->graphs; b++) {
        int from = a->cluster_ptr[b], end = a->cluster_ptr[b + 1];
        bool dense = mp_coarse_is_dense(a, b);
        if (dense) mp_coarse_dense(c, a, b, s.share, &met);
        for (int p = from; !dense && p < end; p++) {
            int found, n;
            c->k->coarse_meet(&found, &s, a->alpha->v, &g, &t, p);
            mp_lists_reserve(&met, (int64_t)found + 1);
            c->k->coarse_list(&n, met.to + met.count, met.weight + met.count, &s, found, a->diagonal, p);
            met.ptr[p + 1] = met.count += n;
        }
    }
    return met;
}

static void coarse_back(void *saved, mp_ctx *c)
{
    mp_coarsening *a = saved;
    if (!a->w->live) return;
    mp_real *dalpha = mp_grad_zeroed(c, a->alpha), *dw = a->g->w ? mp_grad_zeroed(c, a->g->w) : NULL;
    if (!dalpha && !dw) return;
    if (a->met) {
        mp_coarse_unseen_back(c, a, dalpha, dw);
        return;
    }
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_coarse_work s = work_new(c, a);
    s.dm = MP_NEW_RAW(mp_elements(c), mp_real, a->g->nodes);
    s.da = MP_NEW_RAW(mp_elements(c), mp_real, a->t.clusters);
    int pairs = a->t.node_ptr[a->g->nodes];
    mp_real *dshare = dalpha ? MP_NEW(c->arena, mp_real, pairs) : NULL;
    mp_csr g = mp_graph_csr(a->g), out = mp_graph_csr(&a->out);
    mp_members t = mp_assign_members(&a->t);
    for (int b = 0; b < a->g->graphs; b++) {
        if (mp_coarse_is_dense(a, b))
            mp_coarse_dense_back(c, a, b, s.share, dshare, dw);
        else
            c->k->coarse_rows_bwd(dshare, dalpha, dw, a->w->g, &s, a->alpha->v, &g, &out, &t, a->diagonal,
                                  a->cluster_ptr[b], a->cluster_ptr[b + 1]);
    }
    if (dalpha) c->k->rows_give(dalpha, dshare, a->t.owner_at, pairs, 1);
    mp_arena_back(mp_elements(c), here);
}

mp_graph mp_listed(mp_ctx *c, mp_lists *l, int graphs, const int *node_ptr, mp_mat *w)
{
    int *col = MP_NEW_RAW(c->arena, int, l->count);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    int *from = MP_NEW_RAW(c->arena, int, l->count);
    mp_lists_turn(l, node_ptr[graphs], col, from);
    if (w) c->k->rows_take(w->v, l->weight, from, 0, l->count, 1);
    mp_arena_back(mp_elements(c), here);
    mp_graph out = mp_lists_graph(l, graphs, node_ptr, col);
    out.w = w;
    return out;
}

void mp_coarse_of(mp_ctx *c, const mp_graph *g, const mp_assign *t, mp_mat *alpha, const int *cluster_of,
                  mp_diagonal diagonal, mp_graph *out)
{
    mp_assert(alpha->rows == t->size && g->nodes == t->nodes);
    int *cluster_ptr = MP_NEW_RAW(c->arena, int, g->graphs + 1);
    memcpy(cluster_ptr, cluster_of, (size_t)(g->graphs + 1) * sizeof *cluster_ptr);
    mp_coarsening a = { g, alpha, NULL, *t, cluster_ptr, diagonal, { 0 }, NULL };
    if (c->unseen) {
        mp_coarse_unseen(c, &a);
    } else {
        mp_lists met = met_all(c, &a);
        a.w = mp_mat_new(c, met.count, 1);
        a.out = mp_listed(c, &met, g->graphs, cluster_ptr, a.w);
    }
    *out = a.out;
    MP_RECORD(c, coarse_back, mp_coarsening, a.g, a.alpha, a.w, a.t, a.cluster_ptr, a.diagonal, a.out, a.met);
}
