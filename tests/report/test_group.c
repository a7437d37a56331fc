/* test_group.c - runs are grouped into studies: only what was declared as a grid varies within one.
 * SPDX-License-Identifier: MIT */
#include "made_runs.h"
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static mp_arena *arena;

typedef struct row {
    const char *dataset, *model;
    mp_grid grid;
    int runs, failed;
} row;

static const mp_group *assert_rows(const mp_stored *run, int n, const mp_declared *d, int studies, const row *want,
                                   int rows)
{
    const mp_group *g;
    int count;
    mp_group_runs(run, n, d, studies, NULL, arena, &g, &count);
    for (int i = 0; i < count && i < rows; i++) {
        assert_string_equal(g[i].key.dataset, want[i].dataset);
        assert_string_equal(g[i].model, want[i].model);
        assert_int_equal(g[i].grid, want[i].grid);
        assert_int_equal(g[i].runs, want[i].runs);
        assert_int_equal(g[i].failed, want[i].failed);
    }
    assert_int_equal(count, rows);
    return g;
}

static void runs_are_grouped_by_everything_but_seed_and_grid(void **state)
{
    (void)state;
    mp_stored run[2 * SAMPLE + 4];
    int n = sample("MUTAG", run);
    n += sample("DD", run + n);
    run[n] = run_of("DD", 42, 1, 5, 0.1, 0, 0.5); /* ablation: no flip */
    n++;
    run[n] = run_of("DD", 42, 1, 1, 0, 0, 0.5);
    run[n++].key.config.ratio = 0.25;
    run[n] = run_of("DD", 42, 1, 1, 0, 0, 0.5);
    run[n].key.config.ratio = 0.25;
    run[n].key.config.seed = 7;
    run[n++].status = MP_RUN_FAILED;
    static const row want[] = { { "DD", "sag, ratio 0.25", MP_GRID_NONE, 1, 1 },
                                { "DD", "sag", MP_GRID_NONE, 4, 0 },
                                { "DD", "sag + MID, grid of the paper", MP_GRID_PAPER, 16, 0 },
                                { "DD", "sag + MID, no flip", MP_GRID_NONE, 1, 0 },
                                { "MUTAG", "sag", MP_GRID_NONE, 4, 0 },
                                { "MUTAG", "sag + MID, grid of the paper", MP_GRID_PAPER, 16, 0 } };
    const mp_group *g = assert_rows(run, n, NULL, 0, want, 6);
    assert_false(g[0].plain);
    assert_true(g[1].plain);
}

static const row ablation_rows[] = { { "MUTAG", "sag", MP_GRID_NONE, 2, 0 },
                                     { "MUTAG", "sag + MID", MP_GRID_NONE, 2, 0 },
                                     { "MUTAG", "sag + MID, h = 9, drop = 0.2", MP_GRID_NONE, 2, 0 },
                                     { "MUTAG", "sag + MID, no drop, no flip", MP_GRID_NONE, 2, 0 },
                                     { "MUTAG", "sag + MID, no flip", MP_GRID_NONE, 2, 0 },
                                     { "MUTAG", "sag + MID, h = 1", MP_GRID_NONE, 2, 0 },
                                     { "MUTAG", "sag + MID, no drop", MP_GRID_NONE, 2, 0 } };

static void ablations_are_rows_of_their_own_and_nothing_is_chosen_among_them(void **state)
{
    (void)state;
    mp_stored run[14];
    int n = ablations(run);
    const mp_group *g = assert_rows(run, n, NULL, 0, ablation_rows, 7);
    static const double test[] = { 0.70, 0.71, 0.75, 0.76, 0.74, 0.73, 0.72 };
    for (int i = 0; i < 7; i++) {
        mp_choice c;
        assert_int_equal(mp_group_choose(&g[i], MP_SELECT_VAL, NULL, arena, &c), MP_OK);
        assert_true(fabs(c.test.mean - test[i]) < 1e-12);
        assert_int_equal(c.grid.points, 1);
    }
    mp_report_options o = { 0 };
    mp_table t;
    assert_int_equal(mp_report_results(g, 7, "MUTAG", &o, arena, &t), MP_OK);
    for (int c = 0; c < t.columns; c++) { /* nothing was chosen: no such columns; ablations are not the paper's MID */
        assert_string_not_equal(t.header[c], "best on test");
        assert_string_not_equal(t.header[c], "gap");
        if (strcmp(t.header[c], "paper") == 0) assert_string_not_equal(mp_table_cell(&t, 1, c), "-");
        if (strcmp(t.header[c], "paper") == 0) assert_string_equal(mp_table_cell(&t, 4, c), "-");
    }
}

static mp_declared declare(const mp_stored *like, mp_grid grid)
{
    mp_declared d = { .key = like->key, .grid = grid };
    d.key.fold = 0;
    d.key.config.seed = 7; /* has no meaning, nor have these under a grid: */
    if (grid != MP_GRID_NONE) d.key.config.flip = 0;
    if (grid != MP_GRID_NONE) d.key.config.score_dim = 3;
    return d;
}

static void a_run_counts_in_every_row_that_was_declared(void **state)
{
    (void)state;
    mp_stored run[SAMPLE + 4];
    int n = sample("MUTAG", run);
    mp_declared d[] = { declare(&run[1], MP_GRID_NONE), declare(&run[1], MP_GRID_PAPER),
                        declare(&run[1], MP_GRID_PAPER), declare(&run[4], MP_GRID_CODE) };
    run[1].status = MP_RUN_FAILED;
    static const row want[] = { { "MUTAG", "sag", MP_GRID_NONE, 4, 0 },
                                { "MUTAG", "sag + MID", MP_GRID_NONE, 3, 1 },
                                { "MUTAG", "sag + MID, grid of the paper", MP_GRID_PAPER, 15, 1 } };
    assert_rows(run, n, d, 3, want, 3);
    static const row more[] = { { "MUTAG", "sag", MP_GRID_NONE, 4, 0 },
                                { "MUTAG", "sag + MID", MP_GRID_NONE, 3, 1 },
                                { "MUTAG", "sag + MID, grid of the code", MP_GRID_CODE, 15, 1 },
                                { "MUTAG", "sag + MID, grid of the paper", MP_GRID_PAPER, 15, 1 } };
    const mp_group *g = assert_rows(run, n, d, 4, more, 4);
    mp_choice c; /* the code's grid has five more points; two seeds, two folds */
    assert_int_equal(mp_group_choose(&g[2], MP_SELECT_VAL, NULL, arena, &c), MP_OK);
    assert_int_equal(c.missing, 1 + 5 * 4);

    mp_report_options o = { .studies = 4, .declared = d };
    mp_buf b = { 0 };
    assert_int_equal(mp_report_html(run, n, NULL, &o, &b), MP_OK);
    assert_non_null(strstr(b.p, "<b>19</b><span>runs finished")); /* each once */
    assert_non_null(strstr(b.p, "<b>1</b><span>runs failed"));
    const char *failed = strstr(b.p, "<h2>Failed runs</h2>");
    assert_non_null(failed);
    int rows = 0;
    for (const char *p = failed; (p = strstr(p, "<tr>")) != NULL; p++) rows++;
    assert_int_equal(rows, 2); /* header and one run */
    mp_buf_free(&b);
}

/* A store from before there were declarations. */
static void undeclared_runs_are_a_grid_only_when_they_are_exactly_one(void **state)
{
    (void)state;
    mp_stored run[SAMPLE + 20];
    int n = 0;
    for (int h = 1; h <= 9; h += 4)
        for (int d = 0; d <= 2; d++) run[n++] = run_of("MUTAG", 42, 1, h, d / 10.0, 1, 0.5);
    static const row code[] = { { "MUTAG", "sag + MID, grid of the code", MP_GRID_CODE, 9, 0 } };
    assert_rows(run, 9, NULL, 0, code, 1);
    mp_declared alone = declare(&run[4], MP_GRID_NONE);
    static const row both[] = { { "MUTAG", "sag + MID", MP_GRID_NONE, 1, 0 },
                                { "MUTAG", "sag + MID, grid of the code", MP_GRID_CODE, 9, 0 } };
    assert_rows(run, 9, &alone, 1, both, 2);
    const mp_group *g;
    int count;
    mp_group_runs(run, 8, NULL, 0, NULL, arena, &g, &count); /* a point lacks */
    assert_int_equal(count, 8);
    run[9] = run_of("MUTAG", 42, 1, 7, 0.1, 1, 0.5); /* a point too many */
    mp_group_runs(run, 10, NULL, 0, NULL, arena, &g, &count);
    assert_int_equal(count, 10);
    for (int i = 0; i < count; i++) assert_int_equal(g[i].grid, MP_GRID_NONE);
    for (int i = 0; i < 9; i++) run[i].key.config.flip = 0; /* no grid is without flip */
    mp_group_runs(run, 9, NULL, 0, NULL, arena, &g, &count);
    assert_int_equal(count, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_grouped_by_everything_but_seed_and_grid),
        cmocka_unit_test(ablations_are_rows_of_their_own_and_nothing_is_chosen_among_them),
        cmocka_unit_test(a_run_counts_in_every_row_that_was_declared),
        cmocka_unit_test(undeclared_runs_are_a_grid_only_when_they_are_exactly_one),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
