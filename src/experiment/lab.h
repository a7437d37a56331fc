/* lab.h - where experiments are made: they ask for runs and measurements, and make a section of a page of what is there.
 *
 * An experiment is one function. It asks, and writes down what it got; what is not there yet is NAN or NULL. The lab calls it,
 * trains and measures what was asked for and is not in the store, and calls it again, until it asks for nothing new; the
 * section of the last call is the result. So what is asked may depend on what came out (an ablation at the setting that was
 * chosen), a killed experiment continues, and one page is made of any store.
 *
 *     mp_ask ask = { .dataset = "MUTAG", .pool = "sag", .settings = "score-dim=5 flip=true", .seeds = 3 };
 *     MP_TRY(mp_lab_row(lab, &ask, &row));
 *     MP_TRY(mp_lab_choose(lab, row, MP_SELECT_VAL, &choice));     choice.test.mean: NAN at first
 * SPDX-License-Identifier: MIT */
#ifndef MP_LAB_H
#define MP_LAB_H

#include "base/json.h"
#include "report/section.h"
#include "study/study.h"

typedef struct mp_lab mp_lab;

typedef struct mp_lab_options {
    const char *store_path, *data_dir;
    const char *command; /* what to type to continue */
    bool quick;          /* small versions: minutes instead of days */
    bool still;          /* nothing is trained or measured: what is in the store is shown */
    bool plan;           /* still, for mp_lab_plan: what would be asked for */
    int seeds, folds;    /* 0: as the experiment has it */
    mp_grid grid;        /* of MID; none: h 5, drop 0.1 */
    int jobs, threads;
    mp_group *group;              /* of a GPU, which trains what it can; NULL: none */
    int lanes;                    /* runs side by side there; 0: as its memory allows */
    mp_part part;                 /* what is trained and measured here */
    const char *datasets, *pools; /* "MUTAG,PTC_MR" in place of the experiment's; NULL: its own */
    mp_listener listener;
} mp_lab_options;

typedef struct mp_experiment {
    const char *name, *title; /* "ablation"; heads its section */
    const char *summary;      /* a line for the list of experiments */
    mp_err (*make)(mp_lab *lab, mp_section *out);
} mp_experiment;

/* All experiments in the order of the paper; ends with a row without a name. */
extern const mp_experiment mp_experiments[];
const mp_experiment *mp_experiment_find(const char *name); /* NULL: none */

/* Everything lives in the arena. */
mp_lab *mp_lab_new(const mp_lab_options *o, mp_arena *a);

/* Makes the sections of n experiments. Runs that failed are told to the listener and left out. */
MP_MUST mp_err mp_lab_make(mp_lab *lab, const mp_experiment *const *x, int n, mp_section *out);

/* After mp_lab_make of a part: what was its share, of what is known before the parts are joined. */
void mp_lab_tell_part(const mp_lab *lab, mp_buf *out);

/* What has to be trained and measured first, as a table with an estimate of the time; what is asked after that depends on
 * the results. */
MP_MUST mp_err mp_lab_plan(mp_lab *lab, const mp_experiment *const *x, int n, mp_section *out);

/* ---- what experiments ask ---- */

mp_arena *mp_lab_arena(const mp_lab *lab);
bool mp_lab_quick(const mp_lab *lab);
bool mp_lab_still(const mp_lab *lab); /* what is asked for and not in the store will not come */
bool mp_lab_plans(const mp_lab *lab); /* nothing will be run: what could be asked later should be asked now */
/* The user's choice where there is one; else that of the experiment. Lists: "a,b,c". */
const char *const *mp_lab_sets(const mp_lab *lab, const char *full, const char *quick, int *n);
const char *const *mp_lab_pools(const mp_lab *lab, const char *full, const char *quick, int *n);
int mp_lab_seeds(const mp_lab *lab, int full, int quick);

typedef struct mp_ask {
    const char *dataset, *pool;
    const char *
        preset; /* "paper": of the method where it has one (train/preset.h); NULL: what holds without being asked for */
    const char *settings; /* over presets: "hidden=64 drop=0.1"; may be NULL */
    mp_grid grid;
    int seeds;   /* 0: 10, and 1 when quick */
    bool models; /* keep them, for measurements */
} mp_ask;

/* The same with MID: the grid of the options, or h 5 and drop 0.1. */
mp_ask mp_ask_mid(const mp_lab *lab, mp_ask ask);

/* "SAGPool" for "sag". */
const char *mp_lab_title(const char *pool);

/* A row of a study: seeds x folds x points of the grid. `*row` is -1 when the data set is not there, or the method cannot be
 * trained on it; the section says so. A data set that the user named must be there. */
MP_MUST mp_err mp_lab_row(mp_lab *lab, const mp_ask *ask, int *row);
const mp_study_row *mp_lab_study_row(const mp_lab *lab, int row);

/* The summary of a row; of row -1, and while runs are missing, its means are NAN. */
MP_MUST mp_err mp_lab_choose(const mp_lab *lab, int row, mp_select mode, mp_choice *out);

typedef struct mp_lab_run {
    const mp_cv_run *run;
    const mp_run_result *result; /* NULL: not there */
} mp_lab_run;
/* Runs of a row, points of the grid outermost, then seeds, then folds. Good until the next row is asked for. */
int mp_lab_runs(const mp_lab *lab, int row);
mp_lab_run mp_lab_run_at(const mp_lab *lab, int row, int i);

/* Test metrics of the chosen runs, seed after seed, fold after fold; `*n` 0: not there. */
const double *mp_lab_values(mp_lab *lab, int row, const mp_choice *c, int *n);

/* ---- measurements ---- */

typedef struct mp_probe_in {
    const mp_cv_run *run; /* NULL: it looks at no run */
    mp_model *model;      /* of the run; NULL: the probe looks at none */
    const mp_json *arg;   /* NULL: none */
    int threads;
} mp_probe_in;

typedef struct mp_probe {
    const char *name;
    bool alone;     /* measures time: nothing else runs beside it, and it has all threads */
    bool untrained; /* looks at the data and settings of a run, which need not have been trained */
    /* In a worker: writes one JSON value. The result must depend on what it is given alone, or say in `arg` on what else. */
    mp_err (*run)(const mp_probe_in *in, mp_arena *a, mp_buf *json);
} mp_probe;

/* A run for probes that need none trained: the first seed and fold of what is asked for. `out->data` is NULL when the data set
 * is not there, or the method cannot be trained on it; the section says so. */
MP_MUST mp_err mp_lab_untrained(mp_lab *lab, const mp_ask *ask, mp_cv_run *out);

/* `*value` NULL: not there. The run (may be NULL) is of a row that keeps its models, or untrained as the probe; `arg` (may be NULL) is a JSON text. */
MP_MUST mp_err mp_lab_measure(mp_lab *lab, const mp_probe *p, const mp_cv_run *run, const char *arg,
                              const mp_json **value);

#endif
