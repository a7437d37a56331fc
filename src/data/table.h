/* table.h - tables of numbers as text, a row a line, commas between: labels, attributes, targets. Every failure names file and line.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TABLE_H
#define MP_TABLE_H

#include "base/real.h"
#include "data/raw.h"
#include "data/scan.h"

typedef struct mp_table {
    mp_span text;     /* cut behind its last line */
    size_t tail;      /* bytes of empty lines behind that */
    const char *file; /* opens messages */
    int lines;
    int64_t before; /* lines of the file before the text */
} mp_table;

/* Fails when there are too many lines to count. */
MP_MUST mp_err mp_table_open(mp_span text, const char *file, int64_t before, mp_table *out);

/* Its lines must be n, one for each of these things. */
MP_MUST mp_err mp_table_need(const mp_table *t, int n, const char *things);

mp_scan mp_table_scan(const mp_table *t);

/* The line that is read next has one whole number. */
MP_MUST mp_err mp_table_int(mp_scan *s, int64_t *v);

/* Fields of the first line: what all others must have. */
int mp_table_columns(mp_span text);

/* Whether nothing but whole numbers can be in it. */
bool mp_table_is_whole(const mp_table *t);

/* Labels of column k are min[k] .. min[k] + count[k] - 1, where the table has so many columns; min NULL: from 0. */
typedef struct mp_label_range {
    int columns;
    const int *min, *count;
} mp_label_range;

/* Whole numbers, lines x columns. `range` NULL: any that fit an int. */
MP_MUST mp_err mp_table_labels(const mp_table *t, const mp_label_range *range, mp_arena *a, const int **out,
                               int *columns);

/* Numbers, zeros left out. */
MP_MUST mp_err mp_table_attributes(const mp_table *t, mp_arena *a, mp_sparse *out);

/* A row for each of n graphs; an empty field or "nan" is NaN. An empty line is a row of one missing number, at the end too. */
MP_MUST mp_err mp_table_targets(const mp_table *t, int n, mp_arena *a, const double **out, int *columns);

/* ---- written: a row and a line end; `between` stands between two numbers ---- */

void mp_put_int(mp_buf *b, int64_t v);  /* the number alone */
void mp_put_line(mp_buf *b, int64_t v); /* and a line end   */
void mp_put_labels(mp_buf *b, const int *row, int columns, const char *between);
void mp_put_attributes(mp_buf *b, const mp_sparse *x, int row, const char *between);
void mp_put_target(mp_buf *b, double v, const char *missing); /* the number alone; NaN is `missing` */
void mp_put_targets(mp_buf *b, const double *row, int columns, const char *between);

#endif
