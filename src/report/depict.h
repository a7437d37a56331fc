/* depict.h - how a molecule is written down: which atoms get letters, on which side their hydrogens stand, and on which side of a
 * bond its second line runs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_DEPICT_H
#define MP_DEPICT_H

#include "base/arena.h"
#include "chem/plugin.h"

#include <stdbool.h>

typedef enum mp_depict_side { MP_SIDE_RIGHT, MP_SIDE_LEFT, MP_SIDE_ABOVE, MP_SIDE_BELOW } mp_depict_side;

typedef struct mp_depict_atom {
    double x, y;        /* a bond is about 1 long; y grows downwards */
    const char *symbol; /* always there, for words                   */
    bool letters;       /* false: a carbon, which is where its bonds meet */
    int hydrogens, charge;
    mp_depict_side side; /* of the hydrogens */
} mp_depict_atom;

typedef enum mp_depict_look {
    MP_BOND_SINGLE,
    MP_BOND_DOUBLE,
    MP_BOND_TRIPLE,
    MP_BOND_AROMATIC,
    MP_BOND_OTHER
} mp_depict_look;

typedef struct mp_depict_bond {
    int from, to;
    mp_depict_look look;
    int side; /* of the second line: 1 and -1 turn the way from -> to by a quarter to the right or left; 0: one on each side */
} mp_depict_bond;

typedef struct mp_depict {
    int atoms, bonds;
    double left, right, top, bottom; /* of the atoms */
    const mp_depict_atom *atom;
    const mp_depict_bond *bond;
} mp_depict;

/* The molecule must have symbols and places. Memory is the arena's; symbols stay the molecule's. */
void mp_depict_of(const mp_molecule *m, mp_arena *a, mp_depict *out);

#endif
