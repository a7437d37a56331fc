/* grid.cuh - what makes one text a kernel of CUDA and a loop of plain C++.
 *
 * A launch executes many calls (calls.h), each with a number of blocks that follows from its sizes. A kernel is a struct with
 *     call             the struct of its arguments
 *     threads          of a block
 *     blocks(c)        how many a call needs
 *     run(c, block)    what block `block` of the call does
 * A body consists of phases: MP_PHASE(t) { ... } runs once for each thread t of the block, and no thread is in the next phase
 * before all have left this one. In the emulator that is a loop over t, so nothing may leave a phase but by its end or
 * `continue`. What a thread keeps from one phase to the next is declared with MP_OWN and used as MP_MINE(name); what the threads
 * of a block share, with MP_SHARED. MP_ALONE(t) is a phase that nobody waits for: the last one.
 *
 * Kernels of rows or elements that know nothing of each other say only what they do with one item (by_item).
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_GRID_H
#define MP_CUDA_GRID_H

#include "cuda/device.h"
#include "math/fun.h"
#include "math/one.h"

#ifdef __CUDACC__
#define MP_DEVICE          static __device__ __forceinline__
#define MP_DEVICE_OF       __device__ __forceinline__ /* a member of an object */
#define MP_BOTH            static __host__ __device__ inline
#define MP_SHARED          __shared__
#define MP_PHASE(t)        for (int t = (int)threadIdx.x, go_ = 1; go_; go_ = (__syncthreads(), 0))
#define MP_ALONE(t)        for (int t = (int)threadIdx.x, go_ = 1; go_; go_ = 0)
#define MP_OWN(type, name) type name[1]
#define MP_MINE(name)      name[0]
#define MP_UNROLL          _Pragma("unroll")
#define MP_PRAGMA(x)       _Pragma(#x)
#define MP_UNROLL_BY(n)    MP_PRAGMA(unroll n)
#else
#define MP_DEVICE    static inline
#define MP_DEVICE_OF inline
#define MP_BOTH      static inline
#define MP_SHARED
#define MP_PHASE(t)        for (int n_ = 0, t; n_ < threads && (t = turn_of(n_, threads), true); n_++)
#define MP_ALONE(t)        MP_PHASE(t)
#define MP_OWN(type, name) type name[threads]
#define MP_MINE(name)      name[t]
#define MP_UNROLL
#define MP_UNROLL_BY(n)
#endif

#ifndef __CUDACC__
/* Threads of a phase, blocks of a launch: the i-th of n. A kernel must not care in which order they come (emulate.cc). */
extern bool backwards;
static inline int turn_of(int i, int n)
{
    return backwards ? n - 1 - i : i;
}
#endif

/* What lies at an address that a kernel has found in the memory of the device, rather than in its call. */
#ifdef __CUDACC__
template <class T> MP_DEVICE T *reach(T *p)
{
    return p;
}
#else
void *reached(const void *p);
template <class T> MP_DEVICE T *reach(T *p)
{
    return (T *)reached((const void *)p);
}
#endif

/* Whole numbers that several threads change; the order does not show in the result. */
MP_DEVICE void lower_to(int *p, int value)
{
#ifdef __CUDA_ARCH__
    atomicMin(p, value);
#else
    *p = value < *p ? value : *p;
#endif
}

MP_DEVICE void raise_to(int *p, int value)
{
#ifdef __CUDA_ARCH__
    atomicMax(p, value);
#else
    *p = value > *p ? value : *p;
#endif
}

MP_DEVICE void count_up(int *p)
{
#ifdef __CUDA_ARCH__
    atomicAdd(p, 1);
#else
    ++*p;
#endif
}

/* A number that several threads take from, each another one; which one shows in no result. */
MP_DEVICE int taken(int *p)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(p, 1);
#else
    return (*p)++;
#endif
}

/* Bits of a word, which several threads set. */
MP_DEVICE void set_bit(unsigned *p, int bit)
{
#ifdef __CUDA_ARCH__
    atomicOr(p, 1u << bit);
#else
    *p |= 1u << bit;
#endif
}

MP_DEVICE int bits_in(unsigned word)
{
#ifdef __CUDA_ARCH__
    return __popc(word);
#else
    return __builtin_popcount(word);
#endif
}

/* Four numbers that lie side by side, and begin at a multiple of 16 bytes. */
struct four {
    float v[4];
};

MP_DEVICE four load4(const float *p)
{
#ifdef __CUDA_ARCH__
    float4 x = *(const float4 *)p;
    return four{ { x.x, x.y, x.z, x.w } };
#else
    return four{ { p[0], p[1], p[2], p[3] } };
#endif
}

MP_DEVICE void store4(float *p, const four &x)
{
#ifdef __CUDA_ARCH__
    *(float4 *)p = make_float4(x.v[0], x.v[1], x.v[2], x.v[3]);
#else
    for (int i = 0; i < 4; i++) p[i] = x.v[i];
#endif
}

/* Two that begin at a multiple of 8 bytes. */
struct two {
    float v[2];
};

MP_DEVICE two load2(const float *p)
{
#ifdef __CUDA_ARCH__
    float2 x = *(const float2 *)p;
    return two{ { x.x, x.y } };
#else
    return two{ { p[0], p[1] } };
#endif
}

MP_DEVICE void store2(float *p, const two &x)
{
#ifdef __CUDA_ARCH__
    *(float2 *)p = make_float2(x.v[0], x.v[1]);
#else
    for (int i = 0; i < 2; i++) p[i] = x.v[i];
#endif
}

MP_BOTH bool in_fours(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

/* Up to four columns of a row, from column c on: n of them where they lie in fours, or fewer at the end of a row. */
MP_DEVICE four load_some(const float *p, int n, bool whole)
{
    if (whole) return load4(p);
    four x = { { 0, 0, 0, 0 } };
    MP_UNROLL
    for (int i = 0; i < 4; i++)
        if (i < n) x.v[i] = p[i];
    return x;
}

MP_DEVICE void store_some(float *p, int n, bool whole, const four &x)
{
    if (whole) {
        store4(p, x);
        return;
    }
    MP_UNROLL
    for (int i = 0; i < 4; i++)
        if (i < n) p[i] = x.v[i];
}

MP_BOTH size_t area(int rows, int cols)
{
    return (size_t)rows * (size_t)cols;
}

/* Items of rows x cols in pieces of four columns. */
MP_BOTH size_t pieces(int rows, int cols)
{
    return area(rows, (cols + 3) / 4);
}

struct piece {
    int row, col, n; /* columns col .. col+n-1 */
};

MP_DEVICE piece piece_of(size_t i, int cols)
{
    unsigned q = ((unsigned)cols + 3) / 4; /* 32 bits: a division of 64 takes longer than the work */
    int row = (int)((unsigned)i / q), col = 4 * (int)((unsigned)i % q);
    return piece{ row, col, cols - col < 4 ? cols - col : 4 };
}

inline int blocks_for(size_t items, size_t each)
{
    return (int)((items + each - 1) / each);
}

/* K has items(c) and one(c, i); a thread takes `per` of them. */
template <class K, class C, int per = 1> struct by_item {
    typedef C call;
    static const int threads = 256, at_once = 1;

    static int blocks(const C &c)
    {
        return blocks_for(K::items(c), (size_t)per * threads);
    }

    MP_DEVICE void run(const C &call_, int block)
    {
        const C c = call_; /* in registers: what is stored might be the call, for all the compiler knows */
        size_t n = K::items(c);
        MP_ALONE(t)
        {
            MP_UNROLL
            for (int k = 0; k < per; k++) {
                size_t i = ((size_t)block * per + (size_t)k) * threads + (size_t)t;
                if (i < n) K::one(c, i);
            }
        }
    }
};

/* Kernels of one block a call, unless they say how many. */
template <class C> struct by_call {
    typedef C call;
    static const int threads = 256, at_once = 1;

    static int blocks(const C &c)
    {
        (void)c;
        return 1;
    }

    /* The sums of v[0..t] for each thread t, in place; v has room for twice as many numbers as there are threads. */
    MP_DEVICE void scan(int *v)
    {
        int now = 0;
        for (int s = 1; s < threads; s *= 2) { /* an even number of times */
            MP_PHASE(t)
            {
                v[threads - now + t] = v[now + t] + (t >= s ? v[now + t - s] : 0);
            }
            now = threads - now;
        }
    }
};

/* The range of ptr[0..n] that `at` lies in. */
MP_DEVICE int range_of(const int *ptr, int n, int at)
{
    int from = 0, to = n;
    while (to - from > 1) {
        int middle = (from + to) / 2;
        if (ptr[middle] <= at)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* sum, and the numbers x[0..n-1] in their order; x lies in shared memory, and many are read at a time. */
template <class T> MP_DEVICE T in_order(T sum, const T *x, int n)
{
    const int ahead = 32;
    int i = 0;
    for (; i + ahead <= n; i += ahead) {
        T y[ahead];
        MP_UNROLL
        for (int q = 0; q < ahead; q++) y[q] = x[i + q];
        MP_UNROLL
        for (int q = 0; q < ahead; q++) sum += y[q];
    }
    for (; i < n; i++) sum += x[i];
    return sum;
}

/* Sixteen lanes folded 8, 4, 2, 1 apart. */
template <class T> MP_DEVICE T fold16(const T *lane)
{
    T a[8];
    MP_UNROLL
    for (int l = 0; l < 8; l++) a[l] = lane[l] + lane[l + 8];
    MP_UNROLL
    for (int l = 0; l < 4; l++) a[l] += a[l + 4];
    return (a[0] + a[2]) + (a[1] + a[3]);
}

#endif
