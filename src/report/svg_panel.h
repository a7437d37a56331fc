/* svg_panel.h - one level of pooling inside svg_graph.c: what the two ways to draw it share.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SVG_PANEL_H
#define MP_SVG_PANEL_H

#include "report/svg.h"

#define MP_SVG_RING "#d62f3a" /* around what is kept */
#define MP_SVG_EDGE "#7b8794" /* around what is not  */

typedef struct mp_svg_panel {
    const mp_svg_graph_spec *spec;
    const mp_svg_level *level;
    double left, top, width, height;
    double radius; /* of a node; of a molecule: pixels a bond */
    double lo, hi; /* range of the scores */
} mp_svg_panel;

/* The colour of a share of the scores, 0 to 1. Shades of molecules stay light enough for dark lines. */
void mp_svg_shade(const mp_svg_graph_spec *s, double share, mp_buf *b);

/* That of node i of the level. */
double mp_svg_share(const mp_svg_panel *p, int i);

/* "<title>node 4, score 0.9, kept</title>" */
void mp_svg_about_node(const mp_svg_panel *p, int i, mp_buf *b);

/* Pixels that a molecule takes: of its panel, and of a bond. */
void mp_svg_molecule_size(const mp_depict *d, double *width, double *height, double *bond);

/* Inside the frame of a panel. Atoms of the level have discs, the rest of the molecule is faint. */
void mp_svg_molecule(const mp_svg_panel *p, mp_buf *b);

/* Whether some edges of a level join atoms that no bond joins: pooling may do that. */
bool mp_svg_has_new_edges(const mp_svg_graph_spec *s);

#endif
