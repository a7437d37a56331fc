/* check_edges.c - gradient tests of the ops that follow edges.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check_ops.h"
#include "grad/coarse.h"
#include "gradcheck.h"
#include "graph/induce.h"
#include "nn/layers.h"

/* Graphs of several shapes: with loops and without, sparse enough for isolated nodes, a single node, no edges,
 * complete. */
typedef struct shape {
    int graphs, sizes[4];
    double density, loops;
} shape;

static const shape shapes[] = {
    { 1, { 7 }, 0.4, 0 },  { 3, { 5, 1, 6 }, 0.4, 0.4 }, { 2, { 4, 9 }, 0.15, 0 }, { 1, { 1 }, 0, 0 },
    { 2, { 3, 2 }, 0, 0 }, { 1, { 6 }, 1, 1 },           { 3, { 6, 4, 5 }, 1, 0 },
};
#define SHAPES ((int)(sizeof shapes / sizeof *shapes))

static mp_graph graph_of(mp_check *t, int i)
{
    return mp_rig_graph(&t->rig, shapes[i].graphs, shapes[i].sizes, shapes[i].density, shapes[i].loops);
}

/* Weights that are an input of the check. */
static void give_weights(mp_check *t, mp_graph *g)
{
    g->w = mp_rig_weights(&t->rig, g);
    mp_check_watch(t, g->w);
}

void check_agg(void **state)
{
    mp_check *t = *state;
    static const int widths[] = { 1, 3, 67 };
    for (int i = 0; i < SHAPES; i++) {
        for (int kind = MP_AGG_GCN; kind <= MP_AGG_ROW; kind++) {
            for (int how = 0; how < 12; how++) {
                mp_check_reset(t);
                int C = widths[how % 3];
                bool relu = how & 1, weighted = how & 2;
                mp_graph g = graph_of(t, i);
                if (weighted) give_weights(t, &g);
                mp_mat *z = mp_check_input(t, g.nodes, C), *b = how >= 6 ? mp_check_input(t, 1, C) : NULL;
                MP_GRADCHECK(t, mp_agg(&t->ctx, mp_check_fresh(t, &g), kind, z, b, relu));
            }
        }
    }
    /* Twice on one graph and one bias: the second finds the coefficients, weights and bias get two gradients. */
    for (int kind = MP_AGG_GCN; kind <= MP_AGG_ROW; kind++) {
        mp_check_reset(t);
        mp_graph g = graph_of(t, 1);
        give_weights(t, &g);
        mp_mat *z = mp_check_input(t, g.nodes, 3), *b = mp_check_input(t, 1, 3);
        for (mp_check_begin(t, "agg of agg"); mp_check_next(t);) {
            const mp_graph *on = mp_check_fresh(t, &g);
            mp_mat *first = mp_agg(&t->ctx, on, kind, z, b, false);
            mp_check_value(t, mp_mix(&t->ctx, 1, mp_agg(&t->ctx, on, kind, first, b, false), 1, first));
        }
    }
    /* Constant weights: no room for their gradient. */
    mp_check_reset(t);
    mp_graph g = graph_of(t, 1);
    mp_mat *w = mp_rig_weights(&t->rig, &g), *z = mp_check_input(t, g.nodes, 3);
    for (mp_check_begin(t, "constant weights"); mp_check_next(t);) {
        g.w = mp_mat_of(&t->ctx, w->v, g.edges, 1);
        mp_check_value(t, mp_agg(&t->ctx, mp_check_fresh(t, &g), MP_AGG_GCN, z, NULL, false));
    }
}

/* For nodes and edges that share rows. */
static const int *three_kinds(mp_check *t, int n)
{
    int *of = MP_NEW_RAW(t->rig.memory, int, n + 1);
    for (int i = 0; i <= n; i++) of[i] = (i * i + i / 2) % 3;
    return of;
}

void check_edge_message(void **state)
{
    mp_check *t = *state;
    static const int widths[] = { 1, 3, 19 };
    for (int i = 0; i < SHAPES; i++) {
        for (int how = 0; how < 12; how++) {
            mp_check_reset(t);
            int C = widths[how % 3];
            mp_graph g = graph_of(t, i);
            const int *kinds = how % 4 == 3 ? three_kinds(t, g.nodes + g.edges) : NULL;
            mp_shared x = { mp_check_input(t, kinds ? 3 : g.nodes, C), kinds };
            mp_shared q = { mp_check_input(t, kinds ? 3 : g.edges, C), kinds ? kinds + 1 : NULL };
            mp_mat *root = how & 1 ? mp_check_input(t, 1, C) : NULL;
            const mp_real *scale = how & 2 ? mp_rig_mat(&t->rig, g.nodes, 1)->v : NULL;
            for (mp_check_begin(t, "message"); mp_check_next(t);) {
                mp_mat *y = mp_edge_message(&t->ctx, &g, x, q, root, scale, how % 5 == 1);
                /* twice: the second adds to what the first stored */
                mp_check_value(
                    t, how < 6 ? y : mp_mix(&t->ctx, 1, y, 1, mp_edge_message(&t->ctx, &g, x, q, root, NULL, false)));
            }
        }
    }
}

void check_edge_pair(void **state)
{
    mp_check *t = *state;
    for (int i = 0; i < SHAPES; i++) {
        mp_check_reset(t);
        mp_graph g = graph_of(t, i);
        mp_mat *a = mp_check_input(t, g.nodes, 1), *b = mp_check_input(t, g.nodes, 1);
        MP_GRADCHECK(t, mp_edge_pair(&t->ctx, &g, a, b));
        MP_GRADCHECK(t, mp_edge_pair(&t->ctx, &g, a, NULL));
        MP_GRADCHECK(t, mp_edge_pair(&t->ctx, &g, a, a));
    }
}

void check_edge_take(void **state)
{
    mp_check *t = *state;
    static const int from[] = { 3, -1, 0, 3, 2 }; /* 3 twice, 1 never, a constant */
    mp_mat *w = mp_check_input(t, 4, 1);
    MP_GRADCHECK(t, mp_edge_take(&t->ctx, w, from, 5));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_edge_take(&t->ctx, w, from, 4), 2, w));
}

void check_edge_mix(void **state)
{
    mp_check *t = *state;
    for (int i = 0; i < SHAPES; i++) {
        for (int how = 0; how < 4; how++) {
            mp_check_reset(t);
            mp_graph g = graph_of(t, i);
            if (how & 1) give_weights(t, &g);
            int C = how & 2 ? 69 : 3;
            mp_mat *a = mp_check_input(t, g.nodes, C), *b = mp_check_input(t, g.nodes, C);
            MP_GRADCHECK(t, mp_edge_mix(&t->ctx, &g, a, 1, b, -1));
            MP_GRADCHECK(t, mp_edge_mix(&t->ctx, &g, a, -0.5, a, 2));
        }
    }
}

void check_softmax(void **state)
{
    mp_check *t = *state;
    static const int ptr[] = { 0, 1, 1, 6, 9 };
    mp_mat *u = mp_check_input(t, 9, 1);
    MP_GRADCHECK(t, mp_softmax(&t->ctx, u, ptr, 4));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_softmax(&t->ctx, u, ptr, 4), 1, u));
    for (int i = 0; i < 9; i++) u->v[i] *= 30;
    MP_GRADCHECK(t, mp_softmax(&t->ctx, u, ptr, 4));
    mp_check_reset(t);
    mp_mat *wide = mp_check_input(t, 9, 3);
    MP_GRADCHECK(t, mp_softmax(&t->ctx, wide, ptr, 4));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_softmax(&t->ctx, wide, ptr, 4), 1, wide));
}

void check_sparsemax(void **state)
{
    mp_check *t = *state;
    static const int ptr[] = { 0, 1, 1, 6, 9, 20 };
    mp_mat *u = mp_check_input(t, 20, 1);
    MP_GRADCHECK(t, mp_sparsemax(&t->ctx, u, ptr, 5));
    MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_sparsemax(&t->ctx, u, ptr, 5), 1, mp_act_of(&t->ctx, u, MP_ACT_TANH)));
    for (int i = 0; i < 20; i++) u->v[i] *= 0.1; /* all in the support */
    MP_GRADCHECK(t, mp_sparsemax(&t->ctx, u, ptr, 5));
    for (int i = 0; i < 20; i++) u->v[i] *= 300; /* one each */
    MP_GRADCHECK(t, mp_sparsemax(&t->ctx, u, ptr, 5));
}

void check_local_att(void **state)
{
    mp_check *t = *state;
    for (int i = 0; i < SHAPES; i++) {
        for (int D = 1; D <= 3; D += 2) {
            mp_check_reset(t);
            mp_graph g = graph_of(t, i);
            mp_mat *w = mp_rig_weights(&t->rig, &g), *z = mp_check_input(t, g.nodes, D), *tau = mp_check_input(t, 1, 1);
            for (int sign = 0; sign < 2; sign++, tau->v[0] = -tau->v[0]) {
                for (mp_check_begin(t, "local_att"); mp_check_next(t);) {
                    g.w = mp_mat_of(&t->ctx, w->v, g.edges, 1);
                    mp_check_value(t, mp_local_att(&t->ctx, &g, z, tau));
                }
            }
        }
    }
}

void check_edge_sym(void **state)
{
    mp_check *t = *state;
    for (int i = 0; i < SHAPES; i++) {
        mp_check_reset(t);
        mp_graph g = graph_of(t, i);
        give_weights(t, &g);
        MP_GRADCHECK(t, mp_edge_sym(&t->ctx, &g));
        MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_edge_sym(&t->ctx, &g), 1, g.w));
    }
}

void check_near_max(void **state)
{
    mp_check *t = *state;
    for (int i = 0; i < SHAPES; i++) {
        for (int C = 1; C <= 69; C += 34) {
            mp_check_reset(t);
            mp_graph g = graph_of(t, i), looped;
            const int *from;
            mp_site here = mp_site_in(t->rig.memory);
            mp_with_loops(&here, &g, &looped, &from);
            mp_mat *x = mp_check_input(t, g.nodes, C);
            MP_GRADCHECK(t, mp_near_max(&t->ctx, &looped, x));
            MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_near_max(&t->ctx, &looped, x), 1, x));
        }
    }
}

/* Keeps about half of the nodes of each graph, in an order that is not that of their numbers. */
static int some_nodes(mp_check *t, const mp_graph *g, int *keep, int *keep_ptr)
{
    int n = 0;
    keep_ptr[0] = 0;
    for (int b = 0; b < g->graphs; b++) {
        int first = n;
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
            if (v == g->node_ptr[b] || mp_rng_unit(&t->rig.rng) < 0.5) keep[n++] = v;
        mp_rng_shuffle(&t->rig.rng, keep + first, n - first);
        keep_ptr[b + 1] = n;
    }
    return n;
}

/* Clusters that are rows of a graph with loops, as ASAP has them. */
static void check_coarse_rows(mp_check *t)
{
    for (int i = 0; i < SHAPES; i++) {
        for (int how = 0; how < 8; how++) {
            mp_check_reset(t);
            mp_graph g = graph_of(t, i), looped;
            const int *from;
            mp_site here = mp_site_in(t->rig.memory);
            mp_with_loops(&here, &g, &looped, &from);
            if (how & 1) give_weights(t, &looped);
            mp_mat *alpha = how & 4 ? mp_rig_mat(&t->rig, looped.edges, 1) : mp_check_input(t, looped.edges, 1);
            if (how & 4) alpha->g = NULL; /* detached */
            int keep[16], keep_ptr[5];
            some_nodes(t, &looped, keep, keep_ptr);
            for (mp_check_begin(t, "coarse"); mp_check_next(t);) {
                mp_graph *out = MP_NEW(t->ctx.arena, mp_graph, 1);
                mp_assign a;
                mp_site step = mp_site_of(&t->ctx);
                mp_assign_rows(&step, &looped, keep, keep_ptr[looped.graphs], &a);
                mp_coarse_of(&t->ctx, &looped, &a, alpha, keep_ptr, how & 2 ? MP_DIAGONAL_ONE : MP_DIAGONAL_NONE, out);
                mp_check_value(t, out->w);
            }
        }
    }
}

/* Memberships by node: each node in up to three clusters of its graph, some in none. */
static mp_assign some_memberships(mp_check *t, const mp_graph *g, int *cluster_of)
{
    int *node_ptr = MP_NEW(t->rig.memory, int, g->nodes + 1), *owner = MP_NEW(t->rig.memory, int, 3 * g->nodes), n = 0;
    for (int b = 0; b < g->graphs; b++) {
        cluster_of[b + 1] = cluster_of[b] + 1 + mp_rng_below(&t->rig.rng, 3);
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
            for (int q = cluster_of[b]; q < cluster_of[b + 1]; q++)
                if (mp_rng_unit(&t->rig.rng) < 0.6) owner[n++] = q;
            node_ptr[v + 1] = n;
        }
    }
    mp_assign a;
    mp_assign_nodes(t->rig.memory, g->nodes, cluster_of[g->graphs], node_ptr, owner, &a);
    return a;
}

/* A'[p,q] by its definition, and how many terms the sum has. */
static mp_real coarse_sum(const mp_graph *g, const mp_assign *t, const mp_mat *alpha, int p, int q, int *terms)
{
    mp_real sum = 0;
    for (int i = t->cluster_ptr[p]; i < t->cluster_ptr[p + 1]; i++) {
        int j = t->member[i];
        for (int e = g->row_ptr[j]; e < g->row_ptr[j + 1]; e++) {
            for (int k = t->node_ptr[g->col[e]]; k < t->node_ptr[g->col[e] + 1]; k++) {
                if (t->owner[k] != q) continue;
                mp_real w = g->w ? g->w->v[g->rev[e]] : 1;
                sum += alpha->v[t->member_at[i]] * w * alpha->v[t->owner_at[k]];
                ++*terms;
            }
        }
    }
    return sum;
}

static void expect_coarse(const mp_graph *g, const mp_assign *t, const mp_mat *alpha, mp_diagonal how,
                          const mp_graph *out)
{
    int edges = 0;
    for (int q = 0; q < t->clusters; q++) {
        int e = out->row_ptr[q];
        for (int p = 0; p < t->clusters; p++) {
            int terms = 0;
            mp_real sum = coarse_sum(g, t, alpha, p, q, &terms);
            if (p == q && how != MP_DIAGONAL_SUM) {
                terms = how == MP_DIAGONAL_ONE;
                sum = 1;
            }
            if (!terms) continue;
            edges++;
            assert_int_equal(out->col[e], p);
            assert_true(out->w->v[e] - sum < 1e-12 && sum - out->w->v[e] < 1e-12);
            e++;
        }
        assert_int_equal(e, out->row_ptr[q + 1]);
    }
    assert_int_equal(out->edges, edges);
    assert_int_equal(mp_graph_check(out), MP_OK);
}

static void try_coarse_of(mp_check *t, const mp_graph *g, const mp_assign *a, mp_mat *alpha, const int *cluster_of,
                          mp_diagonal diagonal)
{
    for (mp_check_begin(t, "coarse_of"); mp_check_next(t);) {
        mp_graph *out = MP_NEW(t->ctx.arena, mp_graph, 1);
        mp_coarse_of(&t->ctx, g, a, alpha, cluster_of, diagonal, out);
        expect_coarse(g, a, alpha, diagonal, out);
        mp_check_value(t, out->w);
    }
}

/* In one batch a graph that must go the dense way, its clusters being everywhere, and one that must not. */
static void coarse_both_ways(mp_check *t)
{
    static const int sizes[] = { 7, 12 }, cluster_of[] = { 0, 3, 9 };
    int ptr[20] = { 0 }, owner[7 * 3 + 12], n = 0;
    for (int v = 0; v < 19; v++) {
        for (int q = 0; v < 7 && q < 3; q++) owner[n++] = q; /* all in all */
        if (v >= 7) owner[n++] = 3 + (v - 7) / 2;            /* pairs      */
        ptr[v + 1] = n;
    }
    for (int how = 0; how < 3; how++) {
        mp_check_reset(t);
        mp_graph g = mp_rig_graph(&t->rig, 2, sizes, 0.15, 0);
        mp_assign a;
        mp_assign_nodes(t->rig.memory, 19, 9, ptr, owner, &a);
        give_weights(t, &g);
        mp_coarsening look = { .g = &g, .t = a, .cluster_ptr = cluster_of };
        assert_true(mp_coarse_is_dense(&look, 0));
        assert_false(mp_coarse_is_dense(&look, 1));
        try_coarse_of(t, &g, &a, mp_check_input(t, a.size, 1), cluster_of, (mp_diagonal)how);
    }
}

/* The dense way must see where no edge is: two parts that do not touch, and in each a cluster of one node alone. */
static void coarse_in_two_parts(mp_check *t)
{
    static const int sizes[] = { 5, 5 }, node_ptr[] = { 0, 10 }, cluster_of[] = { 0, 8 };
    int ptr[11] = { 0 }, owner[2 * 5 * 3 + 2], n = 0;
    for (int v = 0; v < 10; v++) {
        for (int q = 0; q < 3; q++) owner[n++] = v / 5 * 4 + q;
        if (v % 9 == 0) owner[n++] = v / 5 * 4 + 3; /* nodes 0 and 9 */
        ptr[v + 1] = n;
    }
    for (int how = 0; how < 3; how++) {
        mp_check_reset(t);
        mp_graph g = mp_rig_graph(&t->rig, 2, sizes, 1, 0);
        g.graphs = 1;
        g.node_ptr = node_ptr;
        mp_assign a;
        mp_assign_nodes(t->rig.memory, 10, 8, ptr, owner, &a);
        mp_coarsening look = { .g = &g, .t = a, .cluster_ptr = cluster_of };
        assert_true(mp_coarse_is_dense(&look, 0));
        try_coarse_of(t, &g, &a, mp_check_input(t, a.size, 1), cluster_of, (mp_diagonal)how);
    }
}

void check_coarse_of(void **state)
{
    mp_check *t = *state;
    check_coarse_rows(t);
    for (int i = 0; i < SHAPES; i++) {
        for (int how = 0; how < 12; how++) {
            mp_check_reset(t);
            int cluster_of[5] = { 0 };
            mp_graph g = graph_of(t, i);
            if (how & 1) give_weights(t, &g);
            mp_assign a = some_memberships(t, &g, cluster_of);
            mp_mat *alpha = mp_check_input(t, a.size, 1);
            if (how & 2) alpha->g = NULL;
            if (how & 2) mp_check_reset(t);
            if (how & 2 && g.w) mp_check_watch(t, g.w);
            try_coarse_of(t, &g, &a, alpha, cluster_of, (mp_diagonal)(how / 4));
        }
    }
    coarse_both_ways(t);
    coarse_in_two_parts(t);
}

void check_collect(void **state)
{
    mp_check *t = *state;
    for (int i = 0; i < SHAPES; i++) {
        for (int C = 1; C <= 69; C += 34) {
            mp_check_reset(t);
            int cluster_of[5] = { 0 };
            mp_graph g = graph_of(t, i);
            mp_assign a = some_memberships(t, &g, cluster_of);
            mp_mat *alpha = mp_check_input(t, a.size, 1), *x = mp_check_input(t, g.nodes, C);
            MP_GRADCHECK(t, mp_collect(&t->ctx, &a, alpha, x));
            MP_GRADCHECK(t,
                         mp_mix(&t->ctx, 1, mp_collect(&t->ctx, &a, alpha, x), 2, mp_collect(&t->ctx, &a, alpha, x)));
        }
    }
}

/* Memberships whose strengths are numbered by cluster: rows of a graph. */
static void check_members_of_rows(mp_check *t, mp_mat *(*op)(mp_ctx *, const mp_assign *, mp_mat *, mp_mat *),
                                  bool back)
{
    for (int i = 0; i < SHAPES; i++) {
        mp_check_reset(t);
        mp_graph g = graph_of(t, i), looped;
        const int *from;
        int keep[16], keep_ptr[5];
        mp_assign a;
        mp_site here = mp_site_in(t->rig.memory);
        mp_with_loops(&here, &g, &looped, &from);
        some_nodes(t, &looped, keep, keep_ptr);
        mp_assign_rows(&here, &looped, keep, keep_ptr[looped.graphs], &a);
        mp_mat *alpha = mp_check_input(t, a.size, 1), *x = mp_check_input(t, back ? a.clusters : a.nodes, 3);
        MP_GRADCHECK(t, op(&t->ctx, &a, alpha, x));
    }
}

void check_spread(void **state)
{
    mp_check *t = *state;
    check_members_of_rows(t, mp_spread, true);
    check_members_of_rows(t, mp_collect, false);
    for (int i = 0; i < SHAPES; i++) {
        for (int C = 1; C <= 69; C += 34) {
            mp_check_reset(t);
            int cluster_of[5] = { 0 };
            mp_graph g = graph_of(t, i);
            mp_assign a = some_memberships(t, &g, cluster_of);
            mp_mat *alpha = mp_check_input(t, a.size, 1), *x = mp_check_input(t, a.clusters, C);
            MP_GRADCHECK(t, mp_spread(&t->ctx, &a, alpha, x));
            MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_spread(&t->ctx, &a, NULL, x), 1, mp_spread(&t->ctx, &a, alpha, x)));
            MP_GRADCHECK(t, mp_mix(&t->ctx, 1, mp_spread(&t->ctx, &a, alpha, x), 2, mp_spread(&t->ctx, &a, alpha, x)));
        }
    }
}
