/* module.h - parts of the program that need large libraries, as files of their own that are loaded when they are asked for.
 *
 * A module NAME.so shows one name, a table whose first member is an int: the number of its layout. It is looked for in
 * $MIDPOOL_PLUGINS, beside the program or the library, and in their folder of installed modules.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MODULE_H
#define MP_MODULE_H

#include "base/err.h"

typedef struct mp_module {
    const char *file, *symbol; /* "midpool_rdkit.so", "mp_chem_plugin" */
    int abi;
    const char *needs;  /* opens the message when its own libraries are not there: "molecules need RDKit, ..." */
    const char *absent; /* the message when there is no such file */
} mp_module;

/* The table in `*out`. Loaded for good; callers load a module once. */
MP_MUST mp_err mp_module_load(const mp_module *m, const void **out);

#endif
