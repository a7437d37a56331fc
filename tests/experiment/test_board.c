/* test_board.c - the cells of the main table: a store that has MID at one setting fills them too, and the table says only what was chosen.
 * SPDX-License-Identifier: MIT */
#include "experiment/board.h"
#include "experiment/make.h"
#include "experiment/tiny_folder.h"
#include "train/preset.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static int make_folder(void **state)
{
    return make_tiny(state, 16, 6, 6);
}

static mp_lab *lab_of(mp_arena *a, bool still, mp_grid grid)
{
    mp_lab_options o = { .store_path = mp_arena_printf(a, "%s/r.db", folder),
                         .data_dir = folder,
                         .command = "again",
                         .quick = true,
                         .still = still,
                         .folds = 2,
                         .grid = grid,
                         .jobs = 2,
                         .threads = 1,
                         .datasets = "TINY",
                         .pools = "topk" };
    return mp_lab_new(&o, a);
}

static mp_ask ask_of(const char *settings)
{
    return (mp_ask){ .dataset = "TINY", .pool = "topk", .preset = MP_PRESET_PAPER, .settings = settings };
}

static double trained(mp_lab *lab, const mp_ask *ask)
{
    int row;
    mp_choice c;
    assert_int_equal(mp_lab_row(lab, ask, &row), MP_OK);
    assert_int_equal(mp_lab_choose(lab, row, MP_SELECT_VAL, &c), MP_OK);
    return c.test.mean;
}

static double base_mean, mid_mean;
static const char *mid_settings; /* what a store has of MID */

static mp_err make_base_and_mid(mp_lab *lab, mp_section *out)
{
    mp_ask base = ask_of(NULL), mid = ask_of(mid_settings);
    (void)out;
    base_mean = trained(lab, &base);
    mid_mean = trained(lab, &mid);
    return MP_OK;
}

static mp_section made(mp_lab *lab, mp_err (*make)(mp_lab *, mp_section *))
{
    const mp_experiment one = { "one", "One", "", make };
    const mp_experiment *const x[] = { &one };
    mp_section s;
    if (mp_lab_make(lab, x, 1, &s) != MP_OK) fail_msg("%s", mp_message());
    assert_string_equal(s.title, "One: TopKPool"); /* a page may have the same experiment of other methods too */
    return s;
}

static void train_base_and_mid(mp_arena *a, const char *settings)
{
    mid_settings = settings;
    made(lab_of(a, false, MP_GRID_NONE), make_base_and_mid);
    assert_true(!isnan(base_mean) && !isnan(mid_mean));
}

static mp_board board;

static mp_err make_board(mp_lab *lab, mp_section *out)
{
    static const char *const set[] = { "TINY" }, *const pool[] = { "topk" };
    (void)out;
    return mp_board_make(lab, set, 1, pool, 1, &board);
}

static const mp_table *first_table(const mp_section *s)
{
    for (int i = 0; i < s->pieces; i++)
        if (s->piece[i].kind == MP_PASSAGE_TABLE) return &s->piece[i].table;
    fail_msg("no table");
    return NULL;
}

static bool has_column(const mp_table *t, const char *name)
{
    for (int i = 0; i < t->columns; i++)
        if (!strcmp(t->header[i], name)) return true;
    return false;
}

static void a_store_with_mid_at_one_setting_has_its_cell_without_a_choice(void **state)
{
    mp_arena *a = *state;
    train_base_and_mid(a, mp_preset_find("mid")->settings);
    made(lab_of(a, true, MP_GRID_PAPER), make_board);
    const mp_board_cell *base = mp_board_at(&board, 0, 0), *mid = mp_board_at(&board, 0, 1);
    assert_true(base->honest.test.mean == base_mean && mid->honest.test.mean == mid_mean);
    assert_true(!base->chosen && !mid->chosen);
    assert_true(mid->honest.grid.points == 1 && mid->honest.missing == 0);
    mp_section s = made(lab_of(a, true, MP_GRID_PAPER), mp_make_classification);
    const mp_table *t = first_table(&s);
    assert_int_equal(mp_table_rows(t), 2);
    assert_true(has_column(t, "average rank"));
    assert_false(has_column(t, "rank, chosen on test")); /* nothing was chosen */
    assert_false(has_column(t, "rank, paper"));          /* which has no such data */
}

static void a_store_without_that_setting_has_the_points_of_the_grid_that_are_there(void **state)
{
    mp_arena *a = *state;
    train_base_and_mid(a, "score-dim=9 flip=true drop=0.1");
    made(lab_of(a, true, MP_GRID_PAPER), make_board);
    const mp_board_cell *mid = mp_board_at(&board, 0, 1);
    assert_true(mid->honest.test.mean == mid_mean && mid->chosen);
    assert_true(mid->honest.grid.points > 1 && mid->honest.missing > 0);
    mp_section s = made(lab_of(a, true, MP_GRID_PAPER), mp_make_classification);
    assert_true(has_column(first_table(&s), "rank, chosen on test"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_store_with_mid_at_one_setting_has_its_cell_without_a_choice, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_store_without_that_setting_has_the_points_of_the_grid_that_are_there,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("experiment/board", tests, NULL, NULL);
}
