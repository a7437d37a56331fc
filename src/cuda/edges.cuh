/* edges.cuh - one number an edge: what edges count in sums over neighbours, attention of pairs, and the largest neighbour. A thread has
 * a node and goes along its edges, in their order.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_EDGES_CUH
#define MP_CUDA_EDGES_CUH

#include "cuda/grid.cuh"

template <class K, class C> struct by_node : by_item<K, C> {
    MP_BOTH size_t items(const C &c)
    {
        return (size_t)c.g.nodes;
    }
};

#define MP_EDGES(e, g, v) for (int e = (g).row_ptr[v]; e < (g).row_ptr[(v) + 1]; e++)

struct kernel_closed_weights : by_node<kernel_closed_weights, mp_call_closed_weights> {
    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)i, loop = loop_of(&c.g, v);
        float own = loop < 0 ? 1 : edge_weight(&c.g, loop), degree = own;
        MP_EDGES(e, c.g, v) degree += e == loop ? 0 : edge_weight(&c.g, e);
        float s = inverse_root(degree);
        c.s[v] = s;
        c.q[v] = own * s;
    }
};

struct kernel_open_weights : by_node<kernel_open_weights, mp_call_open_weights> {
    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)i;
        float degree = 0;
        MP_EDGES(e, c.g, v)
        {
            c.p[e] = c.g.col[e] == v ? 0 : edge_weight(&c.g, e);
            degree += c.p[e];
        }
        c.s[v] = inverse_root(degree);
    }
};

struct kernel_mean_weights : by_node<kernel_mean_weights, mp_call_mean_weights> {
    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)i, count = c.g.row_ptr[v + 1] - c.g.row_ptr[v];
        MP_EDGES(e, c.g, v) c.p[e] = edge_weight(&c.g, e) / (float)count;
    }
};

struct kernel_mean_weights_bwd : by_node<kernel_mean_weights_bwd, mp_call_mean_weights_bwd> {
    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)i, count = c.g.row_ptr[v + 1] - c.g.row_ptr[v];
        MP_EDGES(e, c.g, v) c.dw[e] += c.G[e] / (float)count;
    }
};

struct kernel_sum_weights_bwd : by_node<kernel_sum_weights_bwd, mp_call_sum_weights_bwd> {
    MP_DEVICE void one(const call &c, size_t v)
    {
        MP_EDGES(e, c.g, v) c.dw[e] += c.G[e];
    }
};

struct kernel_weight_sums : by_node<kernel_weight_sums, mp_call_weight_sums> {
    MP_DEVICE void one(const call &c, size_t v)
    {
        float sum = 0;
        MP_EDGES(e, c.g, v) sum += edge_weight(&c.g, c.leaving ? c.g.rev[e] : e);
        c.out[v] = sum;
    }
};

/* 1 over the sum of a row's weights without the self loop; 0 where there are none. */
MP_DEVICE float share_of_row(const mp_csr &g, int v)
{
    float sum = 0;
    MP_EDGES(e, g, v) sum += g.col[e] == v ? 0 : edge_weight(&g, e);
    return sum > 0 ? 1 / sum : 0;
}

struct kernel_share_weights : by_node<kernel_share_weights, mp_call_share_weights> {
    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)i;
        float share = share_of_row(c.g, v);
        MP_EDGES(e, c.g, v) c.p[e] = c.g.col[e] == v ? 0 : edge_weight(&c.g, e) * share;
    }
};

struct kernel_share_weights_bwd : by_node<kernel_share_weights_bwd, mp_call_share_weights_bwd> {
    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)i;
        float usual = 0, share = share_of_row(c.g, v);
        MP_EDGES(e, c.g, v) usual += c.G[e] * c.p[e];
        MP_EDGES(e, c.g, v)
        if (c.g.col[e] != v) c.dw[e] += (c.G[e] - usual) * share;
    }
};

struct kernel_hat_weights : by_node<kernel_hat_weights, mp_call_hat_weights> {
    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)i;
        const int *ptr = c.g.row_ptr;
        MP_EDGES(e, c.g, v)
        {
            int u = c.g.col[e];
            c.w[e] = (float)(1 / sqrt((double)(ptr[v + 1] - ptr[v]) * (double)(ptr[u + 1] - ptr[u])));
        }
    }
};

/* Two passes over the nodes, so one block. */
struct kernel_root_weights_bwd : by_call<mp_call_root_weights_bwd> {
    MP_DEVICE float slope(const call &c, int v)
    {
        const float *w = c.g.w;
        float both = c.G_self ? 2 * c.G_self[v] * c.q[v] : 0; /* the self loop is in both sums */
        MP_EDGES(e, c.g, v)
        {
            int back = c.g.rev[e];
            if (c.g.col[e] != v) both += c.s[c.g.col[e]] * (c.G[e] * w[e] + c.G[back] * w[back]);
        }
        return -0.5f * c.s[v] * c.s[v] * (c.s[v] * both); /* 1/d = s^2, and 0 where d = 0 */
    }

    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        MP_PHASE(t)
        {
            for (int v = t; v < c.g.nodes; v += threads) c.dd[v] = slope(c, v);
        }
        MP_ALONE(t)
        {
            for (int v = t; v < c.g.nodes; v += threads) {
                MP_EDGES(e, c.g, v)
                if (c.G_self || c.g.col[e] != v) c.dw[e] += c.G[e] * c.s[v] * c.s[c.g.col[e]] + c.dd[v];
            }
        }
    }
};

struct kernel_edge_pair : by_node<kernel_edge_pair, mp_call_edge_pair> {
    MP_DEVICE void one(const call &c, size_t v)
    {
        MP_EDGES(e, c.g, v) c.out[e] = c.a[v] + (c.b ? c.b[c.g.col[e]] : 0);
    }
};

struct kernel_edge_pair_bwd : by_node<kernel_edge_pair_bwd, mp_call_edge_pair_bwd> {
    MP_DEVICE void one(const call &c, size_t v)
    {
        float a = c.da ? c.da[v] : 0, b = c.db ? c.db[v] : 0;
        MP_EDGES(e, c.g, v)
        {
            a += c.dout[e];
            b += c.dout[c.g.rev[e]]; /* the edge that leaves v */
        }
        if (c.da) c.da[v] = a;
        if (c.db) c.db[v] = b;
    }
};

struct kernel_edge_mix : by_item<kernel_edge_mix, mp_call_edge_mix, 4> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)((unsigned)i / (unsigned)c.C);
        c.out[i] = c.sb * c.out[i] + c.sa * c.degree[v] * c.a[i];
    }
};

struct kernel_edge_mix_bwd : by_node<kernel_edge_mix_bwd, mp_call_edge_mix_bwd> {
    MP_DEVICE void one(const call &c, size_t v)
    {
        MP_EDGES(e, c.g, v) c.dw[e] += c.sa * c.self[v] + c.sb * c.G[e];
    }
};

/* ---- the largest neighbour, four columns of a node at a time */
struct kernel_near_max : by_item<kernel_near_max, mp_call_near_max> {
    MP_BOTH size_t items(const call &c)
    {
        return pieces(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        piece at = piece_of(i, c.C);
        bool whole = c.C % 4 == 0 && in_fours(c.X), put = c.C % 4 == 0 && in_fours(c.out);
        int e = c.g.row_ptr[at.row], end = c.g.row_ptr[at.row + 1];
        four top = load_some(c.X + area(c.g.col[e], c.C) + at.col, at.n, whole);
        while (++e < end) {
            four x = load_some(c.X + area(c.g.col[e], c.C) + at.col, at.n, whole);
            MP_UNROLL
            for (int q = 0; q < 4; q++) top.v[q] = max1(x.v[q], top.v[q]);
        }
        store_some(c.out + area(at.row, c.C) + at.col, at.n, put, top);
    }
};

/* A node collects from the nodes that it is a neighbour of: the structure is symmetric, so they are its own neighbours. It gets
 * what they give if it is the first that has their maximum, and 0 if it has it too. */
struct kernel_near_max_bwd : by_item<kernel_near_max_bwd, mp_call_near_max_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.C);
    }

    MP_DEVICE bool is_first(const call &c, int v, int u, size_t k, float most)
    {
        for (int e = c.g.row_ptr[v]; c.g.col[e] != u; e++)
            if (c.X[area(c.g.col[e], c.C) + k] == most) return false;
        return true;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int u = (int)((unsigned)i / (unsigned)c.C);
        size_t k = i % (size_t)c.C;
        float x = c.X[i], d = c.dX[i];
        for (int e = c.g.row_ptr[u]; e < c.g.row_ptr[u + 1]; e++) {
            int v = c.g.col[e];
            float most = c.out[area(v, c.C) + k];
            if (x == most) d += is_first(c, v, u, k, most) ? c.dOut[area(v, c.C) + k] : 0;
        }
        c.dX[i] = d;
    }
};

#endif
