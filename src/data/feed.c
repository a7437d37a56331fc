/* feed.c - see feed.h.
 * SPDX-License-Identifier: MIT */
#include "data/feed.h"
#include "base/alloc.h"
#include "base/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ROOM ((size_t)1 << 18)
#define MOST_ROOM  ((size_t)1 << 30)
#define STRIDE     256 /* bytes in which line ends are counted, not looked for */

typedef struct file {
    const char *path;
    int fd;
} file;

static ptrdiff_t read_file(void *state, char *to, size_t n)
{
    file *f = state;
    for (;;) {
        ssize_t got = read(f->fd, to, n);
        if (got >= 0) return got;
        if (errno == EINTR) continue;
        mp_fail(MP_ERR_IO, "%s: %s", f->path, strerror(errno));
        return -1;
    }
}

static void close_file(void *state)
{
    file *f = state;
    if (f->fd != STDIN_FILENO) close(f->fd);
    mp_put(f);
}

mp_err mp_tap_file(const char *path, mp_tap *out)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
    file *f = mp_get(sizeof *f, _Alignof(file));
    if (!f) {
        if (fd != STDIN_FILENO) close(fd);
        return mp_no_memory(sizeof *f);
    }
    *f = (file){ path, fd };
    *out = (mp_tap){ read_file, close_file, f };
    return MP_OK;
}

typedef struct pouring {
    mp_tap tap;
    const char *name;
    size_t limit, enough;
    mp_arena *arena;
    mp_span *out;
} pouring;

static mp_err pour_all(void *arg)
{
    const pouring *t = arg;
    size_t room = FIRST_ROOM, n = 0;
    char *p = MP_NEW_RAW(t->arena, char, room + 1);
    ptrdiff_t got = 1;
    while (n < t->enough && (got = t->tap.read(t->tap.state, p + n, room - n)) > 0) {
        n += (size_t)got;
        if (n > t->limit) return mp_fail(MP_ERR_LIMIT, "%s: unpacks to more than %zu MiB", t->name, t->limit >> 20);
        if (n < room) continue;
        char *more = MP_NEW_RAW(t->arena, char, 2 * room + 1);
        memcpy(more, p, n);
        p = more;
        room *= 2;
    }
    if (got < 0) return MP_ERR_IO;
    p[n] = '\0';
    *t->out = mp_without_mark((mp_span){ p, n });
    return MP_OK;
}

mp_err mp_tap_all(mp_tap tap, const char *name, size_t limit, size_t enough, mp_arena *a, mp_span *out)
{
    mp_err e = mp_guarded(pour_all, &(pouring){ tap, name, limit, enough, a, out });
    tap.close(tap.state);
    return e;
}

void mp_feed_open(mp_feed *f, mp_tap tap)
{
    *f = (mp_feed){ .tap = tap };
}

void mp_feed_close(mp_feed *f)
{
    if (f->tap.close) f->tap.close(f->tap.state);
    mp_put(f->p);
    *f = (mp_feed){ 0 };
}

mp_span mp_feed_window(const mp_feed *f)
{
    return (mp_span){ f->p ? f->p + f->from : "", f->to - f->from };
}

/* Room behind the window: by moving it to the front, or by twice the room when it is more than half full. */
static mp_err make_room(mp_feed *f)
{
    size_t used = f->to - f->from;
    if (f->to < f->room) return MP_OK;
    if (used > f->room / 2 || !f->p) {
        size_t room = f->room ? 2 * f->room : FIRST_ROOM;
        if (room > MOST_ROOM) return mp_fail(MP_ERR_LIMIT, "a line or a graph has more than %zu bytes", MOST_ROOM / 2);
        char *p = mp_get(room, 1);
        if (!p) return mp_no_memory(room);
        if (used) memcpy(p, f->p + f->from, used);
        mp_put(f->p);
        f->p = p;
        f->room = room;
    } else {
        memmove(f->p, f->p + f->from, used);
    }
    f->from = 0;
    f->to = used;
    return MP_OK;
}

static mp_err read_once(mp_feed *f)
{
    MP_TRY(make_room(f));
    ptrdiff_t got = f->tap.read(f->tap.state, f->p + f->to, f->room - f->to);
    if (got < 0) return MP_ERR_IO;
    f->to += (size_t)got;
    f->end = got == 0;
    return MP_OK;
}

/* The start of the input, without the mark that may stand there. A pipe may bring it in pieces. */
static mp_err begin(mp_feed *f)
{
    do MP_TRY(read_once(f));
    while (!f->end && f->to < strlen(MP_TEXT_MARK) && memcmp(f->p, MP_TEXT_MARK, f->to) == 0);
    f->from = f->to - mp_without_mark(mp_feed_window(f)).n;
    f->begun = true;
    return MP_OK;
}

mp_err mp_feed_more(mp_feed *f)
{
    return f->begun ? read_once(f) : begin(f);
}

void mp_feed_cut(mp_feed *f, size_t n, mp_buf *out)
{
    mp_assert(n <= f->to - f->from);
    out->n = 0;
    mp_buf_add(out, mp_feed_window(f).p, n);
    f->from += n;
}

/* Strides that hold no more line ends than are wanted. */
static void stride(mp_span seen, size_t *at, int64_t *n)
{
    while (*at + STRIDE <= seen.n) {
        int64_t ends = (int64_t)mp_newlines(seen.p + *at, STRIDE);
        if (ends >= *n) return;
        *n -= ends;
        *at += STRIDE;
    }
}

mp_err mp_feed_lines(mp_feed *f, int64_t n, mp_buf *out)
{
    size_t at = 0;
    while (n > 0) {
        mp_span seen = mp_feed_window(f);
        stride(seen, &at, &n);
        const char *end = memchr(seen.p + at, '\n', seen.n - at);
        if (end) {
            at = (size_t)(end - seen.p) + 1;
            n--;
        } else if (f->end) {
            at = seen.n;
            break;
        } else {
            MP_TRY(mp_feed_more(f));
        }
    }
    mp_feed_cut(f, at, out);
    return MP_OK;
}
