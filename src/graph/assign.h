/* assign.h - which nodes belong to which clusters, sparse and seen from both sides. The strength of a membership is
 * element `at` of a vector that may carry a gradient, so only its place is kept here.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ASSIGN_H
#define MP_ASSIGN_H

#include "base/api.h"
#include "graph/graph.h"

MP_API_BEGIN

typedef struct mp_assign {
    int nodes, clusters, size;                   /* size: elements of the vector of strengths     */
    const int *cluster_ptr, *member, *member_at; /* cluster q: members member[cluster_ptr[q]] ..  */
    const int *node_ptr, *owner, *owner_at;      /* node v: its clusters, ascending               */
} mp_assign;

/* Memberships as kernels read them. */
static inline mp_members mp_assign_members(const mp_assign *t)
{
    return (mp_members){ t->cluster_ptr, t->member, t->member_at, t->node_ptr, t->owner, t->owner_at };
}

/* Cluster q = the columns that row keep[q] of g lists; strengths are numbered as the edges of g. */
void mp_assign_rows(const mp_site *s, const mp_graph *g, const int *keep, int clusters, mp_assign *out);

/* From lists by node: node v belongs to owner[node_ptr[v]] .. ascending; strengths are numbered in that order. */
void mp_assign_nodes(mp_arena *a, int nodes, int clusters, const int *node_ptr, const int *owner, mp_assign *out);

MP_API_END

#endif
