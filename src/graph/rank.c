/* rank.c - see rank.h.
 * SPDX-License-Identifier: MIT */
#include "graph/rank.h"
#include "math/kernels.h"

#include <math.h>

void mp_rank_nodes(const mp_site *s, const mp_real *key, const int *dropped, const int *node_ptr, int ranges,
                   const int *keep_ptr, int *keep)
{
    mp_arena_mark here = mp_arena_here(s->elements);
    int nodes = node_ptr[ranges];
    void *work = mp_arena_raw(s->elements, (size_t)nodes, MP_RANK_WORK);
    s->k->rank(keep, work, key, dropped, node_ptr, keep_ptr, ranges, nodes);
    mp_arena_back(s->elements, here);
}

void mp_rank_above(const mp_real *key, const int *dropped, const int *node_ptr, int ranges, mp_real least, int *counts)
{
    for (int b = 0; b < ranges; b++) {
        mp_real most = -(mp_real)INFINITY, limit;
        for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++)
            if (!(dropped && dropped[v]) && key[v] > most) most = key[v];
        limit = most - (mp_real)1e-7;
        if (least < limit) limit = least;
        counts[b] = 0;
        for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++) counts[b] += !(dropped && dropped[v]) && key[v] > limit;
        if (counts[b] == 0 && node_ptr[b + 1] > node_ptr[b]) counts[b] = 1;
    }
}
