/* tu.h - data sets in the TUDataset text format, from bytes and to files.
 *
 * Reading follows math.md 1.7: node ids from 1, self loops and repeated edges dropped, neighbours sorted.
 * An edge listed in one direction only gets its reverse, and is counted. Every failure names file and line.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TU_H
#define MP_TU_H

#include "base/text.h"
#include "data/dataset.h"

typedef enum mp_tu_part {
    MP_TU_EDGES,            /* NAME_A.txt               */
    MP_TU_INDICATOR,        /* NAME_graph_indicator.txt */
    MP_TU_GRAPH_LABELS,     /* NAME_graph_labels.txt     */
    MP_TU_NODE_LABELS,      /* NAME_node_labels.txt      */
    MP_TU_NODE_ATTRIBUTES,  /* NAME_node_attributes.txt  */
    MP_TU_GRAPH_ATTRIBUTES, /* NAME_graph_attributes.txt */
    MP_TU_SPLITS,           /* NAME_splits.txt, ours: "train 0 500" = name, first graph, one past the last */
    MP_TU_EDGE_LABELS,      /* NAME_edge_labels.txt: a line for each of NAME_A.txt, as have */
    MP_TU_EDGE_ATTRIBUTES,  /* NAME_edge_attributes.txt                                      */
    MP_TU_PARTS
} mp_tu_part;
extern const char *const mp_tu_suffix[MP_TU_PARTS]; /* "_A.txt", ... */

typedef struct mp_tu_files {
    const char *name;
    mp_span part[MP_TU_PARTS]; /* p NULL: no such file */
    bool edges; /* labels and attributes of edges are wanted; else a first line suffices to count columns */
    bool piece; /* some graphs out of larger files, behind which there are ... */
    int64_t graphs_before, nodes_before;
} mp_tu_files;

/* What the files say, before features are made from it. */
typedef struct mp_raw {
    const char *name;
    mp_graph graphs;
    mp_sparse attributes; /* N x columns, zeros not stored, val NULL when all are 1; 0 columns: none */
    int label_columns;
    const int *labels;             /* N x label_columns node labels, the file's numbers           */
    const int64_t *graph_label;    /* B, or NULL                                                  */
    const char *const *class_name; /* labels that are text: graph_label b means class_name[b]; else NULL */
    int target_columns;
    const double *target; /* B x target_columns, NaN where one is missing, or NULL; not read when there are labels */
    mp_sparse edge_attributes; /* E x columns in the order of graphs.col; 0 columns: none      */
    int edge_label_columns;
    const int *edge_labels;                        /* E x edge_label_columns, the file's numbers                   */
    int edge_columns_unread;                       /* label and attribute columns of edges that were not wanted */
    int self_loops, repeated_edges, added_reverse; /* lines dropped, lines dropped, edges added */
    int fixed[5][2];                               /* as in mp_dataset                         */
    const char *fixed_name[5];
} mp_raw;

/* A and graph_indicator must be there. Nothing of the texts is referenced afterwards. */
MP_MUST mp_err mp_tu_parse(const mp_tu_files *files, mp_arena *a, mp_raw *out);

/* Writes the files into `folder`, which is made when missing. */
MP_MUST mp_err mp_tu_write(const mp_raw *raw, const char *folder);

/* Features, classes and seal of some graphs of a larger set. */
MP_MUST mp_err mp_dataset_piece(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *out);

/* Those, the split and the fingerprint. `as` NULL: by math.md 1.7 and the set's name. */
MP_MUST mp_err mp_dataset_build(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *out);

#endif
