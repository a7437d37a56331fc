/* test_bytes.c - values as bytes and back: every value at its limits, and bytes that end too early or say too much.
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static mp_bytes reader(const mp_buf *b)
{
    return (mp_bytes){ .rest = { b->p, b->n } };
}

static void values_come_back_as_they_were(void **state)
{
    mp_arena *a = *state;
    mp_buf b = { 0 };
    static const int list[] = { 3, -1, 2 };
    mp_bytes_put_int(&b, INT64_MIN);
    mp_bytes_put_int(&b, 7);
    mp_bytes_put_real(&b, -0.1);
    mp_bytes_put_text(&b, "words");
    mp_bytes_put_text(&b, "");
    mp_bytes_put_text(&b, NULL);
    mp_bytes_put_list(&b, list, 3, sizeof *list);
    mp_bytes_put_list(&b, NULL, 3, sizeof *list);
    mp_bytes_put_list(&b, list, 0, sizeof *list);
    mp_bytes r = reader(&b);
    assert_true(mp_bytes_int(&r, INT64_MIN, 0) == INT64_MIN);
    assert_int_equal(mp_bytes_int(&r, 7, 7), 7);
    assert_true(mp_bytes_real(&r) == -0.1);
    assert_string_equal(mp_bytes_text(&r, a), "words");
    const char *empty = mp_bytes_text(&r, a);
    assert_non_null(empty);
    assert_string_equal(empty, "");
    assert_null(mp_bytes_text(&r, a));
    assert_memory_equal(mp_bytes_list(&r, a, 3, sizeof *list), list, sizeof list);
    assert_null(mp_bytes_list(&r, a, 3, sizeof *list));
    mp_bytes_list(&r, a, 0, sizeof *list);
    assert_true(!r.bad && r.rest.n == 0);
    mp_buf_free(&b);
}

static void what_is_out_of_range_is_bad(void **state)
{
    mp_arena *a = *state;
    static const struct {
        int64_t v, lo, hi;
        bool bad;
    } rows[] = { { 5, 5, 6, false }, { 6, 5, 6, false }, { 4, 5, 6, true }, { 7, 5, 6, true } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mp_buf b = { 0 };
        mp_bytes_put_int(&b, rows[i].v);
        mp_bytes r = reader(&b);
        assert_int_equal(mp_bytes_int(&r, rows[i].lo, rows[i].hi), rows[i].bad ? rows[i].lo : rows[i].v);
        assert_int_equal(r.bad, rows[i].bad);
        mp_buf_free(&b);
    }
    for (int i = 0; i < 2; i++) {
        mp_buf b = { 0 };
        mp_bytes_put_int(&b, INT_MAX - 64 + i);
        mp_bytes r = reader(&b);
        assert_int_equal(mp_bytes_count(&r), i ? 0 : INT_MAX - 64);
        assert_int_equal(r.bad, i);
        mp_buf_free(&b);
    }
    mp_buf b = { 0 };
    mp_bytes_put_list(&b, "abc", 3, 1);
    mp_bytes r = reader(&b);
    assert_null(mp_bytes_list(&r, a, 2, 1)); /* another count */
    assert_true(r.bad);
    b.n = 0;
    mp_bytes_put_list(&b, "", 0, 1);
    r = reader(&b);
    assert_null(mp_bytes_list(&r, a, 2, 1)); /* nothing where there must be two */
    assert_true(r.bad);
    mp_buf_free(&b);
}

static void a_line_needs_room_for_its_end(void **state)
{
    (void)state;
    mp_buf b = { 0 };
    char line[6];
    mp_bytes_put_text(&b, "words");
    mp_bytes r = reader(&b), small = r;
    mp_bytes_line(&r, line, 6);
    assert_string_equal(line, "words");
    assert_true(!r.bad && r.rest.n == 0);
    mp_bytes_line(&small, line, 5);
    assert_true(small.bad && line[0] == 0);
    b.n = 0;
    mp_bytes_put_text(&b, NULL);
    r = reader(&b);
    mp_bytes_line(&r, line, 6);
    assert_true(r.bad);
    mp_buf_free(&b);
}

/* Cut behind every byte: what is left is believed only when it is whole. */
static void bytes_that_end_too_early_are_bad(void **state)
{
    mp_arena *a = *state;
    mp_buf b = { 0 };
    mp_bytes_put_text(&b, "words");
    mp_bytes_put_real(&b, 1);
    size_t whole = b.n;
    for (size_t n = 0; n <= whole; n++) {
        mp_bytes r = { .rest = { b.p, n } };
        const char *text = mp_bytes_text(&r, a);
        double v = mp_bytes_real(&r);
        assert_int_equal(r.bad, n < whole);
        assert_int_equal(text == NULL, n < whole - sizeof v);
        assert_true(v == (n < whole ? 0 : 1));
    }
    mp_buf_free(&b);
}

static void a_seal_holds_for_the_bytes_it_was_made_of(void **state)
{
    (void)state;
    mp_buf b = { 0 };
    mp_bytes r;
    mp_buf_add(&b, "front", 5);
    size_t from = b.n;
    for (int i = 0; i < MP_SEAL_DIGITS; i++) mp_buf_add(&b, " ", 1);
    mp_bytes_put_int(&b, 12345);
    mp_bytes_seal(&b, from);
    assert_memory_equal(b.p, "front", 5);
    mp_span all = { b.p + from, b.n - from };
    assert_int_equal(mp_bytes_unseal(all, "it", &r), MP_OK);
    assert_int_equal(mp_bytes_int(&r, 0, INT_MAX), 12345);
    assert_true(!r.bad && r.rest.n == 0);
    for (size_t i = from; i < b.n; i++) {
        b.p[i] ^= 1;
        assert_int_not_equal(mp_bytes_unseal(all, "it", &r), MP_OK);
        b.p[i] ^= 1;
    }
    assert_int_not_equal(mp_bytes_unseal((mp_span){ all.p, MP_SEAL_DIGITS - 1 }, "it", &r), MP_OK);
    mp_buf_free(&b);
}

static int make_arena(void **state)
{
    *state = mp_arena_new(0);
    return 0;
}

static int free_arena(void **state)
{
    mp_arena_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back_as_they_were),
        cmocka_unit_test(what_is_out_of_range_is_bad),
        cmocka_unit_test(a_line_needs_room_for_its_end),
        cmocka_unit_test(bytes_that_end_too_early_are_bad),
        cmocka_unit_test(a_seal_holds_for_the_bytes_it_was_made_of),
    };
    return cmocka_run_group_tests_name("bytes", tests, make_arena, free_arena);
}
