/* html.h - pieces of a self-contained HTML page. Text from outside goes through mp_html_text, always.
 * SPDX-License-Identifier: MIT */
#ifndef MP_HTML_H
#define MP_HTML_H

#include "report/table.h"

/* Escaped for elements and quoted attributes of HTML and SVG. Bytes that are not UTF-8 and control
 * characters become U+FFFD. */
void mp_html_text(mp_buf *b, const char *s);

/* Everything up to and with <body><main>, styles included; and the end. Nothing is loaded from anywhere. */
void mp_html_begin(mp_buf *b, const char *title, const char *subtitle);
void mp_html_end(mp_buf *b);

void mp_html_heading(mp_buf *b, int level, const char *text); /* h2, h3 */
void mp_html_para(mp_buf *b, const char *text);
void mp_html_note(mp_buf *b, const char *text); /* small print */
void mp_html_table(mp_buf *b, const mp_table *t);

/* A picture with its caption. `svg` is markup of svg.h and is not escaped. */
void mp_html_picture(mp_buf *b, const char *title, const char *note, const char *svg);

#endif
