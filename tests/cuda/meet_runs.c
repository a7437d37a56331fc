/* meet_runs.c - a run on random graphs for each kernel that makes clusters and coarse graphs (kernel_runs.h). What a kernel is given
 * is made by the processor.
 * SPDX-License-Identifier: MIT */
#include "plain_runs.h"

#include <string.h>

#define small runs_small
#define coin  runs_coin
#define room  runs_room
#define reals runs_reals

enum { GRAPHS = 5 };

static const mp_kernels *processor(void)
{
    return mp_kernels_named("base");
}

/* Graphs without nodes, with one, without edges, sparse and dense ones. */
static mp_graph some_graphs(mp_rig *r)
{
    int sizes[GRAPHS] = { 1, 0, 1 + small(r), 2 + small(r), 3 * small(r) };
    return mp_rig_graph(r, GRAPHS, sizes, coin(r) ? mp_rng_between(&r->rng, 0, 0.15) : mp_rng_unit(&r->rng), 0.2);
}

static int *ints(size_t n)
{
    return room(n + 1, sizeof(int));
}

/* ---- self loops */
void run_loop_rows(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graphs(r);
    mp_csr c = mp_graph_csr(&g);
    int *row_ptr = ints((size_t)g.nodes);
    k->loop_rows(row_ptr, &c);
    trace_ints(t, row_ptr, (size_t)g.nodes + 1);
}

typedef struct looped {
    mp_csr g;
    int room, edges;
    int *row_ptr, *col, *rev, *from;
} looped;

static looped with_loops(const mp_kernels *k, mp_rig *r, const mp_graph *g)
{
    mp_csr c = mp_graph_csr(g);
    size_t most = (size_t)(g->edges + g->nodes + small(r));
    looped l = { .room = (int)most, .row_ptr = ints((size_t)g->nodes), .col = ints(most), .rev = ints(most) };
    l.from = ints(most);
    processor()->loop_rows(l.row_ptr, &c);
    k->loop_edges(l.col, l.rev, l.from, l.row_ptr, &c, l.room);
    l.edges = l.row_ptr[g->nodes];
    float *w = coin(r) ? reals(r, most) : NULL;
    l.g = (mp_csr){ l.row_ptr, l.col, l.rev, w, g->nodes };
    return l;
}

void run_loop_edges(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graphs(r);
    looped l = with_loops(k, r, &g);
    trace_ints(t, l.col, (size_t)l.edges);
    trace_ints(t, l.rev, (size_t)l.edges);
    trace_ints(t, l.from, (size_t)l.room);
}

void run_edges_give(const mp_kernels *k, mp_rig *r, trace *t)
{
    int n = runs_size(r), *from = ints((size_t)n);
    float *dw = reals(r, (size_t)n), *dout = reals(r, (size_t)n);
    for (int i = 0; i < n; i++) from[i] = i;
    mp_rng_shuffle(&r->rng, from, n);
    for (int i = 0; i < n; i++) from[i] = coin(r) ? from[i] : -1;
    k->edges_give(dw, dout, from, n);
    trace_reals(t, dw, (size_t)n);
}

/* ---- clusters */
static int *keep_some(mp_rig *r, const mp_graph *g, int *keep_ptr)
{
    int *keep = ints((size_t)g->nodes);
    mp_rig_keep(r, g, mp_rng_unit(&r->rng), keep, keep_ptr);
    return keep;
}

void run_row_clusters(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graphs(r);
    mp_csr c = mp_graph_csr(&g);
    int *keep_ptr = ints(GRAPHS), *keep = keep_some(r, &g, keep_ptr), K = keep_ptr[GRAPHS], *ptr = ints((size_t)K);
    k->row_clusters(ptr, &c, keep, K);
    trace_ints(t, ptr, (size_t)K + 1);
}

void run_row_members(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graphs(r);
    mp_csr c = mp_graph_csr(&g);
    int *keep_ptr = ints(GRAPHS), *keep = keep_some(r, &g, keep_ptr), K = keep_ptr[GRAPHS], *ptr = ints((size_t)K);
    processor()->row_clusters(ptr, &c, keep, K);
    size_t n = (size_t)ptr[K];
    int *member = ints(n), *at = ints(n);
    k->row_members(member, at, ptr, &c, keep, K);
    trace_ints(t, member, n);
    trace_ints(t, at, n);
}

void run_turn_lists(const mp_kernels *k, mp_rig *r, trace *t)
{
    mp_graph g = some_graphs(r);
    int items = g.nodes, n = 0, *ptr = ints((size_t)g.nodes), *item = ints((size_t)g.edges);
    int *at = coin(r) ? ints((size_t)g.edges) : NULL, *out_ptr = ints((size_t)items + 1);
    for (int v = 0; v < g.nodes; v++) { /* the rows of a graph with some left out */
        for (int e = g.row_ptr[v]; coin(r) && e < g.row_ptr[v + 1]; e++) {
            if (at) at[n] = e;
            item[n++] = g.col[e];
        }
        ptr[v + 1] = n;
    }
    int *row = ints((size_t)n), *out_at = ints((size_t)n), *work = ints((size_t)(n + items));
    k->turn_lists(out_ptr, row, out_at, work, ptr, item, at, g.nodes, items);
    trace_ints(t, out_ptr, (size_t)items + 1);
    trace_ints(t, row, (size_t)n);
    trace_ints(t, out_at, (size_t)n);
}

/* ---- clusters that meet */
typedef struct meeting { /* with all that the kernels up to one of them have written */
    mp_graph graphs;
    looped l;
    int K, size, edges;
    mp_members t;
    float *alpha, *w;
    mp_meeting s;
    int *row_ptr, *col, *rev;
    mp_csr out;
} meeting;

static mp_members members_of(const looped *l, const int *keep, int K, int nodes)
{
    int *ptr = ints((size_t)K), *member, *at, *node_ptr = ints((size_t)nodes + 1), *owner, *owner_at;
    processor()->row_clusters(ptr, &l->g, keep, K);
    size_t n = (size_t)ptr[K];
    member = ints(n);
    at = ints(n);
    owner = ints(n);
    owner_at = ints(n);
    processor()->row_members(member, at, ptr, &l->g, keep, K);
    processor()->turn_lists(node_ptr, owner, owner_at, NULL, ptr, member, at, K, nodes);
    return (mp_members){ ptr, member, at, node_ptr, owner, owner_at };
}

/* The first `upto` kernels by the processor. */
static meeting meet(mp_rig *r, int upto)
{
    const mp_kernels *k = processor();
    meeting m = { .graphs = some_graphs(r) };
    m.l = with_loops(k, r, &m.graphs);
    int *keep_ptr = ints(GRAPHS), *keep = keep_some(r, &m.graphs, keep_ptr), *node_ptr = ints(GRAPHS);
    memcpy(node_ptr, m.graphs.node_ptr, (GRAPHS + 1) * sizeof *node_ptr);
    m.K = keep_ptr[GRAPHS];
    m.t = members_of(&m.l, keep, m.K, m.graphs.nodes);
    m.size = m.t.cluster_ptr[m.K];
    m.alpha = reals(r, (size_t)m.l.room);
    size_t *near_at = room(GRAPHS + 1, sizeof *near_at), *pair_at = room(GRAPHS + 1, sizeof *pair_at);
    near_at[0] = pair_at[0] = 0;
    for (int b = 0; b < GRAPHS; b++) {
        size_t n = (size_t)(node_ptr[b + 1] - node_ptr[b]), q = (size_t)(keep_ptr[b + 1] - keep_ptr[b]);
        near_at[b + 1] = near_at[b] + n * q;
        pair_at[b + 1] = pair_at[b] + q * q;
    }
    size_t nears = near_at[GRAPHS], pairs = pair_at[GRAPHS];
    bool *dense = room(GRAPHS, sizeof *dense);
    m.s = (mp_meeting){ node_ptr,    keep_ptr,
                        near_at,     pair_at,
                        dense,       reals(r, nears),
                        ints(nears), reals(r, pairs),
                        ints(pairs), (mp_diagonal)mp_rng_below(&r->rng, 3),
                        GRAPHS,      nears,
                        pairs };
    m.row_ptr = ints((size_t)m.K);
    m.col = ints(pairs);
    m.rev = ints(pairs);
    m.w = reals(r, pairs);
    m.out = (mp_csr){ m.row_ptr, m.col, m.rev, m.w, m.K };
    if (upto > 0) k->meet_ways(&m.s, &m.l.g, &m.t);
    if (upto > 0 && coin(r)) /* both ways, whatever pays */
        for (int b = 0; b < GRAPHS; b++) dense[b] = coin(r);
    if (upto > 1) k->meet_near(&m.s, m.alpha, &m.l.g, &m.t);
    if (upto > 2) k->meet_pairs(&m.s, m.alpha, &m.l.g, &m.t);
    if (upto > 3) k->meet_rows(m.row_ptr, &m.s, m.K);
    if (upto > 4) k->meet_edges(m.col, m.rev, m.w, m.row_ptr, &m.s);
    m.edges = upto > 3 ? m.row_ptr[m.K] : 0;
    return m;
}

void run_meet_ways(const mp_kernels *k, mp_rig *r, trace *t)
{
    meeting m = meet(r, 0);
    k->meet_ways(&m.s, &m.l.g, &m.t);
    trace_marks(t, m.s.dense, GRAPHS);
}

void run_meet_near(const mp_kernels *k, mp_rig *r, trace *t)
{
    meeting m = meet(r, 1);
    k->meet_near(&m.s, m.alpha, &m.l.g, &m.t);
    trace_ints(t, m.s.first, m.s.nears);
    trace_reals(t, m.s.m, m.s.nears);
}

void run_meet_pairs(const mp_kernels *k, mp_rig *r, trace *t)
{
    meeting m = meet(r, 2);
    k->meet_pairs(&m.s, m.alpha, &m.l.g, &m.t);
    trace_ints(t, m.s.place, m.s.pairs);
    trace_reals(t, m.s.a, m.s.pairs);
}

void run_meet_rows(const mp_kernels *k, mp_rig *r, trace *t)
{
    meeting m = meet(r, 3);
    k->meet_rows(m.row_ptr, &m.s, m.K);
    trace_ints(t, m.row_ptr, (size_t)m.K + 1);
}

void run_meet_edges(const mp_kernels *k, mp_rig *r, trace *t)
{
    meeting m = meet(r, 4);
    k->meet_edges(m.col, m.rev, m.w, m.row_ptr, &m.s);
    trace_ints(t, m.col, (size_t)m.edges);
    trace_ints(t, m.rev, (size_t)m.edges);
    trace_ints(t, m.s.place, m.s.pairs);
    trace_reals(t, m.w, (size_t)m.edges);
}

void run_meet_near_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    meeting m = meet(r, 5);
    float *dm = reals(r, m.s.nears), *dweight = reals(r, m.s.pairs);
    k->meet_near_bwd(dm, dweight, &m.s, m.alpha, &m.t);
    trace_reals(t, dm, m.s.nears);
}

void run_meet_members_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    meeting m = meet(r, 5);
    float *dalpha = reals(r, (size_t)m.l.room), *dm = reals(r, m.s.nears), *dweight = reals(r, m.s.pairs);
    k->meet_members_bwd(dalpha, dm, dweight, &m.s, &m.l.g, &m.out, &m.t, m.K, m.size + small(r));
    trace_reals(t, dalpha, (size_t)m.l.room);
}

void run_meet_weights_bwd(const mp_kernels *k, mp_rig *r, trace *t)
{
    meeting m = meet(r, 5);
    float *dw = reals(r, (size_t)m.l.room), *dm = reals(r, m.s.nears);
    k->meet_weights_bwd(dw, dm, &m.s, m.alpha, &m.l.g, &m.t, m.l.room);
    trace_reals(t, dw, (size_t)m.l.room);
}
