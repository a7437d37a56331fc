/* world.h - a small set of graphs as arrays: rings (class 3) and stars (class 7), with labels and attributes of nodes and
 * edges. For programs that see the public header alone.
 * SPDX-License-Identifier: MIT */
#ifndef MP_API_WORLD_H
#define MP_API_WORLD_H

#include <midpool.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRAPHS = 60, MOST_NODES = GRAPHS * 12, MOST_EDGES = MOST_NODES };

typedef struct world {
    int node_ptr[GRAPHS + 1], from[MOST_EDGES], to[MOST_EDGES];
    int node_label[MOST_NODES], edge_label[MOST_EDGES];
    float node_attribute[2 * MOST_NODES], edge_attribute[MOST_EDGES];
    double class[GRAPHS], two[2 * GRAPHS], yes[2 * GRAPHS];
    const char *part[GRAPHS];
    mp_arrays arrays; /* classes */
} world;

static inline void add_edge(world *w, int from, int to)
{
    int e = w->arrays.edges++;
    w->from[e] = from;
    w->to[e] = to;
    w->edge_label[e] = (from + to) % 3;
    w->edge_attribute[e] = 0.25f * (float)(to - from);
}

static inline void make_world(world *w)
{
    memset(w, 0, sizeof *w);
    for (int b = 0; b < GRAPHS; b++) {
        int n = 5 + b % 7, first = w->node_ptr[b];
        w->node_ptr[b + 1] = first + n;
        for (int v = 0; v < n; v++) {
            w->node_label[first + v] = 4 + (v + b) % 3;
            w->node_attribute[2 * (first + v)] = (float)(v % 4);
            w->node_attribute[2 * (first + v) + 1] = 0.5f;
        }
        for (int v = 0; v + (b % 2) < n; v++) add_edge(w, first + (b % 2 ? 0 : v), first + (v + 1) % n);
        w->class[b] = b % 2 ? 7 : 3;
        w->two[2 * b] = n;
        w->two[2 * b + 1] = b % 5 ? 0.5 * b : (double)NAN;
        w->yes[2 * b] = b % 2;
        w->yes[2 * b + 1] = b % 3 ? n > 7 : (double)NAN;
        w->part[b] = b < 36 ? "train" : b < 48 ? "val" : "test";
    }
    w->arrays = (mp_arrays){ .name = "WORLD",
                             .graphs = GRAPHS,
                             .edges = w->arrays.edges,
                             .node_ptr = w->node_ptr,
                             .from = w->from,
                             .to = w->to,
                             .node_labels = 1,
                             .node_label = w->node_label,
                             .targets = 1,
                             .label = w->class,
                             .part = w->part };
}

/* Graph b of the world as one to ask about. */
static inline mp_query graph_of(const world *w, int b, int *from, int *to)
{
    int first = w->node_ptr[b], n = 0;
    for (int e = 0; e < w->arrays.edges; e++) {
        if (w->from[e] < first || w->from[e] >= w->node_ptr[b + 1]) continue;
        from[n] = w->from[e] - first;
        to[n++] = w->to[e] - first;
    }
    return (mp_query){
        .nodes = w->node_ptr[b + 1] - first, .edges = n, .from = from, .to = to, .labels = w->node_label + first
    };
}

#define FEW "hidden=16", "layers=2", "epochs=6", "batch-size=16", "lr=0.01", "threads=2"

#endif
