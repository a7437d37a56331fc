/* svg.h - pictures as SVG text: line charts with bands, rows of dots, and graphs with the nodes that pooling kept.
 *
 * The text stands alone as a file and also goes into a page as it is: lines and letters use the colour of
 * the text around them, so it fits light and dark pages. What a picture shows is also said in words, in its
 * aria-label, for those who cannot see it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SVG_H
#define MP_SVG_H

#include "base/text.h"
#include "report/depict.h"

typedef struct mp_svg_series {
    const char *name, *colour; /* colour as SVG writes it: "#2f6fb2" */
    bool dashed, dots;         /* dots: a mark at every point */
    int n;
    const double *x, *y;   /* points with a y that is not finite are left out */
    const double *lo, *hi; /* a band around the line, or NULL */
} mp_svg_series;

typedef struct mp_svg_chart_spec {
    const char *title; /* opens the words; it is not drawn. May be NULL */
    const char *x_label, *y_label;
    int width, height; /* 0: 380 x 240 */
    int series;
    const mp_svg_series *line;
} mp_svg_chart_spec;

void mp_svg_chart(const mp_svg_chart_spec *spec, mp_buf *out);

typedef struct mp_svg_strip { /* a row of dots and a line at their mean */
    const char *name, *colour;
    int n;
    const double *x;
    const char *const *label; /* n: shown when a dot is pointed at */
} mp_svg_strip;

typedef struct mp_svg_dots_spec {
    const char *title, *x_label; /* title: begins the words that stand for the picture */
    double lo, hi;               /* of the axis; values beyond lie on its ends */
    double mark;                 /* a dashed line; NAN: none */
    int strips;
    const mp_svg_strip *strip;
} mp_svg_dots_spec;

void mp_svg_dots(const mp_svg_dots_spec *spec, mp_buf *out);

/* One level of pooling: the nodes that entered it, named by their number in the input graph. */
typedef struct mp_svg_level {
    const char *title; /* may be NULL */
    int nodes, edges;
    const int *node;           /* nodes: numbers in the input graph          */
    const double *score;       /* nodes: shade, or NULL                      */
    const unsigned char *kept; /* nodes: 1 gets a ring, or NULL              */
    const int *from, *to;      /* edges, each once, by numbers in the input  */
} mp_svg_level;

typedef struct mp_svg_graph_spec {
    const char *title;        /* may be NULL */
    int nodes;                /* of the input graph */
    const double *x, *y;      /* their places, 0..1, as mp_layout_spring gives them */
    const char *const *label; /* written into the nodes, or NULL */
    const mp_depict
        *molecule; /* of as many atoms as nodes: drawn as chemists do, without x, y and label; NULL: circles, lines */
    int levels;
    const mp_svg_level *level;
} mp_svg_graph_spec;

/* Panels side by side, one a level. Darker is a higher score, scaled within the level; a red ring is a
 * kept node; nodes that an earlier level dropped are faint dots, such atoms and their bonds faint. */
void mp_svg_graph(const mp_svg_graph_spec *spec, mp_buf *out);

#endif
