/* jsonl.h - data sets as JSON lines (docs/formats.md): one graph a line, and before them perhaps a line about the set.
 *
 *     {"dataset": "MUTAG", "splits": ["train", "val", "test"], "folds": [{"train": [...], "test": [...]}, ...]}
 *     {"nodes": 3, "edges": [[0,1],[1,2]], "labels": [6,0,0], "attributes": [[0.5],[1],[2]],
 *      "edge_labels": [1,2], "edge_attributes": [[0.5],[1]], "y": 1, "split": "train", "smiles": "CCO", "id": "ethanol",
 *      "notes": {"lab": "A", "year": 2021}}
 *
 * SPDX-License-Identifier: MIT */
#ifndef MP_JSONL_H
#define MP_JSONL_H

#include "base/json.h"
#include "data/book.h"
#include "data/feed.h"
#include "data/query.h"
#include "data/raw.h"
#include "data/split.h"

/* ---- one line ---- */

/* Columns of the tables of a line. MP_ANY_COLUMNS: as many as it has, put down here; 0: the table is not looked at. */
#define MP_ANY_COLUMNS (-1)
typedef struct mp_jsonl_shape {
    int labels, attributes, x, edge_labels, edge_attributes;
} mp_jsonl_shape;

typedef enum mp_jsonl_y {
    MP_Y_NONE,  /* null, or no such key */
    MP_Y_WHOLE, /* a class, or a number that happens to be whole */
    MP_Y_REAL,
    MP_Y_TEXT, /* the name of a class */
    MP_Y_LIST  /* targets, NaN where one is missing */
} mp_jsonl_y;

typedef struct mp_jsonl_graph {
    mp_query query;
    const mp_json *line; /* all of it */
    mp_jsonl_y kind;
    int64_t whole;
    double real; /* of MP_Y_WHOLE too */
    const char *text;
    int targets;
    const double *target;
    const char *split, *smiles, *id; /* or NULL */
    const mp_json *notes;            /* an object of texts and numbers, or NULL */
} mp_jsonl_graph;

/* Everything is in the arena. Fails with NAME:LINE. That edges stay within the graph is for mp_query_check. */
MP_MUST mp_err mp_jsonl_line(mp_span text, const char *name, int line, mp_jsonl_shape *shape, mp_arena *a,
                             mp_jsonl_graph *out);

/* The line about the set. *found false: the text is not one; it may be a graph, or damaged. */
typedef struct mp_jsonl_head {
    const char *dataset;         /* NULL: not said */
    const char *split[MP_PARTS]; /* names of the parts: those given, else the usual ones */
    bool folds;
    const char *split_kind; /* as in mp_raw, or NULL */
    int names;              /* of label columns; 0: not said */
    const char *const *name;
    int label_columns, edge_label_columns; /* whose ranges are said; 0: none */
    const int *label_range, *edge_label_range;
} mp_jsonl_head;
MP_MUST mp_err mp_jsonl_first(mp_span text, const char *name, mp_arena *a, mp_jsonl_head *out, bool *found);

/* ---- all of it ---- */

/* `name` opens messages, where `book`, whose tap it is, does not know of files; it may be NULL. `set` is what the set is called when no line says it. Takes the tap. Nothing but the arena is
 * referenced afterwards. */
MP_MUST mp_err mp_jsonl_read(const char *name, mp_book *book, const char *set, mp_tap tap, const mp_dataset_as *as,
                             mp_arena *a, mp_raw *out);

/* Edges once each. `folds` may be NULL. */
MP_MUST mp_err mp_jsonl_write(const mp_raw *raw, const mp_folds *folds, const char *path);

#endif
