/* book.c - see book.h.
 * SPDX-License-Identifier: MIT */
#include "data/book.h"
#include "data/format.h"

#include <pthread.h>
#include <string.h>

struct mp_book {
    int files;
    const char *const *path;
    pthread_mutex_t lock; /* of `before` and `begun` */
    int64_t *before;      /* lines before each file that has begun */
    int begun;
    int64_t lines; /* ends of lines so far */
    mp_tap tap;    /* of the file that is read; all zero between two */
    char last;     /* byte that was given */
    char head[sizeof MP_TEXT_MARK - 1];
    size_t heads, at; /* bytes of `head`: the first ones of a file, and those that were given */
};

mp_book *mp_book_new(int files, const char *const *path, mp_arena *a)
{
    mp_book *b = MP_NEW(a, mp_book, 1);
    *b = (mp_book){ .files = files, .path = path, .before = MP_NEW(a, int64_t, files + 1), .last = '\n' };
    pthread_mutex_init(&b->lock, NULL);
    return b;
}

static void leave(mp_book *b)
{
    if (b->tap.close) b->tap.close(b->tap.state);
    b->tap = (mp_tap){ 0 };
}

/* The next file, without the mark that its text may begin with. */
static bool enter(mp_book *b)
{
    ptrdiff_t got = 1;
    if (mp_format_tap(b->path[b->begun], &b->tap) != MP_OK) return false;
    pthread_mutex_lock(&b->lock);
    b->before[b->begun++] = b->lines;
    pthread_mutex_unlock(&b->lock);
    b->heads = b->at = 0;
    while (got > 0 && b->heads < sizeof b->head) {
        got = b->tap.read(b->tap.state, b->head + b->heads, sizeof b->head - b->heads);
        if (got > 0) b->heads += (size_t)got;
    }
    if (b->heads == sizeof b->head && memcmp(b->head, MP_TEXT_MARK, sizeof b->head) == 0) b->at = b->heads;
    return got >= 0;
}

/* Some bytes of the file; 0: it has ended. */
static ptrdiff_t inside(mp_book *b, char *to, size_t n)
{
    if (b->at == b->heads) return b->tap.read(b->tap.state, to, n);
    size_t few = b->heads - b->at < n ? b->heads - b->at : n;
    memcpy(to, b->head + b->at, few);
    b->at += few;
    return (ptrdiff_t)few;
}

static ptrdiff_t give(void *state, char *to, size_t n)
{
    mp_book *b = state;
    while (n > 0) {
        if (!b->tap.read) {
            if (b->begun == b->files) return 0;
            if (!enter(b)) return -1;
        }
        ptrdiff_t got = inside(b, to, n);
        if (got < 0) return got;
        if (got == 0) {
            leave(b);
            if (b->last == '\n') continue;
            *to = '\n'; /* the last line of the file had no end */
            got = 1;
        }
        b->lines += (int64_t)mp_newlines(to, (size_t)got);
        b->last = to[got - 1];
        return got;
    }
    return 0;
}

static void close_book(void *state)
{
    leave(state);
}

mp_tap mp_book_tap(mp_book *b)
{
    return (mp_tap){ give, close_book, b };
}

mp_line mp_book_line(mp_book *b, int64_t line)
{
    pthread_mutex_lock(&b->lock);
    int at = b->begun - 1;
    while (at > 0 && b->before[at] >= line) at--;
    mp_line out = { b->path[at < 0 ? 0 : at], (int)(line - b->before[at < 0 ? 0 : at]) };
    pthread_mutex_unlock(&b->lock);
    return out;
}
