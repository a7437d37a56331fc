/* dispatch.c - which kernels this machine runs.
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"

#include <stdlib.h>
#include <string.h>

extern const mp_kernels mp_base_kernels;
#ifdef MP_HAS_v3 /* which sets there are is the build's business; double numbers have the base alone */
extern const mp_kernels mp_v3_kernels;
#endif
#ifdef MP_HAS_v4
extern const mp_kernels mp_v4_kernels;
#endif
#ifdef MP_HAS_neon /* every 64-bit ARM has it */
extern const mp_kernels mp_neon_kernels;
#endif

static bool always(void)
{
    return true;
}

#ifdef MP_HAS_v3
static bool has_v3(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
#endif

#ifdef MP_HAS_v4
static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

static const struct {
    const mp_kernels *table;
    bool (*here)(void);
} sets[] = {
#ifdef MP_HAS_v4
    { &mp_v4_kernels, has_v4 },
#endif
#ifdef MP_HAS_v3
    { &mp_v3_kernels, has_v3 },
#endif
#ifdef MP_HAS_neon
    { &mp_neon_kernels, always },
#endif
    { &mp_base_kernels, always },
};

const mp_kernels *mp_kernels_named(const char *isa)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if ((!isa || strcmp(sets[i].table->isa, isa) == 0) && sets[i].here()) return sets[i].table;
    return NULL;
}

const mp_kernels *mp_kernels_get(void)
{
    const char *asked = getenv("MIDPOOL_ISA");
#ifdef MP_DOUBLE
    asked = NULL;
#endif
    return mp_kernels_named(asked && *asked ? asked : NULL);
}

size_t mp_gemm_work(int M, int N, int K)
{
    size_t n = (size_t)N, panel = 32 * (size_t)(K < 192 ? K : 192);    /* as large as gemm.c's are anywhere */
    return panel + (n <= MP_NARROW ? n * ((size_t)K + (size_t)M) : 0); /* B or C turned round */
}
