/* json_write.c - writing JSON. Whether a comma is due is read off the last byte written: a value, a key or an
 * opening bracket each end in a different character, so there is no state to carry.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void comma(mp_buf *b)
{
    if (b->n && !strchr("{[:,\n", b->p[b->n - 1])) mp_buf_add(b, ",", 1);
}

void mp_json_open(mp_buf *b, char bracket)
{
    comma(b);
    mp_buf_add(b, &bracket, 1);
}

void mp_json_close(mp_buf *b, char bracket)
{
    mp_buf_add(b, &bracket, 1);
}

/* The bytes of a character as they stand in a string. Control characters are escaped, and so is DEL. */
static void put_character(mp_buf *b, const char *p, int n)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = strchr(from, *p);
    if (n == 0)
        mp_buf_puts(b, "\xEF\xBF\xBD");
    else if (at)
        mp_buf_printf(b, "\\%c", to[at - from]);
    else if (n == 1 && ((unsigned char)*p < 0x20 || *p == 0x7F))
        mp_buf_printf(b, "\\u%04x", (unsigned)*p);
    else
        mp_buf_add(b, p, (size_t)n);
}

static void quoted(mp_buf *b, const char *s)
{
    mp_buf_add(b, "\"", 1);
    for (size_t left = strlen(s); left > 0;) {
        int n = mp_utf8_length(s, left);
        put_character(b, s, n);
        size_t step = n ? (size_t)n : 1;
        s += step;
        left -= step;
    }
    mp_buf_add(b, "\"", 1);
}

void mp_json_key(mp_buf *b, const char *key)
{
    comma(b);
    quoted(b, key);
    mp_buf_add(b, ":", 1);
}

void mp_json_put_text(mp_buf *b, const char *s)
{
    if (!s) {
        mp_json_put_null(b);
        return;
    }
    comma(b);
    quoted(b, s);
}

void mp_json_put_int(mp_buf *b, int64_t v)
{
    comma(b);
    mp_buf_printf(b, "%lld", (long long)v);
}

static void real_digits(double v, int digits, char *out)
{
    int n = snprintf(out, 32, "%.*g", digits, v);
    mp_assert(n > 0 && n < 32);
}

/* If d digits are enough, so are d + 1: search by halves for the least number. */
void mp_real_text(double v, char *out)
{
    mp_assert(isfinite(v));
    int lo = 1, hi = 17, digits = 15; /* a number that was computed needs 16 or 17: begin below that */
    for (; lo < hi; digits = (lo + hi) / 2) {
        real_digits(v, digits, out);
        if (strtod(out, NULL) == v)
            hi = digits;
        else
            lo = digits + 1;
    }
    real_digits(v, hi, out);
}

void mp_json_put_real(mp_buf *b, double v)
{
    char text[32] = "null";
    if (isfinite(v)) mp_real_text(v, text);
    mp_json_put_raw(b, text);
}

void mp_json_put_bool(mp_buf *b, bool v)
{
    mp_json_put_raw(b, v ? "true" : "false");
}

void mp_json_put_null(mp_buf *b)
{
    mp_json_put_raw(b, "null");
}

void mp_json_put_raw(mp_buf *b, const char *json)
{
    comma(b);
    mp_buf_puts(b, json);
}

void mp_json_add_text(mp_buf *b, const char *key, const char *s)
{
    mp_json_key(b, key);
    mp_json_put_text(b, s);
}

void mp_json_add_int(mp_buf *b, const char *key, int64_t v)
{
    mp_json_key(b, key);
    mp_json_put_int(b, v);
}

void mp_json_add_real(mp_buf *b, const char *key, double v)
{
    mp_json_key(b, key);
    mp_json_put_real(b, v);
}

void mp_json_add_bool(mp_buf *b, const char *key, bool v)
{
    mp_json_key(b, key);
    mp_json_put_bool(b, v);
}

/* Unicode table 3-7: the first byte gives the length and the range of the second; overlong forms,
 * surrogates and numbers past U+10FFFF are not characters. */
int mp_utf8_length(const char *p, size_t n)
{
    static const struct {
        unsigned char from, to, lo, hi;
        int length;
    } rows[] = {
        { 0x00, 0x7F, 0, 0, 1 },       { 0xC2, 0xDF, 0x80, 0xBF, 2 }, { 0xE0, 0xE0, 0xA0, 0xBF, 3 },
        { 0xE1, 0xEC, 0x80, 0xBF, 3 }, { 0xED, 0xED, 0x80, 0x9F, 3 }, { 0xEE, 0xEF, 0x80, 0xBF, 3 },
        { 0xF0, 0xF0, 0x90, 0xBF, 4 }, { 0xF1, 0xF3, 0x80, 0xBF, 4 }, { 0xF4, 0xF4, 0x80, 0x8F, 4 },
    };
    const unsigned char *u = (const unsigned char *)p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (u[0] < rows[i].from || u[0] > rows[i].to) continue;
        int length = rows[i].length;
        if ((size_t)length > n) return 0;
        if (length > 1 && (u[1] < rows[i].lo || u[1] > rows[i].hi)) return 0;
        for (int k = 2; k < length; k++)
            if (u[k] < 0x80 || u[k] > 0xBF) return 0;
        return length;
    }
    return 0;
}
