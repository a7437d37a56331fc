/* html.h - pieces of a self-contained HTML page. Text from outside goes through mp_html_text, always.
 *
 * page.css and page.js are part of every page: light and dark, tables that sort and filter, figures and tables as files to take
 * away. Without scripts a page still has all it says.
 * SPDX-License-Identifier: MIT */
#ifndef MP_HTML_H
#define MP_HTML_H

#include "report/table.h"

/* Escaped for elements and quoted attributes of HTML and SVG. Bytes that are not UTF-8 and control
 * characters become U+FFFD. */
void mp_html_text(mp_buf *b, const char *s);

typedef struct mp_html_entry { /* of the contents */
    const char *id, *title;
} mp_html_entry;

/* Everything up to and with <main>, styles included: the title, and links to the entries where there are several. Then the end,
 * with the script. Nothing is loaded from anywhere. */
void mp_html_begin(mp_buf *b, const char *title, const char *subtitle, const mp_html_entry *entry, int entries);
void mp_html_end(mp_buf *b);

/* A part of a page that the contents link to, with its heading. */
void mp_html_section_begin(mp_buf *b, const char *id, const char *title);
void mp_html_section_end(mp_buf *b);

void mp_html_heading(mp_buf *b, int level, const char *text); /* h2, h3 */
void mp_html_para(mp_buf *b, const char *text);
void mp_html_note(mp_buf *b, const char *text); /* small print */

/* Folded away under a line, until the end. */
void mp_html_fold_begin(mp_buf *b, const char *line);
void mp_html_fold_end(mp_buf *b);

/* Columns behind the first that have the same in every row are left out of a table of some width, and said in a line below it. */
void mp_html_table(mp_buf *b, const mp_table *t);

typedef struct mp_picture {
    const char *title, *note; /* note may be NULL */
    const char *svg;          /* markup of svg.h, not escaped */
    const char *csv;          /* what it shows, as a table to take away; NULL: none */
    /* Instead of svg: a picture for each level of pooling and column of scores, shown one at a time. */
    int levels, columns;
    const char *const *frame;       /* levels x columns, level by level: markup */
    const char *const *column_name; /* columns */
} mp_picture;

/* Figures in a grid; those beyond a dozen are folded away. Begin with a zeroed struct that has `out`. */
typedef struct mp_html_grid {
    mp_buf *out;
    int shown;
} mp_html_grid;
void mp_html_grid_add(mp_html_grid *g, const mp_picture *p);
void mp_html_grid_end(mp_html_grid *g);

#endif
