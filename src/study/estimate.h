/* estimate.h - how long the rows of a study will take and how much memory they need, before they run.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ESTIMATE_H
#define MP_ESTIMATE_H

#include "study/forecast.h"
#include "study/study.h"

typedef struct mp_estimate {
    int64_t runs;   /* of all rounds */
    int there;      /* in the store */
    int epochs;     /* of a run */
    double seconds; /* an epoch; 0 where nothing is left to do */
    double minutes; /* to go, with as many runs side by side as the study has */
} mp_estimate;

/* Seconds and epochs are those of finished runs of the row; where there are none, of two epochs of its widest setting on its
 * first fold, and twice the patience and 20. Read the study first (mp_study_read). */
MP_MUST mp_err mp_study_estimate(const mp_study *s, const mp_study_row *row, mp_estimate *out);

/* Memory of all runs side by side, for the widest setting of the row; MP_ERR_LIMIT when it is more than is free. */
MP_MUST mp_err mp_study_forecast(const mp_study *s, const mp_study_row *row, mp_forecast *out);

#endif
