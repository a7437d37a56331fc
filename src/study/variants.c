/* variants.c - see variants.h.
 * SPDX-License-Identifier: MIT */
#include "study/variants.h"
#include "data/load.h"
#include "model/checkpoint.h"

mp_err mp_variant_of(mp_variants *v, const mp_config *c, mp_arena *a, mp_dataset **out, bool *first)
{
    mp_dataset_as as = mp_config_as(c);
    as.columns = &v->columns;
    mp_dataset **mine = &v->set[as.nodes][as.edges], *other = v->set[as.nodes][!as.edges];
    if (first) *first = !v->set[0][0] && !v->set[0][1] && !v->set[1][0] && !v->set[1][1];
    if (!*mine && as.edges && other && other->unused_edge_columns == 0) *mine = other; /* edges have nothing to read */
    if (!*mine) {
        mp_dataset *d = MP_NEW(a, mp_dataset, 1);
        MP_TRY(mp_dataset_load_as(v->name, v->data_dir, &as, a, d));
        *mine = d;
    }
    *out = *mine;
    return MP_OK;
}
