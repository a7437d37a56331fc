/* split.h - which graphs train, which validate, which test: the folds of a data set.
 *
 * The rule of the authors' code: fold f tests on test set f, validates on test set f-1 (the last one for
 * f = 1), and trains on training set f without its validation graphs. Index lists ascend.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SPLIT_H
#define MP_SPLIT_H

#include "base/api.h"
#include "base/rng.h"
#include "base/text.h"
#include "data/dataset.h"

MP_API_BEGIN

#define MP_MAX_FOLDS 100

typedef struct mp_split {
    int fold; /* from 1; 0 for a fixed split */
    int n_train, n_val, n_test;
    const int *train, *val, *test;
} mp_split;

typedef struct mp_folds {
    int count;
    const mp_split *split; /* count */
    const char *from;      /* short, for the store: "files", "stratified", "fixed", "NAME#hash of the file" */
    const char *about;     /* a sentence for people: which file, or by which rule */
} mp_folds;

/* The texts of {train,val,test}_idx-K.txt, K = 1 .. MP_MAX_FOLDS; p NULL where there is no such file. */
typedef struct mp_fold_text {
    const char *where; /* opens messages: "folds/MUTAG.zip" */
    mp_span json;      /* in place of the others: an object with a member "folds", as mp_folds_parse_json reads it */
    mp_span train[MP_MAX_FOLDS], val[MP_MAX_FOLDS], test[MP_MAX_FOLDS];
} mp_fold_text;

/* Checks that indices are in 0..graphs-1, that no list repeats one, and that no two lists of a fold share one. A fold without
 * val_idx-K.txt follows the rule above. */
MP_MUST mp_err mp_folds_parse(const mp_fold_text *t, int graphs, mp_arena *a, mp_folds *out);

/* {"folds": [{"train": [...], "test": [...], "val": [...]}, ...]}: the same checks; where "val" is missing
 * the rule above is used. Other keys are errors. */
MP_MUST mp_err mp_folds_parse_json(mp_span text, const char *where, int graphs, mp_arena *a, mp_folds *out);

/* Within each class the graphs are shuffled (seed 0) and dealt to the folds in turn, so the folds of a class,
 * and whole folds, differ by at most one graph. With two folds, where the validation fold would be all
 * that is left to train on, a fifth of the training half validates instead. Regression: one class. */
MP_MUST mp_err mp_folds_stratified(const mp_dataset *d, int count, mp_arena *a, mp_folds *out);

/* Folds in which graph b tests in number tests[b], from 0, and validates in the one behind that; with two folds those marked validate where they
 * do not test. */
void mp_folds_dealt(int graphs, int count, const int *tests, const bool *fifth, mp_arena *a, mp_folds *out);

/* A list of folds in JSON, as mp_folds_parse_json has it behind "folds". */
void mp_folds_json(const mp_folds *folds, mp_buf *b);

/* One fold, number `fold`, of graphs that somebody lists, in any order: `given` has train, val and test, the checks are those of
 * mp_folds_parse. Without validation graphs the first of every ten training graphs of each class becomes one, as stratified folds
 * deal them out. */
MP_MUST mp_err mp_folds_given(const mp_dataset *d, const mp_split *given, mp_arena *a, mp_folds *out);

/* Some graphs class by class, each class shuffled: dealing them out in turn makes parts in which classes have their shares. The
 * labels of other graphs are not looked at. */
const int *mp_deal_order(const mp_dataset *d, const int *which, int n, mp_rng rng, mp_arena *a);

/* Whether the set is one graph without a label, so that only its nodes can be learned, and its only fold: the graph trains and validates, none tests. */
bool mp_dataset_is_single(const mp_dataset *d);
void mp_folds_single(mp_arena *a, mp_folds *out);

/* Whether the set comes with a fixed split, and that split as one fold (test = "test-origin"). */
bool mp_dataset_is_fixed(const mp_dataset *d);
void mp_folds_fixed(const mp_dataset *d, mp_arena *a, mp_folds *out);

/* The graphs of part `i` of d->fixed (0 train, 1 val, 2 test-origin, 3 test-large, 4 test-large-c). */
const int *mp_fixed_part(const mp_dataset *d, int i, mp_arena *a, int *n);

MP_API_END

#endif
