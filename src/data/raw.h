/* raw.h - what the files of a data set say, whatever their format, and a data set made from it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_RAW_H
#define MP_RAW_H

#include "base/api.h"
#include "base/text.h"
#include "data/dataset.h"

MP_API_BEGIN

typedef struct mp_raw {
    const char *name;
    mp_graph graphs;
    mp_sparse attributes; /* N x columns, zeros not stored, val NULL when all are 1; 0 columns: none */
    int label_columns;
    const int *labels;          /* N x label_columns node labels, the file's numbers           */
    const int64_t *graph_label; /* B, or NULL                                                  */
    int class_names;
    const char *const *class_name; /* labels that are text: graph_label b means class_name[b]; else NULL */
    int target_columns;
    const double *target; /* B x target_columns, NaN where one is missing, or NULL; not read when there are labels */
    const char *const *target_name; /* target_columns, or NULL: they have no names                */
    const char *const *smiles;      /* B: the molecules that graphs were made from, or NULL       */
    const char *const *id;          /* B: what the graphs are called where they came from, or NULL */
    int notes;
    const char *const *note_name;       /* notes: what else is said of graphs, such as who measured them and when */
    const char *const *note;            /* B x notes: in words, "" where nothing is said */
    const mp_names *names, *edge_names; /* of the columns of nodes and edges; NULL: they have none */
    /* Labels of column k are 0 .. range[k] - 1, whichever of them occur; NULL: those between the smallest and the largest. */
    const int *label_range, *edge_label_range;
    mp_sparse edge_attributes; /* E x columns in the order of graphs.col; 0 columns: none      */
    int edge_label_columns;
    const int *edge_labels;  /* E x edge_label_columns, the file's numbers                   */
    int edge_columns_unread; /* label and attribute columns of edges that were not wanted */
    const int *edge_list;    /* E/2: the edges as the files list them, places in graphs.col; NULL: not kept */
    const char *file;        /* where graph b is a line of one file, number first_line + b; else NULL */
    int first_line;
    const int *line;            /* B: number of the line of graph b instead, or NULL */
    const char *const *file_of; /* B: where it is a line of several files, that of graph b; or NULL */
    mp_left left;               /* rows that were left out */
    int self_loops, repeated_edges, added_reverse; /* lines dropped, lines dropped, edges added */
    int fixed[5][2];                               /* as in mp_dataset                         */
    const char *fixed_name[5];
    const int *fixed_list;
    const char *split_kind;               /* how that split was made, such as "scaffold"; NULL: not known */
    const struct mp_fold_text *fold_text; /* folds that came with the files, or NULL */
} mp_raw;

/* Whether nodes have the features of OGB's atoms, and edges some too, read or not. */
bool mp_raw_is_molecules(const mp_raw *raw);

/* Whether labels and attributes of its edges are to be read: of molecules their preset wants them too. */
bool mp_raw_wants_edges(const mp_raw *raw, const mp_dataset_as *as);

/* What its labels are for, unless somebody says otherwise. */
const mp_task *mp_raw_task(const mp_raw *raw);

/* Takes over a split in which graph b is in part[b], or in none where that is MP_PARTS or more. `name` has that of each part
 * or NULL: train, validation, test, and up to two larger tests. */
#define MP_PARTS 5
void mp_raw_split(mp_raw *raw, const unsigned char *part, const char *const name[MP_PARTS], mp_arena *a);

/* That again: the part of each graph; NULL when there is no split. */
const unsigned char *mp_raw_parts(const mp_raw *raw, mp_arena *a);

/* The edges of all graphs, each once, as places in graphs.col: raw->edge_list, or else from their smaller ends. Place e is the edge
 * from col[e] to col[rev[e]]. And how many of them a graph has. */
const int *mp_raw_edges(const mp_raw *raw, mp_arena *a);
int mp_raw_edge_count(const mp_raw *raw, int graph);

/* Features, classes and seal of some graphs of a larger set. */
MP_MUST mp_err mp_dataset_piece(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *out);

/* Classes and seal alone; `out` has its name and graphs. */
MP_MUST mp_err mp_dataset_seal(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *out);

/* Those, the split and the fingerprint. `as` NULL: by math.md 1.7 and the set's name. */
MP_MUST mp_err mp_dataset_build(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *out);

MP_API_END

#endif
