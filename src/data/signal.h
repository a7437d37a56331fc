/* signal.h - one graph whose nodes have coordinates: ring, grid, community and sensor network, as PyGSP makes them (math.md 6.5).
 *
 * What networks with an upward path are to rebuild. Nodes have two attributes, x and y; there are no labels of graphs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SIGNAL_H
#define MP_SIGNAL_H

#include "data/raw.h"

typedef struct mp_signal_options {
    int seed;  /* community; david where the points are drawn */
    int nodes; /* ring, community, david */
    int side;  /* grid: nodes of a row and of a column */
} mp_signal_options;

typedef struct mp_signal {
    const char *name, *set;  /* "ring"; the name of the set: "RING" */
    mp_signal_options usual; /* PyGSP's sizes */
    mp_err (*make)(const mp_signal_options *o, mp_arena *a, mp_raw *out);
} mp_signal;

/* ring, grid, community, david; ends with a name NULL. */
extern const mp_signal mp_signals[];

/* The row whose set has this name; NULL: none. */
const mp_signal *mp_signal_of_set(const char *set);

/* Sizes that make no graph fail. */
MP_MUST mp_err mp_signal_make(const mp_signal *s, const mp_signal_options *o, mp_arena *a, mp_raw *out);

#endif
