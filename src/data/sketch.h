/* sketch.h - random simple graphs as edge lists, sets of distinct ones, and many of them as one mp_raw.
 *
 * What the generators share. A sketch is small and comparable: edges are sorted codes, so two graphs on the
 * same numbered nodes are equal exactly when their codes and marks are.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SKETCH_H
#define MP_SKETCH_H

#include "base/rng.h"
#include "data/tu.h"

typedef struct mp_sketch {
    int nodes, edges;
    const uint64_t *edge;      /* i << 32 | j with i < j, ascending                 */
    const unsigned char *mark; /* a byte a node that counts in comparisons, or NULL */
    int label;
} mp_sketch;

/* `edges` different pairs of `nodes` nodes, uniformly, unsorted. At most nodes (nodes-1) / 2. */
void mp_sketch_draw(mp_rng *rng, mp_arena *a, int nodes, int edges, mp_sketch *out);
void mp_sketch_sort(mp_sketch *s);

/* A set of sketches; grows by itself. Zero-initialise, then set the arena. */
typedef struct mp_sketch_set {
    mp_arena *a;
    int count, room;
    mp_sketch *at; /* in the order they came  */
    int *slot;     /* hash table of 2 x room: index + 1, 0 = free */
} mp_sketch_set;

/* False when an equal one (nodes, edges, marks) is there already. The sketch must be sorted. */
bool mp_sketch_add(mp_sketch_set *set, const mp_sketch *s);

/* The graphs list[0..n-1] side by side: structure and labels. Attributes are left to the caller. */
MP_MUST mp_err mp_sketch_raw(const mp_sketch *const *list, int n, const char *name, mp_arena *a, mp_raw *out);

#endif
