/* op_list.h - every differentiable op. Names and the table of gradient tests are generated from this list: an op whose
 * test `check_NAME` is missing does not link.
 * SPDX-License-Identifier: MIT */
#ifndef MP_OP_LIST_H
#define MP_OP_LIST_H

#define MP_OP_LIST(OP)                                                                                                 \
    OP(linear)                                                                                                         \
    OP(linear_sparse)                                                                                                  \
    OP(agg)                                                                                                            \
    OP(edge_pair)                                                                                                      \
    OP(edge_take)                                                                                                      \
    OP(edge_mix)                                                                                                       \
    OP(softmax)                                                                                                        \
    OP(near_max)                                                                                                       \
    OP(gate)                                                                                                           \
    OP(act)                                                                                                            \
    OP(readout)                                                                                                        \
    OP(mix)                                                                                                            \
    OP(repeat)                                                                                                         \
    OP(rows)                                                                                                           \
    OP(dropout)                                                                                                        \
    OP(unit_cols)                                                                                                      \
    OP(coarse)                                                                                                         \
    OP(edge_norm)                                                                                                      \
    OP(sparsemax)                                                                                                      \
    OP(local_att)                                                                                                      \
    OP(pair_dot)                                                                                                       \
    OP(pick)                                                                                                           \
    OP(row_dot)                                                                                                        \
    OP(prelu)                                                                                                          \
    OP(coarse_of)                                                                                                      \
    OP(collect)                                                                                                        \
    OP(bce)                                                                                                            \
    OP(xent)                                                                                                           \
    OP(mse)

#endif
