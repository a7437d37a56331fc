/* closeness.cuh - closeness of rows to the keys of a memory, and its gradient. A thread has a row; chains over all rows have a block.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_CLOSENESS_CUH
#define MP_CUDA_CLOSENESS_CUH

#include "cuda/columns.cuh"

/* Rounding may leave a distance below 0. */
struct kernel_closeness : by_item<kernel_closeness, mp_call_closeness> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.H);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int v = (int)(i / (size_t)c.H), h = (int)(i % (size_t)c.H);
        float *row = c.u + area(v, c.H * c.K), all = 0;
        for (int j = h * c.K; j < (h + 1) * c.K; j++) {
            float d = c.x2[v] - 2 * row[j] + c.key2[j];
            row[j] = 1 / (1 + (d > 0 ? d : 0));
            all += row[j];
        }
        c.sum[i] = all;
    }
};

struct kernel_head_weights : by_item<kernel_head_weights, mp_call_head_weights> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.N;
    }

    MP_DEVICE void one(const call &c, size_t v)
    {
        c.out[v] = c.mix[c.h] / c.sum[v * (size_t)c.H + (size_t)c.h];
    }
};

struct minus_down : column_source<mp_call_minus_sums, float> {
    MP_DEVICE_OF void end(size_t j, float sum) const
    {
        c.cols[j] = -sum;
    }
};

/* Blocks of columns, then those whose threads have a row each. */
struct kernel_minus_sums : by_column<kernel_minus_sums, mp_call_minus_sums, float> {
    static int blocks(const call &c)
    {
        return blocks_for((size_t)c.C, wide) + blocks_for((size_t)c.N, threads);
    }

    MP_DEVICE void row(const call &c, int v)
    {
        const float *x = c.X + area(v, c.C);
        bool whole = c.C % 4 == 0 && in_fours(c.X);
        float sum = 0;
        MP_UNROLL_BY(4)
        for (int j = 0; j < c.C; j += 4) {
            int n = c.C - j < 4 ? c.C - j : 4;
            four y = load_some(x + j, n, whole);
            MP_UNROLL
            for (int q = 0; q < 4; q++)
                if (q < n) sum += y.v[q];
        }
        c.rows[v] = -sum;
    }

    MP_DEVICE void columns(const call &c, int j0, float *stage)
    {
        if (j0 < c.C) {
            down(minus_down{ { c } }, c, j0, stage);
            return;
        }
        int first = (j0 / wide - (c.C + wide - 1) / wide) * threads;
        MP_ALONE(t)
        {
            if (first + t < c.N) row(c, first + t);
        }
    }
};

/* Blocks whose threads have a row of a head each; then one for each head, for the slope of its mix: all threads compute what the rows
 * bring, and one adds that up. */
struct kernel_closeness_bwd {
    typedef mp_call_closeness_bwd call;
    static const int threads = 256, at_once = 2, some = 1024;

    MP_BOTH int of_rows(const call &c)
    {
        return (int)((area(c.N, c.H) + threads - 1) / threads);
    }

    static int blocks(const call &c)
    {
        return of_rows(c) + (c.dmix ? c.H : 0);
    }

    MP_DEVICE float along(const call &c, int v, int h)
    {
        const float *d = c.dout + area(v, c.K), *u = c.u + area(v, c.H * c.K) + area(h, c.K);
        bool whole = c.K % 4 == 0 && in_fours(c.dout) && in_fours(c.u);
        float scale = 1 / c.sum[area(v, c.H) + (size_t)h], sum = 0;
        MP_UNROLL_BY(4)
        for (int j = 0; j < c.K; j += 4) {
            int n = c.K - j < 4 ? c.K - j : 4;
            four x = load_some(d + j, n, whole), y = load_some(u + j, n, whole);
            MP_UNROLL
            for (int q = 0; q < 4; q++)
                if (q < n) sum += x.v[q] * y.v[q] * scale;
        }
        return sum;
    }

    MP_DEVICE void row(const call &c, int v, int h)
    {
        const float *d = c.dout + area(v, c.K);
        size_t first = area(v, c.H * c.K) + area(h, c.K);
        bool whole = c.K % 4 == 0 && in_fours(c.dout) && in_fours(c.u) && in_fours(c.e);
        float scale = 1 / c.sum[area(v, c.H) + (size_t)h], middle = along(c, v, h), mix = c.mix[h];
        MP_UNROLL_BY(4)
        for (int j = 0; j < c.K; j += 4) {
            int n = c.K - j < 4 ? c.K - j : 4;
            four near = load_some(c.u + first + j, n, whole), x = load_some(d + j, n, whole);
            MP_UNROLL
            for (int q = 0; q < 4; q++) x.v[q] = 2 * near.v[q] * near.v[q] * mix * (x.v[q] - middle) * scale;
            store_some(c.e + first + j, n, whole, x);
        }
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        MP_SHARED float term[some], sum;
        if (block < of_rows(c)) {
            MP_ALONE(t)
            {
                size_t i = (size_t)block * threads + (size_t)t;
                if (i < area(c.N, c.H)) row(c, (int)(i / (size_t)c.H), (int)(i % (size_t)c.H));
            }
            return;
        }
        int h = block - of_rows(c);
        for (int v0 = 0; v0 < c.N; v0 += some) {
            int n = c.N - v0 < some ? c.N - v0 : some;
            MP_PHASE(t)
            {
                for (int i = t; i < n; i += threads) term[i] = along(c, v0 + i, h);
            }
            MP_PHASE(t)
            {
                if (t == 0) sum = in_order(v0 == 0 ? c.dmix[h] : sum, term, n);
            }
        }
        MP_ALONE(t)
        {
            if (t == 0 && c.N > 0) c.dmix[h] = sum;
        }
    }
};

#endif
