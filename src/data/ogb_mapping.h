/* ogb_mapping.h - mapping/mol.csv of a set in OGB's raw layout.
 * SPDX-License-Identifier: MIT */
#ifndef MP_OGB_MAPPING_H
#define MP_OGB_MAPPING_H

#include "data/raw.h"

/* Fills in smiles, id and target_name of `raw`, whose graphs and targets are there. */
MP_MUST mp_err mp_ogb_mapping(mp_span text, const char *file, mp_arena *scratch, mp_arena *a, mp_raw *raw);

#endif
