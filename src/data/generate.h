/* generate.h - data sets made from a seed: COLORS-3, TRIANGLES (Knyazev, Taylor & Amer 2019), distinct colours and Erdos-Renyi.
 *
 * Each fills an mp_raw, which is what a reader gets from files; mp_dataset_build makes the data set from it
 * and mp_tu_write a folder. The numbers of graphs are free; the defaults are the published ones.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GENERATE_H
#define MP_GENERATE_H

#include "data/tu.h"

typedef struct mp_colors_options {
    int seed;
    int train, val, test; /* graphs of lo .. hi nodes                                      */
    int large, large_c;   /* graphs of large_lo .. large_hi nodes; large_c: unseen colours */
    int lo, hi, large_lo, large_hi;
} mp_colors_options;
extern const mp_colors_options mp_colors_published; /* 500, 2500, 2500, 2500, 2500; 4..25, 26..200 */

typedef struct mp_triangles_options {
    int seed;
    int train, val, test, large; /* multiples of 10: each label 1..10 has the same share */
    int lo, hi, large_lo, large_hi;
} mp_triangles_options;
extern const mp_triangles_options mp_triangles_published; /* 30000, 5000, 5000, 5000; 4..25, 26..100 */

typedef struct mp_distinct_options { /* the label of a graph is the number of colours that occur in it */
    int seed;
    int train, val, test; /* graphs of lo .. hi nodes             */
    int large;            /* graphs of large_lo .. large_hi nodes */
    int colors;           /* at most 8, and at most lo            */
    int lo, hi, large_lo, large_hi;
} mp_distinct_options;
extern const mp_distinct_options mp_distinct_usual; /* 1000, 500, 1000, 1000; 8 colours; 10..30, 31..100 */

typedef struct mp_er_options {
    int seed;
    int graphs, nodes, edges; /* every graph has that many nodes and undirected edges; edges 0: twice the nodes */
    int columns;              /* of x, each N(0, 1) */
} mp_er_options;
extern const mp_er_options mp_er_usual; /* 1 graph, 1000 nodes, 128 columns */

MP_MUST mp_err mp_generate_colors(const mp_colors_options *o, mp_arena *a, mp_raw *out);
MP_MUST mp_err mp_generate_triangles(const mp_triangles_options *o, mp_arena *a, mp_raw *out);
MP_MUST mp_err mp_generate_distinct(const mp_distinct_options *o, mp_arena *a, mp_raw *out);
MP_MUST mp_err mp_generate_er(const mp_er_options *o, mp_arena *a, mp_raw *out);

#endif
