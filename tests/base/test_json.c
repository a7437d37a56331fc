/* test_json.c - the JSON reader takes what RFC 8259 allows and nothing else; the writer's text reads back.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static mp_arena *arena;

static const mp_json *parse(const char *text)
{
    const mp_json *v = NULL;
    if (mp_json_parse(mp_span_of(text), "t", arena, &v) != MP_OK) fail_msg("%s: %s", text, mp_message());
    return v;
}

static void refuse(const char *text, const char *message)
{
    const mp_json *v;
    mp_err e = mp_json_parse(mp_span_of(text), "t", arena, &v);
    if (e == MP_OK) fail_msg("taken: %s", text);
    if (!strstr(mp_message(), message)) fail_msg("'%s' says '%s', not '%s'", text, mp_message(), message);
}

static void every_kind_of_value_is_read(void **state)
{
    (void)state;
    const mp_json *v = parse(" { \"a\" : [ 1 , -2.5e1, \"x\" , true, false, null ] , \"b\":{} ,\"c\":[]}\r\n\t");
    assert_int_equal(v->kind, MP_JSON_OBJECT);
    assert_int_equal(v->count, 3);
    const mp_json *a = mp_json_get(v, "a");
    assert_int_equal(a->count, 6);
    assert_int_equal(mp_json_at(a, 0)->whole, 1);
    assert_true(mp_json_at(a, 1)->number == -25);
    assert_true(mp_json_at(a, 1)->exact);
    assert_string_equal(mp_json_at(a, 2)->text, "x");
    assert_true(mp_json_at(a, 3)->truth);
    assert_false(mp_json_at(a, 4)->truth);
    assert_int_equal(mp_json_at(a, 5)->kind, MP_JSON_NULL);
    assert_null(mp_json_at(a, 6));
    assert_null(mp_json_get(v, "d"));
    assert_null(mp_json_get(a, "a"));
    assert_int_equal(mp_json_get(v, "b")->count, 0);
}

static void getters_fall_back_when_the_kind_is_wrong(void **state)
{
    (void)state;
    const mp_json *v = parse("{\"i\":7,\"r\":0.5,\"t\":\"x\",\"f\":true}");
    assert_int_equal(mp_json_int(v, "i", -1), 7);
    assert_int_equal(mp_json_int(v, "r", -1), -1);
    assert_int_equal(mp_json_int(v, "t", -1), -1);
    assert_true(mp_json_real(v, "i", 0) == 7);
    assert_true(mp_json_real(v, "t", 3) == 3);
    assert_string_equal(mp_json_text(v, "t", "no"), "x");
    assert_string_equal(mp_json_text(v, "i", "no"), "no");
    assert_true(mp_json_flag(v, "f", false));
    assert_true(mp_json_flag(NULL, "f", true));
}

static void required_members_are_named_when_missing(void **state)
{
    (void)state;
    const mp_json *v = parse("\n{\"n\":3,\"x\":1.5,\n\"list\":[0,4,2],\"bad\":[0,9]}"), *m;
    int64_t n;
    const int *list;
    int count;
    assert_int_equal(mp_json_need(v, "n", MP_JSON_NUMBER, "t", &m), MP_OK);
    assert_int_equal(mp_json_need(v, "q", MP_JSON_NUMBER, "t", &m), MP_ERR_INPUT);
    assert_string_equal(mp_message(), "t:2: 'q' is missing");
    assert_int_equal(mp_json_need(v, "list", MP_JSON_STRING, "t", &m), MP_ERR_INPUT);
    assert_string_equal(mp_message(), "t:3: 'list' should be a string, not a list");
    assert_int_equal(mp_json_need(NULL, "q", MP_JSON_NUMBER, "t", &m), MP_ERR_INPUT);
    assert_int_equal(mp_json_need_int(v, "n", 0, 5, "t", &n), MP_OK);
    assert_int_equal(n, 3);
    assert_int_equal(mp_json_need_int(v, "n", 0, 2, "t", &n), MP_ERR_INPUT);
    assert_int_equal(mp_json_need_int(v, "x", 0, 2, "t", &n), MP_ERR_INPUT);
    assert_int_equal(mp_json_ints(mp_json_get(v, "list"), 0, 4, "t", arena, &list, &count), MP_OK);
    assert_int_equal(count, 3);
    assert_int_equal(list[1], 4);
    assert_int_equal(mp_json_ints(mp_json_get(v, "bad"), 0, 4, "t", arena, &list, &count), MP_ERR_INPUT);
    assert_int_equal(mp_json_ints(mp_json_get(v, "n"), 0, 4, "t", arena, &list, &count), MP_ERR_INPUT);
}

static void escapes_and_surrogate_pairs_become_utf8(void **state)
{
    (void)state;
    assert_string_equal(parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")->text, "\"\\/\b\f\n\r\t");
    assert_string_equal(parse("\"\\u0041\\u00e9\\u20ac\\uD83D\\uDE00\"")->text,
                        "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    assert_string_equal(parse("\"\xF0\x9F\x98\x80\"")->text, "\xF0\x9F\x98\x80");
    assert_int_equal(parse("\"\\u20ac\"")->bytes, 3);
}

static void what_the_grammar_forbids_is_refused(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        { "", "t:1: the text ends" },
        { "  \n ", "t:2: the text ends" },
        { "nul", "expected a value" },
        { "True", "expected a value" },
        { "NaN", "expected a value" },
        { "[1,]", "expected a value" },
        { "[1 2]", "expected ',' or ']'" },
        { "[1", "expected ',' or ']'" },
        { "{\"a\":1,}", "expected a key" },
        { "{a:1}", "expected a key" },
        { "{\"a\" 1}", "expected ':'" },
        { "{\"a\":1", "expected ',' or '}'" },
        { "{\"a\":1,\n\"b\":2,\"a\":3}", "t:1: key 'a' is given twice" },
        { "{\"\\u0061\":1,\"a\":3}", "given twice" },
        { "01", "must not begin with 0" },
        { "-", "expected a digit" },
        { "+1", "expected a value" },
        { ".5", "expected a value" },
        { "1.", "digit after the point" },
        { "1e", "digit in the exponent" },
        { "1e+", "digit in the exponent" },
        { "1e999", "number too large" },
        { "0x10", "more text after" },
        { "1 1", "t:1: more text after the value (byte 2)" },
        { "\"abc", "closing quote" },
        { "\"abc\\", "closing quote" },
        { "\"abc\\\"", "closing quote" },
        { "\"\\x\"", "unknown escape" },
        { "\"\\u12g4\"", "four hexadecimal digits" },
        { "\"\\u12\"", "four hexadecimal digits" },
        { "\"\\u0000\"", "\\u0000" },
        { "\"\\uD800\"", "without the second" },
        { "\"\\uD800\\n\"", "without the second" },
        { "\"\\uD800\\uD800\"", "without the second" },
        { "\"\\uDC00\"", "without the first" },
        { "\"a\nb\"", "control character" },
        { "\"\x80\"", "not UTF-8" },
        { "\"\xC0\xAF\"", "not UTF-8" },
        { "\"\xED\xA0\x80\"", "not UTF-8" },
        { "\"\xF4\x90\x80\x80\"", "not UTF-8" },
        { "\"\xE2\x82\"", "not UTF-8" },
        { "\xEF\xBB\xBF{}", "expected a value" },
        { "[1]//", "more text after" },
        { "[\n1,\n2,\n}", "t:4: expected a value (byte 8)" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) refuse(texts[i][0], texts[i][1]);
    const mp_json *v;
    assert_int_equal(mp_json_parse((mp_span){ "1\0", 2 }, "t", arena, &v), MP_ERR_INPUT);
    assert_int_equal(mp_json_parse((mp_span){ "\"a\0b\"", 5 }, "t", arena, &v), MP_ERR_INPUT);
    assert_int_equal(mp_json_parse((mp_span){ NULL, 0 }, "t", arena, &v), MP_ERR_INPUT);
}

static void nesting_stops_at_the_limit(void **state)
{
    (void)state;
    char text[2 * MP_JSON_DEPTH + 4];
    for (int depth = MP_JSON_DEPTH; depth <= MP_JSON_DEPTH + 1; depth++) {
        memset(text, '[', (size_t)depth);
        text[depth] = '1';
        memset(text + depth + 1, ']', (size_t)depth);
        text[2 * depth + 1] = '\0';
        if (depth == MP_JSON_DEPTH)
            parse(text);
        else
            refuse(text, "nested too deeply");
    }
    char *deep = malloc(1000001);
    memset(deep, '{', 1000000);
    deep[1000000] = '\0';
    refuse(deep, "");
    memset(deep, '[', 1000000);
    refuse(deep, "nested too deeply");
    free(deep);
}

static void whole_numbers_are_exact_to_the_last_bit(void **state)
{
    (void)state;
    assert_true(parse("9223372036854775807")->whole == INT64_MAX);
    assert_true(parse("-9223372036854775808")->whole == INT64_MIN);
    assert_false(parse("9223372036854775808")->exact);
    assert_true(parse("9007199254740993")->whole == 9007199254740993);
    assert_true(parse("1e3")->whole == 1000);
    assert_false(parse("1.5")->exact);
    assert_false(parse("1e300")->exact);
    assert_true(parse("-0")->exact);
}

static void numbers_are_written_as_short_as_they_read_back(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } cases[] = { { 0.1, "0.1" },
                  { 1, "1" },
                  { -2.5, "-2.5" },
                  { 0, "0" },
                  { 100, "1e+02" },
                  { 1200, "1.2e+03" },
                  { 123456789012345, "123456789012345" },
                  { 1e100, "1e+100" },
                  { 5e-324, "5e-324" },
                  { 0.1 + 0.2, "0.30000000000000004" },
                  { DBL_MAX, "1.7976931348623157e+308" } };
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_real_text(cases[i].v, text);
        assert_string_equal(text, cases[i].text);
    }
    for (int i = 1; i < 5000; i++) {
        double v = ldexp(1.0 / i, i % 80 - 40);
        mp_real_text(v, text);
        assert_true(strtod(text, NULL) == v);
        assert_true(parse(text)->number == v);
    }
}

static void the_writer_places_commas_and_escapes(void **state)
{
    (void)state;
    mp_buf b = { 0 };
    mp_json_open(&b, '{');
    mp_json_add_text(&b, "a\"", "x\n\x01{\xFF\xE2\x82\xAC");
    mp_json_key(&b, "list");
    mp_json_open(&b, '[');
    mp_json_put_int(&b, INT64_MIN);
    mp_json_put_real(&b, (double)NAN);
    mp_json_put_real(&b, (double)-INFINITY);
    mp_json_put_null(&b);
    mp_json_open(&b, '{');
    mp_json_close(&b, '}');
    mp_json_open(&b, '[');
    mp_json_close(&b, ']');
    mp_json_put_text(&b, NULL);
    mp_json_close(&b, ']');
    mp_json_add_bool(&b, "t", true);
    mp_json_add_real(&b, "r", 0.25);
    mp_json_add_int(&b, "i", 3);
    mp_json_close(&b, '}');
    assert_string_equal(b.p, "{\"a\\\"\":\"x\\n\\u0001{\xEF\xBF\xBD\xE2\x82\xAC\",\"list\":[-9223372036854775808,null,"
                             "null,null,{},[],null],\"t\":true,\"r\":0.25,\"i\":3}");
    const mp_json *v = parse(b.p);
    assert_string_equal(v->first->key, "a\"");
    assert_string_equal(v->first->text, "x\n\x01{\xEF\xBF\xBD\xE2\x82\xAC");
    mp_buf_free(&b);
}

static void every_prefix_of_a_text_is_refused_without_reading_past_it(void **state)
{
    (void)state;
    const char *text = "{\"a\\u00e9\\uD83D\\uDE00\":[1.5e-3,true,\"\xE2\x82\xAC\"],\"b\":null}";
    size_t n = strlen(text);
    for (size_t k = 0; k < n; k++) { /* a block of its own, so that the sanitizer sees the first byte too many */
        char *copy = malloc(k + 1);
        memcpy(copy, text, k);
        copy = realloc(copy, k ? k : 1);
        const mp_json *v;
        assert_int_equal(mp_json_parse((mp_span){ copy, k }, "t", arena, &v), MP_ERR_INPUT);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_read),
        cmocka_unit_test(getters_fall_back_when_the_kind_is_wrong),
        cmocka_unit_test(required_members_are_named_when_missing),
        cmocka_unit_test(escapes_and_surrogate_pairs_become_utf8),
        cmocka_unit_test(what_the_grammar_forbids_is_refused),
        cmocka_unit_test(nesting_stops_at_the_limit),
        cmocka_unit_test(whole_numbers_are_exact_to_the_last_bit),
        cmocka_unit_test(numbers_are_written_as_short_as_they_read_back),
        cmocka_unit_test(the_writer_places_commas_and_escapes),
        cmocka_unit_test(every_prefix_of_a_text_is_refused_without_reading_past_it),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
