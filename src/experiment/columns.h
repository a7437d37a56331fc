/* columns.h - whether score columns say different things (protocol.md 16).
 *
 *     r_ij = correlation of columns i and j over all nodes, after the mean of its graph is taken off each score
 *     alike = mean of |r_ij| over pairs i < j;      effective = h^2 / sum over i, j of r_ij^2, between 1 and h
 *
 * Selection compares nodes of one graph, so how high the scores of a whole graph are says nothing: graph means go. Graphs are not
 * taken one by one, because of few nodes even independent columns correlate by chance.
 * SPDX-License-Identifier: MIT */
#ifndef MP_COLUMNS_H
#define MP_COLUMNS_H

#include "experiment/subject.h"

typedef struct mp_alike { /* one pooling */
    double alike;         /* NAN: fewer than two columns that vary */
    double effective;     /* number of columns that as many independent ones would be worth; NAN: none varies */
    const double *r;      /* h x h; NAN where a column does not vary */
} mp_alike;

typedef struct mp_alikes {
    int levels, columns; /* columns: h */
    mp_alike level[MP_LEVELS];
} mp_alikes;

/* Memory of the result is the arena's. */
MP_MUST mp_err mp_alikes_find(const mp_subject *s, mp_arena *a, mp_alikes *out);

#endif
