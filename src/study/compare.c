/* compare.c - see compare.h.
 * SPDX-License-Identifier: MIT */
#include "study/compare.h"

#include "study/distribution.h"

#include <math.h>
#include <stdlib.h>

#define LEVEL      0.05 /* of intervals and of Nemenyi's distance */
#define EXACT_MOST 50   /* differences of which all signs are counted */
#define NONE       ((double)NAN)

mp_paired mp_compare_paired(const double *difference, int n, double test_train)
{
    mp_assert(n >= 0 && test_train >= 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) sum += difference[i];
    double mean = n > 0 ? sum / n : NONE;
    if (n < 2) return (mp_paired){ n, mean, NONE, NONE, NONE, NONE, NONE };
    for (int i = 0; i < n; i++) squares += (difference[i] - mean) * (difference[i] - mean);
    double error = sqrt((1.0 / n + test_train) * squares / (n - 1)), wide = error * mp_t_limit(LEVEL, n - 1);
    double t = mean == 0 ? 0 : mean / error;
    return (mp_paired){ n, mean, error, t, mp_t_beyond(t, n - 1), mean - wide, mean + wide };
}

mp_superiority mp_compare_superiority(const double *difference, int n, double test_train, bool smaller)
{
    mp_assert(n >= 0 && test_train >= 0);
    double won = 0;
    for (int i = 0; i < n; i++) won += difference[i] == 0 ? 0.5 : (difference[i] > 0) != smaller;
    double s = n > 0 ? won / n : NONE;
    if (n < 2) return (mp_superiority){ n, s, NONE, NONE };
    double q = mp_t_limit(LEVEL, n - 1), qm = q * q * (1.0 / n + test_train); /* q^2 / m */
    double middle = s + qm / 2, wide = sqrt(qm * s * (1 - s) + qm * qm / 4);
    return (mp_superiority){ n, s, fmax(0, (middle - wide) / (1 + qm)), fmin(1, (middle + wide) / (1 + qm)) };
}

double mp_test_train(int folds)
{
    return folds < 2 ? 0 : folds == 2 ? 0.5 / 0.4 : 1.0 / (folds - 2);
}

typedef struct placed {
    double value;
    int place;
} placed;

static int by_value(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    return (p->value > q->value) - (p->value < q->value);
}

/* The numbers with their places, NAN left out, ascending. */
static int sorted(const double *value, int n, placed *out)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(value[i])) out[count++] = (placed){ value[i], i };
    if (count > 0) qsort(out, (size_t)count, sizeof *out, by_value);
    return count;
}

static int end_of_ties(const placed *p, int n, int from)
{
    int to = from + 1;
    while (to < n && p[to].value == p[from].value) to++;
    return to;
}

/* Ways to give signs to the first n ranks so that the positive ones add up to at most `sum`; ranks are doubled, since those of
 * ties end in a half. Of 2^n, which double counts exactly. */
static double ways_up_to(const int *rank2, int n, int sum2, mp_arena *a)
{
    double *ways = MP_NEW(a, double, sum2 + 1), all = 0;
    ways[0] = 1;
    for (int i = 0; i < n; i++)
        for (int s = sum2; s >= rank2[i]; s--) ways[s] += ways[s - rank2[i]];
    for (int s = 0; s <= sum2; s++) all += ways[s];
    return all;
}

/* Of the ranks' sum under chance, mean n(n+1)/4; `ties` is the sum of t^3 - t. */
static double normal_p(int n, double sum, double ties)
{
    double mean = n * (n + 1.0) / 4, variance = n * (n + 1.0) * (2 * n + 1.0) / 24 - ties / 48;
    return 2 * mp_normal_above(fabs(sum - mean) / sqrt(variance));
}

mp_signed_ranks mp_compare_signed_ranks(const double *difference, int n, mp_arena *a)
{
    mp_arena_mark mark = mp_arena_here(a);
    double *size = MP_NEW(a, double, n + 1), ties = 0;
    placed *order = MP_NEW(a, placed, n + 1);
    int *rank2 = MP_NEW(a, int, n + 1);
    for (int i = 0; i < n; i++) size[i] = difference[i] != 0 ? fabs(difference[i]) : NONE;
    mp_signed_ranks r = { .n = sorted(size, n, order) };
    r.exact = r.n <= EXACT_MOST;
    for (int i = 0, to; i < r.n; i = to) {
        to = end_of_ties(order, r.n, i);
        double t = to - i;
        ties += t * t * t - t;
        for (int j = i; j < to; j++) {
            rank2[j] = i + 1 + to;
            *(difference[order[j].place] > 0 ? &r.plus : &r.minus) += rank2[j] / 2.0;
        }
    }
    double least = fmin(r.plus, r.minus);
    if (r.exact)
        r.p = 2 * ways_up_to(rank2, r.n, (int)(2 * least), a) / ldexp(1, r.n);
    else
        r.p = normal_p(r.n, least, ties);
    r.p = fmin(1, r.p);
    mp_arena_back(a, mark);
    return r;
}

void mp_compare_holm(const double *p, int m, mp_arena *a, double *adjusted)
{
    mp_arena_mark mark = mp_arena_here(a);
    placed *order = MP_NEW(a, placed, m + 1);
    int n = sorted(p, m, order);
    double most = 0;
    for (int i = 0; i < m; i++) adjusted[i] = NONE;
    for (int i = 0; i < n; i++) {
        most = fmax(most, (n - i) * order[i].value);
        adjusted[order[i].place] = fmin(1, most);
    }
    mp_arena_back(a, mark);
}

void mp_rank_values(const double *value, int n, bool smaller, mp_rank_ties ties, double *rank)
{
    for (int i = 0; i < n; i++) {
        int better = 0, same = 0;
        for (int j = 0; j < n; j++) {
            better += smaller ? value[j] < value[i] : value[j] > value[i];
            same += value[j] == value[i];
        }
        rank[i] = isnan(value[i]) ? NONE : better + 1 + (ties == MP_TIES_MIDDLE ? (same - 1) / 2.0 : 0);
    }
}

void mp_rank_average(const double *value, int sets, int methods, bool smaller, mp_rank_ties ties, mp_arena *a,
                     double *average)
{
    mp_arena_mark mark = mp_arena_here(a);
    double *rank = MP_NEW(a, double, methods + 1);
    int *count = MP_NEW(a, int, methods + 1);
    for (int m = 0; m < methods; m++) average[m] = 0;
    for (int s = 0; s < sets; s++) {
        mp_rank_values(value + (size_t)s * (size_t)methods, methods, smaller, ties, rank);
        for (int m = 0; m < methods; m++) {
            if (isnan(rank[m])) continue;
            average[m] += rank[m];
            count[m]++;
        }
    }
    for (int m = 0; m < methods; m++) average[m] = count[m] ? average[m] / count[m] : NONE;
    mp_arena_back(a, mark);
}

double mp_compare_nemenyi(double level, int sets, int methods)
{
    return mp_range_limit(level, methods) / sqrt(2) * sqrt(methods * (methods + 1.0) / (6.0 * sets));
}

static bool whole(const double *value, int n)
{
    for (int i = 0; i < n; i++)
        if (isnan(value[i])) return false;
    return true;
}

/* Sum of t^3 - t over the groups of equal values: each value adds t^2 - 1. */
static double ties_of(const double *value, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double t = 0;
        for (int j = 0; j < n; j++) t += value[j] == value[i];
        sum += t * t - 1;
    }
    return sum;
}

mp_friedman mp_compare_friedman(const double *value, int sets, int methods, bool smaller, mp_arena *a)
{
    mp_arena_mark mark = mp_arena_here(a);
    double *rank = MP_NEW(a, double, methods + 1), *sum = MP_NEW(a, double, methods + 1), ties = 0, k = methods;
    mp_friedman r = { 0, methods, NONE, NONE, NONE, NONE, NONE };
    for (int s = 0; s < sets; s++) {
        const double *row = value + (size_t)s * (size_t)methods;
        if (!whole(row, methods)) continue;
        mp_rank_values(row, methods, smaller, MP_TIES_MIDDLE, rank);
        for (int m = 0; m < methods; m++) sum[m] += rank[m];
        ties += ties_of(row, methods);
        r.sets++;
    }
    if (r.sets >= 2 && methods >= 2) {
        double n = r.sets, squares = 0, apart = 1 - ties / (n * (k * k * k - k));
        for (int m = 0; m < methods; m++) squares += (sum[m] - n * (k + 1) / 2) * (sum[m] - n * (k + 1) / 2);
        r.distance = mp_compare_nemenyi(LEVEL, r.sets, methods);
        r.chi2 = apart > 0 ? 12 * squares / (n * k * (k + 1)) / apart : 0;
        r.p_chi2 = mp_chi2_above(r.chi2, k - 1);
        r.f = (n - 1) * r.chi2 / fmax(0, n * (k - 1) - r.chi2);
        r.p_f = mp_f_above(r.f, k - 1, (k - 1) * (n - 1));
    }
    mp_arena_back(a, mark);
    return r;
}
