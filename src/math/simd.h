/* simd.h - one vector type and a dozen operations, for the instruction set this file is compiled for. The base set
 * has vectors of one element, so the same source is its own scalar reference.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SIMD_H
#define MP_SIMD_H

#include "math/one.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#if !defined(MP_DOUBLE) && defined(__AVX512F__) && defined(__AVX512VL__)
#include <immintrin.h>
#define VW 16
typedef __m512 vec;
#define vload(p)             _mm512_loadu_ps(p)
#define vstore(p, a)         _mm512_storeu_ps((p), (a))
#define vpart(n)             ((__mmask16)((1u << (n)) - 1)) /* the first n numbers, n < VW */
#define vload_part(p, n)     _mm512_maskz_loadu_ps(vpart(n), (p))
#define vstore_part(p, n, a) _mm512_mask_storeu_ps((p), vpart(n), (a))
#define vstream(p, a)        _mm512_stream_ps((p), (a)) /* past the caches; the address a multiple of 64 */
#define vstreamed()          _mm_sfence()               /* before another thread reads it                */
#define vset(x)              _mm512_set1_ps(x)
#define vfma(a, b, c)        _mm512_fmadd_ps((a), (b), (c))
#define vadd(a, b)           _mm512_add_ps((a), (b))
#define vmul(a, b)           _mm512_mul_ps((a), (b))
#define vmax(a, b)           _mm512_max_ps((a), (b))                 /* a > b ? a : b, so b when one is NaN */
#define vrelu(a)             _mm512_max_ps(_mm512_setzero_ps(), (a)) /* this order lets NaN through */
typedef __mmask16 vmask;
typedef __m512i ivec; /* as many ints as a vector has numbers */
#define vgreater(a, b)  _mm512_cmp_ps_mask((a), (b), _CMP_GT_OQ)
#define vpick(m, a, b)  _mm512_mask_blend_ps((m), (b), (a)) /* a where m, else b */
#define ivset(x)        _mm512_set1_epi32(x)
#define ivstore(p, a)   _mm512_storeu_si512((p), (a))
#define ivpick(m, a, b) _mm512_mask_blend_epi32((m), (b), (a))
#elif !defined(MP_DOUBLE) && defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define VW                   8
typedef __m256 vec;
#define vload(p)             _mm256_loadu_ps(p)
#define vstore(p, a)         _mm256_storeu_ps((p), (a))
#define vpart(n)             _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define vload_part(p, n)     _mm256_maskload_ps((p), vpart(n))
#define vstore_part(p, n, a) _mm256_maskstore_ps((p), vpart(n), (a))
#define vstream(p, a)        _mm256_stream_ps((p), (a))
#define vstreamed()          _mm_sfence()
#define vset(x)              _mm256_set1_ps(x)
#define vfma(a, b, c)        _mm256_fmadd_ps((a), (b), (c))
#define vadd(a, b)           _mm256_add_ps((a), (b))
#define vmul(a, b)           _mm256_mul_ps((a), (b))
#define vmax(a, b)           _mm256_max_ps((a), (b))
#define vrelu(a)             _mm256_max_ps(_mm256_setzero_ps(), (a))
typedef __m256 vmask;
typedef __m256i ivec;
#define vgreater(a, b)       _mm256_cmp_ps((a), (b), _CMP_GT_OQ)
#define vpick(m, a, b)       _mm256_blendv_ps((b), (a), (m))
#define ivset(x)             _mm256_set1_epi32(x)
#define ivstore(p, a)        _mm256_storeu_si256((__m256i *)(void *)(p), (a))
#define ivpick(m, a, b)      _mm256_blendv_epi8((b), (a), _mm256_castps_si256(m))
#elif !defined(MP_DOUBLE) && defined(__ARM_NEON) && defined(MP_NEON)
#include <arm_neon.h>
#define VW                   4
typedef float32x4_t vec;
#define vload(p)             vld1q_f32(p)
#define vstore(p, a)         vst1q_f32((p), (a))
#define vload_part(p, n)     load_part((p), (n))
#define vstore_part(p, n, a) store_part((p), (n), (a))
#define vstream(p, a)        vst1q_f32((p), (a))
#define vstreamed()          ((void)0)
#define vset(x)              vdupq_n_f32(x)
#define vfma(a, b, c)        vfmaq_f32((c), (a), (b))
#define vadd(a, b)           vaddq_f32((a), (b))
#define vmul(a, b)           vmulq_f32((a), (b))
#define vmax(a, b)           larger((a), (b))
#define vrelu(a)             vbslq_f32(vcltzq_f32(a), vdupq_n_f32(0), (a))
typedef uint32x4_t vmask;
typedef int32x4_t ivec;
#define vgreater(a, b)       vcgtq_f32((a), (b))
#define vpick(m, a, b)       vbslq_f32((m), (a), (b))
#define ivset(x)             vdupq_n_s32(x)
#define ivstore(p, a)        vst1q_s32((p), (a))
#define ivpick(m, a, b)      vbslq_s32((m), (a), (b))

static inline vec larger(vec a, vec b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline vec load_part(const float *p, int n)
{
    float lane[4] = { 0 };
    for (int i = 0; i < n; i++) lane[i] = p[i];
    return vld1q_f32(lane);
}

static inline void store_part(float *p, int n, vec a)
{
    float lane[4];
    vst1q_f32(lane, a);
    for (int i = 0; i < n; i++) p[i] = lane[i];
}
#else
#define VW                   1
typedef mp_real vec;
#define vload(p)             (*(p))
#define vstore(p, a)         (*(p) = (a))
#define vload_part(p, n)     ((void)(n), *(p)) /* never */
#define vstore_part(p, n, a) ((void)(n), *(p) = (a))
#define vstream(p, a)        (*(p) = (a))
#define vstreamed()          ((void)0)
#define vset(x)              (x)
#define vfma(a, b, c)        fma1((a), (b), (c))
#define vadd(a, b)           ((a) + (b))
#define vmul(a, b)           ((a) * (b))
#define vmax(a, b)           max1((a), (b))
#define vrelu(a)             relu1(a)
typedef bool vmask;
typedef int ivec;
#define vgreater(a, b)       ((a) > (b))
#define vpick(m, a, b)       ((m) ? (a) : (b))
#define ivset(x)             (x)
#define ivstore(p, a)        (*(p) = (a))
#define ivpick(m, a, b)      ((m) ? (a) : (b))
#endif

/* Before a loop whose arrays are either apart or the very same: element i depends on elements i alone. */
#ifdef __clang__
#define SAME_INDEX_ONLY _Pragma("clang loop vectorize(assume_safety)")
#else
#define SAME_INDEX_ONLY _Pragma("GCC ivdep")
#endif

#define LANES 16

/* Folds sixteen lanes 8, 4, 2, 1 apart. */
static inline mp_real fold(const mp_real *lane)
{
    mp_real a[LANES];
    memcpy(a, lane, sizeof a);
    for (int s = LANES / 2; s > 0; s /= 2)
        for (int l = 0; l < s; l++) a[l] += a[l + s];
    return a[0];
}

/* <x, y> over n in 16 lanes: lane l has the chain over c = l, l+16, ... */
static inline mp_real dot(const mp_real *x, const mp_real *y, int n)
{
    int c = 0;
#if VW == 16
    vec a = vset(0.0f);
    for (; c + 16 <= n; c += 16) a = vfma(vload(x + c), vload(y + c), a);
    if (c < n) {
        __mmask16 rest = (__mmask16)((1u << (n - c)) - 1u);
        a = _mm512_mask3_fmadd_ps(_mm512_maskz_loadu_ps(rest, x + c), _mm512_maskz_loadu_ps(rest, y + c), a, rest);
    }
    __m256 h = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
#elif VW == 8
    vec a = vset(0.0f), b = vset(0.0f);
    for (; c + 16 <= n; c += 16) {
        a = vfma(vload(x + c), vload(y + c), a);
        b = vfma(vload(x + c + 8), vload(y + c + 8), b);
    }
    if (c < n) {
        float lane[LANES];
        vstore(lane, a);
        vstore(lane + 8, b);
        for (int l = 0; c < n; l++, c++) lane[l] = fma1(x[c], y[c], lane[l]);
        return fold(lane);
    }
    __m256 h = _mm256_add_ps(a, b);
#elif VW == 4
    vec a = vset(0.0f), b = a, d = a, e = a;
    for (; c + 16 <= n; c += 16) {
        a = vfma(vload(x + c), vload(y + c), a);
        b = vfma(vload(x + c + 4), vload(y + c + 4), b);
        d = vfma(vload(x + c + 8), vload(y + c + 8), d);
        e = vfma(vload(x + c + 12), vload(y + c + 12), e);
    }
    if (c < n) {
        float lane[LANES];
        vstore(lane, a);
        vstore(lane + 4, b);
        vstore(lane + 8, d);
        vstore(lane + 12, e);
        for (int l = 0; c < n; l++, c++) lane[l] = fma1(x[c], y[c], lane[l]);
        return fold(lane);
    }
    vec q = vadd(vadd(a, d), vadd(b, e));
    float32x2_t r = vadd_f32(vget_low_f32(q), vget_high_f32(q));
    return vget_lane_f32(r, 0) + vget_lane_f32(r, 1);
#endif
#if VW > 4
    __m128 q = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    q = _mm_add_ps(q, _mm_movehl_ps(q, q));
    q = _mm_add_ss(q, _mm_shuffle_ps(q, q, 1));
    return _mm_cvtss_f32(q);
#elif VW == 1
    mp_real lane[LANES] = { 0 };
    for (; c < n; c++) lane[c % LANES] = fma1(x[c], y[c], lane[c % LANES]);
    return fold(lane);
#endif
}

/* The name of a kernel in the set being compiled: MP_FN(gemm) is mp_v4_gemm. */
#define MP_JOIN_(a, b) mp_##a##_##b
#define MP_JOIN(a, b)  MP_JOIN_(a, b)
#define MP_FN(name)    MP_JOIN(MP_ISA, name)

#endif
