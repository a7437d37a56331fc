/* alloc.h - all memory of the library comes from here: malloc and its kin, or what a host put in their place.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ALLOC_H
#define MP_ALLOC_H

#include "midpool.h"

#include <stddef.h>

/* NULL when there is none; nobody gives up here. `align`: a power of two. */
void *mp_get(size_t bytes, size_t align);
void *mp_get_zero(size_t count, size_t size); /* zeroed, aligned for everything */
/* More room, with the first `used` bytes in it; `old` NULL: new. When there is none the old one stays. */
void *mp_get_more(void *old, size_t used, size_t bytes);
void mp_put(void *p); /* NULL is allowed */

#endif
