/* book.h - several files of lines as one text, of which each line still knows its file.
 *
 * The files stand one behind the other, each with a line end behind its last line. Files that end in .gz are unpacked. Where a
 * line is may be asked from any thread, for lines that were read.
 * SPDX-License-Identifier: MIT */
#ifndef MP_BOOK_H
#define MP_BOOK_H

#include "data/feed.h"

typedef struct mp_book mp_book;

/* The paths and the arena must stay while the tap is open and lines are asked for. */
mp_book *mp_book_new(int files, const char *const *path, mp_arena *a);
mp_tap mp_book_tap(mp_book *b);

/* The file of a line of the text, from 1, and its number there. */
typedef struct mp_line {
    const char *file;
    int line;
} mp_line;
mp_line mp_book_line(mp_book *b, int64_t line);

#endif
