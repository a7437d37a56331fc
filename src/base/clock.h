/* clock.h - the time that passes.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLOCK_H
#define MP_CLOCK_H

#include <time.h>

/* Seconds since some moment; never goes back. */
static inline double mp_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
