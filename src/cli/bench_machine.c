/* bench_machine.c - what the machine can do, measured: multiply-adds on registers, copies in cache and in memory.
 * SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "base/clock.h"

#include <string.h>

#define PEAK_ROUNDS 20000
#define COPY_TOTAL  ((size_t)32 << 20) /* bytes a thread copies in a round */

static void peak_work(void *arg, int index, int worker)
{
    mp_real io[2] = { 0.5f, 0.25f };
    (void)index;
    (void)worker;
    ((const mp_kernels *)arg)->peak(io, PEAK_ROUNDS);
}

double mp_bench_fma(mp_crew *crew, const mp_kernels *k)
{
    double best = 0;
    int n = mp_crew_size(crew);
    for (int i = 0; i < 7; i++) {
        double t = mp_seconds();
        mp_crew_run(crew, n, peak_work, (void *)(uintptr_t)k);
        double rate = (double)n * PEAK_ROUNDS * MP_PEAK_FLOPS / (mp_seconds() - t);
        best = rate > best ? rate : best;
    }
    return best;
}

typedef struct copy_job {
    char *from, *to;
    size_t bytes;
} copy_job;

static void copy_work(void *arg, int index, int worker)
{
    copy_job *j = (copy_job *)arg + index;
    (void)worker;
    for (size_t done = 0; done < COPY_TOTAL; done += j->bytes) memcpy(j->to, j->from, j->bytes);
}

double mp_bench_copy(mp_crew *crew, size_t bytes)
{
    int n = mp_crew_size(crew);
    mp_arena *a = mp_arena_new(4096);
    copy_job *jobs = MP_NEW(a, copy_job, n);
    for (int i = 0; i < n; i++) jobs[i] = (copy_job){ MP_NEW(a, char, bytes), MP_NEW(a, char, bytes), bytes };
    double best = 0;
    for (int r = 0; r < 5; r++) {
        double t = mp_seconds();
        mp_crew_run(crew, n, copy_work, jobs);
        double rate = 2.0 * n * COPY_TOTAL / (mp_seconds() - t);
        best = rate > best ? rate : best;
    }
    mp_arena_free(a);
    return best;
}
