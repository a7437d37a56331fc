/* predict.h - ways of writing answers.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PREDICT_H
#define MP_PREDICT_H

#include "model/checkpoint.h"

typedef struct mp_answerer { /* a model and what it knows of its data */
    mp_model *model;
    mp_about about;
} mp_answerer;

typedef struct mp_answer_format { /* what comes before, for each graph, and after */
    void (*head)(const mp_answerer *m, mp_buf *b);
    void (*row)(const mp_answerer *m, int64_t graph, int64_t answer, const mp_real *out, mp_buf *b);
    void (*tail)(double accuracy, int64_t unseen, const char *error,
                 mp_buf *b); /* accuracy NAN: the input has no labels;
                                                                                    error NULL: all is answered */
} mp_answer_format;

extern const mp_answer_format mp_answers_text, mp_answers_csv, mp_answers_json;

#endif
