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

/* A flipped, which makes a few long chains: a block has 32 rows of C. `depth` steps of k of both operands lie in shared memory, and as
 * many are on their way while the chains go on. */
struct kernel_gemm_tall {
    typedef mp_call_gemm call;
    static const int threads = 128, at_once = 4, wide = 32, depth = 128;
    static const int each = wide * depth / threads,
                     each_b = MP_NARROW * depth / threads; /* elements that a thread fetches */
    static const int chains = 4;                           /* columns of C that a thread has; some threads have none */
    static_assert(wide * MP_NARROW / chains <= threads, "columns of C");

    struct own {
        float a[each], b[each_b], acc[chains];
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
        MP_UNROLL
        for (int q = 0; q < each_b; q++) {
            int k = k0 + (q * threads + t) / MP_NARROW, j = t % MP_NARROW;
            o->b[q] = k < c.K && j < c.N ? element_of_b(c, k, j) : 0;
        }
    }

    MP_DEVICE void place(float *As, float *Bs, const own *o, int t)
    {
        MP_UNROLL
        for (int q = 0; q < each; q++) As[q * threads + t] = o->a[q];
        MP_UNROLL
        for (int q = 0; q < each_b; q++) Bs[q * threads + t] = o->b[q];
    }

    /* Columns that C does not have are computed too, from zeros, and go nowhere. */
    MP_DEVICE void step(own *o, const float *As, const float *Bs, int k, int t)
    {
        float x = As[k * wide + t % wide];
        four b = load4(Bs + k * MP_NARROW + t / wide * chains);
        MP_UNROLL
        for (int q = 0; q < chains; q++) o->acc[q] = fma1(x, b.v[q], o->acc[q]);
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        alignas(16) MP_SHARED float As[wide * depth], Bs[depth * MP_NARROW];
        MP_OWN(own, mine);
        MP_PHASE(t)
        {
            own *o = &MP_MINE(mine);
            int i = block * wide + t % wide;
            fetch(o, c, i, 0, t);
            MP_UNROLL
            for (int q = 0; q < chains; q++) {
                int j = t / wide * chains + q;
                bool inside = i < c.M && j < c.N;
                o->acc[q] = !inside ? 0 : c.add ? c.C[area(i, c.N) + (size_t)j] : c.bias ? c.bias[j] : 0;
            }
        }
        for (int k0 = 0; k0 < c.K; k0 += depth) {
            MP_PHASE(t)
            {
                place(As, Bs, &MP_MINE(mine), t);
            }
            MP_PHASE(t)
            {
                own *o = &MP_MINE(mine);
                if (k0 + depth < c.K) fetch(o, c, block * wide + t % wide, k0 + depth, t);
                if (t / wide * chains >= c.N) continue;
                if (k0 + depth <= c.K) {
                    MP_UNROLL_BY(16)
                    for (int k = 0; k < depth; k++) step(o, As, Bs, k, t);
                } else
                    for (int k = 0; k < c.K - k0; k++) step(o, As, Bs, k, t);
            }
        }
        MP_ALONE(t)
        {
            const own *o = &MP_MINE(mine);
            int i = block * wide + t % wide;
            MP_UNROLL
            for (int q = 0; q < chains; q++) {
                int j = t / wide * chains + q;
                if (i < c.M && j < c.N) c.C[area(i, c.N) + (size_t)j] = c.relu ? relu1(o->acc[q]) : o->acc[q];
            }
        }
    }
};

#endif
