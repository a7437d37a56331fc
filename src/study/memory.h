/* memory.h - refuse what does not fit instead of being killed for it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MEMORY_H
#define MP_MEMORY_H

#include "base/err.h"

#include <stddef.h>

/* From now on a request that goes beyond what the machine had free gives up (guard.h). Fails when MIDPOOL_MEMORY is no number
 * of MiB: then nothing is limited. */
MP_MUST mp_err mp_memory_guard(void);

/* What arenas may hold in all: bytes free at the start less a twentieth, or what the environment's MIDPOOL_MEMORY (MiB)
 * allows, if that is less. 0: not known. */
size_t mp_memory_free(void);

#endif
