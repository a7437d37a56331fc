/* answers.h - what models say about a graph, in words: labels, and the numbers behind them.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ANSWERS_H
#define MP_ANSWERS_H

#include "model/checkpoint.h"

typedef struct mp_answerer { /* a model and what it knows of its data */
    mp_model *model;
    mp_about about;
} mp_answerer;

typedef struct mp_words { /* an answer about one graph */
    int columns, shows;   /* label columns; numbers behind them */
    const double *answer; /* columns: class, yes or no, number */
    const double *shown;  /* shows: probabilities, or the numbers before rounding */
    const double *spread; /* shows: how far apart several models are (ensemble.h); NULL: there is one */
} mp_words;

/* `told`: outputs of one graph as the task tells them. Memory is the arena's. */
mp_words mp_words_of(const mp_answerer *m, const mp_real *told, mp_arena *a);

/* The answer of a column as text: the class as in the label file, the number; by its name where it has one. */
void mp_words_label(const mp_answerer *m, const mp_words *w, int column, mp_buf *out);

/* The number behind the answer of a column: the probability of the class, of a yes; the output. And its spread. */
double mp_words_behind(const mp_answerer *m, const mp_words *w, int column);
double mp_words_spread(const mp_answerer *m, const mp_words *w, int column);

/* What heads a column of answers: "probability", with the name of its label ("probability_NR-AR") where it has one, else with
 * its number where there are several. */
void mp_words_head(const mp_answerer *m, const char *word, int column, mp_buf *out);

/* The same for the probability of a class, "p_toxic", and for the number behind the answer of a column: "probability_NR-AR", or
 * "p_toxic" where the yes has a name. */
void mp_words_class_head(const mp_answerer *m, int class, mp_buf *out);
void mp_words_shown_head(const mp_answerer *m, int column, mp_buf *out);

/* "classes": [...], names where they have some, those of no and yes too. */
void mp_words_classes_json(const mp_answerer *m, mp_buf *b);

/* The answer as members of an open JSON object: "label" and "probabilities"; "value"; "label" and "output"; lists where a graph
 * has several labels; a member for each where they have names ("label_NR-AR"). With several models "spread". */
void mp_words_json(const mp_answerer *m, const mp_words *w, mp_buf *b);

/* "label 1 with probability 0.9312", "label inert with probability of toxic 0.0688" (names of no and yes), "output 2.9571, rounded 3", "value 0.331"; several after each other, "NR-AR: " before each
 * that has a name. */
void mp_words_text(const mp_answerer *m, const mp_words *w, mp_buf *b);

#endif
