/* test_relay.c - a stream keeps its order whatever the threads do, and ends at its first failure.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/relay.h"

#define NEVER (-1)

typedef struct stream {
    int length;
    int fail_take, fail_work, fail_give; /* the number at which the step fails, or NEVER */
    int taken, given;
    int square[1000];
} stream;

typedef struct item {
    int number, square;
} item;

static mp_err take(void *arg, void *piece, bool *got)
{
    stream *s = arg;
    item *p = piece;
    if (s->taken == s->fail_take) return mp_fail(MP_ERR_INPUT, "take %d", s->taken);
    *got = s->taken < s->length;
    if (*got) p->number = s->taken++;
    return MP_OK;
}

/* Some pieces take much longer than others, so that threads overtake each other. */
static mp_err work(void *arg, void *piece, int thread)
{
    const stream *s = arg;
    item *p = piece;
    struct timespec nap = { 0, p->number % 7 == 0 ? 300000 : 1000 };
    nanosleep(&nap, NULL);
    assert_in_range(thread, 0, 7);
    p->square = p->number * p->number;
    return p->number == s->fail_work ? mp_fail(MP_ERR_LIMIT, "work %d", p->number) : MP_OK;
}

static mp_err give(void *arg, void *piece)
{
    stream *s = arg;
    const item *p = piece;
    if (s->given == s->fail_give) return mp_fail(MP_ERR_IO, "give %d", s->given);
    assert_int_equal(p->number, s->given);
    s->square[s->given++] = p->square;
    return MP_OK;
}

static mp_err run(stream *s, int threads, int count)
{
    static const mp_relay steps = { take, work, give };
    item items[32];
    void *piece[32];
    for (int i = 0; i < count; i++) piece[i] = &items[i];
    return mp_relay_run(&steps, s, piece, count, threads);
}

static const int sizes[][2] = { { 1, 1 }, { 1, 4 }, { 2, 2 }, { 2, 6 }, { 5, 5 }, { 8, 24 } };
#define SIZES (sizeof sizes / sizeof *sizes)

static void all_pieces_come_out_in_order(void **state)
{
    (void)state;
    static const int lengths[] = { 0, 1, 3, 250 };
    for (size_t i = 0; i < SIZES; i++) {
        for (int k = 0; k < 4; k++) {
            stream s = { lengths[k], NEVER, NEVER, NEVER, 0, 0, { 0 } };
            assert_int_equal(run(&s, sizes[i][0], sizes[i][1]), MP_OK);
            assert_int_equal(s.given, lengths[k]);
            for (int n = 0; n < s.given; n++) assert_int_equal(s.square[n], n * n);
        }
    }
}

/* What each failure returns, says, and how many pieces are given before it. */
static void the_first_failure_in_order_ends_it(void **state)
{
    (void)state;
    static const struct {
        int take, work, give;
        mp_err code;
        const char *message;
        int given;
    } rows[] = {
        { 60, NEVER, NEVER, MP_ERR_INPUT, "take 60", 60 }, { NEVER, 35, NEVER, MP_ERR_LIMIT, "work 35", 36 },
        { NEVER, NEVER, 20, MP_ERR_IO, "give 20", 20 },    { 36, 35, NEVER, MP_ERR_LIMIT, "work 35", 36 },
        { 0, NEVER, NEVER, MP_ERR_INPUT, "take 0", 0 },    { NEVER, 35, 35, MP_ERR_IO, "give 35", 35 },
    };
    for (size_t i = 0; i < SIZES; i++) {
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            stream s = { 100, rows[k].take, rows[k].work, rows[k].give, 0, 0, { 0 } };
            assert_int_equal(run(&s, sizes[i][0], sizes[i][1]), rows[k].code);
            assert_string_equal(mp_message(), rows[k].message);
            assert_int_equal(s.given, rows[k].given);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pieces_come_out_in_order),
        cmocka_unit_test(the_first_failure_in_order_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
