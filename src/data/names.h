/* names.h - columns of features by their names: those of a set, put into the order and the words of a model.
 * SPDX-License-Identifier: MIT */
#ifndef MP_NAMES_H
#define MP_NAMES_H

#include "data/raw.h"

/* Columns that the model knows, in its order; labels that are words have the numbers it gave them. Others are left out. Only where
 * both have names: otherwise, and where they are the same, *out is *raw. Fails when a column or a word is not there. */
MP_MUST mp_err mp_names_match(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_raw *out);

#endif
