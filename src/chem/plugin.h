/* plugin.h - what midpool and its module for chemistry know of each other, in C types alone.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CHEM_PLUGIN_H
#define MP_CHEM_PLUGIN_H

#include <stddef.h>

/* Of mp_chem_table and all it points to: another number, another layout. */
#define MP_CHEM_ABI    1
#define MP_CHEM_SYMBOL "mp_chem_plugin" /* the one name that the module shows: an mp_chem_table */

enum { MP_ATOM_COLUMNS = 9, MP_BOND_COLUMNS = 3 };

/* A molecule as a graph, with the features of the Open Graph Benchmark (docs/formats.md lists their values). */
typedef struct mp_molecule {
    int atoms, bonds;
    const int *atom;           /* atoms x MP_ATOM_COLUMNS                                        */
    const int *from, *to;      /* bonds: each once, as the molecule lists them                   */
    const int *bond;           /* bonds x MP_BOND_COLUMNS                                        */
    const char *const *symbol; /* atoms: "C", "Cl", "*"; these four NULL unless they were wanted */
    const float *place;        /* atoms x 2: coordinates for a drawing, bonds 1.5 long           */
    const char *canonical;     /* SMILES                                                         */
    const char *scaffold;      /* Bemis-Murcko, with chirality; "" when there is no ring         */
} mp_molecule;

enum { MP_MOLECULE_SYMBOLS = 1, MP_MOLECULE_PLACES = 2, MP_MOLECULE_CANONICAL = 4, MP_MOLECULE_SCAFFOLD = 8 };

typedef enum mp_chem_end { MP_CHEM_READ, MP_CHEM_REFUSED, MP_CHEM_NO_MEMORY } mp_chem_end;

typedef struct mp_chem_table {
    int abi;          /* MP_CHEM_ABI of the module */
    const char *made; /* "RDKit 2022.09.3" */

    /* The molecule of n bytes of SMILES, or in *why the reason that it is none. Both stay until the next call of the same
     * thread. Any number of threads at once. */
    mp_chem_end (*read)(const char *smiles, size_t n, unsigned wanted, mp_molecule *out, const char **why);
} mp_chem_table;

#endif
