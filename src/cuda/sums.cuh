/* sums.cuh - sums over neighbours, over the nonzeros of input features, over columns and over graphs; gates. Each element is one chain in
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

/* Rows v .. v+n-1 of column j of X, which has N rows and C columns: all on their way at once. What is beyond is 0. */
template <int n> MP_DEVICE void rows_ahead(float *x, const float *X, int v, int N, int C, size_t j)
{
    MP_UNROLL
    for (int q = 0; q < n; q++) x[q] = v + q < N ? X[area(v + q, C) + j] : 0;
}

/* ---- neighbours: an item is four columns of a row */
struct kernel_agg : by_item<kernel_agg, mp_call_agg> {
    static const int at_once = 5; /* blocks: rows of neighbours are far away, and many must be on their way */

    MP_BOTH size_t items(const call &c)
    {
        return c.end > c.from ? pieces(c.end - c.from, c.C) : 0;
    }

    MP_DEVICE float coefficient(const mp_links &g, int e, int u)
    {
        float w = g.p ? g.p[g.perm ? g.perm[e] : e] : 1;
        return !g.s ? w : g.p ? w * g.s[u] : g.s[u];
    }

    /* Edges from e on that come from below `stop`. */
    MP_DEVICE int walk(four *acc, const call &c, const piece &at, bool whole, int e, int end, int stop)
    {
        for (; e < end; e++) {
            int u = c.g.col[e];
            if (u >= stop) break;
            add_four(acc, coefficient(c.g, e, u), load_some(c.Z + area(u, c.C) + at.col, at.n, whole));
        }
        return e;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        piece at = piece_of(i, c.C);
        const mp_links &g = c.g;
        int v = c.from + at.row, e = g.row_ptr[v], end = g.row_ptr[v + 1];
        bool whole = c.C % 4 == 0 && in_fours(c.Z), put = c.C % 4 == 0 && in_fours(c.Y);
        four acc = { { 0, 0, 0, 0 } };
        if (g.q) {
            e = walk(&acc, c, at, whole, e, end, v);
            add_four(&acc, g.q[v], load_some(c.Z + area(v, c.C) + at.col, at.n, whole));
            if (e < end && g.col[e] == v) e++;
        }
        walk(&acc, c, at, whole, e, end, 0x7fffffff);
        int from = g.to ? g.to_ptr[v] : v, last = g.to ? g.to_ptr[v + 1] : v + 1;
        for (int t = from; t < last; t++) {
            int row = g.to ? g.to[t] : t;
            float *y = c.Y + area(row, c.C) + at.col, scale = g.r ? g.r[row] : 1;
            four x = c.add    ? load_some(y, at.n, put)
                     : c.bias ? load_some(c.bias + at.col, at.n, false)
                              : four{ { 0, 0, 0, 0 } };
            MP_UNROLL
            for (int q = 0; q < 4; q++) {
                x.v[q] = fma1(scale, acc.v[q], x.v[q]);
                if (c.relu) x.v[q] = relu1(x.v[q]);
            }
            store_some(y, at.n, put, x);
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

/* ---- nonzeros of input features */
struct kernel_sparse_fwd : by_item<kernel_sparse_fwd, mp_call_sparse_fwd> {
    MP_BOTH size_t items(const call &c)
    {
        return pieces(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        piece at = piece_of(i, c.C);
        bool whole = c.C % 4 == 0 && in_fours(c.W), put = c.C % 4 == 0 && in_fours(c.Y);
        four y = c.bias ? load_some(c.bias + at.col, at.n, false) : four{ { 0, 0, 0, 0 } };
        for (int z = c.ptr[at.row]; z < c.ptr[at.row + 1]; z++)
            add_four(&y, c.val ? c.val[z] : 1, load_some(c.W + area(c.col[z], c.C) + at.col, at.n, whole));
        store_some(c.Y + area(at.row, c.C) + at.col, at.n, put, y);
    }
};

/* One block a call: a thread has a column, and goes down the rows. The rows of dW are in shared memory meanwhile, some at a time; those
 * of very many features stay where they are. Which rows of dW have contents is marked when all is done. */
struct kernel_sparse_bwd {
    typedef mp_call_sparse_bwd call;
    static const int threads = 128, at_once = 4, ahead = 16, some = 92, most_turns = 8;

    static int blocks(const call &c)
    {
        return c.N > 0 ? 1 : 0;
    }

    /* The nonzeros of columns from .. from+n-1 times column j of dY, into acc, whose rows are `ld` apart. */
    MP_DEVICE void down(float *acc, int ld, int *touched, const call &c, int from, int n, int j)
    {
        float dy[ahead], next[ahead];
        rows_ahead<ahead>(next, c.dY, 0, c.N, c.C, (size_t)j);
        for (int v0 = 0; v0 < c.N; v0 += ahead) {
            MP_UNROLL
            for (int q = 0; q < ahead; q++) dy[q] = next[q];
            rows_ahead<ahead>(next, c.dY, v0 + ahead, c.N, c.C, (size_t)j);
            MP_UNROLL
            for (int q = 0; q < ahead; q++) {
                if (v0 + q >= c.N) break;
                for (int z = c.ptr[v0 + q]; z < c.ptr[v0 + q + 1]; z++) {
                    int f = c.col[z] - from;
                    if (f < 0 || f >= n) continue;
                    if (touched) touched[f] = 1;
                    acc[area(f, ld)] = fma1(c.val ? c.val[z] : 1, dy[q], acc[area(f, ld)]);
                }
            }
        }
    }

    MP_DEVICE void in_place(const call &c, int j)
    {
        int end = c.ptr[c.N];
        for (int z = c.ptr[0]; c.wrote && z < end; z++)
            if (!c.wrote[c.col[z]]) c.dW[area(c.col[z], c.C) + (size_t)j] = 0;
        down(c.dW + j, c.C, NULL, c, 0, 0x7fffffff, j);
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        (void)block;
        MP_SHARED float acc[some * threads];
        MP_SHARED int touched[some], last;
        MP_PHASE(t)
        {
            if (t == 0) last = -1;
        }
        MP_PHASE(t)
        {
            for (int z = c.ptr[0] + t; z < c.ptr[c.N]; z += threads) raise_to(&last, c.col[z]);
        }
        bool large = last >= some * most_turns;
        for (int j0 = 0; j0 < c.C; j0 += threads) {
            for (int from = 0; !large && from <= last; from += some) {
                int n = last + 1 - from < some ? last + 1 - from : some;
                MP_PHASE(t)
                {
                    if (t < n) touched[t] = 0;
                    for (int f = 0; j0 + t < c.C && f < n; f++) {
                        bool empty = c.wrote && !c.wrote[from + f];
                        acc[f * threads + t] = empty ? 0 : c.dW[area(from + f, c.C) + (size_t)(j0 + t)];
                    }
                }
                MP_PHASE(t)
                {
                    if (j0 + t < c.C) down(acc + t, threads, t == 0 ? touched : NULL, c, from, n, j0 + t);
                }
                MP_PHASE(t)
                {
                    for (int f = 0; j0 + t < c.C && f < n; f++)
                        if (touched[f]) c.dW[area(from + f, c.C) + (size_t)(j0 + t)] = acc[f * threads + t];
                }
            }
            if (!large) continue;
            MP_PHASE(t)
            {
                if (j0 + t < c.C) in_place(c, j0 + t);
            }
        }
        MP_ALONE(t)
        {
            for (int z = c.ptr[0] + t; c.wrote && z < c.ptr[c.N]; z += threads) c.wrote[c.col[z]] = true;
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
