/* test_workers.c - what --jobs and --threads mean where nobody says, without ranks of MPI.
 * SPDX-License-Identifier: MIT */
#include "base/crew.h"
#include "base/err.h"
#include "cli/workers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void several_runs_have_a_thread_each_and_one_has_them_all(void **state)
{
    (void)state;
    int all = mp_cpu_count();
    const struct {
        int jobs, threads;
        mp_side meant;
    } asked[] = { { 4, 0, { 4, 1 } }, { 2, 0, { 2, 1 } }, { 1, 0, { 1, all } }, { 0, 0, { all, all > 1 ? 1 : all } },
                  { 3, 2, { 3, 2 } }, { 1, 5, { 1, 5 } }, { 0, 7, { all, 7 } } };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        mp_side s;
        assert_int_equal(mp_workers_side(MP_WORKERS_FORK, asked[i].jobs, asked[i].threads, &s), MP_OK);
        assert_int_equal(s.jobs, asked[i].meant.jobs);
        assert_int_equal(s.threads, asked[i].meant.threads);
    }
}

static void ranks_that_are_not_there_are_not_asked(void **state)
{
    (void)state;
    mp_side s;
    assert_int_equal(mp_workers_side(MP_WORKERS_MPI, 2, 1, &s), MP_ERR_USAGE);
    assert_non_null(strstr(mp_message(), "mpirun -n 4 midpool"));
    assert_int_equal(mp_workers_side(MP_WORKERS_AUTO, 2, 1, &s), MP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_runs_have_a_thread_each_and_one_has_them_all),
        cmocka_unit_test(ranks_that_are_not_there_are_not_asked),
    };
    return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
