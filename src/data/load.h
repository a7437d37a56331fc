/* load.h - finding a data set by name or path, and reading it from a folder, a zip or a compressed tar.
 *
 * A name is looked up as a folder NAME and with the endings of formats (format.h: NAME.zip, ..., NAME.jsonl) in: the folder given by hand
 * (--data), $MIDPOOL_DATA, ./data, ../shared/datasets, the user's cache ($XDG_CACHE_HOME/midpool or
 * ~/.cache/midpool), and in a folder `molecules` of each. Where no set has the name, one that differs in `-` and `_` alone is meant.
 * The first two must be folders where they are given. A word with a slash, and anything that exists as
 * given, is a path.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LOAD_H
#define MP_LOAD_H

#include "data/raw.h"
#include "data/split.h"

/* Where the data set is: a folder or an archive. */
MP_MUST mp_err mp_dataset_find(const char *name_or_path, const char *data_dir, mp_arena *a, const char **path,
                               bool *folder);

/* `data_dir` may be NULL. All memory is the arena's. */
MP_MUST mp_err mp_dataset_load(const char *name_or_path, const char *data_dir, mp_arena *a, mp_dataset *out);

/* The same with the features and classes of a model. out->unseen_nodes counts nodes whose degree is larger
 * than any the recipe knows: their degree columns are all zero. A node label the recipe does not know,
 * and a class the model does not, is an error. */
MP_MUST mp_err mp_dataset_load_as(const char *name_or_path, const char *data_dir, const mp_dataset_as *as, mp_arena *a,
                                  mp_dataset *out);

/* What its files say, and where they are. Of a graph with coordinates that has no files (signal.h): what is generated, from
 * "generated". */
MP_MUST mp_err mp_dataset_raw(const char *name_or_path, const char *data_dir, const mp_dataset_as *as, mp_arena *a,
                              mp_raw *out, const char **path);

/* The folds of a data set. First that applies: `folds_from` (a JSON file, or a folder or archive with
 * {train,test}_idx-K.txt; NULL: none given), the fixed split of the set, such files that came with the set,
 * folds/NAME.zip beside it, else stratified folds. `count` 0 takes as many folds as the files have
 * (stratified: 10); another number (2..100) makes stratified folds where the set's own files have not that
 * many, and is an error where `folds_from` has not. */
MP_MUST mp_err mp_folds_load(const mp_dataset *d, const char *folds_from, int count, mp_arena *a, mp_folds *out);

/* Of those the folds that came with the files of a set, or lie beside them by its name; *found false: there are none. */
MP_MUST mp_err mp_folds_find(const char *name, const char *origin, const mp_fold_text *text, int graphs, mp_arena *a,
                             mp_folds *out, bool *found);

/* Calls `each` for every data set that can be found, in lookup order; a name comes once. */
typedef void mp_dataset_visit(void *state, const char *name, const char *path);
MP_MUST mp_err mp_dataset_list(const char *data_dir, mp_dataset_visit *each, void *state);

/* $XDG_CACHE_HOME/midpool or ~/.cache/midpool; NULL when neither variable is set. Not created. */
const char *mp_cache_dir(mp_arena *a);

#endif
