/* fuzz_split.c - noise as folds. The first byte chooses: JSON, or index files with form feeds between, train
 * and test in turn. Whatever is accepted must keep training, validation and test apart.
 * SPDX-License-Identifier: MIT */
#include "data/split.h"

#include <stdint.h>
#include <string.h>

enum { GRAPHS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mp_err parse_files(mp_span rest, mp_arena *a, mp_folds *f)
{
    mp_fold_text *t = MP_NEW(a, mp_fold_text, 1);
    t->where = "fuzz";
    for (int i = 0; i < 2 * MP_MAX_FOLDS && rest.n; i++) {
        const char *end = memchr(rest.p, '\f', rest.n);
        size_t n = end ? (size_t)(end - rest.p) : rest.n, step = end ? n + 1 : n;
        (i % 2 ? t->test : t->train)[i / 2] = (mp_span){ rest.p, n };
        rest = (mp_span){ rest.p + step, rest.n - step };
    }
    return mp_folds_parse(t, GRAPHS, a, f);
}

static void mark(int *role, const int *list, int n)
{
    mp_assert(n > 0);
    for (int i = 0; i < n; i++) {
        mp_assert(list[i] >= 0 && list[i] < GRAPHS && role[list[i]] == 0);
        role[list[i]] = 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_span rest = { (const char *)data + 1, size - 1 };
    mp_folds f;
    mp_err e = data[0] == '{' ? mp_folds_parse_json((mp_span){ (const char *)data, size }, "fuzz", GRAPHS, a, &f)
                              : parse_files(rest, a, &f);
    for (int i = 0; e == MP_OK && i < f.count; i++) {
        int role[GRAPHS] = { 0 };
        mark(role, f.split[i].train, f.split[i].n_train);
        mark(role, f.split[i].val, f.split[i].n_val);
        mark(role, f.split[i].test, f.split[i].n_test);
    }
    mp_arena_free(a);
    return 0;
}
