/* test_charts.c - bars, heat maps and whiskers, and the data of charts as CSV.
 * SPDX-License-Identifier: MIT */
#include "report/svg.h"
#include "sound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NONE ((double)NAN)

static void assert_has(const char *text, const char *word)
{
    if (!strstr(text, word)) fail_msg("no '%s' in: %s", word, text);
}

/* The number behind `name="` in the tag that opens at or behind `at`. */
static double attribute(const char *at, const char *name)
{
    char mark[32];
    snprintf(mark, sizeof mark, " %s=\"", name);
    const char *p = strstr(at, mark);
    assert_non_null(p);
    return strtod(p + strlen(mark), NULL);
}

static const char *const groups[] = { "MUTAG", "PTC <MR>, \"x\"", "DD" };
static const double gain[] = { 5, -2.5, NONE }, dev[] = { 1.5, 2, 1 }, plain[] = { 1, 2, 3 };
static const mp_svg_bar bars[] = { { "sag & co", NULL, gain, dev }, { "topk", "#123456", plain, NULL } };
static const mp_svg_bars_spec bars_spec = { "Gain", "points", 0, 3, 2, groups, bars };

static void bars_go_right_and_left_of_zero_and_missing_ones_are_left_out(void **state)
{
    (void)state;
    mp_buf b = { 0 };
    mp_svg_bars(&bars_spec, &b);
    assert_svg_sound(b.p);
    assert_int_equal(count(b.p, "<g><title>"), 5);
    const char *right = strstr(b.p, "<title>MUTAG, sag &amp; co: 5 \xC2\xB1 1.5</title><rect");
    const char *left = strstr(b.p, "<title>PTC &lt;MR&gt;, &quot;x&quot;, sag &amp; co: -2.5 \xC2\xB1 2</title><rect");
    assert_non_null(right);
    assert_non_null(left);
    double zero = attribute(right, "x");
    assert_true(fabs(attribute(left, "x") + attribute(left, "width") - zero) < 0.11);
    assert_true(fabs(attribute(right, "width") - 2 * attribute(left, "width")) < 0.3);
    assert_has(b.p, "aria-label=\"Gain. Bars of points. MUTAG, sag &amp; co: 5 \xC2\xB1 1.5. MUTAG, topk: 1.");
    assert_int_equal(count(b.p, "stroke=\"currentColor\"/>"), 2); /* whiskers */
    assert_int_equal(count(b.p, "rx=\"2\""), 2);                  /* legend */
    mp_buf_free(&b);
}

static void one_series_needs_no_legend_and_no_group_is_a_picture_too(void **state)
{
    (void)state;
    mp_buf b = { 0 };
    mp_svg_bars(&(mp_svg_bars_spec){ .label = "y", .groups = 3, .series = 1, .group = groups, .bar = bars }, &b);
    assert_svg_sound(b.p);
    assert_int_equal(count(b.p, "rx=\"2\""), 0);
    mp_buf_free(&b);
    mp_svg_bars(&(mp_svg_bars_spec){ .label = "y" }, &b);
    assert_svg_sound(b.p);
    mp_buf_free(&b);
}

static void bars_of_nothing_but_zero_have_an_axis_that_can_be_read(void **state)
{
    (void)state;
    static const double zero[3];
    const mp_svg_bar one = { "a", NULL, zero, NULL };
    mp_buf b = { 0 };
    mp_svg_bars(&(mp_svg_bars_spec){ .label = "y", .groups = 3, .series = 1, .group = groups, .bar = &one }, &b);
    assert_svg_sound(b.p);
    assert_has(b.p, ">0</text>");
    assert_has(b.p, ">1</text>");
    mp_buf_free(&b);
}

static void a_long_list_of_long_names_grows_down_and_stays_inside(void **state)
{
    (void)state;
    enum { MANY = 40 };
    static const char *name[MANY];
    static double v[MANY];
    for (int i = 0; i < MANY; i++) {
        name[i] = i ? "a data set with a name that goes on and on, \xC3\xA4 and \xC3\xB6 in it" : "short";
        v[i] = i;
    }
    const mp_svg_bar one = { "a", NULL, v, NULL };
    mp_buf b = { 0 };
    mp_svg_bars(&(mp_svg_bars_spec){ .label = "y", .groups = MANY, .series = 1, .group = name, .bar = &one }, &b);
    assert_svg_sound(b.p);
    assert_int_equal(count(b.p, "\xE2\x80\xA6</text>"), MANY - 1);
    assert_true(attribute(b.p, "height") > 20 * MANY);
    assert_true(attribute(b.p, "width") == 620);
    const char *at = strstr(b.p, "text-anchor=\"end\"");
    double last = 0;
    for (int i = 0; i < MANY; i++, at = strstr(at + 1, "text-anchor=\"end\"")) {
        assert_non_null(at);
        double y = strtod(strstr(at - 20, "y=\"") + 3, NULL);
        assert_true(y - last >= 14);
        last = y;
    }
    mp_buf_free(&b);
}

static const char *const rows[] = { "h 1", "h 5" };
static const char *const cols[] = { "0", "0.1", "<0.2>" };
static const double cells[] = { 70, 71.25, NONE, 72, 69.5, 80 };
static const mp_svg_heat_spec heat_spec = { "Grid", "columns", "drop", 2, 3, rows, cols, cells, 2, false };

/* WCAG 2. */
static double light(const char *hex)
{
    double c[3], sum = 0;
    static const double weight[3] = { 0.2126, 0.7152, 0.0722 };
    bool brief = strspn(hex, "0123456789abcdef") == 3;
    for (int i = 0; i < 3; i++) {
        char two[3] = { hex[brief ? i : 2 * i], hex[brief ? i : 2 * i + 1], 0 };
        c[i] = (double)strtol(two, NULL, 16) / 255;
        sum += weight[i] * (c[i] <= 0.04045 ? c[i] / 12.92 : pow((c[i] + 0.055) / 1.055, 2.4));
    }
    return sum + 0.05;
}

static void digits_of_a_heat_map_are_read_on_every_shade(void **state)
{
    (void)state;
    enum { MANY = 60 };
    static double v[MANY];
    static const char *name[MANY];
    for (int i = 0; i < MANY; i++) {
        v[i] = i - 20;
        name[i] = "c";
    }
    for (int diverging = 0; diverging < 2; diverging++) {
        mp_buf b = { 0 };
        mp_svg_heat(&(mp_svg_heat_spec){ NULL, "r", "c", 1, MANY, rows, name, v, 0, diverging }, &b);
        assert_svg_sound(b.p);
        int seen = 0;
        for (const char *p = b.p; seen < MANY; seen++) {
            p = strstr(p, "<rect");
            const char *ground = strstr(p, "fill=\"#") + 7, *text = strstr(strstr(ground, "<text"), "fill=\"#") + 7;
            double a = light(ground), t = light(text), ratio = a > t ? a / t : t / a;
            if (!(ratio >= 4.5)) fail_msg("contrast %g of %.6s and %.3s", ratio, ground, text);
            p = text;
        }
        mp_buf_free(&b);
    }
}

/* From pale to blue; or red below 0, blue above it, as dark as they are far. */
static void shades_of_a_heat_map_say_more_or_less_or_on_which_side_of_zero(void **state)
{
    (void)state;
    static const double v[] = { -2, 0, 4 };
    static const char *const want[2][3] = { { "#f1f5fa", "#a7bcd3", "#144a84" }, { "#c89093", "#f1f5fa", "#144a84" } };
    for (int diverging = 0; diverging < 2; diverging++) {
        mp_buf b = { 0 };
        mp_svg_heat(&(mp_svg_heat_spec){ NULL, "r", "c", 1, 3, rows, cols, v, 0, diverging }, &b);
        const char *p = b.p;
        for (int i = 0; i < 3; i++) {
            p = strstr(p, "<rect");
            assert_non_null(p);
            const char *fill = strstr(p, "fill=\"") + 6;
            assert_memory_equal(fill, want[diverging][i], 7);
            p = fill;
        }
        mp_buf_free(&b);
    }
}

static void a_heat_map_has_a_number_in_each_cell_and_leaves_gaps_empty(void **state)
{
    (void)state;
    mp_buf b = { 0 };
    mp_svg_heat(&heat_spec, &b);
    assert_svg_sound(b.p);
    assert_int_equal(count(b.p, ">71.25</text>"), 1);
    assert_int_equal(count(b.p, "height=\"25\""), 5);
    assert_has(b.p, "&lt;0.2&gt;</text>");
    assert_has(b.p,
               "aria-label=\"Grid. Table of columns by drop. h 1: 0 70.00, 0.1 71.25, &lt;0.2&gt; nothing. h 5: 0 ");
    mp_buf_free(&b);
    static const double odd[] = { NONE, NONE, 1e300, -1e300, 3, 3 };
    for (int i = 0; i < 6; i += 2) { /* nothing, too much, all the same */
        mp_svg_heat(&(mp_svg_heat_spec){ NULL, "r", "c", 2, 1, rows, cols, odd + i, 1, i == 2 }, &b);
        assert_svg_sound(b.p);
        mp_buf_free(&b);
    }
}

static const double single[] = { 70, 74, 72, NONE };
static const mp_svg_whisker lines[] = {
    { "MUTAG", "sag", "base", NULL, 72, 2, 4, single, 67.67 },
    { "MUTAG", "sag + MID", "MID", "#abcdef", 75, NONE, 0, NULL, NONE },
    { "<DD>", "topk", "base", NULL, NONE, NONE, 0, NULL, 72.12 },
};
static const mp_svg_whiskers_spec whiskers_spec = { "Top", "accuracy", "paper", 0, 3, lines };

static void a_row_has_its_mean_its_whisker_its_values_and_its_mark(void **state)
{
    (void)state;
    mp_buf b = { 0 };
    mp_svg_whiskers(&whiskers_spec, &b);
    assert_svg_sound(b.p);
    const char *row = strstr(b.p, "<g><title>sag, base: 72 \xC2\xB1 2, paper 67.67</title>");
    assert_non_null(row);
    double mean = attribute(strstr(row, "r=\"4.5\"") - 40, "cx"), lo = strtod(strstr(row, "<path d=\"M") + 10, NULL);
    double first = attribute(row, "cx"), mark = strtod(strstr(strstr(row, "4.5"), "<path d=\"M") + 10, NULL);
    assert_true(fabs(first - lo) < 0.11); /* 70 is the mean less the deviation */
    assert_true(fabs((mean - lo) / 2 - (mean - mark) / (72 - 67.67)) < 0.1);
    assert_int_equal(count(b.p, "r=\"2.2\""), 3);
    assert_int_equal(count(b.p, "r=\"4.5\""), 2);
    assert_int_equal(count(b.p, "l5 5l-5 5l-5 -5z"), 3); /* two rows and the legend */
    assert_int_equal(count(b.p, "font-weight"), 2);
    assert_int_equal(count(b.p, "rx=\"2\""), 2);
    assert_has(b.p, "aria-label=\"Top. Means and deviations of accuracy. MUTAG: sag, base: 72 \xC2\xB1 2, paper 67.67. "
                    "sag + MID, MID: 75. &lt;DD&gt;: topk, base: nothing, paper 72.12.\"");
    mp_buf_free(&b);
    mp_svg_whiskers(&(mp_svg_whiskers_spec){ .label = "x" }, &b);
    assert_svg_sound(b.p);
    mp_buf_free(&b);
}

static void a_chart_of_many_lines_has_a_legend_that_breaks_its_line(void **state)
{
    (void)state;
    static const double x[] = { 0, 1 };
    mp_svg_series line[8];
    for (int i = 0; i < 8; i++)
        line[i] = (mp_svg_series){ "a rather long name", "#123456", i % 2, false, 2, x, x, NULL, NULL };
    mp_buf b = { 0 };
    mp_svg_chart(&(mp_svg_chart_spec){ .x_label = "x", .y_label = "y", .series = 8, .line = line }, &b);
    assert_svg_sound(b.p);
    for (const char *p = b.p; (p = strstr(p, "a rather long name</text>")) != NULL; p++) {
        const char *open = p;
        while (strncmp(open, "<text", 5) != 0) open--;
        assert_true(attribute(open, "x") + 6.4 * 18 < 380);
    }
    mp_buf_free(&b);
}

static void powers_of_ten_are_even_steps_of_a_logarithmic_axis(void **state)
{
    (void)state;
    static const double x[] = { 10, 100, 1000, 0, -5 }, y[] = { 1e-3, 1, 1e3, 5, 5 }, lo[] = { 0, 0.5, 500, 5, 5 };
    const mp_svg_series line = { "a", "#123456", false, true, 5, x, y, lo, y };
    mp_buf b = { 0 };
    mp_svg_chart(
        &(mp_svg_chart_spec){
            .x_label = "n", .y_label = "s", .log_x = true, .log_y = true, .series = 1, .line = &line },
        &b);
    assert_svg_sound(b.p);
    assert_int_equal(count(b.p, "<circle"), 3); /* 0 and -5 have no place */
    const char *at = strstr(b.p, "<circle");
    double cx[3], cy[3];
    for (int i = 0; i < 3; i++, at = strstr(at + 1, "<circle")) {
        cx[i] = attribute(at, "cx");
        cy[i] = attribute(at, "cy");
    }
    assert_true(fabs(cx[1] - cx[0] - (cx[2] - cx[1])) < 0.21 && cx[1] > cx[0] + 50);
    assert_true(fabs(cy[1] - cy[0] - (cy[2] - cy[1])) < 0.21 && cy[1] < cy[0] - 50);
    assert_has(b.p, ">0.001</text>");
    assert_has(b.p, ">100</text>");
    mp_buf_free(&b);
    static const double one[] = { 7 }, none[] = { 0 };
    for (int i = 0; i < 2; i++) {
        const mp_svg_series alone = { "a", "#123456", false, true, 1, i ? none : one, one, NULL, NULL };
        mp_svg_chart(
            &(mp_svg_chart_spec){
                .x_label = "n", .y_label = "s", .log_x = true, .log_y = true, .series = 1, .line = &alone },
            &b);
        assert_svg_sound(b.p);
        mp_buf_free(&b);
    }
}

static void csv_has_every_number_of_a_chart_in_full(void **state)
{
    (void)state;
    static const double x[] = { 1, 2 }, y[] = { 1.0 / 3, NONE }, lo[] = { 0.25, 0.125 }, hi[] = { 0.5, 8 };
    static const char *const label[] = { "seed 1", "seed, 2" };
    const mp_svg_series line[] = { { "train", "#123456", false, false, 2, x, y, lo, hi },
                                   { "no \"band\"", "#123456", false, false, 1, x, x, NULL, NULL } };
    const mp_svg_strip strip[] = { { "a", "#123456", 2, x, label }, { "none", "#654321", 0, NULL, NULL } };
    mp_buf b = { 0 };
    mp_svg_chart_csv(&(mp_svg_chart_spec){ .x_label = "epoch", .y_label = "loss", .series = 2, .line = line }, &b);
    mp_buf_puts(&b, "\n");
    mp_svg_dots_csv(&(mp_svg_dots_spec){ "t", "accuracy, %", 0, 3, 1, 2, strip }, &b);
    mp_buf_puts(&b, "\n");
    mp_svg_bars_csv(&bars_spec, &b);
    mp_buf_puts(&b, "\n");
    mp_svg_heat_csv(&heat_spec, &b);
    mp_buf_puts(&b, "\n");
    mp_svg_whiskers_csv(&whiskers_spec, &b);
    assert_string_equal(b.p, "series,epoch,loss,low,high\n"
                             "train,1,0.3333333333333333,0.25,0.5\ntrain,2,,0.125,8\n"
                             "\"no \"\"band\"\"\",1,1,,\n"
                             "\nrow,label,\"accuracy, %\"\na,seed 1,1\na,\"seed, 2\",2\n"
                             "\ngroup,series,points,deviation\nMUTAG,sag & co,5,1.5\nMUTAG,topk,1,\n"
                             "\"PTC <MR>, \"\"x\"\"\",sag & co,-2.5,2\n\"PTC <MR>, \"\"x\"\"\",topk,2,\n"
                             "DD,sag & co,,1\nDD,topk,3,\n"
                             "\ncolumns,drop,value\nh 1,0,70\nh 1,0.1,71.25\nh 1,<0.2>,\nh 5,0,72\nh 5,0.1,69.5\n"
                             "h 5,<0.2>,80\n"
                             "\ngroup,row,name,mean,deviation,paper,values\nMUTAG,sag,base,72,2,67.67,70 74 72\n"
                             "MUTAG,sag + MID,MID,75,,,\n<DD>,topk,base,,,72.12,\n");
    mp_buf_free(&b);
}

static void a_heat_map_is_as_wide_as_its_own_numbers(void **state)
{
    (void)state;
    static const double more[] = { 70, 71.25, NONE, 72, 69.5, 80, -1e300 };
    mp_svg_heat_spec wider = heat_spec;
    wider.value = more; /* with one behind its last */
    mp_buf b[2] = { { 0 }, { 0 } };
    mp_svg_heat(&heat_spec, &b[0]);
    mp_svg_heat(&wider, &b[1]);
    assert_string_equal(b[0].p, b[1].p);
    for (int i = 0; i < 2; i++) mp_buf_free(&b[i]);
}

static void charts_are_the_same_twice(void **state)
{
    (void)state;
    mp_buf b[2] = { { 0 }, { 0 } };
    for (int i = 0; i < 2; i++) {
        mp_svg_bars(&bars_spec, &b[i]);
        mp_svg_heat(&heat_spec, &b[i]);
        mp_svg_whiskers(&whiskers_spec, &b[i]);
    }
    assert_string_equal(b[0].p, b[1].p);
    mp_buf_free(&b[0]);
    mp_buf_free(&b[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_go_right_and_left_of_zero_and_missing_ones_are_left_out),
        cmocka_unit_test(one_series_needs_no_legend_and_no_group_is_a_picture_too),
        cmocka_unit_test(bars_of_nothing_but_zero_have_an_axis_that_can_be_read),
        cmocka_unit_test(a_long_list_of_long_names_grows_down_and_stays_inside),
        cmocka_unit_test(digits_of_a_heat_map_are_read_on_every_shade),
        cmocka_unit_test(shades_of_a_heat_map_say_more_or_less_or_on_which_side_of_zero),
        cmocka_unit_test(a_heat_map_has_a_number_in_each_cell_and_leaves_gaps_empty),
        cmocka_unit_test(a_row_has_its_mean_its_whisker_its_values_and_its_mark),
        cmocka_unit_test(a_chart_of_many_lines_has_a_legend_that_breaks_its_line),
        cmocka_unit_test(powers_of_ten_are_even_steps_of_a_logarithmic_axis),
        cmocka_unit_test(csv_has_every_number_of_a_chart_in_full),
        cmocka_unit_test(a_heat_map_is_as_wide_as_its_own_numbers),
        cmocka_unit_test(charts_are_the_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
