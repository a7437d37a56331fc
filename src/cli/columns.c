/* columns.c - see columns.h.
 * SPDX-License-Identifier: MIT */
#include "cli/columns.h"

#include <inttypes.h>

mp_columns mp_columns_of(const mp_column_options *o, bool labelled)
{
    return (mp_columns){ .smiles = o->smiles,
                         .labels = o->label,
                         .split = o->split,
                         .ignore = o->ignore,
                         .strict = o->strict,
                         .labelled = labelled };
}

void mp_columns_left(const mp_left *left)
{
    for (int i = 0; i < left->count && i < MP_LEFT_SAID; i++) mp_cli_say("left out: %s", left->text[i]);
    if (left->count > MP_LEFT_SAID) mp_cli_say("left out: %" PRId64 " rows in all", left->count);
}
