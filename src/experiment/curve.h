/* curve.h - test scores against an option: base and MID as two lines with bands, one chart a data set, and the table.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CURVE_H
#define MP_CURVE_H

#include "experiment/lab.h"

typedef struct mp_curve_line {
    const char *name;     /* "base" */
    const char *settings; /* of all its points; "" */
} mp_curve_line;

typedef struct mp_curve {
    const char *dataset, *pool;
    const char *what; /* the option in words: "pooling ratio" */
    int lines, points;
    const mp_curve_line *line;
    const char *const *setting; /* points: "ratio=0.1" */
    const double *x;            /* points */
    int seeds;                  /* 0: the lab's */
} mp_curve;

/* Asks for the runs of all points, draws the chart, and adds rows to a table made by mp_curve_table. */
MP_MUST mp_err mp_curve_make(mp_lab *lab, const mp_curve *c, mp_table *t, mp_section *out);
void mp_curve_table(mp_arena *a, mp_table *t);

#endif
