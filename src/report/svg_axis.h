/* svg_axis.h - what the charts of this folder share: an axis with round numbers, how a picture begins, cells of CSV.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SVG_AXIS_H
#define MP_SVG_AXIS_H

#include "report/svg.h"

#define MP_SVG_LETTER 6.4 /* width of one at the size of numbers, about */

typedef struct mp_svg_axis {
    double lo, hi, step; /* in numbers; of a logarithmic axis in powers of ten */
    double from, to;     /* in the picture */
    bool log;            /* set behind mp_svg_axis_init; numbers that are not above 0 have no place on it */
} mp_svg_axis;

/* An axis without numbers, then numbers that it has to hold (what is not finite is passed over), then round ends. */
void mp_svg_axis_init(mp_svg_axis *a, double from, double to);
void mp_svg_axis_include(mp_svg_axis *a, double v);
void mp_svg_axis_close(mp_svg_axis *a);

double mp_svg_place(const mp_svg_axis *a, double v); /* of a number in the picture */
bool mp_svg_placed(const mp_svg_axis *a, double v);  /* whether it has one */

/* The round numbers, in order; what is zero but for rounding is 0. */
int mp_svg_ticks(const mp_svg_axis *a);
double mp_svg_tick(const mp_svg_axis *a, int i);
const char *mp_svg_tick_text(const mp_svg_axis *a, int i, char out[32]);
double mp_svg_widest_tick(const mp_svg_axis *a);

/* Numbers below an axis that lies, centred at its ticks; those that would touch are left out, in equal steps from the first. */
void mp_svg_numbers_below(const mp_svg_axis *x, double y, mp_buf *b);

/* Lines up from the ticks of an axis that lies, its numbers and its label below `bottom`. Takes MP_SVG_FOOT below it. */
#define MP_SVG_FOOT 38
void mp_svg_axis_below(const mp_svg_axis *x, const char *label, double top, double bottom, mp_buf *b);

/* The tag of a picture up to the words that stand for it: add those, escaped, then "\">\n". */
void mp_svg_open(mp_buf *b, double width, double height);

/* "title. ", escaped; nothing where it is NULL. */
void mp_svg_say_title(const char *title, mp_buf *b);

/* The wider of `most` and a text at the size of numbers. */
double mp_svg_wider(double most, const char *text);

/* A name, escaped, cut short where it is wider than `width`. */
void mp_svg_name(mp_buf *b, const char *text, double width);

/* Colours of a list, the same in light and dark. */
const char *mp_svg_colour(int i);

/* Black or white, whichever is read better on a ground of red, green and blue (0..255). The contrast is at least 4.5 on every
 * ground: 1.05 / (L + 0.05) and (L + 0.05) / 0.05 are both sqrt(21) where they meet. */
const char *mp_svg_ink(const double ground[3]);

/* Marks with their names from `left` on, over as many lines as `width` asks for. Returns the height it takes; `b` NULL: only
 * that. */
typedef enum mp_svg_mark { MP_SVG_SQUARE, MP_SVG_LINE, MP_SVG_DASHES, MP_SVG_DIAMOND } mp_svg_mark;
typedef struct mp_svg_key {
    const char *name, *colour;
    mp_svg_mark mark;
} mp_svg_key;
double mp_svg_legend(const mp_svg_key *key, int n, double left, double width, mp_buf *b);

/* A cell of CSV with what stands before it (a comma, a line end, nothing): text in quotes where it needs them; a number that
 * reads back the same, nothing where it is not finite. */
void mp_csv_text(mp_buf *b, const char *before, const char *text);
void mp_csv_number(mp_buf *b, const char *before, double v);

#endif
