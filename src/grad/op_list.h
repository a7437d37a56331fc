/* op_list.h - every differentiable op. Names and the table of gradient tests are generated from this list: an op whose
 * test `check_NAME` is missing does not link.
 * SPDX-License-Identifier: MIT */
#ifndef MP_OP_LIST_H
#define MP_OP_LIST_H

#define MP_OP_LIST(OP)                                                                                                 \
    OP(linear)                                                                                                         \
    OP(linear_sparse)                                                                                                  \
    OP(linear_onto)                                                                                                    \
    OP(agg)                                                                                                            \
    OP(edge_pair)                                                                                                      \
    OP(edge_take)                                                                                                      \
    OP(edge_mix)                                                                                                       \
    OP(edge_message)                                                                                                   \
    OP(grow)                                                                                                           \
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
    OP(edge_sym)                                                                                                       \
    OP(sparsemax)                                                                                                      \
    OP(local_att)                                                                                                      \
    OP(over_max)                                                                                                       \
    OP(row_length)                                                                                                     \
    OP(row_div)                                                                                                        \
    OP(pair_dot)                                                                                                       \
    OP(pick)                                                                                                           \
    OP(row_dot)                                                                                                        \
    OP(prelu)                                                                                                          \
    OP(coarse_of)                                                                                                      \
    OP(collect)                                                                                                        \
    OP(bce_known)                                                                                                      \
    OP(spread)                                                                                                         \
    OP(place)                                                                                                          \
    OP(block_spread)                                                                                                   \
    OP(bce)                                                                                                            \
    OP(lstm)                                                                                                           \
    OP(set_attend)                                                                                                     \
    OP(conv1d)                                                                                                         \
    OP(maxpool1d)                                                                                                      \
    OP(flip1d)                                                                                                         \
    OP(sort_pad)                                                                                                       \
    OP(edge_score)                                                                                                     \
    OP(shift)                                                                                                          \
    OP(cat)                                                                                                            \
    OP(cols)                                                                                                           \
    OP(softmax_rows)                                                                                                   \
    OP(row_share)                                                                                                      \
    OP(block_gram)                                                                                                     \
    OP(block_mul)                                                                                                      \
    OP(layer_norm)                                                                                                     \
    OP(batch_norm)                                                                                                     \
    OP(mha)                                                                                                            \
    OP(head_spread)                                                                                                    \
    OP(head_values)                                                                                                    \
    OP(link_loss)                                                                                                      \
    OP(entropy_loss)                                                                                                   \
    OP(cut_loss)                                                                                                       \
    OP(ortho_loss)                                                                                                     \
    OP(block_sym)                                                                                                      \
    OP(memory)                                                                                                         \
    OP(kl_loss)                                                                                                        \
    OP(xent)                                                                                                           \
    OP(distance)                                                                                                       \
    OP(share_kl)

#endif
