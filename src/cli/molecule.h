/* molecule.h - graphs that are molecules: symbols of their atoms, and how they are drawn.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLI_MOLECULE_H
#define MP_CLI_MOLECULE_H

#include "data/dataset.h"
#include "report/depict.h"

/* A symbol for each row of `x`, features of some graphs of the set, whose first label column is the atomic number less one.
 * NULL: the set has no molecules, or other labels (their range is not that of chem.h). */
const char *const *mp_molecule_symbols(const mp_dataset *d, const mp_sparse *x, mp_arena *a);

/* The molecule of a graph, whose one copy is `g`. False: the set has none, or, with a word on stderr, there is no RDKit to lay it
 * out, or the SMILES is of another graph than this. */
bool mp_molecule_drawing(const mp_dataset *d, int graph, const mp_graph *g, mp_arena *a, mp_depict *out);

#endif
