/* plain_meet.c - coarse adjacencies pair by pair (plain.h): loops over one_coarse.h.
 * SPDX-License-Identifier: MIT */
#include "math/one_coarse.h"

MP_PLAIN_LIST(MP_PLAIN_DECLARE)

void mp_plain_meet_ways(const mp_meeting *s, const mp_csr *g, const mp_members *t)
{
    for (int b = 0; b < s->graphs; b++) {
        int n = s->node_ptr[b + 1] - s->node_ptr[b], k = s->cluster_ptr[b + 1] - s->cluster_ptr[b];
        int64_t spread = 0, near = 0;
        for (int p = s->cluster_ptr[b]; p < s->cluster_ptr[b + 1]; p++) {
            int64_t steps = edges_of_members(g, t, p);
            spread += steps;
            near += steps < n ? steps : n;
        }
        s->dense[b] = dense_pays(n, k, spread, near, t->node_ptr[s->node_ptr[b + 1]] - t->node_ptr[s->node_ptr[b]]);
    }
}

void mp_plain_meet_near(const mp_meeting *s, const mp_real *alpha, const mp_csr *g, const mp_members *t)
{
    for (int b = 0; b < s->graphs; b++) {
        meet_block z = meet_block_of(s, b);
        for (int p = z.cluster; p < z.cluster + z.k; p++)
            for (int l = z.node; l < z.node + z.n; l++) meet_near1(s, &z, alpha, g, t, p, l);
    }
}

void mp_plain_meet_pairs(const mp_meeting *s, const mp_real *alpha, const mp_csr *g, const mp_members *t)
{
    for (int b = 0; b < s->graphs; b++) {
        meet_block z = meet_block_of(s, b);
        for (int p = z.cluster; p < z.cluster + z.k; p++)
            for (int q = z.cluster; q < z.cluster + z.k; q++) meet_pair1(s, &z, alpha, g, t, p, q);
    }
}

void mp_plain_meet_rows(int *row_ptr, const mp_meeting *s, int K)
{
    (void)K;
    row_ptr[0] = 0;
    for (int b = 0; b < s->graphs; b++) {
        meet_block z = meet_block_of(s, b);
        for (int q = z.cluster; q < z.cluster + z.k; q++) row_ptr[q + 1] = row_ptr[q] + meet_row1(s, &z, q);
    }
}

void mp_plain_meet_edges(int *col, int *rev, mp_real *w, const int *row_ptr, const mp_meeting *s)
{
    for (int b = 0; b < s->graphs; b++) {
        meet_block z = meet_block_of(s, b);
        for (int q = z.cluster; q < z.cluster + z.k; q++) meet_edges1(col, w, row_ptr, s, &z, q);
        for (int q = z.cluster; q < z.cluster + z.k; q++) meet_reverses1(rev, row_ptr, col, s, &z, q);
    }
}

void mp_plain_meet_near_bwd(mp_real *dm, const mp_real *dweight, const mp_meeting *s, const mp_real *alpha,
                            const mp_members *t)
{
    for (int b = 0; b < s->graphs; b++) {
        meet_block z = meet_block_of(s, b);
        for (int p = z.cluster; p < z.cluster + z.k; p++)
            for (int l = z.node; l < z.node + z.n; l++) meet_near_bwd1(dm, dweight, s, &z, alpha, t, p, l);
    }
}

void mp_plain_meet_members_bwd(mp_real *dalpha, const mp_real *dm, const mp_real *dweight, const mp_meeting *s,
                               const mp_csr *g, const mp_csr *out, const mp_members *t, int K, int most)
{
    (void)K;
    (void)most;
    for (int b = 0; b < s->graphs; b++) {
        meet_block z = meet_block_of(s, b);
        for (int p = z.cluster; p < z.cluster + z.k; p++)
            for (int i = t->cluster_ptr[p]; i < t->cluster_ptr[p + 1]; i++)
                meet_member_bwd1(dalpha, dm, dweight, s, &z, g, out, t, p, i);
    }
}

void mp_plain_meet_weights_bwd(mp_real *dw, const mp_real *dm, const mp_meeting *s, const mp_real *alpha,
                               const mp_csr *g, const mp_members *t, int most)
{
    (void)most;
    for (int b = 0; b < s->graphs; b++) {
        meet_block z = meet_block_of(s, b);
        for (int l = z.node; l < z.node + z.n; l++)
            for (int e = g->row_ptr[l]; e < g->row_ptr[l + 1]; e++) meet_weight_bwd1(dw, dm, &z, alpha, g, t, l, e);
    }
}
