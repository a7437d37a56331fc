/* test_svg_ranks.c - critical-difference diagrams can be read, however many methods they have.
 * SPDX-License-Identifier: MIT */
#include "report/svg.h"
#include "sound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static mp_arena *arena;
static const char *const pools[] = { "asap", "gsa", "sag", "topk" };

static double attribute(const char *at, const char *name)
{
    char mark[16];
    snprintf(mark, sizeof mark, " %s=\"", name);
    const char *p = strstr(at, mark);
    assert_non_null(p);
    return strtod(p + strlen(mark), NULL);
}

enum { MANY = 20 };
typedef struct box {
    double left, right, top, bottom;
} box;

static bool apart(const box *x, const box *y)
{
    return x->right <= y->left || y->right <= x->left || x->bottom <= y->top || y->bottom <= x->top;
}

/* Names, their ranks and bars; letters are at most 6.4 wide and 11 high. */
static void twenty_methods_with_long_names_do_not_overlap(void **state)
{
    (void)state;
    const char *name[MANY];
    double rank[MANY];
    int from[] = { 0, 4, 9 }, to[] = { 6, 12, 19 };
    for (int i = 0; i < MANY; i++) {
        name[i] = mp_arena_printf(arena, "%s<%d> + MID, no flip, lr 0.00%d, hidden %d, weight-decay 0.%d", pools[i % 4],
                                  i, i, 64 * i, i);
        rank[i] = 1 + 0.9 * i + (i % 3 == 0 ? 0.05 : 0);
    }
    mp_svg_ranks_spec spec = { "Ranks", MANY, name, rank, 6.2, 3, from, to };
    mp_buf b = { 0 };
    mp_svg_ranks(&spec, &b);
    assert_svg_sound(b.p);
    double width = attribute(b.p, "width"), height = attribute(b.p, "height");
    box all[2 * MANY + 64];
    int n = 0;
    for (const char *p = b.p; (p = strstr(p, "<text ")) != NULL; p++) {
        const char *text = strchr(p, '>') + 1, *end = strstr(text, "</text>"),
                   *tag = mp_arena_text(arena, p, (size_t)(text - p));
        double letters = 0;
        for (const char *k = text; k < end; k++)
            if (*k == '&')
                k = strchr(k, ';'), letters++;
            else
                letters += (*k & 0xC0) != 0x80;
        double wide = 6.4 * letters, x = attribute(tag, "x"), y = attribute(tag, "y");
        bool ends = strstr(tag, "\"end\"") != NULL, middle = y == 47 /* numbers of the axis, in a group */;
        double left = ends ? x - wide : middle ? x - wide / 2 : x;
        all[n++] = (box){ left, left + wide, y - 9, y + 2 };
    }
    assert_int_equal(n, 2 * MANY + 1);
    for (int i = 0; i < n; i++) {
        if (!(all[i].left >= 0 && all[i].right <= width && all[i].top >= 0 && all[i].bottom <= height))
            fail_msg("text %d is not within the picture: %g to %g of %g", i, all[i].left, all[i].right, width);
        for (int k = 0; k < i; k++)
            if (!apart(&all[i], &all[k])) fail_msg("texts %d and %d overlap", k, i);
    }
    assert_int_equal(count(b.p, "<title>"), MANY);
    assert_non_null(strstr(b.p, "aria-label=\"Ranks. asap&lt;0&gt; + MID"));
    assert_non_null(strstr(b.p, "Critical difference 6.20. Not told apart: asap&lt;0&gt;"));
    assert_null(strstr(b.p, "fill=\"#000"));
    mp_buf_free(&b);
    mp_svg_ranks_csv(&spec, &b);
    assert_int_equal(count(b.p, "\n"), MANY + 1);
    mp_buf_free(&b);
}

static void two_methods_and_a_distance_beyond_the_axis_are_a_picture_too(void **state)
{
    (void)state;
    mp_svg_ranks_spec spec = { "Ranks",
                               2,
                               (const char *const[]){ "a", "b" },
                               (const double[]){ 1.2, 1.8 },
                               3.5,
                               1,
                               (const int[]){ 0 },
                               (const int[]){ 1 } };
    mp_buf b = { 0 };
    mp_svg_ranks(&spec, &b);
    assert_svg_sound(b.p);
    assert_non_null(strstr(b.p, "critical difference 3.50, longer than the axis"));
    mp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_methods_with_long_names_do_not_overlap),
        cmocka_unit_test(two_methods_and_a_distance_beyond_the_axis_are_a_picture_too),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed;
}
