/* contest_print.h - a contest as words and tables, as JSON and as a picture of its ranks.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CONTEST_PRINT_H
#define MP_CONTEST_PRINT_H

#include "report/contest.h"
#include "report/section.h"

/* What may be claimed of two methods on a data set, and over data sets: "On MUTAG nothing separates ...". */
const char *mp_contest_words(const mp_contest *c, const mp_contest_pair *p, mp_arena *a);
const char *mp_contest_tour_words(const mp_contest *c, const mp_contest_tour *t, mp_arena *a);

void mp_contest_section(const mp_contest *c, mp_section *out);

/* `source`: where the runs come from, n texts. docs/formats.md has the members. */
void mp_contest_json(const mp_contest *c, const char *const *source, int n, mp_arena *a, mp_buf *out);

/* The critical-difference diagram; false, and nothing written, where there are no ranks. */
bool mp_contest_svg(const mp_contest *c, mp_arena *a, mp_buf *out);

#endif
