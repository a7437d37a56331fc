/* variants.h - a data set as several configurations read it: with labels of graphs or of nodes, with the values of its
 * edges or without.
 * SPDX-License-Identifier: MIT */
#ifndef MP_VARIANTS_H
#define MP_VARIANTS_H

#include "conf/config.h"
#include "data/dataset.h"

/* Each variant is loaded when it is first asked for, since what the set's preset says is known only when the set is. */
typedef struct mp_variants {
    const char *name, *data_dir;
    mp_columns columns;    /* where it is a table */
    mp_dataset *set[2][2]; /* [of nodes][with edges] */
    bool told[4];          /* for the caller: it has been described */
} mp_variants;

/* The variant that a configuration reads. `*first` (may be NULL): nothing of the set had been loaded before. */
MP_MUST mp_err mp_variant_of(mp_variants *v, const mp_config *c, mp_arena *a, mp_dataset **out, bool *first);

#endif
