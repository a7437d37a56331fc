/* svg.h - pictures as SVG text: line charts with bands, bars, heat maps, means with whiskers, rows of dots, ranks, and
 * graphs with the nodes that pooling kept.
 *
 * The text stands alone as a file and also goes into a page as it is: lines and letters use the colour of
 * the text around them, so it fits light and dark pages. What a picture shows is also said in words, in its
 * aria-label, for those who cannot see it. What a chart shows is also written as CSV by the function beside it: a header, then
 * a line for each mark, numbers in full.
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
    bool log_x, log_y; /* a logarithmic axis: points that are not above 0 are left out */
    int series;
    const mp_svg_series *line;
} mp_svg_chart_spec;

void mp_svg_chart(const mp_svg_chart_spec *spec, mp_buf *out);
void mp_svg_chart_csv(const mp_svg_chart_spec *spec, mp_buf *out); /* series, x, y; low, high where there are bands */

/* Bars lie, from zero to the right or left: names of groups stay readable however many there are. The groups stand below one
 * another, each with a bar for every series. */
typedef struct mp_svg_bar {
    const char *name, *colour; /* colour NULL: the next of a fixed list */
    const double *value;       /* groups; not finite: no bar */
    const double *dev;         /* groups: a whisker of value +- dev, or NULL */
} mp_svg_bar;

typedef struct mp_svg_bars_spec {
    const char *title; /* opens the words; it is not drawn. May be NULL */
    const char *label; /* of the axis: "percentage points" */
    int width;         /* 0: 620 */
    int groups, series;
    const char *const *group; /* groups */
    const mp_svg_bar *bar;    /* series; one alone has no legend */
} mp_svg_bars_spec;

void mp_svg_bars(const mp_svg_bars_spec *spec, mp_buf *out);
void mp_svg_bars_csv(const mp_svg_bars_spec *spec,
                     mp_buf *out); /* group, series, value; deviation where there is one */

/* A number in each cell of a table, on a ground that is darker for larger ones, with a key of the shades. */
typedef struct mp_svg_heat_spec {
    const char *title;                 /* as above */
    const char *row_label, *col_label; /* what the rows and the columns are: "score dimensions" */
    int rows, cols;
    const char *const *row, *const *col;
    const double *value; /* rows x cols, row by row; not finite: an empty cell */
    int decimals;        /* of the numbers in the cells */
    bool diverging;      /* shades are of the distance from 0: blue above it, red below */
} mp_svg_heat_spec;

void mp_svg_heat(const mp_svg_heat_spec *spec, mp_buf *out);
void mp_svg_heat_csv(const mp_svg_heat_spec *spec, mp_buf *out); /* row, column, value */

/* A line a row: a dot at the mean with a whisker of the deviation, small dots for the single values behind it, and a diamond
 * for what it is compared with. */
typedef struct mp_svg_whisker {
    const char *group; /* a heading stands above rows whose group differs from that of the row before; NULL: none */
    const char *label; /* may be NULL, for the second row of what the first one names */
    const char *name,
        *colour; /* of the legend: rows of one name share a colour and an entry. NULL: no entry. colour NULL: next */
    double mean, dev; /* not finite: not drawn */
    int n;
    const double *x; /* n: the single values */
    double mark;     /* NAN: none */
} mp_svg_whisker;

typedef struct mp_svg_whiskers_spec {
    const char *title;     /* as above */
    const char *label;     /* of the axis: "test accuracy in percent" */
    const char *mark_name; /* "paper"; NULL: no row has a mark */
    int width;             /* 0: 620 */
    int rows;
    const mp_svg_whisker *row;
} mp_svg_whiskers_spec;

void mp_svg_whiskers(const mp_svg_whiskers_spec *spec, mp_buf *out);
/* group, row, name, mean, deviation, the mark by its name, values (all in one cell with spaces between) */
void mp_svg_whiskers_csv(const mp_svg_whiskers_spec *spec, mp_buf *out);

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
void mp_svg_dots_csv(const mp_svg_dots_spec *spec, mp_buf *out); /* row, label, value */

/* Points in the plane, panels side by side on one scale, each point in the colour of its value (dark blue small, yellow large). */
typedef struct mp_svg_cloud {
    const char *title; /* of the panel */
    const double *x, *y;
    int edges;            /* lines between points; 0: none */
    const int *from, *to; /* edges */
} mp_svg_cloud;

typedef struct mp_svg_clouds_spec {
    const char *title; /* as above */
    int points;        /* of every panel */
    const double *value;
    int panels;
    const mp_svg_cloud *panel;
} mp_svg_clouds_spec;

void mp_svg_clouds(const mp_svg_clouds_spec *spec, mp_buf *out);
void mp_svg_clouds_csv(const mp_svg_clouds_spec *spec, mp_buf *out); /* panel, point, x, y, value */

/* Average ranks on an axis, with bars over methods that are not told apart. */
typedef struct mp_svg_ranks_spec {
    const char *title; /* as above */
    int methods;
    const char *const *name; /* methods, the best first */
    const double *rank;      /* methods, ascending from 1 */
    double distance;         /* from which on ranks are told apart; finite */
    int groups;              /* that are not told apart: the methods from .. to, in turn */
    const int *from, *to;    /* groups */
} mp_svg_ranks_spec;

void mp_svg_ranks(const mp_svg_ranks_spec *spec, mp_buf *out);
void mp_svg_ranks_csv(const mp_svg_ranks_spec *spec, mp_buf *out); /* method, average rank */

/* One level of pooling: the nodes that entered it, named by their number in the input graph. */
typedef struct mp_svg_level {
    const char *title; /* may be NULL */
    int nodes, edges;
    const int *node;           /* nodes: numbers in the input graph          */
    const double *score;       /* nodes: shade, or NULL                      */
    const unsigned char *kept; /* nodes: 1 gets a ring, or NULL              */
    const int *from, *to;      /* edges, each once, by numbers in the input  */
    int columns;               /* of single scores, the same at every level of levels.h; for mp_svg_column */
    const double *column;      /* nodes x columns */
} mp_svg_level;

typedef struct mp_svg_graph_spec {
    const char *title;        /* may be NULL */
    int nodes;                /* of the input graph */
    const double *x, *y;      /* their places, 0..1, as mp_layout_spring gives them */
    const char *const *label; /* written into the nodes, or NULL */
    const mp_depict
        *molecule; /* of as many atoms as nodes: drawn as chemists do, without x, y and label; NULL: circles, lines */
    bool views;    /* panels are views of one level, not levels: the words say so */
    int levels;
    const mp_svg_level *level;
} mp_svg_graph_spec;

/* The level with its column `column`, from 0, in the place of its score, and titled "column 1" for the first. */
mp_svg_level mp_svg_column(const mp_svg_level *l, int column, mp_arena *a);

/* Panels side by side, one a level. Darker is a higher score, scaled within the level; a red ring is a
 * kept node; nodes that an earlier level dropped are faint dots, such atoms and their bonds faint. */
void mp_svg_graph(const mp_svg_graph_spec *spec, mp_buf *out);

#endif
