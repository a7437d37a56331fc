/* pour.h - a tap over a text in memory, a few bytes at a time; for tests and fuzzing.
 * SPDX-License-Identifier: MIT */
#ifndef POUR_H
#define POUR_H

#include "data/feed.h"

#include <string.h>

typedef struct memory {
    mp_span rest;
    size_t step;
} memory;

static ptrdiff_t pour(void *state, char *to, size_t n)
{
    memory *m = state;
    if (n > m->step) n = m->step;
    if (n > m->rest.n) n = m->rest.n;
    if (n) memcpy(to, m->rest.p, n);
    m->rest = (mp_span){ m->rest.p + n, m->rest.n - n };
    return (ptrdiff_t)n;
}

static void leave(void *state)
{
    (void)state;
}

#endif
