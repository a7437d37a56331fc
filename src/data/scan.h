/* scan.h - reading numbers out of large texts, line by line, at hundreds of megabytes a second.
 *
 * mp_to_int and mp_to_real of base/text.h want a field cut out first; edge files have millions of lines, so
 * here the number is read where it stands. Functions are inline for the sake of that loop.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SCAN_H
#define MP_SCAN_H

#include "base/text.h"

#include <limits.h>
#include <string.h>

typedef struct mp_scan {
    const char *p, *end;
    const char *file; /* opens messages */
    int64_t line;     /* the line that is being read, from 1 */
} mp_scan;

static inline mp_scan mp_scan_of(mp_span text, const char *file)
{
    return (mp_scan){ text.p, text.p + text.n, file, 1 };
}

static inline void mp_scan_blanks(mp_scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t')) s->p++;
}

/* A whole number of at most 18 digits. False, and nothing taken, when there is none. */
static inline bool mp_scan_int(mp_scan *s, int64_t *out)
{
    const char *p = s->p;
    bool minus = p < s->end && *p == '-';
    if (p < s->end && (*p == '-' || *p == '+')) p++;
    const char *first = p;
    int64_t v = 0;
    while (p < s->end && (unsigned)(*p - '0') < 10 && p - first < 19)
        v = (int64_t)((uint64_t)v * 10 + (unsigned)(*p++ - '0'));
    if (p == first || p - first > 18) return false;
    s->p = p;
    *out = minus ? -v : v;
    return true;
}

/* The comma between two fields of a line, with the blanks around it. */
static inline bool mp_scan_comma(mp_scan *s)
{
    mp_scan_blanks(s);
    if (s->p == s->end || *s->p != ',') return false;
    s->p++;
    mp_scan_blanks(s);
    return true;
}

/* The end of a line (LF, CR LF, or the end of the text), with the blanks before it. */
static inline bool mp_scan_line_end(mp_scan *s)
{
    mp_scan_blanks(s);
    if (s->p < s->end && *s->p == '\r') s->p++;
    if (s->p == s->end) return true;
    if (*s->p != '\n') return false;
    s->p++;
    s->line++;
    return true;
}

/* The number of lines, not counting empty ones at the end; `text` is cut behind the last line counted. */
int64_t mp_scan_lines(mp_span *text);

/* A finite number, as written by printf or Python. */
bool mp_scan_real(mp_scan *s, double *out);

/* "FILE:LINE: expected WHAT, got 'the text there'". */
mp_err mp_scan_fail(const mp_scan *s, const char *expected);

#endif
