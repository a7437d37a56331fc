/* test_report.c - the page is sound whatever names it is given, and the
 * three forms of a report say the same.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/html.h"
#include "report/report.h"
#include "made_runs.h"
#include "sound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define HOSTILE "</title><script>alert('x')</script>&\"\x01\xFF"

static mp_arena *arena;

static void the_table_shows_the_honest_number_the_leak_and_the_paper(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run), count;
    const mp_group *g;
    mp_table t;
    mp_report_options o = { 0 };
    mp_group_runs(run, n, NULL, 0, NULL, arena, &g, &count);
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

/* Seeds 42 and 43 of sag: 0.9 said four times in two folds, true four times and twice; other points would spoil it. */
static int calibrated_sample(mp_stored *run)
{
    int n = sample("MUTAG", run);
    for (int i = 0; i < n; i++) {
        const mp_config *c = &run[i].key.config;
        for (int k = 0; k < 2; k++)
            mp_calibration_add(&run[i].result.calibration, c->flip ? 0.5 : 0.9, c->seed == 42 || (!c->flip && k));
    }
    return n;
}

static void a_row_has_the_calibration_of_its_chosen_runs(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = calibrated_sample(run), count;
    const mp_group *g;
    mp_table t;
    mp_buf b = { 0 };
    mp_report_options o = { 0 };
    const mp_json *v;
    mp_group_runs(run, n, NULL, 0, NULL, arena, &g, &count);
    assert_int_equal(mp_report_results(g, count, "MUTAG", &o, arena, &t), MP_OK);
    assert_string_equal(t.header[4], "ECE");
    assert_string_equal(mp_table_cell(&t, 0, 4), "0.250"); /* (0.1 + 0.4) / 2, not abs(0.9 - 0.75) */
    assert_string_equal(mp_table_cell(&t, 1, 4), "0.500"); /* not those of four points, which have as many runs each */
    assert_int_equal(mp_report_json(g, count, &o, arena, &b), MP_OK);
    assert_int_equal(mp_json_parse((mp_span){ b.p, b.n }, "json", arena, &v), MP_OK);
    for (int i = 0; i < 2; i++) {
        const mp_json *c = mp_json_get(mp_json_at(mp_json_get(v, "studies"), i), "calibration");
        const mp_json *pooled = mp_json_get(c, "pooled");
        assert_true(fabs(mp_json_real(c, "ece", -1) - (i ? 0.5 : 0.25)) < 1e-12);
        assert_int_equal(mp_json_int(pooled, "count", -1), 8); /* two seeds, two folds, one point */
        assert_true(fabs(mp_json_real(mp_json_at(mp_json_get(pooled, "bins"), i ? 5 : 9), "true", -1) -
                         (i ? 0.5 : 0.75)) < 1e-12);
    }
    b.n = 0;
    assert_int_equal(mp_report_html(run, n, NULL, &o, &b), MP_OK);
    assert_non_null(strstr(b.p, "<h2>Calibration</h2>"));
    assert_non_null(strstr(b.p, "expected calibration error 0.250, Brier score 0.210"));
    assert_non_null(
        strstr(b.p, "aria-label=\"Reliability of MUTAG, sag. Line chart of share true over mean probability."));
    assert_non_null(strstr(b.p, "<circle"));
    mp_buf_free(&b);
    n = sample("MUTAG", run); /* without any */
    mp_group_runs(run, n, NULL, 0, NULL, arena, &g, &count);
    assert_int_equal(mp_report_html(run, n, NULL, &o, &b), MP_OK);
    assert_null(strstr(b.p, "Calibration"));
    assert_null(strstr(b.p, "ECE"));
    mp_buf_free(&b);
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
    mp_group_runs(run, n, NULL, 0, NULL, arena, &g, &count);
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
    const char *bad = tags_check_page(html, near);
    if (bad) fail_msg("%s near '%s'", bad, near);
    assert_null(strstr(html, "@import"));
    assert_null(strstr(html, "url("));
    for (const char *p = html; (p = strstr(p, "://")) != NULL; p++) /* the name of SVG is not loaded */
        assert_int_equal(strncmp(p - 4, "http://www.w3.org/2000/svg\"", 27), 0);
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
    for (int i = 0; i < n; i++) mp_calibration_add(&run[i].result.calibration, 0.9, i % 2);
    strcpy(run[1].key.config.pool, "<b>\"&");
    static const char *const header[] = { HOSTILE, "n", NULL };
    mp_table table;
    mp_table_init(&table, arena, HOSTILE, header);
    mp_table_add(&table, "%s", HOSTILE);
    mp_table_add(&table, "1");
    table.note = HOSTILE;
    mp_picture picture = { .title = HOSTILE, .note = HOSTILE, .svg = "<svg></svg>" };
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
                                         "<h2>Settings and commands</h2>",
                                         "<h2>At a glance</h2>",
                                         "<a href=\"#results\">Results</a>",
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

static void an_empty_store_says_what_to_do(void **state)
{
    (void)state;
    mp_report_options o = { 0 };
    mp_buf b = { 0 };
    assert_int_equal(mp_report_html(NULL, 0, "a<b>.db", &o, &b), MP_OK);
    assert_sound(b.p);
    assert_non_null(strstr(b.p, "There are no runs in a&lt;b&gt;.db yet."));
    assert_non_null(
        strstr(b.p, "midpool cv MUTAG --pool sag,topk --seeds 3 --store a&lt;b&gt;.db\nmidpool report a&lt;b&gt;.db"));
    mp_buf_free(&b);
    mp_stored run = run_of("MUTAG", 42, 1, 1, 0, 0, 0);
    run.status = MP_RUN_FAILED;
    assert_int_equal(mp_report_html(&run, 1, NULL, &o, &b), MP_OK);
    assert_sound(b.p);
    assert_non_null(strstr(b.p, "No run has finished"));
    mp_buf_free(&b);
}

static void choosing_is_explained_only_where_something_was_chosen(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    mp_report_options o = { 0 };
    mp_buf b = { 0 };
    assert_int_equal(mp_report_html(run, ablations(run), NULL, &o, &b), MP_OK);
    assert_null(strstr(b.p, "best on test"));
    assert_null(strstr(b.p, "gap is"));
    mp_buf_free(&b);
    assert_int_equal(mp_report_html(run, sample("MUTAG", run), NULL, &o, &b), MP_OK);
    assert_non_null(strstr(b.p, "<th scope=\"col\" class=\"num\">best on test</th>"));
    assert_non_null(strstr(b.p, "Where a study has no grid nothing is chosen"));
    mp_buf_free(&b);
}

static void wide_tables_scroll_on_screens_and_break_lines_on_paper(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    mp_report_options o = { 0 };
    mp_buf b = { 0 };
    assert_int_equal(mp_report_html(run, sample("MUTAG", run), NULL, &o, &b), MP_OK);
    assert_int_equal(count(b.p, "<table>"), 3);
    assert_int_equal(count(b.p, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" data-title=\""), 3);
    assert_int_equal(count(b.p, "<svg"), 6);
    assert_int_equal(count(b.p, "role=\"img\" aria-label=\"MUTAG, sag"), 5);
    const char *print = strstr(b.p, "@media print");
    assert_non_null(print);
    assert_non_null(strstr(print, ".scroll{overflow:visible"));
    assert_non_null(strstr(print, "th,td{white-space:normal"));
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
    assert_int_equal(mp_report_write(&(const char *){ store }, 1, page, &o, &text, &json), MP_OK);
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
    assert_int_equal(mp_report_write(&(const char *){ "/no/such.db" }, 1, page, &o, NULL, NULL), MP_ERR_IO);
    assert_int_equal(mp_report_write(&(const char *){ store }, 1, "/no/such/folder/r.html", &o, NULL, NULL), MP_ERR_IO);
    mp_buf_free(&text);
    mp_buf_free(&json);
    unlink(store);
    unlink(page);
    assert_int_equal(rmdir(folder), 0);
}

/* Halves that overlap: the same results to the byte, and commands that name a store which has all. */
static void several_stores_report_as_one(void **state)
{
    (void)state;
    char folder[] = "/tmp/midpool_report_XXXXXX", path[3][64], page[64];
    assert_non_null(mkdtemp(folder));
    snprintf(page, sizeof page, "%s/r.html", folder);
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run);
    for (int k = 0; k < 3; k++) {
        mp_store *s;
        snprintf(path[k], sizeof path[k], "%s/%d.db", folder, k);
        assert_int_equal(mp_store_open(path[k], MP_STORE_WRITE, &s), MP_OK);
        for (int i = 0; i < n - 1; i++) /* the last is missing */
            if (k == 0 || (k == 1 && i < 12) || (k == 2 && i >= 8))
                assert_int_equal(mp_store_put(s, &run[i].key, &run[i].result, NULL), MP_OK);
        mp_store_close(s);
    }
    mp_buf text[2] = { { 0 } }, json[2] = { { 0 } };
    const char *const store[] = { path[0], path[2], path[1] };
    mp_report_options o = { 0 };
    for (int k = 0; k < 2; k++)
        assert_int_equal(mp_report_write(store + k, k + 1, page, &o, &text[k], &json[k]), MP_OK);
    assert_string_equal(text[0].p, text[1].p);
    assert_string_equal(json[0].p, json[1].p);
    mp_span html;
    assert_int_equal(mp_slurp(page, 0, arena, &html), MP_OK);
    assert_sound(html.p);
    assert_non_null(strstr(html.p, "midpool merge merged.db /tmp/"));
    assert_non_null(strstr(html.p, "--store merged.db"));
    for (int k = 0; k < 2; k++) {
        mp_buf_free(&text[k]);
        mp_buf_free(&json[k]);
    }
    for (int k = 0; k < 3; k++) unlink(path[k]);
    unlink(page);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_shows_the_honest_number_the_leak_and_the_paper),
        cmocka_unit_test(a_row_has_the_calibration_of_its_chosen_runs),
        cmocka_unit_test(missing_and_failed_runs_are_counted),
        cmocka_unit_test(the_checker_of_tags_sees_mistakes),
        cmocka_unit_test(hostile_names_are_text),
        cmocka_unit_test(a_page_has_every_section_and_is_the_same_twice),
        cmocka_unit_test(an_empty_store_says_what_to_do),
        cmocka_unit_test(choosing_is_explained_only_where_something_was_chosen),
        cmocka_unit_test(wide_tables_scroll_on_screens_and_break_lines_on_paper),
        cmocka_unit_test(json_and_text_come_from_the_store),
        cmocka_unit_test(several_stores_report_as_one),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
