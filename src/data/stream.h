/* stream.h - the graphs of an input, piece by piece, as a model reads them: memory does not grow with the input.
 *
 * A piece is made in two steps. mp_stream_cut takes its text off the input; one thread at a time may do that.
 * mp_stream_read makes graphs and features of the text; all threads may do that at once, each with a piece of its own. Where
 * graphs are large it makes some of them at a time, and goes on when it is called again.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STREAM_H
#define MP_STREAM_H

#include "base/api.h"
#include "data/feed.h"
#include "data/gather.h"

MP_API_BEGIN

typedef struct mp_row { /* of a table */
    mp_span raw;        /* its bytes, the line end included where it has one */
    int64_t line;       /* on which it begins, from 1 */
    int graph;          /* the one it became, of those that were read; -1: none */
    const char *why;    /* it became none */
} mp_row;

typedef struct mp_piece {
    int64_t start;                     /* number of its first graph in the input, from 0                    */
    int64_t graphs;                    /* cut off with it                                                   */
    int64_t nodes_before, nodes;       /* TU files: in the input before it, and in it                      */
    int64_t lines_before[MP_TU_PARTS]; /* OGB's members, tables: lines in the input before it           */
    mp_buf text[MP_TU_PARTS];          /* what was cut off each file                                        */
    mp_arena *memory, *scratch;        /* of what is read, and of one line while it is read                 */
    size_t at;                         /* bytes of text[0] that were read, where that is done in parts      */
    int most;                          /* read no more graphs at a time than these, where that can be; 0: any number */
    mp_dataset data;                   /* read: features, structure, labels ...                             */
    int from, count;                   /* ... of which these graphs are the piece's                         */
    int64_t first;                     /* number of the first of them in the input                          */
    bool more;                         /* there are others behind them                                      */
    int rows;                          /* tables: read ...                                                  */
    const mp_row *row; /* ... of which these; NULL: the input is none. `start`, `graphs` and `first` count rows then */
} mp_piece;
void mp_piece_init(mp_piece *p);
void mp_piece_free(mp_piece *p);

typedef struct mp_stream mp_stream;
struct mp_book;

/* JSON lines (docs/formats.md), a graph each. `name` opens messages where `book`, whose tap it is, does not know of files, which may
 * be NULL; all three and `as` must stay. The tap is the stream's. */
mp_stream *mp_stream_jsonl(const char *name, struct mp_book *book, mp_tap tap, const mp_dataset_as *as);

/* The files of a TUDataset read in step, tap by tap; those that are not there are all zero. The taps are the stream's from
 * now on, also when it fails. Edges must be in the order of the graphs; of those that are not, a piece may lack some. */
MP_MUST mp_err mp_stream_tu(const char *name, const mp_tap tap[MP_TU_PARTS], const mp_dataset_as *as, mp_stream **out);

/* The same from files that were gathered by name; `open` is called for each, with g->where in front. The edges are looked at
 * first, all of them, by `threads`: fails when they are not in the order of the graphs. Then the set must be loaded whole. */
typedef mp_err mp_tap_open(const char *where, const char *path, mp_tap *out);
MP_MUST mp_err mp_stream_gathered(const mp_gather *g, mp_tap_open *open, const mp_dataset_as *as, int threads,
                                  mp_stream **out);

/* The same from a folder. Memory for names is the arena's. */
MP_MUST mp_err mp_stream_folder(const char *path, const mp_dataset_as *as, int threads, mp_arena *a, mp_stream **out);

/* A data set in memory, from graph `first` on. */
mp_stream *mp_stream_whole(const mp_dataset *d, int64_t first);

/* *got false: there is nothing left. */
MP_MUST mp_err mp_stream_cut(mp_stream *s, mp_piece *p, bool *got);

/* The next graphs of a piece. After a failure the graphs before it are there. */
MP_MUST mp_err mp_stream_read(const mp_stream *s, mp_piece *p);

/* What was read of a piece is to be read once more, `most` graphs at a time. */
void mp_piece_rewind(mp_piece *p, int most);

/* What a kind of stream has read of a piece, p->count graphs, becomes its data: structure, features, those of edges. */
void mp_piece_join(mp_piece *p, const mp_recipe *r, const mp_graph *g, const mp_sparse *x);

/* Puts the place of a graph, FILE:LINE or the name of the set and its number, before the message of a failure. */
mp_err mp_stream_blame(const mp_stream *s, int64_t graph, mp_err e);

void mp_stream_close(mp_stream *s); /* NULL is allowed */

/* How many graphs are left, rows of tables: all is cut off and nothing is read. Closes the stream, also when it fails. */
MP_MUST mp_err mp_stream_count(mp_stream *s, int64_t *graphs);

/* How a kind of stream is made: its struct begins with this one. */
struct mp_stream {
    mp_err (*cut)(mp_stream *s, mp_piece *p, bool *got);
    mp_err (*read)(const mp_stream *s, mp_piece *p);
    mp_err (*blame)(const mp_stream *s, int64_t graph, mp_err e);
    void (*close)(mp_stream *s);
    mp_span header; /* tables: the bytes of their first record, for those who print rows again; else empty */
};

MP_API_END

#endif
