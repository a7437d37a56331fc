/* calibration.h - whether the probabilities of a study hold (protocol.md 4.1): a number for its row, a table, a diagram.
 * SPDX-License-Identifier: MIT */
#ifndef MP_REPORT_CALIBRATION_H
#define MP_REPORT_CALIBRATION_H

#include "report/group.h"
#include "report/table.h"

typedef struct mp_group_calibration {
    double error, brier; /* mean over seeds of that of all folds of a seed; NAN: no run has any */
    mp_calibration all;  /* of all seeds and folds */
} mp_group_calibration;

/* Of the runs that were chosen. */
mp_group_calibration mp_calibration_of(const mp_group *g, const mp_choice *c);

/* {"ece": .., "brier": .., "count": .., "bins": [{"from": .., "to": .., "count": .., "probability": .., "true": ..}]} */
void mp_calibration_json(const mp_calibration *c, mp_buf *out);

/* How the bins lie about the diagonal, as a picture and as CSV with their counts. */
void mp_calibration_svg(const mp_calibration *c, const char *title, mp_buf *svg, mp_buf *csv);

#endif
