/* frame.h - graphs as three tables with named columns: of graphs, of nodes and of edges. What GraphML and folders of tables are
 * read into (docs/formats.md), before it becomes a data set.
 *
 * Graphs and nodes are called by words. Rows may come in any order; nodes and edges keep the one they came in within their
 * graph. Columns of nodes and edges are features: numbers are attributes, words are labels, and so are whole numbers in columns
 * called label, label_1, ... A column of graphs is what is to be learned, a split, SMILES, or a note.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FRAME_H
#define MP_FRAME_H

#include "data/raw.h"

typedef enum mp_frame_part { MP_FRAME_GRAPHS, MP_FRAME_NODES, MP_FRAME_EDGES, MP_FRAME_PARTS } mp_frame_part;
typedef enum mp_frame_kind { MP_FRAME_WORD, MP_FRAME_NUMBER } mp_frame_kind; /* columns of graphs are words */

typedef struct mp_frame mp_frame;

/* Its memory is that of `a`, which lasts until the frame is a data set. `as` may be NULL. */
mp_frame *mp_frame_new(const mp_dataset_as *as, mp_arena *a);

/* The file that rows from now on are lines of. The name must stay. */
void mp_frame_file(mp_frame *f, const char *name);

/* What a model says a column holds. False: it is for the files to say. */
bool mp_frame_known(const mp_frame *f, mp_frame_part part, const char *name, mp_frame_kind *kind);

/* Whether values of a column are wanted. Those that are not are counted, and need not be put in. */
bool mp_frame_wants(mp_frame *f, mp_frame_part part, const char *name);

/* A column by its name, made when there is none; the kind is that it was made with. */
int mp_frame_make_column(mp_frame *f, mp_frame_part part, const char *name, mp_frame_kind kind);

mp_frame_kind mp_frame_kind_of(const mp_frame *f, mp_frame_part part, int column);

/* A new graph, which no other may be called like. */
MP_MUST mp_err mp_frame_graph(mp_frame *f, mp_span id, int64_t line, int *graph);

/* The graph of that name; -1: there is none. */
int mp_frame_find(const mp_frame *f, mp_span id);

/* A new node, and a new edge. Nodes of edges may come later; with mp_frame_open they need not come at all. */
MP_MUST mp_err mp_frame_node(mp_frame *f, int graph, mp_span id, int64_t line);
MP_MUST mp_err mp_frame_edge(mp_frame *f, int graph, mp_span from, mp_span to, int64_t line);
void mp_frame_open(mp_frame *f);

/* The value that the last graph, node or edge has in a column; once each. */
MP_MUST mp_err mp_frame_set(mp_frame *f, mp_frame_part part, int column, mp_span value, int64_t line);
bool mp_frame_is_set(const mp_frame *f, mp_frame_part part, int column);

/* What it all says, in the arena `keep`; `out` is set but for its name. `where` opens messages about no line. */
MP_MUST mp_err mp_frame_finish(mp_frame *f, const char *where, mp_arena *keep, mp_raw *out);

/* ---- written: what columns are called that have no names; mp_frame_finish knows them again ---- */

const char *mp_frame_attribute(const mp_names *names, int columns, int k, mp_arena *a);
const char *mp_frame_label(const mp_names *names, int columns, int k, mp_arena *a);
const char *mp_frame_target(const mp_raw *raw, int k, mp_arena *a);

/* Fails where what is read back would be something else. */
MP_MUST mp_err mp_frame_holds(const mp_raw *raw, const char *path);

/* What graphs are called; NULL, by their numbers: they have no names, or such as do not tell them apart. */
const char *const *mp_frame_ids(const mp_raw *raw, mp_arena *a);

/* The texts of a row of the table of graphs, behind the id: targets or class, split, SMILES, notes. */
int mp_frame_graph_columns(const mp_raw *raw, mp_arena *a, const char *const **name);
void mp_frame_graph_cell(const mp_raw *raw, const unsigned char *part, int graph, int column, mp_buf *out);

#endif
