/* yaml.h - configuration files: one mapping, each key with a value or a list of values.
 *
 *     pool: sag            # name: value
 *     score-dim: [1, 5]    # a list, where the reader of the file allows one
 *     lr: {from: 1e-4, to: 1e-1}    # parts with names, the same
 * SPDX-License-Identifier: MIT */
#ifndef MP_YAML_H
#define MP_YAML_H

#include "base/text.h"

typedef struct mp_yaml_entry {
    const char *key;
    int line;
    bool list;
    int count; /* values: 1 unless it is a list or has parts */
    const char *const *value;
    const char *const *part; /* names of the values; NULL: it has no parts */
} mp_yaml_entry;

typedef struct mp_yaml {
    int count;
    const mp_yaml_entry *entry;
} mp_yaml;

/* `name` opens the message of a failure: "grid.yaml:3: ...". A key twice, nesting, aliases, or a second
 * document is an error. */
MP_MUST mp_err mp_yaml_parse(mp_span text, const char *name, mp_arena *a, mp_yaml *out);
MP_MUST mp_err mp_yaml_load(const char *path, mp_arena *a, mp_yaml *out);

#endif
