/* text.h - bytes, lines and numbers in files and on the command line.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEXT_H
#define MP_TEXT_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

MP_API_BEGIN

#define MP_TEXT_MARK "\xEF\xBB\xBF"

typedef struct mp_span {
    const char *p;
    size_t n;
} mp_span;

/* The whole file in the arena, with a NUL behind it that is not counted. `limit` 0: no limit. */
MP_MUST mp_err mp_slurp(const char *path, size_t limit, mp_arena *a, mp_span *out);

/* Writes beside the target and renames: the old file is whole until the new one is on the disk. */
MP_MUST mp_err mp_write_file(const char *path, const void *data, size_t n);

/* The same piece by piece, for what is too long for memory. */
typedef struct mp_writer mp_writer;
MP_MUST mp_err mp_writer_open(const char *path, mp_writer **out);
MP_MUST mp_err mp_writer_add(mp_writer *w, const void *data, size_t n);
MP_MUST mp_err mp_writer_keep(mp_writer *w); /* puts the file in its place, and ends the writer */
void mp_writer_drop(mp_writer *w);           /* all is as before; NULL is allowed */

/* Fails where mp_write_file could not even begin: a folder, a name that is too long, no permission. */
MP_MUST mp_err mp_write_check(const char *path);

/* Takes the next line off the front of `text` (without its end, CR LF too). False when nothing is left. */
bool mp_next_line(mp_span *text, mp_span *line);

/* How many line ends there are. */
size_t mp_newlines(const char *p, size_t n);

/* Takes the next field, up to `sep` or the end, spaces trimmed. False when the line is used up. */
bool mp_next_field(mp_span *line, char sep, mp_span *field);

/* Without the three bytes EF BB BF that some editors put before a text in UTF-8. */
mp_span mp_without_mark(mp_span s);

mp_span mp_trim(mp_span s);
mp_span mp_span_of(const char *s);
bool mp_span_is(mp_span s, const char *word);

/* The whole span must be the number. Reals: finite only. Never depends on the locale. */
bool mp_to_int(mp_span s, int64_t *out);
bool mp_to_real(mp_span s, double *out);

/* snprintf and vsnprintf, but a number has a point whatever the locale of the host: all files, pages and messages are
 * written through these two. Other threads, and the host's own calls, keep their locale. */
int mp_format(char *out, size_t n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int mp_vformat(char *out, size_t n, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));

/* The shortest decimal text that reads back as v, which is finite. */
void mp_real_text(double v, char out[32]);

/* What a word for n things ends in: "" for one, else "s". */
const char *mp_plural(int64_t n);

/* Equal but for the case of the letters a to z, in every locale. */
bool mp_same_letters(const char *a, const char *b);

/* Bytes of the UTF-8 character at p (n >= 1 bytes are there): 1 to 4, or 0 when it is not one. */
int mp_utf8_length(const char *p, size_t n);

/* Whether the UTF-8 character of n bytes is a control character: U+0000 to 001F, 007F to 009F. */
bool mp_is_control(const char *p, int n);

/* Makes a text safe for a terminal, in place: control characters and bytes that are not UTF-8 become '?'. With `lines`, line
 * ends and tabs stay. Messages (err.h) and all that src/cli prints went through here. */
void mp_clean(char *s, size_t n, bool lines);

/* The entry of a NULL-ended list that begins with `word`, else the one that is closest to it, or NULL when none is near. */
const char *mp_nearest(const char *word, const char *const *list);

/* A growing text, for JSON, HTML and tables. Zero-initialise; `p` is NUL-ended once anything was added. */
typedef struct mp_buf {
    char *p;
    size_t n, cap;
    bool local; /* freed when the work under a guard gives up (guard.h): for one that lives in a single call */
} mp_buf;
#define MP_BUF_LOCAL                                                                                                   \
    {                                                                                                                  \
        .local = true                                                                                                  \
    }
void mp_buf_add(mp_buf *b, const void *data, size_t n);
void mp_buf_puts(mp_buf *b, const char *s);
void mp_buf_printf(mp_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mp_buf_free(mp_buf *b);

MP_API_END

#endif
