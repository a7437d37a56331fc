/* arena.h - memory with one owner: handed out in pieces, given back all at once.
 *
 * Memory is 64-byte aligned and never NULL. Running out gives up (guard.h) with MP_ERR_LIMIT; the arenas stay usable.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ARENA_H
#define MP_ARENA_H

#include "base/api.h"
#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

MP_API_BEGIN

typedef struct mp_arena mp_arena;
typedef struct mp_arena_mark {
    void *chunk;
    size_t used;
} mp_arena_mark;

mp_arena *mp_arena_new(size_t first_bytes);
void mp_arena_free(mp_arena *a); /* NULL is allowed */

/* An arena over memory from elsewhere, which it never touches itself: what is asked of it zeroed is not for such memory. `get`
 * returns NULL when there is none, with a message (mp_fail). The arena is its owner's to free: no guard does (guard.h). */
typedef struct mp_source {
    void *(*get)(void *state, size_t bytes);
    void (*put)(void *state, void *p);
    void *state;
} mp_source;
mp_arena *mp_arena_over(mp_source from, size_t first_bytes);

/* The i-th piece of memory that it holds, the newest first, and how much of it is handed out; false: there are no more. */
bool mp_arena_piece(const mp_arena *a, int i, void **at, size_t *used);

/* Forgets everything but keeps the memory, as one piece: a loop that resets each step allocates only at first. */
void mp_arena_reset(mp_arena *a);

/* Scratch: what was handed out after the mark is free again. */
mp_arena_mark mp_arena_here(mp_arena *a);
void mp_arena_back(mp_arena *a, mp_arena_mark m);

void *mp_arena_zero(mp_arena *a, size_t count, size_t size); /* zeroed */
void *mp_arena_raw(mp_arena *a, size_t count, size_t size);  /* contents unspecified */

/* A piece that its owner needs no more, for mp_arena_reuse to hand out again before new memory. A reset forgets it, and so
 * does mp_arena_back when it was handed out after the mark. */
void mp_arena_give(mp_arena *a, void *piece, size_t bytes);
void *mp_arena_reuse(mp_arena *a, size_t count, size_t size); /* contents unspecified */

#define MP_NEW(arena, type, count)     ((type *)mp_arena_zero((arena), (size_t)(count), sizeof(type)))
#define MP_NEW_RAW(arena, type, count) ((type *)mp_arena_raw((arena), (size_t)(count), sizeof(type)))

/* Growing lists. mp_room: the room a list of room `cap` gets when `count` entries are needed: at least `first`, and twice
 * what it had; gives up, naming `what`, where a count would not fit an int. mp_arena_more: new room for `cap` entries with
 * the first `used` of the old ones in it. */
int mp_room(int cap, int64_t count, int first, const char *what);
void *mp_arena_more(mp_arena *a, const void *old, int used, int cap, size_t size);
#define MP_MORE(arena, list, used, cap) ((list) = mp_arena_more((arena), (list), (used), (cap), sizeof *(list)))

char *mp_arena_text(mp_arena *a, const char *p, size_t n); /* a copy with a closing NUL */
char *mp_arena_printf(mp_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *mp_arena_vprintf(mp_arena *a, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

size_t mp_arena_held(const mp_arena *a); /* bytes, those of scratch that the next reset makes room for included */

/* Bytes all arenas of the process hold now, and the most they ever held. */
size_t mp_arena_total(void);
size_t mp_arena_peak(void);
void mp_arena_peak_reset(void);

/* MP_ERR_LIMIT, with the message for memory that could not be had, of an arena or elsewhere. The hook leaves the message
 * (mp_fail); the default says "out of memory" and the size. */
mp_err mp_no_memory(size_t bytes);
void mp_arena_on_full(void (*hook)(size_t bytes));

/* Refuse to hold more than this over all arenas; 0 = no limit. */
void mp_arena_limit(size_t bytes);

MP_API_END

#endif
