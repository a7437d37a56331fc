/* turn.h - cosine and sine of half turns, by a series of our own, so that their bits are the same on every machine.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TURN_H
#define MP_TURN_H

/* cos(pi x) for x in -2 .. 2: the error of the series is below 1e-18 up to a quarter turn. */
static inline double mp_cos_pi(double x)
{
    double sign = 1;
    if (x < 0) x = -x;
    if (x > 1) x = 2 - x;
    if (x > 0.5) {
        x = 1 - x;
        sign = -1;
    }
    double angle = 3.14159265358979323846 * x, z = -angle * angle, term = 1, sum = 1;
    for (int k = 1; k <= 12; k++) {
        term *= z / ((2.0 * k - 1) * (2.0 * k));
        sum += term;
    }
    return sign * sum;
}

/* sin(pi x) for x in -1.5 .. 2. */
static inline double mp_sin_pi(double x)
{
    return mp_cos_pi(x - 0.5);
}

#endif
