/* study_go.h - what cv and sweep have in common besides their rows: how is chosen, what is kept, and what is printed.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STUDY_GO_H
#define MP_STUDY_GO_H

#include "base/conf.h"
#include "cli/cli.h"
#include "study/study.h"

typedef struct mp_study_options {
    int select, inner_folds, retrain, show_points, dry_run, json;
    const char *models, *models_all;
} mp_study_options;

/* clang-format off */
#define MP_STUDY_ROWS(type)                                                                                                                             \
    { "select", MP_OPT_CHOICE, offsetof(type, how.select), "val", 0, 0, "val|val-global|paper|paper-global|fixed|nested", "how a point is chosen: val, val-global and nested look at validation graphs only", MP_COMMON }, \
    { "inner-folds", MP_OPT_INT, offsetof(type, how.inner_folds), "0", 0, 100, NULL, "nested: folds of the training part that choose; 0 = one graph in ten is held out", .needs = "select=nested" }, \
    { "retrain", MP_OPT_INT, offsetof(type, how.retrain), "3", 1, 1000, NULL, "nested: how often the chosen point is trained on each fold", .needs = "select=nested" }, \
    { "show-points", MP_OPT_FLAG, offsetof(type, how.show_points), "false", 0, 1, NULL, "also a table of all points with their validation scores" }, \
    { "dry-run", MP_OPT_FLAG, offsetof(type, how.dry_run), "false", 0, 1, NULL, "list what would be run, with an estimate of time and memory", MP_COMMON }, \
    { "json", MP_OPT_FLAG, offsetof(type, how.json), "false", 0, 1, NULL, "runs and summaries as one JSON object on stdout", MP_COMMON }
#define MP_STUDY_TEXTS(type)                                                                                                                            \
    { "models", offsetof(type, how.models), NULL, "DIR", "folder for the models of the chosen runs, which predict takes together; those that are not there are trained again", MP_COMMON }, \
    { "models-all", offsetof(type, how.models_all), NULL, "DIR", "the same for the models of all runs" }
/* clang-format on */

/* Of select, inner-folds and retrain. */
mp_rule mp_study_rule(const mp_study_options *o);

/* Runs a study whose rows are there and prints what came out; fails when runs failed. */
MP_MUST mp_err mp_study_go(mp_study *s, const mp_study_options *o);

#endif
