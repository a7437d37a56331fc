/* csv.h - tables as text: records of fields with commas between, one after the other.
 *
 * A field may stand in double quotes; then commas, line ends and doubled quotes are part of it. Lines end in LF or CR LF. Empty
 * lines are passed over. A quote inside a field that does not begin with one is a character like others.
 *
 * A record keeps its own bytes, so that it can be printed again unchanged. An input of any length is cut into pieces of whole
 * records by one thread (mp_csv_cut) and taken apart by others (mp_csv_next), each with an mp_csv of its own.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CSV_H
#define MP_CSV_H

#include "base/text.h"
#include "data/feed.h"

typedef struct mp_csv { /* a place in a table; zero but for the name at its beginning */
    const char *file;   /* opens messages */
    int64_t lines;      /* before this place */
    int64_t records;    /* before it, empty lines aside, the header included */
    int columns;        /* that every record must have; 0: any number */
    struct {            /* mp_csv_cut: what it knows of the window of its feed */
        size_t at, whole;
        int64_t lines, whole_lines, records;
        unsigned char state;
    } seen;
} mp_csv;

typedef struct mp_csv_record {
    mp_span raw;  /* its bytes, the line end included where it has one */
    int64_t line; /* on which it begins, from 1 */
    int fields;
    const mp_span *field; /* without their quotes */
} mp_csv_record;

/* Takes the next record off the front of `text`; its fields point into the text and the arena. *got false: there is none left.
 * A mark before the first is the caller's to take off (mp_without_mark); a feed has done it.
 * Fails with FILE:LINE when a quote is not closed, when text follows a closing one, or when the columns are not as many. */
MP_MUST mp_err mp_csv_next(mp_csv *c, mp_span *text, mp_arena *a, mp_csv_record *out, bool *got);

/* Cuts whole records off a feed into `out`, which they replace: about `near` bytes, at least one record, nothing at the end.
 * c->lines and c->records count those behind them then; *before is how many lines there were before. */
MP_MUST mp_err mp_csv_cut(mp_csv *c, mp_feed *f, size_t near, mp_buf *out, int64_t *before);

typedef struct mp_csv_head {
    int columns;
    const char *const *name; /* without the blanks around them; "" where there is none */
} mp_csv_head;

/* The first record as names; from now on every record must have as many fields. Fails when a name comes twice. */
MP_MUST mp_err mp_csv_names(mp_csv *c, const mp_csv_record *first, mp_arena *a, mp_csv_head *out);

/* The column of a name; -1: there is none. */
int mp_csv_column(const mp_csv_head *h, const char *name);

/* "a, b, c": the names for a message, the first of very many. */
const char *mp_csv_list(const mp_csv_head *h, mp_arena *a);

/* A field as it is written: in quotes where it must be. */
void mp_csv_put(mp_buf *b, mp_span text);

#endif
