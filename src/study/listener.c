/* listener.c - see listener.h.
 * SPDX-License-Identifier: MIT */
#include "study/listener.h"
#include "base/text.h"

#include <stdarg.h>

#define LONGEST 2048 /* text; the rest is cut off */

void mp_listener_line(const mp_listener *l, const char *fmt, ...)
{
    if (!l->line) return;
    char text[LONGEST];
    va_list ap;
    va_start(ap, fmt);
    mp_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    l->line(l->state, text);
}

void mp_listener_now(const mp_listener *l, const char *fmt, ...)
{
    if (!l->now) return;
    char text[LONGEST];
    va_list ap;
    va_start(ap, fmt);
    mp_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    l->now(l->state, text);
}

void mp_listener_bad(const mp_listener *l, const mp_run_key *key, const char *fmt, ...)
{
    if (!l->bad) return;
    char text[LONGEST];
    va_list ap;
    va_start(ap, fmt);
    mp_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    l->bad(l->state, key, text);
}

void mp_listener_end(const mp_listener *l)
{
    if (l->end) l->end(l->state);
}
