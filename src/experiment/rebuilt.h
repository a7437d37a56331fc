/* rebuilt.h - what a network with an upward path gave back of molecules and of coordinates (protocol.md 13).
 * SPDX-License-Identifier: MIT */
#ifndef MP_REBUILT_H
#define MP_REBUILT_H

#include "chem/skeleton.h"
#include "experiment/subject.h"

typedef struct mp_rebuilt { /* of molecules; zero-initialise */
    int64_t atoms, right;   /* all atoms; those of the right one of 28 types */
    int64_t molecules;      /* whose true atoms are a valid molecule: the three below are of these */
    int64_t exact;          /* every atom has the right element */
    int64_t same;           /* the same molecule, atoms renumbered or not */
    int64_t valid;
} mp_rebuilt;

/* Adds a molecule: `want` and `got` are types, 0 .. MP_ZINC_TYPES - 1, of its atoms. */
void mp_rebuilt_add(mp_rebuilt *r, const mp_skeleton *s, const int *want, const int *got, mp_arena *scratch);

/* Of all graphs of a subject whose nodes have the 28 labels. order[e] is that of edge e of the collection. */
MP_MUST mp_err mp_rebuilt_find(const mp_subject *s, const unsigned char *order, mp_arena *a, mp_rebuilt *out);

/* Coordinates that a network gives the nodes of one graph: nodes x 2. And their mean squared distance from its features, by
 * coordinate. */
MP_MUST mp_err mp_rebuilt_coordinates(const mp_subject *s, mp_arena *a, const double **xy, double *mse);

#endif
