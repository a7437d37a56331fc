/* buf.c - growing texts of text.h.
 * SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/guard.h"
#include "base/text.h"

#include <string.h>

/* In front of the text of a local buffer. */
typedef union head {
    mp_held held;
    max_align_t align;
} head;

static size_t head_of(const mp_buf *b)
{
    return b->local ? sizeof(head) : 0;
}

static void release(mp_held *h)
{
    mp_let_go(h);
    mp_put(h);
}

/* Room for n more bytes and a NUL. */
static void reserve(mp_buf *b, size_t n)
{
    if (n < b->cap - b->n) return;
    if (n > SIZE_MAX / 4 || b->n > SIZE_MAX / 4) mp_give_up(mp_no_memory(n));
    size_t cap = 2 * (b->n + n) + 64, front = head_of(b);
    char *old = b->p ? b->p - front : NULL, *p = mp_get_more(old, front + b->n, front + cap);
    if (!p) mp_give_up(mp_no_memory(cap));
    if (b->local && old) mp_hold_moved((mp_held *)(void *)p);
    if (b->local && !old) mp_hold((mp_held *)(void *)p, release);
    b->p = p + front;
    b->cap = cap;
}

void mp_buf_add(mp_buf *b, const void *data, size_t n)
{
    reserve(b, n);
    if (n) memcpy(b->p + b->n, data, n);
    b->n += n;
    b->p[b->n] = '\0';
}

void mp_buf_puts(mp_buf *b, const char *s)
{
    mp_buf_add(b, s, strlen(s));
}

/* Into the room that is there; a second time only when that was too little. */
void mp_buf_printf(mp_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    reserve(b, 0);
    size_t room = b->cap - b->n;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = mp_vformat(b->p + b->n, room, fmt, ap);
    va_end(ap);
    mp_assert(n >= 0);
    if ((size_t)n >= room) {
        reserve(b, (size_t)n);
        mp_vformat(b->p + b->n, (size_t)n + 1, fmt, again);
    }
    b->n += (size_t)n;
    va_end(again);
}

void mp_buf_free(mp_buf *b)
{
    if (b->local && b->p)
        release((mp_held *)(void *)(b->p - head_of(b)));
    else
        mp_put(b->p);
    *b = (mp_buf){ .local = b->local };
}
