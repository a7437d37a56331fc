/* bytes.c - see bytes.h.
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "base/guard.h"
#include "base/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void mp_bytes_put_int(mp_buf *b, int64_t v)
{
    mp_buf_add(b, &v, sizeof v);
}

void mp_bytes_put_real(mp_buf *b, double v)
{
    mp_buf_add(b, &v, sizeof v);
}

void mp_bytes_put_list(mp_buf *b, const void *p, size_t count, size_t size)
{
    mp_bytes_put_int(b, p ? (int64_t)count : -1);
    if (p && count) mp_buf_add(b, p, count * size);
}

void mp_bytes_put_text(mp_buf *b, const char *s)
{
    mp_bytes_put_list(b, s, s ? strlen(s) : 0, 1);
}

static bool take(mp_bytes *b, void *out, size_t n)
{
    b->bad = b->bad || b->rest.n < n;
    if (b->bad) return false;
    memcpy(out, b->rest.p, n);
    b->rest = (mp_span){ b->rest.p + n, b->rest.n - n };
    return true;
}

int64_t mp_bytes_int(mp_bytes *b, int64_t lo, int64_t hi)
{
    int64_t v;
    if (!take(b, &v, sizeof v)) return lo;
    b->bad = v < lo || v > hi;
    return b->bad ? lo : v;
}

int mp_bytes_count(mp_bytes *b)
{
    return (int)mp_bytes_int(b, 0, MP_MOST_COUNT);
}

double mp_bytes_real(mp_bytes *b)
{
    double v;
    return take(b, &v, sizeof v) ? v : 0;
}

/* How many follow; -1: NULL. What follows is there. */
static int64_t length(mp_bytes *b, size_t size)
{
    int64_t n = mp_bytes_int(b, -1, INT64_MAX);
    b->bad = b->bad || (n > 0 && (uint64_t)n > b->rest.n / size);
    return b->bad ? -1 : n;
}

const char *mp_bytes_text(mp_bytes *b, mp_arena *a)
{
    int64_t n = length(b, 1);
    if (n < 0) return NULL;
    const char *text = mp_arena_text(a, b->rest.p, (size_t)n);
    b->rest = (mp_span){ b->rest.p + n, b->rest.n - (size_t)n };
    return text;
}

void mp_bytes_line(mp_bytes *b, char *out, size_t n)
{
    int64_t have = length(b, 1);
    b->bad = b->bad || have < 0 || (size_t)have >= n;
    memset(out, 0, n);
    if (!b->bad) take(b, out, (size_t)have);
}

const void *mp_bytes_list(mp_bytes *b, mp_arena *a, size_t count, size_t size)
{
    int64_t n = length(b, size);
    b->bad = b->bad || (n >= 0 && (size_t)n != count);
    if (b->bad || n < 0) return NULL;
    void *list = mp_arena_raw(a, count + 1, size);
    take(b, list, count * size);
    return list;
}

/* Two chains of 64 bits over whole words, then what is left of the last one and the length. SHA-256 would take ten times as long
 * as everything else that is done with the bytes. */
static void checksum(const char *p, size_t n, char hex[MP_SEAL_DIGITS + 1])
{
    uint64_t a = 1, b = 2, word = 0;
    for (size_t i = 0; i < n / sizeof word * sizeof word; i += sizeof word) {
        memcpy(&word, p + i, sizeof word);
        a = mp_rng_mix(a + word);
        b = mp_rng_mix(b ^ word);
    }
    word = 0;
    if (n % sizeof word) memcpy(&word, p + n / sizeof word * sizeof word, n % sizeof word);
    a = mp_rng_mix(mp_rng_mix(a + word) + n);
    b = mp_rng_mix(mp_rng_mix(b ^ word) ^ n);
    snprintf(hex, MP_SEAL_DIGITS + 1, "%016" PRIx64 "%016" PRIx64, a, b);
}

void mp_bytes_seal(mp_buf *b, size_t from)
{
    char hex[MP_SEAL_DIGITS + 1];
    mp_assert(b->n >= from + MP_SEAL_DIGITS);
    checksum(b->p + from + MP_SEAL_DIGITS, b->n - from - MP_SEAL_DIGITS, hex);
    memcpy(b->p + from, hex, MP_SEAL_DIGITS);
}

mp_err mp_bytes_unseal(mp_span all, const char *what, mp_bytes *out)
{
    char hex[MP_SEAL_DIGITS + 1];
    if (all.n < MP_SEAL_DIGITS) return mp_fail(MP_ERR_INPUT, "%s: only %zu bytes", what, all.n);
    *out = (mp_bytes){ .rest = { all.p + MP_SEAL_DIGITS, all.n - MP_SEAL_DIGITS } };
    checksum(out->rest.p, out->rest.n, hex);
    if (memcmp(hex, all.p, MP_SEAL_DIGITS) != 0) return mp_fail(MP_ERR_INPUT, "%s: damaged on the way", what);
    return MP_OK;
}
