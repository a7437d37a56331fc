/* svg_clouds.c - points in the plane, panels side by side on one scale: what coordinates became.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg_axis.h"

#include <math.h>

enum { SIDE = 230, GAP = 16, HEAD = 24, INSIDE = 8 };

typedef struct scale { /* the same for x and y, so that shapes stay */
    double left, low, size;
} scale;

static void include(double v, double *lo, double *hi)
{
    if (!isfinite(v)) return;
    if (v < *lo) *lo = v;
    if (v > *hi) *hi = v;
}

static scale scale_of(const mp_svg_clouds_spec *s)
{
    double lo[2] = { (double)INFINITY, (double)INFINITY }, hi[2] = { -(double)INFINITY, -(double)INFINITY };
    for (int p = 0; p < s->panels; p++)
        for (int i = 0; i < s->points; i++) {
            include(s->panel[p].x[i], &lo[0], &hi[0]);
            include(s->panel[p].y[i], &lo[1], &hi[1]);
        }
    if (!(lo[0] <= hi[0] && lo[1] <= hi[1])) return (scale){ 0, 0, 1 };
    double size = fmax(hi[0] - lo[0], hi[1] - lo[1]);
    if (!(size > 0)) size = 1;
    return (scale){ (lo[0] + hi[0] - size) / 2, (lo[1] + hi[1] - size) / 2, size };
}

/* Dark blue, green, yellow: grows lighter all the way, so that it is read without colours too. */
static void colour(double share, mp_buf *b)
{
    static const double stop[5][3] = {
        { 68, 1, 84 }, { 59, 82, 139 }, { 33, 145, 140 }, { 94, 201, 98 }, { 253, 231, 37 }
    };
    double at = 4 * (share < 0 ? 0 : share > 1 ? 1 : share);
    int k = at < 3 ? (int)at : 3;
    for (int c = 0; c < 3; c++)
        mp_buf_printf(b, "%s%d", c ? "," : "rgb(", (int)(stop[k][c] + (at - k) * (stop[k + 1][c] - stop[k][c]) + 0.5));
    mp_buf_puts(b, ")");
}

static double across(const scale *m, double left, double x)
{
    return left + INSIDE + (x - m->left) / m->size * (SIDE - 2 * INSIDE);
}

static double down(const scale *m, double y)
{
    return HEAD + INSIDE + (1 - (y - m->low) / m->size) * (SIDE - 2 * INSIDE);
}

static bool there(const mp_svg_cloud *p, int i)
{
    return isfinite(p->x[i]) && isfinite(p->y[i]);
}

static void draw_panel(const mp_svg_clouds_spec *s, const mp_svg_cloud *p, const scale *m, double left, mp_buf *b)
{
    double lo = (double)INFINITY, hi = -(double)INFINITY;
    for (int i = 0; i < s->points; i++) include(s->value[i], &lo, &hi);
    mp_buf_printf(b, "<text x=\"%.1f\" y=\"15\" text-anchor=\"middle\" font-size=\"12\" fill=\"currentColor\">",
                  left + SIDE / 2.0);
    mp_svg_name(b, p->title, SIDE);
    mp_buf_printf(b,
                  "</text>\n<rect x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                  "stroke=\"currentColor\" stroke-opacity=\".25\"/>\n",
                  left, HEAD, SIDE, SIDE);
    mp_buf_puts(b, "<g stroke=\"currentColor\" stroke-opacity=\".2\" stroke-width=\".7\">");
    for (int e = 0; e < p->edges; e++)
        if (there(p, p->from[e]) && there(p, p->to[e]))
            mp_buf_printf(b, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>", across(m, left, p->x[p->from[e]]),
                          down(m, p->y[p->from[e]]), across(m, left, p->x[p->to[e]]), down(m, p->y[p->to[e]]));
    mp_buf_puts(b, "</g>\n<g>");
    for (int i = 0; i < s->points; i++) {
        if (!there(p, i)) continue;
        mp_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"", across(m, left, p->x[i]),
                      down(m, p->y[i]));
        colour(hi > lo ? (s->value[i] - lo) / (hi - lo) : 0.5, b);
        mp_buf_puts(b, "\"/>");
    }
    mp_buf_puts(b, "</g>\n");
}

void mp_svg_clouds(const mp_svg_clouds_spec *s, mp_buf *b)
{
    scale m = scale_of(s);
    mp_svg_open(b, s->panels * (SIDE + GAP) - GAP + 2, HEAD + SIDE + 2);
    mp_svg_say_title(s->title, b);
    mp_buf_printf(b, "%d points in the plane, coloured by their value, in panels:", s->points);
    for (int p = 0; p < s->panels; p++) {
        mp_buf_puts(b, p ? ", " : " ");
        mp_html_text(b, s->panel[p].title);
    }
    mp_buf_puts(b, ".\">\n");
    for (int p = 0; p < s->panels; p++) draw_panel(s, &s->panel[p], &m, 1 + p * (SIDE + GAP), b);
    mp_buf_puts(b, "</svg>\n");
}

void mp_svg_clouds_csv(const mp_svg_clouds_spec *s, mp_buf *b)
{
    mp_buf_puts(b, "panel,point,x,y,value\n");
    for (int p = 0; p < s->panels; p++)
        for (int i = 0; i < s->points; i++) {
            mp_csv_text(b, "", s->panel[p].title);
            mp_csv_number(b, ",", i);
            mp_csv_number(b, ",", s->panel[p].x[i]);
            mp_csv_number(b, ",", s->panel[p].y[i]);
            mp_csv_number(b, ",", s->value[i]);
            mp_buf_puts(b, "\n");
        }
}
