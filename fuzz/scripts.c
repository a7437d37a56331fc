/* scripts.c - a fuzz target as a test: random bytes of many lengths, the same in every run. Usage: scripts COUNT
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    uint8_t data[256];
    for (long i = 0; i < count; i++) {
        mp_rng r = mp_rng_stream(1, MP_FOR_TEST, (uint64_t)i, 0, 0);
        size_t n = (size_t)mp_rng_below(&r, (int)sizeof data);
        for (size_t k = 0; k < n; k++) data[k] = (uint8_t)mp_rng_below(&r, 256);
        LLVMFuzzerTestOneInput(data, n);
    }
    printf("%ld scripts\n", count);
    return 0;
}
