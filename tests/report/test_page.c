/* test_page.c - the parts of the page: what stands on top, how a row is made, what is unfinished, tables and figures.
 * SPDX-License-Identifier: MIT */
#include "report/levels.h"
#include "report/report.h"
#include "made_runs.h"
#include "sound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static mp_arena *arena;

static void assert_has(const char *text, const char *word)
{
    if (!strstr(text, word)) fail_msg("no '%s'", word);
}

/* A page of these runs. The caller frees it. */
static mp_buf page_of(const mp_stored *run, int n, const mp_report_options *o)
{
    mp_buf b = { 0 };
    char near[32];
    assert_int_equal(mp_report_html(run, n, "r.db", o, &b), MP_OK);
    const char *bad = tags_check_page(b.p, near);
    if (bad) fail_msg("%s near '%s'", bad, near);
    return b;
}

/* What is between the opening of a section and its end. */
static const char *section(const mp_buf *b, const char *id)
{
    const char *from = strstr(b->p, mp_arena_printf(arena, "<section id=\"%s\"", id));
    if (!from) fail_msg("no section %s", id);
    return mp_arena_text(arena, from, (size_t)(strstr(from, "</section>") - from));
}

static void the_top_has_the_best_row_of_each_method_by_validation(void **state)
{
    (void)state;
    mp_stored run[SAMPLE + 4];
    int n = sample("MUTAG", run);
    for (int i = 0; i < 4; i++) { /* a second plain row: worse on test, better on validation */
        run[n] = run_of("MUTAG", 42 + i / 2, 1 + i % 2, 1, 0, 0, 0.65);
        run[n].key.config.hidden = 64;
        run[n++].result.val_metric = 0.4;
    }
    mp_buf b = page_of(run, n, &(mp_report_options){ 0 });
    const char *top = section(&b, "overview");
    assert_has(top, "<td>sag, hidden 64</td><td class=\"num lead\">65.00 \xC2\xB1 0.00</td>");
    assert_null(strstr(top, "<td>sag</td>"));
    /* MID: h = 9, 75 less 72.72 of the paper, and 10 more than the plain operator */
    assert_has(top,
               "<td>sag + MID, grid of the paper</td><td class=\"num lead\">75.00 \xC2\xB1 1.00</td>"
               "<td class=\"num\">72.72 \xC2\xB1 1.96</td><td class=\"num\">+2.28</td><td class=\"num\">+10.00</td>");
    assert_int_equal(count(top, "<svg"), 1);
    assert_has(top, "MUTAG: sag, hidden 64, without MID: 65");
    assert_int_equal(count(top, "r=\"2.2\""), 8);
    assert_true(strstr(b.p, "id=\"overview\"") < strstr(b.p, "id=\"results\""));
    mp_buf_free(&b);
}

static void of_rows_as_good_on_validation_the_one_that_chose_among_more_is_on_top(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run);
    mp_declared declared[2] = { { .key = run[3].key }, { .key = run[3].key, .grid = MP_GRID_PAPER } };
    mp_buf b = page_of(run, n,
                       &(mp_report_options){ .studies = 2, .declared = declared }); /* h = 9, drop 0.1 alone, and all */
    assert_has(section(&b, "results"), "<td>sag + MID, h = 9</td>");
    assert_null(strstr(section(&b, "overview"), "h = 9"));
    assert_has(section(&b, "overview"), "<td>sag + MID, grid of the paper</td>");
    mp_buf_free(&b);
}

static void significance_is_of_pairs_and_corrected_for_all_of_them(void **state)
{
    (void)state;
    mp_stored run[64];
    int n = 0;
    /* differences 0.02 0.04 0.03 0.05 over five folds of one seed: t-test with 1/n + 1/3 */
    for (int set = 0; set < 2; set++) {
        for (int fold = 1; fold <= 5; fold++) {
            run[n] = run_of(set ? "B" : "A", 42, fold, 1, 0, 0, 0.5);
            run[n++].key.folds = 5;
            run[n] =
                run_of(set ? "B" : "A", 42, fold, 5, 0.1, 1, 0.5 + (set ? 0.03 * (fold % 2 ? 1 : -1) : 0.01 * fold));
            run[n++].key.folds = 5;
        }
    }
    mp_buf b = page_of(run, n, &(mp_report_options){ 0 });
    const char *top = section(&b, "overview");
    /* A: mean 0.03, variance 0.00025, error^2 = (1/5 + 1/3) 0.00025, t = 2.5981 of 4 degrees: p = 0.0602, twice that */
    assert_has(top, "<td class=\"num\">+3.00</td><td class=\"num\">0.120</td>");
    assert_has(top, "<td class=\"num\">+0.60</td>");
    mp_buf_free(&b);
}

static void nothing_is_chosen_among_ablations(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = ablations(run);
    mp_buf b = page_of(run, n, &(mp_report_options){ 0 });
    assert_null(strstr(section(&b, "overview"), "no drop"));
    mp_buf_free(&b);
    n = 0;
    for (int i = 0; i < 7; i += 2)
        run[n++] = run[i]; /* without MID; without drop; without flip; without flip and drop */
    b = page_of(run, n, &(mp_report_options){ 0 });
    assert_null(strstr(section(&b, "overview"), "+ MID"));
    mp_buf_free(&b);
    b = page_of(run, 2, &(mp_report_options){ 0 }); /* one alone is no choice */
    assert_has(section(&b, "overview"), "<td>sag + MID, no drop</td><td class=\"num lead\">72.00</td>");
    assert_has(section(&b, "overview"), "<td class=\"num\">+2.00</td>");
    mp_buf_free(&b);
}

static void levels_and_score_columns_are_frames_of_one_figure(void **state)
{
    (void)state;
    static const double place[3] = { 0, 0.5, 1 }, key[] = { 3, 1, 2 }, column[] = { 1, 10, 2, 20, 3, 30 };
    static const int node[] = { 0, 1, 2 }, second[] = { 0, 2 };
    static const unsigned char kept[] = { 1, 0, 1 };
    const mp_svg_level level[] = {
        { .nodes = 3, .node = node, .score = key, .kept = kept, .columns = 2, .column = column },
        { .nodes = 2, .node = second, .score = key, .columns = 2, .column = column },
    };
    mp_svg_graph_spec g = { .nodes = 3, .x = place, .y = place, .levels = 2, .level = level };
    mp_picture p = mp_levels_picture(&g, "t|<>", NULL, arena);
    assert_int_equal(p.levels * p.columns, 6);
    assert_has(p.frame[0], "level 1: 3 nodes, 2 kept: 0 2.");
    assert_has(p.frame[2], "level 1, column 2: 3 nodes");
    assert_has(p.frame[2], "<title>node 1, score 20, dropped</title>");
    assert_has(p.frame[5], "level 2, column 2: 2 nodes");
    assert_string_equal(p.csv, "level,node,score,kept,column 1,column 2\n1,0,3,1,1,10\n1,1,1,0,2,20\n1,2,2,1,3,30\n"
                               "2,0,3,,1,10\n2,2,1,,2,20\n");
    mp_buf b = { 0 };
    char near[32];
    mp_html_grid grid = { .out = &b };
    mp_html_grid_add(&grid, &p);
    mp_html_grid_end(&grid);
    assert_null(tags_check(b.p, near));
    assert_int_equal(count(b.p, "<div class=\"plot frame\">"), 6);
    assert_has(b.p, "data-columns=\"what nodes are ranked by|score column 1|score column 2\"");
    mp_buf_free(&b);
}

static void columns_that_say_the_same_in_every_row_are_one_line(void **state)
{
    (void)state;
    static const char *const header[] = { "a", "b<", "c", "d", "e", NULL };
    mp_table t;
    mp_buf b = { 0 };
    mp_table_init(&t, arena, NULL, header);
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 5; c++) mp_table_add(&t, c % 2 ? "same &" : c ? "%d" : "x", r);
    t.lead = 4;
    mp_html_table(&b, &t);
    assert_int_equal(count(b.p, "<th"), 4 + 1); /* and <thead> */
    assert_has(b.p, "<p class=\"note\">In every row: b&lt; same &amp;.</p>");
    assert_int_equal(count(b.p, "same &amp;"), 3); /* d stands out and stays */
    assert_int_equal(count(b.p, "<td>x</td>"), 2); /* the first names its row */
    mp_buf_free(&b);
}

static void figures_beyond_a_dozen_are_folded_away(void **state)
{
    (void)state;
    for (int n = 11; n <= 14; n++) {
        mp_buf b = { 0 };
        char near[32];
        mp_html_grid g = { .out = &b };
        for (int i = 0; i < n; i++)
            mp_html_grid_add(
                &g, &(mp_picture){ .title = "t", .svg = "<svg width=\"380\"></svg>", .csv = "a,\"<b>\"\n1,2\n" });
        mp_html_grid_end(&g);
        assert_null(tags_check(b.p, near));
        assert_int_equal(count(b.p, "<figure"), n);
        assert_int_equal(count(b.p, "<details>"), n > 12);
        const char *fold = strstr(b.p, "<details>");
        if (fold) assert_int_equal(count(fold, "<figure"), n - 12);
        assert_has(b.p, "data-csv=\"a,&quot;&lt;b&gt;&quot;\n1,2\n\"");
        mp_buf_free(&b);
    }
}

static void a_row_has_its_options_as_yaml_and_the_command_that_makes_it(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run);
    for (int i = 0; i < n; i++) {
        run[i].key.config.hidden = 64;
        strcpy(run[i].key.folds_from, "stratified");
    }
    mp_buf b = page_of(run, n, &(mp_report_options){ 0 });
    const char *settings = section(&b, "settings");
    assert_has(settings,
               "<summary>MUTAG, sag</summary>\n<pre>pool: sag\nhidden: 64\n</pre>\n<pre>midpool cv MUTAG --pool sag "
               "--hidden 64 --seeds 2 --folds 2 --store r.db</pre>");
    assert_has(settings,
               "<pre>pool: sag\ngrid: paper\nhidden: 64\n</pre>\n<pre>midpool cv MUTAG --pool sag --grid paper "
               "--hidden 64 --seeds 2 --folds 2 --store r.db</pre>");
    mp_buf_free(&b);
    /* what a data set has without being asked is not said, what was asked against it is */
    n = sample("COLORS-3", run);
    mp_config *c = &run[0].key.config;
    assert_int_equal(mp_conf_set_all(mp_config_table, c,
                                     "arch=colors hidden=64 batch-size=32 lr=0.001 beta1=0.5 "
                                     "weight-decay=0.0001 schedule=step patience=0 lr-drop=280 flip=true score-dim=3",
                                     "test"),
                     MP_OK);
    c->seed = 7;
    b = page_of(run, 1, &(mp_report_options){ 0 });
    settings = section(&b, "settings");
    assert_has(settings, "<pre>pool: sag\nscore-dim: 3\nflip: true\nepochs: 500\n</pre>");
    assert_has(settings,
               "midpool cv COLORS-3 --pool sag --score-dim 3 --flip --epochs 500 --seed 7 --seeds 1 --store r.db");
    mp_buf_free(&b);
}

static void names_with_quotes_stay_one_word_of_the_command(void **state)
{
    (void)state;
    mp_stored run = run_of("a b'; rm c", 42, 1, 1, 0, 0, 0.5);
    strcpy(run.key.folds_from, "my folds#1.json#0123456789abcdef");
    mp_buf b = page_of(&run, 1, &(mp_report_options){ 0 });
    assert_has(section(&b, "settings"), "midpool cv &#39;a b&#39;\\&#39;&#39;; rm c&#39; --pool sag --seeds 1 "
                                        "--folds-from &#39;my folds#1.json&#39; --store r.db");
    mp_buf_free(&b);
}

static void what_is_unfinished_is_said_with_the_command_that_goes_on(void **state)
{
    (void)state;
    mp_stored run[SAMPLE];
    int n = sample("MUTAG", run);
    mp_buf b = page_of(run, n, &(mp_report_options){ 0 });
    assert_null(strstr(b.p, "id=\"unfinished\""));
    mp_buf_free(&b);
    run[3].status = MP_RUN_FAILED;
    run[3].message = "diverged";
    mp_declared declared[2] = { { .key = run[0].key }, { .key = run[0].key } };
    strcpy(declared[1].key.dataset, "DD");
    mp_report_options o = { .studies = 2, .declared = declared };
    b = page_of(run, n, &o);
    const char *said = section(&b, "unfinished");
    assert_has(said, "1 run is missing, 1 failed, 1 row is begun but has no finished run.");
    assert_has(
        said,
        "midpool cv MUTAG --pool sag --grid paper --seeds 2 --store r.db\nmidpool cv DD --pool sag --store r.db\n");
    mp_buf_free(&b);
    o.command = "midpool reproduce <all>";
    b = page_of(run, n, &o);
    assert_has(section(&b, "unfinished"), "<pre>midpool reproduce &lt;all&gt;</pre>");
    assert_null(strstr(section(&b, "unfinished"), "midpool cv"));
    mp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_top_has_the_best_row_of_each_method_by_validation),
        cmocka_unit_test(of_rows_as_good_on_validation_the_one_that_chose_among_more_is_on_top),
        cmocka_unit_test(significance_is_of_pairs_and_corrected_for_all_of_them),
        cmocka_unit_test(nothing_is_chosen_among_ablations),
        cmocka_unit_test(levels_and_score_columns_are_frames_of_one_figure),
        cmocka_unit_test(columns_that_say_the_same_in_every_row_are_one_line),
        cmocka_unit_test(figures_beyond_a_dozen_are_folded_away),
        cmocka_unit_test(a_row_has_its_options_as_yaml_and_the_command_that_makes_it),
        cmocka_unit_test(names_with_quotes_stay_one_word_of_the_command),
        cmocka_unit_test(what_is_unfinished_is_said_with_the_command_that_goes_on),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
