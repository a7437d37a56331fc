/* fuzz_json.c - noise as JSON. What is accepted is written again, read again, and must be the same both
 * times.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_value(mp_buf *b, const mp_json *v)
{
    char bracket = v->kind == MP_JSON_OBJECT ? '{' : '[';
    switch ((mp_json_kind)v->kind) {
    case MP_JSON_NULL:
        mp_json_put_null(b);
        return;
    case MP_JSON_BOOL:
        mp_json_put_bool(b, v->truth);
        return;
    case MP_JSON_STRING:
        mp_json_put_text(b, v->text);
        return;
    case MP_JSON_NUMBER:
        if (v->exact)
            mp_json_put_int(b, v->whole);
        else
            mp_json_put_real(b, v->number);
        return;
    case MP_JSON_ARRAY:
    case MP_JSON_OBJECT:
        break;
    }
    mp_json_open(b, bracket);
    for (const mp_json *m = v->first; m; m = m->next) {
        if (m->key) mp_json_key(b, m->key);
        write_value(b, m);
    }
    mp_json_close(b, bracket == '{' ? '}' : ']');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mp_arena *a = mp_arena_new(1 << 16);
    const mp_json *first, *second;
    if (mp_json_parse((mp_span){ (const char *)data, size }, "fuzz", a, &first) == MP_OK) {
        mp_buf once = { 0 }, twice = { 0 };
        write_value(&once, first);
        mp_err e = mp_json_parse((mp_span){ once.p, once.n }, "again", a, &second);
        mp_assert(e == MP_OK);
        write_value(&twice, second);
        mp_assert(once.n == twice.n && memcmp(once.p, twice.p, once.n) == 0);
        mp_buf_free(&once);
        mp_buf_free(&twice);
    }
    mp_arena_free(a);
    return 0;
}
