/* sha256.h - the SHA-256 hash of FIPS 180-4, for model files, folds and keys of runs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SHA256_H
#define MP_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct mp_sha256 {
    uint32_t h[8];
    uint64_t bytes;          /* taken so far */
    unsigned char block[64]; /* the last, unfinished one */
} mp_sha256;

void mp_sha256_init(mp_sha256 *s);
void mp_sha256_add(mp_sha256 *s, const void *data, size_t n);
void mp_sha256_end(mp_sha256 *s, unsigned char digest[32]);
void mp_sha256_end_hex(mp_sha256 *s, char hex[65]); /* NUL-ended */

/* All of it in one call. */
void mp_sha256_hex(const void *data, size_t n, char hex[65]);

#endif
