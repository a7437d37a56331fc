/* inner.c - see inner.h.
 * SPDX-License-Identifier: MIT */
#include "data/inner.h"

#include <stdio.h>
#include <stdlib.h>

#define HOLD_OUT 10 /* one graph in so many validates */

void mp_inner_from(const char *outer, int fold, char out[MP_FROM_SIZE])
{
    int n = snprintf(out, MP_FROM_SIZE, "%s, inner of fold %d", outer, fold);
    mp_assert(n > 0 && n < MP_FROM_SIZE);
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Of graphs in dealing order, those whose place is `part` modulo `parts` validate. */
static mp_split inner_split(const int *order, int n, int fold, int part, int parts, mp_arena *a)
{
    int *train = MP_NEW_RAW(a, int, n), *val = MP_NEW_RAW(a, int, n), *none = MP_NEW_RAW(a, int, 1);
    mp_split s = { .fold = fold, .train = train, .val = val, .test = none };
    for (int i = 0; i < n; i++) {
        if (i % parts == part)
            val[s.n_val++] = order[i];
        else
            train[s.n_train++] = order[i];
    }
    qsort(train, (size_t)s.n_train, sizeof *train, by_number);
    qsort(val, (size_t)s.n_val, sizeof *val, by_number);
    return s;
}

mp_err mp_folds_inner(const mp_dataset *d, const mp_folds *outer, int at, int inner, mp_arena *a, mp_folds *out)
{
    const mp_split *s = &outer->split[at];
    int n = s->n_train + s->n_val, count = inner > 1 ? inner : 1, *part = MP_NEW_RAW(a, int, n);
    if (mp_dataset_is_single(d) || n < 2 || n < count)
        return mp_fail(MP_ERR_INPUT, "%s, fold %d: %d graphs are too few for inner splits", d->name, s->fold, n);
    for (int i = 0; i < n; i++) part[i] = i < s->n_train ? s->train[i] : s->val[i - s->n_train];
    qsort(part, (size_t)n, sizeof *part, by_number);
    const int *order = mp_deal_order(d, part, n, mp_rng_stream(0, MP_FOR_FOLDS, (uint64_t)at + 1, 0, 0), a);
    mp_split *split = MP_NEW(a, mp_split, count);
    for (int k = 0; k < count; k++)
        split[k] = inner_split(order, n, count > 1 ? k + 1 : 0, k, count > 1 ? count : HOLD_OUT, a);
    char *from = MP_NEW(a, char, MP_FROM_SIZE);
    mp_inner_from(outer->from, at + 1, from);
    *out = (mp_folds){ count, split, from,
                       count > 1 ? mp_arena_printf(a, "%d inner folds of fold %d", count, at + 1)
                                 : mp_arena_printf(a, "a hold-out of fold %d", at + 1) };
    return MP_OK;
}
