/* memory.h - refuse what does not fit instead of being killed for it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MEMORY_H
#define MP_MEMORY_H

#include <stddef.h>

/* From now on a request that goes beyond what the machine had free gives up (guard.h): the program ends with one line and
 * exit code 1. */
void mp_memory_guard(void);

/* What arenas may hold in all: bytes free at the start less a twentieth, or what the environment's MIDPOOL_MEMORY (MiB)
 * allows, if that is less. 0: not known. */
size_t mp_memory_free(void);

#endif
