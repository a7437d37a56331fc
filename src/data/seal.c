/* seal.c - see seal.h. The struct is private to this file: labels leave it only through the functions below.
 * SPDX-License-Identifier: MIT */
#include "data/seal.h"
#include "base/err.h"

#include <math.h>

struct mp_seal {
    int graphs;
    const int *label;
    const double *target;
};

mp_seal *mp_seal_new(mp_arena *a, int graphs, const int *label, const double *target)
{
    mp_assert((label == NULL) != (target == NULL));
    mp_seal *s = MP_NEW(a, mp_seal, 1);
    *s = (mp_seal){ graphs, label, target };
    return s;
}

static void check_index(const mp_seal *s, int b)
{
    mp_assert(b >= 0 && b < s->graphs);
}

mp_opened mp_seal_open(const mp_seal *s, mp_arena *a, const int *train, int n_train, const int *val, int n_val)
{
    int *label = s->label ? MP_NEW_RAW(a, int, s->graphs) : NULL;
    double *target = s->target ? MP_NEW_RAW(a, double, s->graphs) : NULL;
    for (int b = 0; b < s->graphs; b++) {
        if (label) label[b] = MP_SEALED;
        if (target) target[b] = (double)NAN;
    }
    for (int i = 0; i < n_train + n_val; i++) {
        int b = i < n_train ? train[i] : val[i - n_train];
        check_index(s, b);
        if (label) label[b] = s->label[b];
        if (target) target[b] = s->target[b];
    }
    return (mp_opened){ label, target };
}

double mp_seal_accuracy(const mp_seal *s, const int *which, int n, const int64_t *predicted)
{
    int right = 0;
    for (int i = 0; i < n; i++) {
        check_index(s, which[i]);
        right += s->label ? s->label[which[i]] == predicted[i] : s->target[which[i]] == (double)predicted[i];
    }
    return n ? (double)right / n : (double)NAN;
}

double mp_seal_error(const mp_seal *s, const int *which, int n, const double *output)
{
    mp_assert(s->target != NULL);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        check_index(s, which[i]);
        sum += fabs(s->target[which[i]] - output[i]);
    }
    return n ? sum / n : (double)NAN;
}

const int *mp_seal_break_labels(const mp_seal *s)
{
    return s->label;
}

const double *mp_seal_break_targets(const mp_seal *s)
{
    return s->target;
}
