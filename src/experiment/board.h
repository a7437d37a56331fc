/* board.h - methods on data sets: the cells of the main table, for the experiments that show it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_BOARD_H
#define MP_BOARD_H

#include "experiment/lab.h"
#include "report/paper.h"

typedef struct mp_board_method {
    const char *pool, *name; /* name: "SAGPool + MID" */
    bool mid;
} mp_board_method;

typedef struct mp_board_cell {
    int row;                  /* of the lab; -1: left out */
    bool chosen;              /* among the points of a grid */
    const mp_config *point;   /* what was chosen among */
    mp_choice honest, greedy; /* chosen on validation; as the paper's script does, on test */
    const mp_metric *metric;
    mp_paper_cell paper;
    int parameters;      /* of the setting that most seeds chose; 0: not known */
    const double *value; /* test metrics of the honest choice, by seed and fold */
    int values;
    double test_train; /* graphs that test over graphs that train */
} mp_board_cell;

typedef struct mp_board {
    int sets, methods;
    const char *const *set;
    const mp_board_method *method; /* of each method the base, then MID where it has it */
    mp_board_cell *cell;           /* sets x methods */
} mp_board;

/* Asks for all rows. Lists as mp_lab_sets and mp_lab_pools give them. */
MP_MUST mp_err mp_board_make(mp_lab *lab, const char *const *set, int sets, const char *const *pool, int pools,
                             mp_board *out);

const mp_board_cell *mp_board_at(const mp_board *b, int set, int method);

/* MID against the base before it: the difference of paired runs, and its p after Holm's correction over all such pairs of the
 * board; NAN where there are none. Both sets x methods, the pair at the place of MID. */
typedef struct mp_board_pair {
    double difference, low, high, p, adjusted;
} mp_board_pair;
const mp_board_pair *mp_board_pairs(const mp_board *b, mp_arena *a);

/* Methods that MID can be put on. */
bool mp_has_mid(const char *pool);

#endif
