/* test_svg.c - charts, pictures of graphs, the layout and plain-text tables.
 * SPDX-License-Identifier: MIT */
#include "report/layout.h"
#include "report/svg.h"
#include "report/table.h"
#include "sound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static mp_arena *arena;

static void a_chart_is_sound_for_odd_numbers(void **state)
{
    (void)state;
    static const double x[] = { 1, 2, 3, 4 }, odd[] = { (double)NAN, 1e-9, 1e9, (double)INFINITY },
                        flat[] = { 3, 3, 3, 3 }, zero[] = { 0, 0, 0, 0 }, minus[] = { -1e-3, -2e-3, -3e-3, -4e-3 };
    const double *const ys[] = { odd, flat, zero, minus };
    for (int i = 0; i < 4; i++) {
        for (int n = 0; n <= 4; n += 2) {
            mp_svg_series line[] = { { "a<b>&\"", "#123456", true, true, n, x, ys[i], odd, odd },
                                     { "b", "#654321", false, false, n, x, ys[i], NULL, NULL } };
            mp_svg_chart_spec c = { .x_label = "<x>", .y_label = "&y", .series = 2, .line = line };
            mp_buf b = { 0 };
            mp_svg_chart(&c, &b);
            assert_svg_sound(b.p);
            assert_true(count(b.p, "<text") < 40);
            mp_buf_free(&b);
        }
    }
}

/* Letters are about this wide at the size of the numbers. */
#define LETTER 6.2

/* The next number of an axis behind *at: where its text begins and ends. */
static bool next_number(const char **at, const char *anchor, double *from, double *to)
{
    char mark[64];
    snprintf(mark, sizeof mark, "text-anchor=\"%s\">", anchor);
    const char *p = strstr(*at, mark);
    if (!p) return false;
    const char *open = p, *text = p + strlen(mark);
    while (strncmp(open, "<text", 5) != 0) open--;
    const char *x = strstr(open, "x=\"");
    if (x > p) return false; /* the title of an axis that is turned has no x of its own */
    double width = LETTER * (double)(strchr(text, '<') - text), at_x = strtod(x + 3, NULL);
    *to = strcmp(anchor, "end") == 0 ? at_x : at_x + width / 2;
    *from = *to - width;
    *at = text;
    return true;
}

static void long_numbers_stay_clear_of_titles_and_of_each_other(void **state)
{
    (void)state;
    static const double top[] = { 1, 120000, 1e-5, 123456 }, last[] = { 10, 500, 100000, 190000 };
    for (int i = 0; i < 4; i++) {
        double x[] = { 1, last[i] }, y[] = { 0, top[i] };
        mp_svg_series line = { "a", "#123456", false, false, 2, x, y, NULL, NULL };
        mp_svg_chart_spec c = { .x_label = "epoch", .y_label = "loss", .series = 1, .line = &line };
        mp_buf b = { 0 };
        mp_svg_chart(&c, &b);
        double from, to, end = -100;
        const char *at = b.p;
        int numbers = 0;
        for (; next_number(&at, "end", &from, &to); numbers++) assert_true(from >= 16); /* the title ends at about 15 */
        assert_true(numbers >= 4);
        at = b.p;
        for (numbers = 0; next_number(&at, "middle", &from, &to) && *at != 'e'; numbers++) { /* up to "epoch" */
            assert_true(from > end && to <= 380);                                            /* its width */
            end = to;
        }
        assert_true(numbers >= 2);
        mp_buf_free(&b);
    }
}

static void pictures_say_in_words_what_they_show(void **state)
{
    (void)state;
    static const double x[] = { 1, 2, 3, 4 }, y[] = { 0.75, 0.25, 0.5, (double)NAN };
    mp_svg_series line[] = { { "train", "#123456", false, false, 4, x, y, NULL, NULL },
                             { "none <&>", "#123456", false, false, 0, x, y, NULL, NULL } };
    mp_svg_chart_spec c = { .title = "a \"b\"", .x_label = "epoch", .y_label = "loss", .series = 2, .line = line };
    mp_buf b = { 0 };
    mp_svg_chart(&c, &b);
    assert_svg_sound(b.p);
    assert_non_null(
        strstr(b.p, "role=\"img\" aria-label=\"a &quot;b&quot;. Line chart of loss over epoch. train: 0.75 at 1, "
                    "lowest 0.25 at 2, 0.5 at 3. none &lt;&amp;&gt;: nothing.\">"));
    mp_buf_free(&b);
    static const int node[] = { 4, 7, 9 };
    static const unsigned char kept[] = { 1, 0, 1 };
    static const double place[10] = { 0 };
    mp_svg_level level[] = { { NULL, 3, 0, node, NULL, kept, NULL, NULL, 0, NULL },
                             { "last", 2, 0, node, NULL, NULL, NULL, NULL, 0, NULL } };
    mp_svg_graph_spec g = { .title = "<t>", .nodes = 10, .x = place, .y = place, .levels = 2, .level = level };
    mp_svg_graph(&g, &b);
    assert_svg_sound(b.p);
    assert_non_null(
        strstr(b.p, "role=\"img\" aria-label=\"&lt;t&gt;. A graph of 10 nodes at 2 levels of pooling. level 1: 3 "
                    "nodes, 2 kept: 4 9. last: 2 nodes.\">"));
    mp_buf_free(&b);
}

static void every_value_is_a_dot_with_its_name(void **state)
{
    (void)state;
    static const double x[] = { 74.5, 74.6, 100, 250, -3 };
    static const char *const label[] = { "seed 1", "seed <2>", "c", "d", "e" };
    const mp_svg_strip strip[] = { { "a<b>", "#123456", 5, x, label }, { "none", "#654321", 0, NULL, NULL } };
    mp_svg_dots_spec s = { "two & two", "%", 0, 100, 80, 2, strip };
    mp_buf b = { 0 };
    mp_svg_dots(&s, &b);
    assert_svg_sound(b.p);
    assert_int_equal(count(b.p, "<circle"), 5);
    assert_int_equal(count(b.p, "<title>"), 5);
    assert_non_null(strstr(
        b.p,
        "aria-label=\"two &amp; two. Rows of dots over %. a&lt;b&gt;: 74.5, 74.6, 100, 250, -3. none: nothing.\""));
    assert_non_null(strstr(b.p, "seed &lt;2&gt;"));
    assert_int_equal(count(b.p, "stroke-dasharray"), 1);
    mp_buf_free(&b);
    s.mark = (double)NAN;
    mp_svg_dots(&s, &b);
    assert_svg_sound(b.p);
    assert_int_equal(count(b.p, "stroke-dasharray"), 0);
    mp_buf_free(&b);
}

/* Dots at one place go up and down by turns, further each time; one that is a radius away stays in the middle. */
static void dots_that_would_hide_each_other_are_set_apart(void **state)
{
    (void)state;
    static const double x[] = { 50, 50, 50, 50, 50, 52 };
    static const char *const label[] = { "a", "b", "c", "d", "e", "f" }, *const want[] = {
        "cy=\"29.0\" r=\"5\"><title>a", "cy=\"26.5\" r=\"5\"><title>b", "cy=\"31.5\" r=\"5\"><title>c",
        "cy=\"24.0\" r=\"5\"><title>d", "cy=\"34.0\" r=\"5\"><title>e", "cy=\"29.0\" r=\"5\"><title>f"
    };
    const mp_svg_strip strip = { "all", "#123456", 6, x, label };
    mp_svg_dots_spec s = { "t", "%", 0, 100, 80, 1, &strip };
    mp_buf b = { 0 };
    mp_svg_dots(&s, &b);
    for (int i = 0; i < 6; i++)
        if (!strstr(b.p, want[i])) fail_msg("no '%s' in %s", want[i], b.p);
    mp_buf_free(&b);
}

static void kept_nodes_have_rings_and_scores_have_shades(void **state)
{
    (void)state;
    static const double x[] = { 0, 0.5, 1, 0.5 }, y[] = { 0, 0.2, 1, 0.9 };
    static const int all[] = { 0, 1, 2, 3 }, some[] = { 1, 3 }, from[] = { 0, 1, 2, 2 }, to[] = { 1, 2, 3, 2 };
    static const double score[] = { 0.1, 0.9, (double)NAN, 0.5 };
    static const unsigned char kept[] = { 0, 1, 0, 1 };
    static const char *const label[] = { "<C>", "N", "&", "O" };
    mp_svg_level level[] = { { "first <level>", 4, 4, all, score, kept, from, to, 0, NULL },
                             { NULL, 2, 0, some, NULL, NULL, NULL, NULL, 0, NULL } };
    mp_svg_graph_spec s = { .title = "a & b", .nodes = 4, .x = x, .y = y, .label = label, .levels = 2, .level = level };
    mp_buf b = { 0 };
    mp_svg_graph(&s, &b);
    b.p[b.n] = '\0';
    char near[32];
    assert_null(tags_check(b.p, near));
    assert_int_equal(count(b.p, "stroke=\"#d62f3a\""), 2 + 1);      /* two nodes and the legend */
    assert_int_equal(count(b.p, "fill=\"rgb(17,66,122)\""), 1 + 1); /* the highest score and the legend */
    assert_non_null(strstr(b.p, "node 1, score 0.9, kept"));
    assert_non_null(strstr(b.p, "&lt;C&gt;"));
    assert_non_null(strstr(b.p, "level 2"));
    assert_non_null(strstr(b.p, "4 nodes, 2 kept, scores 0.1 to 0.9"));
    mp_buf_free(&b);
    s.levels = 0;
    mp_svg_graph(&s, &b);
    assert_null(tags_check(b.p, near));
    mp_buf_free(&b);
}

static void score_columns_have_a_panel_each(void **state)
{
    (void)state;
    static const double x[] = { 0, 0.5, 1 }, key[] = { 1, 2, 3 }, score[] = { 0.1, -7, 0.2, -8, 0.3, -9 };
    static const int node[] = { 0, 1, 2 };
    static const unsigned char kept[] = { 0, 1, 0 };
    const mp_svg_level l = { "level 1", 3, 0, node, key, kept, NULL, NULL, 2, score };
    const mp_svg_level column[] = { mp_svg_column(&l, 0, arena), mp_svg_column(&l, 1, arena) };
    mp_svg_graph_spec s = { .nodes = 3, .x = x, .y = x, .views = true, .levels = 2, .level = column };
    mp_buf b = { 0 };
    mp_svg_graph(&s, &b);
    assert_non_null(
        strstr(b.p, "A graph of 3 nodes in 2 views. column 1: 3 nodes, 1 kept: 1. column 2: 3 nodes, 1 kept: 1."));
    assert_non_null(strstr(b.p, "node 2, score 0.3, dropped"));
    assert_non_null(strstr(b.p, "node 1, score -8, kept"));
    assert_null(strstr(b.p, "level"));
    mp_buf_free(&b);
}

/* A ring of n nodes. */
static mp_graph ring(int n)
{
    int *row = MP_NEW(arena, int, n + 1), *col = MP_NEW(arena, int, 2 * n), *ptr = MP_NEW(arena, int, 2);
    for (int v = 0; v < n; v++) {
        int a = (v + n - 1) % n, b = (v + 1) % n;
        row[v] = 2 * v;
        col[2 * v] = a < b ? a : b;
        col[2 * v + 1] = a < b ? b : a;
    }
    row[n] = 2 * n;
    ptr[1] = n;
    return (mp_graph){ .graphs = 1, .nodes = n, .edges = 2 * n, .node_ptr = ptr, .row_ptr = row, .col = col };
}

static void the_layout_is_repeatable_and_keeps_neighbours_near(void **state)
{
    (void)state;
    enum { N = 30 };
    mp_graph g = ring(N);
    double x[N], y[N], x2[N], y2[N], near = 0, far = 0;
    mp_layout_spring(&g, 7, x, y);
    mp_layout_spring(&g, 7, x2, y2);
    assert_memory_equal(x, x2, sizeof x);
    assert_memory_equal(y, y2, sizeof y);
    mp_layout_spring(&g, 8, x2, y2);
    assert_memory_not_equal(x, x2, sizeof x);
    for (int v = 0; v < N; v++) {
        assert_true(x[v] >= 0 && x[v] <= 1 && y[v] >= 0 && y[v] <= 1);
        near += hypot(x[v] - x[(v + 1) % N], y[v] - y[(v + 1) % N]);
        far += hypot(x[v] - x[(v + N / 2) % N], y[v] - y[(v + N / 2) % N]);
    }
    assert_true(near < far / 2);
}

static void the_layout_takes_any_graph(void **state)
{
    (void)state;
    static const int rows[4] = { 0 }, ptr[] = { 0, 3 };
    mp_graph g = { .graphs = 1, .nodes = 3, .edges = 0, .node_ptr = ptr, .row_ptr = rows };
    double x[3], y[3];
    mp_layout_spring(&g, 1, x, y);
    for (int v = 0; v < 3; v++) assert_true(isfinite(x[v]) && isfinite(y[v]));
    g.nodes = 1;
    mp_layout_spring(&g, 1, x, y);
    assert_true(x[0] == 0.5 && y[0] == 0.5);
    g.nodes = 0;
    mp_layout_spring(&g, 1, x, y);
}

static void plain_tables_are_aligned(void **state)
{
    (void)state;
    static const char *const header[] = { "name", "n", "note", NULL };
    mp_table t;
    mp_buf b = { 0 };
    mp_table_init(&t, arena, "Title", header);
    mp_table_print(&t, &b);
    assert_int_equal(b.n, 0);
    static const char *const cells[] = { "caf\xC3\xA9", "7", "x", "a", "12.50 \xC2\xB1 1", "-", "bad\x1B[1m", "-", "" };
    for (int i = 0; i < 9; i++) mp_table_add(&t, "%s", cells[i]);
    mp_table_print(&t, &b);
    assert_string_equal(b.p, "Title\n"
                             "name             n  note\n"
                             "-------  ---------  ----\n"
                             "caf\xC3\xA9             7  x\n"
                             "a        12.50 \xC2\xB1 1  -\n"
                             "bad?[1m          -  \n");
    assert_int_equal(mp_table_rows(&t), 3);
    assert_true(mp_table_is_number(&t, 1));
    assert_false(mp_table_is_number(&t, 0));
    mp_buf_free(&b);
}

/* One scale for all panels: the same coordinates are in the same place of each. */
static void clouds_share_their_scale_and_tell_their_points(void **state)
{
    (void)state;
    static const double x[] = { 0, 1, (double)NAN }, y[] = { 0, 1, 2 }, value[] = { 0, 2, 1 }, far[] = { 0, 3, 1 };
    static const int from[] = { 0, 1 }, to[] = { 1, 2 };
    mp_svg_cloud panel[] = { { .title = "a<b", .x = x, .y = y, .edges = 2, .from = from, .to = to },
                             { .title = "c", .x = far, .y = y } };
    mp_svg_clouds_spec spec = { .title = "T", .points = 3, .value = value, .panels = 2, .panel = panel };
    mp_buf svg = { 0 }, csv = { 0 };
    mp_svg_clouds(&spec, &svg);
    mp_svg_clouds_csv(&spec, &csv);
    assert_svg_sound(svg.p);
    assert_int_equal(count(svg.p, "<circle"), 5); /* the one that is nowhere is left out, and its edge */
    assert_int_equal(count(svg.p, "<path"), 1);
    assert_int_equal(count(svg.p, "rgb(68,1,84)"), 2); /* the smallest value */
    assert_int_equal(count(svg.p, "rgb(253,231,37)"), 2);
    double first[2], second[2];
    const char *at = strstr(svg.p, "<circle");
    assert_int_equal(sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\"", &first[0], &first[1]), 2);
    at = strstr(strstr(strstr(at + 1, "<circle"), "<rect"), "<circle");
    assert_int_equal(sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\"", &second[0], &second[1]), 2);
    assert_true(fabs(second[0] - first[0] - 246) < 0.11 && first[1] == second[1]);
    assert_non_null(strstr(csv.p, "panel,point,x,y,value\na<b,0,0,0,0\na<b,1,1,1,2\na<b,2,,2,1\nc,0,0,0,0\n"));
    mp_buf_free(&svg);
    mp_buf_free(&csv);
    spec = (mp_svg_clouds_spec){ .points = 0, .panels = 1, .panel = panel };
    mp_svg_clouds(&spec, &svg);
    assert_svg_sound(svg.p);
    mp_buf_free(&svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clouds_share_their_scale_and_tell_their_points),
        cmocka_unit_test(a_chart_is_sound_for_odd_numbers),
        cmocka_unit_test(long_numbers_stay_clear_of_titles_and_of_each_other),
        cmocka_unit_test(pictures_say_in_words_what_they_show),
        cmocka_unit_test(every_value_is_a_dot_with_its_name),
        cmocka_unit_test(dots_that_would_hide_each_other_are_set_apart),
        cmocka_unit_test(kept_nodes_have_rings_and_scores_have_shades),
        cmocka_unit_test(score_columns_have_a_panel_each),
        cmocka_unit_test(the_layout_is_repeatable_and_keeps_neighbours_near),
        cmocka_unit_test(the_layout_takes_any_graph),
        cmocka_unit_test(plain_tables_are_aligned),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
