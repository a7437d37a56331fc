/* plain_runs.h - runs of kernels of math/plain.h (plain_runs.c).
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_PLAIN_RUNS_H
#define MP_TEST_PLAIN_RUNS_H

#include "cuda/calls.h"
#include "math/kernel_runs.h"

#include <math.h>

/* Those of kernels.h again: a kernel of calls.h without a run does not link. */
#define MP_PLAIN_RUN_DECLARE(name) void run_##name(const mp_kernels *k, mp_rig *r, trace *t);
MP_CUDA_LIST(MP_PLAIN_RUN_DECLARE)

#endif
