/* html.c - see html.h.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

enum {
    DOZEN = 12,
    LONG_TABLE = 30,
    WIDE_TABLE = 5,
    WIDE_TEXT = 40,
    BROAD_PICTURE = 440,
    FULL_PICTURE = 780,
    MOST_COLUMNS = 64
};

static const char *const style[] = {
#include "report/page_css.h"
};

static const char *const script[] = {
#include "report/page_js.h"
};

static void put_lines(mp_buf *b, const char *const *line, size_t n)
{
    for (size_t i = 0; i < n; i++) mp_buf_puts(b, line[i]);
}

static const char *entity(char ch)
{
    switch (ch) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    }
    return NULL;
}

static bool printable(const char *p, int n)
{
    return n > 1 || (n == 1 && (((unsigned char)*p >= 0x20 && *p != 0x7F) || *p == '\n' || *p == '\t'));
}

void mp_html_text(mp_buf *b, const char *s)
{
    for (size_t left = strlen(s); left > 0;) {
        int n = mp_utf8_length(s, left);
        const char *e = entity(*s);
        if (e)
            mp_buf_puts(b, e);
        else if (printable(s, n))
            mp_buf_add(b, s, (size_t)n);
        else
            mp_buf_puts(b, "\xEF\xBF\xBD");
        size_t step = n ? (size_t)n : 1;
        s += step;
        left -= step;
    }
}

static void element(mp_buf *b, const char *open, const char *text, const char *close)
{
    mp_buf_puts(b, open);
    mp_html_text(b, text);
    mp_buf_puts(b, close);
}

static void put_contents(mp_buf *b, const mp_html_entry *entry, int n)
{
    if (n < 2) return;
    mp_buf_puts(b, "<nav aria-label=\"Contents\"><ul>\n");
    for (int i = 0; i < n; i++) {
        element(b, "<li><a href=\"#", entry[i].id, "\">");
        element(b, "", entry[i].title, "</a></li>\n");
    }
    mp_buf_puts(b, "</ul></nav>\n");
}

/* The policy lets the page's own style and script work, and nothing be fetched or sent. */
void mp_html_begin(mp_buf *b, const char *title, const char *subtitle, const mp_html_entry *entry, int entries)
{
    element(b,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'\">\n<title>",
            title, "</title>\n");
    mp_buf_puts(b, "<style>\n");
    put_lines(b, style, sizeof style / sizeof *style);
    mp_buf_puts(b,
                "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n");
    element(b, "<h1>", title, "</h1>\n");
    if (subtitle) element(b, "<p class=\"sub\">", subtitle, "</p>\n");
    mp_buf_puts(b, "</header>\n");
    put_contents(b, entry, entries);
    mp_buf_puts(b, "<main id=\"content\">\n");
}

void mp_html_end(mp_buf *b)
{
    mp_buf_puts(b, "</main>\n<script>\n");
    put_lines(b, script, sizeof script / sizeof *script);
    mp_buf_puts(b, "</script>\n</body>\n</html>\n");
}

void mp_html_section_begin(mp_buf *b, const char *id, const char *title)
{
    element(b, "<section id=\"", id, "\">\n");
    mp_html_heading(b, 2, title);
}

void mp_html_section_end(mp_buf *b)
{
    mp_buf_puts(b, "</section>\n");
}

void mp_html_heading(mp_buf *b, int level, const char *text)
{
    element(b, level == 2 ? "<h2>" : "<h3>", text, level == 2 ? "</h2>\n" : "</h3>\n");
}

void mp_html_para(mp_buf *b, const char *text)
{
    element(b, "<p>", text, "</p>\n");
}

void mp_html_note(mp_buf *b, const char *text)
{
    element(b, "<p class=\"note\">", text, "</p>\n");
}

void mp_html_fold_begin(mp_buf *b, const char *line)
{
    element(b, "<details><summary>", line, "</summary>\n");
}

void mp_html_fold_end(mp_buf *b)
{
    mp_buf_puts(b, "</details>\n");
}

/* ---------------------------------------------------------------- tables */

/* A column of long texts may break its lines. */
static const char *cell_class(const mp_table *t, int column)
{
    if (mp_table_is_number(t, column)) return column + 1 == t->lead ? " class=\"num lead\"" : " class=\"num\"";
    for (int r = 0; r < mp_table_rows(t); r++)
        if (mp_text_width(mp_table_cell(t, r, column)) > WIDE_TEXT) return " class=\"wide\"";
    return "";
}

static bool is_constant(const mp_table *t, int column)
{
    int rows = mp_table_rows(t);
    if (t->columns < WIDE_TABLE || rows < 2 || column == 0 || column + 1 == t->lead) return false;
    if (column + 1 == t->keep) return false;
    for (int r = 1; r < rows; r++)
        if (strcmp(mp_table_cell(t, r, column), mp_table_cell(t, 0, column)) != 0) return false;
    return true;
}

/* "In every row: seeds x folds 1 x 10; missing 0." */
static void say_constant(mp_buf *b, const mp_table *t, const bool *hidden)
{
    int said = 0;
    for (int c = 0; c < t->columns; c++) {
        if (!hidden[c]) continue;
        element(b, said++ ? "; " : "<p class=\"note\">In every row: ", t->header[c], " ");
        mp_html_text(b, mp_table_cell(t, 0, c));
    }
    if (said) mp_buf_puts(b, ".</p>\n");
}

void mp_html_table(mp_buf *b, const mp_table *t)
{
    int rows = mp_table_rows(t);
    const char *title = t->title ? t->title : t->name ? t->name : "Table", *class_of[MOST_COLUMNS];
    bool hidden[MOST_COLUMNS];
    mp_assert(t->columns <= MOST_COLUMNS);
    for (int c = 0; c < t->columns; c++) {
        hidden[c] = is_constant(t, c);
        class_of[c] = cell_class(t, c);
    }
    if (t->title) mp_html_heading(b, 3, t->title);
    mp_buf_printf(b, "<div class=\"scroll%s\" tabindex=\"0\" role=\"region\" data-title=\"",
                  rows > LONG_TABLE ? " long" : "");
    element(b, "", title, "\" aria-label=\"");
    element(b, "", title, ": table, scrolls where it is large\"><table>\n<thead><tr>");
    for (int c = 0; c < t->columns; c++) {
        if (hidden[c]) continue;
        mp_buf_puts(b, mp_table_is_number(t, c) ? "<th scope=\"col\" class=\"num\">" : "<th scope=\"col\">");
        element(b, "", t->header[c], "</th>");
    }
    mp_buf_puts(b, "</tr></thead>\n<tbody>\n");
    for (int r = 0; r < rows; r++) {
        mp_buf_puts(b, "<tr>");
        for (int c = 0; c < t->columns; c++) {
            if (hidden[c]) continue;
            mp_buf_printf(b, "<td%s>", class_of[c]);
            element(b, "", mp_table_cell(t, r, c), "</td>");
        }
        mp_buf_puts(b, "</tr>\n");
    }
    mp_buf_puts(b, "</tbody>\n</table></div>\n");
    say_constant(b, t, hidden);
    if (t->note) mp_html_note(b, t->note);
}

/* ---------------------------------------------------------------- figures */

/* Of markup of svg.h, which says it first. */
static int width_of(const char *svg)
{
    const char *at = svg ? strstr(svg, "width=\"") : NULL;
    return at ? atoi(at + 7) : 0;
}

static void put_plot(mp_buf *b, const mp_picture *p, const char *svg, bool frame)
{
    mp_buf_puts(b, frame ? "<div class=\"plot frame\"" : "<div class=\"plot\"");
    if (width_of(svg) > BROAD_PICTURE)
        element(b, " tabindex=\"0\" role=\"group\" aria-label=\"", p->title, ", scrolls where it is wide\"");
    mp_buf_puts(b, ">");
    mp_buf_puts(b, svg);
    mp_buf_puts(b, "</div>\n");
}

static void put_figure(mp_buf *b, const mp_picture *p)
{
    int width = width_of(p->frame ? p->frame[0] : p->svg);
    mp_buf_puts(b, p->frame                ? "<figure class=\"levels\""
                   : width > FULL_PICTURE  ? "<figure class=\"full\""
                   : width > BROAD_PICTURE ? "<figure class=\"broad\""
                                           : "<figure");
    element(b, " data-title=\"", p->title, "\"");
    if (p->csv) element(b, " data-csv=\"", p->csv, "\"");
    if (p->frame) mp_buf_puts(b, " data-columns=\"");
    for (int c = 0; p->frame && c < p->columns; c++) element(b, c ? "|" : "", p->column_name[c], "");
    element(b, p->frame ? "\"><figcaption>" : "><figcaption>", p->title, "");
    if (p->note) element(b, "<span>", p->note, "</span>");
    mp_buf_puts(b, "</figcaption>\n");
    if (p->frame) mp_buf_puts(b, "<div class=\"frames\">\n");
    for (int i = 0; p->frame && i < p->levels * p->columns; i++) put_plot(b, p, p->frame[i], true);
    if (p->frame)
        mp_buf_puts(b, "</div>\n");
    else
        put_plot(b, p, p->svg, false);
    mp_buf_puts(b, "</figure>\n");
}

void mp_html_grid_add(mp_html_grid *g, const mp_picture *p)
{
    if (g->shown == DOZEN) {
        mp_buf_puts(g->out, "</div>\n");
        mp_html_fold_begin(g->out, "More figures");
    }
    if (g->shown == 0 || g->shown == DOZEN) mp_buf_puts(g->out, "<div class=\"pictures\">\n");
    put_figure(g->out, p);
    g->shown++;
}

void mp_html_grid_end(mp_html_grid *g)
{
    if (g->shown) mp_buf_puts(g->out, "</div>\n");
    if (g->shown > DOZEN) mp_html_fold_end(g->out);
    g->shown = 0;
}
