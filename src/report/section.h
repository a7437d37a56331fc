/* section.h - a part of a page: words, tables and figures in the order they were added. The same section makes HTML for the
 * page, plain text for the terminal and Markdown for documents.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SECTION_H
#define MP_SECTION_H

#include "report/html.h"

typedef enum mp_passage_kind {
    MP_PASSAGE_HEADING,
    MP_PASSAGE_PARA,
    MP_PASSAGE_NOTE,
    MP_PASSAGE_TABLE,
    MP_PASSAGE_PICTURE
} mp_passage_kind;

typedef struct mp_passage {
    mp_passage_kind kind;
    const char *text; /* of headings, paragraphs and notes */
    mp_table table;
    mp_picture picture;
} mp_passage;

typedef struct mp_section { /* zero-initialise, with an arena, a name and a title */
    mp_arena *arena;
    const char *name;  /* of its anchor on the page: "ablation" */
    const char *title; /* may be NULL */
    int pieces, room;
    mp_passage *piece;
} mp_section;

void mp_section_heading(mp_section *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mp_section_para(mp_section *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mp_section_note(mp_section *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mp_section_table(mp_section *s, const mp_table *t); /* its cells stay where they are */
/* Copies svg and csv into the arena; csv may be NULL. */
void mp_section_picture(mp_section *s, const char *title, const char *note, const mp_buf *svg, const mp_buf *csv);
void mp_section_figure(mp_section *s, const mp_picture *p); /* what it points at stays where it is */

void mp_section_html(const mp_section *s, mp_buf *out);
void mp_section_print(const mp_section *s, mp_buf *out);    /* pictures are left out */
void mp_section_markdown(const mp_section *s, mp_buf *out); /* likewise */

#endif
