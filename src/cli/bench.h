/* bench.h - what the benchmarks share.
 * SPDX-License-Identifier: MIT */
#ifndef MP_BENCH_H
#define MP_BENCH_H

#include "base/crew.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "math/kernels.h"

/* Operations a second of fused multiply-adds on registers, over all threads of the crew. */
double mp_bench_fma(mp_crew *crew, const mp_kernels *k);

/* Bytes read plus bytes written a second by copies of `bytes` in each thread: best of a few rounds. */
#define MP_COPY_CACHED ((size_t)128 << 10) /* twice this stays in a core's second-level cache */
#define MP_COPY_MEMORY ((size_t)16 << 20)  /* far more than any cache has for one core        */
double mp_bench_copy(mp_crew *crew, size_t bytes);

extern const mp_cli mp_bench_epoch, mp_bench_er, mp_bench_predict, mp_bench_store;

#endif
