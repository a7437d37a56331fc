/* coarse_dense.c - A' = T^T W T of one graph by dense products, for graphs whose clusters overlap nearly everywhere.
 *
 *     W n x n (row l: what enters l), T n x k:   N = W T,  A' = N^T T
 *     G = dA':   dT = N G + W^T dN,   dN = T G^T,   dW = dN T^T
 * Which entries of A' exist is a matter of structure, not of values, so the pattern comes from sets of bits: cluster p
 * meets the owners of the nodes next to its members.
 * SPDX-License-Identifier: MIT */
#include "grad/coarse.h"
#include "grad/product.h"
#include "math/one_coarse.h"

typedef struct block { /* graph b: its nodes, its clusters, how many of each */
    int node, cluster, n, k;
} block;

static block block_of(const mp_coarsening *a, int b)
{
    const int *node = a->g->node_ptr, *cluster = a->cluster_ptr;
    return (block){ node[b], cluster[b], node[b + 1] - node[b], cluster[b + 1] - cluster[b] };
}

bool mp_coarse_is_dense(const mp_coarsening *a, int b)
{
    block z = block_of(a, b);
    mp_csr g = mp_graph_csr(a->g);
    mp_members t = mp_assign_members(&a->t);
    int64_t spread = 0, near = 0;
    if (!dense_fits(z.n, z.k)) return false;
    for (int p = z.cluster; p < z.cluster + z.k; p++) {
        int64_t steps = edges_of_members(&g, &t, p);
        spread += steps;
        near += steps < z.n ? steps : z.n;
    }
    return dense_pays(z.n, z.k, spread, near, t.node_ptr[z.node + z.n] - t.node_ptr[z.node]);
}

static mp_real *dense_t(mp_ctx *c, const mp_coarsening *a, block z, const mp_real *share)
{
    mp_real *T = MP_NEW(c->arena, mp_real, mp_at(z.n, z.k));
    c->k->dense_put(T, share, a->t.node_ptr + z.node, a->t.owner, z.cluster, false, z.n, z.k);
    return T;
}

static mp_real *dense_w(mp_ctx *c, const mp_coarsening *a, block z)
{
    mp_real *W = MP_NEW(c->arena, mp_real, mp_at(z.n, z.n));
    c->k->dense_put(W, a->g->w ? a->g->w->v : NULL, a->g->row_ptr + z.node, a->g->col, z.node, false, z.n, z.n);
    return W;
}

static mp_real *product(mp_ctx *c, mp_operand a, mp_operand b, int m, int n, int k)
{
    mp_real *out = MP_NEW_RAW(mp_elements(c), mp_real, mp_at(m, n));
    mp_product(c, out, a, b, m, n, k, false);
    return out;
}

static mp_operand plain(const mp_real *p, int cols)
{
    return (mp_operand){ p, cols, false };
}

static mp_operand flipped(const mp_real *p, int cols)
{
    return (mp_operand){ p, cols, true };
}

/* ---- pattern */
typedef struct bits { /* rows of a 0/1 matrix */
    uint64_t *word;
    int words; /* a row */
} bits;

static bits bits_new(mp_ctx *c, int rows, int cols)
{
    int words = (cols + 63) / 64;
    return (bits){ MP_NEW(c->arena, uint64_t, mp_at(rows, words)), words };
}

static void bits_fill(bits s, int rows, const int *ptr, const int *item, int first)
{
    for (int r = 0; r < rows; r++)
        for (int i = ptr[r]; i < ptr[r + 1]; i++)
            s.word[mp_at(r, s.words) + (size_t)((item[i] - first) / 64)] |= (uint64_t)1 << (item[i] - first) % 64;
}

static void bits_join(uint64_t *into, bits s, int row)
{
    for (int i = 0; i < s.words; i++) into[i] |= s.word[mp_at(row, s.words) + (size_t)i];
}

static bool bits_has(const uint64_t *word, int i)
{
    return word[i / 64] >> i % 64 & 1;
}

/* The clusters that each cluster of the graph meets, as coarse_list has them: a diagonal of 1 comes last. */
static void list_met(mp_ctx *c, const mp_coarsening *a, block z, mp_lists *met)
{
    const mp_assign *t = &a->t;
    bits next = bits_new(c, z.n, z.n), own = bits_new(c, z.n, z.k);
    bits_fill(next, z.n, a->g->row_ptr + z.node, a->g->col, z.node);
    bits_fill(own, z.n, t->node_ptr + z.node, t->owner, z.cluster);
    for (int p = 0; p < z.k; p++) {
        mp_arena_mark here = mp_arena_here(mp_elements(c));
        bits near = bits_new(c, 1, z.n), meets = bits_new(c, 1, z.k);
        for (int i = t->cluster_ptr[z.cluster + p]; i < t->cluster_ptr[z.cluster + p + 1]; i++)
            bits_join(near.word, next, t->member[i] - z.node);
        for (int l = 0; l < z.n; l++)
            if (bits_has(near.word, l)) bits_join(meets.word, own, l);
        for (int q = 0; q < z.k; q++)
            if (bits_has(meets.word, q) && (q != p || a->diagonal == MP_DIAGONAL_SUM))
                met->to[met->count++] = z.cluster + q;
        if (a->diagonal == MP_DIAGONAL_ONE) met->to[met->count++] = z.cluster + p;
        met->ptr[z.cluster + p + 1] = met->count;
        mp_arena_back(mp_elements(c), here);
    }
}

void mp_coarse_dense(mp_ctx *c, const mp_coarsening *a, int b, const mp_real *share, mp_lists *met)
{
    block z = block_of(a, b);
    mp_lists_reserve(met, (int64_t)z.k * (z.k + 1));
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *T = dense_t(c, a, z, share), *W = dense_w(c, a, z);
    mp_real *N = product(c, plain(W, z.n), plain(T, z.k), z.n, z.k, z.n);
    mp_real *A = product(c, flipped(N, z.k), plain(T, z.k), z.k, z.k, z.n);
    if (a->diagonal == MP_DIAGONAL_ONE) c->k->diagonal_set(A, 1, z.k);
    list_met(c, a, z, met);
    c->k->dense_take(met->weight, A, met->ptr + z.cluster, met->to, z.cluster, false, z.k, z.k);
    mp_arena_back(mp_elements(c), here);
}

/* ---- backward */
static mp_real *dense_g(mp_ctx *c, const mp_coarsening *a, block z) /* G[p][q] of the edge p -> q, in row q */
{
    mp_real *G = MP_NEW(c->arena, mp_real, mp_at(z.k, z.k));
    c->k->dense_put(G, a->w->g, a->out.row_ptr + z.cluster, a->out.col, z.cluster, true, z.k, z.k);
    if (a->diagonal != MP_DIAGONAL_SUM) c->k->diagonal_set(G, 0, z.k);
    return G;
}

void mp_coarse_dense_back(mp_ctx *c, const mp_coarsening *a, int b, const mp_real *share, mp_real *dshare, mp_real *dw)
{
    block z = block_of(a, b);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_real *T = dense_t(c, a, z, share), *G = dense_g(c, a, z);
    mp_real *dN = product(c, plain(T, z.k), flipped(G, z.k), z.n, z.k, z.k);
    if (dshare) {
        mp_real *W = dense_w(c, a, z), *N = product(c, plain(W, z.n), plain(T, z.k), z.n, z.k, z.n);
        mp_real *dT = product(c, plain(N, z.k), plain(G, z.k), z.n, z.k, z.k);
        mp_product(c, dT, flipped(W, z.n), plain(dN, z.k), z.n, z.k, z.n, true);
        c->k->dense_take(dshare, dT, a->t.node_ptr + z.node, a->t.owner, z.cluster, true, z.n, z.k);
    }
    if (dw) {
        mp_real *dW = product(c, plain(dN, z.k), flipped(T, z.k), z.n, z.n, z.k);
        c->k->dense_take(dw, dW, a->g->row_ptr + z.node, a->g->col, z.node, true, z.n, z.n);
    }
    mp_arena_back(mp_elements(c), here);
}
