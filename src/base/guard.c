/* guard.c - see guard.h. What is held lies in one list a thread, the newest first, so depths fall along it.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "base/flush.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

static _Thread_local jmp_buf *innermost;
static _Thread_local int depth; /* guards of this thread */
static _Thread_local mp_err gave_up;
static _Thread_local mp_held *held;

void mp_hold(mp_held *h, void (*release)(mp_held *))
{
    *h = (mp_held){ .depth = depth, .release = release };
    if (depth == 0) return;
    h->next = held;
    h->link = &held;
    if (held) held->link = &h->next;
    held = h;
}

void mp_let_go(mp_held *h)
{
    if (!h->link) return;
    *h->link = h->next;
    if (h->next) h->next->link = h->link;
    h->link = NULL;
}

void mp_hold_moved(mp_held *h)
{
    if (!h->link) return;
    *h->link = h;
    if (h->next) h->next->link = &h->next;
}

/* The innermost guard ends. What was held under it is released, or left to the guard around it. */
static void end_guard(jmp_buf *outer, bool release)
{
    innermost = outer;
    depth--;
    for (mp_held *h = held, *next; h && h->depth > depth; h = next) {
        next = h->next;
        if (release)
            h->release(h);
        else if (depth == 0)
            mp_let_go(h);
        else
            h->depth = depth;
    }
}

mp_err mp_guarded(mp_err (*work)(void *arg), void *arg)
{
    jmp_buf here, *outer = innermost;
    unsigned flush = mp_flush_now();
    innermost = &here;
    depth++;
    if (setjmp(here) == 0) {
        mp_err e = work(arg);
        end_guard(outer, false);
        return e;
    }
    end_guard(outer, true);
    mp_flush_off(flush);
    return gave_up;
}

void mp_give_up(mp_err e)
{
    if (!innermost) mp_bug(mp_message(), __FILE__, __LINE__);
    gave_up = e;
    longjmp(*innermost, 1);
}

int mp_count(int64_t n, const char *what)
{
    if (n > MP_MOST_COUNT)
        mp_give_up(mp_fail(MP_ERR_LIMIT, "%lld %s; more than %d are not possible", (long long)n, what, MP_MOST_COUNT));
    return (int)n;
}
