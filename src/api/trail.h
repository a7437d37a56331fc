/* trail.h - what a model did with one graph: at every level which nodes were kept, by which scores, in the
 * numbers of the input.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TRAIL_H
#define MP_TRAIL_H

#include "model/model.h"

typedef struct mp_trail_level {          /* one pooling */
    int nodes, columns, edges;           /* that entered it; score columns; undirected edges among them */
    const int *node;                     /* nodes: number in the input graph, from 0 */
    const double *score, *gate;          /* nodes x columns: raw scores; what scales a kept row */
    const double *key;                   /* nodes: what the ranking looked at */
    const unsigned char *dropped, *kept; /* nodes: taken out by dropscore; kept */
    const int *from, *to;                /* edges, in numbers of the input */
    int keep;                            /* number of kept nodes */
    const int *order;                    /* keep: kept nodes by falling key, in numbers of the input */
} mp_trail_level;

typedef struct mp_trail_of_graph {
    int nodes, levels, outputs;
    int first_file_node;       /* the number that node 0 has in the files; set by the caller, for mp_trail_json */
    const char *const *symbol; /* nodes: of atoms, or NULL; set by the caller, for mp_trail_json and mp_trail_svg */
    const double *x, *y;       /* nodes: places on a page, or NULL; report/trail.h */
    mp_trail_level level[MP_LEVELS];
    const mp_real *told; /* outputs as the task tells them */
} mp_trail_of_graph;

/* One pass over graphs with a record of each pooling; raw outputs, a row a graph. Evaluation mode unless `draw` is above 0, which
 * names a draw of dropscore and dropout. Everything lives in the arena. */
MP_MUST mp_err mp_trail_pass(mp_model *m, const mp_graph *g, const mp_sparse *x, int draw, mp_arena *a, mp_trail *trail,
                             const mp_mat **raw);

/* Evaluation mode: dropscore is off unless `draw` is above 0, which names a draw to look at. Everything lives
 * in the arena. `g` holds one graph. */
MP_MUST mp_err mp_trail_run(mp_model *m, const mp_graph *g, const mp_sparse *x, int draw, mp_arena *a,
                            mp_trail_of_graph *out);

#endif
