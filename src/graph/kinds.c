/* kinds.c - rows of a feature matrix that are equal: atoms and bonds are of few kinds, and what is computed of a row need be
 * computed once a kind. See graph.h.
 * SPDX-License-Identifier: MIT */
#include "graph/graph.h"

#include <stdint.h>
#include <string.h>

typedef struct row { /* of a matrix; cols NULL: all columns, one after the other; vals NULL: all 1 */
    int n;
    const int *cols;
    const mp_real *vals;
} row;

static row row_at(const mp_sparse *x, int v)
{
    if (!x->ptr) return (row){ x->cols, NULL, x->val + (size_t)v * (size_t)x->cols };
    int from = x->ptr[v];
    return (row){ x->ptr[v + 1] - from, x->col + from, x->val ? x->val + from : NULL };
}

static uint32_t over(uint32_t h, const void *p, size_t bytes)
{
    const unsigned char *at = p;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, at + i, 4);
        h = (h ^ word) * 0x9e3779b1u;
        h ^= h >> 15;
    }
    return h;
}

static uint32_t hash(row r)
{
    uint32_t h = 0x811c9dc5u ^ (uint32_t)r.n;
    if (r.cols) h = over(h, r.cols, (size_t)r.n * sizeof *r.cols);
    return r.vals ? over(h, r.vals, (size_t)r.n * sizeof *r.vals) : h;
}

static bool same(row a, row b)
{
    size_t n = (size_t)a.n;
    return a.n == b.n && (n == 0 || !a.cols || memcmp(a.cols, b.cols, n * sizeof *a.cols) == 0) &&
           (n == 0 || !a.vals || memcmp(a.vals, b.vals, n * sizeof *a.vals) == 0);
}

void mp_sparse_know(mp_arena *a, mp_sparse *x)
{
    uint32_t slots = 16, kinds = 0;
    while (slots / 2 < (uint32_t)x->rows) slots *= 2;
    int *kind = MP_NEW_RAW(a, int, x->rows);
    mp_arena *scratch = mp_arena_new((size_t)slots * sizeof(int) + 64);
    int *first = MP_NEW(scratch, int, slots); /* a row of the kind that has the slot, plus 1; 0: it is free */
    for (int v = 0; v < x->rows; v++) {
        row r = row_at(x, v);
        uint32_t at = hash(r) & (slots - 1);
        while (first[at] && !same(row_at(x, first[at] - 1), r)) at = (at + 1) & (slots - 1);
        if (!first[at]) {
            first[at] = v + 1;
            kind[v] = (int)kinds++;
        } else {
            kind[v] = kind[first[at] - 1];
        }
    }
    mp_arena_free(scratch);
    x->kind = kind;
    x->kinds = (int)kinds;
}

mp_sparse mp_sparse_distinct(mp_arena *a, const mp_sparse *x, const int *which, int n, const int **of)
{
    mp_sparse known = *x;
    if (!known.kind) mp_sparse_know(a, &known);
    int *place = MP_NEW(a, int, known.kinds); /* of a kind, plus 1; 0: not met */
    int *here = MP_NEW_RAW(a, int, n), *pick = MP_NEW_RAW(a, int, known.kinds), count = 0;
    for (int i = 0; i < n; i++) {
        int v = which ? which[i] : i, *at = &place[known.kind[v]];
        if (!*at) {
            pick[count++] = v;
            *at = count;
        }
        here[i] = *at - 1;
    }
    *of = here;
    return mp_sparse_pick(a, x, pick, count);
}
