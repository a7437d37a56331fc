/* survey.h - one measurement of every run of a row, and what holds over the runs.
 *
 * A number of a measurement is named by its path: "told.mean.raw" is the member raw of the member mean of the member told.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SURVEY_H
#define MP_SURVEY_H

#include "experiment/lab.h"
#include "experiment/subject.h"
#include "report/svg.h"
#include "study/compare.h"

/* The test graphs of the run that a probe looks at, and its model. */
mp_subject mp_subject_tested(const mp_probe_in *in);

typedef struct mp_survey {
    mp_arena *arena;
    int n;                 /* runs, seeds outermost, then folds; 0: the row was left out */
    const mp_json **value; /* n: NULL where there is none */
    const double *test;    /* n: test metrics, NAN where there is none */
    double test_train;     /* graphs that test over graphs that train */
    int row;               /* of the lab; -1: it was left out */
} mp_survey;

/* Measures the runs of a row that keeps its models and has no grid. In quick versions runs end after 200 epochs. */
MP_MUST mp_err mp_survey_row(mp_lab *lab, const mp_ask *ask, const mp_probe *p, const char *arg, mp_arena *a,
                             mp_survey *out);
/* The same with the epochs that the row asks for, in quick versions too. */
MP_MUST mp_err mp_survey_take(mp_lab *lab, const mp_ask *ask, const mp_probe *p, const char *arg, mp_arena *a,
                              mp_survey *out);

typedef struct mp_over_runs {
    int n;            /* runs that have the number */
    double mean, std; /* over them, std of the population; NAN where there are none */
} mp_over_runs;

mp_over_runs mp_survey_spread(const mp_survey *s, const char *path);
mp_over_runs mp_survey_test(const mp_survey *s); /* of test metrics */
/* The number of one run; NAN where there is none. */
double mp_survey_number(const mp_survey *s, int run, const char *path);
/* Differences a - b of the runs of one seed and fold. */
mp_paired mp_survey_paired(const mp_survey *a, const mp_survey *b, const char *path);

/* Whether any run has it. */
bool mp_survey_any(const mp_survey *s);

/* A cell: "+1.2 (-0.3 to 2.7)", the mean of differences with the interval that holds it with probability 95 %, times `unit`. */
void mp_paired_cell(mp_table *t, const mp_paired *d, double unit);

/* A chart of means and deviations over runs, with its data. */
void mp_survey_bars(mp_section *out, const char *title, const mp_svg_bars_spec *spec);

#endif
