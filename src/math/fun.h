/* fun.h - exp, tanh, log, sigmoid and sums of squares from arithmetic alone, so that their bits are the same on every machine. Errors
 * are at most 2 units in the last place over the whole range (sigmoid 3: it inherits exp's and rounds twice more). The
 * double build, which exists to check derivatives against differences, takes libm's.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FUN_H
#define MP_FUN_H

#include "math/one.h"

#include <stdint.h>
#include <string.h>

#ifdef MP_DOUBLE
MP_ANYWHERE double exp1(double x)
{
    return exp(x);
}
MP_ANYWHERE double log1(double x)
{
    return log(x);
}
MP_ANYWHERE double tanh1(double x)
{
    return tanh(x);
}
#else

MP_ANYWHERE float from_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

MP_ANYWHERE uint32_t to_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln(2)/2. Below -87.3 the result is 0, above 88.7 infinity. */
MP_ANYWHERE float exp1(float x)
{
    const float shift = 12582912.0f;                             /* 1.5 * 2^23: adding it rounds to a whole number */
    float clipped = x > 89.0f ? 89.0f : x > -89.0f ? x : -89.0f; /* NaN too: it must not reach the cast to int */
    float n = fma1(clipped, 1.44269504088896341f, shift) - shift;
    float r = fma1(n, -0.693145751953125f, clipped); /* ln 2 in two parts: r stays exact */
    r = fma1(n, -1.42860682030941723e-6f, r);
    float p = 1.9875691500e-4f;
    p = fma1(p, r, 1.3981999507e-3f);
    p = fma1(p, r, 8.3334519073e-3f);
    p = fma1(p, r, 4.1665795894e-2f);
    p = fma1(p, r, 1.6666665459e-1f);
    p = fma1(p, r, 5.0000001201e-1f);
    p = fma1(p, r * r, r + 1.0f);
    int32_t k = (int32_t)n;
    float half = from_bits((uint32_t)(127 + k / 2) << 23), rest = from_bits((uint32_t)(127 + k - k / 2) << 23);
    float y = p * half * rest; /* in two steps: 2^128 is no float */
    y = x < -87.3365f ? 0.0f : y;
    return x == x ? y : x;
}

/* log(x) for normal x > 0: x = m 2^e, m in [sqrt 1/2, sqrt 2). */
MP_ANYWHERE float log1(float x)
{
    uint32_t u = to_bits(x);
    int32_t e = (int32_t)(u - 0x3f3504f3u) >> 23; /* 0x3f3504f3 is sqrt 1/2 */
    float m = from_bits(u - ((uint32_t)e << 23)), f = m - 1.0f, z = f * f;
    float p = 7.0376836292e-2f;
    p = fma1(p, f, -1.1514610310e-1f);
    p = fma1(p, f, 1.1676998740e-1f);
    p = fma1(p, f, -1.2420140846e-1f);
    p = fma1(p, f, 1.4249322787e-1f);
    p = fma1(p, f, -1.6668057665e-1f);
    p = fma1(p, f, 2.0000714765e-1f);
    p = fma1(p, f, -2.4999993993e-1f);
    p = fma1(p, f, 3.3333331174e-1f);
    float k = (float)e;
    float y = fma1(f * z, p, fma1(k, -2.12194440e-4f, z * -0.5f));
    return fma1(k, 0.693359375f, f + y);
}

/* tanh: an odd polynomial near 0, elsewhere 1 - 2/(exp(2|x|) + 1). */
MP_ANYWHERE float tanh1(float x)
{
    float a = x < 0 ? -x : x, z = x * x;
    float p = -5.70498872745e-3f;
    p = fma1(p, z, 2.06390887954e-2f);
    p = fma1(p, z, -5.37397155531e-2f);
    p = fma1(p, z, 1.33314422036e-1f);
    p = fma1(p, z, -3.33332819422e-1f);
    float near = fma1(p * z, x, x);
    float far = 1.0f - 2.0f / (exp1(2.0f * (a < 20.0f ? a : 20.0f)) + 1.0f);
    far = x < 0 ? -far : far;
    float y = a < 0.625f ? near : far;
    return x == x ? y : x;
}
#endif

/* The sum of a[i]^2 in double, in eight chains over i mod 8: one would wait for itself. */
MP_ANYWHERE double squares(const mp_real *a, size_t n)
{
    double part[8] = { 0 };
    for (size_t i = 0; i + 8 <= n; i += 8)
        for (size_t l = 0; l < 8; l++) part[l] += (double)a[i + l] * (double)a[i + l];
    for (size_t i = n / 8 * 8; i < n; i++) part[i % 8] += (double)a[i] * (double)a[i];
    return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

MP_ANYWHERE mp_real sigmoid1(mp_real x)
{
    return (mp_real)1 / ((mp_real)1 + exp1(-x));
}

#endif
