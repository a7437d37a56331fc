/* features.h - input features from what the files say: x = [attributes, one-hot node labels], else degrees;
 * edge_x = [attributes, one-hot edge labels].
 * SPDX-License-Identifier: MIT */
#ifndef MP_FEATURES_H
#define MP_FEATURES_H

#include "data/tu.h"

/* The recipe of math.md 1.7 for this data, with the exceptions of its row in known.h. */
MP_MUST mp_err mp_recipe_fit(const mp_raw *raw, mp_recipe *out);

/* x by a recipe that may come from other data. Fails when columns differ or a node label is not in the
 * recipe. A degree above the recipe's gives a row of zeros; *unseen counts such nodes. */
MP_MUST mp_err mp_features_apply(const mp_recipe *r, const mp_raw *raw, mp_arena *a, mp_sparse *out, int *unseen);

/* What the files say nodes deserve of attention, a column that is no input (COLORS-3, TRIANGLES); NULL: they do not. */
const mp_real *mp_features_aim(const mp_recipe *r, const mp_raw *raw, mp_arena *a);

/* edge_x, a row an edge in the order of the graph: attribute columns, then one-hot labels. Fails as mp_features_apply. */
MP_MUST mp_err mp_edge_features_apply(const mp_recipe *r, const mp_raw *raw, mp_arena *a, mp_sparse *out);

#endif
