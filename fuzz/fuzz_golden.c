/* fuzz_golden.c - noise as a golden file: a verdict comes out, whatever goes in.
 *
 * Larger inputs are left out: a few hundred kilobytes can honestly ask for a graph whose pooling takes
 * minutes.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_golden g;
    int wrong = 0, checks = 0;
    mp_golden_run((mp_span){ (const char *)data, size }, "fuzz", MP_GOLDEN_TOLERANCE, a, &g);
    for (const mp_golden_check *q = g.first; q; q = q->next, checks++) wrong += q->wrong != NULL;
    mp_assert(checks == g.checks && wrong == g.wrong);
    mp_assert(g.verdict != MP_GOLDEN_PASSED || (wrong == 0 && checks > 0 && !g.why));
    mp_assert(g.verdict == MP_GOLDEN_PASSED || strlen(g.why) > 0);
    mp_arena_free(a);
    return 0;
}
