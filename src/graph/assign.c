/* assign.c - see assign.h. The side that is not given comes from a counting sort, which keeps both sides ascending.
 * SPDX-License-Identifier: MIT */
#include "graph/assign.h"

/* Turns lists by row (ptr, item, at) of `rows` rows into lists by item of `items` items. `at` NULL: numbered as they
 * come. */
static void turn(mp_arena *a, int rows, const int *ptr, const int *item, const int *at, int items, const int **out_ptr,
                 const int **out_row, const int **out_at)
{
    int *p = MP_NEW(a, int, items + 2), *row = MP_NEW_RAW(a, int, ptr[rows]), *place = MP_NEW_RAW(a, int, ptr[rows]);
    for (int i = ptr[0]; i < ptr[rows]; i++) p[item[i] + 2]++;
    for (int k = 0; k < items; k++) p[k + 2] += p[k + 1];
    for (int r = 0; r < rows; r++) {
        for (int i = ptr[r]; i < ptr[r + 1]; i++) {
            int to = p[item[i] + 1]++;
            row[to] = r;
            place[to] = at ? at[i] : i;
        }
    }
    *out_ptr = p;
    *out_row = row;
    *out_at = place;
}

static const int *counting(mp_arena *a, int n)
{
    int *v = MP_NEW_RAW(a, int, n);
    for (int i = 0; i < n; i++) v[i] = i;
    return v;
}

void mp_assign_rows(mp_arena *a, const mp_graph *g, const int *keep, int clusters, mp_assign *out)
{
    int *ptr = MP_NEW(a, int, clusters + 1);
    for (int q = 0; q < clusters; q++) ptr[q + 1] = ptr[q] + g->row_ptr[keep[q] + 1] - g->row_ptr[keep[q]];
    int *member = MP_NEW_RAW(a, int, ptr[clusters]), *at = MP_NEW_RAW(a, int, ptr[clusters]);
    for (int q = 0; q < clusters; q++) {
        for (int e = g->row_ptr[keep[q]], i = ptr[q]; e < g->row_ptr[keep[q] + 1]; e++, i++) {
            member[i] = g->col[e];
            at[i] = e;
        }
    }
    *out = (mp_assign){
        .nodes = g->nodes, .clusters = clusters, .size = g->edges, .cluster_ptr = ptr, .member = member, .member_at = at
    };
    turn(a, clusters, ptr, member, at, g->nodes, &out->node_ptr, &out->owner, &out->owner_at);
}

void mp_assign_nodes(mp_arena *a, int nodes, int clusters, const int *node_ptr, const int *owner, mp_assign *out)
{
    *out = (mp_assign){ .nodes = nodes,
                        .clusters = clusters,
                        .size = node_ptr[nodes],
                        .node_ptr = node_ptr,
                        .owner = owner,
                        .owner_at = counting(a, node_ptr[nodes]) };
    turn(a, nodes, node_ptr, owner, NULL, clusters, &out->cluster_ptr, &out->member, &out->member_at);
}
