/* adam.c - see adam.h.
 * SPDX-License-Identifier: MIT */
#include "nn/adam.h"

#include <math.h>

#define BETA2   0.999
#define EPSILON 1e-8

static double power(double base, int64_t n)
{
    double result = 1;
    for (; n > 0; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return result;
}

mp_adam mp_adam_for(const mp_config *conf, double rate, int64_t t)
{
    return (mp_adam){ (mp_real)(conf->lr * rate / (1 - power(conf->beta1, t))),
                      (mp_real)(1 / sqrt(1 - power(BETA2, t))),
                      (mp_real)conf->beta1,
                      (mp_real)BETA2,
                      (mp_real)EPSILON,
                      (mp_real)conf->weight_decay,
                      (mp_real)(1 - conf->beta1),
                      (mp_real)(1 - BETA2),
                      false };
}
