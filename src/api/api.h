/* api.h - what is behind the types of midpool.h.
 *
 * Every call that asks for memory runs under a guard (base/guard.h): giving up frees the arenas made since, and the call
 * returns the status. An object lies in an arena of its own.
 * SPDX-License-Identifier: MIT */
#ifndef MP_API_OBJECTS_H
#define MP_API_OBJECTS_H

#include "api/trail.h"
#include "data/raw.h"
#include "data/split.h"
#include "midpool.h"
#include "model/checkpoint.h"

struct mp_data {
    mp_arena *arena;
    mp_raw raw;         /* all there is: what of it is used is the model's choice */
    const char *origin; /* where it was loaded from; NULL: arrays */
};

struct mp_trained {
    mp_arena *arena;
    mp_model *model;
    mp_about about;
};

struct mp_predictor {
    mp_arena *keep; /* the predictor */
    mp_arena *step; /* one graph */
    const mp_trained *trained;
    mp_trained *own; /* the same, where no other predictor has it; else NULL */
    const mp_kernels *kernels;
    float *value;   /* of the last answer */
    double *answer; /* likewise           */
    bool told;      /* step has an explanation */
};

/* Fails where an argument that must be there is NULL: "mp_train: an argument is NULL that must not be". */
MP_MUST mp_err mp_api_need(bool all, const char *call);

/* The machine's kernels; fails when MIDPOOL_ISA asks for others. */
MP_MUST mp_err mp_api_kernels(const mp_kernels **out);

/* A data set as a network reads it, without values of edges that it does not read. Memory is the arena's. */
MP_MUST mp_err mp_api_build(const mp_data *d, const mp_dataset_as *as, mp_arena *a, mp_dataset *out);

/* The graphs which[0..n-1] of it (NULL: all) without labels, fingerprint and split: what there is to answer. */
MP_MUST mp_err mp_api_inputs(const mp_data *d, const int *which, int n, const mp_dataset_as *as, mp_arena *a,
                             mp_dataset *out);

/* The folds of a data set, as the program has them; count 0: as many as there are. */
MP_MUST mp_err mp_api_folds(const mp_dataset *d, int count, mp_arena *a, mp_folds *out);

/* A model from its file's bytes. */
MP_MUST mp_err mp_api_parse(mp_span bytes, const char *name, mp_trained **out);

/* One graph of a data set as the model reads it. */
MP_MUST mp_err mp_api_pick(const mp_data *d, int graph, const mp_recipe *r, mp_arena *a, mp_graph *g, mp_sparse *x);

#endif
