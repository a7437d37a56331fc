/* fuzz_safetensors.c - noise as a file of tensors. What is accepted is read to the last number, written
 * again, and must have the same tensors then.
 * SPDX-License-Identifier: MIT */
#include "model/safetensors.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const mp_tensor *t)
{
    double *wide = calloc(t->count + 1, sizeof *wide);
    mp_real *reals = calloc(t->count + 1, sizeof *reals);
    int *ints = calloc(t->count + 1, sizeof *ints);
    mp_tensor_doubles(t, wide);
    (void)!mp_tensor_reals(t, reals);
    (void)!mp_tensor_ints(t, ints);
    free(wide);
    free(reals);
    free(ints);
}

/* Writing asks that each tensor begins at a multiple of its size, which a file need not do. */
static bool is_aligned(const mp_safetensors *s)
{
    size_t at = 0;
    for (int i = 0; i < s->tensors; i++) {
        if (at % mp_dtype_size(s->tensor[i].dtype)) return false;
        at += s->tensor[i].count * mp_dtype_size(s->tensor[i].dtype);
    }
    return true;
}

static void write_and_compare(const mp_safetensors *s, mp_arena *a)
{
    mp_buf b = { 0 };
    mp_safetensors again;
    bool seal = !mp_safetensors_meta(s, MP_SEAL_KEY);
    if (!seal && s->sealed) return; /* its seal is among the metadata and does not fit the new bytes */
    mp_safetensors_write(s->tensor, s->tensors, s->meta, s->metas, seal, &b);
    mp_err e = mp_safetensors_parse((mp_span){ b.p, b.n }, "again", a, &again);
    mp_assert(e == MP_OK && again.tensors == s->tensors && again.sealed == seal);
    for (int i = 0; i < s->tensors; i++) {
        const mp_tensor *x = &s->tensor[i], *y = &again.tensor[i];
        mp_assert(strcmp(x->name, y->name) == 0 && x->dtype == y->dtype && x->count == y->count);
        mp_assert(x->count == 0 || memcmp(x->data, y->data, x->count * mp_dtype_size(x->dtype)) == 0);
    }
    mp_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mp_arena *a = mp_arena_new(1 << 16);
    mp_safetensors s;
    if (mp_safetensors_parse((mp_span){ (const char *)data, size }, "fuzz", a, &s) == MP_OK) {
        for (int i = 0; i < s.tensors; i++) read_all(&s.tensor[i]);
        if (is_aligned(&s)) write_and_compare(&s, a);
    }
    mp_arena_free(a);
    return 0;
}
