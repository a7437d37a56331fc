/* study.h - what cv, sweep and demo share: rows of a table, each a model on a data set; their runs; their
 * summary.
 *
 * Fill an mp_study, add rows, run it, choose within its rows. Nothing here prints: a listener hears how it goes. Finished runs go to the store as they arrive and are taken
 * from it the next time.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STUDY_H
#define MP_STUDY_H

#include "store/store.h"
#include "study/listener.h"
#include "study/part.h"
#include "train/choose.h"

typedef struct mp_study_trial { /* a run of a row; fields as in mp_choice_run */
    int place;                  /* in the plan; rows may share runs */
    int point, part, rung;
} mp_study_trial;

typedef struct mp_study_row {
    mp_dataset *data;
    const mp_folds *folds;
    mp_config config; /* as given, as far as the method uses it: its score_dim and drop are the fixed choice */
    mp_points points; /* what is chosen among */
    int seeds;        /* from that of config on */
    mp_rule rule;
    int rungs, rung[MP_RUNGS_MOST]; /* of the rule: epochs of each */
    const mp_folds *inner;          /* of a nested row: the splits within each fold */
    const char *label;              /* what tells this row from others, may be NULL */
    mp_study_trial *trial;          /* its runs: points outermost, then seeds, then folds, where there is no rule */
    int runs, room;
} mp_study_row;

typedef enum mp_keeping { MP_KEEP_NONE, MP_KEEP_BY_KEY, MP_KEEP_ALL, MP_KEEP_UNCHOSEN, MP_KEEP_CHOSEN } mp_keeping;

typedef struct mp_study {
    /* filled by the caller */
    mp_arena *arena;
    const char *store_path, *command; /* command: what to type to continue */
    const char *const *swept;         /* names of the options that a sweep varies, NULL-ended; may be NULL */
    int seeds, jobs, threads;
    mp_group *group; /* of a GPU, which trains instead of processes what it can; NULL: none */
    int lanes;       /* runs side by side there; 0: as many as its memory has room for */
    bool group_only; /* rows that it cannot train are refused */
    mp_part part; /* what of the plan is run here; runs of other parts are read when they are there, not waited for */
    mp_rule rule; /* of rows that are added */
    mp_select select;                /* how chosen models are chosen */
    bool keep_models;                /* of all runs, in the folder STORE.models, by the hash of their keys (models.h) */
    const char *models, *models_all; /* or in a folder: of the chosen runs, of all; NULL: no */
    mp_listener listener;
    /* kept here */
    mp_keeping keeping; /* which models now */
    const char *unable; /* what was last said of a row that the GPU cannot train; NULL: nothing */
    mp_store *store;
    mp_cv_plan plan;   /* of all parts */
    mp_cv_plan share;  /* of this part; the plan itself where there are no parts */
    mp_cv_count count; /* of the share */
    mp_study_row *row;
    int rows, room;
    int asked;             /* runs looked for in the store */
    bool waits;            /* that it waits for other programs was said */
    int again;             /* of them there, but without a model that is to be kept */
    mp_run_result *result; /* for each run of the plan, without its curve; curve_len -1: there is none */
    int results;           /* of how many runs: rows may have been added since they were read */
} mp_study;

/* Checks the models of a new row; refuses seeds that no int can hold, and more runs than a plan may have. In `*added` (may be NULL) the row, good until the next one comes, or NULL when there
 * is an equal one already. */
MP_MUST mp_err mp_study_add(mp_study *s, mp_dataset *d, const mp_folds *f, const mp_config *config, mp_grid grid,
                            mp_study_row **added);

/* The same with points of one's own; config is the first of them but for what is told of the row. */
MP_MUST mp_err mp_study_add_points(mp_study *s, mp_dataset *d, const mp_folds *f, const mp_points *points,
                                   mp_study_row **added);

/* The same, with the place of the row, new or not. Rows of other seeds are other rows. */
MP_MUST mp_err mp_study_place(mp_study *s, mp_dataset *d, const mp_folds *f, const mp_config *config, mp_grid grid,
                              int *place, bool *added);

/* Whether there is memory for the runs of such a row: MP_ERR_LIMIT. */
MP_MUST mp_err mp_study_fits(const mp_study *s, mp_dataset *d, const mp_folds *f, const mp_config *config,
                             mp_grid grid);

/* Runs side by side, of the rows that are there. */
int mp_study_side(const mp_study *s);

/* Whether some point of the row uses the option. */
bool mp_study_row_uses(const mp_study_row *row, const char *option);

/* The point that needs most memory and time: wide scores make wide matrices, and so do wide layers. */
const mp_config *mp_study_widest(const mp_study_row *row);

/* What methods compute once for a data set. Call when all rows are there and wishes are checked: it may take long. */
MP_MUST mp_err mp_study_prepare(mp_study *s);

/* Opens the store, runs what is missing, reads everything back, and goes on with what the rules of rows ask for then, round after round. Fails when interrupted, and says how to
 * continue; runs that failed are counted, not fatal. */
MP_MUST mp_err mp_study_run(mp_study *s);

/* Reads what the store has of the plan, and of what rules ask for then, and runs nothing. A store that does not exist has nothing. */
MP_MUST mp_err mp_study_read(mp_study *s);

/* Whether all runs of a row are there. */
bool mp_study_whole(const mp_study *s, const mp_study_row *row);

/* Where the model of a run is when models are kept. */
const char *mp_study_model_path(const mp_study *s, const mp_run_key *key, mp_arena *a);

/* Of run i of a row; NULL: it is not there. */
const mp_run_result *mp_study_result(const mp_study *s, const mp_study_row *row, int i);

/* The metric that chooses within a row and is shown. */
const mp_metric *mp_study_metric(const mp_study_row *row);

/* The runs of a row that are there, for choose.h. */
mp_choice_set mp_study_set(const mp_study *s, const mp_study_row *row);

/* The summary of a row; mode `fixed` takes the row's own h and drop. */
MP_MUST mp_err mp_study_choose(const mp_study *s, const mp_study_row *row, mp_select mode, mp_choice *out);

#endif
