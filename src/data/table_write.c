/* table_write.c - rows of numbers as text. See table.h.
 * SPDX-License-Identifier: MIT */
#include "data/table.h"

#include <math.h>

/* printf is too slow for millions of edges. */
void mp_put_int(mp_buf *b, int64_t v)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do digits[--at] = (char)('0' + size % 10);
    while ((size /= 10) != 0);
    if (v < 0) digits[--at] = '-';
    mp_buf_add(b, digits + at, sizeof digits - at);
}

void mp_put_line(mp_buf *b, int64_t v)
{
    mp_put_int(b, v);
    mp_buf_add(b, "\n", 1);
}

/* A stored value is one mp_real: nine digits bring a float back, mp_real_text a double. */
static void put_real(mp_buf *b, mp_real v)
{
    if (v == (mp_real)(int)v) {
        mp_put_int(b, (int)v);
        return;
    }
    char text[40];
    if (sizeof(mp_real) == sizeof(float))
        mp_format(text, sizeof text, "%.9g", (double)v);
    else
        mp_real_text((double)v, text);
    mp_buf_puts(b, text);
}

void mp_put_labels(mp_buf *b, const int *row, int columns, const char *between)
{
    for (int k = 0; k < columns; k++) {
        if (k) mp_buf_puts(b, between);
        mp_put_int(b, row[k]);
    }
    mp_buf_add(b, "\n", 1);
}

void mp_put_attributes(mp_buf *b, const mp_sparse *x, int row, const char *between)
{
    int i = x->ptr[row];
    for (int k = 0; k < x->cols; k++) {
        bool stored = i < x->ptr[row + 1] && x->col[i] == k;
        if (k) mp_buf_puts(b, between);
        put_real(b, !stored ? 0 : x->val ? x->val[i] : 1);
        i += stored;
    }
    mp_buf_add(b, "\n", 1);
}

void mp_put_target(mp_buf *b, double v, const char *missing)
{
    char text[40];
    if (!isnan(v)) mp_real_text(v, text);
    mp_buf_puts(b, isnan(v) ? missing : text);
}

void mp_put_targets(mp_buf *b, const double *row, int columns, const char *between)
{
    for (int k = 0; k < columns; k++) {
        if (k) mp_buf_puts(b, between);
        mp_put_target(b, row[k], "nan");
    }
    mp_buf_add(b, "\n", 1);
}
