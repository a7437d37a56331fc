/* calibration.c - see calibration.h.
 * SPDX-License-Identifier: MIT */
#include "task/calibration.h"
#include "base/err.h"

#include <math.h>

/* Borders are the numbers k/10 themselves: no product decides on which side of one a probability is. */
static int bin_of(double p)
{
    int b = 0;
    while (b < MP_BINS - 1 && p >= (b + 1) / (double)MP_BINS) b++;
    return b;
}

void mp_calibration_add(mp_calibration *c, double p, int held)
{
    mp_assert(p >= 0 && p <= 1);
    mp_bin *b = &c->bin[bin_of(p)];
    b->count++;
    b->said += p;
    b->held += held;
    b->squares += (p - held) * (p - held);
}

void mp_calibration_join(mp_calibration *c, const mp_calibration *more)
{
    for (int i = 0; i < MP_BINS; i++) {
        c->bin[i].count += more->bin[i].count;
        c->bin[i].said += more->bin[i].said;
        c->bin[i].held += more->bin[i].held;
        c->bin[i].squares += more->bin[i].squares;
    }
}

int64_t mp_calibration_count(const mp_calibration *c)
{
    int64_t n = 0;
    for (int i = 0; i < MP_BINS; i++) n += c->bin[i].count;
    return n;
}

double mp_calibration_error(const mp_calibration *c)
{
    double sum = 0; /* n_b abs(p_b - t_b) is the distance between the two sums of the bin */
    for (int i = 0; i < MP_BINS; i++) sum += fabs(c->bin[i].said - c->bin[i].held);
    int64_t n = mp_calibration_count(c);
    return n ? sum / (double)n : (double)NAN;
}

double mp_calibration_brier(const mp_calibration *c)
{
    double sum = 0;
    for (int i = 0; i < MP_BINS; i++) sum += c->bin[i].squares;
    int64_t n = mp_calibration_count(c);
    return n ? sum / (double)n : (double)NAN;
}

double mp_bin_said(const mp_bin *b)
{
    return b->count ? b->said / (double)b->count : (double)NAN;
}

double mp_bin_held(const mp_bin *b)
{
    return b->count ? b->held / (double)b->count : (double)NAN;
}
