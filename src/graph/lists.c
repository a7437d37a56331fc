/* lists.c - see lists.h.
 * SPDX-License-Identifier: MIT */
#include "graph/lists.h"

#include <string.h>

mp_lists mp_lists_new(mp_arena *a, int nodes, bool weighted)
{
    return (mp_lists){ .arena = a, .ptr = MP_NEW(a, int, nodes + 1), .weighted = weighted };
}

void mp_lists_reserve(mp_lists *l, int64_t more)
{
    if (l->to && more <= l->cap - l->count) return; /* empty lists have an address too */
    l->cap = mp_room(l->cap, l->count + more, 0, "edges of the pooled graph");
    MP_MORE(l->arena, l->to, l->count, l->cap);
    if (l->weighted) MP_MORE(l->arena, l->weight, l->count, l->cap);
}

/* The pattern is symmetric, so the list of p is as long as row p; columns ascend because p does. */
void mp_lists_turn(const mp_lists *l, int nodes, int *col, int *from)
{
    mp_arena_mark here = mp_arena_here(l->arena);
    int *next = MP_NEW_RAW(l->arena, int, nodes);
    if (nodes) memcpy(next, l->ptr, (size_t)nodes * sizeof *next);
    for (int p = 0; p < nodes; p++) {
        for (int i = l->ptr[p]; i < l->ptr[p + 1]; i++) {
            int at = next[l->to[i]]++;
            col[at] = p;
            from[at] = i;
        }
    }
    mp_arena_back(l->arena, here);
}

mp_graph mp_lists_graph(mp_lists *l, int graphs, const int *node_ptr, const int *col)
{
    int *rev = l->to; /* nobody reads the lists any more */
    bool symmetric = mp_graph_reverse(node_ptr[graphs], l->ptr, col, rev);
    mp_assert(symmetric);
    return mp_graph_of(l->arena, graphs, node_ptr, l->ptr, col, rev);
}
