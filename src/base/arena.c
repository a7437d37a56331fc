/* arena.c - chunks in a list; the newest is filled from the front.
 *
 * mp_arena_reset replaces several chunks by one of their total size, so a steady loop ends with one chunk
 * and no calls to malloc. The byte counters are process-wide.
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/alloc.h"
#include "base/guard.h"
#include "base/text.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGN   64
#define DOUBLES ((size_t)1 << 20) /* an arena doubles up to here, then grows by a quarter: little of it stays unused */
#define HUGE    ((size_t)2 << 20) /* a huge page */

/* Under AddressSanitizer memory that is not handed out is closed, and so is a gap behind every piece: an overrun inside an
 * arena is found like one of malloc's memory. */
#if defined(__SANITIZE_ADDRESS__)
#define GUARDED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARDED 1
#endif
#endif
#ifdef GUARDED
#include <sanitizer/asan_interface.h>
#define GAP ALIGN
static void give_out(void *p, size_t n)
{
    __asan_unpoison_memory_region(p, n);
}
static void take_back(void *p, size_t n)
{
    __asan_poison_memory_region(p, n);
}
#else
#define GAP 0
static void give_out(void *p, size_t n)
{
    (void)p, (void)n;
}
static void take_back(void *p, size_t n)
{
    (void)p, (void)n;
}
#endif

typedef struct chunk {
    struct chunk *older;
    size_t size, used; /* of the bytes behind the header */
    size_t most;       /* that were ever used            */
    unsigned char *data;
} chunk;

typedef struct given {
    unsigned char *at;
    size_t bytes;
} given;
#define GIVEN 4
#define SMALL ((size_t)256 << 20)

struct mp_arena {
    mp_held held;        /* first: the arena is what is held */
    mp_source from;      /* get NULL: memory of this process */
    chunk *top;          /* NULL: holds nothing              */
    given pieces[GIVEN]; /* largest first */
    size_t scratch; /* bytes that scratch needed beyond the chunk it began in; the next reset makes room for them */
};

static atomic_size_t total_bytes, peak_bytes, limit_bytes;

static void say(size_t bytes)
{
    mp_fail(MP_ERR_LIMIT, "out of memory: %zu more bytes were needed", bytes);
}
static void (*on_full)(size_t) = say;

void mp_arena_on_full(void (*hook)(size_t))
{
    on_full = hook ? hook : say;
}

mp_err mp_no_memory(size_t bytes)
{
    on_full(bytes);
    return MP_ERR_LIMIT;
}

void mp_arena_limit(size_t bytes)
{
    atomic_store(&limit_bytes, bytes);
}

size_t mp_arena_total(void)
{
    return atomic_load(&total_bytes);
}

size_t mp_arena_peak(void)
{
    return atomic_load(&peak_bytes);
}

void mp_arena_peak_reset(void)
{
    atomic_store(&peak_bytes, atomic_load(&total_bytes));
}

/* Memory for a chunk, or NULL. Large ones ask for huge pages: rows of a large graph's neighbours lie all over memory, and
 * with pages of 4 KiB each costs a walk through the page table besides. */
static unsigned char *pages(size_t size)
{
    bool huge = size >= 8 * HUGE;
    void *raw = mp_get(size, huge ? HUGE : ALIGN);
#ifdef MADV_HUGEPAGE
    if (huge && raw) madvise(raw, size, MADV_HUGEPAGE); /* a wish: no harm when it is refused */
#endif
    return raw;
}

/* NULL when there is no memory for it. */
static chunk *chunk_try(size_t size, chunk *older)
{
    const size_t header = (sizeof(chunk) + ALIGN - 1) & ~(size_t)(ALIGN - 1), page = 4096;
    if (size > SIZE_MAX - header - page) return NULL;
    size = (size + page - 1) & ~(page - 1);
    size_t limit = atomic_load(&limit_bytes), total = atomic_load(&total_bytes);
    if (limit && (total > limit || size > limit - total)) return NULL;
    unsigned char *raw = pages(header + size);
    if (!raw) return NULL;
    size_t now = atomic_fetch_add(&total_bytes, size) + size, peak = atomic_load(&peak_bytes);
    while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now)) {}
    chunk *c = (chunk *)(void *)raw;
    *c = (chunk){ older, size, 0, 0, raw + header };
    take_back(c->data, size);
    return c;
}

/* A chunk whose header lies apart, and whose bytes the sanitizer has no say in: others use them at other times. */
static chunk *chunk_over(const mp_source *from, size_t size, chunk *older)
{
    chunk *c = mp_get(sizeof *c, _Alignof(chunk));
    unsigned char *data = c ? from->get(from->state, size) : NULL;
    if (data) {
        *c = (chunk){ older, size, 0, 0, data };
        return c;
    }
    mp_put(c);
    return NULL;
}

static chunk *chunk_for(const mp_arena *a, size_t size, chunk *older)
{
    return a->from.get ? chunk_over(&a->from, size, older) : chunk_try(size, older);
}

static void chunk_free(const mp_arena *a, chunk *c)
{
    if (a->from.get) {
        a->from.put(a->from.state, c->data);
    } else {
        atomic_fetch_sub(&total_bytes, c->size);
        give_out(c->data, c->size);
    }
    mp_put(c);
}

static void close_to_others(const mp_arena *a, void *p, size_t n)
{
    if (!a->from.get) take_back(p, n);
}

static void free_all(mp_arena *a)
{
    for (chunk *c = a->top, *older; c; c = older) {
        older = c->older;
        chunk_free(a, c);
    }
    a->top = NULL;
}

static void release(mp_held *h)
{
    mp_arena_free((mp_arena *)(void *)h);
}

mp_arena *mp_arena_new(size_t first_bytes)
{
    mp_arena *a = mp_get(sizeof *a, _Alignof(mp_arena));
    if (!a) mp_give_up(mp_no_memory(sizeof *a));
    if (!first_bytes) first_bytes = 4096;
    *a = (mp_arena){ .top = chunk_try(first_bytes, NULL) };
    if (!a->top) {
        mp_put(a);
        mp_give_up(mp_no_memory(first_bytes));
    }
    mp_hold(&a->held, release);
    return a;
}

mp_arena *mp_arena_over(mp_source from, size_t first_bytes)
{
    mp_arena *a = mp_get(sizeof *a, _Alignof(mp_arena));
    if (!a) mp_give_up(mp_no_memory(sizeof *a));
    *a = (mp_arena){ .from = from };
    a->top = chunk_for(a, first_bytes, NULL);
    if (a->top) return a;
    mp_put(a);
    mp_give_up(MP_ERR_LIMIT);
}

bool mp_arena_piece(const mp_arena *a, int i, void **at, size_t *used)
{
    const chunk *c = a->top;
    for (; c && i > 0; i--) c = c->older;
    if (!c) return false;
    *at = c->data;
    *used = c->used;
    return true;
}

void mp_arena_free(mp_arena *a)
{
    if (!a) return;
    mp_let_go(&a->held);
    free_all(a);
    mp_put(a);
}

size_t mp_arena_held(const mp_arena *a)
{
    size_t bytes = a->scratch;
    for (const chunk *c = a->top; c; c = c->older) bytes += c->size;
    return bytes;
}

void mp_arena_reset(mp_arena *a)
{
    if (a->top && (a->top->older || a->scratch)) {
        size_t all = a->scratch;
        for (const chunk *c = a->top; c; c = c->older) all += c->most;
        if (all < SMALL) all += all / 4; /* the next step may need a little more */
        free_all(a);
        a->top = chunk_for(a, all, NULL); /* joining never fails: without it the arena grows anew */
        a->scratch = 0;
    }
    if (a->top) {
        close_to_others(a, a->top->data, a->top->used);
        a->top->used = 0;
    }
    memset(a->pieces, 0, sizeof a->pieces);
}

mp_arena_mark mp_arena_here(mp_arena *a)
{
    return (mp_arena_mark){ a->top, a->top ? a->top->used : 0 };
}

/* Puts the piece at i, whose size has changed, where it belongs. */
static void settle(given *pieces, int i)
{
    given x = pieces[i];
    for (; i > 0 && pieces[i - 1].bytes < x.bytes; i--) pieces[i] = pieces[i - 1];
    for (; i + 1 < GIVEN && pieces[i + 1].bytes > x.bytes; i++) pieces[i] = pieces[i + 1];
    pieces[i] = x;
}

/* Forgets the pieces within these bytes. */
static void forget(mp_arena *a, const unsigned char *from, size_t bytes)
{
    for (int i = GIVEN - 1; i >= 0; i--) {
        uintptr_t at = (uintptr_t)a->pieces[i].at, start = (uintptr_t)from;
        if (at < start || at >= start + bytes) continue;
        a->pieces[i].bytes = 0;
        settle(a->pieces, i);
    }
}

void mp_arena_give(mp_arena *a, void *piece, size_t bytes)
{
    given *least = &a->pieces[GIVEN - 1];
    bytes = bytes / ALIGN * ALIGN;
    close_to_others(a, piece, bytes);
    if (bytes <= least->bytes) return;
    *least = (given){ piece, bytes };
    settle(a->pieces, GIVEN - 1);
}

void *mp_arena_reuse(mp_arena *a, size_t count, size_t size)
{
    size_t most = a->pieces[0].bytes;
    if (count == 0 || most == 0 || count > most / size) return mp_arena_raw(a, count, size);
    size_t need = (count * size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    int i = GIVEN - 1;
    while (i > 0 && a->pieces[i].bytes < need) i--;
    given *g = &a->pieces[i]; /* the smallest that is large enough, if any is */
    if (g->bytes < need) return mp_arena_raw(a, count, size);
    unsigned char *p = g->at;
    give_out(p, count * size);
    g->at += need;
    g->bytes -= need;
    settle(a->pieces, i);
    return p;
}

void mp_arena_back(mp_arena *a, mp_arena_mark m)
{
    size_t beyond = 0;
    while (a->top != m.chunk) {
        chunk *older = a->top->older;
        mp_assert(older != NULL || m.chunk == NULL);
        beyond += a->top->used;
        forget(a, a->top->data, a->top->size);
        chunk_free(a, a->top);
        a->top = older;
    }
    if (beyond > a->scratch) a->scratch = beyond;
    if (!a->top) return;
    forget(a, a->top->data + m.used, a->top->size - m.used);
    close_to_others(a, a->top->data + m.used, a->top->used - m.used);
    a->top->used = m.used;
}

void *mp_arena_raw(mp_arena *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - ALIGN - GAP) / size) mp_give_up(mp_no_memory(SIZE_MAX));
    size_t need = ((count * size + ALIGN - 1) & ~(size_t)(ALIGN - 1)) + GAP;
    chunk *c = a->top;
    if (!c || need > c->size - c->used) {
        size_t held = mp_arena_held(a), next = held < DOUBLES ? held : held / 4, more = need > next ? need : next;
        c = chunk_for(a, more, a->top);
        if (!c) mp_give_up(a->from.get ? MP_ERR_LIMIT : mp_no_memory(more));
        a->top = c;
    }
    void *p = c->data + c->used;
    c->used += need;
    if (c->used > c->most) c->most = c->used;
    give_out(p, count * size);
    return p;
}

int mp_room(int cap, int64_t count, int first, const char *what)
{
    int64_t need = mp_count(count, what), twice = 2 * (int64_t)cap;
    int64_t room = need > twice ? need : twice;
    if (room < first) room = first;
    return room > MP_MOST_COUNT ? MP_MOST_COUNT : (int)room;
}

void *mp_arena_more(mp_arena *a, const void *old, int used, int cap, size_t size)
{
    void *p = mp_arena_raw(a, (size_t)cap, size);
    if (used) memcpy(p, old, (size_t)used * size);
    return p;
}

void *mp_arena_zero(mp_arena *a, size_t count, size_t size)
{
    void *p = mp_arena_raw(a, count, size);
    memset(p, 0, count * size);
    return p;
}

char *mp_arena_text(mp_arena *a, const char *p, size_t n)
{
    char *s = mp_arena_raw(a, n + 1, 1);
    if (n) memcpy(s, p, n);
    s[n] = '\0';
    return s;
}

char *mp_arena_vprintf(mp_arena *a, const char *fmt, va_list args)
{
    mp_assert(fmt != NULL);
    va_list again;
    va_copy(again, args);
    int n = mp_vformat(NULL, 0, fmt, args);
    mp_assert(n >= 0);
    char *s = mp_arena_raw(a, (size_t)n + 1, 1);
    n = mp_vformat(s, (size_t)n + 1, fmt, again);
    va_end(again);
    mp_assert(n >= 0);
    return s;
}

char *mp_arena_printf(mp_arena *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *s = mp_arena_vprintf(a, fmt, args);
    va_end(args);
    return s;
}
