/* section.c - see section.h.
 * SPDX-License-Identifier: MIT */
#include "report/section.h"

#include <stdarg.h>
#include <string.h>

static mp_passage *add(mp_section *s, mp_passage_kind kind)
{
    if (s->pieces == s->room) {
        s->room = mp_room(s->room, (int64_t)s->pieces + 1, 16, "pieces of a section");
        MP_MORE(s->arena, s->piece, s->pieces, s->room);
    }
    mp_passage *p = &s->piece[s->pieces++];
    *p = (mp_passage){ .kind = kind };
    return p;
}

#define TEXT(name, kind)                                                                                               \
    void mp_section_##name(mp_section *s, const char *fmt, ...)                                                        \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        va_start(args, fmt);                                                                                           \
        add(s, kind)->text = mp_arena_vprintf(s->arena, fmt, args);                                                    \
        va_end(args);                                                                                                  \
    }
TEXT(heading, MP_PASSAGE_HEADING)
TEXT(para, MP_PASSAGE_PARA)
TEXT(note, MP_PASSAGE_NOTE)

void mp_section_table(mp_section *s, const mp_table *t)
{
    add(s, MP_PASSAGE_TABLE)->table = *t;
}

void mp_section_picture(mp_section *s, const char *title, const char *note, const mp_buf *svg, const mp_buf *csv)
{
    add(s, MP_PASSAGE_PICTURE)->picture =
        (mp_picture){ .title = mp_arena_text(s->arena, title, strlen(title)),
                      .note = note ? mp_arena_text(s->arena, note, strlen(note)) : NULL,
                      .svg = mp_arena_text(s->arena, svg->p, svg->n),
                      .csv = csv ? mp_arena_text(s->arena, csv->p, csv->n) : NULL };
}

void mp_section_figure(mp_section *s, const mp_picture *p)
{
    add(s, MP_PASSAGE_PICTURE)->picture = *p;
}

/* ---------------------------------------------------------------- HTML */

/* Pictures that follow one another lie in one grid. */
static void html_pictures(const mp_section *s, int *at, mp_buf *out)
{
    mp_html_grid grid = { .out = out };
    for (; *at < s->pieces && s->piece[*at].kind == MP_PASSAGE_PICTURE; (*at)++)
        mp_html_grid_add(&grid, &s->piece[*at].picture);
    mp_html_grid_end(&grid);
    (*at)--;
}

void mp_section_html(const mp_section *s, mp_buf *out)
{
    mp_html_section_begin(out, s->name, s->title ? s->title : s->name);
    for (int i = 0; i < s->pieces; i++) {
        const mp_passage *p = &s->piece[i];
        switch (p->kind) {
        case MP_PASSAGE_HEADING:
            mp_html_heading(out, 3, p->text);
            break;
        case MP_PASSAGE_PARA:
            mp_html_para(out, p->text);
            break;
        case MP_PASSAGE_NOTE:
            mp_html_note(out, p->text);
            break;
        case MP_PASSAGE_TABLE:
            mp_html_table(out, &p->table);
            break;
        case MP_PASSAGE_PICTURE:
            html_pictures(s, &i, out);
            break;
        }
    }
    mp_html_section_end(out);
}

/* ---------------------------------------------------------------- plain text */

void mp_section_print(const mp_section *s, mp_buf *out)
{
    if (s->title) mp_buf_printf(out, "%s\n\n", s->title);
    for (int i = 0; i < s->pieces; i++) {
        const mp_passage *p = &s->piece[i];
        switch (p->kind) {
        case MP_PASSAGE_HEADING:
        case MP_PASSAGE_PARA:
        case MP_PASSAGE_NOTE:
            mp_buf_printf(out, "%s\n\n", p->text);
            break;
        case MP_PASSAGE_TABLE:
            mp_table_print(&p->table, out);
            mp_buf_puts(out, "\n");
            break;
        case MP_PASSAGE_PICTURE:
            break;
        }
    }
}

/* ---------------------------------------------------------------- Markdown */

static void markdown_cell(const char *text, mp_buf *out)
{
    for (; *text; text++) {
        if (*text == '|') mp_buf_puts(out, "\\");
        mp_buf_add(out, text, 1);
    }
}

static void markdown_table(const mp_table *t, mp_buf *out)
{
    if (!mp_table_rows(t)) return;
    if (t->title) mp_buf_printf(out, "**%s**\n\n", t->title);
    for (int c = 0; c < t->columns; c++) {
        mp_buf_puts(out, "| ");
        markdown_cell(t->header[c], out);
        mp_buf_puts(out, " ");
    }
    mp_buf_puts(out, "|\n");
    for (int c = 0; c < t->columns; c++) mp_buf_puts(out, mp_table_is_number(t, c) ? "| ---: " : "| --- ");
    mp_buf_puts(out, "|\n");
    for (int r = 0; r < mp_table_rows(t); r++) {
        for (int c = 0; c < t->columns; c++) {
            mp_buf_puts(out, "| ");
            markdown_cell(mp_table_cell(t, r, c), out);
            mp_buf_puts(out, " ");
        }
        mp_buf_puts(out, "|\n");
    }
    mp_buf_puts(out, "\n");
    if (t->note) mp_buf_printf(out, "%s\n\n", t->note);
}

void mp_section_markdown(const mp_section *s, mp_buf *out)
{
    if (s->title) mp_buf_printf(out, "## %s\n\n", s->title);
    for (int i = 0; i < s->pieces; i++) {
        const mp_passage *p = &s->piece[i];
        switch (p->kind) {
        case MP_PASSAGE_HEADING:
            mp_buf_printf(out, "### %s\n\n", p->text);
            break;
        case MP_PASSAGE_PARA:
        case MP_PASSAGE_NOTE:
            mp_buf_printf(out, "%s\n\n", p->text);
            break;
        case MP_PASSAGE_TABLE:
            markdown_table(&p->table, out);
            break;
        case MP_PASSAGE_PICTURE:
            break;
        }
    }
}
