/* rounds.h - the runs of a row, round after round: what its rule (train/rule.h) asks for as far as results are there. Without a
 * rule there is one round.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ROUNDS_H
#define MP_ROUNDS_H

#include "study/study.h"

/* Adds what the rule asks for now to the row and to the plan; `*added`: so many runs of the row. `closed`: what is not there will not come. */
MP_MUST mp_err mp_study_extend(mp_study *s, mp_study_row *row, bool closed, int *added);

/* The same for all rows that have a rule; `*more`: there is something to run. */
MP_MUST mp_err mp_study_extend_all(mp_study *s, bool closed, bool *more);

/* How many runs a row has when all rounds are over. */
int64_t mp_study_all_runs(const mp_study_row *row);

#endif
