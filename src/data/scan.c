/* scan.c - see scan.h.
 * SPDX-License-Identifier: MIT */
#include "data/scan.h"

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\r' || ch == '\n';
}

int64_t mp_scan_lines(mp_span *text)
{
    while (text->n && is_blank(text->p[text->n - 1])) text->n--;
    if (text->n == 0) return 0;
    return 1 + (int64_t)mp_newlines(text->p, text->n);
}

bool mp_scan_real(mp_scan *s, double *out)
{
    const char *p = s->p;
    while (p < s->end && *p != ',' && !is_blank(*p)) p++;
    if (!mp_to_real((mp_span){ s->p, (size_t)(p - s->p) }, out)) return false;
    s->p = p;
    return true;
}

mp_err mp_scan_fail(const mp_scan *s, const char *expected)
{
    char got[33];
    size_t n = 0;
    for (const char *p = s->p; p < s->end && *p != '\n' && *p != '\r' && n + 1 < sizeof got; p++)
        got[n++] = *p >= ' ' && *p <= '~' ? *p : '?'; /* messages stay plain text whatever the file holds */
    got[n] = '\0';
    if (n == 0)
        return mp_fail(MP_ERR_INPUT, "%s:%lld: expected %s, the line ends here", s->file, (long long)s->line, expected);
    return mp_fail(MP_ERR_INPUT, "%s:%lld: expected %s, got '%s'", s->file, (long long)s->line, expected, got);
}
