/* ensemble.h - several models that answer as one: the mean of what they show, and how far apart they are.
 *
 *     shown = 1/M sum_m shown_m,   spread = sqrt(1/M sum_m (shown_m - shown)^2)
 *
 * for each number that a task shows: probabilities of classes, of a yes; outputs; numbers. The answer is the one that belongs
 * to the mean (math.md 2.18).
 * SPDX-License-Identifier: MIT */
#ifndef MP_ENSEMBLE_H
#define MP_ENSEMBLE_H

#include "cli/answers.h"

typedef struct mp_ensemble {
    int models;
    const char *const *path;
    const mp_answerer *by; /* models: the first says what all of them agree in */
} mp_ensemble;

/* The models of the listed files, in this order; a folder stands for all *.safetensors in it, in order of their names. They must
 * agree in task, label columns, classes and in what they read of a graph; who does not, and in what, is named. */
MP_MUST mp_err mp_ensemble_load(const char *const *path, int n, mp_arena *a, mp_ensemble *out);

typedef struct mp_joined { /* of n graphs */
    const mp_real *told;   /* n x outputs, as one network would tell them */
    const double *shown;   /* n x outputs: means; NULL: there is one model */
    const double *spread;  /* n x outputs: deviations; NULL: there is one model */
} mp_joined;

/* told: models x n x outputs, one model after the other. Memory is the arena's. */
mp_joined mp_ensemble_join(const mp_ensemble *e, const mp_real *told, int n, mp_arena *a);

/* The answer about graph i of those that were joined. */
mp_words mp_ensemble_words(const mp_ensemble *e, const mp_joined *j, int i, mp_arena *a);

#endif
