/* test_demo.c - the words of midpool demo about its runs, for outcomes that two epochs of training do not give.
 * SPDX-License-Identifier: MIT */
#include "cli/demo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static mp_arena *arena;

/* Two seeds of each model: percent of test-origin, and of green nodes among the dropped. */
static const char *modes(const double origin[4], const double green[4])
{
    mp_demo_outcome run[4];
    mp_demo_work w = { .arena = arena };
    for (int i = 0; i < 4; i++) run[i] = (mp_demo_outcome){ .on = { origin[i] }, .green = green[i] };
    for (int m = 0; m < 2; m++) {
        w.model[m] = (mp_demo_model){ .run = run + 2 * m, .runs = 2 };
        for (int k = 0; k < 2; k++) w.model[m].failed += mp_demo_fails(&run[2 * m + k]);
    }
    return mp_demo_modes(&w);
}

static void the_share_of_green_nodes_is_told_for_the_modes_there_are(void **state)
{
    (void)state;
    static const struct {
        double origin[4], green[4];
        const char *words;
    } cases[] = {
        { { 70, 95, 99, 98 },
          { 40, 6, 2, 4 },
          "1 of 2 seeds without MID, 0 of 2 with MID. 40 % of the nodes these dropped were green, of the others 4 %. "
          "Why" },
        { { 70, 75, 60, 65 },
          { 40, 30, 20, 10 },
          "2 of 2 seeds without MID, 2 of 2 with MID. 25 % of the nodes these dropped were green. Why" },
        { { 90, 80, 99, 98 }, { 4, 3, 2, 1 }, "0 of 2 seeds without MID, 0 of 2 with MID. Why" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *said = modes(cases[i].origin, cases[i].green);
        if (!strstr(said, cases[i].words)) fail_msg("'%s' is not in '%s'", cases[i].words, said);
    }
}

/* Features with and without a list of the columns that are there. */
static void a_colour_is_found_in_either_form_of_the_features(void **state)
{
    (void)state;
    static const int ptr[] = { 0, 1, 3, 3 }, col[] = { 1, 0, 2 };
    static const mp_real dense[] = { 0, 1, 0, 1, 0, 1, 0, 0, 0 };
    const mp_sparse form[] = { { .rows = 3, .cols = 3, .ptr = ptr, .col = col },
                               { .rows = 3, .cols = 3, .val = dense } };
    for (int i = 0; i < 2; i++)
        for (int v = 0; v < 3; v++)
            for (int c = 0; c < 3; c++) assert_int_equal(mp_demo_has_colour(&form[i], v, c), dense[3 * v + c] != 0);
}

static void seeds_are_counted_in_the_words(void **state)
{
    (void)state;
    mp_demo_conf conf = { .seeds = 1, .epochs = 7 };
    mp_demo_work w = { .arena = arena, .conf = &conf };
    assert_non_null(strstr(mp_demo_compared(&w), "for 7 epochs (the last one counts), mean ± std over 1 seed. "));
    conf.seeds = 2;
    assert_non_null(strstr(mp_demo_compared(&w), "over 2 seeds. "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_share_of_green_nodes_is_told_for_the_modes_there_are),
        cmocka_unit_test(a_colour_is_found_in_either_form_of_the_features),
        cmocka_unit_test(seeds_are_counted_in_the_words),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests_name("demo", tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
