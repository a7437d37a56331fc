/* api.h - what the shared library shows: all that headers for parts of one's own (midpool/operator.h) declare between the two.
 * Everything else is hidden; a test compares the names.
 * SPDX-License-Identifier: MIT */
#ifndef MP_API_H
#define MP_API_H

#define MP_API_BEGIN _Pragma("GCC visibility push(default)")
#define MP_API_END   _Pragma("GCC visibility pop")

/* A small function of a header that kernels of a GPU call too. */
#ifdef __CUDACC__
#define MP_ANYWHERE static __host__ __device__ inline
#else
#define MP_ANYWHERE static inline
#endif

#endif
