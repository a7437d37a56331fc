/* calibration.h - whether probabilities hold (protocol.md 4.1): of what is said with probability p, a share p should be true.
 *
 * Something said with a probability falls into one of ten bins of equal width: [0, 0.1), [0.1, 0.2), .. [0.9, 1]. A bin b of n_b
 * things has the mean of what was said, p_b, and the share that was true, t_b.
 *
 *     expected calibration error = sum_b n_b/n abs(p_b - t_b)        Brier score = 1/n sum_i (p_i - t_i)^2
 *
 * The task says which things: the class that is answered, true when it is right; every yes/no label that is known.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CALIBRATION_H
#define MP_CALIBRATION_H

#include "base/api.h"

#include <stdint.h>

MP_API_BEGIN

#define MP_BINS 10

typedef struct mp_bin {
    int64_t count;
    double said, held, squares; /* sums: of probabilities, of what was true, of (p - t)^2 */
} mp_bin;

typedef struct mp_calibration { /* zero-initialise */
    mp_bin bin[MP_BINS];
} mp_calibration;

/* Something said with probability p in 0..1, which was true or not. */
void mp_calibration_add(mp_calibration *c, double p, int held);

void mp_calibration_join(mp_calibration *c, const mp_calibration *more);

/* NAN where nothing was said. */
int64_t mp_calibration_count(const mp_calibration *c);
double mp_calibration_error(const mp_calibration *c);
double mp_calibration_brier(const mp_calibration *c);

/* Of one bin; NAN when it is empty. */
double mp_bin_said(const mp_bin *b);
double mp_bin_held(const mp_bin *b);

MP_API_END

#endif
