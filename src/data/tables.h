/* tables.h - a data set as a folder of tables (docs/formats.md): graphs.csv, nodes.csv, edges.csv, each with a header.
 *
 *     graphs.csv    graph_id,y,split              g1,active,train
 *     nodes.csv     graph_id,node_id,atom,charge  g1,a,C,0.1
 *     edges.csv     graph_id,source,target,bond   g1,a,b,single
 *
 * SPDX-License-Identifier: MIT */
#ifndef MP_TABLES_H
#define MP_TABLES_H

#include "data/frame.h"
#include "data/raw.h"

typedef struct mp_tables {
    const char *where;                /* opens messages about no line */
    const char *file[MP_FRAME_PARTS]; /* opens messages; NULL: there is no such table. Edges must be there */
    mp_span text[MP_FRAME_PARTS];
} mp_tables;

/* What tables are called: graphs.csv, nodes.csv, edges.csv. */
extern const char *const mp_tables_file[MP_FRAME_PARTS];

/* `out` is set but for its name; it is in `keep`. The texts and `text`, which has all that is needed on the way, may go then. */
MP_MUST mp_err mp_tables_parse(const mp_tables *t, const mp_dataset_as *as, mp_arena *text, mp_arena *keep,
                               mp_raw *out);

/* The three files, which mp_tables_parse reads back as the same. */
MP_MUST mp_err mp_tables_write(const mp_raw *raw, const char *folder);

#endif
