/* memory.h - refuse what does not fit instead of being killed for it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MEMORY_H
#define MP_MEMORY_H

/* From now on a request that goes beyond what the machine had free ends the program with one line and exit code 1. */
void mp_memory_guard(void);

#endif
