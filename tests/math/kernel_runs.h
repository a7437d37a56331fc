/* kernel_runs.h - for each kernel a run on random arrays that writes all outputs to a trace. A kernel of the list without a
 * run does not link.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_KERNEL_RUNS_H
#define MP_TEST_KERNEL_RUNS_H

#include "math/kernels.h"
#include "rig.h"

typedef struct trace {
    mp_arena *memory;
    float *v;
    size_t n, cap;
} trace;

void trace_reals(trace *t, const float *v, size_t n); /* NaNs are made equal: their payload is nobody's promise */
void trace_ints(trace *t, const int *v, size_t n);

/* Frees the arrays of the last run. They come from malloc, one by one, so that a memory checker sees a step too far. */
void runs_release(void);

#define MP_RUN_DECLARE(name, args) void run_##name(const mp_kernels *k, mp_rig *r, trace *t);
MP_KERNEL_LIST(MP_RUN_DECLARE)

#endif
