/* test_report.c - runs are grouped into studies, the page is sound whatever names it is given, and the
 * three forms of a report say the same.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/html.h"
#include "report/paper.h"
#include "report/report.h"
#include "tags.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define CURVE   12
#define HOSTILE "</title><script>alert('x')</script>&\"\x01\xFF"

static mp_arena *arena;
static mp_epoch points[CURVE];

static mp_stored run_of(const char *dataset, int seed, int fold, int h, double drop, int flip, double test)
{
    mp_stored r;
    memset(&r, 0, sizeof r);
    r.status = MP_RUN_DONE;
    snprintf(r.key.dataset, sizeof r.key.dataset, "%s", dataset);
    strcpy(r.key.folds_from, "files");
    r.key.fingerprint = 0x1122334455667788;
    r.key.fold = fold;
    r.key.folds = 2;
    mp_config_init(&r.key.config);
    r.key.config.seed = seed;
    r.key.config.score_dim = h;
    r.key.config.drop = drop;
    r.key.config.flip = flip;
    r.result = (mp_run_result){ .epochs = CURVE,
                                .best_epoch = 3,
                                .val_loss = 0.5,
                                .val_metric = 0.1 * (h - drop),
                                .seconds = 60,
                                .test_metric = test,
                                .large_metric = (double)NAN,
                                .curve_len = CURVE,
                                .curve = points };
    r.message = "";
    r.version = MP_VERSION;
    r.finished = "2024-05-06T07:08:09Z";
    r.hash = "";
    return r;
}

/* Two seeds and folds of sag, and of sag + MID on the grid of the paper: h = 9 with drop 0.1 wins on
 * validation, h = 5 with drop 0.1 on test. */
enum { SAMPLE = 20 };
static int sample(const char *dataset, mp_stored *out)
{
    int n = 0;
    for (int seed = 42; seed < 44; seed++) {
        for (int fold = 1; fold <= 2; fold++) {
            out[n++] = run_of(dataset, seed, fold, 1, 0, 0, 0.70);
            out[n++] = run_of(dataset, seed, fold, 5, 0.1, 1, 0.80);
            out[n++] = run_of(dataset, seed, fold, 5, 0.2, 1, 0.60);
            out[n++] = run_of(dataset, seed, fold, 9, 0.1, 1, seed == 42 ? 0.74 : 0.76);
            out[n++] = run_of(dataset, seed, fold, 9, 0.2, 1, 0.50);
        }
    }
    return n;
}

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
    mp_group_runs(run, n, d, studies, arena, &g, &count);
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

/* Base, --mid and MID without each of its parts, two seeds each. */
static int ablations(mp_stored *out)
{
    int n = 0;
    for (int seed = 42; seed < 44; seed++) {
        out[n++] = run_of("MUTAG", seed, 1, 1, 0, 0, 0.70);
        out[n++] = run_of("MUTAG", seed, 1, 5, 0.1, 1, 0.71);
        out[n++] = run_of("MUTAG", seed, 1, 5, 0, 1, 0.72);
        out[n++] = run_of("MUTAG", seed, 1, 1, 0.1, 1, 0.73);
        out[n++] = run_of("MUTAG", seed, 1, 5, 0.1, 0, 0.74);
        out[n++] = run_of("MUTAG", seed, 1, 9, 0.2, 1, 0.75);
        out[n++] = run_of("MUTAG", seed, 1, 5, 0, 0, 0.76);
        for (int i = n - 7; i < n; i++) out[i].key.folds = 1;
    }
    return n;
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
    mp_declared d = { like->key, grid };
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
    mp_group_runs(run, 8, NULL, 0, arena, &g, &count); /* a point lacks */
    assert_int_equal(count, 8);
    run[9] = run_of("MUTAG", 42, 1, 7, 0.1, 1, 0.5); /* a point too many */
    mp_group_runs(run, 10, NULL, 0, arena, &g, &count);
    assert_int_equal(count, 10);
    for (int i = 0; i < count; i++) assert_int_equal(g[i].grid, MP_GRID_NONE);
    for (int i = 0; i < 9; i++) run[i].key.config.flip = 0; /* no grid is without flip */
    mp_group_runs(run, 9, NULL, 0, arena, &g, &count);
    assert_int_equal(count, 9);
}

static void the_table_shows_the_honest_number_the_leak_and_the_paper(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run), count;
    const mp_group *g;
    mp_table t;
    mp_report_options o = { 0 };
    mp_group_runs(run, n, NULL, 0, arena, &g, &count);
    assert_int_equal(mp_report_results(g, count, NULL, &o, arena, &t), MP_OK);
    mp_buf b = { 0 };
    mp_table_print(&t, &b);
    /* MID: h = 9 on validation, (74 + 76) / 2; h = 5 on test, 80. Without a grid there is no choice. */
    assert_non_null(
        strstr(b.p, "sag                           70.00 \xC2\xB1 0.00       0.00             -      -  67.67"));
    assert_non_null(
        strstr(b.p, "sag + MID, grid of the paper  75.00 \xC2\xB1 1.00       0.00  80.00 \xC2\xB1 0.00  +5.00"));
    assert_non_null(strstr(b.p, "2 x 2"));
    assert_null(strstr(b.p, "larger test"));
    assert_null(strstr(b.p, "missing"));
    mp_buf_free(&b);
    o.select = MP_SELECT_FIXED; /* the plain operator has no choice; a grid without the point has no score */
    o.fixed = &(mp_choice_point){ 9, 0 };
    assert_int_equal(mp_report_results(g, count, "MUTAG", &o, arena, &t), MP_OK);
    assert_string_equal(mp_table_cell(&t, 0, 1), "70.00 \xC2\xB1 0.00");
    assert_string_equal(mp_table_cell(&t, 1, 1), "-");
    o.fixed = &(mp_choice_point){ 5, 0.1 };
    assert_int_equal(mp_report_results(g, count, "MUTAG", &o, arena, &t), MP_OK);
    assert_string_equal(mp_table_cell(&t, 1, 1), "80.00 \xC2\xB1 0.00");
}

static void missing_and_failed_runs_are_counted(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run), count;
    run[3].status = MP_RUN_FAILED; /* seed 42, fold 1, h = 9, drop = 0.1 */
    const mp_group *g;
    mp_table t;
    mp_report_options o = { 0 };
    mp_group_runs(run, n, NULL, 0, arena, &g, &count);
    assert_int_equal(mp_report_results(g, count, NULL, &o, arena, &t), MP_OK);
    assert_string_equal(t.header[t.columns - 1], "missing");
    assert_string_equal(mp_table_cell(&t, 0, t.columns - 1), "-");
    assert_string_equal(mp_table_cell(&t, 1, t.columns - 1), "1");
    assert_string_equal(mp_table_cell(&t, 1, 2),
                        "63.00 \xC2\xB1 13.00"); /* seed 42 falls back to drop = 0.2: 50 and 76 */
}

static void assert_sound(const char *html)
{
    char near[32];
    const char *bad = tags_check(html, near);
    if (bad) fail_msg("%s near '%s'", bad, near);
    assert_null(strstr(html, "<script"));
    assert_null(strstr(html, "@import"));
    assert_null(strstr(html, "url("));
    for (const char *p = html; (p = strstr(p, "http")) != NULL; p++) /* the name of SVG is not loaded */
        assert_int_equal(strncmp(p, "http://www.w3.org/2000/svg\"", 27), 0);
}

static void the_checker_of_tags_sees_mistakes(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "<p>",           "</p>", "<p></b>", "<a b=\"c>", "<", "a < b", "<p a=\"<\"></p>", "&x", "<script></script>",
        "<b><i></b></i>"
    };
    char near[32];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!tags_check(wrong[i], near)) fail_msg("taken: %s", wrong[i]);
    assert_null(tags_check("<!DOCTYPE html><p class=\"a>b\">x<br>&lt;</p><path d=\"M0 0\"/>", near));
}

static void hostile_names_are_text(void **state)
{
    (void)state;
    mp_stored run[SAMPLE + 2];
    int n = sample(HOSTILE, run);
    strcpy(run[0].key.folds_from, HOSTILE);
    run[n] = run_of(HOSTILE, 1, 1, 1, 0, 0, 0);
    run[n].status = MP_RUN_FAILED;
    run[n++].message = HOSTILE;
    strcpy(run[1].key.config.pool, "<b>\"&");
    static const char *const header[] = { HOSTILE, "n", NULL };
    mp_table table;
    mp_table_init(&table, arena, HOSTILE, header);
    mp_table_add(&table, "%s", HOSTILE);
    mp_table_add(&table, "1");
    table.note = HOSTILE;
    mp_picture picture = { HOSTILE, HOSTILE, "<svg></svg>" };
    mp_report_options o = { .title = HOSTILE, .tables = 1, .table = &table, .pictures = 1, .picture = &picture };
    mp_buf b = { 0 };
    assert_int_equal(mp_report_html(run, n, HOSTILE, &o, &b), MP_OK);
    assert_sound(b.p);
    assert_non_null(strstr(
        b.p, "&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;\xEF\xBF\xBD\xEF\xBF\xBD"));
    mp_buf_free(&b);
}

static void a_page_has_every_section_and_is_the_same_twice(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run);
    mp_report_options o = { 0 };
    mp_buf a = { 0 }, b = { 0 };
    assert_int_equal(mp_report_html(run, n, "r.db", &o, &a), MP_OK);
    assert_int_equal(mp_report_html(run, n, "r.db", &o, &b), MP_OK);
    assert_string_equal(a.p, b.p);
    assert_sound(a.p);
    static const char *const parts[] = { "<title>midpool report</title>",
                                         "<h2>Results</h2>",
                                         "<h2>What was run</h2>",
                                         "<h2>Learning curves</h2>",
                                         "<h2>Configurations</h2>",
                                         "best on test",
                                         "h = 5, drop = 0.1",
                                         "prefers-color-scheme",
                                         "files",
                                         "last run 2024-05-06" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(a.p, parts[i])) fail_msg("no '%s'", parts[i]);
    mp_buf_free(&a);
    mp_buf_free(&b);
}

static void an_empty_store_gives_a_page_too(void **state)
{
    (void)state;
    mp_report_options o = { 0 };
    mp_buf b = { 0 };
    assert_int_equal(mp_report_html(NULL, 0, NULL, &o, &b), MP_OK);
    assert_sound(b.p);
    assert_non_null(strstr(b.p, "There are no runs."));
    mp_buf_free(&b);
}

static void json_and_text_come_from_the_store(void **state)
{
    (void)state;
    char folder[] = "/tmp/midpool_report_XXXXXX", store[64], page[64];
    assert_non_null(mkdtemp(folder));
    snprintf(store, sizeof store, "%s/r.db", folder);
    snprintf(page, sizeof page, "%s/r.html", folder);
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run);
    mp_store *s;
    assert_int_equal(mp_store_open(store, MP_STORE_WRITE, &s), MP_OK);
    for (int i = 0; i < n; i++) assert_int_equal(mp_store_put(s, &run[i].key, &run[i].result, NULL), MP_OK);
    mp_store_close(s);

    mp_report_options o = { 0 };
    mp_buf text = { 0 }, json = { 0 };
    assert_int_equal(mp_report_write(store, page, &o, &text, &json), MP_OK);
    assert_non_null(strstr(text.p, "75.00 \xC2\xB1 1.00"));
    const mp_json *root;
    assert_int_equal(mp_json_parse((mp_span){ json.p, json.n }, "json", arena, &root), MP_OK);
    const mp_json *mid = mp_json_at(mp_json_get(root, "studies"), 1);
    assert_string_equal(mp_json_text(mid, "kind", ""), "mid");
    const mp_json *val = mp_json_get(mp_json_get(mid, "summary"), "val");
    assert_true(fabs(mp_json_real(val, "mean", 0) - 0.75) < 1e-12);
    assert_true(fabs(mp_json_real(val, "std_seeds", 0) - 0.01) < 1e-12);
    assert_int_equal(mp_json_int(mp_json_at(mp_json_get(val, "chosen"), 0), "score-dim", 0), 9);
    assert_int_equal(mp_json_get(val, "chosen")->count, 2);
    assert_true(mp_json_real(mp_json_get(mid, "paper"), "mean", 0) > 0.5);
    mp_span html;
    assert_int_equal(mp_slurp(page, 0, arena, &html), MP_OK);
    assert_sound(html.p);
    assert_int_equal(mp_report_write("/no/such.db", page, &o, NULL, NULL), MP_ERR_IO);
    assert_int_equal(mp_report_write(store, "/no/such/folder/r.html", &o, NULL, NULL), MP_ERR_IO);
    mp_buf_free(&text);
    mp_buf_free(&json);
    unlink(store);
    unlink(page);
    assert_int_equal(rmdir(folder), 0);
}

static void the_papers_numbers_are_found(void **state)
{
    (void)state;
    assert_true(mp_paper_find("MUTAG", "sag", false, false).mean == 67.67);
    assert_true(mp_paper_find("COLLAB", "gmt", false, false).mean == 80.74);
    assert_true(mp_paper_find("DD", "haar", false, false).mean == 0);
    assert_true(mp_paper_find("COLORS-3", "topk", true, false).mean == 99.96);
    assert_true(mp_paper_find("COLORS-3", "topk", true, true).mean == 82.64);
    assert_true(mp_paper_find("MUTAG", "sag", false, true).mean == 0);
    assert_true(mp_paper_find("MUTAG", "nothing", true, false).mean == 0);
    assert_true(mp_paper_find("nothing", "sag", true, false).mean == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_grouped_by_everything_but_seed_and_grid),
        cmocka_unit_test(ablations_are_rows_of_their_own_and_nothing_is_chosen_among_them),
        cmocka_unit_test(a_run_counts_in_every_row_that_was_declared),
        cmocka_unit_test(undeclared_runs_are_a_grid_only_when_they_are_exactly_one),
        cmocka_unit_test(the_table_shows_the_honest_number_the_leak_and_the_paper),
        cmocka_unit_test(missing_and_failed_runs_are_counted),
        cmocka_unit_test(the_checker_of_tags_sees_mistakes),
        cmocka_unit_test(hostile_names_are_text),
        cmocka_unit_test(a_page_has_every_section_and_is_the_same_twice),
        cmocka_unit_test(an_empty_store_gives_a_page_too),
        cmocka_unit_test(json_and_text_come_from_the_store),
        cmocka_unit_test(the_papers_numbers_are_found),
    };
    arena = mp_arena_new(1 << 16);
    for (int i = 0; i < CURVE; i++) points[i] = (mp_epoch){ 1.0 / (i + 1), 2.0 / (i + 3), 0.5 };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
