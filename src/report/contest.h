/* contest.h - methods against each other: on one data set by runs of the same seed and fold, over data sets by ranks
 * (protocol.md 3.6).
 *
 * A method is the rows of group.h that have the same pooling, the same settings of it and the same other options, whatever the
 * data set; options that a data set or a pooling has without being asked count as the same. Its runs are those that validation
 * chose: nothing here looks at a test score before that.
 *
 * Rows of one data set are compared when they have the same graphs and folds. Where a name stands for several, each is a set of
 * its own.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CONTEST_H
#define MP_CONTEST_H

#include "report/group.h"
#include "study/compare.h"

#define MP_CONTEST_LEVEL 0.05 /* below which a difference is claimed */

typedef struct mp_contest_run { /* one that counts */
    int seed, fold;
    double value; /* its test metric */
} mp_contest_run;

typedef struct mp_contest_cell { /* a method on a data set */
    const mp_group *group;       /* NULL: no runs, and nothing below */
    mp_score score;              /* of the honest choice */
    int missing;                 /* runs that lack from seeds x folds x points */
    int runs;
    const mp_contest_run *run; /* by seed, then fold */
} mp_contest_cell;

typedef struct mp_contest_set {
    const char *name; /* of the data set, with folds and graphs where its name has several */
    const mp_run_key *key;
    const mp_metric *metric;
    double test_train;           /* of a fold */
    const mp_contest_cell *cell; /* methods */
    bool ranked;                 /* is in the ranks over data sets */
} mp_contest_set;

typedef enum mp_claim {
    MP_CLAIM_FEW,    /* less than two pairs: nothing is known           */
    MP_CLAIM_NONE,   /* nothing separates the two                       */
    MP_CLAIM_ALONE,  /* they would differ if nothing else were compared */
    MP_CLAIM_BETTER, /* the first is better                             */
    MP_CLAIM_WORSE,
    MP_CLAIMS
} mp_claim;
extern const char *const mp_claim_name[MP_CLAIMS]; /* "too few", "none", "alone", "better", "worse" */

typedef struct mp_contest_pair { /* two methods on a data set */
    int set, a, b;
    int only_a, only_b;    /* runs without one of the other method */
    mp_paired difference;  /* of the first less the second */
    mp_superiority better; /* that the first is better */
    double adjusted;       /* p after Holm's correction over all pairs of the contest */
    mp_claim claim;
} mp_contest_pair;

typedef struct mp_contest_tour { /* two methods over data sets */
    int a, b, sets;
    double difference;     /* mean over sets of the difference of scores */
    mp_signed_ranks ranks; /* of these */
    double least;          /* the smallest p that so many sets can give: 2 / 2^n */
    double adjusted;       /* after Holm's correction over all such pairs */
    mp_claim claim;
} mp_contest_tour;

typedef struct mp_contest_ranks { /* over the sets that are `ranked`; fewer than two methods or sets: there are none */
    int sets, methods;
    const int *method;    /* that are ranked, the best first */
    const double *rank;   /* theirs: averages, ties at their middle */
    mp_friedman friedman; /* its distance: of ranks that are told apart */
} mp_contest_ranks;

typedef struct mp_contest {
    int methods, sets, pairs, tours;
    const char *const *method; /* names */
    int baseline;              /* against which all others are compared; -1: each against each */
    const mp_contest_set *set;
    const mp_contest_pair *pair;
    const mp_contest_tour *tour; /* none where data sets have several metrics */
    const mp_metric *metric;     /* of the tours */
    mp_contest_ranks ranks;
    int notes;
    const char *const *note; /* lines on what is missing or was not compared, and why */
} mp_contest;

/* `baseline` NULL: none. `test_train` 0: by the number of folds (mp_test_train). */
MP_MUST mp_err mp_contest_make(const mp_group *group, int count, const char *baseline, double test_train, mp_arena *a,
                               mp_contest *out);

/* Ranges of methods, by place in ranks.method, that the distance does not tell apart and that are in no larger one; those of
 * one method are left out. Returns how many; `from` and `to` (inclusive) have room for `methods`. */
int mp_contest_cliques(const mp_contest_ranks *r, int *from, int *to);

#endif
