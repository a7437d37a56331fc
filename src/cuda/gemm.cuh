/* gemm.cuh - dense products C = A B, C = A^T B, C = A B^T with the processor's bits: each element is one chain of fused multiply-adds
 * over k upwards (gemm_thin.cuh has those with few columns, gemm_few.cuh those of few tiles).
 *
 * A block computes a tile of C. Eight steps of k of both operands lie in shared memory, twice: while a tile is
 * being used the next one is on its way from memory to registers. A thread has up to 8 x 8 chains in registers, in two groups
 * of four rows and columns each, so that what it reads of shared memory comes in fours and without conflicts. The last steps
 * of k are counted exactly: a chain that took zeros along would turn -0 into 0.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_GEMM_CUH
#define MP_CUDA_GEMM_CUH

#include "cuda/gemm_few.cuh"

struct product_tiles {
    typedef mp_call_gemm call;
    static const int threads = 256, at_once = 2;
    static const int depth = 8, most = 128, pad = 4,
                     side = 2 * depth * (most + pad); /* floats of an operand in shared memory */

    /* What a thread keeps: its chains, and the next pieces of A and B and where they lie. */
    struct own {
        float acc[8][8];
        float a[4], b[4];
        const float *from_a, *from_b;
    };

    MP_BOTH bool in_lines(const mp_operand &o, int side_by_side)
    {
        return o.ld % 4 == 0 && side_by_side % 4 == 0 && in_fours(o.p);
    }

    MP_BOTH bool lies_in_fours(const call &c)
    {
        return in_lines(c.A, c.A.flip ? c.M : c.K) && in_lines(c.B, c.B.flip ? c.K : c.N) && c.N % 4 == 0 &&
               in_fours(c.C);
    }

    MP_BOTH bool is_large(const call &c)
    {
        return c.M > 64 && c.N > 64 && lies_in_fours(c);
    }

    static int tiles(const call &c, size_t of)
    {
        return blocks_for((size_t)c.M, of) * blocks_for((size_t)c.N, of);
    }

    /* An operand as the tiles read it, I x K: element (i, k) is at p[i ld + k] (by_k) or p[k ld + i]. A thread has `each`
     * elements of a tile of T x depth, side by side in memory: i and k of the first, then k (by_k) or i counts up. */
    template <int T> struct reader {
        static const int each = T * depth / threads;
        bool by_k;

        MP_DEVICE_OF int i(int t) const
        {
            return by_k ? t * each / depth : t * each % T;
        }

        MP_DEVICE_OF int k(int t) const
        {
            return by_k ? t * each % depth : t * each / T;
        }

        MP_DEVICE_OF const float *begin(const mp_operand &o, int i0, int t) const
        {
            return by_k ? o.p + area(i0 + i(t), o.ld) + k(t) : o.p + area(k(t), o.ld) + (i0 + i(t));
        }

        MP_DEVICE_OF size_t stride(const mp_operand &o) const
        {
            return by_k ? (size_t)depth : (size_t)depth * (size_t)o.ld;
        }

        /* The elements at `from`; rows and steps: how many are left of I and K from the tile on. What is outside has any
         * value. `fours`: those of a thread are inside or outside together. */
        MP_DEVICE_OF void fetch(float *out, const float *from, int rows, int steps, bool fours, int t) const
        {
            if (fours) {
                four x = { { 0, 0, 0, 0 } };
                if (i(t) < rows && k(t) < steps) x = load4(from);
                MP_UNROLL
                for (int q = 0; q < each; q++) out[q] = x.v[q];
                return;
            }
            MP_UNROLL
            for (int q = 0; q < each; q++)
                out[q] = i(t) + (by_k ? 0 : q) < rows && k(t) + (by_k ? q : 0) < steps ? from[q] : 0;
        }

        MP_DEVICE_OF void place(float *to, const float *from, int t) const
        {
            to += k(t) * (most + pad) + i(t);
            if (by_k || each < 4) {
                MP_UNROLL
                for (int q = 0; q < each; q++) to[by_k ? q * (most + pad) : q] = from[q];
            } else
                store4(to, four{ { from[0], from[1], from[2], from[3] } });
        }
    };

    /* Number i of the rows (or columns) that the thread `lane` of 16 has in a tile. */
    MP_DEVICE int line(int lane, int i)
    {
        return i / 4 * 64 + 4 * lane + i % 4;
    }

    template <int groups> MP_DEVICE void lines(float *out, const float *from, int lane)
    {
        MP_UNROLL
        for (int g = 0; g < groups; g++) {
            four x = load4(from + 64 * g + 4 * lane);
            MP_UNROLL
            for (int q = 0; q < 4; q++) out[4 * g + q] = x.v[q];
        }
    }

    /* Of the thread's rows the first `groups` groups of four. */
    template <int T, int groups> MP_DEVICE void step(own *o, const float *As, const float *Bs, int k, int t)
    {
        float a[4 * groups], b[T / 16];
        lines<groups>(a, As + k * (most + pad), t / 16);
        lines<T / 64>(b, Bs + k * (most + pad), t % 16);
        MP_UNROLL
        for (int i = 0; i < 4 * groups; i++) {
            MP_UNROLL
            for (int j = 0; j < T / 16; j++) o->acc[i][j] = fma1(a[i], b[j], o->acc[i][j]);
        }
    }

    /* How many groups of rows the threads of a warp have within the matrix: the last tile is often nearly empty, and warps without
     * work leave the units to other blocks. */
    MP_DEVICE int groups_of(int rows, int t)
    {
        int first = line(t / 32 * 2, 0);
        return first + 64 < rows ? 2 : first < rows ? 1 : 0;
    }

    /* What the chains begin with. */
    template <int T> MP_DEVICE void start(own *o, const call &c, int i0, int j0, bool fours, int t)
    {
        MP_UNROLL
        for (int i = 0; i < T / 16; i++) {
            int row = i0 + line(t / 16, i);
            MP_UNROLL
            for (int j = 0; j < T / 16; j += 4) {
                int col = j0 + line(t % 16, j), n = c.N - col < 4 ? c.N - col : 4;
                const float *from = c.add ? c.C + area(row, c.N) + col : c.bias + col;
                four x = { { 0, 0, 0, 0 } };
                if ((c.add || c.bias) && row < c.M && n > 0) x = load_some(from, n, fours && c.add);
                MP_UNROLL
                for (int q = 0; q < 4; q++) o->acc[i][j + q] = x.v[q];
            }
        }
    }

    template <int T>
    MP_DEVICE void tile(const call &c, int block, bool fours, reader<T> left, reader<T> right, float *shared)
    {
        const int half = depth * (most + pad);
        int across = (c.N + T - 1) / T, i0 = block / across * T, j0 = block % across * T, K = c.K;
        int rows = c.M - i0, cols = c.N - j0;
        size_t stride_a = left.stride(c.A), stride_b = right.stride(c.B);
        float *As = shared, *Bs = shared + side;
        MP_OWN(own, mine);
        MP_PHASE(t)
        {
            own *o = &MP_MINE(mine);
            o->from_a = left.begin(c.A, i0, t);
            o->from_b = right.begin(c.B, j0, t);
            left.fetch(o->a, o->from_a, rows, K, fours, t);
            right.fetch(o->b, o->from_b, cols, K, fours, t);
            left.place(As, o->a, t);
            right.place(Bs, o->b, t);
            start<T>(o, c, i0, j0, fours, t);
        }
        int now = 0;
        for (; K > 0; K -= depth) {
            bool more = K > depth;
            MP_PHASE(t)
            {
                own *o = &MP_MINE(mine);
                if (more) {
                    o->from_a += stride_a;
                    o->from_b += stride_b;
                    left.fetch(o->a, o->from_a, rows, K - depth, fours, t);
                    right.fetch(o->b, o->from_b, cols, K - depth, fours, t);
                }
                int has = groups_of(rows, t);
                if (K < depth) {
                    for (int k = 0; k < K; k++) step<T, T / 64>(o, As + now, Bs + now, k, t);
                } else if (has >= T / 64) {
                    MP_UNROLL
                    for (int k = 0; k < depth; k++) step<T, T / 64>(o, As + now, Bs + now, k, t);
                } else if (has == 1) {
                    MP_UNROLL
                    for (int k = 0; k < depth; k++) step<T, 1>(o, As + now, Bs + now, k, t);
                }
                if (more) {
                    left.place(As + (half - now), o->a, t);
                    right.place(Bs + (half - now), o->b, t);
                }
            }
            now = half - now;
        }
        MP_ALONE(t)
        {
            own *o = &MP_MINE(mine);
            MP_UNROLL
            for (int i = 0; i < T / 16; i++) {
                int row = i0 + line(t / 16, i);
                if (row >= c.M) continue;
                MP_UNROLL
                for (int j = 0; j < T / 16; j++)
                    if (c.relu) o->acc[i][j] = relu1(o->acc[i][j]);
                MP_UNROLL
                for (int j = 0; j < T / 16; j += 4) {
                    int col = j0 + line(t % 16, j), n = c.N - col < 4 ? c.N - col : 4;
                    if (n > 0)
                        store_some(c.C + area(row, c.N) + col, n, fours,
                                   four{ { o->acc[i][j], o->acc[i][j + 1], o->acc[i][j + 2], o->acc[i][j + 3] } });
                }
            }
        }
    }
};

/* Large, and everything lies in fours: tiles of 128 x 128, and a loop for each way that operands lie, because one that asks needs more
 * registers. */
struct kernel_gemm : product_tiles {
    static int blocks(const call &c)
    {
        return tiles(c, 128);
    }

    MP_DEVICE void run(const call &c, int block)
    {
        alignas(16) MP_SHARED float shared[2 * side];
        if (!c.A.flip && !c.B.flip)
            tile<128>(c, block, true, reader<128>{ true }, reader<128>{ false }, shared);
        else if (!c.A.flip)
            tile<128>(c, block, true, reader<128>{ true }, reader<128>{ true }, shared);
        else if (!c.B.flip)
            tile<128>(c, block, true, reader<128>{ false }, reader<128>{ false }, shared);
        else
            tile<128>(c, block, true, reader<128>{ false }, reader<128>{ true }, shared);
    }
};

/* Any other: tiles of 64 x 64. */
struct kernel_gemm_small : product_tiles {
    static int blocks(const call &c)
    {
        return tiles(c, 64);
    }

    MP_DEVICE void run(const call &c, int block)
    {
        alignas(16) MP_SHARED float shared[2 * side];
        tile<64>(c, block, false, reader<64>{ !c.A.flip }, reader<64>{ c.B.flip }, shared);
    }
};

enum { FEW_TILES = 32 }; /* of 128 x 128: fewer in a launch leave most of a GPU without work */

/* The kernel that executes a product, which `runs` runs have side by side. */
inline mp_cuda_kernel gemm_shape(const mp_call_gemm &c, int runs)
{
    if (c.N <= MP_NARROW && c.K > 0) return c.A.flip ? MP_CUDA_gemm_tall : MP_CUDA_gemm_narrow;
    if (product_tiles::lies_in_fours(c) && (int64_t)product_tiles::tiles(c, 128) * runs <= FEW_TILES)
        return MP_CUDA_gemm_few;
    return product_tiles::is_large(c) ? MP_CUDA_gemm : MP_CUDA_gemm_small;
}

#endif
