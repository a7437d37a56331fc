/* study_print.h - the summary of a study, for people and for programs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STUDY_PRINT_H
#define MP_STUDY_PRINT_H

#include "study/study.h"

/* "SAGPool + MID (h 5, drop 0.1), ratio 0.8". */
void mp_study_row_name(const mp_study_row *row, char *out, size_t n);

/* The table: ours, the paper's, and what choosing on test graphs would have given. */
MP_MUST mp_err mp_study_print(const mp_study *s, mp_select mode, mp_buf *out);

/* Validation of every point of every row that chooses; those that a rule stopped early say so. */
MP_MUST mp_err mp_study_print_points(const mp_study *s, mp_select mode, mp_buf *out);

/* {"swept": [names], "runs": [...], "studies": [{..., "summary": {mode: {...}}}], "summary": of the only study, "failed": n} */
MP_MUST mp_err mp_study_json(const mp_study *s, mp_select mode, mp_buf *out);

#endif
