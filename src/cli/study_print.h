/* study_print.h - the summary of a study, for people and for programs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STUDY_PRINT_H
#define MP_STUDY_PRINT_H

#include "study/study.h"

/* The table: ours, the paper's, and what choosing on test graphs would have given. */
MP_MUST mp_err mp_study_print(const mp_study *s, mp_select mode, mp_buf *out);

/* {"swept": [names], "runs": [...], "studies": [{..., "summary": {mode: {...}}}], "summary": of the only study, "failed": n} */
MP_MUST mp_err mp_study_json(const mp_study *s, mp_select mode, mp_buf *out);

#endif
