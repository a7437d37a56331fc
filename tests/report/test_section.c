/* test_section.c - a section as a page, as plain text and as Markdown.
 * SPDX-License-Identifier: MIT */
#include "sound.h"
#include "report/section.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static mp_section sample(mp_arena *a)
{
    static const char *const header[] = { "model|all", "test", NULL };
    mp_section s = { .arena = a, .name = "sample", .title = "A <sample>" };
    mp_table t;
    mp_buf svg = { 0 };
    mp_table_init(&t, a, "Numbers", header);
    mp_table_add(&t, "sag | base");
    mp_table_add(&t, "%.1f", 70.25);
    mp_section_heading(&s, "Part %d", 1);
    mp_section_para(&s, "Words with 3 < 4.");
    mp_section_table(&s, &t);
    mp_buf_puts(&svg, "<svg></svg>");
    mp_section_picture(&s, "First", NULL, &svg, NULL);
    mp_section_picture(&s, "Second", "small", &svg, &svg);
    mp_buf_free(&svg);
    mp_section_note(&s, "The end.");
    return s;
}

static void a_page_has_all_pieces_in_order_and_pictures_share_a_grid(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 12);
    mp_section s = sample(a);
    mp_buf b = { 0 };
    mp_section_html(&s, &b);
    const char *order[] = { "<section id=\"sample\">",
                            "A &lt;sample&gt;",
                            "Part 1",
                            "3 &lt; 4",
                            "sag | base",
                            "class=\"pictures\"",
                            "First",
                            "Second",
                            "The end.",
                            "</section>" };
    const char *at = b.p;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        at = strstr(at, order[i]);
        if (!at) fail_msg("no '%s' behind what comes before it", order[i]);
    }
    assert_int_equal(count(b.p, "class=\"pictures\""), 1);
    assert_int_equal(count(b.p, "<svg>"), 2);
    mp_buf_free(&b);
    mp_arena_free(a);
}

static void plain_text_and_markdown_have_the_same_numbers(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 12);
    mp_section s = sample(a);
    mp_buf text = { 0 }, marks = { 0 };
    mp_section_print(&s, &text);
    mp_section_markdown(&s, &marks);
    assert_non_null(strstr(text.p, "sag | base  70.2"));
    assert_non_null(strstr(marks.p, "## A <sample>\n\n### Part 1\n\nWords with 3 < 4.\n\n**Numbers**\n\n"
                                    "| model\\|all | test |\n| --- | ---: |\n| sag \\| base | 70.2 |\n\nThe end.\n\n"));
    mp_buf_free(&text);
    mp_buf_free(&marks);
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_all_pieces_in_order_and_pictures_share_a_grid),
        cmocka_unit_test(plain_text_and_markdown_have_the_same_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
