/* golden_flat.c - golden cases of Set2Set, SortPool, EdgePool and HaarPool.
 * SPDX-License-Identifier: MIT */
#include "baseline/edge.h"
#include "baseline/haar.h"
#include "baseline/set2set.h"
#include "selftest/golden_run.h"

#define MOST_WIDTH 4096
#define MOST_STEPS 64

/* in.x and in.ptr onto a fresh tape: these cases have no edges. */
static mp_err inputs_without_edges(mp_case *k)
{
    int N, C;
    const mp_tensor *x, *ptr = mp_case_find(k, "in.ptr");
    const int *p;
    MP_TRY(mp_case_shape(k, "in.x", &N, &C));
    k->c = (mp_ctx){ .arena = k->step, .k = mp_kernels_get(), .record = true };
    if (!k->c.k) return mp_fail(MP_ERR_USAGE, "MIDPOOL_ISA: this machine has no such instruction set");
    if (!ptr || ptr->dims != 1 || ptr->shape[0] < 2 || ptr->shape[0] > (1 << 20))
        return mp_fail(MP_ERR_INPUT, "in.ptr is missing or not a list of graphs + 1 numbers");
    MP_TRY(mp_case_ints(k, ptr, &p));
    int graphs = (int)ptr->shape[0] - 1;
    bool ascending = p[0] == 0 && p[graphs] == N;
    for (int b = 0; b < graphs; b++) ascending = ascending && p[b] < p[b + 1];
    if (!ascending) return mp_fail(MP_ERR_INPUT, "in.ptr does not ascend from 0 to the %d rows of in.x", N);
    MP_TRY(mp_graph_from_edges(k->arena, graphs, p, 0, NULL, NULL, &k->g, NULL));
    MP_TRY(mp_case_need(k, "in.x", N, C, &x));
    k->x = mp_mat_new(&k->c, N, C);
    if (C > MOST_WIDTH) return mp_fail(MP_ERR_LIMIT, "in.x has %d columns", C);
    return mp_tensor_reals(x, k->x->v);
}

/* Weights from the file; *grad is where their gradients go. */
static mp_err bind_weights(mp_case *k, mp_params *p, mp_real **grad)
{
    MP_TRY(mp_case_fits(k, p, "w."));
    mp_params_alloc(p);
    MP_TRY(mp_case_weights(k, p));
    *grad = MP_NEW(k->step, mp_real, p->size + 1);
    mp_params_bind(p, &k->c, *grad);
    return MP_OK;
}

static mp_err number(mp_case *k, const char *key, int most, int *out)
{
    int64_t v;
    MP_TRY(mp_json_need_int(k->json, key, 1, most, "metadata 'case'", &v));
    *out = (int)v;
    return MP_OK;
}

mp_err mp_golden_set2set(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    mp_real *grad;
    int steps;
    (void)row;
    MP_TRY(number(k, "processing_steps", MOST_STEPS, &steps));
    MP_TRY(inputs_without_edges(k));
    mp_set2set s = mp_set2set_init(&p, "", k->x->cols, steps);
    MP_TRY(bind_weights(k, &p, &grad));
    MP_TRY(mp_case_output(k, "x", mp_set2set_run(&s, &k->c, k->x, k->g.node_ptr, k->g.graphs)));
    return mp_case_back(k, &p, grad);
}

mp_err mp_golden_sort(mp_case *k, const mp_golden_kind *row)
{
    mp_params none = { .arena = k->step };
    int places;
    (void)row;
    MP_TRY(number(k, "k", MOST_WIDTH, &places));
    MP_TRY(inputs_without_edges(k));
    MP_TRY(mp_case_output(k, "x", mp_sort_pad(&k->c, k->x, k->g.node_ptr, k->g.graphs, places)));
    return mp_case_back(k, &none, NULL);
}

/* ---- EdgePool: clusters have other numbers in the reference */

/* ours[p]: our number of the reference's cluster p. False when the partitions differ. */
static bool match_clusters(mp_case *k, const mp_tensor *t, const int *theirs, const mp_contraction *c, int *ours)
{
    int *back = MP_NEW(k->step, int, c->clusters + 1);
    for (int q = 0; q < c->clusters; q++) ours[q] = back[q] = -1;
    for (int v = 0; v < k->g.nodes; v++) {
        int p = theirs[v], q = c->cluster[v];
        bool fits = p >= 0 && p < c->clusters && (ours[p] == -1 || ours[p] == q) && (back[q] == -1 || back[q] == p);
        if (!fits) {
            mp_case_wrong(k, t->name, "puts node %d into cluster %d, which does not fit our clusters", v, p);
            return false;
        }
        ours[p] = q;
        back[q] = p;
    }
    mp_case_same(k, t);
    return true;
}

static bool has_edge(const mp_graph *g, int u, int v)
{
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
        if (g->col[e] == u) return true;
    return false;
}

static mp_err same_edges(mp_case *k, const mp_graph *g, const int *ours)
{
    const mp_tensor *t;
    const int *list;
    MP_TRY(mp_case_need(k, "out.edge_index", 2, g->edges, &t));
    MP_TRY(mp_case_ints(k, t, &list));
    for (int e = 0; e < g->edges; e++) { /* as many as ours and none twice, so being a part is being the same */
        int u = list[e], v = list[g->edges + e];
        bool inside = u >= 0 && u < g->nodes && v >= 0 && v < g->nodes;
        if (inside && has_edge(g, ours[u], ours[v])) continue;
        mp_case_wrong(k, t->name, "has the edge %d -> %d, which our graph has not", u, v);
        return MP_OK;
    }
    mp_case_same(k, t);
    return MP_OK;
}

static void same_batch(mp_case *k, const mp_graph *g, const int *ours)
{
    const mp_tensor *t = mp_case_find(k, "out.batch");
    int *graph = MP_NEW(k->step, int, g->nodes + 1), *batch = MP_NEW(k->step, int, g->nodes + 1);
    for (int b = 0; b < g->graphs; b++)
        for (int q = g->node_ptr[b]; q < g->node_ptr[b + 1]; q++) graph[q] = b;
    for (int p = 0; p < g->nodes; p++) batch[p] = graph[ours ? ours[p] : p];
    if (t) mp_case_equal(k, t, batch, (size_t)g->nodes);
}

mp_err mp_golden_edge(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    mp_real *grad;
    const mp_tensor *t;
    const int *theirs;
    (void)row;
    MP_TRY(mp_case_inputs(k));
    if (k->x->cols > MOST_WIDTH) return mp_fail(MP_ERR_LIMIT, "in.x has %d columns", k->x->cols);
    mp_edge_pool e = mp_edge_pool_init(&p, "", k->x->cols, 0);
    MP_TRY(bind_weights(k, &p, &grad));
    mp_edge_pooled out = mp_edge_pool_run(&e, &k->c, &k->g, k->x);
    MP_TRY(mp_case_need(k, "out.cluster", k->g.nodes, 1, &t));
    MP_TRY(mp_case_ints(k, t, &theirs));
    int *ours = MP_NEW(k->step, int, out.g.nodes + 1);
    if (!match_clusters(k, t, theirs, &out.clusters, ours)) {
        k->stop = true;
        return MP_OK;
    }
    MP_TRY(same_edges(k, &out.g, ours));
    same_batch(k, &out.g, ours);
    MP_TRY(mp_case_output(k, "x", mp_pick(&k->c, out.x, ours, out.g.nodes)));
    return mp_case_back(k, &p, grad);
}

/* ---- HaarPool: clusters are given */

/* The clusters of one level of one graph: numbers from 0 on, all used. Returns how many, or 0. */
static int clusters_of(const int *cluster, int n, mp_arena *scratch)
{
    int most = -1;
    for (int v = 0; v < n; v++) {
        if (cluster[v] < 0 || cluster[v] >= n) return 0;
        most = cluster[v] > most ? cluster[v] : most;
    }
    char *seen = MP_NEW(scratch, char, most + 2);
    for (int v = 0; v < n; v++) seen[cluster[v]] = 1;
    for (int q = 0; q <= most; q++)
        if (!seen[q]) return 0;
    return most + 1;
}

/* The chain of one graph: given clusterings, and one cluster above them. at[l]: numbers of level l that are
 * used up. */
static mp_err read_chain(mp_case *k, int b, int given, const int *const *cluster, const int *count, int *at,
                         mp_chain *out)
{
    int *size = MP_NEW(k->step, int, given + 2);
    const int **parent = MP_NEW(k->step, const int *, given + 1);
    size[0] = k->g.node_ptr[b + 1] - k->g.node_ptr[b];
    for (int l = 0; l < given; l++) {
        if (size[l] > count[l] - at[l]) return mp_fail(MP_ERR_INPUT, "in.cluster%d is too short", l + 1);
        parent[l] = cluster[l] + at[l];
        at[l] += size[l];
        size[l + 1] = clusters_of(parent[l], size[l], k->step);
        if (!size[l + 1]) return mp_fail(MP_ERR_INPUT, "in.cluster%d: graph %d has no clustering", l + 1, b);
    }
    parent[given] = MP_NEW(k->step, int, size[given]);
    size[given + 1] = 1;
    *out = (mp_chain){ given + 1, size, parent };
    return MP_OK;
}

static mp_err read_chains(mp_case *k, mp_chain *chain)
{
    static const char *const names[] = { "in.cluster1", "in.cluster2" };
    const int *cluster[2];
    int count[2] = { 0 }, at[2] = { 0 }, given = 0;
    for (; given < 2; given++) {
        const mp_tensor *t = mp_case_find(k, "%s", names[given]);
        if (!t) break;
        MP_TRY(mp_case_ints(k, t, &cluster[given]));
        count[given] = (int)t->count;
    }
    for (int b = 0; b < k->g.graphs; b++) MP_TRY(read_chain(k, b, given, cluster, count, at, &chain[b]));
    for (int l = 0; l < given; l++)
        if (at[l] != count[l]) return mp_fail(MP_ERR_INPUT, "%s is too long", names[l]);
    return MP_OK;
}

/* All vectors of all graphs as the columns of one block-diagonal matrix. */
static mp_err same_basis(mp_case *k, const mp_chain *chain)
{
    const mp_tensor *t;
    size_t N = (size_t)k->g.nodes;
    MP_TRY(mp_case_need(k, "out.basis", k->g.nodes, k->g.nodes, &t));
    mp_real *dense = MP_NEW(k->step, mp_real, N * N + 1);
    for (int b = 0; b < k->g.graphs; b++) {
        mp_haar h;
        size_t first = (size_t)k->g.node_ptr[b];
        mp_haar_basis(k->step, &chain[b], 0, chain[b].size[0], &h);
        for (int c = 0; c < h.cols; c++)
            for (int i = h.ptr[c]; i < h.ptr[c + 1]; i++)
                dense[(first + (size_t)h.row[i]) * N + first + (size_t)c] = (mp_real)h.value[i];
    }
    return mp_case_close(k, t, dense);
}

mp_err mp_golden_haar(mp_case *k, const mp_golden_kind *row)
{
    mp_params none = { .arena = k->step };
    (void)row;
    MP_TRY(inputs_without_edges(k));
    mp_chain *chain = MP_NEW(k->step, mp_chain, k->g.graphs);
    MP_TRY(read_chains(k, chain));
    MP_TRY(same_basis(k, chain));
    const mp_haar_graph **basis = MP_NEW(k->step, const mp_haar_graph *, k->g.graphs);
    for (int b = 0; b < k->g.graphs; b++) {
        mp_haar_graph *made = MP_NEW(k->step, mp_haar_graph, 1);
        *made = (mp_haar_graph){ chain[b], mp_haar_phis(k->step, k->step, &chain[b]) };
        basis[b] = made;
    }
    mp_haar_pooled p = mp_haar_pool_run(&k->c, basis, 0, &k->g, k->x);
    same_batch(k, p.g, NULL);
    MP_TRY(mp_case_output(k, "x", p.x));
    return mp_case_back(k, &none, NULL);
}
