/* ogb.h - data sets in the raw layout of the Open Graph Benchmark, from bytes and to files.
 *
 *     raw/num-node-list.csv, num-edge-list.csv   a line a graph: how many nodes, how many lines of edge.csv
 *     raw/edge.csv, edge-feat.csv                a line an edge: two nodes, from 0 within the graph; its features
 *     raw/node-feat.csv, graph-label.csv         a line a node: its features; a line a graph: its labels, nan where one is missing
 *     mapping/mol.csv                            a header and a record a graph: labels, smiles, mol_id
 *     split/KIND/{train,valid,test}.csv          a line a graph, from 0
 *
 * Each of them plain or as .csv.gz. Edges, their counts and those of the nodes must be there. Each edge is there once, in one
 * direction; self loops and repeated edges are dropped and counted. A table of whole numbers in at most MP_MAX_LABEL_COLUMNS columns
 * is labels, any other is attributes. Nine columns of nodes, and three of edges beside them, are OGB's atoms and bonds, whose values
 * have fixed ranges (chem/chem.h). Every failure names file and line.
 * SPDX-License-Identifier: MIT */
#ifndef MP_OGB_H
#define MP_OGB_H

#include "chem/chem.h"
#include "data/raw.h"
#include "data/split.h"
#include "data/stream.h"

typedef enum mp_ogb_part {
    MP_OGB_NODE_COUNTS,
    MP_OGB_EDGE_COUNTS,
    MP_OGB_EDGES,
    MP_OGB_NODE_FEAT,
    MP_OGB_EDGE_FEAT,
    MP_OGB_LABELS,
    MP_OGB_MAPPING, /* this and the others behind it are not read in step */
    MP_OGB_TRAIN,
    MP_OGB_VALID,
    MP_OGB_TEST,
    MP_OGB_PARTS
} mp_ogb_part;
extern const char *const mp_ogb_path[MP_OGB_PARTS]; /* "raw/num-node-list.csv", ...; of a split without its folder */

/* ---- where its files are ---- */

typedef struct mp_ogb_set {
    const char *where; /* folder or zip */
    bool folder;
    const char *name;               /* of the set: that of folder or zip                                */
    const char *path[MP_OGB_PARTS]; /* of a file, or within the zip; NULL: no such part                  */
    const char *file[MP_OGB_PARTS]; /* what messages call it: NAME/raw/edge.csv.gz                       */
    const char *split;              /* KIND: scaffold if there is one, else the first by its letters; or NULL */
} mp_ogb_set;

/* Whether there is a raw/edge.csv or raw/edge.csv.gz. Leaves no message that matters. */
bool mp_ogb_is(const char *path, bool folder);

/* Fails when a part that must be there is missing, or one is there twice. */
MP_MUST mp_err mp_ogb_find(const char *path, bool folder, mp_arena *a, mp_ogb_set *out);

/* The text of a part that is there. */
MP_MUST mp_err mp_ogb_open(const mp_ogb_set *set, mp_ogb_part part, mp_tap *out);

/* ---- what they say ---- */

typedef struct mp_ogb_files {
    const char *name;
    const char *split;
    mp_span part[MP_OGB_PARTS]; /* p NULL: no such file */
    const char *file[MP_OGB_PARTS];
    const mp_dataset_as *as;        /* or NULL. Unless it wants edges, the first line of edge-feat suffices */
    int64_t before[MP_OGB_MAPPING]; /* some graphs out of larger files: lines before them */
} mp_ogb_files;

/* Nothing of the texts is referenced afterwards. */
MP_MUST mp_err mp_ogb_parse(const mp_ogb_files *files, mp_arena *a, mp_raw *out);

/* ---- as a stream ---- */

/* The members of a set in OGB's raw layout read in step, tap by tap; those that are not there are all zero. `names` has what messages
 * call them, and the model; what it points to must stay. The taps are the stream's from now on, also when it fails. */
MP_MUST mp_err mp_stream_ogb(const mp_ogb_files *names, const mp_tap tap[MP_OGB_MAPPING], int edge_columns_unread,
                             mp_stream **out);

/* ---- written ---- */

/* Into a folder, which is made when missing: .csv.gz, or .csv where nothing packs (archive.h). mapping/mol.csv only for a set with
 * SMILES. `folds` may be NULL. */
MP_MUST mp_err mp_ogb_write(const mp_raw *raw, const mp_folds *folds, const char *path);

#endif
