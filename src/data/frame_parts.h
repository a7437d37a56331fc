/* frame_parts.h - inside of a frame (frame.h), for the files that make a data set of one.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FRAME_PARTS_H
#define MP_FRAME_PARTS_H

#include "data/frame.h"
#include "data/lexicon.h"

typedef struct mp_frame_column {
    const char *name;
    mp_frame_kind kind;
    mp_lexicon words;
    double *number; /* a row each, where the kind is numbers; NaN: not set */
    int *word;      /* a row each, where it is words: the place in `words`; -1: not set */
    int rows, room; /* rows behind these are not set */
    int values;     /* that were set */
} mp_frame_column;

typedef struct mp_frame_run { /* rows from `first` on are lines of `file` */
    int first;
    const char *file;
} mp_frame_run;

typedef struct mp_frame_table {
    int rows, room;
    int *line;  /* rows */
    int *graph; /* rows: that a node or edge belongs to */
    int columns, column_room;
    mp_frame_column *column;
    int runs, run_room;
    mp_frame_run *run;
    mp_lexicon unread; /* names of columns that nobody wanted */
} mp_frame_table;

struct mp_frame {
    const mp_dataset_as *as;
    mp_arena *a;
    const char *file;
    bool open;
    mp_frame_table part[MP_FRAME_PARTS];
    mp_lexicon graph;          /* ids: graph b is word b */
    mp_lexicon node;           /* ids, within their graphs, of nodes and of what edges join */
    int *node_row, node_room;  /* node.count: their rows, -1 where there is none yet */
    int *from, *to, edge_room; /* rows of edges: words of `node` */
};

/* FILE:LINE before a message about a row. */
mp_err mp_frame_blame(const mp_frame *f, mp_frame_part part, int row, mp_err e);

/* The file that a row is a line of. */
const char *mp_frame_file_of(const mp_frame_table *t, int row);

/* The word of a row; "": it has none. And its number; NaN: it has none. */
const char *mp_frame_word(const mp_frame_column *c, int row);
double mp_frame_number(const mp_frame_column *c, int row);

/* The column of a name, -1: there is none; and the names of all, for a message. */
int mp_frame_place(const mp_frame_table *t, const char *name);
const char *mp_frame_list(const mp_frame_table *t, mp_arena *a);

/* Whether a name is one of a list with commas between. */
bool mp_frame_listed(const char *list, const char *name);

/* Features as mp_raw has them. Row order[i] of the table is node or edge i of n. Attributes are all numbers. */
typedef struct mp_frame_features {
    int label_columns;
    const int *labels; /* n x label_columns */
    mp_sparse attributes;
    const mp_names *names;
} mp_frame_features;
MP_MUST mp_err mp_frame_take_features(const mp_frame *f, mp_frame_part part, const char *where, const int *order, int n,
                                      mp_arena *keep, mp_frame_features *out);

/* What is said of graphs: raw->graphs is there. */
MP_MUST mp_err mp_frame_take_graphs(const mp_frame *f, const char *where, mp_arena *keep, mp_raw *raw);

#endif
