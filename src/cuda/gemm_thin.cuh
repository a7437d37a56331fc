/* gemm_thin.cuh - products with few columns (gemm.cuh has the wide ones): each element is sixteen lanes over k where A lies as it is, and
 * one chain where A is flipped, as the processor has it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_GEMM_THIN_CUH
#define MP_CUDA_GEMM_THIN_CUH

#include "cuda/grid.cuh"

MP_DEVICE float element_of_b(const mp_call_gemm &c, int k, int j)
{
    return c.B.flip ? c.B.p[area(j, c.B.ld) + (size_t)k] : c.B.p[area(k, c.B.ld) + (size_t)j];
}

/* A as it lies: sixteen threads a row have a lane each, of four rows and four steps at a time. */
struct kernel_gemm_narrow {
    typedef mp_call_gemm call;
    static const int threads = 256, at_once = 2, rows = 4, steps = 4;
    static const int stride = 17; /* of a row's lanes in shared memory */

    struct lanes {
        float acc[rows][MP_NARROW];
    };

    static int blocks(const call &c)
    {
        return blocks_for((size_t)c.M, 64);
    }

    MP_DEVICE void walk(lanes *o, const call &c, int row, int lane)
    {
        for (int k0 = lane; k0 < c.K; k0 += 16 * steps) {
            float a[steps][rows];
            MP_UNROLL
            for (int s = 0; s < steps; s++) {
                MP_UNROLL
                for (int q = 0; q < rows; q++) {
                    int k = k0 + 16 * s;
                    a[s][q] = k < c.K && row + 16 * q < c.M ? c.A.p[area(row + 16 * q, c.A.ld) + (size_t)k] : 0;
                }
            }
            MP_UNROLL
            for (int s = 0; s < steps; s++) {
                int k = k0 + 16 * s;
                if (k >= c.K) break;
                MP_UNROLL
                for (int j = 0; j < MP_NARROW; j++) {
                    if (j >= c.N) break;
                    float b = element_of_b(c, k, j);
                    MP_UNROLL
                    for (int q = 0; q < rows; q++) o->acc[q][j] = fma1(a[s][q], b, o->acc[q][j]);
                }
            }
        }
    }

    MP_DEVICE void run(const call &c, int block)
    {
        MP_SHARED float shared[MP_NARROW * 16 * stride];
        MP_OWN(lanes, mine);
        MP_PHASE(t)
        {
            lanes *o = &MP_MINE(mine);
            MP_UNROLL
            for (int q = 0; q < rows; q++) {
                MP_UNROLL
                for (int j = 0; j < MP_NARROW; j++) o->acc[q][j] = 0;
            }
            walk(o, c, block * 64 + t / 16, t % 16);
        }
        MP_UNROLL
        for (int q = 0; q < rows; q++) {
            MP_PHASE(t)
            {
                lanes *o = &MP_MINE(mine);
                MP_UNROLL
                for (int j = 0; j < MP_NARROW; j++)
                    if (j < c.N) shared[(j * 16 + t / 16) * stride + t % 16] = o->acc[q][j];
            }
            MP_PHASE(t)
            {
                int j = t / 16, row = block * 64 + 16 * q + t % 16;
                if (j >= c.N || row >= c.M) continue;
                float y = fold16(shared + (j * 16 + t % 16) * stride), *to = c.C + area(row, c.N) + (size_t)j;
                if (c.bias) y += c.bias[j];
                if (c.add) y += *to;
                *to = c.relu ? relu1(y) : y;
            }
        }
    }
};

/* A flipped, which makes a few long chains: `depth` steps of k of both operands lie in shared memory, twice, so that many rows are on
 * their way while the chains of 128 rows of C go on. */
struct kernel_gemm_tall {
    typedef mp_call_gemm call;
    static const int threads = 256, at_once = 3, wide = 128, depth = 32;
    static const int each = wide * depth / threads;       /* elements of A that a thread fetches */
    static const int chains = MP_NARROW * wide / threads; /* columns of C that a thread has, two apart */
    static_assert(depth * MP_NARROW <= threads, "an element of B each");

    struct own {
        float a[each], b, acc[chains];
    };

    static int blocks(const call &c)
    {
        return blocks_for((size_t)c.M, wide);
    }

    MP_DEVICE void fetch(own *o, const call &c, int i, int k0, int t)
    {
        MP_UNROLL
        for (int q = 0; q < each; q++) {
            int k = k0 + (q * threads + t) / wide;
            o->a[q] = k < c.K && i < c.M ? c.A.p[area(k, c.A.ld) + (size_t)i] : 0;
        }
        int k = k0 + t / MP_NARROW, j = t % MP_NARROW;
        o->b = k < c.K && j < c.N ? element_of_b(c, k, j) : 0;
    }

    MP_DEVICE void place(float *As, float *Bs, const own *o, int t)
    {
        MP_UNROLL
        for (int q = 0; q < each; q++) As[q * threads + t] = o->a[q];
        Bs[t] = o->b;
    }

    MP_DEVICE void step(own *o, const float *As, const float *Bs, int k, int N, int t)
    {
        float x = As[k * wide + t % wide];
        MP_UNROLL
        for (int q = 0; q < chains; q++) {
            int j = t / wide + threads / wide * q;
            if (j < N) o->acc[q] = fma1(x, Bs[k * MP_NARROW + j], o->acc[q]);
        }
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        MP_SHARED float As[2][wide * depth], Bs[2][depth * MP_NARROW];
        MP_OWN(own, mine);
        int now = 0;
        MP_PHASE(t)
        {
            own *o = &MP_MINE(mine);
            int i = block * wide + t % wide;
            fetch(o, c, i, 0, t);
            place(As[0], Bs[0], o, t);
            MP_UNROLL
            for (int q = 0; q < chains; q++) {
                int j = t / wide + threads / wide * q;
                bool inside = i < c.M && j < c.N;
                o->acc[q] = !inside ? 0 : c.add ? c.C[area(i, c.N) + (size_t)j] : c.bias ? c.bias[j] : 0;
            }
        }
        for (int k0 = 0; k0 < c.K; k0 += depth) {
            MP_PHASE(t)
            {
                own *o = &MP_MINE(mine);
                bool more = k0 + depth < c.K;
                if (more) fetch(o, c, block * wide + t % wide, k0 + depth, t);
                if (more) {
                    MP_UNROLL
                    for (int k = 0; k < depth; k++) step(o, As[now], Bs[now], k, c.N, t);
                } else
                    for (int k = 0; k < c.K - k0; k++) step(o, As[now], Bs[now], k, c.N, t);
                if (more) place(As[1 - now], Bs[1 - now], o, t);
            }
            now = 1 - now;
        }
        MP_ALONE(t)
        {
            const own *o = &MP_MINE(mine);
            int i = block * wide + t % wide;
            MP_UNROLL
            for (int q = 0; q < chains; q++) {
                int j = t / wide + threads / wide * q;
                if (i < c.M && j < c.N) c.C[area(i, c.N) + (size_t)j] = c.relu ? relu1(o->acc[q]) : o->acc[q];
            }
        }
    }
};

#endif
