/* dataset.h - a data set in memory: graphs, input features, and what they are called in the files.
 *
 * Labels are not here. They are behind a seal (seal.h): training gets those of its own graphs only.
 * SPDX-License-Identifier: MIT */
#ifndef MP_DATASET_H
#define MP_DATASET_H

#include "base/api.h"
#include "graph/graph.h"
#include "task/task.h"

#include <stdint.h>

MP_API_BEGIN

struct mp_seal;
struct mp_fold_text;

/* How x was made from the files, so that a saved model can make the same x from other files. */
typedef enum mp_degree_kind { MP_DEGREE_NONE, MP_DEGREE_ONE_HOT, MP_DEGREE_NORMALISED } mp_degree_kind;
#define MP_MAX_LABEL_COLUMNS 16
typedef struct mp_recipe {
    int attributes;      /* attribute columns used as they are                                  */
    int skip_attributes; /* leading attribute columns that are not inputs (COLORS-3: attention) */
    int label_columns;   /* node label columns, each one-hot                                    */
    int label_min[MP_MAX_LABEL_COLUMNS], label_count[MP_MAX_LABEL_COLUMNS];
    mp_degree_kind degree;
    int degree_max;                 /* one-hot: columns 0..degree_max */
    double degree_mean, degree_std; /* normalised: (deg - mean) / std */
    int edge_attributes;            /* attribute columns of edges, as they are, then ... */
    int edge_label_columns;         /* ... label columns of edges, each one-hot          */
    int edge_label_min[MP_MAX_LABEL_COLUMNS], edge_label_count[MP_MAX_LABEL_COLUMNS];
} mp_recipe;
int mp_recipe_columns(const mp_recipe *r);      /* of x */
int mp_recipe_edge_columns(const mp_recipe *r); /* of edge_x; 0: none */

/* What columns of features are called, where files have names for them. */
typedef struct mp_names {
    int attributes, labels;         /* columns */
    const char *const *attribute;   /* attributes: in their order */
    const char *const *label;       /* labels: likewise */
    const int *words;               /* labels: of how many words the column is made; 0: of whole numbers */
    const char *const *const *word; /* labels: label i of column k is word[k][i]; in the order of their letters */
} mp_names;

/* Rows of a table that made no graph. */
#define MP_LEFT_SAID 10
typedef struct mp_left {
    int64_t count;
    const char *text[MP_LEFT_SAID]; /* the first of them: FILE:LINE: why */
} mp_left;

typedef struct mp_dataset {
    const char *name;
    mp_graph graphs;  /* all graphs of the set as one batch, unweighted */
    mp_sparse x;      /* N x F input features                           */
    mp_sparse edge_x; /* E x columns attributes of edges; 0 columns: none; else graphs.edge_x is the same */
    mp_recipe recipe;
    const mp_task *task;
    int targets;                /* label columns T                                */
    int classes;                /* labels are classes: C; else 0                  */
    const int64_t *class_value; /* C: the number a class has in the label file    */
    int class_names;            /* 0: labels are no text; else C, or 2: of no and yes */
    const char *const
        *class_name; /* what labels are called, where they are text: class_value is 0 .. C-1 then; else NULL */
    const char *const *target_name;     /* T: what the label columns are called, or NULL  */
    const char *const *smiles;          /* B: the molecules that graphs were made from, or NULL */
    const mp_names *names, *edge_names; /* of the columns of features; NULL: they have none */
    const char *preset;                 /* that holds for it without being asked for (train/preset.h); NULL: none */
    struct mp_seal *seal;               /* the labels; NULL when the input has none       */
    uint64_t fingerprint;               /* of graphs, features and labels                 */
    const char *origin;                 /* the folder, archive or generator it came from  */
    int fixed[5][2];       /* a split that comes with the set: first and one past last graph of train, validation, test
                                   and up to two larger tests; all 0: none */
    const int *fixed_list; /* `fixed` counts places in this list of graphs; NULL: the graphs themselves */
    const char *fixed_name[5]; /* "train", "val", "test-origin", "test-large", "test-large-c" or NULL */
    int self_loops, repeated_edges, added_reverse; /* lines of the edge file that were dropped; edges added */
    bool unused_labels,
        unused_attributes;   /* read for a model: the files have node labels or attributes, it takes none */
    int unused_edge_columns; /* of labels and attributes of edges that the files have and nobody wanted */
    int unseen_nodes;        /* read for a model: nodes of a degree it does not know, see load.h            */
    mp_left left;            /* rows that were left out */
    const struct mp_fold_text *fold_text; /* fold files that came with the set, or NULL */
} mp_dataset;

/* Which columns of a table are what, and how its rows are split, where the input is a table (data/csv.h). */
typedef struct mp_columns {
    const char *smiles; /* the column of molecules; NULL: the one called so   */
    const char *labels; /* "active,toxic"; NULL: those a model has names of, or none */
    const char *split;  /* "scaffold", "random", "stratified", "time:COLUMN"; NULL: scaffold */
    const char *ignore; /* columns of nodes and edges that are no features, "name,colour"; NULL: none */
    const char *note;   /* a column that is kept as a note (mp_raw) although it is nothing else; NULL: none */
    bool strict;        /* a row that is no molecule ends the reading, instead of being left out with a word */
    bool labelled;      /* a table without labels is refused: there is nothing to learn from it */
} mp_columns;

/* What a trained model knows of its inputs, to read other files the same way. */
typedef struct mp_dataset_as {
    const mp_recipe *recipe;
    const mp_task *task;            /* NULL: by the files */
    bool nodes;                     /* task NULL: one about nodes, by their features */
    int targets;                    /* label columns; 0: by the files */
    int classes;                    /* 0: take the classes from the files */
    const int64_t *class_value;     /* ascending; a label value that is not here is an error */
    const char *const *class_name;  /* what the classes, or no and yes, are called, or NULL; another name is an error */
    const char *const *target_name; /* targets: what the label columns are called, or NULL */
    const mp_columns *columns;      /* where the input is a table; NULL: by their names */
    const mp_names *names, *edge_names; /* of the columns a model reads; NULL: it knows none */
    bool edges; /* recipe NULL: attributes of edges are read too, else a recipe that has some says so */
    bool bonds; /* recipe NULL: those of molecules are, whatever `edges` says */
} mp_dataset_as;

/* How many names `as` has for labels; NULL: none. */
int mp_dataset_as_names(const mp_dataset_as *as);

/* The same data set for another task, where its labels allow it: classes become their numbers, whole numbers classes. NULL and
 * the task it has: as it is. */
MP_MUST mp_err mp_dataset_retask(const mp_dataset *d, const mp_task *task, mp_arena *a, mp_dataset *out);

/* What a network learns from the data set, with the configuration's metric and loss. */
MP_MUST mp_err mp_dataset_goal(const mp_dataset *d, const mp_config *c, mp_goal *out);

/* Whether labels and attributes of edges are to be read. NULL: no. */
bool mp_dataset_wants_edges(const mp_dataset_as *as);
/* The same where the data are molecules. */
bool mp_dataset_wants_bonds(const mp_dataset_as *as);

/* Whether everything is, for no model: the order in which edges are listed, too. */
bool mp_dataset_wants_all(const mp_dataset_as *as);

/* The class of a label value; -1 when there is none. Values ascend. */
int mp_class_of(const int64_t *class_value, int classes, int64_t value);

MP_API_END

#endif
