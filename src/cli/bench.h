/* bench.h - what the benchmarks share.
 * SPDX-License-Identifier: MIT */
#ifndef MP_BENCH_H
#define MP_BENCH_H

#include "cli/cli.h"

double mp_bench_now(void);                /* seconds, monotonic */
double mp_bench_median(double *v, int n); /* sorts v */

extern const mp_cli mp_bench_er;
extern const mp_cli mp_bench_predict;

#endif
