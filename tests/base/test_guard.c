/* test_guard.c - work that cannot go on ends the call under way, not the program; memory that cannot be had and lists that
 * grow too long are such cases.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/crew.h"
#include "base/flush.h"
#include "base/guard.h"
#include "base/relay.h"
#include "base/text.h"

static mp_err no(void)
{
    return mp_fail(MP_ERR_LIMIT, "no further");
}

static void says(const char *words)
{
    if (!strstr(mp_message(), words)) fail_msg("message '%s' does not hold '%s'", mp_message(), words);
}

/* ---- guards */

static mp_err returns(void *arg)
{
    return *(mp_err *)arg;
}

static mp_err gives_up(void *arg)
{
    (void)arg;
    mp_arena_new(5000);
    mp_flush_on();
    mp_give_up(no());
}

static void a_guard_returns_what_its_work_returned_or_gave_up_with(void **state)
{
    (void)state;
    mp_err e = MP_ERR_IO;
    assert_int_equal(mp_guarded(returns, &e), MP_ERR_IO);
    e = MP_OK;
    assert_int_equal(mp_guarded(returns, &e), MP_OK);
    unsigned flush = mp_flush_now();
    assert_int_equal(mp_guarded(gives_up, NULL), MP_ERR_LIMIT);
    assert_string_equal(mp_message(), "no further");
    assert_int_equal(mp_flush_now(), flush);
}

typedef struct nest {
    mp_arena *before, *kept;
    mp_err inner;
    bool outer_gives_up;
} nest;

static mp_err makes_arenas(void *arg)
{
    nest *n = arg;
    mp_arena *lost = mp_arena_new(4096);
    n->kept = mp_arena_new(4096);
    mp_arena_free(lost);
    mp_arena_free(n->before); /* made outside: freed inside all the same */
    n->before = NULL;
    return MP_OK;
}

static mp_err two_guards(void *arg)
{
    nest *n = arg;
    n->before = mp_arena_new(4096);
    MP_TRY(mp_guarded(makes_arenas, n));
    n->inner = mp_guarded(gives_up, NULL);
    memset(mp_arena_raw(n->kept, 1, 100), 1, 100);
    if (n->outer_gives_up) mp_give_up(no());
    return MP_OK;
}

static void arenas_made_since_the_guard_are_freed_and_no_others(void **state)
{
    (void)state;
    size_t none = mp_arena_total();
    mp_arena *mine = mp_arena_new(4096);
    nest n = { .outer_gives_up = false };
    assert_int_equal(mp_guarded(two_guards, &n), MP_OK);
    assert_int_equal(n.inner, MP_ERR_LIMIT);
    assert_int_equal(mp_arena_total(), none + 2 * 4096); /* mine and the one the work kept */
    mp_arena_free(n.kept);
    n = (nest){ .outer_gives_up = true };
    assert_int_equal(mp_guarded(two_guards, &n), MP_ERR_LIMIT);
    assert_int_equal(mp_arena_total(), none + 4096);
    mp_arena_free(mine);
    assert_int_equal(mp_arena_total(), none);
}

/* ---- threads */

static void gives_up_at_seven(void *arg, int index, int worker)
{
    (void)worker;
    if (index == 7) gives_up(NULL);
    ((bool *)arg)[index] = true;
}

static mp_err run_crew(void *arg)
{
    bool done[100] = { false };
    mp_crew_run(arg, 100, gives_up_at_seven, done);
    return MP_OK;
}

static mp_err run_shorter(void *arg)
{
    bool done[100] = { false };
    mp_crew_run(arg, 7, gives_up_at_seven, done);
    for (int i = 0; i < 7; i++) assert_true(done[i]);
    return MP_OK;
}

static void a_crew_gives_up_on_the_thread_that_called_it(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        mp_crew *c = mp_crew_new(threads);
        size_t before = mp_arena_total();
        for (int round = 0; round < 20; round++) {
            assert_int_equal(mp_guarded(run_crew, c), MP_ERR_LIMIT);
            assert_string_equal(mp_message(), "no further");
            assert_int_equal(mp_guarded(run_shorter, c), MP_OK);
        }
        assert_int_equal(mp_arena_total(), before);
        mp_crew_free(c);
    }
}

typedef struct belt {
    int taken, given, bad; /* `bad`: the piece whose step gives up */
    char step;             /* of take, work, give */
} belt;

static mp_err belt_take(void *arg, void *piece, bool *got)
{
    belt *b = arg;
    *(int *)piece = b->taken;
    if (b->step == 't' && b->taken == b->bad) gives_up(NULL);
    *got = b->taken++ < 50;
    return MP_OK;
}

static mp_err belt_work(void *arg, void *piece, int thread)
{
    const belt *b = arg;
    (void)thread;
    if (b->step == 'w' && *(int *)piece == b->bad) gives_up(NULL);
    return MP_OK;
}

static mp_err belt_give(void *arg, void *piece)
{
    belt *b = arg;
    if (b->step == 'g' && *(int *)piece == b->bad) gives_up(NULL);
    b->given++;
    return MP_OK;
}

static void a_step_of_a_relay_that_gives_up_has_failed(void **state)
{
    (void)state;
    static const mp_relay steps = { belt_take, belt_work, belt_give };
    int number[6];
    void *piece[6];
    for (int i = 0; i < 6; i++) piece[i] = &number[i];
    for (const char *step = "twg"; *step; step++) {
        belt b = { .bad = 20, .step = *step };
        assert_int_equal(mp_relay_run(&steps, &b, piece, 6, 3), MP_ERR_LIMIT);
        assert_string_equal(mp_message(), "no further");
        assert_int_equal(b.given, *step == 'w' ? 21 : 20);
    }
}

/* ---- memory */

static mp_err asks_for_much(void *arg)
{
    mp_arena_raw(arg, SIZE_MAX / 2, 4); /* the product does not fit */
    return MP_OK;
}

static mp_err asks_beyond_the_limit(void *arg)
{
    for (int i = 0; i < 100; i++) memset(mp_arena_raw(arg, 1, 100000), i, 100000);
    return MP_OK;
}

static void memory_that_cannot_be_had_is_a_status_and_the_arena_stays_usable(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(0);
    char *kept = mp_arena_text(a, "kept", 4);
    assert_int_equal(mp_guarded(asks_for_much, a), MP_ERR_LIMIT);
    says("out of memory");
    mp_arena_limit(mp_arena_total() + (1 << 20));
    for (int round = 0; round < 3; round++) {
        assert_int_equal(mp_guarded(asks_beyond_the_limit, a), MP_ERR_LIMIT);
        says("out of memory");
        if (round == 0) assert_string_equal(kept, "kept");
        mp_arena_reset(a);
        memset(mp_arena_raw(a, 1, 1000), 0, 1000);
    }
    mp_arena_limit(0);
    assert_int_equal(mp_guarded(asks_beyond_the_limit, a), MP_OK);
    mp_arena_free(a);
}

static void a_reset_never_asks_for_memory_that_is_not_there(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(0);
    asks_beyond_the_limit(a);
    mp_arena_limit(1); /* joining the pieces is refused */
    mp_arena_reset(a);
    mp_arena_mark here = mp_arena_here(a);
    mp_arena_back(a, here);
    assert_int_equal(mp_arena_held(a), 0);
    assert_int_equal(mp_guarded(asks_beyond_the_limit, a), MP_ERR_LIMIT);
    mp_arena_limit(0);
    mp_arena_raw(a, 1, 100);
    mp_arena_back(a, here);
    assert_int_equal(mp_guarded(asks_beyond_the_limit, a), MP_OK);
    mp_arena_reset(a);
    mp_arena_free(a);
}

typedef struct till { /* an allocator that has so many pieces */
    int left;
    size_t asked; /* bytes in all */
} till;

static void *till_get(void *state, size_t bytes, size_t align)
{
    till *t = state;
    t->asked += bytes;
    return t->left-- > 0 ? aligned_alloc(align, (bytes + align - 1) / align * align) : NULL;
}

static void till_put(void *state, void *p)
{
    (void)state;
    free(p);
}

static mp_err make_crew(void *arg)
{
    mp_crew_free(mp_crew_new(*(int *)arg));
    return MP_OK;
}

static void a_crew_without_memory_says_how_much_it_needs(void **state)
{
    (void)state;
    for (int threads = 1; threads < 40; threads += 19) {
        till t = { .left = 2 }; /* of three */
        assert_int_equal(mp_allocator_set(&(mp_allocator){ till_get, till_put, &t }), MP_OK);
        assert_int_equal(mp_guarded(make_crew, &threads), MP_ERR_LIMIT);
        char words[64];
        snprintf(words, sizeof words, "out of memory: %zu more bytes", t.asked);
        says(words);
        t.left = 3;
        assert_int_equal(mp_guarded(make_crew, &threads), MP_OK);
        assert_int_equal(mp_allocator_set(NULL), MP_OK); /* nothing is held */
    }
}

static mp_err grow_text(void *arg)
{
    mp_buf b = { 0 };
    mp_buf_add(&b, "", *(size_t *)arg); /* is refused before a byte is read */
    return MP_OK;
}

static void a_text_that_no_memory_holds_is_refused(void **state)
{
    (void)state;
    size_t much[] = { SIZE_MAX / 4 + 1, SIZE_MAX / 2, SIZE_MAX };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mp_guarded(grow_text, &much[i]), MP_ERR_LIMIT);
        char words[64];
        snprintf(words, sizeof words, "out of memory: %zu more bytes", much[i]);
        says(words);
    }
}

/* ---- lists */

typedef struct growth {
    int cap;
    int64_t count;
} growth;

static mp_err grow(void *arg)
{
    growth *g = arg;
    g->cap = mp_room(g->cap, g->count, 16, "marbles");
    return MP_OK;
}

static void a_list_grows_by_twice_until_counts_would_not_fit(void **state)
{
    (void)state;
    assert_int_equal(mp_room(0, 1, 16, "marbles"), 16);
    assert_int_equal(mp_room(16, 17, 16, "marbles"), 32);
    assert_int_equal(mp_room(16, 100, 16, "marbles"), 100);
    assert_int_equal(mp_room(1 << 30, (1 << 30) + 1, 16, "marbles"), MP_MOST_COUNT);
    growth g = { MP_MOST_COUNT, (int64_t)MP_MOST_COUNT + 1 };
    assert_int_equal(mp_guarded(grow, &g), MP_ERR_LIMIT);
    says("2147483584 marbles");
    mp_arena *a = mp_arena_new(0);
    int *list = NULL;
    for (int i = 0, cap = 0; i < 1000; i++) {
        if (i == cap) {
            cap = mp_room(cap, i + 1, 3, "marbles");
            MP_MORE(a, list, i, cap);
        }
        list[i] = i;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(list[i], i);
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guard_returns_what_its_work_returned_or_gave_up_with),
        cmocka_unit_test(arenas_made_since_the_guard_are_freed_and_no_others),
        cmocka_unit_test(a_crew_gives_up_on_the_thread_that_called_it),
        cmocka_unit_test(a_step_of_a_relay_that_gives_up_has_failed),
        cmocka_unit_test(memory_that_cannot_be_had_is_a_status_and_the_arena_stays_usable),
        cmocka_unit_test(a_reset_never_asks_for_memory_that_is_not_there),
        cmocka_unit_test(a_crew_without_memory_says_how_much_it_needs),
        cmocka_unit_test(a_text_that_no_memory_holds_is_refused),
        cmocka_unit_test(a_list_grows_by_twice_until_counts_would_not_fit),
    };
    return cmocka_run_group_tests_name("guards", tests, NULL, NULL);
}
