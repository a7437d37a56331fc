/* lift.h - the way back: features of a pooled graph become features of the nodes it was made of (math.md 6.4).
 *
 * A pooling that keeps rows is undone by putting them back, one that collects X' = T^T X by spreading X = T X'. Gates and
 * weights of the pooling have no part in it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LIFT_H
#define MP_LIFT_H

#include "base/api.h"
#include "grad/ops.h"

MP_API_BEGIN

typedef enum mp_lift_kind {
    MP_LIFT_NONE,    /* there is no way back                                                                     */
    MP_LIFT_ROWS,    /* rows of kept nodes, zeros elsewhere: transpose and pseudo-inverse of keeping rows         */
    MP_LIFT_MEMBERS, /* T X', memberships sparse: the transpose of T^T; its pseudo-inverse where T^T T = I (Haar) */
    MP_LIFT_BLOCKS   /* S_b X'_b graph by graph, S dense: the transpose of S^T                                    */
} mp_lift_kind;

typedef struct mp_lift { /* of one pooling that was run */
    mp_lift_kind kind;
    int nodes;         /* rows that come out */
    const int *keep;   /* ROWS: the node of each row                              */
    mp_assign members; /* MEMBERS                                                 */
    mp_mat *strength;  /* MEMBERS: one number a membership, NULL: all 1; BLOCKS: S, nodes x K */
    const int *ptr;    /* BLOCKS: rows of each graph                              */
    int graphs;        /* BLOCKS                                                  */
} mp_lift;

mp_lift mp_lift_rows(int nodes, const int *keep);
mp_lift mp_lift_members(const mp_assign *t, mp_mat *strength);
mp_lift mp_lift_blocks(mp_mat *s, const int *ptr, int graphs);

/* x has a row for each node of the pooled graph and any number of columns. */
mp_mat *mp_lift_run(const mp_lift *l, mp_ctx *c, mp_mat *x);

MP_API_END

#endif
