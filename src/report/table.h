/* table.h - a table of texts: filled cell by cell, printed as aligned plain text; html.h prints it as HTML.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TABLE_H
#define MP_TABLE_H

#include "base/text.h"

typedef struct mp_table {
    const char *title, *note;  /* may be NULL */
    const char *name;          /* what a page calls it where it has no title; may be NULL */
    int columns, cells;        /* cells: filled so far, row by row */
    int lead;                  /* the column to stand out in HTML, from 1; 0: none */
    int keep;                  /* a column that HTML shows though it says the same in every row, from 1; 0: none */
    const char *const *header; /* columns */
    const char **cell;
    int room;
    mp_arena *arena;
} mp_table;

/* `header` is NULL-ended and stays with the caller. */
void mp_table_init(mp_table *t, mp_arena *a, const char *title, const char *const *header);

/* The next cell, left to right, row after row. */
void mp_table_add(mp_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int mp_table_rows(const mp_table *t);
const char *mp_table_cell(const mp_table *t, int row, int column);

/* The same without the columns that have a dash in every row; the first `first` stay. */
void mp_table_without_empty(const mp_table *from, int first, mp_table *out);

/* Whether a column holds numbers: every cell begins like one or is a dash. Such columns are set flush
 * right. */
bool mp_table_is_number(const mp_table *t, int column);

/* Title, header, a rule, the rows. Nothing at all when there are no rows. */
void mp_table_print(const mp_table *t, mp_buf *out);

/* Characters of a UTF-8 text. */
int mp_text_width(const char *s);

#endif
