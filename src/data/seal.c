/* seal.c - see seal.h. The struct is private to this file: labels leave it only through the functions below.
 * SPDX-License-Identifier: MIT */
#include "data/seal.h"
#include "base/err.h"

#include <math.h>
#include <string.h>

struct mp_seal {
    int graphs;
    mp_labels labels;
};

mp_seal *mp_seal_new(mp_arena *a, int graphs, mp_labels labels)
{
    mp_assert(labels.columns > 0);
    mp_seal *s = MP_NEW(a, mp_seal, 1);
    *s = (mp_seal){ graphs, labels };
    return s;
}

static void check_index(const mp_seal *s, int b)
{
    mp_assert(b >= 0 && b < s->graphs);
}

mp_labels mp_seal_open(const mp_seal *s, mp_arena *a, const int *train, int n_train, const int *val, int n_val)
{
    size_t T = (size_t)s->labels.columns, all = (size_t)mp_labels_row(&s->labels, s->graphs) * T;
    double *v = MP_NEW_RAW(a, double, all + 1);
    for (size_t i = 0; i < all; i++) v[i] = (double)NAN;
    for (int i = 0; i < n_train + n_val; i++) {
        int b = i < n_train ? train[i] : val[i - n_train];
        check_index(s, b);
        size_t from = (size_t)mp_labels_row(&s->labels, b) * T, to = (size_t)mp_labels_row(&s->labels, b + 1) * T;
        memcpy(v + from, s->labels.v + from, (to - from) * sizeof *v);
    }
    return (mp_labels){ s->labels.columns, v, s->labels.ptr };
}

double mp_seal_measure(const mp_seal *s, const mp_metric *m, const mp_goal *goal, const int *which, int n,
                       const mp_real *told)
{
    mp_assert(goal->columns == s->labels.columns);
    for (int i = 0; i < n; i++) check_index(s, which[i]);
    mp_arena *a = mp_arena_new(65536);
    mp_judged j = { goal, mp_labels_rows(&s->labels, which, n), told, mp_labels_take(&s->labels, which, n, a) };
    double v = mp_measure(m, &j);
    mp_arena_free(a);
    return v;
}

void mp_seal_calibrate(const mp_seal *s, const mp_goal *goal, const int *which, int n, const mp_real *told,
                       mp_calibration *out)
{
    mp_assert(goal->columns == s->labels.columns);
    size_t T = (size_t)goal->columns, O = (size_t)mp_goal_outputs(goal);
    for (int i = 0; i < n && goal->task->claim; i++) {
        check_index(s, which[i]);
        int row = mp_labels_row(&s->labels, which[i]), end = mp_labels_row(&s->labels, which[i] + 1);
        for (; row < end; row++, told += O) goal->task->claim(goal, told, s->labels.v + (size_t)row * T, out);
    }
}

int64_t mp_seal_known(const mp_seal *s, const int *which, int n)
{
    for (int i = 0; i < n; i++) check_index(s, which[i]);
    return mp_labels_known(&s->labels, which, n);
}

mp_labels mp_seal_break(const mp_seal *s)
{
    return s->labels;
}
