/* csv.c - see csv.h.
 *
 * Where a record ends is decided in one place, `walk`: a byte after the other through four states. Fields are taken apart
 * when the whole record is there.
 * SPDX-License-Identifier: MIT */
#include "data/csv.h"

#include <stdlib.h>
#include <string.h>

#define MOST_RECORD ((size_t)16 << 20) /* bytes: a quote that is not closed must not take in the rest of the input */
#define MOST_LISTED 40                 /* columns that a message names */

enum { AT_FIELD, PLAIN, QUOTED, BEHIND_QUOTE };

/* Goes on from *at in the state it was left in. True: a record ends at *at, behind its line end. */
static bool walk(mp_span text, size_t *at, unsigned char *state, int64_t *lines)
{
    for (size_t i = *at; i < text.n; i++) {
        char ch = text.p[i];
        if (ch == '\n') ++*lines;
        if (*state == QUOTED) {
            if (ch == '"') *state = BEHIND_QUOTE;
        } else if (ch == '\n') {
            *at = i + 1;
            *state = AT_FIELD;
            return true;
        } else if (ch == ',') {
            *state = AT_FIELD;
        } else {
            *state = ch == '"' && *state != PLAIN ? QUOTED : PLAIN; /* behind a quote: a doubled one */
        }
    }
    *at = text.n;
    return false;
}

/* The bytes of a record without its line end. */
static mp_span bare(mp_span raw)
{
    if (raw.n && raw.p[raw.n - 1] == '\n') raw.n--;
    if (raw.n && raw.p[raw.n - 1] == '\r') raw.n--;
    return raw;
}

static bool is_record(mp_span text, size_t from, size_t to)
{
    return bare((mp_span){ text.p + from, to - from }).n > 0;
}

/* Doubled quotes of n bytes become single ones. */
static mp_span undouble(const char *p, size_t n, mp_arena *a)
{
    char *out = MP_NEW_RAW(a, char, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        out[m++] = p[i];
        if (p[i] == '"') i++;
    }
    return (mp_span){ out, m };
}

/* The field at *at, in quotes; *at goes behind its closing one. */
static mp_err quoted_field(const mp_csv *c, const mp_csv_record *r, mp_span text, size_t *at, mp_arena *a, mp_span *out)
{
    const char *first = text.p + *at + 1, *p = first, *end = text.p + text.n;
    bool doubled = false;
    while ((p = memchr(p, '"', (size_t)(end - p))) != NULL && p + 1 < end && p[1] == '"') {
        doubled = true;
        p += 2;
    }
    long long line = (long long)(r->line + (int64_t)mp_newlines(text.p, *at));
    if (!p) return mp_fail(MP_ERR_INPUT, "%s:%lld: a field in quotes does not end", c->file, line);
    size_t n = (size_t)(p - first);
    if (p + 1 < end && p[1] != ',')
        return mp_fail(MP_ERR_INPUT, "%s:%lld: expected a comma or the end of the line behind the closing quote",
                       c->file, line + (long long)mp_newlines(first, n));
    *out = doubled ? undouble(first, n, a) : (mp_span){ first, n };
    *at = (size_t)(p + 1 - text.p);
    return MP_OK;
}

static mp_err split(const mp_csv *c, mp_arena *a, mp_csv_record *r)
{
    mp_span text = bare(r->raw);
    size_t at = 0;
    int room = c->columns ? c->columns : 16;
    mp_span *field = MP_NEW_RAW(a, mp_span, room);
    for (;; at++) {
        mp_span one;
        if (at < text.n && text.p[at] == '"') {
            MP_TRY(quoted_field(c, r, text, &at, a, &one));
        } else {
            const char *comma = memchr(text.p + at, ',', text.n - at);
            one = (mp_span){ text.p + at, (comma ? (size_t)(comma - text.p) : text.n) - at };
            at += one.n;
        }
        if (r->fields == room) {
            room = mp_room(room, (int64_t)room + 1, 16, "fields");
            MP_MORE(a, field, r->fields, room);
        }
        field[r->fields++] = one;
        if (at == text.n) break;
    }
    r->field = field;
    if (c->columns && r->fields != c->columns)
        return mp_fail(MP_ERR_INPUT, "%s:%lld: %d field%s; the header has %d", c->file, (long long)r->line, r->fields,
                       mp_plural(r->fields), c->columns);
    return MP_OK;
}

mp_err mp_csv_next(mp_csv *c, mp_span *text, mp_arena *a, mp_csv_record *out, bool *got)
{
    *got = false;
    while (text->n) {
        size_t end = 0;
        unsigned char state = AT_FIELD;
        int64_t lines = 0;
        walk(*text, &end, &state, &lines);
        *out = (mp_csv_record){ .raw = { text->p, end }, .line = c->lines + 1 };
        *text = (mp_span){ text->p + end, text->n - end };
        c->lines += lines;
        if (bare(out->raw).n == 0) continue;
        c->records++;
        *got = true;
        return split(c, a, out);
    }
    return MP_OK;
}

mp_err mp_csv_cut(mp_csv *c, mp_feed *f, size_t near, mp_buf *out, int64_t *before)
{
    *before = c->lines;
    for (;;) {
        mp_span window = mp_feed_window(f);
        while (c->seen.whole < near && walk(window, &c->seen.at, &c->seen.state, &c->seen.lines)) {
            c->seen.records += is_record(window, c->seen.whole, c->seen.at);
            c->seen.whole = c->seen.at;
            c->seen.whole_lines = c->seen.lines;
        }
        if (c->seen.whole || f->end) break;
        if (window.n > MOST_RECORD)
            return mp_fail(MP_ERR_LIMIT, "%s:%lld: a record of more than %zu MiB; is a quote not closed?", c->file,
                           (long long)(c->lines + 1), MOST_RECORD >> 20);
        MP_TRY(mp_feed_more(f));
    }
    size_t n = c->seen.whole ? c->seen.whole : mp_feed_window(f).n;
    c->records += c->seen.whole ? c->seen.records : is_record(mp_feed_window(f), 0, n);
    c->lines += c->seen.whole ? c->seen.whole_lines : c->seen.lines;
    memset(&c->seen, 0, sizeof c->seen);
    mp_feed_cut(f, n, out);
    return MP_OK;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

mp_err mp_csv_names(mp_csv *c, const mp_csv_record *first, mp_arena *a, mp_csv_head *out)
{
    int n = first->fields;
    const char **name = MP_NEW_RAW(a, const char *, n), **sorted = MP_NEW_RAW(a, const char *, n);
    for (int i = 0; i < n; i++) {
        mp_span word = mp_trim(first->field[i]);
        sorted[i] = name[i] = mp_arena_text(a, word.p, word.n);
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_name);
    for (int i = 1; i < n; i++)
        if (sorted[i][0] && strcmp(sorted[i - 1], sorted[i]) == 0)
            return mp_fail(MP_ERR_INPUT, "%s:%lld: two columns are called '%.80s'", c->file, (long long)first->line,
                           sorted[i]);
    *out = (mp_csv_head){ n, name };
    c->columns = n;
    return MP_OK;
}

int mp_csv_column(const mp_csv_head *h, const char *name)
{
    for (int i = 0; i < h->columns; i++)
        if (name[0] && strcmp(h->name[i], name) == 0) return i;
    return -1;
}

const char *mp_csv_list(const mp_csv_head *h, mp_arena *a)
{
    mp_buf b = MP_BUF_LOCAL;
    int shown = h->columns < MOST_LISTED ? h->columns : MOST_LISTED;
    for (int i = 0; i < shown; i++) mp_buf_printf(&b, "%s%.80s", i ? ", " : "", h->name[i]);
    if (shown < h->columns) mp_buf_printf(&b, ", ... (%d)", h->columns);
    const char *list = mp_arena_text(a, b.n ? b.p : "", b.n);
    mp_buf_free(&b);
    return list;
}

void mp_csv_put(mp_buf *b, mp_span text)
{
    bool quote = false;
    for (size_t i = 0; i < text.n && !quote; i++) quote = strchr(",\"\n\r", text.p[i]) && text.p[i];
    if (!quote) {
        mp_buf_add(b, text.p, text.n);
        return;
    }
    mp_buf_puts(b, "\"");
    for (size_t i = 0; i < text.n; i++) mp_buf_add(b, text.p[i] == '"' ? "\"\"" : &text.p[i], text.p[i] == '"' ? 2 : 1);
    mp_buf_puts(b, "\"");
}
