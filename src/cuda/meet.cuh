/* meet.cuh - self loops, clusters that are rows, and coarse graphs of clusters that meet. (The processor's way is in
 * math/plain_lists.c and math/plain_meet.c; math/one_coarse.h has the sums.)
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_MEET_CUH
#define MP_CUDA_MEET_CUH

#include "cuda/grid.cuh"
#include "math/one_coarse.h"

/* Kernels that write ptr[0..n], the sums of numbers that K says: one block. */
template <class K, class C> struct by_sums : by_call<C> {
    static const int threads = by_call<C>::threads;

    MP_DEVICE void run(const C &c, int block)
    {
        (void)block;
        MP_SHARED int count[2 * threads];
        int *ptr = K::ptr(c), n = K::rows(c);
        MP_PHASE(t)
        {
            if (t == 0) ptr[0] = 0;
        }
        for (int from = 0; from < n; from += threads) {
            MP_PHASE(t)
            {
                count[t] = from + t < n ? K::number(c, from + t) : 0;
            }
            by_call<C>::scan(count);
            MP_PHASE(t)
            {
                if (from + t < n) ptr[from + t + 1] = ptr[from] + count[t];
            }
        }
    }
};

enum { ROW_LANES = 4 }; /* threads that go along a row together */

/* ---- self loops */
struct kernel_loop_rows : by_sums<kernel_loop_rows, mp_call_loop_rows> {
    MP_DEVICE int *ptr(const call &c)
    {
        return c.row_ptr;
    }

    MP_DEVICE int rows(const call &c)
    {
        return c.g.nodes;
    }

    MP_DEVICE int number(const call &c, int v)
    {
        return c.g.row_ptr[v + 1] - c.g.row_ptr[v] + (loop_of(&c.g, v) < 0);
    }
};

struct kernel_loop_edges : by_item<kernel_loop_edges, mp_call_loop_edges> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.g.nodes, ROW_LANES);
    }

    /* Where an edge that ends in v is, once there is a loop at every node. */
    MP_DEVICE int moved(const call &c, int v, int e)
    {
        int had = c.g.row_ptr[v + 1] - c.g.row_ptr[v], has = c.row_ptr[v + 1] - c.row_ptr[v];
        return c.row_ptr[v] + e - c.g.row_ptr[v] + (has > had && c.g.col[e] > v);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)(i / ROW_LANES), lane = (int)(i % ROW_LANES), from = c.g.row_ptr[v], to = c.g.row_ptr[v + 1];
        for (int e = from + lane; e < to; e += ROW_LANES) {
            int at = moved(c, v, e);
            c.col[at] = c.g.col[e];
            c.from[at] = e;
            c.rev[at] = moved(c, c.g.col[e], c.g.rev[e]);
        }
        if (lane == 0 && c.row_ptr[v + 1] - c.row_ptr[v] > to - from) {
            int at = c.row_ptr[v];
            for (int e = from; e < to && c.g.col[e] < v; e++) at++;
            c.col[at] = v;
            c.from[at] = -1;
            c.rev[at] = at;
        }
        for (size_t e = (size_t)c.row_ptr[c.g.nodes] + i; e < (size_t)c.room; e += items(c)) c.from[e] = -1;
    }
};

struct kernel_edges_give : by_item<kernel_edges_give, mp_call_edges_give> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.n;
    }

    MP_DEVICE void one(const call &c, size_t e)
    {
        if (c.from[e] >= 0) c.dw[c.from[e]] += c.dout[e];
    }
};

/* ---- clusters */
struct kernel_row_clusters : by_sums<kernel_row_clusters, mp_call_row_clusters> {
    MP_DEVICE int *ptr(const call &c)
    {
        return c.cluster_ptr;
    }

    MP_DEVICE int rows(const call &c)
    {
        return c.K;
    }

    MP_DEVICE int number(const call &c, int q)
    {
        return c.g.row_ptr[c.keep[q] + 1] - c.g.row_ptr[c.keep[q]];
    }
};

struct kernel_row_members : by_item<kernel_row_members, mp_call_row_members> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.K, ROW_LANES);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int q = (int)(i / ROW_LANES), from = c.g.row_ptr[c.keep[q]], to = c.g.row_ptr[c.keep[q] + 1];
        for (int e = from + (int)(i % ROW_LANES); e < to; e += ROW_LANES) {
            int at = c.cluster_ptr[q] + e - from;
            c.member[at] = c.g.col[e];
            c.member_at[at] = e;
        }
    }
};

/* Entries come into the list of their item in any order; then each counts those before it. */
struct kernel_turn_lists : by_call<mp_call_turn_lists> {
    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        MP_SHARED int count[2 * threads];
        int all = c.ptr[c.rows];
        int *list = c.work, *next = c.work + all;
        MP_PHASE(t)
        {
            for (int k = t; k < c.items + 2; k += threads) c.out_ptr[k] = 0;
        }
        MP_PHASE(t)
        {
            for (int i = t; i < all; i += threads) count_up(&c.out_ptr[c.item[i] + 1]);
        }
        for (int from = 0; from < c.items; from += threads) {
            MP_PHASE(t)
            {
                count[t] = from + t < c.items ? c.out_ptr[from + t + 1] : 0;
            }
            scan(count);
            MP_PHASE(t)
            {
                if (from + t < c.items) {
                    int end = c.out_ptr[from] + count[t];
                    next[from + t] = t > 0 ? c.out_ptr[from] + count[t - 1] : c.out_ptr[from];
                    c.out_ptr[from + t + 1] = end;
                }
            }
        }
        MP_PHASE(t)
        {
            for (int i = t; i < all; i += threads) list[taken(&next[c.item[i]])] = i;
        }
        MP_ALONE(t)
        {
            for (int s = t; s < all; s += threads) {
                int i = list[s], at = c.out_ptr[c.item[i]], end = c.out_ptr[c.item[i] + 1], to = at;
                for (; at < end; at++) to += list[at] < i;
                c.out_row[to] = range_of(c.ptr, c.rows, i);
                c.out_at[to] = c.at ? c.at[i] : i;
            }
        }
    }
};

/* ---- clusters that meet */

/* The graph that number i of such arrays belongs to. */
MP_DEVICE int graph_at(const size_t *at, int graphs, size_t i)
{
    int from = 0, to = graphs;
    while (to - from > 1) {
        int middle = (from + to) / 2;
        if (at[middle] <= i)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* A block has a graph. */
struct kernel_meet_ways {
    typedef mp_call_meet_ways call;
    static const int threads = 128, at_once = 1;

    static int blocks(const call &c)
    {
        return c.s.graphs;
    }

    MP_DEVICE void run(const call &c, int b)
    {
        MP_SHARED int64_t spread[threads], near[threads];
        int n = c.s.node_ptr[b + 1] - c.s.node_ptr[b], k = c.s.cluster_ptr[b + 1] - c.s.cluster_ptr[b];
        MP_PHASE(t)
        {
            spread[t] = near[t] = 0;
            for (int p = t; p < k; p += threads) {
                int64_t steps = edges_of_members(&c.g, &c.t, c.s.cluster_ptr[b] + p);
                spread[t] += steps;
                near[t] += steps < n ? steps : n;
            }
        }
        for (int half = threads / 2; half > 0; half /= 2) {
            MP_PHASE(t)
            {
                if (t < half) {
                    spread[t] += spread[t + half];
                    near[t] += near[t + half];
                }
            }
        }
        MP_ALONE(t)
        {
            int owners = c.t.node_ptr[c.s.node_ptr[b + 1]] - c.t.node_ptr[c.s.node_ptr[b]];
            if (t == 0) c.s.dense[b] = dense_pays(n, k, spread[0], near[0], owners);
        }
    }
};

/* Items are pairs of a cluster and a node of its graph. */
template <class K, class C> struct by_near : by_item<K, C> {
    MP_BOTH size_t items(const C &c)
    {
        return c.s.nears;
    }

    MP_DEVICE void one(const C &c, size_t i)
    {
        meet_block z = meet_block_of(&c.s, graph_at(c.s.near_at, c.s.graphs, i));
        unsigned at = (unsigned)(i - z.near_at), n = (unsigned)z.n;
        K::pair(c, z, z.cluster + (int)(at / n), z.node + (int)(at % n));
    }
};

struct kernel_meet_near : by_near<kernel_meet_near, mp_call_meet_near> {
    MP_DEVICE void pair(const call &c, const meet_block &z, int p, int l)
    {
        meet_near1(&c.s, &z, c.alpha, &c.g, &c.t, p, l);
    }
};

struct kernel_meet_near_bwd : by_near<kernel_meet_near_bwd, mp_call_meet_near_bwd> {
    MP_DEVICE void pair(const call &c, const meet_block &z, int p, int l)
    {
        meet_near_bwd1(c.dm, c.dweight, &c.s, &z, c.alpha, &c.t, p, l);
    }
};

struct kernel_meet_pairs : by_item<kernel_meet_pairs, mp_call_meet_pairs> {
    MP_BOTH size_t items(const call &c)
    {
        return c.s.pairs;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        meet_block z = meet_block_of(&c.s, graph_at(c.s.pair_at, c.s.graphs, i));
        unsigned at = (unsigned)(i - z.pair_at), k = (unsigned)z.k;
        meet_pair1(&c.s, &z, c.alpha, &c.g, &c.t, z.cluster + (int)(at / k), z.cluster + (int)(at % k));
    }
};

struct kernel_meet_rows : by_sums<kernel_meet_rows, mp_call_meet_rows> {
    MP_DEVICE int *ptr(const call &c)
    {
        return c.row_ptr;
    }

    MP_DEVICE int rows(const call &c)
    {
        return c.K;
    }

    MP_DEVICE int number(const call &c, int q)
    {
        meet_block z = meet_block_of(&c.s, range_of(c.s.cluster_ptr, c.s.graphs, q));
        return meet_row1(&c.s, &z, q);
    }
};

/* A block has a graph, a thread some of its rows. */
struct kernel_meet_edges {
    typedef mp_call_meet_edges call;
    static const int threads = 128, at_once = 1;

    static int blocks(const call &c)
    {
        return c.s.graphs;
    }

    MP_DEVICE void run(const call &c, int b)
    {
        meet_block z = meet_block_of(&c.s, b);
        MP_PHASE(t)
        {
            for (int q = z.cluster + t; q < z.cluster + z.k; q += threads)
                meet_edges1(c.col, c.w, c.row_ptr, &c.s, &z, q);
        }
        MP_ALONE(t)
        {
            for (int q = z.cluster + t; q < z.cluster + z.k; q += threads)
                meet_reverses1(c.rev, c.row_ptr, c.col, &c.s, &z, q);
        }
    }
};

struct kernel_meet_members_bwd : by_item<kernel_meet_members_bwd, mp_call_meet_members_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.most;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        if (i >= (size_t)c.t.cluster_ptr[c.K]) return;
        int p = range_of(c.t.cluster_ptr, c.K, (int)i);
        meet_block z = meet_block_of(&c.s, range_of(c.s.cluster_ptr, c.s.graphs, p));
        meet_member_bwd1(c.dalpha, c.dm, c.dweight, &c.s, &z, &c.g, &c.out, &c.t, p, (int)i);
    }
};

struct kernel_meet_weights_bwd : by_item<kernel_meet_weights_bwd, mp_call_meet_weights_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.most;
    }

    MP_DEVICE void one(const call &c, size_t e)
    {
        if (e >= (size_t)c.g.row_ptr[c.g.nodes]) return;
        int l = range_of(c.g.row_ptr, c.g.nodes, (int)e);
        meet_block z = meet_block_of(&c.s, range_of(c.s.node_ptr, c.s.graphs, l));
        meet_weight_bwd1(c.dw, c.dm, &z, c.alpha, &c.g, &c.t, l, (int)e);
    }
};

#endif
