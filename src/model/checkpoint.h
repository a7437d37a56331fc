/* checkpoint.h - a trained model as one file, with all that is needed to use it on other graphs.
 *
 * The file is safetensors: one float32 tensor for each parameter, named and shaped as params.h says, and
 * metadata "midpool", a JSON object:
 *
 *     {"format": 1, "version": "0.1.0", "config": {every option}, "features": 7, "outputs": 2,
 *      "task": "classify", "classes": [-1, 1], "dataset": "MUTAG",
 *      "recipe": {"attributes": 0, "skip_attributes": 0, "labels": [{"min": 0, "count": 7}],
 *                 "degree": "none", "degree_max": 0, "degree_mean": 0, "degree_std": 0}}
 *
 * and, where there are any: "targets": {"mean": [..], "std": [..]}, the scale of numbers; "class_names": [..],
 * "label_names": [..]; in the recipe
 * "edges": {"attributes": 0, "labels": [..]}; "columns": {"attributes": [..], "labels": [{"name": .., "words": [..]}, ..]},
 * what columns of nodes are called, with the words that labels stand for, and "edge_columns", likewise. Of the configuration, options of later versions where they are not at their
 * defaults.
 *
 * The same model gives the same bytes on every machine.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CHECKPOINT_H
#define MP_CHECKPOINT_H

#include "base/text.h"
#include "data/dataset.h"
#include "model/model.h"

typedef struct mp_about { /* what a model knows of its data */
    mp_recipe recipe;
    int classes;                        /* where labels are classes: as many as the model has outputs; else 0 */
    const int64_t *class_value;         /* the number a class has in label files */
    int class_names;                    /* 0: labels are no text; else as many as classes, or 2: of no and yes */
    const char *const *class_name;      /* what they are called; NULL: see above */
    const char *const *target_name;     /* what the label columns are called, or NULL */
    const mp_names *names, *edge_names; /* what the columns of features are called, or NULL */
    const char *dataset;                /* what it was trained on                                   */
    const char *version;                /* of the program that wrote it; set by loading             */
} mp_about;

/* Points into the data set that the model learned from, which must stay. */
mp_about mp_about_of(const mp_dataset *d, const mp_model *m);

/* How a model reads other files; `about` must stay. */
mp_dataset_as mp_about_as(const mp_model *m, const mp_about *about);

/* How a configuration asks for a data set: its task, and values of edges where its network takes them. */
mp_dataset_as mp_config_as(const mp_config *c);

/* A recipe as the file has it: equal texts make equal features. */
void mp_recipe_text(const mp_recipe *r, mp_buf *b);
void mp_names_text(const mp_names *n, mp_buf *b); /* and names of columns */

void mp_checkpoint_write(mp_model *m, const mp_about *about, mp_buf *out);
MP_MUST mp_err mp_checkpoint_save(const char *path, mp_model *m, const mp_about *about);

/* All of it is checked: ranges of the configuration, missing, surplus and misshapen tensors, finite weights.
 * `name` opens the message of a failure. Nothing of `bytes` is referenced afterwards. */
MP_MUST mp_err mp_checkpoint_parse(mp_span bytes, const char *name, mp_arena *a, mp_model **m, mp_about *about);
MP_MUST mp_err mp_checkpoint_load(const char *path, mp_arena *a, mp_model **m, mp_about *about);

#endif
