/* script.h - random bytes as choices: what a fuzz target that builds its input asks for.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SCRIPT_H
#define MP_SCRIPT_H

#include <stdint.h>

typedef struct script {
    const uint8_t *p, *end;
} script;

/* The next two bytes as a number below `n`; 0 when there are none. */
static inline int next(script *s, int n)
{
    int v = 0;
    for (int i = 0; i < 2 && s->p < s->end; i++) v = v << 8 | *s->p++;
    return v % n;
}

#endif
