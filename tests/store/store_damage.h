/* store_damage.h - a good store, damage to it that a few bytes describe, and everything the program does with a store.
 *
 * For the fuzzer and for a test that takes its bytes from a random stream.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STORE_DAMAGE_H
#define MP_STORE_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Makes the store anew and damages it, at the level of SQL (values, rows, tables, views, triggers, schema, header), and then
 * perhaps of bytes. The same bytes do the same damage. */
void damage_make(const char *path, const uint8_t *data, size_t n);

/* Reads, reports, looks up and puts. Stops the program when something comes back that cannot be. */
void damage_use(const char *path, const char *page);

#endif
