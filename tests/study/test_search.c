/* test_search.c - points of a random search: the same on every machine, and spread as the range says.
 * SPDX-License-Identifier: MIT */
#include "conf/config.h"
#include "study/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { DRAWS = 2000 };

static mp_range range_of(const char *option, const char *from, const char *to, const char *scale)
{
    const char *part[] = { "from", "to", "scale" }, *value[] = { from, to, scale };
    mp_range r;
    assert_int_equal(mp_range_read(mp_conf_find(mp_config_table, option), part, value, 3, "here", &r), MP_OK);
    return r;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest distance between the draws and a uniform distribution on [0, 1] (Kolmogorov and Smirnov). */
static double distance(double *u, int n)
{
    double most = 0;
    qsort(u, (size_t)n, sizeof *u, by_number);
    for (int i = 0; i < n; i++) most = fmax(most, fmax((i + 1.0) / n - u[i], u[i] - (double)i / n));
    return most;
}

static void draws_are_frozen(void **state)
{
    (void)state;
    static const char *const lr[] = { "0.0008537", "0.0001052", "0.002766", "0.08004", "0.04608" };
    static const char *const hidden[] = { "7", "11", "27", "28", "4" };
    mp_range real = range_of("lr", "1e-4", "1e-1", "log"), whole = range_of("hidden", "4", "32", "log");
    char text[MP_DRAWN_SIZE];
    for (int i = 0; i < 5; i++) {
        mp_range_draw(&real, 0, "lr", i, text);
        assert_string_equal(text, lr[i]);
        mp_range_draw(&whole, 0, "hidden", i, text);
        assert_string_equal(text, hidden[i]);
    }
}

static void logarithms_are_uniform_where_the_scale_says_so(void **state)
{
    (void)state;
    static double u[DRAWS];
    char text[MP_DRAWN_SIZE];
    mp_range log_scale = range_of("lr", "1e-4", "1e-1", "log"), linear = range_of("dropout", "0", "0.5", "linear");
    for (int i = 0; i < DRAWS; i++) {
        mp_range_draw(&log_scale, 5, "lr", i, text);
        double v = strtod(text, NULL);
        assert_true(v >= 1e-4 && v <= 1e-1);
        u[i] = log(v / 1e-4) / log(1e3);
    }
    assert_true(distance(u, DRAWS) < 1.63 / sqrt(DRAWS)); /* one draw in a hundred would be further off */
    for (int i = 0; i < DRAWS; i++) {
        mp_range_draw(&linear, 5, "dropout", i, text);
        u[i] = strtod(text, NULL) / 0.5;
    }
    assert_true(distance(u, DRAWS) < 1.63 / sqrt(DRAWS));
}

static void whole_numbers_and_lists_have_all_values_equally_often(void **state)
{
    (void)state;
    mp_range r = range_of("layers", "1", "4", "linear");
    int count[4] = { 0 }, chosen[3] = { 0 };
    double square = 0;
    char text[MP_DRAWN_SIZE];
    for (int i = 0; i < DRAWS; i++) {
        mp_range_draw(&r, 1, "layers", i, text);
        assert_true(text[0] >= '1' && text[0] <= '4' && !text[1]);
        count[text[0] - '1']++;
        chosen[mp_list_draw(3, 1, "conv", i)]++;
    }
    for (int i = 0; i < 4; i++) square += (count[i] - DRAWS / 4.0) * (count[i] - DRAWS / 4.0) / (DRAWS / 4.0);
    assert_true(square < 11.34); /* 1 % of chi square with 3 degrees of freedom */
    square = 0;
    for (int i = 0; i < 3; i++) square += (chosen[i] - DRAWS / 3.0) * (chosen[i] - DRAWS / 3.0) / (DRAWS / 3.0);
    assert_true(square < 9.21);
}

static void a_draw_depends_on_its_option_its_number_and_the_seed_alone(void **state)
{
    (void)state;
    mp_range r = range_of("lr", "1e-4", "1e-1", "log");
    char one[MP_DRAWN_SIZE], other[MP_DRAWN_SIZE];
    mp_range_draw(&r, 0, "lr", 3, one);
    mp_range_draw(&r, 0, "lr", 3, other);
    assert_string_equal(one, other);
    mp_range_draw(&r, 1, "lr", 3, other);
    assert_string_not_equal(one, other);
    mp_range_draw(&r, 0, "weight-decay", 3, other);
    assert_string_not_equal(one, other);
}

static void ranges_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *option, *part[3], *value[3], *why;
        int n;
    } bad[] = {
        { "lr", { "from" }, { "1" }, "a range needs 'from' and 'to'", 1 },
        { "lr", { "from", "to" }, { "0.1", "0.01" }, "expected 'from' below 'to'", 2 },
        { "lr", { "from", "to", "scale" }, { "0", "0.1", "log" }, "scale log needs 'from' above 0", 3 },
        { "lr", { "from", "to", "scale" }, { "0.01", "0.1", "cubic" }, "expected linear or log", 3 },
        { "lr", { "from", "upto" }, { "0.01", "0.1" }, "'upto': a range has", 2 },
        { "lr", { "from", "to" }, { "0.01", "much" }, "to: expected a number, got 'much'", 2 },
        { "hidden", { "from", "to" }, { "1.5", "4" }, "expected whole numbers", 2 },
        { "hidden", { "from", "to" }, { "1", "1000000" }, "expected a range within 1 to 4096", 2 },
        { "conv", { "from", "to" }, { "1", "2" }, "a range is for numbers", 2 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mp_range r;
        const mp_opt *o = mp_conf_find(mp_config_table, bad[i].option);
        assert_int_equal(mp_range_read(o, bad[i].part, bad[i].value, bad[i].n, "f.yaml:3: x", &r), MP_ERR_USAGE);
        assert_non_null(strstr(mp_message(), bad[i].why));
        assert_int_equal(strncmp(mp_message(), "f.yaml:3: x", 11), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_frozen),
        cmocka_unit_test(logarithms_are_uniform_where_the_scale_says_so),
        cmocka_unit_test(whole_numbers_and_lists_have_all_values_equally_often),
        cmocka_unit_test(a_draw_depends_on_its_option_its_number_and_the_seed_alone),
        cmocka_unit_test(ranges_that_mean_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
