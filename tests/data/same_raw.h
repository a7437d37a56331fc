/* same_raw.h - two sets of files say the same, number by number.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_DATA_SAME_RAW_H
#define MP_TEST_DATA_SAME_RAW_H

#include "fixture.h"

#include <math.h>

static inline void same_ints(const int *x, const int *y, size_t n)
{
    assert_int_equal(!x, !y);
    if (x && n) assert_memory_equal(x, y, n * sizeof *x);
}

static inline void same_sparse(const mp_sparse *x, const mp_sparse *y)
{
    assert_int_equal(x->cols, y->cols);
    if (x->cols == 0) return;
    assert_int_equal(x->rows, y->rows);
    same_ints(x->ptr, y->ptr, (size_t)x->rows + 1);
    same_ints(x->col, y->col, (size_t)x->ptr[x->rows]);
    for (int i = 0; i < x->ptr[x->rows]; i++) assert_true((x->val ? x->val[i] : 1) == (y->val ? y->val[i] : 1));
}

static inline void same_texts(const char *const *x, const char *const *y, int n)
{
    assert_int_equal(!x, !y);
    for (int i = 0; x && i < n; i++) assert_string_equal(x[i], y[i]);
}

static inline void same_raw(const mp_raw *x, const mp_raw *y)
{
    const mp_graph *g = &x->graphs, *h = &y->graphs;
    size_t N = (size_t)g->nodes, E = (size_t)g->edges, B = (size_t)g->graphs;
    assert_string_equal(x->name, y->name);
    assert_int_equal(g->graphs, h->graphs);
    assert_int_equal(g->nodes, h->nodes);
    assert_int_equal(g->edges, h->edges);
    same_ints(g->node_ptr, h->node_ptr, B + 1);
    same_ints(g->row_ptr, h->row_ptr, N + 1);
    same_ints(g->col, h->col, E);
    same_ints(g->rev, h->rev, E);
    same_sparse(&x->attributes, &y->attributes);
    same_sparse(&x->edge_attributes, &y->edge_attributes);
    assert_int_equal(x->label_columns, y->label_columns);
    same_ints(x->labels, y->labels, N * (size_t)x->label_columns);
    assert_int_equal(x->edge_label_columns, y->edge_label_columns);
    same_ints(x->edge_labels, y->edge_labels, E * (size_t)x->edge_label_columns);
    assert_int_equal(!x->graph_label, !y->graph_label);
    if (x->graph_label) assert_memory_equal(x->graph_label, y->graph_label, B * sizeof *x->graph_label);
    assert_int_equal(x->target_columns, y->target_columns);
    for (size_t i = 0; i < B * (size_t)x->target_columns; i++)
        assert_true(x->target[i] == y->target[i] || (isnan(x->target[i]) && isnan(y->target[i])));
    same_texts(x->target_name, y->target_name, x->target_columns);
    same_texts(x->smiles, y->smiles, g->graphs);
    same_texts(x->id, y->id, g->graphs);
    same_ints(x->label_range, y->label_range, (size_t)x->label_columns);
    same_ints(x->edge_label_range, y->edge_label_range, (size_t)x->edge_label_columns);
    assert_memory_equal(x->fixed, y->fixed, sizeof x->fixed);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(!x->fixed_name[i], !y->fixed_name[i]);
        if (x->fixed_name[i]) assert_string_equal(x->fixed_name[i], y->fixed_name[i]);
    }
    same_ints(x->fixed_list, y->fixed_list, x->fixed_list ? (size_t)x->fixed[2][1] : 0);
}

#endif
