/* trail.h - what a model did with one graph (api/trail.h), as JSON and as a picture.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLI_TRAIL_H
#define MP_CLI_TRAIL_H

#include "api/trail.h"
#include "base/text.h"
#include "report/levels.h"

/* Members of a JSON object that is open. */
void mp_trail_json(const mp_trail_of_graph *t, mp_buf *b);

/* A picture: the molecule, if there is one, else a graph. `label` is written into its nodes; NULL: symbols of atoms, else numbers,
 * where there is room. */
void mp_trail_svg(const mp_trail_of_graph *t, const mp_graph *g, const char *title, const char *const *label,
                  const mp_depict *molecule, mp_arena *a, mp_buf *b);

/* The same as a figure of a page, with a slider for levels. */
mp_picture mp_trail_picture(const mp_trail_of_graph *t, const mp_graph *g, const char *title, const char *note,
                            const char *const *label, mp_arena *a);

#endif
