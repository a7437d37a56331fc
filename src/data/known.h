/* known.h - what is known about data sets by their name: the paper's statistics, and exceptions to the
 * reader's rules. One row a set; a set without a row follows the rules alone.
 * SPDX-License-Identifier: MIT */
#ifndef MP_KNOWN_H
#define MP_KNOWN_H

#include "data/dataset.h"

typedef struct mp_known {
    const char *name;
    int graphs, classes; /* the paper's table of statistics, edges counted once; 0: not in it */
    double avg_nodes, avg_edges;
    int columns;         /* of x, by math.md 1.7; 0: not given there */
    const char *source;  /* of x */
    const char *note;    /* why files and paper may differ, or NULL */
    const char *caveat;  /* why results on it may differ from the paper's, or NULL */
    int labels;          /* node labels are 0 .. labels - 1, whichever of them occur; 0: by what occurs */
    int skip_attributes; /* leading attribute columns that give the label away */
    int degree_max;      /* degree features always have columns 0..degree_max; 0: by the rule */
    const mp_task *task; /* NULL: by the labels */
    const char *preset;  /* of the program, that holds without being asked for; NULL: none */
    int fixed[5][2];     /* the published split; counts only when the set has as many graphs as it ends with */
    const char *fixed_name[5];
} mp_known;

/* NULL when there is no row. */
const mp_known *mp_known_find(const char *name);

/* Row i, NULL behind the last. */
const mp_known *mp_known_at(int i);

/* The known name closest to `word`, or NULL when none is near. */
const char *mp_known_nearest(const char *word);

#endif
