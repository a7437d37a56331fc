/* bytes.h - values as bytes for another process of the same program on the same kind of machine, and back.
 *
 * Reading never fails in the middle: what is not there reads as 0 or NULL and is remembered in `bad`, so that a reader looks once,
 * at the end, before it believes anything. A sealed text begins with a checksum of what follows (128 bits in hexadecimal digits: against
 * damage, not against malice), which also names it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_BYTES_H
#define MP_BYTES_H

#include "base/text.h"

#define MP_SEAL_DIGITS 32

void mp_bytes_put_int(mp_buf *b, int64_t v);
void mp_bytes_put_real(mp_buf *b, double v);
void mp_bytes_put_text(mp_buf *b, const char *s);                            /* NULL is kept */
void mp_bytes_put_list(mp_buf *b, const void *p, size_t count, size_t size); /* the same */

typedef struct mp_bytes {
    mp_span rest;
    bool bad;
} mp_bytes;

int64_t mp_bytes_int(mp_bytes *b, int64_t lo, int64_t hi); /* `lo` when it is bad */
int mp_bytes_count(mp_bytes *b);                           /* 0 .. INT_MAX - 64 */
double mp_bytes_real(mp_bytes *b);
const char *mp_bytes_text(mp_bytes *b, mp_arena *a);
void mp_bytes_line(mp_bytes *b, char *out, size_t n);                           /* a text that fits; NULL is bad */
const void *mp_bytes_list(mp_bytes *b, mp_arena *a, size_t count, size_t size); /* of exactly so many, or NULL */

/* The seal in front of everything behind `from`, where there is room for it; and whether it holds. */
void mp_bytes_seal(mp_buf *b, size_t from);
MP_MUST mp_err mp_bytes_unseal(mp_span all, const char *what, mp_bytes *out);

#endif
