/* sums.cuh - sums over neighbours and over graphs; gates. Each element is one chain in
 * the processor's order (kernels.h), and nobody adds to what another thread adds to.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_SUMS_CUH
#define MP_CUDA_SUMS_CUH

#include "cuda/grid.cuh"

MP_DEVICE void add_four(four *acc, float a, const four &x)
{
    MP_UNROLL
    for (int i = 0; i < 4; i++) acc->v[i] = fma1(a, x.v[i], acc->v[i]);
}

/* ---- neighbours: an item is four columns of a row */
struct kernel_agg : by_item<kernel_agg, mp_call_agg> {
    static const int at_once = 4; /* blocks: rows of neighbours are far away, and many must be on their way */

    MP_BOTH size_t items(const call &c)
    {
        return c.end > c.from ? pieces(c.end - c.from, c.C) : 0;
    }

    /* Edges from e on that come from below `stop`, a few at a time: nothing is used before all of them are on their way. */
    template <bool whole> MP_DEVICE int walk(four *acc, const call &c, const piece &at, int e, int end, int stop)
    {
        const int ahead = whole ? 4 : 1;
        for (int n = ahead; n == ahead; e += n) {
            int u[ahead], i[ahead];
            float w[ahead], s[ahead];
            four x[ahead];
            MP_UNROLL
            for (int q = 0; q < ahead; q++) u[q] = e + q < end ? c.g.col[e + q] : stop;
            MP_UNROLL
            for (int q = 0; q < ahead; q++) i[q] = c.g.perm && e + q < end ? c.g.perm[e + q] : e + q;
            n = 0;
            MP_UNROLL
            for (int q = 0; q < ahead; q++) n += n == q && u[q] < stop;
            MP_UNROLL
            for (int q = 0; q < ahead; q++) {
                if (q >= n) continue;
                w[q] = c.g.p ? c.g.p[i[q]] : 1;
                s[q] = c.g.s ? c.g.s[u[q]] : 1;
                x[q] = load_some(c.Z + area(u[q], c.C) + at.col, at.n, whole);
            }
            MP_UNROLL
            for (int q = 0; q < ahead; q++)
                if (q < n) add_four(acc, !c.g.s ? w[q] : c.g.p ? w[q] * s[q] : s[q], x[q]);
        }
        return e;
    }

    template <bool whole> MP_DEVICE four sum(const call &c, const piece &at, int v)
    {
        const mp_links &g = c.g;
        int e = g.row_ptr[v], end = g.row_ptr[v + 1];
        four acc = { { 0, 0, 0, 0 } };
        if (g.q) {
            e = walk<whole>(&acc, c, at, e, end, v);
            add_four(&acc, g.q[v], load_some(c.Z + area(v, c.C) + at.col, at.n, whole));
            if (e < end && g.col[e] == v) e++;
        }
        walk<whole>(&acc, c, at, e, end, 0x7fffffff);
        return acc;
    }

    MP_DEVICE void put(const call &c, const piece &at, int v, const four &acc)
    {
        const mp_links &g = c.g;
        bool fours = c.C % 4 == 0 && in_fours(c.Y);
        int from = g.to ? g.to_ptr[v] : v, last = g.to ? g.to_ptr[v + 1] : v + 1;
        for (int t = from; t < last; t++) {
            int row = g.to ? g.to[t] : t;
            float *y = c.Y + area(row, c.C) + at.col, scale = g.r ? g.r[row] : 1;
            four x = c.add    ? load_some(y, at.n, fours)
                     : c.bias ? load_some(c.bias + at.col, at.n, false)
                              : four{ { 0, 0, 0, 0 } };
            MP_UNROLL
            for (int q = 0; q < 4; q++) {
                x.v[q] = fma1(scale, acc.v[q], x.v[q]);
                if (c.relu) x.v[q] = relu1(x.v[q]);
            }
            store_some(y, at.n, fours, x);
        }
    }

    /* What the sum needs of the call is in registers, and the rest is read when it is done: there are too few for both. */
    MP_DEVICE void run(const call &c, int block)
    {
        MP_ALONE(t)
        {
            size_t i = (size_t)block * threads + (size_t)t;
            if (i >= items(c)) continue;
            piece at = piece_of(i, c.C);
            int v = c.from + at.row;
            four acc = c.C % 4 == 0 && in_fours(c.Z) ? sum<true>(c, at, v) : sum<false>(c, at, v);
            put(c, at, v, acc);
        }
    }
};

/* ---- dot products along edges: sixteen threads a row have a lane each; the rows of a block take their edges in step */
struct kernel_edge_dot {
    typedef mp_call_edge_dot call;
    static const int threads = 256, at_once = 1, rows = threads / 16;

    static int blocks(const call &c)
    {
        return blocks_for((size_t)c.N, rows);
    }

    MP_DEVICE float lane(const call &c, int v, int u, int l)
    {
        float acc = 0;
        for (int k = l; k < c.C; k += 16) acc = fma1(c.A[area(v, c.C) + (size_t)k], c.B[area(u, c.C) + (size_t)k], acc);
        return acc;
    }

    MP_DEVICE void run(const call &c, int block)
    {
        MP_SHARED float part[rows * 17];
        MP_SHARED int most; /* steps that the longest row takes; one more for the node itself */
        int first = block * rows;
        MP_PHASE(t)
        {
            if (t > 0) continue;
            most = 0;
            for (int v = first; v < first + rows && v < c.N; v++) {
                int n = c.g.row_ptr[v + 1] - c.g.row_ptr[v] + (c.self ? 1 : 0);
                most = n > most ? n : most;
            }
        }
        for (int s = 0; s < most; s++) {
            MP_PHASE(t)
            {
                int v = first + t / 16;
                if (v >= c.N) continue;
                int e = c.g.row_ptr[v] + s;
                if (e < c.g.row_ptr[v + 1])
                    part[t / 16 * 17 + t % 16] = lane(c, v, c.g.col[e], t % 16);
                else if (c.self && e == c.g.row_ptr[v + 1])
                    part[t / 16 * 17 + t % 16] = lane(c, v, v, t % 16);
            }
            MP_PHASE(t)
            {
                int v = first + t;
                if (t >= rows || v >= c.N) continue;
                int e = c.g.row_ptr[v] + s, end = c.g.row_ptr[v + 1];
                if (e > end || (e == end && !c.self)) continue;
                float d = fold16(part + t * 17), *to = e < end ? c.out + e : c.self + v;
                *to = c.add ? *to + d : d;
            }
        }
    }
};

/* ---- gates */
struct kernel_gate_fwd : by_item<kernel_gate_fwd, mp_call_gate_fwd> {
    MP_BOTH size_t items(const call &c)
    {
        return pieces(c.K, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        piece at = piece_of(i, c.C);
        bool whole = c.C % 4 == 0 && in_fours(c.X), put = c.C % 4 == 0 && in_fours(c.out);
        const float *g = c.G + area(at.row, c.D);
        four x = load_some(c.X + area(c.keep[at.row], c.C) + at.col, at.n, whole), y;
        for (int d = 0; d < (c.split ? 1 : c.D); d++) {
            MP_UNROLL
            for (int q = 0; q < 4; q++) y.v[q] = q < at.n ? g[c.split ? (at.col + q) / c.split : d] * x.v[q] : 0;
            store_some(c.out + (area(at.row, c.split ? 1 : c.D) + (size_t)d) * (size_t)c.C + at.col, at.n, put, y);
        }
    }
};

/* A block has sixteen kept rows: their dX in fours, then dG, sixteen lanes a product and a few columns of G at a time. */
struct kernel_gate_bwd {
    typedef mp_call_gate_bwd call;
    static const int threads = 256, at_once = 3, rows = 16, some = 8;

    static int blocks(const call &c)
    {
        return blocks_for((size_t)c.K, rows);
    }

    MP_DEVICE void back(const call &c, int i, int col, int n, bool fours)
    {
        const float *g = c.G + area(i, c.D), *dy = c.dOut + area(i, c.split ? 1 : c.D) * (size_t)c.C + col;
        float *dx = c.dX + area(c.keep[i], c.C) + col;
        four acc = c.add ? load_some(dx, n, fours) : four{ { 0, 0, 0, 0 } };
        if (c.split) {
            MP_UNROLL
            for (int q = 0; q < 4; q++)
                if (q < n) acc.v[q] = fma1(g[(col + q) / c.split], dy[q], acc.v[q]);
        } else
            for (int d = 0; d < c.D; d++) add_four(&acc, g[d], load_some(dy + area(d, c.C), n, fours));
        store_some(dx, n, fours, acc);
    }

    /* Lane l of dG[i, d]. */
    MP_DEVICE float lane(const call &c, int i, int d, int l)
    {
        int from = c.split ? (d * c.split < c.C ? d * c.split : c.C) : 0;
        int n = c.split ? (from + c.split < c.C ? c.split : c.C - from) : c.C;
        const float *x = c.X + area(c.keep[i], c.C) + from;
        const float *dy = c.dOut + (c.split ? area(i, c.C) : (area(i, c.D) + (size_t)d) * (size_t)c.C) + from;
        float acc = 0;
        for (int k = l; k < n; k += 16) acc = fma1(x[k], dy[k], acc);
        return acc;
    }

    MP_DEVICE void run(const call &c, int block)
    {
        MP_SHARED float part[some * rows * 17];
        int first = block * rows, here = c.K - first < rows ? c.K - first : rows;
        bool fours = c.C % 4 == 0 && in_fours(c.dX) && in_fours(c.dOut);
        MP_PHASE(t)
        {
            int count = c.dX ? (int)pieces(here, c.C) : 0;
            for (int i = t; i < count; i += threads) {
                piece at = piece_of((size_t)i, c.C);
                back(c, first + at.row, at.col, at.n, fours);
            }
        }
        for (int d0 = 0; c.dG && d0 < c.D; d0 += some) {
            int n = c.D - d0 < some ? c.D - d0 : some;
            MP_PHASE(t)
            {
                int r = t / 16;
                for (int d = 0; r < here && d < n; d++)
                    part[(d * rows + r) * 17 + t % 16] = lane(c, first + r, d0 + d, t % 16);
            }
            MP_PHASE(t)
            {
                int d = t / rows, r = t % rows;
                if (d < n && r < here)
                    c.dG[area(first + r, c.D) + (size_t)(d0 + d)] = fold16(part + (d * rows + r) * 17);
            }
        }
    }
};

/* ---- graphs: an item is one column of a graph */
struct kernel_readout : by_item<kernel_readout, mp_call_readout> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.B, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int b = (int)((unsigned)i / (unsigned)c.C), k = (int)((unsigned)i % (unsigned)c.C), at = -1;
        int from = c.ptr[b], to = c.ptr[b + 1];
        float most = 0, all = 0, scale = c.scale ? c.scale[b] : 1;
        size_t place = area(b, c.ld) + (size_t)k;
        if (from < to) {
            const float *x = c.X + area(from, c.C) + k;
            most = all = *x;
            at = from;
            for (int v = from + 1; v < to; v++) {
                x += c.C;
                float now = *x;
                at = now > most ? v : at;
                most = now > most ? now : most;
                all += now;
            }
            all *= scale;
        }
        if (c.top) c.top[place] = most;
        if (c.arg) c.arg[i] = at;
        if (c.sum) c.sum[place] = all;
    }
};

/* Graphs share no rows. */
struct kernel_readout_max_bwd : by_item<kernel_readout_max_bwd, mp_call_readout_max_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.B, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int b = (int)((unsigned)i / (unsigned)c.C), k = (int)((unsigned)i % (unsigned)c.C), v = c.arg[i];
        if (v >= 0) c.dX[area(v, c.C) + (size_t)k] += c.dOut[area(b, c.ld) + (size_t)k];
    }
};

/* An item is four columns of a graph, of every `parts`-th row. */
struct kernel_readout_sum_bwd : by_item<kernel_readout_sum_bwd, mp_call_readout_sum_bwd> {
    static const int parts = 8;

    MP_BOTH size_t items(const call &c)
    {
        return parts * pieces(c.B, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        piece at = piece_of(i, c.C);
        int b = at.row / parts;
        bool put = c.C % 4 == 0 && in_fours(c.dX);
        float s = c.scale ? c.scale[b] : 1;
        four dy = load_some(c.dOut + area(b, c.ld) + at.col, at.n, false), x;
        for (int v = c.ptr[b] + at.row % parts; v < c.ptr[b + 1]; v += parts) {
            float *dx = c.dX + area(v, c.C) + at.col;
            if (c.add) x = load_some(dx, at.n, put);
            MP_UNROLL
            for (int q = 0; q < 4; q++) x.v[q] = c.add ? fma1(s, dy.v[q], x.v[q]) : s * dy.v[q];
            store_some(dx, at.n, put, x);
        }
    }
};

#endif
