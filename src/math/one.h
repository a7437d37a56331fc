/* one.h - single numbers, single rows: what the kernels of the processor loop over and those of a GPU launch. One text for both, so
 * that equal bits follow.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ONE_H
#define MP_ONE_H

#include "base/api.h"
#include "math/kernels.h"

#include <math.h>

MP_ANYWHERE mp_real fma1(mp_real a, mp_real b, mp_real c)
{
#ifdef __CUDA_ARCH__
    return __fmaf_rn(a, b, c);
#elif defined(MP_DOUBLE)
    return __builtin_fma(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
}

MP_ANYWHERE mp_real sqrt1(mp_real a)
{
#ifdef MP_DOUBLE
    return sqrt(a);
#else
    return sqrtf(a);
#endif
}

MP_ANYWHERE mp_real max1(mp_real a, mp_real b)
{
    return a > b ? a : b;
}

MP_ANYWHERE mp_real relu1(mp_real a)
{
    return a < 0 ? 0 : a;
}

/* The derivative of an activation as a function of its output. */
MP_ANYWHERE mp_real act_slope(mp_real y, mp_act act)
{
    switch (act) {
    case MP_ACT_RELU:
        return y > 0 ? (mp_real)1 : (mp_real)0;
    case MP_ACT_TANH:
        return (mp_real)1 - y * y;
    case MP_ACT_SIGMOID:
        return y * ((mp_real)1 - y);
    case MP_ACT_LEAKY:
        return y > 0 ? (mp_real)1 : MP_LEAKY_SLOPE;
    case MP_ACT_NONE:
        break;
    }
    return 1;
}

/* One over the root of a degree. */
MP_ANYWHERE mp_real inverse_root(mp_real d)
{
    return d > 0 ? 1 / sqrt1(d) : 0;
}

MP_ANYWHERE mp_real edge_weight(const mp_csr *g, int e)
{
    return g->w ? g->w[e] : (mp_real)1;
}

/* The self loop of v, or -1. */
MP_ANYWHERE int loop_of(const mp_csr *g, int v)
{
    int from = g->row_ptr[v], to = g->row_ptr[v + 1];
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (g->col[middle] < v)
            from = middle + 1;
        else
            to = middle;
    }
    return from < g->row_ptr[v + 1] && g->col[from] == v ? from : -1;
}

/* What a gradient counts whose parts have these sums of squares. */
MP_ANYWHERE mp_real clipped(const double *squares, double most, int n)
{
    double norm = 0;
    for (int i = 0; i < n; i++) norm += squares[i];
    norm = sqrt(norm);
    return norm > most ? (mp_real)(most / (norm + 1e-6)) : 1;
}

/* The key of a row of scores. */
MP_ANYWHERE mp_real combined(const mp_real *s, int D, bool flip, mp_key_kind kind)
{
    mp_real key = kind == MP_KEY_MAX ? -(mp_real)INFINITY : 0;
    for (int d = 0; d < D; d++) {
        mp_real f = flip && s[d] < 0 ? -s[d] : s[d];
        switch (kind) {
        case MP_KEY_SUM:
            key += f;
            break;
        case MP_KEY_MAX:
            key = f > key ? f : key;
            break;
        case MP_KEY_L2:
            key += f * f;
            break; /* the root is monotonic and not needed for ranking */
        }
        if (f != f) key = f;
    }
    return key;
}

/* A key that a threshold judges is as large as the columns it comes from, however many they are. */
MP_ANYWHERE mp_real averaged(mp_real key, int D, mp_key_kind kind)
{
    if (kind == MP_KEY_MAX) return key;
    mp_real mean = key / (mp_real)D;
    return kind == MP_KEY_L2 ? (mp_real)sqrt((double)mean) : mean;
}

#endif
