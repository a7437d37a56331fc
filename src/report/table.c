/* table.c - see table.h.
 * SPDX-License-Identifier: MIT */
#include "report/table.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

#define MOST_COLUMNS 64

void mp_table_init(mp_table *t, mp_arena *a, const char *title, const char *const *header)
{
    *t = (mp_table){ .title = title, .header = header, .arena = a };
    while (header[t->columns]) t->columns++;
    mp_assert(t->columns >= 1 && t->columns <= MOST_COLUMNS);
}

void mp_table_add(mp_table *t, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    mp_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    if (t->cells == t->room) {
        t->room = mp_room(t->room, (int64_t)t->cells + 1, 64, "cells of a table");
        MP_MORE(t->arena, t->cell, t->cells, t->room);
    }
    t->cell[t->cells++] = mp_arena_text(t->arena, text, strlen(text));
}

int mp_table_rows(const mp_table *t)
{
    return t->cells / t->columns;
}

const char *mp_table_cell(const mp_table *t, int row, int column)
{
    return t->cell[row * t->columns + column];
}

static bool is_empty(const mp_table *t, int column)
{
    for (int r = 0; r < mp_table_rows(t); r++)
        if (strcmp(mp_table_cell(t, r, column), "-") != 0) return false;
    return true;
}

void mp_table_without_empty(const mp_table *from, int first, mp_table *out)
{
    const char **header = MP_NEW(from->arena, const char *, from->columns + 1);
    int keep[MOST_COLUMNS], n = 0;
    for (int c = 0; c < from->columns; c++)
        if (c < first || !is_empty(from, c)) keep[n++] = c;
    for (int i = 0; i < n; i++) header[i] = from->header[keep[i]];
    mp_table_init(out, from->arena, from->title, header);
    out->note = from->note;
    for (int r = 0; r < mp_table_rows(from); r++)
        for (int i = 0; i < n; i++) mp_table_add(out, "%s", mp_table_cell(from, r, keep[i]));
}

static bool looks_like_number(const char *s)
{
    if (strcmp(s, "") == 0 || strcmp(s, "-") == 0) return true;
    if (*s == '+' || *s == '-') s++;
    return *s >= '0' && *s <= '9';
}

bool mp_table_is_number(const mp_table *t, int column)
{
    for (int r = 0; r < mp_table_rows(t); r++)
        if (!looks_like_number(mp_table_cell(t, r, column))) return false;
    return true;
}

int mp_text_width(const char *s)
{
    int width = 0;
    for (size_t left = strlen(s); left > 0; width++) {
        int n = mp_utf8_length(s, left);
        size_t step = n ? (size_t)n : 1;
        s += step;
        left -= step;
    }
    return width;
}

static void put_spaces(mp_buf *b, int n)
{
    for (; n > 0; n--) mp_buf_add(b, " ", 1);
}

static void put_cell(mp_buf *b, const char *s, int width, bool right, bool last)
{
    int gap = width - mp_text_width(s);
    if (right) put_spaces(b, gap);
    mp_buf_puts(b, s);
    mp_clean(b->p + b->n - strlen(s), strlen(s), false); /* a line end would break the table */
    if (!right && !last) put_spaces(b, gap);
    mp_buf_puts(b, last ? "\n" : "  ");
}

void mp_table_print(const mp_table *t, mp_buf *out)
{
    int rows = mp_table_rows(t), width[MOST_COLUMNS];
    bool right[MOST_COLUMNS];
    if (rows == 0) return;
    for (int c = 0; c < t->columns; c++) {
        right[c] = mp_table_is_number(t, c);
        width[c] = mp_text_width(t->header[c]);
        for (int r = 0; r < rows; r++) {
            int w = mp_text_width(mp_table_cell(t, r, c));
            if (w > width[c]) width[c] = w;
        }
    }
    if (t->title) mp_buf_printf(out, "%s\n", t->title);
    for (int c = 0; c < t->columns; c++) put_cell(out, t->header[c], width[c], right[c], c == t->columns - 1);
    for (int c = 0; c < t->columns; c++) {
        for (int i = 0; i < width[c]; i++) mp_buf_add(out, "-", 1);
        mp_buf_puts(out, c == t->columns - 1 ? "\n" : "  ");
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < t->columns; c++)
            put_cell(out, mp_table_cell(t, r, c), width[c], right[c], c == t->columns - 1);
    if (t->note) mp_buf_printf(out, "%s\n", t->note);
}
