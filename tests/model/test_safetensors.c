/* test_safetensors.c - files read back as written; every wrong header is refused; no flipped byte of a
 * sealed file goes unseen.
 * SPDX-License-Identifier: MIT */
#include "model/safetensors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static mp_arena *arena;

static const float weight[6] = { 1, -2, 0.5F, 3e-20F, -0.0F, 7 };
static const int64_t index64[2] = { 5, -1 };
static const mp_tensor sample[] = {
    { "index", MP_DTYPE_I64, 1, { 2 }, 2, index64 },
    { "conv.weight", MP_DTYPE_F32, 2, { 2, 3 }, 6, weight },
    { "empty", MP_DTYPE_F32, 2, { 0, 4 }, 0, weight },
    { "scale", MP_DTYPE_F32, 0, { 0 }, 1, weight + 2 },
};
static const mp_meta sample_meta[] = { { "midpool", "{\"pool\":\"sag\"}" }, { "note", "caf\xC3\xA9" } };

static mp_buf written(bool seal)
{
    mp_buf b = { 0 };
    mp_safetensors_write(sample, 4, sample_meta + !seal, 1 + seal, seal, &b);
    return b;
}

static void a_file_reads_back_as_it_was_written(void **state)
{
    (void)state;
    for (int seal = 0; seal < 2; seal++) {
        mp_buf b = written(seal);
        mp_safetensors s;
        assert_int_equal(mp_safetensors_parse((mp_span){ b.p, b.n }, "m", arena, &s), MP_OK);
        assert_int_equal(s.tensors, 4);
        assert_int_equal(s.sealed, seal);
        assert_string_equal(mp_safetensors_meta(&s, "note"), "caf\xC3\xA9");
        assert_null(mp_safetensors_meta(&s, "nothing"));
        const mp_tensor *t;
        const int64_t shape[] = { 2, -1 };
        assert_int_equal(mp_safetensors_need(&s, "conv.weight", 2, shape, &t), MP_OK);
        assert_memory_equal(t->data, weight, sizeof weight);
        assert_int_equal((uintptr_t)((const char *)t->data - b.p) % 4, 0);
        double wide[6];
        mp_real reals[6];
        int ints[2];
        mp_tensor_doubles(t, wide);
        assert_int_equal(mp_tensor_reals(t, reals), MP_OK);
        for (int i = 0; i < 6; i++) assert_true(wide[i] == (double)weight[i] && (double)reals[i] == wide[i]);
        assert_int_equal(mp_tensor_ints(mp_safetensors_find(&s, "index"), ints), MP_OK);
        assert_true(ints[0] == 5 && ints[1] == -1);
        assert_int_equal(mp_safetensors_find(&s, "scale")->dims, 0);
        assert_int_equal(mp_safetensors_find(&s, "empty")->count, 0);
        mp_buf_free(&b);
    }
}

static void a_missing_tensor_or_shape_is_named(void **state)
{
    (void)state;
    mp_buf b = written(true);
    mp_safetensors s;
    const mp_tensor *t;
    assert_int_equal(mp_safetensors_parse((mp_span){ b.p, b.n }, "m", arena, &s), MP_OK);
    assert_int_equal(mp_safetensors_need(&s, "conv.bias", 1, (const int64_t[]){ 2 }, &t), MP_ERR_INPUT);
    assert_string_equal(mp_message(), "tensor 'conv.bias' is missing");
    assert_int_equal(mp_safetensors_need(&s, "conv.weight", 1, (const int64_t[]){ 2 }, &t), MP_ERR_INPUT);
    assert_int_equal(mp_safetensors_need(&s, "conv.weight", 2, (const int64_t[]){ 2, 4 }, &t), MP_ERR_INPUT);
    assert_string_equal(mp_message(), "dimension 2 of tensor 'conv.weight' is 3, not 4");
    mp_buf_free(&b);
}

static void the_same_content_gives_the_same_bytes(void **state)
{
    (void)state;
    mp_buf a = written(true), b = { 0 };
    mp_buf_puts(&b, "before"); /* the buffer need not be empty */
    mp_safetensors_write(sample, 4, sample_meta, 2, true, &b);
    assert_int_equal(b.n, a.n + 6);
    assert_memory_equal(b.p + 6, a.p, a.n);
    uint64_t header;
    memcpy(&header, a.p, 8);
    assert_int_equal(header % 8, 0);
    mp_buf_free(&a);
    mp_buf_free(&b);
}

/* Parses a copy in a block of its own size, so that the sanitizer sees the first byte too many. */
static mp_err parse_copy(const char *p, size_t n, mp_safetensors *s)
{
    char *copy = malloc(n ? n : 1);
    memcpy(copy, p, n);
    mp_arena_mark mark = mp_arena_here(arena);
    mp_err e = mp_safetensors_parse((mp_span){ copy, n }, "m", arena, s);
    if (e == MP_OK) { /* touch all that was promised */
        for (int i = 0; i < s->tensors; i++) {
            double *v = calloc(s->tensor[i].count + 1, sizeof *v);
            mp_tensor_doubles(&s->tensor[i], v);
            free(v);
        }
    }
    mp_arena_back(arena, mark);
    free(copy);
    return e;
}

static void every_flipped_bit_of_a_sealed_file_is_seen(void **state)
{
    (void)state;
    mp_buf b = written(true);
    mp_safetensors s;
    for (size_t i = 0; i < b.n; i++) {
        for (int bit = 0; bit < 9; bit++) { /* each bit alone, then all of them */
            char change = (char)(bit == 8 ? 0xFF : 1 << bit);
            b.p[i] ^= change;
            if (parse_copy(b.p, b.n, &s) == MP_OK) fail_msg("byte %zu with bit %d flipped is taken", i, bit);
            b.p[i] ^= change;
        }
    }
    assert_int_equal(parse_copy(b.p, b.n, &s), MP_OK);
    mp_buf_free(&b);
}

static void every_flipped_bit_of_a_plain_file_is_survived(void **state)
{
    (void)state;
    mp_buf b = written(false);
    mp_safetensors s;
    for (size_t i = 0; i < b.n; i++) {
        for (int bit = 0; bit < 8; bit++) {
            b.p[i] ^= (char)(1 << bit);
            (void)!parse_copy(b.p, b.n, &s);
            b.p[i] ^= (char)(1 << bit);
        }
    }
    mp_buf_free(&b);
}

static void a_truncated_file_is_refused(void **state)
{
    (void)state;
    mp_buf b = written(true);
    mp_safetensors s;
    for (size_t n = 0; n < b.n; n++) assert_int_not_equal(parse_copy(b.p, n, &s), MP_OK);
    mp_buf_puts(&b, "x");
    assert_int_not_equal(parse_copy(b.p, b.n, &s), MP_OK);
    mp_buf_free(&b);
}

static mp_err parse_header(const char *header, size_t data_bytes, mp_safetensors *s)
{
    mp_buf b = { 0 };
    uint64_t n = strlen(header);
    mp_buf_add(&b, &n, 8);
    mp_buf_puts(&b, header);
    for (size_t i = 0; i < data_bytes; i++) mp_buf_add(&b, "\1", 1);
    mp_err e = parse_copy(b.p, b.n, s);
    mp_buf_free(&b);
    return e;
}

#define ENTRY(type, shape, from, to) "{\"dtype\":\"" type "\",\"shape\":[" shape "],\"data_offsets\":[" from "," to "]}"

static void wrong_headers_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t data;
        const char *message; /* NULL: is fine */
    } cases[] = {
        { "{}", 0, NULL },
        { "{}", 1, "1 bytes at the end belong to no tensor" },
        { "[]", 0, "not a JSON object" },
        { " {}", 0, "not a JSON object" },
        { "", 0, "not a JSON object" },
        { "{\"a\":" ENTRY("F32", "2", "0", "8") "}   ", 8, NULL },
        { "{\"a\":" ENTRY("F32", "2", "0", "8") ",\"b\":" ENTRY("U8", "3", "8", "11") "}", 11, NULL },
        { "{\"b\":" ENTRY("U8", "3", "8", "11") ",\"a\":" ENTRY("F32", "2", "0", "8") "}", 11, NULL },
        { "{\"e\":" ENTRY("U8", "0", "3", "3") ",\"b\":" ENTRY("U8", "3", "0", "3") "}", 3, NULL },
        { "{\"e\":" ENTRY("U8", "0", "1", "1") ",\"b\":" ENTRY("U8", "3", "0", "3") "}", 3, "hole or an overlap" },
        { "{\"a\":" ENTRY("F32", "2", "0", "8") ",\"b\":" ENTRY("U8", "3", "7", "10") "}", 10, "hole or an overlap" },
        { "{\"a\":" ENTRY("F32", "2", "0", "8") ",\"b\":" ENTRY("U8", "3", "9", "12") "}", 12, "hole or an overlap" },
        { "{\"a\":" ENTRY("F32", "2", "0", "8") ",\"b\":" ENTRY("F32", "2", "0", "8") "}", 8, "hole or an overlap" },
        { "{\"a\":" ENTRY("F32", "2", "1", "9") "}", 9, "hole or an overlap" },
        { "{\"a\":" ENTRY("F32", "2", "0", "9") "}", 9, "do not fit its shape" },
        { "{\"a\":" ENTRY("F32", "2", "8", "0") "}", 8, "outside of the file" },
        { "{\"a\":" ENTRY("F32", "2", "-8", "0") "}", 8, "outside of the file" },
        { "{\"a\":" ENTRY("F32", "2", "0", "8") "}", 7, "outside of the file" },
        { "{\"a\":" ENTRY("F32", "2", "0", "8.5") "}", 8, "outside of the file" },
        { "{\"a\":" ENTRY("F32", "-2", "0", "8") "}", 8, "impossible shape" },
        { "{\"a\":" ENTRY("F32", "\"2\"", "0", "8") "}", 8, "impossible shape" },
        { "{\"a\":" ENTRY("F32", "4294967296,4294967296", "0", "0") "}", 0, "too large" },
        { "{\"a\":" ENTRY("F32", "4611686018427387904", "0", "0") "}", 0, "do not fit its shape" },
        { "{\"a\":" ENTRY("F32", "0,9223372036854775807,9223372036854775807", "0", "0") "}", 0, NULL },
        { "{\"a\":" ENTRY("F32", "1,1,1,1,1,1,1,1,1", "0", "4") "}", 4, "more than 8 dimensions" },
        { "{\"a\":" ENTRY("F31", "2", "0", "8") "}", 8, "unknown type 'F31'" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "'data_offsets' is missing" },
        { "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", 8, "'shape' is missing" },
        { "{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "'dtype' is missing" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0]}}", 1, "outside of the file" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1],\"x\":1}}", 1, "entries beside" },
        { "{\"a\":7}", 0, "expected an object" },
        { "{\"a\":{},\"a\":{}}", 0, "given twice" },
        { "{\"__metadata__\":[]}", 0, "not an object" },
        { "{\"__metadata__\":{\"a\":1}}", 0, "not a string" },
        { "{\"__metadata__\":{\"a\":\"1\"}}", 0, NULL },
        { "{\"__metadata__\":{\"midpool\":\"{}\"}}", 0, "'midpool.sha256' is missing" },
        { "{\"__metadata__\":{\"midpool\":\"{}\",\"midpool.sha256\":\"none\"}}", 0, NULL },
        { "{\"__metadata__\":{\"midpool\":\"{}\",\"midpool.sha256\":\"nine\"}}", 0, "do not fit 'midpool.sha256'" },
    };
    mp_safetensors s;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_err e = parse_header(cases[i].header, cases[i].data, &s);
        if (!cases[i].message && e != MP_OK) fail_msg("%s: %s", cases[i].header, mp_message());
        if (cases[i].message && (e == MP_OK || !strstr(mp_message(), cases[i].message)))
            fail_msg("%s: %s", cases[i].header, e == MP_OK ? "taken" : mp_message());
    }
    char huge[16] = { -1, -1, -1, -1, -1, -1, -1, 127, '{', '}' };
    assert_int_equal(parse_copy(huge, sizeof huge, &s), MP_ERR_INPUT);
}

static void every_type_of_number_is_converted(void **state)
{
    (void)state;
    static const int8_t i8[] = { -3 };
    static const uint8_t u8[] = { 200 };
    static const int16_t i16[] = { -300 };
    static const uint16_t u16[] = { 60000 }, f16[] = { 0xC100, 0x0001, 0x7C00 }, bf16[] = { 0x4049 };
    static const int32_t i32[] = { -70000 };
    static const uint32_t u32[] = { 3000000000U };
    static const int64_t i64[] = { -5000000000 };
    static const uint64_t u64[] = { UINT64_MAX };
    static const double f64[] = { 1.5 }, wide[] = { 1e300 };
    static const struct {
        mp_dtype type;
        const void *data;
        double value;
        bool fits_int;
    } cases[] = {
        { MP_DTYPE_BOOL, u8, 1, true },
        { MP_DTYPE_I8, i8, -3, true },
        { MP_DTYPE_U8, u8, 200, true },
        { MP_DTYPE_I16, i16, -300, true },
        { MP_DTYPE_U16, u16, 60000, true },
        { MP_DTYPE_I32, i32, -70000, true },
        { MP_DTYPE_U32, u32, 3e9, false },
        { MP_DTYPE_I64, i64, -5e9, false },
        { MP_DTYPE_U64, u64, 0x1p64, false },
        { MP_DTYPE_F64, f64, 1.5, false },
        { MP_DTYPE_F16, f16, -2.5, false },
        { MP_DTYPE_F16, f16 + 1, 0x1p-24, false },
        { MP_DTYPE_BF16, bf16, 3.140625, false },
        { MP_DTYPE_F64, wide, 1e300, false },
        { MP_DTYPE_F16, f16 + 2, (double)INFINITY, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_tensor t = { "t", cases[i].type, 0, { 0 }, 1, cases[i].data };
        double v;
        int n;
        mp_real r;
        mp_tensor_doubles(&t, &v);
        assert_true(v == cases[i].value);
        mp_err e = mp_tensor_ints(&t, &n);
        assert_int_equal(e == MP_OK, cases[i].fits_int);
        if (e == MP_OK) assert_true(n == cases[i].value);
        bool too_wide = sizeof(mp_real) == 4 && cases[i].data == wide;
        assert_int_equal(mp_tensor_reals(&t, &r) == MP_OK, !too_wide);
    }
}

static void reference_files_are_read(void **state)
{
    (void)state;
    const char *folder = getenv("MIDPOOL_GOLDEN");
    if (!folder) skip();
    mp_safetensors s;
    int edges[4096];
    char path[4096];
    snprintf(path, sizeof path, "%s/gcn_conv.safetensors", folder);
    assert_int_equal(mp_safetensors_load(path, arena, &s), MP_OK);
    assert_non_null(mp_safetensors_meta(&s, "case"));
    const mp_tensor *t = mp_safetensors_find(&s, "in.edge_index");
    assert_non_null(t);
    assert_true(t->dims == 2 && t->shape[0] == 2 && t->count <= 4096);
    assert_int_equal(mp_tensor_ints(t, edges), MP_OK);
    assert_int_equal(mp_safetensors_load("no/such.file", arena, &s), MP_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_reads_back_as_it_was_written),
        cmocka_unit_test(a_missing_tensor_or_shape_is_named),
        cmocka_unit_test(the_same_content_gives_the_same_bytes),
        cmocka_unit_test(every_flipped_bit_of_a_sealed_file_is_seen),
        cmocka_unit_test(every_flipped_bit_of_a_plain_file_is_survived),
        cmocka_unit_test(a_truncated_file_is_refused),
        cmocka_unit_test(wrong_headers_are_refused_with_a_reason),
        cmocka_unit_test(every_type_of_number_is_converted),
        cmocka_unit_test(reference_files_are_read),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
