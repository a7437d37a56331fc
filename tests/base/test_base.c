/* test_base.c - the ground: arenas, random streams, text, messages, threads.
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/crew.h"
#include "base/guard.h"
#include "base/rng.h"
#include "base/text.h"

/* ---- arena */

static void memory_is_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(0);
    mp_rng r = mp_rng_stream(1, MP_FOR_TEST, 0, 0, 0);
    unsigned char *piece[500];
    size_t size[500];
    for (int i = 0; i < 500; i++) {
        size[i] = (size_t)mp_rng_below(&r, i % 50 == 0 ? 100000 : 300);
        piece[i] = mp_arena_zero(a, size[i], 1);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % 64, 0);
        for (size_t k = 0; k < size[i]; k++) assert_int_equal(piece[i][k], 0);
        if (size[i]) memset(piece[i], i & 255, size[i]);
    }
    for (int i = 0; i < 500; i++)
        for (size_t k = 0; k < size[i]; k++) assert_int_equal(piece[i][k], i & 255);
    mp_arena_free(a);
    mp_arena_free(NULL);
}

typedef struct lender {
    int lent;
    bool empty;
} lender;

static void *lend(void *state, size_t bytes)
{
    lender *l = state;
    l->lent++;
    return l->empty ? (mp_fail(MP_ERR_LIMIT, "nothing is left"), NULL) : malloc(bytes);
}

static void take_back(void *state, void *p)
{
    lender *l = state;
    l->lent--;
    free(p);
}

static mp_err ask_for_more(void *arena)
{
    mp_arena_raw(arena, 100000, 1);
    return MP_OK;
}

static void an_arena_over_memory_from_elsewhere_gives_all_of_it_back(void **state)
{
    (void)state;
    lender l = { 0 };
    void *at;
    size_t used;
    mp_arena *a = mp_arena_over((mp_source){ lend, take_back, &l }, 1000);
    mp_arena_mark here = mp_arena_here(a);
    mp_arena_raw(a, 5000, 1);
    assert_int_equal(l.lent, 2);
    assert_true(mp_arena_piece(a, 0, &at, &used) && used >= 5000 && mp_arena_piece(a, 1, &at, &used) && used == 0);
    assert_false(mp_arena_piece(a, 2, &at, &used));
    mp_arena_back(a, here);
    assert_int_equal(l.lent, 1);
    mp_arena_raw(a, 900, 1);
    mp_arena_raw(a, 900, 1);
    mp_arena_reset(a); /* one piece that has room for all */
    assert_int_equal(l.lent, 1);
    l.empty = true;
    assert_int_equal(mp_guarded(ask_for_more, a), MP_ERR_LIMIT);
    assert_string_equal(mp_message(), "nothing is left");
    l = (lender){ .lent = 1 };
    mp_arena_free(a);
    assert_int_equal(l.lent, 0);
}

static void little_of_a_large_arena_stays_unused(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(100);
    for (int i = 0; i < 1000; i++) mp_arena_raw(a, 10000, 1);
    assert_true(mp_arena_held(a) >= 10000000 && mp_arena_held(a) < 13000000);
    mp_arena_free(a);
}

/* Pieces given back are handed out again, never twice at a time, and not after a reset or behind a mark. */
static void pieces_given_back_are_handed_out_again(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(8 << 20);
    mp_rng r = mp_rng_stream(9, MP_FOR_TEST, 0, 0, 0);
    for (int round = 0; round < 50; round++) {
        unsigned char *piece[200];
        size_t size[200], n = 0, reused = 0;
        for (int i = 0; i < 200; i++) {
            size_t bytes = 1 + (size_t)mp_rng_below(&r, 5000), before = mp_arena_here(a).used;
            piece[n] = mp_arena_reuse(a, bytes, 1);
            reused += mp_arena_here(a).used == before;
            assert_int_equal((uintptr_t)piece[n] % 64, 0);
            memset(piece[n], (int)n & 255, size[n] = bytes);
            if (mp_rng_below(&r, 3) == 0)
                mp_arena_give(a, piece[n], bytes);
            else
                n++;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < size[i]; k++) assert_int_equal(piece[i][k], i & 255);
        assert_true(reused > 20);
        mp_arena_mark here = mp_arena_here(a);
        void *scratch = mp_arena_raw(a, 900000, 1);
        mp_arena_give(a, scratch, 900000);
        mp_arena_back(a, here);
        assert_ptr_equal(mp_arena_reuse(a, 800000, 1), scratch); /* the next new memory: the piece was forgotten */
        assert_true(mp_arena_here(a).used > here.used);
        mp_arena_give(a, scratch, 800000);
        mp_arena_reset(a);
        assert_true(mp_arena_reuse(a, 8, 1) != scratch);
        mp_arena_reset(a);
    }
    mp_arena_free(a);
}

static void a_loop_that_resets_stops_allocating(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(100);
    size_t total = 0;
    for (int round = 0; round < 20; round++) {
        mp_arena_reset(a);
        for (int i = 0; i < 100; i++) memset(mp_arena_raw(a, 1000, 1), 1, 1000);
        mp_arena_mark here = mp_arena_here(a);
        memset(mp_arena_raw(a, 300000, 1), 2, 300000); /* scratch that does not fit beside the rest at first */
        mp_arena_back(a, here);
        if (round == 2) mp_arena_peak_reset();
        if (round == 2) total = mp_arena_total();
    }
    assert_int_equal(mp_arena_total(), total);
    assert_int_equal(mp_arena_peak(), total);
    mp_arena_free(a);
}

static void scratch_is_given_back(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(0);
    char *kept = mp_arena_text(a, "kept", 4);
    mp_arena_mark here = mp_arena_here(a);
    void *first = mp_arena_raw(a, 100, 1);
    for (int i = 0; i < 50; i++) memset(mp_arena_raw(a, 5000, 1), 7, 5000);
    mp_arena_back(a, here);
    assert_ptr_equal(mp_arena_raw(a, 100, 1), first);
    assert_string_equal(kept, "kept");
    assert_string_equal(mp_arena_printf(a, "%d and %s", 7, "more"), "7 and more");
    assert_string_equal(mp_arena_text(a, NULL, 0), "");
    mp_arena_free(a);
}

static jmp_buf out_of_memory;
static size_t asked;
static void note_and_leave(size_t bytes)
{
    asked = bytes;
    longjmp(out_of_memory, 1);
}

static void running_out_calls_the_hook(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(0);
    mp_arena_on_full(note_and_leave);
    if (setjmp(out_of_memory) == 0) {
        mp_arena_raw(a, SIZE_MAX / 2, 4); /* the product does not fit */
        fail();
    }
    assert_true(asked > 0);
    mp_arena_limit(mp_arena_total() + (1 << 20));
    if (setjmp(out_of_memory) == 0) {
        mp_arena_raw(a, 1, 1 << 21);
        fail();
    }
    mp_arena_limit(0);
    mp_arena_on_full(NULL);
    mp_arena_raw(a, 1, 1 << 21);
    mp_arena_free(a);
}

/* ---- random streams */

static void streams_draw_the_numbers_they_always_drew(void **state)
{
    (void)state;
    mp_rng zero = { 0, 0 }; /* SplitMix64 from seed 0, as published */
    assert_true(mp_rng_bits(&zero) == 0xe220a8397b1dcdafu);
    assert_true(mp_rng_bits(&zero) == 0x6e789e6aa1b965f4u);
    assert_true(mp_rng_bits(&zero) == 0x06c45d188009454fu);
    mp_rng r = mp_rng_stream(42, MP_FOR_INIT, 1, 2, 3);
    assert_true(mp_rng_bits(&r) == 0x05c49bc8165687f3u);
    assert_true(mp_rng_bits(&r) == 0x835b6e32301eb094u);
    assert_true(mp_rng_bits(&r) == 0xee123db9e96128fdu);
    r = mp_rng_stream(42, MP_FOR_STEP, 0, 0, 0);
    assert_true(mp_rng_unit(&r) == 0.06327086150006811);
    assert_true(mp_rng_normal(&r) == -1.2503986591164173);
    assert_int_equal(mp_rng_below(&r, 1000), 423);
}

static void streams_of_different_names_differ(void **state)
{
    (void)state;
    uint64_t seen[200];
    int n = 0;
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int purpose = MP_FOR_INIT; purpose <= MP_FOR_TEST; purpose++)
            for (uint64_t k = 0; k < 8; k++) {
                mp_rng r = mp_rng_stream(seed, (mp_purpose)purpose, k & 1, k >> 1 & 1, k >> 2);
                seen[n] = mp_rng_bits(&r);
                for (int i = 0; i < n; i++) assert_true(seen[i] != seen[n]);
                n++;
            }
}

static void draws_are_uniform(void **state)
{
    (void)state;
    static const int sides[] = { 2, 7, 10, 100 };
    for (int k = 0; k < 4; k++) {
        int n = sides[k], count[100] = { 0 }, draws = 20000;
        mp_rng r = mp_rng_stream(3, MP_FOR_TEST, (uint64_t)k, 0, 0);
        for (int i = 0; i < draws; i++) {
            int d = mp_rng_below(&r, n);
            assert_in_range(d, 0, n - 1);
            count[d]++;
        }
        double chi = 0, mean = (double)draws / n;
        for (int i = 0; i < n; i++) chi += (count[i] - mean) * (count[i] - mean) / mean;
        assert_true(chi < (n - 1) + 5 * sqrt(2.0 * (n - 1)) + 5); /* loose: five deviations */
    }
    mp_rng r = mp_rng_stream(4, MP_FOR_TEST, 0, 0, 0);
    double sum = 0, square = 0;
    for (int i = 0; i < 20000; i++) {
        double u = mp_rng_unit(&r), x = mp_rng_normal(&r), b = mp_rng_between(&r, -2, 3);
        assert_true(u >= 0 && u < 1 && b >= -2 && b < 3);
        sum += x;
        square += x * x;
    }
    assert_true(fabs(sum / 20000) < 0.04 && fabs(square / 20000 - 1) < 0.05);
    assert_int_equal(mp_rng_below(&r, 1), 0);
}

static void a_shuffle_is_a_permutation(void **state)
{
    (void)state;
    int first[10] = { 0 };
    for (uint64_t k = 0; k < 2000; k++) {
        int items[10], seen = 0;
        for (int i = 0; i < 10; i++) items[i] = i;
        mp_rng r = mp_rng_stream(5, MP_FOR_TEST, k, 0, 0);
        mp_rng_shuffle(&r, items, 10);
        for (int i = 0; i < 10; i++) seen |= 1 << items[i];
        assert_int_equal(seen, 1023);
        first[items[0]]++;
    }
    for (int i = 0; i < 10; i++) assert_in_range(first[i], 130, 270); /* 200 each */
    mp_rng r = mp_rng_stream(5, MP_FOR_TEST, 0, 0, 0);
    mp_rng_shuffle(&r, NULL, 0);
}

/* ---- text */

static void lines_end_as_they_will(void **state)
{
    (void)state;
    mp_span text = mp_span_of("one\ntwo\r\n\nlast"), line;
    static const char *const want[] = { "one", "two", "", "last" };
    for (int i = 0; i < 4; i++) {
        assert_true(mp_next_line(&text, &line));
        assert_true(mp_span_is(line, want[i]));
    }
    assert_false(mp_next_line(&text, &line));
    text = mp_span_of("end\n");
    assert_true(mp_next_line(&text, &line));
    assert_false(mp_next_line(&text, &line));
}

static void fields_are_trimmed(void **state)
{
    (void)state;
    mp_span line = mp_span_of(" a ,b,, c\t"), field;
    static const char *const want[] = { "a", "b", "", "c" };
    for (int i = 0; i < 4; i++) {
        assert_true(mp_next_field(&line, ',', &field));
        assert_true(mp_span_is(field, want[i]));
    }
    assert_false(mp_next_field(&line, ',', &field));
}

static void numbers_are_whole_and_finite(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } ints[] = { { "0", true, 0 },
                 { "-17", true, -17 },
                 { "+3", true, 3 },
                 { "9223372036854775807", true, INT64_MAX },
                 { "-9223372036854775808", true, INT64_MIN },
                 { "9223372036854775808", false, 0 },
                 { "", false, 0 },
                 { "-", false, 0 },
                 { "1.0", false, 0 },
                 { " 1", false, 0 },
                 { "1 ", false, 0 },
                 { "0x1", false, 0 },
                 { "1e3", false, 0 } };
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        int64_t v = 99;
        assert_true(mp_to_int(mp_span_of(ints[i].text), &v) == ints[i].ok);
        if (ints[i].ok) assert_true(v == ints[i].value);
    }
    static const char *const bad[] = { "",      "nan", "inf", "-inf", "0x1p3", "1e999",
                                       "1.2.3", "--1", "1,5", "e5",   "1f",    " 1" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double v;
        assert_false(mp_to_real(mp_span_of(bad[i]), &v));
    }
    double v;
    assert_true(mp_to_real(mp_span_of("-1.25e-3"), &v) && v == -1.25e-3);
    assert_true(mp_to_real(mp_span_of("1e-400"), &v) && v == 0);
}

static void the_nearest_word_is_found(void **state)
{
    (void)state;
    static const char *const words[] = { "ratio", "drop", "score-dim", NULL };
    assert_string_equal(mp_nearest("rato", words), "ratio");
    assert_string_equal(mp_nearest("scoredim", words), "score-dim");
    assert_null(mp_nearest("zzzzzz", words));
    assert_null(mp_nearest("", words));
}

static void buffers_grow(void **state)
{
    (void)state;
    mp_buf b = { 0 };
    for (int i = 0; i < 1000; i++) mp_buf_printf(&b, "%d,", i);
    assert_true(strncmp(b.p, "0,1,2,", 6) == 0 && strlen(b.p) == b.n && b.n == 3890);
    mp_buf_puts(&b, "end");
    mp_buf_add(&b, "\0x", 2); /* bytes, NUL too */
    assert_true(b.n == 3895 && b.p[b.n] == '\0');
    mp_buf_free(&b);
    assert_null(b.p);
}

static void files_are_written_whole_and_read_back(void **state)
{
    (void)state;
    char folder[] = "/tmp/midpool-base-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    mp_arena *a = mp_arena_new(0);
    mp_span text;
    assert_int_equal(mp_slurp(path, 0, a, &text), MP_ERR_IO);
    assert_non_null(strstr(mp_message(), path));
    assert_int_equal(mp_write_file(path, "first", 5), MP_OK);
    assert_int_equal(mp_write_file(path, "second\n", 7), MP_OK);
    assert_int_equal(mp_slurp(path, 0, a, &text), MP_OK);
    assert_true(mp_span_is(text, "second\n") && text.p[7] == '\0');
    assert_int_equal(mp_slurp(path, 7, a, &text), MP_OK);
    assert_int_equal(mp_slurp(path, 6, a, &text), MP_ERR_LIMIT);
    assert_int_equal(mp_slurp(folder, 0, a, &text), MP_ERR_IO);
    assert_int_equal(mp_write_file("/nowhere/at/all", "x", 1), MP_ERR_IO);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
    mp_arena_free(a);
}

/* ---- messages */

static void messages_are_kept_and_put_into_context(void **state)
{
    (void)state;
    assert_int_equal(mp_fail(MP_ERR_INPUT, "line %d is odd", 3), MP_ERR_INPUT);
    assert_string_equal(mp_message(), "line 3 is odd");
    assert_int_equal(mp_fail_within(MP_ERR_IO, "file %s", "x"), MP_ERR_IO);
    assert_string_equal(mp_message(), "file x: line 3 is odd");
    char wide[5000];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    mp_fail(MP_ERR_INPUT, "%s", wide); /* cut, not overrun */
    mp_fail_within(MP_ERR_INPUT, "%s", wide);
    assert_true(strlen(mp_message()) > 100);
}

/* ---- crew */

typedef struct tally {
    atomic_int done[1000];
    int size;
    atomic_int strangers;
    long sum[8]; /* one a worker: no locks, so a shared worker number would be a race */
} tally;

static void work(void *arg, int index, int worker)
{
    tally *t = arg;
    atomic_fetch_add(&t->done[index], 1);
    if (worker < 0 || worker >= t->size) atomic_fetch_add(&t->strangers, 1);
    t->sum[worker & 7] += index;
}

static void every_index_is_done_exactly_once(void **state)
{
    (void)state;
    static const int sizes[] = { 1, 2, 3, 5, 8 }, counts[] = { 0, 1, 2, 3, 7, 1000, 5 };
    static tally t;
    for (int s = 0; s < 5; s++) {
        mp_crew *c = mp_crew_new(sizes[s]);
        assert_in_range(mp_crew_size(c), 1, sizes[s]);
        for (int round = 0; round < 100; round++) {
            int n = counts[round % 7];
            long sum = 0;
            memset(&t, 0, sizeof t);
            t.size = mp_crew_size(c);
            mp_crew_run(c, n, work, &t);
            for (int i = 0; i < 1000; i++) assert_int_equal(atomic_load(&t.done[i]), i < n);
            for (int i = 0; i < 8; i++) sum += t.sum[i];
            assert_int_equal(sum, (long)n * (n - 1) / 2);
            assert_int_equal(atomic_load(&t.strangers), 0);
        }
        mp_crew_free(c);
    }
    for (int i = 0; i < 200; i++) mp_crew_free(mp_crew_new(4)); /* threads that never got work end too */
    mp_crew_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_zeroed_and_apart),
        cmocka_unit_test(an_arena_over_memory_from_elsewhere_gives_all_of_it_back),
        cmocka_unit_test(little_of_a_large_arena_stays_unused),
        cmocka_unit_test(pieces_given_back_are_handed_out_again),
        cmocka_unit_test(a_loop_that_resets_stops_allocating),
        cmocka_unit_test(scratch_is_given_back),
        cmocka_unit_test(running_out_calls_the_hook),
        cmocka_unit_test(streams_draw_the_numbers_they_always_drew),
        cmocka_unit_test(streams_of_different_names_differ),
        cmocka_unit_test(draws_are_uniform),
        cmocka_unit_test(a_shuffle_is_a_permutation),
        cmocka_unit_test(lines_end_as_they_will),
        cmocka_unit_test(fields_are_trimmed),
        cmocka_unit_test(numbers_are_whole_and_finite),
        cmocka_unit_test(the_nearest_word_is_found),
        cmocka_unit_test(buffers_grow),
        cmocka_unit_test(files_are_written_whole_and_read_back),
        cmocka_unit_test(messages_are_kept_and_put_into_context),
        cmocka_unit_test(every_index_is_done_exactly_once),
    };
    return cmocka_run_group_tests_name("ground", tests, NULL, NULL);
}
