/* midpool.h - graph classification and regression with node-drop pooling, inside your own program.
 *
 *     mp_data *data;
 *     mp_trained *model;
 *     static const char *const options[] = { "pool=sag", "preset=mid", "epochs=50", NULL };
 *     if (mp_data_load("MUTAG", NULL, &data) != MP_OK || mp_train(data, options, NULL, &model, NULL) != MP_OK ||
 *         mp_trained_save(model, "mutag.safetensors") != MP_OK)
 *         return fprintf(stderr, "%s\n", mp_message()), 1;
 *     mp_trained_free(model);
 *     mp_data_free(data);
 *
 * Status. A call that can fail returns MP_OK or what went wrong; mp_message has the line about it, one for each thread. No call
 * prints, exits or aborts: a bad argument, a damaged file, a graph too large and memory that cannot be had all end it with a
 * status. Nothing is left behind then, outputs are as they were, and all objects can be used as before.
 *
 * Threads. Data sets and trained models are never changed once made: any number of threads may use one at once. A predictor
 * is for one thread at a time; each thread makes its own, and those of one model share its weights. mp_allocator_set and the
 * functions that add parts (midpool/operator.h) are called before other threads use the library.
 *
 * Lifetime. What a call makes is the caller's, who ends it with the _free of its type; NULL is allowed there. A predictor made
 * by mp_predictor_new must be freed before its model. Arguments are copied: arrays and texts may go when the call returns.
 * Texts and arrays behind a pointer that a call gives back belong to the object it was asked about and live as long as that;
 * those of answers and explanations until the next call with the same predictor. Names of parts and options stay.
 *
 * Link with `pkg-config --cflags --libs midpool`; the library needs libc, libm and threads.
 * SPDX-License-Identifier: MIT */
#ifndef MIDPOOL_H
#define MIDPOOL_H

#include "midpool/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIDPOOL_VERSION_MAJOR 0
#define MIDPOOL_VERSION_MINOR 1
#define MIDPOOL_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mp_data mp_data;           /* graphs and their labels */
typedef struct mp_trained mp_trained;     /* a network with its weights, and what it knows of its inputs */
typedef struct mp_predictor mp_predictor; /* a trained model at work, with memory of its own */

/* "0.1.0", of the library that runs; the macros are those of the header that was compiled. */
MP_API const char *mp_version(void);

/* ---- memory ---- */

/* Where the library gets its memory; what libc asks for on its own account (threads, folders) is not among it. `get` returns
 * NULL when there is none; `align` is a power of two. Both are called by several threads at once. */
typedef struct mp_allocator {
    void *(*get)(void *state, size_t bytes, size_t align);
    void (*put)(void *state, void *memory);
    void *state;
} mp_allocator;

/* Before anything else, once. NULL: malloc and its kin again. MP_ERR_USAGE while the library holds memory. */
MP_API mp_err mp_allocator_set(const mp_allocator *a);

/* ---- what there is ---- */

typedef enum mp_kind {
    MP_OPERATORS,    /* node-drop pooling: values of the option pool      */
    MP_BASELINES,    /* other methods: values of the option pool as well  */
    MP_CONVOLUTIONS, /* values of the option conv                         */
    MP_TASKS,        /* values of the option task                         */
    MP_METRICS,      /* values of the option metric                       */
    MP_PRESETS,      /* values of the option preset                       */
    MP_OPTIONS       /* of mp_train                                       */
} mp_kind;

typedef struct mp_entry {
    const char *name;  /* as options take it */
    const char *title; /* for people; the name where there is none other */
    const char *about; /* a paper, a formula or a sentence; "" where there is none */
    /* options */
    const char *initial; /* the default, as text; NULL for other kinds */
    const char *choices; /* "a|b|c", or NULL                            */
    double lo, hi;       /* range of a number, both ends included; equal where there is none */
    /* metrics */
    bool larger; /* is better */
} mp_entry;

/* Entry i of a kind. False behind the last. */
MP_API bool mp_entry_at(mp_kind kind, int i, mp_entry *out);

/* Whether a method (an operator or a baseline) looks at an option in some configuration. */
MP_API bool mp_method_has(const char *method, const char *option);

/* ---- data ---- */

/* By its name, looked up in `folder` (NULL: none), $MIDPOOL_DATA, ./data and the user's cache; or by a path: a TUDataset
 * folder, one in OGB's raw layout (plain .csv), a folder of graphs.csv, nodes.csv and edges.csv, a file or folder of JSON lines or of
 * GraphML, or a format of your own. Archives are read by the program, not by the library. */
MP_API mp_err mp_data_load(const char *name_or_path, const char *folder, mp_data **out);

/* The same where columns of tables and of GraphML are not what their names say; the program's options --label and --ignore. */
typedef struct mp_data_columns {
    const char *label;  /* of graphs, to be learned: "active" or "active,toxic"; NULL: y, label, class or target */
    const char *ignore; /* of nodes and edges, no features: "name,colour"; NULL: none */
} mp_data_columns;
/* `columns` may be NULL. MP_ERR_USAGE: there is no such column, or the format has no names of columns. */
MP_API mp_err mp_data_load_columns(const char *name_or_path, const char *folder, const mp_data_columns *columns,
                                   mp_data **out);

/* Graphs as arrays. Nodes are numbered from 0 over all graphs; graph b has nodes node_ptr[b] to node_ptr[b+1] - 1. Edges are
 * undirected: each may be listed once or from both ends, with the same values; self loops and repeats are left out. Tables may
 * be NULL with 0 columns; nodes that have neither labels nor attributes are told apart by their degrees. */
typedef struct mp_arrays {
    const char *name;                                               /* of the set; NULL: "arrays" */
    int graphs, edges;                                              /* B, E */
    const int *node_ptr;                                            /* B + 1 */
    const int *from, *to;                                           /* E */
    int node_labels, node_attributes, edge_labels, edge_attributes; /* columns */
    const int *node_label;                                          /* N x node_labels: categories */
    const float *node_attribute;                                    /* N x node_attributes */
    const int *edge_label;                                          /* E x edge_labels */
    const float *edge_attribute;                                    /* E x edge_attributes */
    int targets;                                                    /* T: labels of a graph */
    const double *label; /* B x T, NaN where one is not known. One whole number each is a class, unless the option task
                                says otherwise */
    const char *const *part; /* B: "train", "val", "test" or NULL; NULL: there is no fixed split */
    int class_names;         /* classes that have names: a label is a place in class_name; 0: they have none */
    const char *const *class_name;
    const int *node_label_range, *edge_label_range; /* a column: its labels are 0 .. range - 1; NULL: what occurs */
} mp_arrays;
MP_API mp_err mp_data_make(const mp_arrays *in, mp_data **out);

typedef struct mp_data_info {
    const char *name;
    int graphs, nodes, edges;                                                /* edges once each */
    int node_labels, node_attributes, edge_labels, edge_attributes, targets; /* columns; targets 0: no labels */
    const char *origin;                             /* where it was loaded from; NULL: arrays */
    const char *task;                               /* that its labels are for, unless the option task says otherwise */
    int class_names;                                /* 0: classes have none */
    bool split;                                     /* it has a fixed one */
    const int *node_label_range, *edge_label_range; /* as in mp_arrays, or NULL */
} mp_data_info;
MP_API void mp_data_about(const mp_data *d, mp_data_info *out);
MP_API void mp_data_free(mp_data *d);

/* The name of class i; NULL: there is none. */
MP_API const char *mp_data_class(const mp_data *d, int i);

/* Sixteen digits that tell data sets apart: of graphs, node features and labels, not of names. The program prints the same. */
MP_API mp_err mp_data_fingerprint(const mp_data *d, char out[17]);

/* Nodes and edges, once each, of the graphs which[0..n-1] (which NULL: of all). `nodes` and `edges` may be NULL. */
MP_API mp_err mp_data_size(const mp_data *d, const int *which, int n, int *nodes, int *edges);

/* The same graphs as arrays, which the caller has room for; NULL: not wanted. Nodes are numbered from 0 over these graphs. What
 * mp_data_make would make of them is the same set again. */
typedef struct mp_arrays_out {
    int *node_ptr;                          /* n + 1 */
    int *from, *to;                         /* edges, each once */
    int *node_label, *edge_label;           /* a row a node or edge, with the columns that mp_data_about says */
    float *node_attribute, *edge_attribute; /* likewise */
    double *label;                          /* n x targets */
} mp_arrays_out;
MP_API mp_err mp_data_read(const mp_data *d, const int *which, int n, const mp_arrays_out *out);

/* What each graph is for in fold `fold`, from 1, of `folds` (0: as many as there are), the program's folds: part[b] is 0 where graph b
 * trains, 1 where it validates, 2 where it tests, -1 where it does nothing. A fixed split is fold 1 of 1. *count: how many folds
 * there are. `part` and `count` may be NULL. */
MP_API mp_err mp_data_fold(const mp_data *d, int folds, int fold, int *part, int *count);

/* To a file or folder that mp_data_load reads back: JSON lines where the name ends in .jsonl, GraphML where it ends in .graphml, a
 * TUDataset folder where it has no ending, or a format of your own. A fixed split goes with it, folds do not. */
MP_API mp_err mp_data_write(const mp_data *d, const char *path);

/* ---- training ---- */

#define MP_NAME_MOST 24

typedef struct mp_metric_value {
    char name[MP_NAME_MOST];
    double value; /* NaN where it is not defined, or there are no such graphs */
} mp_metric_value;
#define MP_METRICS_ROOM 16 /* a task has no more */

typedef struct mp_result {
    char task[MP_NAME_MOST], metric[MP_NAME_MOST]; /* metric: the one that leads */
    int epochs, best_epoch;                        /* trained; whose weights were taken, from 1 */
    int train_graphs, val_graphs, test_graphs;
    double train_loss, val_loss, val_metric, test_metric; /* at the best epoch */
    double seconds;
    char sha256[65]; /* of the model file */
    int metrics;     /* every one of the task, of validation and of test graphs */
    mp_metric_value val[MP_METRICS_ROOM], test[MP_METRICS_ROOM];
} mp_result;

typedef struct mp_news { /* after an epoch */
    int epoch, epochs, best_epoch;
    double train_loss, val_loss, val_metric;
    const char *metric;
} mp_news;

typedef enum mp_verdict {
    MP_GO_ON,
    MP_ENOUGH, /* end here, as if it had been the last epoch: the best weights so far are the result */
    MP_CANCEL  /* end with MP_ERR_STOPPED and no model */
} mp_verdict;

/* Called on the thread of mp_train; it must return. */
typedef struct mp_watch {
    mp_verdict (*epoch)(void *state, const mp_news *news); /* NULL: nobody listens */
    void *state;
} mp_watch;

/* Trains one model on one split. Options are texts "name=value" with a NULL behind the last, later ones over earlier ones:
 * those of MP_OPTIONS. One that does not exist, has a value out of range, or that the chosen method does not look at fails
 * with MP_ERR_USAGE. The same data, options and seed give the same bits on any number of threads, and the program's. `options`,
 * `watch` and `result` may be NULL. */
MP_API mp_err mp_train(const mp_data *d, const char *const *options, const mp_watch *watch, mp_trained **out,
                       mp_result *result);

/* The same on a split of one's own: numbers of graphs, in any order, none of them twice. Without validation graphs a tenth of the
 * training graphs becomes them, drawn from every class alike, always the same ones. The option fold, 1 unless it is given, then
 * only names a stream of random numbers (a set with a fixed split has its own): the result is that of the program for a fold of that
 * number with these graphs. */
typedef struct mp_parts {
    const int *train, *val, *test;
    int n_train, n_val, n_test;
} mp_parts;
MP_API mp_err mp_train_parts(const mp_data *d, const mp_parts *parts, const char *const *options, const mp_watch *watch,
                             mp_trained **out, mp_result *result);

/* ---- trained models ---- */

MP_API mp_err mp_trained_load(const char *path, mp_trained **out);
MP_API mp_err mp_trained_from(const void *bytes, size_t n, mp_trained **out); /* a model file in memory */
MP_API mp_err mp_trained_save(const mp_trained *m, const char *path);         /* safetensors, docs/formats.md */
/* The bytes of the file, in one call of `sink`; what that returns is returned. */
MP_API mp_err mp_trained_write(const mp_trained *m, mp_err (*sink)(void *state, const void *bytes, size_t n),
                               void *state);
MP_API void mp_trained_free(mp_trained *m);

typedef struct mp_trained_info {
    const char *task, *metric, *method, *dataset;
    int features;                                                   /* columns of mp_query.x */
    int node_labels, node_attributes, edge_labels, edge_attributes; /* columns that graphs must bring */
    int outputs, targets;                                           /* numbers a graph gets; answers */
    int classes;                                                    /* 0: labels are no classes */
    int64_t weights;
} mp_trained_info;
MP_API void mp_trained_about(const mp_trained *m, mp_trained_info *out);

/* The value of class i in the label file, and its name where labels are text, else NULL; of no (0) and yes (1) where these have
 * names. MP_ERR_USAGE: there is no class i. */
MP_API mp_err mp_trained_class(const mp_trained *m, int i, int64_t *value, const char **name);

/* The option it was trained with, as text. Fails where `room` is too small or there is no such option. */
MP_API mp_err mp_trained_option(const mp_trained *m, const char *name, char *out, size_t room);

/* Weights by their names in the model file, and their numbers: shape[0] x ... of them, as the file has them. */
typedef struct mp_weight {
    const char *name;
    int dims, shape[4];
    size_t count; /* of numbers */
    bool trained; /* false: running statistics */
} mp_weight;
MP_API bool mp_trained_weight(const mp_trained *m, int i, mp_weight *out); /* false behind the last */
MP_API mp_err mp_trained_values(const mp_trained *m, int i, float *out);

/* Outputs of the graphs which[0..n-1] of a data set (which NULL: of all, in order), by `threads` threads (0: all
 * processors). value: n x outputs, probabilities or numbers; answer: n x targets, classes from 0, yes (1) and no (0), or
 * numbers. Either may be NULL. */
MP_API mp_err mp_predict_data(const mp_trained *m, const mp_data *d, const int *which, int n, int threads, float *value,
                              double *answer);

/* Every metric of the model's task over the known labels of the graphs; how many there are goes to *count. */
MP_API mp_err mp_evaluate(const mp_trained *m, const mp_data *d, const int *which, int n, int threads,
                          mp_metric_value out[MP_METRICS_ROOM], int *count);

/* ---- one graph at a time ---- */

/* After the first graph of a size, graphs up to that size allocate nothing. */
MP_API mp_err mp_predictor_new(const mp_trained *m, mp_predictor **out);
MP_API void mp_predictor_free(mp_predictor *p);

/* A graph. Edges are undirected: each may be listed once or from both ends; self loops and repeats are left
 * out. Features come in one of two ways: `x`, rows of finished feature columns; or, with x NULL, what the
 * files of the training data had, attributes and labels, from which the model's recipe makes x. A model
 * trained on degrees needs neither. */
typedef struct mp_query {
    int nodes, edges;
    const int *from, *to;         /* `edges` numbers of nodes, from 0              */
    const float *x;               /* nodes x features, or NULL                     */
    const float *attributes;      /* nodes x attribute columns, where the model has some */
    const int *labels;            /* nodes x label columns, where the model has some     */
    const float *edge_attributes; /* edges x attribute columns of edges, where the model has some; an edge that */
    const int *edge_labels;       /* edges x label columns of edges; is listed twice has the same both times    */
} mp_query;

typedef struct mp_answer {
    int64_t label;        /* the class as in the label file; for numbers, the rounded output */
    int class_index;      /* 0 .. classes-1; -1 for numbers */
    int outputs;          /* length of `value` */
    const float *value;   /* probabilities of the classes, or the number itself; until the next call */
    int targets;          /* length of `answer` */
    const double *answer; /* class, yes (1) or no (0), number; until the next call */
} mp_answer;

/* False when it fails: an edge to a node that is not there, missing features, a label the model never met, a graph too
 * large for the model's operators or for the memory there is. */
MP_API bool mp_predict(mp_predictor *p, const mp_query *graph, mp_answer *out);

typedef struct mp_level {      /* one pooling */
    int nodes, columns, keep;  /* that entered it; score columns; kept */
    const int *node;           /* nodes: number in the graph that was asked about */
    const double *score;       /* nodes x columns: raw scores                      */
    const double *gate;        /* nodes x columns: what scales a kept row          */
    const double *key;         /* nodes: what they were ranked by                  */
    const unsigned char *kept; /* nodes: 1 where kept                             */
    const int *order;          /* keep: kept nodes by falling key, in numbers of the graph */
    int edges;                 /* undirected, among the nodes that entered        */
    const int *from, *to;      /* edges, in numbers of the graph                  */
} mp_level;

#define MP_LEVELS_MOST 16
typedef struct mp_explanation {
    mp_answer answer;
    int levels; /* 0: the method drops no nodes */
    mp_level level[MP_LEVELS_MOST];
} mp_explanation;

/* Which nodes a model keeps of a graph, at every level, and by which scores. */
MP_API mp_err mp_explain(mp_predictor *p, const mp_query *graph, mp_explanation *out);
MP_API mp_err mp_explain_data(mp_predictor *p, const mp_data *d, int graph, mp_explanation *out);

/* The same as a picture, the text of an SVG file: a panel a level, dark = high, red ring = kept. `title` may be NULL. It ends what the
 * last explanation pointed to, and lives as long as one. */
MP_API mp_err mp_explain_svg(mp_predictor *p, const mp_data *d, int graph, const char *title, const char **svg);

/* ---- a model file and a predictor in one, as earlier versions had it ---- */

/* NULL when it fails. The model is the predictor's own. */
MP_API mp_predictor *mp_predictor_load(const char *path);
MP_API mp_predictor *mp_predictor_from(const void *bytes, size_t n);
MP_API const char *mp_predictor_error(void); /* mp_message */

/* All are 0 for NULL. */
MP_API int mp_predictor_features(const mp_predictor *p);      /* columns of x */
MP_API int mp_predictor_attributes(const mp_predictor *p);    /* columns of node attributes */
MP_API int mp_predictor_label_columns(const mp_predictor *p); /* columns of node labels */
MP_API int mp_predictor_classes(const mp_predictor *p);
MP_API int64_t mp_predictor_class(const mp_predictor *p, int i); /* 0, and a message, when there is no class i */

#ifdef __cplusplus
}
#endif

#endif
