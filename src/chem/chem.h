/* chem.h - molecules from SMILES. RDKit does the chemistry, in a module that is loaded when the first molecule is asked for:
 * midpool_rdkit.so (base/module.h).
 *
 * May be used by several threads at once.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CHEM_H
#define MP_CHEM_H

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "chem/plugin.h"

/* Larger ones are refused: the time RDKit takes grows with the third power of a chain, a second for 1000 atoms. */
#define MP_MOLECULE_BYTES 100000 /* of SMILES */
#define MP_MOLECULE_ATOMS 1000

/* Fails when the module is not there or not of this version; says what to install. */
MP_MUST mp_err mp_chem_load(void);

/* "RDKit 2022.09.3"; NULL: there is no module. */
const char *mp_chem_made(void);

/* How many values each column of features has: they are 0 .. range - 1. */
extern const int mp_atom_range[MP_ATOM_COLUMNS], mp_bond_range[MP_BOND_COLUMNS];

/* Atoms that a SMILES writes down, hydrogens in brackets included, without the module. */
int64_t mp_smiles_atoms(mp_span smiles);

/* The molecule, in the arena; blanks around the SMILES are passed over. `wanted`: MP_MOLECULE_SYMBOLS | ... MP_ERR_INPUT: it is
 * none, or has no atoms, or is too large, and the message says why in RDKit's words. Other statuses are not about the SMILES. */
MP_MUST mp_err mp_molecule_read(mp_span smiles, unsigned wanted, mp_arena *a, mp_molecule *out);

#endif
