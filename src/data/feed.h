/* feed.h - the bytes of a file or pipe as a window that moves forward: memory is that of the window.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FEED_H
#define MP_FEED_H

#include "base/api.h"
#include "base/text.h"

MP_API_BEGIN

/* Where bytes come from. read: up to n bytes to `to`; 0 at the end, negative on failure, with mp_fail called. */
typedef struct mp_tap {
    ptrdiff_t (*read)(void *state, char *to, size_t n);
    void (*close)(void *state);
    void *state;
} mp_tap;

typedef struct mp_feed {
    mp_tap tap;
    char *p; /* window: p[from] .. p[to-1] */
    size_t from, to, room;
    bool begun; /* something was read */
    bool end;   /* nothing comes after the window */
} mp_feed;

/* A file, or standard input when the path is "-". The path must stay. */
MP_MUST mp_err mp_tap_file(const char *path, mp_tap *out);

/* All bytes of a tap, which is closed, in the arena; without a mark at their front. `enough`: no more than about so many; SIZE_MAX:
 * all, and more than `limit` is a failure. `name` opens messages. */
MP_MUST mp_err mp_tap_all(mp_tap tap, const char *name, size_t limit, size_t enough, mp_arena *a, mp_span *out);

void mp_feed_open(mp_feed *f, mp_tap tap);
void mp_feed_close(mp_feed *f); /* also one that is all zero */

mp_span mp_feed_window(const mp_feed *f);

/* Reads once: what a pipe has now, or as much as fits. Fails when the window would exceed a gigabyte. */
MP_MUST mp_err mp_feed_more(mp_feed *f);

/* Cuts n bytes off the front of the window; they replace what `out` has. */
void mp_feed_cut(mp_feed *f, size_t n, mp_buf *out);

/* Cuts off n lines, or all there are. */
MP_MUST mp_err mp_feed_lines(mp_feed *f, int64_t n, mp_buf *out);

MP_API_END

#endif
