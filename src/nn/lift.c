/* lift.c - see lift.h.
 * SPDX-License-Identifier: MIT */
#include "nn/lift.h"

mp_lift mp_lift_rows(int nodes, const int *keep)
{
    return (mp_lift){ .kind = MP_LIFT_ROWS, .nodes = nodes, .keep = keep };
}

mp_lift mp_lift_members(const mp_assign *t, mp_mat *strength)
{
    return (mp_lift){ .kind = MP_LIFT_MEMBERS, .nodes = t->nodes, .members = *t, .strength = strength };
}

mp_lift mp_lift_blocks(mp_mat *s, const int *ptr, int graphs)
{
    return (mp_lift){ .kind = MP_LIFT_BLOCKS, .nodes = s->rows, .strength = s, .ptr = ptr, .graphs = graphs };
}

mp_mat *mp_lift_run(const mp_lift *l, mp_ctx *c, mp_mat *x)
{
    switch (l->kind) {
    case MP_LIFT_ROWS:
        return mp_place(c, x, l->keep, l->nodes);
    case MP_LIFT_MEMBERS:
        return mp_spread(c, &l->members, l->strength, x);
    case MP_LIFT_BLOCKS:
        return mp_block_spread(c, l->strength, x, l->ptr, l->graphs);
    case MP_LIFT_NONE:
        break;
    }
    mp_assert(l->kind != MP_LIFT_NONE);
    return NULL;
}
