/* contest_own.h - what the files that make a contest share.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CONTEST_OWN_H
#define MP_CONTEST_OWN_H

#include "report/contest.h"

typedef struct mp_contest_row {
    const mp_group *group;
    const char *options; /* not as usual: "epochs 3\n" for each */
    const char *name;
    int set, method;
} mp_contest_row;

typedef struct mp_contest_maker {
    mp_arena *arena;
    mp_contest_row *row;
    int rows;
    mp_contest_set *set;
    int sets;
    const char **method;
    int methods;
    const char **note;
    int notes, room;
    double test_train;
} mp_contest_maker;

void mp_contest_note(mp_contest_maker *m, const char *line);
bool mp_contest_same_name(const mp_contest_set *x, const mp_contest_set *y);

/* What a p may be taken for, alone and after Holm's correction; NAN: there is none. */
mp_claim mp_contest_claim(double p, double adjusted, bool better);

/* Fills in ranks and tours. */
void mp_contest_over_sets(mp_contest_maker *m, mp_contest *out);

#endif
