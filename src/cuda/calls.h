/* calls.h - a call of a kernel as data: for each kernel that a GPU has, a struct of its arguments under the names they have in
 * math/kernels.h and math/plain.h. The host records calls, the device executes many of them in one launch.
 *
 * MP_CALL_name lists the arguments of a kernel in order, AND between them:
 *     VALUE(type, name)  a value
 *     AT(type, name)     a pointer to what lies in the memory of the device
 *     HOLDS(type, name)  a struct of such pointers, by value
 *     COPY(type, name)   a struct, maybe with such pointers, that the kernel takes by address; the call holds a copy of it
 * Pointers inside a struct are those of MP_POINTERS_type.
 *
 * Scratch arguments (`work`) are the processor's: no kernel of the device reads or writes them unless a comment says so.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_CALLS_H
#define MP_CUDA_CALLS_H

#include "math/kernels.h"

/* clang-format off */
#define MP_POINTERS_mp_operand(F) F(p)
#define MP_POINTERS_mp_blocks(F)  F(in_c) F(in_a) F(in_b)
#define MP_POINTERS_mp_links(F)   F(row_ptr) F(col) F(p) F(perm) F(q) F(s) F(r) F(to_ptr) F(to)
#define MP_POINTERS_mp_csr(F)     F(row_ptr) F(col) F(rev) F(w)
#define MP_POINTERS_mp_affine(F)  F(mean) F(scale) F(gamma) F(beta)
#define MP_POINTERS_mp_adam(F)
#define MP_POINTERS_mp_addends(F) F(addend) F(mark) /* arrays of pointers, which lie in the memory of the device themselves */
#define MP_POINTERS_mp_classes(F) F(member_ptr) F(member) F(row_ptr) F(col)
#define MP_POINTERS_mp_members(F) F(cluster_ptr) F(member) F(member_at) F(node_ptr) F(owner) F(owner_at)
#define MP_POINTERS_mp_meeting(F) F(node_ptr) F(cluster_ptr) F(near_at) F(pair_at) F(dense) F(m) F(first) F(a) F(place)

/* ---- products and sums */
#define MP_CALL_gemm(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, C) AND HOLDS(mp_operand, A) AND HOLDS(mp_operand, B) AND VALUE(int, M) AND VALUE(int, N) AND VALUE(int, K) \
    AND AT(const mp_real *, bias) AND VALUE(bool, add) AND VALUE(bool, relu) AND AT(mp_real *, work)
#define MP_CALL_gemm_blocks(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, C) AND HOLDS(mp_operand, A) AND HOLDS(mp_operand, B) AND HOLDS(mp_blocks, of) \
    AND VALUE(int, N) AND VALUE(int, K) AND VALUE(bool, add) AND VALUE(int, most) AND AT(mp_real *, work)
#define MP_CALL_agg(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, Y) AND AT(const mp_real *, Z) AND HOLDS(mp_links, g) AND AT(const mp_real *, bias) \
    AND VALUE(bool, add) AND VALUE(bool, relu) AND VALUE(int, from) AND VALUE(int, end) AND VALUE(int, C) /* rows of g.to: each once */
#define MP_CALL_edge_dot(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(mp_real *, self) AND AT(const mp_real *, A) AND AT(const mp_real *, B) \
    AND HOLDS(mp_links, g) AND VALUE(bool, add) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_sparse_fwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, Y) AND AT(const int *, ptr) AND AT(const int *, col) AND AT(const mp_real *, val) \
    AND AT(const mp_real *, W) AND AT(const mp_real *, bias) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_sparse_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dW) AND AT(bool *, wrote) AND AT(const mp_real *, dY) AND AT(const int *, ptr) \
    AND AT(const int *, col) AND AT(const mp_real *, val) AND VALUE(int, N) AND VALUE(int, C) /* col: each once in a row */
#define MP_CALL_gate_fwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, X) AND AT(const mp_real *, G) AND AT(const int *, keep) \
    AND VALUE(int, K) AND VALUE(int, C) AND VALUE(int, D) AND VALUE(int, split)
#define MP_CALL_gate_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(mp_real *, dG) AND AT(const mp_real *, dOut) AND AT(const mp_real *, X) \
    AND AT(const mp_real *, G) AND AT(const int *, keep) AND VALUE(bool, add) AND VALUE(int, K) AND VALUE(int, C) AND VALUE(int, D) AND VALUE(int, split) /* keep: each once */
#define MP_CALL_readout(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, top) AND AT(int *, arg) AND AT(mp_real *, sum) AND AT(const mp_real *, X) \
    AND AT(const int *, ptr) AND AT(const mp_real *, scale) AND VALUE(int, B) AND VALUE(int, C) AND VALUE(int, ld)
#define MP_CALL_readout_max_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(const mp_real *, dOut) AND AT(const int *, arg) AND VALUE(int, B) AND VALUE(int, C) AND VALUE(int, ld)
#define MP_CALL_readout_sum_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(const mp_real *, dOut) AND AT(const int *, ptr) AND AT(const mp_real *, scale) \
    AND VALUE(bool, add) AND VALUE(int, B) AND VALUE(int, C) AND VALUE(int, ld)
#define MP_CALL_col_sum(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, X) AND VALUE(bool, add) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_relu_col_sum(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(mp_real *, dY) AND AT(const mp_real *, Y) AND VALUE(bool, add) AND VALUE(int, N) AND VALUE(int, C)
/* ---- elements */
#define MP_CALL_act_fwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, x) AND VALUE(mp_act, act) AND VALUE(size_t, n)
#define MP_CALL_act_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dx) AND AT(const mp_real *, dy) AND AT(const mp_real *, y) AND VALUE(mp_act, act) AND VALUE(bool, add) AND VALUE(size_t, n)
#define MP_CALL_axpy(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, y) AND VALUE(mp_real, a) AND AT(const mp_real *, x) AND VALUE(bool, add) AND VALUE(size_t, n)
#define MP_CALL_axpy_by(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, y) AND AT(const mp_real *, a) AND AT(const mp_real *, x) AND VALUE(bool, add) AND VALUE(size_t, n)
#define MP_CALL_shift(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, x) AND VALUE(mp_real, k) AND VALUE(size_t, n)
#define MP_CALL_fill(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND VALUE(mp_real, value) AND VALUE(size_t, n)
#define MP_CALL_mul(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, x) AND AT(const mp_real *, y) AND VALUE(bool, add) AND VALUE(size_t, n)
#define MP_CALL_drop_mask(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, mask) AND VALUE(mp_rng, stream) AND VALUE(uint64_t, below) AND VALUE(mp_real, scale) AND VALUE(size_t, n)
#define MP_CALL_adam(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, theta) AND AT(mp_real *, m) AND AT(mp_real *, v) AND AT(const mp_real *, grad) AND COPY(mp_adam, how) AND VALUE(size_t, n)
/* ---- rows */
#define MP_CALL_softmax(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, u) AND AT(const int *, ptr) AND VALUE(int, segments)
#define MP_CALL_softmax_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, du) AND AT(const mp_real *, dout) AND AT(const mp_real *, out) AND AT(const int *, ptr) \
    AND VALUE(bool, add) AND VALUE(int, segments)
#define MP_CALL_log_softmax(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, x) AND VALUE(int, rows) AND VALUE(int, cols)
#define MP_CALL_xent(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, loss) AND AT(mp_real *, slope) AND AT(const mp_real *, logp) AND AT(const int *, label) \
    AND VALUE(mp_real, scale) AND VALUE(int, B) AND VALUE(int, C)
#define MP_CALL_rows_take(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, X) AND AT(const int *, which) AND VALUE(mp_real, other) AND VALUE(int, n) AND VALUE(int, C)
#define MP_CALL_rows_give(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(const mp_real *, dout) AND AT(const int *, which) AND VALUE(int, n) AND VALUE(int, C)
#define MP_CALL_rows_clear(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, X) AND AT(const bool *, except) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_cols_copy(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, to) AND VALUE(int, ld_to) AND AT(const mp_real *, from) AND VALUE(int, ld_from) AND VALUE(bool, add) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_rows_axpy(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, Y) AND AT(const mp_real *, a) AND AT(const mp_real *, X) AND VALUE(int, ld) AND VALUE(bool, add) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_bias_rows(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, Y) AND AT(const mp_real *, bias) AND VALUE(bool, add) AND VALUE(int, N) AND VALUE(int, C)
/* ---- what edges count, scores and keys */
#define MP_CALL_closed_roots(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, s) AND COPY(mp_csr, g) AND VALUE(bool, loopless) AND VALUE(int, from) AND VALUE(int, end)
#define MP_CALL_class_roots(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, s) AND AT(const int *, row_ptr) AND AT(const int *, col) AND AT(const int *, member_ptr) \
    AND AT(const int *, member) AND VALUE(int, classes)
#define MP_CALL_unit_cols(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(mp_real *, length) AND AT(const mp_real *, P) AND VALUE(int, N) AND VALUE(int, D)
#define MP_CALL_unit_cols_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dP) AND AT(const mp_real *, dout) AND AT(const mp_real *, out) AND AT(const mp_real *, length) \
    AND VALUE(int, N) AND VALUE(int, D)
#define MP_CALL_range_shares(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const int *, ptr) AND VALUE(int, ranges)
#define MP_CALL_keys(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, key) AND AT(bool *, nan) AND AT(const mp_real *, S) AND VALUE(bool, flip) AND VALUE(mp_key_kind, kind) \
    AND VALUE(bool, mean) AND VALUE(int, N) AND VALUE(int, D)
#define MP_CALL_clear_marked(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, x) AND AT(const int *, mark) AND VALUE(int, n)
/* ---- edges */
#define MP_CALL_near_max(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, X) AND HOLDS(mp_links, g) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_near_max_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(const mp_real *, dOut) AND AT(const mp_real *, out) AND AT(const mp_real *, X) \
    AND HOLDS(mp_links, g) AND VALUE(int, N) AND VALUE(int, C) /* g: symmetric */
#define MP_CALL_closed_weights(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, s) AND AT(mp_real *, q) AND COPY(mp_csr, g)
#define MP_CALL_open_weights(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, p) AND AT(mp_real *, s) AND COPY(mp_csr, g)
#define MP_CALL_mean_weights(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, p) AND COPY(mp_csr, g)
#define MP_CALL_mean_weights_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dw) AND AT(const mp_real *, G) AND COPY(mp_csr, g)
#define MP_CALL_sum_weights_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dw) AND AT(const mp_real *, G) AND COPY(mp_csr, g)
#define MP_CALL_root_weights_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dw) AND AT(mp_real *, dd) AND AT(const mp_real *, G) AND AT(const mp_real *, G_self) \
    AND AT(const mp_real *, q) AND AT(const mp_real *, s) AND COPY(mp_csr, g)
#define MP_CALL_weight_sums(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND VALUE(bool, leaving) AND COPY(mp_csr, g)
#define MP_CALL_edge_pair(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, a) AND AT(const mp_real *, b) AND COPY(mp_csr, g)
#define MP_CALL_edge_pair_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, da) AND AT(mp_real *, db) AND AT(const mp_real *, dout) AND COPY(mp_csr, g)
#define MP_CALL_edge_mix(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, a) AND AT(const mp_real *, degree) AND VALUE(mp_real, sa) \
    AND VALUE(mp_real, sb) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_edge_mix_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dw) AND AT(const mp_real *, self) AND AT(const mp_real *, G) AND VALUE(mp_real, sa) \
    AND VALUE(mp_real, sb) AND COPY(mp_csr, g)
/* ---- normalisation, losses, sums in double */
#define MP_CALL_col_stats(VALUE, AT, HOLDS, COPY, AND) AT(double *, stat) AND AT(const mp_real *, X) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_col_pair(VALUE, AT, HOLDS, COPY, AND) AT(double *, sum) AND AT(const mp_real *, X) AND AT(const mp_real *, Y) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_norm_fwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, Y) AND AT(mp_real *, hat) AND AT(const mp_real *, X) AND COPY(mp_affine, how) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_norm_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(const mp_real *, dY) AND AT(const mp_real *, hat) AND AT(const mp_real *, factor) \
    AND AT(const mp_real *, less) AND VALUE(bool, add) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_prelu_fwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, x) AND AT(const mp_real *, slope) AND VALUE(size_t, n)
#define MP_CALL_prelu_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dx) AND AT(const mp_real *, dy) AND AT(const mp_real *, x) AND AT(const mp_real *, slope) \
    AND VALUE(bool, add) AND VALUE(size_t, n)
#define MP_CALL_batch_stats(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, centre) AND AT(mp_real *, scale) AND AT(mp_real *, mean) AND AT(mp_real *, var) \
    AND AT(const double *, stat) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_batch_slopes(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, factor) AND AT(mp_real *, less) AND AT(const mp_real *, gamma) AND AT(const mp_real *, scale) \
    AND AT(const double *, sum) AND VALUE(bool, fixed) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_add_doubles(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, y) AND AT(const double *, x) AND VALUE(int, n)
#define MP_CALL_dot(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, x) AND AT(const mp_real *, y) AND VALUE(size_t, n)
#define MP_CALL_bce(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, loss) AND AT(mp_real *, slope) AND AT(const mp_real *, x) AND AT(const mp_real *, want) \
    AND VALUE(mp_real, same) AND VALUE(mp_real, scale) AND VALUE(size_t, n)
#define MP_CALL_distance(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, loss) AND AT(mp_real *, slope) AND AT(const mp_real *, x) AND AT(const mp_real *, want) \
    AND VALUE(mp_error_kind, how) AND VALUE(mp_real, delta) AND VALUE(mp_real, scale) AND VALUE(size_t, n)
/* ---- gradients of shards */
#define MP_CALL_add_all(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, sum) AND COPY(mp_addends, p) AND VALUE(size_t, from) AND VALUE(size_t, n)
#define MP_CALL_square_sum(VALUE, AT, HOLDS, COPY, AND) AT(double *, out) AND AT(const mp_real *, x) AND VALUE(size_t, n)
#define MP_CALL_clip_scale(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, scale) AND AT(const double *, squares) AND VALUE(double, most) AND VALUE(int, n)
/* ---- what was kept. The work of induce_edges and twins_keep is the device's too, as large as the processor's. */
#define MP_CALL_mark_rows(VALUE, AT, HOLDS, COPY, AND) AT(bool *, mark) AND AT(const int *, which) AND VALUE(int, n) AND VALUE(int, N)
#define MP_CALL_rank(VALUE, AT, HOLDS, COPY, AND) AT(int *, keep) AND AT(void *, work) AND AT(const mp_real *, key) AND AT(const int *, dropped) \
    AND AT(const int *, node_ptr) AND AT(const int *, keep_ptr) AND VALUE(int, B) AND VALUE(int, N)
#define MP_CALL_take_ints(VALUE, AT, HOLDS, COPY, AND) AT(int *, out) AND AT(const int *, from) AND AT(const int *, which) AND VALUE(int, n)
#define MP_CALL_induce_rows(VALUE, AT, HOLDS, COPY, AND) AT(int *, row_ptr) AND AT(int *, place) AND COPY(mp_csr, g) AND AT(const int *, keep) AND VALUE(int, K)
#define MP_CALL_induce_edges(VALUE, AT, HOLDS, COPY, AND) AT(int *, col) AND AT(int *, rev) AND AT(int *, from) AND AT(int *, work) AND AT(const int *, row_ptr) \
    AND AT(const int *, place) AND COPY(mp_csr, g) AND AT(const int *, keep) AND VALUE(int, K)
#define MP_CALL_twins_keep(VALUE, AT, HOLDS, COPY, AND) AT(int *, class_ptr) AND AT(int *, member_ptr) AND AT(int *, member) AND AT(int *, row_ptr) AND AT(int *, col) \
    AND AT(int *, work) AND COPY(mp_classes, t) AND AT(const int *, keep) AND AT(const int *, keep_ptr) AND VALUE(int, N) AND VALUE(int, B)
/* ---- clusters and coarse graphs. The work of turn_lists is the device's alone: one for each entry and one for each item. */
#define MP_CALL_loop_rows(VALUE, AT, HOLDS, COPY, AND) AT(int *, row_ptr) AND COPY(mp_csr, g)
#define MP_CALL_loop_edges(VALUE, AT, HOLDS, COPY, AND) AT(int *, col) AND AT(int *, rev) AND AT(int *, from) AND AT(const int *, row_ptr) AND COPY(mp_csr, g) AND VALUE(int, room)
#define MP_CALL_row_clusters(VALUE, AT, HOLDS, COPY, AND) AT(int *, cluster_ptr) AND COPY(mp_csr, g) AND AT(const int *, keep) AND VALUE(int, K)
#define MP_CALL_row_members(VALUE, AT, HOLDS, COPY, AND) AT(int *, member) AND AT(int *, member_at) AND AT(const int *, cluster_ptr) AND COPY(mp_csr, g) \
    AND AT(const int *, keep) AND VALUE(int, K)
#define MP_CALL_turn_lists(VALUE, AT, HOLDS, COPY, AND) AT(int *, out_ptr) AND AT(int *, out_row) AND AT(int *, out_at) AND AT(int *, work) AND AT(const int *, ptr) \
    AND AT(const int *, item) AND AT(const int *, at) AND VALUE(int, rows) AND VALUE(int, items)
#define MP_CALL_edges_give(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dw) AND AT(const mp_real *, dout) AND AT(const int *, from) AND VALUE(int, n) /* from: each once */
#define MP_CALL_meet_ways(VALUE, AT, HOLDS, COPY, AND) COPY(mp_meeting, s) AND COPY(mp_csr, g) AND COPY(mp_members, t)
#define MP_CALL_meet_near(VALUE, AT, HOLDS, COPY, AND) COPY(mp_meeting, s) AND AT(const mp_real *, alpha) AND COPY(mp_csr, g) AND COPY(mp_members, t)
#define MP_CALL_meet_pairs(VALUE, AT, HOLDS, COPY, AND) COPY(mp_meeting, s) AND AT(const mp_real *, alpha) AND COPY(mp_csr, g) AND COPY(mp_members, t)
#define MP_CALL_meet_rows(VALUE, AT, HOLDS, COPY, AND) AT(int *, row_ptr) AND COPY(mp_meeting, s) AND VALUE(int, K)
#define MP_CALL_meet_edges(VALUE, AT, HOLDS, COPY, AND) AT(int *, col) AND AT(int *, rev) AND AT(mp_real *, w) AND AT(const int *, row_ptr) AND COPY(mp_meeting, s)
#define MP_CALL_meet_near_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dm) AND AT(const mp_real *, dweight) AND COPY(mp_meeting, s) AND AT(const mp_real *, alpha) \
    AND COPY(mp_members, t)
#define MP_CALL_meet_members_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dalpha) AND AT(const mp_real *, dm) AND AT(const mp_real *, dweight) AND COPY(mp_meeting, s) \
    AND COPY(mp_csr, g) AND COPY(mp_csr, out) AND COPY(mp_members, t) AND VALUE(int, K) AND VALUE(int, most)
#define MP_CALL_meet_weights_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dw) AND AT(const mp_real *, dm) AND COPY(mp_meeting, s) AND AT(const mp_real *, alpha) \
    AND COPY(mp_csr, g) AND COPY(mp_members, t) AND VALUE(int, most)
/* ---- baselines */
#define MP_CALL_lstm_fwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, h) AND AT(mp_real *, cell) AND AT(mp_real *, gate) AND AT(mp_real *, squash) \
    AND AT(const mp_real *, a) AND AT(const mp_real *, before) AND VALUE(int, B) AND VALUE(int, H)
#define MP_CALL_lstm_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, da) AND AT(mp_real *, dbefore) AND AT(const mp_real *, dh) AND AT(const mp_real *, dcell) \
    AND AT(const mp_real *, gate) AND AT(const mp_real *, squash) AND AT(const mp_real *, before) AND VALUE(int, B) AND VALUE(int, H)
#define MP_CALL_window_order(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, to) AND AT(const mp_real *, from) AND VALUE(bool, back) AND VALUE(int, channels) \
    AND VALUE(int, width) AND VALUE(int, out)
#define MP_CALL_windows_add(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(const mp_real *, windows) AND VALUE(int, step) AND VALUE(int, places) \
    AND VALUE(int, span)
#define MP_CALL_max_pairs(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(int *, arg) AND AT(const mp_real *, X) AND VALUE(int, N) AND VALUE(int, C) \
    AND VALUE(int, C_in) AND VALUE(int, channels)
#define MP_CALL_max_pairs_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(const mp_real *, dout) AND AT(const int *, arg) AND VALUE(int, N) \
    AND VALUE(int, C) AND VALUE(int, C_in) /* arg: each once in a row */
#define MP_CALL_flip_places(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, X) AND VALUE(int, N) AND VALUE(int, channels) \
    AND VALUE(int, places)
#define MP_CALL_flip_places_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(const mp_real *, dout) AND VALUE(int, N) AND VALUE(int, channels) \
    AND VALUE(int, places)
#define MP_CALL_head_spread(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, q) AND VALUE(mp_real, scale) AND VALUE(int, heads) \
    AND VALUE(int, m) AND VALUE(int, C)
#define MP_CALL_head_spread_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dq) AND AT(const mp_real *, dout) AND VALUE(mp_real, scale) AND VALUE(int, heads) \
    AND VALUE(int, m) AND VALUE(int, C)
#define MP_CALL_layer_norm(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, Y) AND AT(mp_real *, hat) AND AT(mp_real *, scale) AND AT(const mp_real *, X) \
    AND AT(const mp_real *, gamma) AND AT(const mp_real *, beta) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_layer_norm_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dX) AND AT(const mp_real *, dY) AND AT(const mp_real *, hat) AND AT(const mp_real *, scale) \
    AND AT(const mp_real *, gamma) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_row_share(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(mp_real *, sum) AND AT(const mp_real *, A) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_row_share_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dA) AND AT(const mp_real *, dout) AND AT(const mp_real *, out) AND AT(const mp_real *, sum) \
    AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_block_sym(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(mp_real *, s) AND AT(const mp_real *, A) AND VALUE(int, rows) AND VALUE(int, K)
#define MP_CALL_block_sym_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dA) AND AT(const mp_real *, dout) AND AT(const mp_real *, A) AND AT(const mp_real *, s) \
    AND VALUE(int, rows) AND VALUE(int, K)
#define MP_CALL_diagonals(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, Y) AND VALUE(mp_real, a) AND AT(const mp_real *, x) AND VALUE(int, B) AND VALUE(int, K)
#define MP_CALL_diagonal_set(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, Y) AND VALUE(mp_real, value) AND VALUE(int, K)
#define MP_CALL_cut_loss(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, loss) AND AT(double *, num) AND AT(double *, den) AND AT(const mp_real *, S) AND AT(const mp_real *, A0) \
    AND AT(const mp_real *, d) AND AT(const int *, ptr) AND VALUE(int, B) AND VALUE(int, K)
#define MP_CALL_cut_loss_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dS) AND AT(mp_real *, dA0) AND AT(mp_real *, dd) AND AT(const mp_real *, dloss) \
    AND AT(const mp_real *, S) AND AT(const mp_real *, d) AND AT(const double *, num) AND AT(const double *, den) AND AT(const int *, ptr) AND VALUE(int, B) AND VALUE(int, K)
#define MP_CALL_closeness(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, u) AND AT(mp_real *, sum) AND AT(const mp_real *, x2) AND AT(const mp_real *, key2) \
    AND VALUE(int, N) AND VALUE(int, H) AND VALUE(int, K)
#define MP_CALL_head_weights(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, mix) AND AT(const mp_real *, sum) AND VALUE(int, h) \
    AND VALUE(int, N) AND VALUE(int, H)
#define MP_CALL_minus_sums(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, rows) AND AT(mp_real *, cols) AND AT(const mp_real *, X) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_closeness_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, e) AND AT(mp_real *, dmix) AND AT(const mp_real *, dout) AND AT(const mp_real *, u) \
    AND AT(const mp_real *, sum) AND AT(const mp_real *, mix) AND VALUE(int, N) AND VALUE(int, H) AND VALUE(int, K)
#define MP_CALL_ortho_loss(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, loss) AND AT(mp_real *, slope) AND AT(mp_real *, slope_one) AND AT(const mp_real *, M) \
    AND VALUE(int, B) AND VALUE(int, K)
#define MP_CALL_link_loss(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, loss) AND AT(mp_real *, slope) AND AT(const mp_real *, A0) AND AT(const mp_real *, M) \
    AND AT(const mp_real *, w) AND AT(const int *, node_ptr) AND AT(const int *, row_ptr) AND VALUE(int, padded) AND VALUE(int, B) AND VALUE(int, K)
#define MP_CALL_entropy_loss(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, loss) AND AT(const mp_real *, S) AND AT(const int *, ptr) AND VALUE(int, padded) \
    AND VALUE(int, B) AND VALUE(int, K)
#define MP_CALL_entropy_loss_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dS) AND AT(const mp_real *, dloss) AND AT(const mp_real *, S) AND AT(const int *, ptr) \
    AND VALUE(int, padded) AND VALUE(int, B) AND VALUE(int, K)
#define MP_CALL_kl_loss(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, loss) AND AT(mp_real *, slope) AND AT(double *, work) AND AT(const mp_real *, S) \
    AND AT(const int *, ptr) AND VALUE(bool, detach) AND VALUE(int, B) AND VALUE(int, K) /* work: the device's too */
#define MP_CALL_range_sizes(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const int *, ptr) AND VALUE(bool, inverse) AND VALUE(int, ranges)
#define MP_CALL_range_counts(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const int *, ptr) AND VALUE(int, ranges)
#define MP_CALL_column(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const mp_real *, X) AND VALUE(int, d) AND VALUE(int, N) AND VALUE(int, C)
#define MP_CALL_column_put(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, X) AND AT(const mp_real *, x) AND VALUE(bool, add) AND VALUE(int, d) AND VALUE(int, N) \
    AND VALUE(int, C)
#define MP_CALL_either(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, out) AND AT(const int *, which) AND VALUE(mp_real, yes) AND VALUE(mp_real, no) AND VALUE(int, n)
#define MP_CALL_share_weights(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, p) AND COPY(mp_csr, g)
#define MP_CALL_share_weights_bwd(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, dw) AND AT(const mp_real *, G) AND AT(const mp_real *, p) AND COPY(mp_csr, g)
#define MP_CALL_hat_weights(VALUE, AT, HOLDS, COPY, AND) AT(mp_real *, w) AND COPY(mp_csr, g)

#define MP_CUDA_LIST(ROW)                                                                                             \
    ROW(gemm) ROW(gemm_blocks) ROW(agg) ROW(edge_dot) ROW(sparse_fwd) ROW(sparse_bwd) ROW(gate_fwd) ROW(gate_bwd) ROW(readout)         \
    ROW(readout_max_bwd) ROW(readout_sum_bwd) ROW(col_sum) ROW(relu_col_sum)                                          \
    ROW(act_fwd) ROW(act_bwd) ROW(axpy) ROW(axpy_by) ROW(shift) ROW(fill) ROW(mul) ROW(drop_mask) ROW(adam)           \
    ROW(softmax) ROW(softmax_bwd) ROW(log_softmax) ROW(xent)                                                          \
    ROW(rows_take) ROW(rows_give) ROW(rows_clear) ROW(cols_copy) ROW(rows_axpy) ROW(bias_rows)                        \
    ROW(closed_roots) ROW(class_roots) ROW(unit_cols) ROW(unit_cols_bwd) ROW(range_shares) ROW(keys) ROW(clear_marked) \
    ROW(near_max) ROW(near_max_bwd) ROW(closed_weights) ROW(open_weights) ROW(mean_weights) ROW(mean_weights_bwd)     \
    ROW(sum_weights_bwd) ROW(root_weights_bwd) ROW(weight_sums) ROW(edge_pair) ROW(edge_pair_bwd) ROW(edge_mix)       \
    ROW(edge_mix_bwd) ROW(col_stats) ROW(col_pair) ROW(norm_fwd) ROW(norm_bwd) ROW(prelu_fwd) ROW(prelu_bwd)           \
    ROW(batch_stats) ROW(batch_slopes) ROW(add_doubles) ROW(dot) ROW(bce) ROW(distance)                               \
    ROW(add_all) ROW(square_sum) ROW(clip_scale) ROW(mark_rows) ROW(rank) ROW(take_ints) ROW(induce_rows) ROW(induce_edges) ROW(twins_keep)  \
    ROW(loop_rows) ROW(loop_edges) ROW(row_clusters) ROW(row_members) ROW(turn_lists) ROW(edges_give)                 \
    ROW(meet_ways) ROW(meet_near) ROW(meet_pairs) ROW(meet_rows) ROW(meet_edges)                                      \
    ROW(meet_near_bwd) ROW(meet_members_bwd) ROW(meet_weights_bwd)                                                    \
    ROW(lstm_fwd) ROW(lstm_bwd) ROW(window_order) ROW(windows_add) ROW(max_pairs) ROW(max_pairs_bwd) ROW(flip_places) ROW(flip_places_bwd) ROW(head_spread) ROW(head_spread_bwd) ROW(layer_norm) \
    ROW(layer_norm_bwd) ROW(row_share) ROW(row_share_bwd) ROW(block_sym) ROW(block_sym_bwd) ROW(diagonals) \
    ROW(diagonal_set) ROW(cut_loss) ROW(cut_loss_bwd) ROW(closeness) ROW(head_weights) ROW(minus_sums) \
    ROW(closeness_bwd) ROW(ortho_loss) ROW(link_loss) ROW(entropy_loss) ROW(entropy_loss_bwd) ROW(kl_loss) ROW(range_sizes) ROW(range_counts) ROW(column) ROW(column_put) \
    ROW(either) ROW(share_weights) ROW(share_weights_bwd) ROW(hat_weights)
/* What the device has for calls of a certain shape instead (mp_device.blocks). */
#define MP_CUDA_SHAPES(ROW) ROW(gemm_small) ROW(gemm_few) ROW(gemm_narrow) ROW(gemm_tall) ROW(blocks_narrow) ROW(blocks_tall)
#define MP_CUDA_ALL(ROW)    MP_CUDA_LIST(ROW) MP_CUDA_SHAPES(ROW)
/* clang-format on */

typedef enum mp_cuda_kernel {
#define MP_CUDA_NUMBER(name) MP_CUDA_##name,
    MP_CUDA_ALL(MP_CUDA_NUMBER)
#undef MP_CUDA_NUMBER
        MP_CUDA_KERNELS
} mp_cuda_kernel;

#define MP_CALL_FIELD(type, name) type name
#define MP_CALL_END               ;
#define MP_CALL_STRUCT(name)                                                                                           \
    typedef struct mp_call_##name {                                                                                    \
        MP_CALL_##name(MP_CALL_FIELD, MP_CALL_FIELD, MP_CALL_FIELD, MP_CALL_FIELD, MP_CALL_END);                       \
    } mp_call_##name;
MP_CUDA_LIST(MP_CALL_STRUCT)
typedef mp_call_gemm mp_call_gemm_small, mp_call_gemm_few, mp_call_gemm_narrow, mp_call_gemm_tall;
typedef mp_call_gemm_blocks mp_call_blocks_narrow, mp_call_blocks_tall;

#endif
