/* one_coarse.h - A' = T^T W T pair by pair: what one node is to a cluster, one cluster to another, one membership and one edge to the
 * gradients. One text for the processor and a GPU (one.h).
 *
 *     M_l = sum_j T[j,p] W[j->l]          A'[p,q] = sum_l M_l T[l,q]                      (edge p -> q)
 *     dM_l = sum_q dA'[p,q] T[l,q]        dT[j,p] = sum_r dA'[r,p] M_j of r + sum_l W[j->l] dM_l      dW[j->l] = sum_p T[j,p] dM_l
 *
 * The terms and their order are those of the ways that look at a graph first: op_coarse.c, where a product is rounded before it
 * is added, and coarse_dense.c, where products are those of matrices (kernels.h: a chain, or 16 lanes where there are few columns).
 * Zeros of these matrices are no terms here.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ONE_COARSE_H
#define MP_ONE_COARSE_H

#include "math/one.h"

#define MP_DENSE_GAIN 16                 /* multiply-adds of a product in the time of one scattered one */
#define MP_DENSE_ROOM ((int64_t)1 << 26) /* elements that the matrices of a graph may have, forward    */

MP_ANYWHERE bool dense_fits(int64_t n, int64_t k)
{
    return n > 0 && n * n + 2 * n * k + k * k <= MP_DENSE_ROOM;
}

/* Whether a graph of n nodes and k clusters is better off dense. spread: the edges of all members of its clusters; near: the same,
 * at most n of each cluster; owners: memberships. */
MP_ANYWHERE bool dense_pays(int64_t n, int64_t k, int64_t spread, int64_t near, int64_t owners)
{
    return dense_fits(n, k) && n * k * (n + k) < MP_DENSE_GAIN * (spread + near * owners / n);
}

/* The edges of the members of cluster p. */
MP_ANYWHERE int64_t edges_of_members(const mp_csr *g, const mp_members *t, int p)
{
    int64_t steps = 0;
    for (int i = t->cluster_ptr[p]; i < t->cluster_ptr[p + 1]; i++)
        steps += g->row_ptr[t->member[i] + 1] - g->row_ptr[t->member[i]];
    return steps;
}

/* ---- sums */
typedef enum sum_way { SUM_STEPS, SUM_CHAIN, SUM_LANES } sum_way;
typedef struct tally {
    sum_way way;
    mp_real sum, lane[16];
} tally;

MP_ANYWHERE sum_way way_of(bool dense, int columns)
{
    return !dense ? SUM_STEPS : columns <= MP_NARROW ? SUM_LANES : SUM_CHAIN;
}

MP_ANYWHERE void tally_begin(tally *s, sum_way way)
{
    s->way = way;
    s->sum = 0;
    if (way == SUM_LANES)
        for (int l = 0; l < 16; l++) s->lane[l] = 0;
}

/* `number`: of the term among all, those that are zero included. */
MP_ANYWHERE void tally_add(tally *s, mp_real x, mp_real y, int number)
{
    if (s->way == SUM_STEPS)
        s->sum += x * y;
    else if (s->way == SUM_CHAIN)
        s->sum = fma1(x, y, s->sum);
    else
        s->lane[number % 16] = fma1(x, y, s->lane[number % 16]);
}

MP_ANYWHERE mp_real tally_end(tally *s)
{
    if (s->way != SUM_LANES) return s->sum;
    for (int step = 8; step > 0; step /= 2)
        for (int l = 0; l < step; l++) s->lane[l] += s->lane[l + step];
    return s->lane[0];
}

/* ---- pairs */
typedef struct meet_block { /* a graph: its first node and cluster, how many of each */
    int node, cluster, n, k;
    bool dense;
    size_t near_at, pair_at;
} meet_block;

MP_ANYWHERE meet_block meet_block_of(const mp_meeting *s, int b)
{
    meet_block z = { s->node_ptr[b],
                     s->cluster_ptr[b],
                     s->node_ptr[b + 1] - s->node_ptr[b],
                     s->cluster_ptr[b + 1] - s->cluster_ptr[b],
                     s->dense[b],
                     s->near_at[b],
                     s->pair_at[b] };
    return z;
}

MP_ANYWHERE size_t near_of(const meet_block *z, int p, int l)
{
    return z->near_at + (size_t)(p - z->cluster) * (size_t)z->n + (size_t)(l - z->node);
}

MP_ANYWHERE size_t pair_of(const meet_block *z, int p, int q)
{
    return z->pair_at + (size_t)(p - z->cluster) * (size_t)z->k + (size_t)(q - z->cluster);
}

/* The place of node l among the members of q, or -1. */
MP_ANYWHERE int member_of(const mp_members *t, int q, int l)
{
    int from = t->cluster_ptr[q], to = t->cluster_ptr[q + 1], end = to;
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (t->member[middle] < l)
            from = middle + 1;
        else
            to = middle;
    }
    return from < end && t->member[from] == l ? from : -1;
}

/* M_l of p: over the members of p that are next to l. */
MP_ANYWHERE void meet_near1(const mp_meeting *s, const meet_block *z, const mp_real *alpha, const mp_csr *g,
                            const mp_members *t, int p, int l)
{
    int i = t->cluster_ptr[p], end = t->cluster_ptr[p + 1], e = g->row_ptr[l], last = g->row_ptr[l + 1], first = -1;
    tally sum;
    tally_begin(&sum, way_of(z->dense, z->k));
    while (i < end && e < last) {
        int j = t->member[i], u = g->col[e];
        if (j == u) {
            if (first < 0) first = i;
            tally_add(&sum, edge_weight(g, e), alpha[t->member_at[i]], j - z->node);
        }
        i += j <= u;
        e += u <= j;
    }
    s->first[near_of(z, p, l)] = first;
    s->m[near_of(z, p, l)] = tally_end(&sum);
}

/* A'[p,q] over the nodes of q, upwards. */
MP_ANYWHERE mp_real pair_upwards(const mp_meeting *s, const meet_block *z, const mp_real *alpha, const mp_members *t,
                                 int p, int q)
{
    mp_real sum = 0;
    for (int i = t->cluster_ptr[q]; i < t->cluster_ptr[q + 1]; i++) {
        size_t at = near_of(z, p, t->member[i]);
        if (s->first[at] >= 0) sum = fma1(s->m[at], alpha[t->member_at[i]], sum);
    }
    return sum;
}

/* The same in the order in which the members of p meet these nodes. */
MP_ANYWHERE mp_real pair_as_met(const mp_meeting *s, const meet_block *z, const mp_real *alpha, const mp_csr *g,
                                const mp_members *t, int p, int q)
{
    mp_real sum = 0;
    for (int i = t->cluster_ptr[p]; i < t->cluster_ptr[p + 1]; i++) {
        int j = t->member[i];
        for (int f = g->row_ptr[j]; f < g->row_ptr[j + 1]; f++) {
            size_t at = near_of(z, p, g->col[f]);
            int k = s->first[at] == i ? member_of(t, q, g->col[f]) : -1;
            if (k >= 0) sum += s->m[at] * alpha[t->member_at[k]];
        }
    }
    return sum;
}

MP_ANYWHERE void meet_pair1(const mp_meeting *s, const meet_block *z, const mp_real *alpha, const mp_csr *g,
                            const mp_members *t, int p, int q)
{
    size_t at = pair_of(z, p, q);
    bool meets = false;
    if (p == q && s->diagonal != MP_DIAGONAL_SUM) {
        s->place[at] = s->diagonal == MP_DIAGONAL_ONE;
        s->a[at] = 1;
        return;
    }
    for (int i = t->cluster_ptr[q]; !meets && i < t->cluster_ptr[q + 1]; i++)
        meets = s->first[near_of(z, p, t->member[i])] >= 0;
    s->place[at] = meets;
    if (!meets) return;
    s->a[at] = z->dense ? pair_upwards(s, z, alpha, t, p, q) : pair_as_met(s, z, alpha, g, t, p, q);
}

/* How many clusters q meets. Structure is symmetric, so a column of pairs is as good as a row. */
MP_ANYWHERE int meet_row1(const mp_meeting *s, const meet_block *z, int q)
{
    int n = 0;
    for (int p = z->cluster; p < z->cluster + z->k; p++) n += s->place[pair_of(z, p, q)];
    return n;
}

/* The edges that end in q. */
MP_ANYWHERE void meet_edges1(int *col, mp_real *w, const int *row_ptr, const mp_meeting *s, const meet_block *z, int q)
{
    int next = row_ptr[q];
    for (int p = z->cluster; p < z->cluster + z->k; p++) {
        size_t at = pair_of(z, p, q);
        bool meets = s->place[at];
        s->place[at] = meets ? next : -1;
        if (!meets) continue;
        col[next] = p;
        w[next++] = s->a[at];
    }
}

MP_ANYWHERE void meet_reverses1(int *rev, const int *row_ptr, const int *col, const mp_meeting *s, const meet_block *z,
                                int q)
{
    for (int e = row_ptr[q]; e < row_ptr[q + 1]; e++) rev[e] = s->place[pair_of(z, q, col[e])];
}

/* ---- backward. A diagonal that is not summed is a constant. */
MP_ANYWHERE bool is_summed(const mp_meeting *s, int p, int q)
{
    return p != q || s->diagonal == MP_DIAGONAL_SUM;
}

MP_ANYWHERE void meet_near_bwd1(mp_real *dm, const mp_real *dweight, const mp_meeting *s, const meet_block *z,
                                const mp_real *alpha, const mp_members *t, int p, int l)
{
    size_t at = near_of(z, p, l);
    tally sum;
    if (s->first[at] < 0) return;
    tally_begin(&sum, way_of(z->dense, z->k));
    for (int k = t->node_ptr[l]; k < t->node_ptr[l + 1]; k++) {
        int q = t->owner[k];
        if (is_summed(s, p, q))
            tally_add(&sum, dweight[s->place[pair_of(z, p, q)]], alpha[t->owner_at[k]], q - z->cluster);
    }
    dm[at] = tally_end(&sum);
}

/* Membership i, which is one of cluster p. */
MP_ANYWHERE void meet_member_bwd1(mp_real *dalpha, const mp_real *dm, const mp_real *dweight, const mp_meeting *s,
                                  const meet_block *z, const mp_csr *g, const mp_csr *out, const mp_members *t, int p,
                                  int i)
{
    int j = t->member[i];
    mp_real *d = dalpha + t->member_at[i];
    tally sum;
    tally_begin(&sum, way_of(z->dense, z->k));
    for (int e = out->row_ptr[p]; e < out->row_ptr[p + 1]; e++) {
        int r = out->col[e];
        size_t at = near_of(z, r, j);
        if (is_summed(s, r, p) && s->first[at] >= 0) tally_add(&sum, s->m[at], dweight[e], r - z->cluster);
    }
    mp_real of_others = tally_end(&sum), own = z->dense ? of_others : 0;
    for (int f = g->row_ptr[j]; f < g->row_ptr[j + 1]; f++) {
        mp_real w = edge_weight(g, g->rev[f]), d_near = dm[near_of(z, p, g->col[f])];
        own = z->dense ? fma1(w, d_near, own) : own + w * d_near;
    }
    *d += own;
    if (!z->dense) *d += of_others;
}

/* Edge e, which ends in l. */
MP_ANYWHERE void meet_weight_bwd1(mp_real *dw, const mp_real *dm, const meet_block *z, const mp_real *alpha,
                                  const mp_csr *g, const mp_members *t, int l, int e)
{
    int j = g->col[e];
    tally sum;
    tally_begin(&sum, way_of(z->dense, z->n));
    if (!z->dense) sum.sum = dw[e];
    for (int k = t->node_ptr[j]; k < t->node_ptr[j + 1]; k++) {
        int p = t->owner[k];
        tally_add(&sum, dm[near_of(z, p, l)], alpha[t->owner_at[k]], p - z->cluster);
    }
    dw[e] = z->dense ? dw[e] + tally_end(&sum) : tally_end(&sum);
}

#endif
