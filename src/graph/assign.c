/* assign.c - see assign.h.
 * SPDX-License-Identifier: MIT */
#include "graph/assign.h"
#include "math/kernels.h"

/* The side that is not given: lists by row of `size` entries in all as lists by item. */
static void turn(const mp_site *s, int rows, const int *ptr, const int *item, const int *at, int items, int size,
                 const int **out_ptr, const int **out_row, const int **out_at)
{
    int *p = MP_NEW_RAW(s->elements, int, items + 2), *row = MP_NEW_RAW(s->elements, int, size);
    int *place = MP_NEW_RAW(s->elements, int, size);
    int *work = MP_NEW_RAW(s->elements, int, s->unseen ? (size_t)size + (size_t)items : 0);
    s->k->turn_lists(p, row, place, work, ptr, item, at, rows, items);
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

void mp_assign_rows(const mp_site *s, const mp_graph *g, const int *keep, int clusters, mp_assign *out)
{
    mp_csr on = mp_graph_csr(g);
    int *ptr = MP_NEW_RAW(s->elements, int, clusters + 1);
    s->k->row_clusters(ptr, &on, keep, clusters);
    int size = mp_count_or(s, ptr + clusters, g->edges);
    int *member = MP_NEW_RAW(s->elements, int, size), *at = MP_NEW_RAW(s->elements, int, size);
    s->k->row_members(member, at, ptr, &on, keep, clusters);
    *out = (mp_assign){
        .nodes = g->nodes, .clusters = clusters, .size = g->edges, .cluster_ptr = ptr, .member = member, .member_at = at
    };
    turn(s, clusters, ptr, member, at, g->nodes, size, &out->node_ptr, &out->owner, &out->owner_at);
}

void mp_assign_nodes(mp_arena *a, int nodes, int clusters, const int *node_ptr, const int *owner, mp_assign *out)
{
    *out = (mp_assign){ .nodes = nodes,
                        .clusters = clusters,
                        .size = node_ptr[nodes],
                        .node_ptr = node_ptr,
                        .owner = owner,
                        .owner_at = counting(a, node_ptr[nodes]) };
    mp_site s = mp_site_in(a);
    turn(&s, nodes, node_ptr, owner, NULL, clusters, node_ptr[nodes], &out->cluster_ptr, &out->member, &out->member_at);
}
