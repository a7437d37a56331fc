/* skeleton.h - molecules as atoms on a skeleton of bonds, without RDKit: whether valences allow them, and whether two of them on
 * one skeleton are the same (protocol.md 13.1).
 *
 * Charges are left out and hydrogens are what is missing to a valence. An atom is allowed as long as the orders of its bonds
 * add up to no more than the largest valence of its element:
 *
 *     C 4   N 3   O 2   F 1   P 7   S 6   Cl 1   Br 1   I 5
 *
 * and a nitrogen of five when it has a double bond to an oxygen at the end of a chain: RDKit reads it as charges apart.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SKELETON_H
#define MP_SKELETON_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct mp_skeleton { /* bonds, each from both ends */
    int atoms;
    const int *ptr;             /* atoms + 1: bonds of atom v are ptr[v] .. ptr[v+1]-1; the first need not be 0 */
    const int *to;              /* the atom at the other end, less `first` */
    const unsigned char *order; /* 1, 2, 3; 4 aromatic: one and a half */
    int first;                  /* number that atom 0 has in `to` */
} mp_skeleton;

#define MP_ZINC_TYPES 28
/* The element of each of the 28 atom types of the ZINC benchmark. */
extern const unsigned char mp_zinc_element[MP_ZINC_TYPES];

/* Whether every valence is allowed; element[v] is that of atom v. An element that is not above is not. */
bool mp_skeleton_valid(const mp_skeleton *s, const unsigned char *element);

/* Whether the bonds can be mapped onto themselves, orders kept, so that elements x become elements y: whether both are the same
 * molecule. */
bool mp_skeleton_same(const mp_skeleton *s, const unsigned char *x, const unsigned char *y, mp_arena *scratch);

#endif
