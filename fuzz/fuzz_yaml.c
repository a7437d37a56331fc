/* fuzz_yaml.c - any bytes as a configuration file.
 * SPDX-License-Identifier: MIT */
#include "cli/yaml.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mp_arena *a = mp_arena_new(4096);
    mp_yaml y;
    if (mp_yaml_parse((mp_span){ (const char *)data, size }, "fuzz.yaml", a, &y) == MP_OK) {
        for (int i = 0; i < y.count; i++)
            if (!y.entry[i].key || (!y.entry[i].list && y.entry[i].count != 1)) abort();
    }
    mp_arena_free(a);
    return 0;
}
