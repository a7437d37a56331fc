/* predict.h - ways of writing answers.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PREDICT_H
#define MP_PREDICT_H

#include "cli/ensemble.h"
#include "task/metric.h"

typedef struct mp_agreement {          /* of answers with the labels of the input */
    const mp_metric *metric;           /* a mean over graphs */
    double value;                      /* NAN: the input has no labels */
    const mp_calibration *calibration; /* NULL: nobody asks */
} mp_agreement;

typedef struct mp_answer_format { /* what comes before, for each graph, and after */
    void (*head)(const mp_ensemble *e, mp_buf *b);
    void (*row)(const mp_answerer *m, int64_t graph, const mp_words *w, mp_buf *b);
    void (*tail)(const mp_agreement *with, int64_t unseen, const char *error,
                 mp_buf *b); /* error NULL: all is answered */
} mp_answer_format;

/* A table of molecules printed again, answers as columns behind its own: the head, a row. One without words has empty
 * cells. */
void mp_echo_head(const mp_ensemble *e, mp_span raw, mp_buf *b);
void mp_echo_row(const mp_ensemble *e, mp_span raw, const mp_words *w, mp_buf *b);

/* Fails when the table `path` with this head has a column of such a name. */
MP_MUST mp_err mp_echo_check(const mp_ensemble *e, mp_span raw, const char *path, mp_arena *a);

/* What JSON has in place of an answer: a row of a table that is no molecule. */
void mp_json_none(int64_t graph, const char *why, mp_buf *b);

extern const mp_answer_format mp_answers_text, mp_answers_csv, mp_answers_json;

#endif
