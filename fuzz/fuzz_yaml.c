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
        for (int i = 0; i < y.count; i++) {
            const mp_yaml_entry *e = &y.entry[i];
            if (!e->key || (!e->list && !e->part && e->count != 1) || (e->list && e->part)) abort();
            for (int k = 0; k < e->count; k++)
                if (!e->value[k] || (e->part && !e->part[k])) abort();
        }
    }
    mp_arena_free(a);
    return 0;
}
