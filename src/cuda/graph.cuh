/* graph.cuh - what edges count, scores and their keys, and what is left of a graph when nodes are kept.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_GRAPH_CUH
#define MP_CUDA_GRAPH_CUH

#include "cuda/grid.cuh"

struct kernel_closed_roots : by_item<kernel_closed_roots, mp_call_closed_roots> {
    MP_BOTH size_t items(const call &c)
    {
        return c.end > c.from ? (size_t)(c.end - c.from) : 0;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = c.from + (int)i;
        bool own = c.loopless || loop_of(&c.g, v) < 0;
        c.s[v] = inverse_root((float)(c.g.row_ptr[v + 1] - c.g.row_ptr[v] + (own ? 1 : 0)));
    }
};

/* Sixteen threads a class: they count its degree, then write what its members have. */
struct kernel_class_roots {
    typedef mp_call_class_roots call;
    static const int threads = 256, at_once = 4, lanes = 16, some = threads / lanes;

    static int blocks(const call &c)
    {
        return blocks_for((size_t)c.classes, some);
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        MP_SHARED int part[threads];
        MP_PHASE(t)
        {
            int k = block * some + t / lanes, degree = 0;
            for (int e = k < c.classes ? c.row_ptr[k] + t % lanes : 0; k < c.classes && e < c.row_ptr[k + 1];
                 e += lanes)
                degree += c.member_ptr[c.col[e] + 1] - c.member_ptr[c.col[e]];
            part[t] = degree;
        }
        MP_ALONE(t)
        {
            int k = block * some + t / lanes, degree = 0;
            if (k >= c.classes) continue;
            for (int i = 0; i < lanes; i++) degree += part[t / lanes * lanes + i];
            float root = inverse_root((float)degree);
            for (int i = c.member_ptr[k] + t % lanes; i < c.member_ptr[k + 1]; i += lanes) c.s[c.member[i]] = root;
        }
    }
};

struct kernel_unit_cols : by_item<kernel_unit_cols, mp_call_unit_cols> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.D;
    }

    MP_DEVICE void one(const call &c, size_t j)
    {
        size_t n = area(c.N, c.D), step = (size_t)c.D;
        float sum = 0;
        for (size_t i = j; i < n; i += step) sum += c.P[i] * c.P[i];
        float length = (float)sqrt((double)sum);
        c.length[j] = length;
        for (size_t i = j; i < n; i += step) c.out[i] = length > 0 ? c.P[i] / length : 0;
    }
};

struct kernel_unit_cols_bwd : by_item<kernel_unit_cols_bwd, mp_call_unit_cols_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.D;
    }

    MP_DEVICE void one(const call &c, size_t j)
    {
        size_t n = area(c.N, c.D), step = (size_t)c.D;
        float r = c.length[j], along = 0;
        if (!(r > 0)) return;
        for (size_t i = j; i < n; i += step) along += c.out[i] * c.dout[i];
        for (size_t i = j; i < n; i += step) c.dP[i] += (c.dout[i] - c.out[i] * along) / r;
    }
};

struct kernel_range_shares : by_item<kernel_range_shares, mp_call_range_shares> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.ranges;
    }

    MP_DEVICE void one(const call &c, size_t b)
    {
        int n = c.ptr[b + 1] - c.ptr[b];
        c.out[b] = n > 0 ? 1 / (float)n : 0;
    }
};

struct kernel_keys : by_item<kernel_keys, mp_call_keys> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.N;
    }

    MP_DEVICE void one(const call &c, size_t v)
    {
        float key = combined(c.S + v * (size_t)c.D, c.D, c.flip, c.kind);
        if (c.mean) key = averaged(key, c.D, c.kind);
        c.key[v] = key;
        if (key != key) *c.nan = true;
    }
};

struct kernel_clear_marked : by_item<kernel_clear_marked, mp_call_clear_marked> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.n;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        if (c.mark[i]) c.x[i] = 0;
    }
};

struct kernel_range_sizes : by_item<kernel_range_sizes, mp_call_range_sizes> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.ranges;
    }

    MP_DEVICE void one(const call &c, size_t b)
    {
        float n = (float)(c.ptr[b + 1] - c.ptr[b]);
        for (int i = c.ptr[b]; i < c.ptr[b + 1]; i++) c.out[i] = c.inverse ? 1 / n : n;
    }
};

struct kernel_range_counts : by_item<kernel_range_counts, mp_call_range_counts> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.ranges;
    }

    MP_DEVICE void one(const call &c, size_t b)
    {
        c.out[b] = (float)(c.ptr[b + 1] - c.ptr[b]);
    }
};

struct kernel_column : by_item<kernel_column, mp_call_column> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.N;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        c.out[i] = c.X[i * (size_t)c.C + (size_t)c.d];
    }
};

struct kernel_column_put : by_item<kernel_column_put, mp_call_column_put> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.N;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        float *to = c.X + i * (size_t)c.C + (size_t)c.d;
        *to = c.add ? *to + c.x[i] : c.x[i];
    }
};

struct kernel_either : by_item<kernel_either, mp_call_either> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.n;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        c.out[i] = c.which[i] >= 0 ? c.yes : c.no;
    }
};

#endif
