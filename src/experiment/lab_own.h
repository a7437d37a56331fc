/* lab_own.h - what lab.c and measure.c share.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LAB_OWN_H
#define MP_LAB_OWN_H

#include "experiment/lab.h"
#include "study/variants.h"

#define MP_LAB_SETS 64

typedef struct mp_lab_set {
    mp_variants variants;
    mp_folds folds;
    const char *absent; /* why it is not there; NULL: it is */
} mp_lab_set;

typedef struct mp_lab_row_own {
    mp_ask ask;
    int place;       /* in study[ask.models]; -1: left out */
    const char *why; /* it was left out */
} mp_lab_row_own;

typedef struct mp_lab_measure_own {
    const char *what; /* JSON: decides which measurement it is */
    const mp_probe *probe;
    mp_cv_run run; /* run.data NULL: none */
    const char *arg, *model_path;
    const mp_json *value; /* NULL: not there */
    bool fresh;           /* not tried yet */
} mp_lab_measure_own;

struct mp_lab {
    mp_arena *arena;
    mp_lab_options o;
    mp_study study[2]; /* the second one keeps models */
    int fresh[2];      /* rows that were added since it was run */
    int sets;
    mp_lab_set *set[MP_LAB_SETS];
    int rows, rows_room;
    mp_lab_row_own *row;
    int measures, measures_room, fresh_measures;
    mp_lab_measure_own *measure;
    int notes, notes_room; /* of the experiment that is being made */
    const char **note;
};

/* Whether it belongs to the part that is made here: one of a trained model goes with its run, where the model is. */
bool mp_lab_measure_is_ours(const mp_lab *lab, const mp_lab_measure_own *m);

/* Looks up and measures what is fresh. */
MP_MUST mp_err mp_lab_measure_all(mp_lab *lab);

#endif
