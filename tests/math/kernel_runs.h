/* kernel_runs.h - for each kernel a run on random arrays that writes all outputs to a trace. A kernel of the list without a
 * run does not link.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_KERNEL_RUNS_H
#define MP_TEST_KERNEL_RUNS_H

#include "math/kernels.h"
#include "rig.h"

typedef enum trace_kind { TRACE_REALS, TRACE_DOUBLES, TRACE_INTS, TRACE_MARKS } trace_kind;
typedef struct trace_span {
    trace_kind kind;
    const void *p;
    size_t n;
} trace_span;

typedef struct trace {
    mp_arena *memory;
    float *v;
    size_t n, cap;
    bool later;       /* calls are executed later: places are noted, and read by trace_settle */
    trace_span *span; /* those */
    size_t spans, span_cap;
} trace;

void trace_reals(trace *t, const float *v, size_t n); /* NaNs are made equal: their payload is nobody's promise */
void trace_doubles(trace *t, const double *v, size_t n);
void trace_ints(trace *t, const int *v, size_t n);
void trace_marks(trace *t, const bool *v, size_t n);
void trace_settle(trace *t);

/* Arrays of a run come from malloc, one by one, so that a memory checker sees a step too far; or from what is put in its place.
 * `get` returns zeros. */
typedef struct runs_memory {
    void *(*get)(size_t bytes);
    void (*put)(void *p);
} runs_memory;
extern runs_memory runs_memory_in_use;
void runs_release(void); /* those of the last run */

/* What runs draw: arrays, sizes that are odd, zero and large, and below nine, heads or tails. */
void *runs_room(size_t count, size_t each);
float *runs_reals(mp_rig *r, size_t n);
int runs_size(mp_rig *r);
int runs_rows(mp_rig *r); /* now and then more than a block of a GPU reads at a time */
int runs_small(mp_rig *r);
bool runs_coin(mp_rig *r);

#define MP_RUN_DECLARE(name, args) void run_##name(const mp_kernels *k, mp_rig *r, trace *t);
MP_KERNEL_LIST(MP_RUN_DECLARE)

#endif
