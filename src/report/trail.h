/* trail.h - what a model did with one graph (api/trail.h), as JSON and as a picture.
 * SPDX-License-Identifier: MIT */
#ifndef MP_REPORT_TRAIL_H
#define MP_REPORT_TRAIL_H

#include "api/trail.h"
#include "base/text.h"
#include "report/levels.h"

/* Places of the nodes on a page, from 0 to 1, the same on every machine (layout.h): for both functions below. */
void mp_trail_place(mp_trail_of_graph *t, const mp_graph *g, mp_arena *a);

/* Members of a JSON object that is open; with "layout" where nodes have places. */
void mp_trail_json(const mp_trail_of_graph *t, mp_buf *b);

typedef struct mp_trail_view {
    const char *title;         /* may be NULL */
    const char *const *label;  /* written into nodes; NULL: symbols of atoms, else numbers, where there is room */
    const mp_depict *molecule; /* drawn in place of a graph; NULL: none */
    int columns_of; /* a panel for each score column of this pooling, from 1; 0: one for each pooling, by its key */
} mp_trail_view;

void mp_trail_svg(const mp_trail_of_graph *t, const mp_graph *g, const mp_trail_view *how, mp_arena *a, mp_buf *b);

/* The same as a figure of a page, with a slider for levels. */
mp_picture mp_trail_picture(const mp_trail_of_graph *t, const mp_graph *g, const char *title, const char *note,
                            const char *const *label, mp_arena *a);

#endif
