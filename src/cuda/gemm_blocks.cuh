/* gemm_blocks.cuh - products of blocks of rows, of graphs mostly: each is a product of gemm.cuh or gemm_thin.cuh, and all are one call.
 * A call has blocks for as many rows as the largest product has; those that a smaller one does not need end at once.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_GEMM_BLOCKS_CUH
#define MP_CUDA_GEMM_BLOCKS_CUH

#include "cuda/gemm.cuh"
#include "cuda/gemm_thin.cuh"

MP_DEVICE mp_call_gemm product_of(const mp_call_gemm_blocks &c, int i)
{
    mp_call_gemm one = {};
    one.C = c.C + area(c.of.in_c[i], c.N);
    one.A = mp_operand{ c.A.p + area(c.of.in_a[i], c.A.ld), c.A.ld, c.A.flip };
    one.B = mp_operand{ c.B.p + area(c.of.in_b[i], c.B.ld), c.B.ld, c.B.flip };
    one.M = c.of.in_c[i + 1] - c.of.in_c[i];
    one.N = c.N;
    one.K = c.A.flip ? c.of.in_a[i + 1] - c.of.in_a[i] : c.K;
    one.add = c.add;
    return one;
}

/* Each product by the kernel P, whose blocks have `rows` rows and `cols` columns of C. */
template <class P, int rows, int cols> struct by_product {
    typedef mp_call_gemm_blocks call;
    static const int threads = P::threads, at_once = P::at_once;

    MP_BOTH int across(const call &c)
    {
        return (c.N + cols - 1) / cols;
    }

    MP_BOTH int each(const call &c)
    {
        return (c.most + rows - 1) / rows * across(c);
    }

    static int blocks(const call &c)
    {
        return c.of.count * each(c);
    }

    MP_DEVICE void run(const call &c, int block)
    {
        int place = block % each(c);
        const mp_call_gemm one = product_of(c, block / each(c));
        if (place / across(c) * rows < one.M) P::run(one, place);
    }
};

struct kernel_gemm_blocks : by_product<kernel_gemm_small, 64, 64> {
};
struct kernel_blocks_narrow : by_product<kernel_gemm_narrow, 64, MP_NARROW> {
};
struct kernel_blocks_tall : by_product<kernel_gemm_tall, kernel_gemm_tall::wide, MP_NARROW> {
};

/* The kernel that executes the products: gemm_shape of each. */
inline mp_cuda_kernel blocks_shape(const mp_call_gemm_blocks &c)
{
    if (c.N > MP_NARROW) return MP_CUDA_gemm_blocks;
    if (c.A.flip) return MP_CUDA_blocks_tall;
    return c.K > 0 ? MP_CUDA_blocks_narrow : MP_CUDA_gemm_blocks;
}

#endif
