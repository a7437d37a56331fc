/* setup.h - what several commands begin with: a data set, its folds, a configuration that fits it, output
 * paths.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SETUP_H
#define MP_SETUP_H

#include "base/text.h"
#include "cli/answers.h"
#include "cli/columns.h"
#include "data/load.h"
#include "model/checkpoint.h"
#include "study/variants.h"
#include "train/preset.h"
#include "train/run.h"

/* A data set to learn from as a configuration asks for it: its task (what sweeps vary must leave that alone). Says which rows of a
 * table were left out; `columns` may be NULL. */
MP_MUST mp_err mp_setup_load(const char *name, const char *data_dir, const mp_config *c,
                             const mp_column_options *columns, mp_arena *a, mp_dataset *out);

/* The variant that a configuration reads; says once which rows of a table were left out. */
MP_MUST mp_err mp_setup_variant(mp_variants *v, const mp_config *c, mp_arena *a, mp_dataset **out);

/* The same, with the line below where it is met for the first time; else `line` is empty. */
MP_MUST mp_err mp_setup_use(mp_variants *v, const mp_config *c, const mp_folds *f, mp_arena *a, mp_dataset **out,
                            char *line, size_t n);

#define MP_SETUP_PRESET_HELP                                                                                           \
    "settings under a name: paper, authors (midpool ops), mid, ogb, gmt, colors, triangles, recon-zinc, "              \
    "recon-synthetic; several: a,b"

#define MP_SETUP_PART_HELP                                                                                             \
    "run part I of N alone, I from 1: which runs these are their keys decide; midpool merge joins the stores of all "  \
    "parts"

/* A line on the set and its folds: "MUTAG: 188 graphs, 2 classes, 7 feature columns; folds: ...". */
void mp_setup_describe(const mp_dataset *d, const mp_folds *f, char *out, size_t n);

/* "sag", "topk + MID (h 5, drop 0.1)": a model in a few words. */
void mp_setup_model_name(const mp_config *c, char *out, size_t n);

/* Fails when `path` cannot be written: better before the work than after it. NULL is fine. */
MP_MUST mp_err mp_setup_writable(const char *path);

/* Fails when there is no metric of this name. NULL is fine. */
MP_MUST mp_err mp_setup_metric(const char *name);

/* For a command that takes MODEL... INPUT: says so when the two were given the other way round, or there is no input. */
MP_MUST mp_err mp_setup_in_order(const char *model, const char *input);

/* A line on stderr when a model is asked about another of the known data sets than its own, or about files that have node labels
 * or attributes where its own had none. New graphs of the same kind, whatever the set is called, are worth no word. */
void mp_setup_note(const mp_about *about, const mp_dataset *d);

/* A model and graphs read by its recipe, with that line. */
typedef struct mp_ready {
    mp_answerer by;
    mp_dataset data;
} mp_ready;
MP_MUST mp_err mp_setup_ready(const char *model, const char *input, const char *data_dir,
                              const mp_column_options *columns, mp_arena *a, mp_ready *out);

/* The result of a run as members of a JSON object that is open. */
void mp_setup_result_json(const mp_run_key *key, const mp_run_result *r, mp_buf *b);

/* Kernels, threads: 0 becomes the number of processors this process may use. */
int mp_setup_threads(int asked);

#endif
