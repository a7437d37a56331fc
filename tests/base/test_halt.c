/* test_halt.c - being asked to stop is counted between a begin and its end, whatever pairs lie within.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/halt.h"

static bool is_caught(int which)
{
    struct sigaction now;
    sigaction(which, NULL, &now);
    return now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
}

static void a_pair_within_another_adds_nothing(void **state)
{
    (void)state;
    mp_halt outer, inner;
    mp_halt_begin(&outer, false);
    raise(SIGTERM);
    assert_int_equal(*mp_halt_asked(), 1);
    mp_halt_begin(&inner, true);
    assert_int_equal(*mp_halt_asked(), 1); /* and not forgotten */
    mp_halt_end(&inner);
    assert_true(is_caught(SIGTERM));
    mp_halt_end(&outer);
    assert_false(is_caught(SIGTERM));
    assert_int_equal(mp_halt_signal(), SIGTERM);
    mp_halt_begin(&outer, false);
    assert_int_equal(*mp_halt_asked(), 0);
    mp_halt_end(&outer);
}

static void a_hangup_that_was_ignored_stays_ignored(void **state)
{
    (void)state;
    mp_halt h;
    signal(SIGHUP, SIG_IGN);
    mp_halt_begin(&h, false);
    raise(SIGHUP);
    assert_true(*mp_halt_asked() == 0 && is_caught(SIGINT) && !is_caught(SIGHUP));
    mp_halt_end(&h);
    signal(SIGHUP, SIG_DFL);
    mp_halt_begin(&h, false);
    assert_true(is_caught(SIGHUP));
    mp_halt_end(&h);
}

static void blocked_signals_wait_and_all_are_counted(void **state)
{
    (void)state;
    mp_halt h;
    mp_halt_begin(&h, true);
    for (int i = 1; i <= 3; i++) {
        raise(SIGTERM);
        assert_int_equal(*mp_halt_asked(), i - 1);
        sigset_t all;
        sigprocmask(SIG_SETMASK, &h.mask, &all);
        assert_int_equal(*mp_halt_asked(), i);
        sigprocmask(SIG_SETMASK, &all, NULL);
    }
    mp_halt_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_within_another_adds_nothing),
        cmocka_unit_test(a_hangup_that_was_ignored_stays_ignored),
        cmocka_unit_test(blocked_signals_wait_and_all_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
