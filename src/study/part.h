/* part.h - a study cut into parts that machines which know nothing of each other can run.
 *
 *     part of a run = 1 + (first 8 bytes of the SHA-256 of its key  mod  parts)
 *
 * The key alone decides: every run is in exactly one of N parts, whatever else is in the plan and whatever its order, so that
 * the stores of all parts joined are the store of the whole.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PART_H
#define MP_PART_H

#include "train/crossval.h"

#define MP_PARTS_MOST 1000000

typedef struct mp_part {
    int i, n; /* part i of n, from 1; n 0: everything */
} mp_part;

/* "3/100"; NULL: everything. */
MP_MUST mp_err mp_part_read(const char *text, mp_part *out);

/* Whether it has what this SHA-256 is of. */
bool mp_part_has(mp_part p, const char hash[65]);

/* Its runs of a plan, in the order of the plan; the arena has them. Of everything: the plan itself. */
mp_cv_plan mp_part_plan(mp_part p, const mp_cv_plan *all, mp_arena *a);

/* Of `count` things in a row, those from `*from` up to but not including `*to`: parts are as long as each other, or one longer. */
void mp_part_range(mp_part p, int64_t count, int64_t *from, int64_t *to);

#endif
