/* table.c - see table.h.
 * SPDX-License-Identifier: MIT */
#include "data/table.h"
#include "base/guard.h"

#include <math.h>

#define MAX_COLUMNS 1000000 /* of numbers: more is a file without line ends */

mp_err mp_table_open(mp_span text, const char *file, int64_t before, mp_table *out)
{
    size_t all = text.n;
    int64_t lines = mp_scan_lines(&text);
    if (lines > MP_MOST_COUNT) return mp_fail(MP_ERR_LIMIT, "%s: more than %d lines", file, MP_MOST_COUNT);
    *out = (mp_table){ .text = text, .tail = all - text.n, .file = file, .lines = (int)lines, .before = before };
    return MP_OK;
}

static mp_err wrong_lines(const mp_table *t, int64_t lines, int n, const char *things)
{
    return mp_fail(MP_ERR_INPUT, "%s: %lld lines for %lld %s", t->file, (long long)(t->before + lines),
                   (long long)(t->before + n), things);
}

mp_err mp_table_need(const mp_table *t, int n, const char *things)
{
    return t->lines == n ? MP_OK : wrong_lines(t, t->lines, n, things);
}

mp_scan mp_table_scan(const mp_table *t)
{
    mp_scan s = mp_scan_of(t->text, t->file);
    s.line += t->before;
    return s;
}

mp_err mp_table_int(mp_scan *s, int64_t *v)
{
    mp_scan_blanks(s);
    if (!mp_scan_int(s, v)) return mp_scan_fail(s, "a whole number");
    if (!mp_scan_line_end(s)) return mp_scan_fail(s, "one whole number");
    return MP_OK;
}

int mp_table_columns(mp_span text)
{
    const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;
    size_t n = end ? (size_t)(end - text.p) : text.n;
    int columns = 1;
    for (size_t i = 0; i < n && columns <= MAX_COLUMNS; i++) columns += text.p[i] == ',';
    return columns;
}

bool mp_table_is_whole(const mp_table *t)
{
    for (size_t i = 0; i < t->text.n; i++) {
        char ch = t->text.p[i];
        bool whole = (ch >= '0' && ch <= '9') || ch == ',' || ch == '-' || ch == '+' || ch == '\n' || ch == '\r' ||
                     ch == ' ' || ch == '\t';
        if (!whole) return false;
    }
    return true;
}

static mp_err wrong_columns(const mp_scan *s, int columns)
{
    return mp_fail(MP_ERR_INPUT, "%s:%lld: expected %d columns, as on line 1", s->file, (long long)s->line, columns);
}

/* Numbers end up as mp_real, which is float where it counts. */
static mp_err need_fit(const mp_scan *s, double v)
{
    if (isfinite((mp_real)v)) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%lld: %g does not fit a 32-bit float, whose largest is 3.4e38", s->file,
                   (long long)s->line, v);
}

/* A number; nothing at all or "nan" where it is not known. */
static mp_err read_target(mp_scan *s, double *out)
{
    static const char word[] = "nan";
    size_t n = 0;
    *out = (double)NAN;
    if (s->p == s->end || *s->p == ',' || *s->p == '\r' || *s->p == '\n') return MP_OK;
    while (n < 3 && s->p + n < s->end && (s->p[n] | 0x20) == word[n]) n++;
    s->p += n == 3 ? 3 : 0;
    if (n == 3) return MP_OK;
    if (!mp_scan_real(s, out)) return mp_scan_fail(s, "a finite number");
    return need_fit(s, *out);
}

/* Lines with those at the end that have nothing, of which there may be more than are wanted. */
static int64_t lines_at_most(mp_span text)
{
    return (int64_t)mp_newlines(text.p, text.n) + (text.n > 0 && text.p[text.n - 1] != '\n');
}

mp_err mp_table_targets(const mp_table *t, int n, mp_arena *a, const double **out, int *out_columns)
{
    mp_span all = { t->text.p, t->text.n + t->tail };
    int columns = mp_table_columns(t->text);
    if (columns > MAX_COLUMNS) return mp_fail(MP_ERR_LIMIT, "%s: more than %d columns", t->file, MAX_COLUMNS);
    if (t->lines > n || lines_at_most(all) < n) return wrong_lines(t, t->lines, n, "graphs");
    double *target = MP_NEW_RAW(a, double, (size_t)n *(size_t)columns);
    *out = target;
    *out_columns = columns;
    mp_scan s = mp_table_scan(t);
    s.end = all.p + all.n;
    for (int b = 0; b < n; b++) {
        for (int k = 0; k < columns; k++) {
            mp_scan_blanks(&s);
            if (k > 0 && !mp_scan_comma(&s)) return wrong_columns(&s, columns);
            MP_TRY(read_target(&s, target++));
        }
        if (!mp_scan_line_end(&s)) return wrong_columns(&s, columns);
    }
    return MP_OK;
}

static mp_err bad_label(const mp_scan *s, int column, int64_t v, int64_t lo, int64_t hi)
{
    return mp_fail(MP_ERR_INPUT, "%s:%lld: column %d is %lld; expected %lld to %lld", s->file, (long long)s->line,
                   column + 1, (long long)v, (long long)lo, (long long)hi);
}

static mp_err read_label_row(mp_scan *s, int columns, const mp_label_range *range, int *out)
{
    for (int k = 0; k < columns; k++) {
        int64_t v, lo = range && range->min ? range->min[k] : 0;
        mp_scan_blanks(s);
        if (k > 0 && !mp_scan_comma(s)) return wrong_columns(s, columns);
        if (!mp_scan_int(s, &v)) return mp_scan_fail(s, "a whole number");
        if (v <= INT_MIN || v >= INT_MAX)
            return mp_fail(MP_ERR_INPUT, "%s:%lld: label %lld is too large", s->file, (long long)s->line, (long long)v);
        if (range && (v < lo || v - lo >= range->count[k])) return bad_label(s, k, v, lo, lo + range->count[k] - 1);
        out[k] = (int)v;
    }
    return mp_scan_line_end(s) ? MP_OK : mp_scan_fail(s, "the end of the line");
}

mp_err mp_table_labels(const mp_table *t, const mp_label_range *range, mp_arena *a, const int **out, int *out_columns)
{
    int columns = mp_table_columns(t->text);
    if (columns > MP_MAX_LABEL_COLUMNS)
        return mp_fail(MP_ERR_LIMIT, "%s: %d label columns; at most %d", t->file, columns, MP_MAX_LABEL_COLUMNS);
    if (range && range->columns != columns) range = NULL;
    int *labels = MP_NEW_RAW(a, int, (size_t)t->lines *(size_t)columns);
    mp_scan s = mp_table_scan(t);
    for (int v = 0; v < t->lines; v++) MP_TRY(read_label_row(&s, columns, range, labels + (size_t)v * (size_t)columns));
    *out = labels;
    *out_columns = columns;
    return MP_OK;
}

typedef struct filling { /* a sparse matrix on its way; col NULL: only counted */
    int64_t count;
    int *col;
    mp_real *val;
} filling;

static mp_err read_attribute_row(mp_scan *s, int columns, filling *out)
{
    for (int k = 0; k < columns; k++) {
        double v;
        mp_scan_blanks(s);
        if (k > 0 && !mp_scan_comma(s)) return wrong_columns(s, columns);
        if (!mp_scan_real(s, &v)) return mp_scan_fail(s, "a finite number");
        MP_TRY(need_fit(s, v));
        if ((mp_real)v == 0) continue;
        if (out->col) {
            out->col[out->count] = k;
            out->val[out->count] = (mp_real)v;
        }
        out->count++;
    }
    return mp_scan_line_end(s) ? MP_OK : wrong_columns(s, columns);
}

/* Two passes over the text: the first checks and counts, so that zeros never take memory (FRANKENSTEIN has
 * 780 columns, most of them zero). */
mp_err mp_table_attributes(const mp_table *t, mp_arena *a, mp_sparse *out)
{
    int columns = mp_table_columns(t->text);
    if (columns > MAX_COLUMNS) return mp_fail(MP_ERR_LIMIT, "%s: more than %d columns", t->file, MAX_COLUMNS);
    filling fill = { 0, NULL, NULL };
    int *ptr = MP_NEW(a, int, t->lines + 1);
    for (int pass = 0; pass < 2; pass++) {
        mp_scan s = mp_table_scan(t);
        for (int v = 0; v < t->lines; v++) {
            MP_TRY(read_attribute_row(&s, columns, &fill));
            if (fill.count > MP_MOST_COUNT)
                return mp_fail(MP_ERR_LIMIT, "%s: more than %d values", t->file, MP_MOST_COUNT);
            ptr[v + 1] = (int)fill.count;
        }
        if (pass == 0) fill = (filling){ 0, MP_NEW_RAW(a, int, fill.count), MP_NEW_RAW(a, mp_real, fill.count) };
    }
    *out = (mp_sparse){ .rows = t->lines, .cols = columns, .ptr = ptr, .col = fill.col, .val = fill.val };
    return MP_OK;
}
