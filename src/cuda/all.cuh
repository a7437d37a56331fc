/* all.cuh - every kernel of calls.h, and the call that a block of a launch belongs to.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_ALL_CUH
#define MP_CUDA_ALL_CUH

#include "cuda/baselines.cuh"
#include "cuda/closeness.cuh"
#include "cuda/columns.cuh"
#include "cuda/edges.cuh"
#include "cuda/elements.cuh"
#include "cuda/features.cuh"
#include "cuda/gemm.cuh"
#include "cuda/gemm_blocks.cuh"
#include "cuda/gemm_few.cuh"
#include "cuda/gemm_thin.cuh"
#include "cuda/graph.cuh"
#include "cuda/keep.cuh"
#include "cuda/losses.cuh"
#include "cuda/meet.cuh"
#include "cuda/norms.cuh"
#include "cuda/rows.cuh"
#include "cuda/sums.cuh"

template <class K> static int blocks_of(const void *call)
{
    return K::blocks(*(const typename K::call *)call);
}

/* mp_device.blocks of both implementations. */
static int blocks_needed(mp_cuda_kernel *kernel, const void *call, int runs)
{
    typedef int (*needs)(const void *);
#define MP_NEEDS(name) blocks_of<kernel_##name>,
    static const needs table[MP_CUDA_KERNELS] = { MP_CUDA_ALL(MP_NEEDS) };
#undef MP_NEEDS
    if (*kernel == MP_CUDA_gemm) *kernel = gemm_shape(*(const mp_call_gemm *)call, runs);
    if (*kernel == MP_CUDA_gemm_blocks) *kernel = blocks_shape(*(const mp_call_gemm_blocks *)call);
    return table[*kernel](call);
}

#endif
