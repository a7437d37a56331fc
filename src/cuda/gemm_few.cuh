/* gemm_few.cuh - products that would be too few tiles of gemm.cuh for a launch to fill a GPU: those of a run that is alone. Tiles are
 * 32 x 32, a sixteenth of the large ones, and 64 steps of k at a time are on their way, since a tile is computed in less time than memory
 * takes to answer. Each element is the same chain.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_GEMM_FEW_CUH
#define MP_CUDA_GEMM_FEW_CUH

#include "cuda/grid.cuh"

struct kernel_gemm_few {
    typedef mp_call_gemm call;
    static const int threads = 128, at_once = 4, tile = 32, depth = 64, pitch = tile + 4, pieces = 4;
    static const int side = depth * pitch; /* floats of an operand in shared memory, which has each twice */

    static int blocks(const call &c)
    {
        return blocks_for((size_t)c.M, tile) * blocks_for((size_t)c.N, tile);
    }

    /* What a thread keeps: four rows of two columns, and the next pieces of A and B. */
    struct own {
        float acc[4][2];
        four a[pieces], b[pieces];
    };

    /* Piece q of thread t, four elements side by side in memory: i and k of the first, then k (by_k) or i counts up. An element (i, k) of
     * the operand is at p[i ld + k] (by_k) or p[k ld + i]. */
    template <bool by_k> struct reader {
        MP_DEVICE int i(int t)
        {
            return by_k ? t % 8 + t / 32 * 8 : t % 8 * 4;
        }

        MP_DEVICE int k(int q, int t)
        {
            return by_k ? 4 * (t % 32 / 8 + 4 * q) : t / 8 + 16 * q;
        }

        /* Pieces of the tile at i0, k0; I, K: where the operand ends. A piece is inside or outside as a whole. */
        MP_DEVICE void fetch(four *x, const mp_operand &o, int i0, int k0, int I, int K, int t)
        {
            MP_UNROLL
            for (int q = 0; q < pieces; q++) {
                int row = i0 + i(t), step = k0 + k(q, t);
                x[q] = four{ { 0, 0, 0, 0 } };
                if (row < I && step < K)
                    x[q] = load4(by_k ? o.p + area(row, o.ld) + step : o.p + area(step, o.ld) + row);
            }
        }

        MP_DEVICE void place(float *to, const four *x, int t)
        {
            MP_UNROLL
            for (int q = 0; q < pieces; q++) {
                float *at = to + k(q, t) * pitch + i(t);
                if (by_k) {
                    MP_UNROLL
                    for (int e = 0; e < 4; e++) at[e * pitch] = x[q].v[e];
                } else
                    store4(at, x[q]);
            }
        }
    };

    MP_DEVICE void step(own *o, const float *As, const float *Bs, int k, int t)
    {
        four a = load4(As + k * pitch + t / 16 * 4);
        two b = load2(Bs + k * pitch + t % 16 * 2);
        MP_UNROLL
        for (int i = 0; i < 4; i++) {
            MP_UNROLL
            for (int j = 0; j < 2; j++) o->acc[i][j] = fma1(a.v[i], b.v[j], o->acc[i][j]);
        }
    }

    template <bool left_by_k, bool right_by_k> MP_DEVICE void one(const call &c, int block, float *shared)
    {
        typedef reader<left_by_k> left;
        typedef reader<right_by_k> right;
        int across = (c.N + tile - 1) / tile, i0 = block / across * tile, j0 = block % across * tile, now = 0;
        MP_OWN(own, mine);
        MP_PHASE(t)
        {
            own *o = &MP_MINE(mine);
            left::fetch(o->a, c.A, i0, 0, c.M, c.K, t);
            right::fetch(o->b, c.B, j0, 0, c.N, c.K, t);
            int row = i0 + t / 16 * 4, col = j0 + t % 16 * 2;
            MP_UNROLL
            for (int i = 0; i < 4; i++) {
                two x = { { 0, 0 } };
                if (c.add && row + i < c.M && col < c.N) x = load2(c.C + area(row + i, c.N) + col);
                MP_UNROLL
                for (int j = 0; j < 2; j++) o->acc[i][j] = !c.add && c.bias && col < c.N ? c.bias[col + j] : x.v[j];
            }
            left::place(shared, o->a, t);
            right::place(shared + side, o->b, t);
        }
        for (int k0 = 0; k0 < c.K; k0 += depth) {
            MP_PHASE(t)
            {
                own *o = &MP_MINE(mine);
                const float *As = shared + now * 2 * side, *Bs = As + side;
                if (k0 + depth < c.K) {
                    left::fetch(o->a, c.A, i0, k0 + depth, c.M, c.K, t);
                    right::fetch(o->b, c.B, j0, k0 + depth, c.N, c.K, t);
                }
                if (k0 + depth <= c.K) {
                    MP_UNROLL_BY(16)
                    for (int k = 0; k < depth; k++) step(o, As, Bs, k, t);
                } else
                    for (int k = 0; k < c.K - k0; k++) step(o, As, Bs, k, t);
                if (k0 + depth < c.K) {
                    float *next = shared + (1 - now) * 2 * side;
                    left::place(next, o->a, t);
                    right::place(next + side, o->b, t);
                }
            }
            now = 1 - now;
        }
        MP_ALONE(t)
        {
            own *o = &MP_MINE(mine);
            int row = i0 + t / 16 * 4, col = j0 + t % 16 * 2;
            MP_UNROLL
            for (int i = 0; i < 4; i++) {
                if (row + i >= c.M || col >= c.N) continue;
                two y = { { o->acc[i][0], o->acc[i][1] } };
                if (c.relu) y = two{ { relu1(y.v[0]), relu1(y.v[1]) } };
                store2(c.C + area(row + i, c.N) + col, y);
            }
        }
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        alignas(16) MP_SHARED float shared[4 * side];
        if (!c.A.flip && !c.B.flip)
            one<true, false>(c, block, shared);
        else if (!c.A.flip)
            one<true, true>(c, block, shared);
        else if (!c.B.flip)
            one<false, false>(c, block, shared);
        else
            one<false, true>(c, block, shared);
    }
};

#endif
