/* graph.h - B graphs side by side as one block-diagonal matrix in compressed rows.
 *
 * Row v lists the edges that end in v: an edge e of row v carries a message from col[e] to v. Each edge is
 * stored from both ends, so the structure is symmetric; weights need not be. Columns ascend within a row.
 * Self loops are allowed and are their own reverse. A graph is never changed once built.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GRAPH_H
#define MP_GRAPH_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/real.h"
#include "math/plain.h"

#include <stdbool.h>
#include <stddef.h>

MP_API_BEGIN

/* A matrix: rows x cols, row-major, no strides. `g` is the gradient, NULL when nobody needs one;
 * until `live` its contents are unspecified (see tape.h). */
typedef struct mp_mat {
    int rows, cols;
    mp_real *v, *g;
    bool live, by_rows; /* by_rows: of the gradient only the rows that `wrote` marks are live */
    bool *wrote;        /* room for those marks, where a gradient may stay like that; else NULL */
} mp_mat;

/* What the normalised sum over closed neighbourhoods (GCN) counts, computed when first asked for. */
typedef struct mp_norm {
    bool ready;
    mp_real *p, *q, *s;           /* E: weights, or NULL; N: s times that of the self loop; N: 1/sqrt(degree) */
    const struct mp_twins *twins; /* of an unweighted graph; may be there before the others; else NULL */
} mp_norm;

/* Features as a sparse matrix: row v has columns col[ptr[v]] .. ascending. `val` NULL: all 1. A matrix without
 * zeros worth leaving out has `ptr` and `col` NULL and its rows one after the other in `val`. */
typedef struct mp_sparse {
    int rows, cols;
    const int *ptr, *col;
    const mp_real *val;
    const int *kind; /* row v: below `kinds`, the same for rows that are equal and for no others; NULL: not known */
    int kinds;
} mp_sparse;

typedef struct mp_graph {
    int graphs, nodes;
    int edges;                     /* or more, where a kernel made the graph unseen          */
    const int *node_ptr;           /* B+1: graph b owns nodes node_ptr[b] .. node_ptr[b+1]-1 */
    const int *row_ptr;            /* N+1: node v owns edges row_ptr[v] .. row_ptr[v+1]-1    */
    const int *col;                /* E: the neighbour, ascending within a row               */
    const int *rev;                /* E: the same edge seen from its other end               */
    mp_mat *w;                     /* E x 1: weights, or NULL when all are 1                 */
    const mp_sparse *edge_x;       /* attributes of edges, a row an edge; NULL: none         */
    const int *edge_from;          /* E: the edge's row of edge_x; NULL: row e */
    mp_norm *norm;                 /* a memo; NULL: not kept                                 */
    bool loopless;                 /* known to have no self loops                            */
    bool sums_only;                /* may lack `rev`, and edges where norm->twins has classes: mp_graph_gather */
    const struct mp_graph *origin; /* the graph it was pooled from first, where a pooling needs that; else NULL */
    const int *origin_node;        /* N: its nodes there                           */
    const int *which;              /* B: a batch's graphs in the collection it was gathered from; else NULL  */
    const mp_real *aim;            /* N: how much attention nodes deserve, where a data set says so; else NULL */
    const void *extra;             /* what a method keeps for each graph of the collection (Haar bases); else NULL */
} mp_graph;

/* Where structure is made from what kernels have written: nodes that were kept. */
typedef struct mp_site {
    mp_arena *arena;    /* of what is written here              */
    mp_arena *elements; /* of what kernels write; may be the same */
    const struct mp_kernels *k;
    bool unseen; /* what kernels write cannot be looked at (tape.h) */
} mp_site;

/* This processor's kernels, all in one arena. */
mp_site mp_site_in(mp_arena *a);

/* A count that a kernel has written, or where it cannot be looked at the most that it can be. */
static inline int mp_count_or(const mp_site *s, const int *count, int most)
{
    return s->unseen ? most : *count;
}

/* to[i] = from[i] + by: numbers of nodes, edges or classes that move together. */
static inline void mp_shifted(int *to, const int *from, int n, int by)
{
    for (int i = 0; i < n; i++) to[i] = from[i] + by;
}

/* A graph as kernels read it. */
static inline mp_csr mp_graph_csr(const mp_graph *g)
{
    return (mp_csr){ g->row_ptr, g->col, g->rev, g->w ? g->w->v : NULL, g->nodes };
}

/* The place of the edge u -> v, or -1. */
int mp_graph_edge(const mp_graph *g, int u, int v);

bool mp_graph_is_loopless(const mp_graph *g);

/* A graph without weights, of arrays that stay; node_ptr and row_ptr say how many nodes and edges there are. */
mp_graph mp_graph_of(mp_arena *a, int graphs, const int *node_ptr, const int *row_ptr, const int *col, const int *rev);

/* Every invariant of the comment above; the message names the first one broken. */
MP_MUST mp_err mp_graph_check(const mp_graph *g);

/* Fills `rev` for a symmetric structure with ascending columns; false when an edge has no reverse. */
bool mp_graph_reverse(int nodes, const int *row_ptr, const int *col, int *rev);

/* From a list of directed edges src -> dst (any order, no repeats; both directions present), weights w[e] of
 * edge e or NULL. `slot` (may be NULL) receives for each listed edge its place in the graph. Fails when an
 * edge is repeated, has no reverse, leaves 0..nodes-1 or crosses graphs. */
MP_MUST mp_err mp_graph_from_edges(mp_arena *a, int graphs, const int *node_ptr, int edges, const int *src,
                                   const int *dst, mp_graph *out, int *slot);

/* Rows which[0..n-1] of a matrix; a row without entries where which[i] is -1. */
mp_sparse mp_sparse_pick(mp_arena *a, const mp_sparse *x, const int *which, int n);

/* The rows that occur among which[0..n-1] (NULL: all of x, n of them), each once, in the order in which they are first met; (*of)[i] is the
 * place of row i there. */
mp_sparse mp_sparse_distinct(mp_arena *a, const mp_sparse *x, const int *which, int n, const int **of);

/* Fills in the kinds of rows. */
void mp_sparse_know(mp_arena *a, mp_sparse *x);

/* The graphs `which[0..n-1]` of a larger collection (with `rev`) as a batch of their own, and their rows of
 * the features and of the attributes of edges. `sums_only`: of its edges nothing is asked but the normalised sum over closed neighbourhoods, so their
 * reverses and attributes stay behind, and where the collection knows its twins the edges of graphs that have classes of them. */
void mp_graph_gather(mp_arena *a, const mp_graph *all, const mp_sparse *all_x, const int *which, int n, bool sums_only,
                     mp_graph *out, mp_sparse *out_x);
/* The same, and where all graphs are taken a copy too: everything is in the arena. */
void mp_graph_gather_copy(mp_arena *a, const mp_graph *all, const mp_sparse *all_x, const int *which, int n,
                          bool sums_only, mp_graph *out, mp_sparse *out_x);

MP_API_END

#endif
