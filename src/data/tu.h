/* tu.h - data sets in the TUDataset text format, from bytes and to files.
 *
 * Reading follows math.md 1.7: node ids from 1, self loops and repeated edges dropped, neighbours sorted.
 * An edge listed in one direction only gets its reverse, and is counted. Every failure names file and line.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TU_H
#define MP_TU_H

#include "base/api.h"
#include "base/text.h"
#include "data/raw.h"
#include "data/split.h"

MP_API_BEGIN

typedef enum mp_tu_part {
    MP_TU_EDGES,            /* NAME_A.txt               */
    MP_TU_INDICATOR,        /* NAME_graph_indicator.txt */
    MP_TU_GRAPH_LABELS,     /* NAME_graph_labels.txt     */
    MP_TU_NODE_LABELS,      /* NAME_node_labels.txt      */
    MP_TU_NODE_ATTRIBUTES,  /* NAME_node_attributes.txt  */
    MP_TU_GRAPH_ATTRIBUTES, /* NAME_graph_attributes.txt */
    MP_TU_SPLITS,           /* NAME_splits.txt, ours: lines of part, first graph, one past the last */
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

/* A and graph_indicator must be there. Nothing of the texts is referenced afterwards. */
MP_MUST mp_err mp_tu_parse(const mp_tu_files *files, mp_arena *a, mp_raw *out);

/* Writes the files into `folder`, which is made when missing. */
MP_MUST mp_err mp_tu_write(const mp_raw *raw, const char *folder);

/* Folds with their validation graphs, beside them: 10fold_idx/{train,val,test}_idx-K.txt. */
MP_MUST mp_err mp_tu_write_folds(const mp_folds *folds, const char *folder);

MP_API_END

#endif
