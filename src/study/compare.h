/* compare.h - whether one method is better than another, and by how much (protocol.md 3.6).
 *
 * Two methods are compared on one data set by the differences of paired runs (same fold, same seed), on many by their ranks.
 * Pure functions of numbers; a result that is not defined is NAN.
 * SPDX-License-Identifier: MIT */
#ifndef MP_COMPARE_H
#define MP_COMPARE_H

#include "base/arena.h"

#include <stdbool.h>

/* Differences d_1 .. d_n over folds and seeds. Training sets overlap, so that runs are not independent and the plain t-test
 * sees differences where there are none: Nadeau and Bengio (2003) add the ratio of test to training graphs to the 1/n of the
 * variance of the mean.
 *     error^2 = (1/n + test/train) sum_i (d_i - mean)^2 / (n - 1)        t = mean / error, n - 1 degrees of freedom */
typedef struct mp_paired {
    int n;
    double mean, error;
    double t, p;      /* p: two-sided */
    double low, high; /* the interval that holds the true mean with probability 95 % */
} mp_paired;

/* `test_train`: graphs that test over graphs that train, of one fold. With fewer than two differences only n and the mean are
 * known. Where all differences are equal p is 1 or 0: 1 if they are 0. */
mp_paired mp_compare_paired(const double *difference, int n, double test_train);

/* How likely the first of a pair is the better one: the share of differences above 0, those that are 0 counted half. Unlike a
 * difference over its deviation, which grows with the number of test graphs, it means the same on every data set and in every
 * metric. The interval is Wilson's (1927), which stays within 0..1 and does not shrink to a point where all pairs are won; m
 * takes the place of n, since so many independent pairs would leave the corrected error above, and t that of the normal limit:
 *     m = 1 / (1/n + test/train),  q = t_0.975 of n - 1 degrees,  s = share
 *     (s + q^2/2m -+ q sqrt(s (1 - s)/m + q^2/4m^2)) / (1 + q^2/m) */
typedef struct mp_superiority {
    int n;
    double share;     /* NAN when n is 0 */
    double low, high; /* NAN when n is below 2 */
} mp_superiority;

/* `smaller`: the better one of a pair has the smaller value. */
mp_superiority mp_compare_superiority(const double *difference, int n, double test_train, bool smaller);

/* Test over training graphs of one of `folds` folds made as protocol.md 3.1 has it: one fold tests, one validates, the others
 * train; of two folds a fifth of the training half validates. Of a fixed split 0: its differences are over seeds, which share
 * their graphs, and say nothing about other ones. */
double mp_test_train(int folds);

/* Wilcoxon's signed ranks: differences that are 0 are left out, equal sizes share the mean of their ranks. */
typedef struct mp_signed_ranks {
    int n;              /* differences other than 0 */
    double plus, minus; /* sums of the ranks of positive and negative ones */
    bool exact; /* p counts all signs (n <= 50, ties or not); else it is the normal one, its variance for ties */
    double p;   /* two-sided; 1 when n is 0 */
} mp_signed_ranks;
mp_signed_ranks mp_compare_signed_ranks(const double *difference, int n, mp_arena *a);

/* Holm's correction: with `adjusted` below a level for some of m comparisons, the chance that any of these is wrong is below
 * it. The i-th smallest p (from 0) becomes the largest of (m - j) p_j for j <= i, at most 1. A p of NAN is no comparison. */
void mp_compare_holm(const double *p, int m, mp_arena *a, double *adjusted);

typedef enum mp_rank_ties {
    MP_TIES_BETTER,
    MP_TIES_MIDDLE
} mp_rank_ties; /* share the better rank; the mean of their ranks */

/* 1 = best. A value that is NAN has no rank (NAN), and others rank as if it were not there. */
void mp_rank_values(const double *value, int n, bool smaller, mp_rank_ties ties, double *rank);

/* value[set * methods + method]: the mean of a method's ranks over the sets where it has a value. */
void mp_rank_average(const double *value, int sets, int methods, bool smaller, mp_rank_ties ties, mp_arena *a,
                     double *average);

/* Friedman's test that all methods are as good, on the sets where all have a value, ties at their middle; Iman and Davenport's
 * (1980) F of it, which is less timid; and how far apart two average ranks have to be for Nemenyi's test to tell methods apart
 * at 5 % (Demsar 2006). */
typedef struct mp_friedman {
    int sets, methods;
    double chi2, p_chi2, f, p_f, distance;
} mp_friedman;
mp_friedman mp_compare_friedman(const double *value, int sets, int methods, bool smaller, mp_arena *a);
double mp_compare_nemenyi(double level, int sets, int methods);

#endif
