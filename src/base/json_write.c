/* json_write.c - writing JSON. Whether a comma is due is read off the last byte written: a value, a key or an
 * opening bracket each end in a different character, so there is no state to carry.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>
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

/* The bytes of a character as they stand in a string. Control characters are escaped, those beyond ASCII too. */
static void put_character(mp_buf *b, const char *p, int n)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = strchr(from, *p);
    if (n == 0)
        mp_buf_puts(b, "\xEF\xBF\xBD");
    else if (at)
        mp_buf_printf(b, "\\%c", to[at - from]);
    else if (mp_is_control(p, n))
        mp_buf_printf(b, "\\u%04x",
                      (unsigned)(unsigned char)p[n - 1]); /* of two bytes the second is the character's number */
    else
        mp_buf_add(b, p, (size_t)n);
}

/* Bytes at the beginning that stand for themselves: nearly always all of them. */
static size_t plain_bytes(const char *s)
{
    size_t n = 0;
    while (s[n] >= ' ' && s[n] <= '~' && s[n] != '"' && s[n] != '\\') n++;
    return n;
}

static void quoted(mp_buf *b, const char *s)
{
    mp_buf_add(b, "\"", 1);
    for (size_t left = strlen(s); left > 0;) {
        size_t step = plain_bytes(s);
        if (step > 0) {
            mp_buf_add(b, s, step);
        } else {
            int n = mp_utf8_length(s, left);
            put_character(b, s, n);
            step = n ? (size_t)n : 1;
        }
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
