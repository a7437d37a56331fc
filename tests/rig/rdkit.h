/* rdkit.h - tests that need molecules are left out, with a word, where RDKit's module is not there.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_RDKIT_H
#define MP_TEST_RDKIT_H

#include "chem/chem.h"

#define NEED_RDKIT()                                                                                                   \
    do {                                                                                                               \
        if (mp_chem_load() == MP_OK) break;                                                                            \
        print_message("%s\n", mp_message());                                                                           \
        skip();                                                                                                        \
    } while (0)

#endif
