/* svg_chart.c - line charts: axes with round numbers, lines, bands, a legend.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg.h"

#include <math.h>

enum { LEFT = 48, RIGHT = 10, TOP = 10, BOTTOM = 36, LEGEND = 18 };

typedef struct axis {
    double lo, hi, step; /* in numbers */
    double from, to;     /* in the picture */
} axis;

static double place(const axis *a, double v)
{
    return a->from + (v - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

static void include(axis *a, double v)
{
    if (!isfinite(v)) return;
    if (v < a->lo) a->lo = v;
    if (v > a->hi) a->hi = v;
}

/* The largest of 1, 2, 5 times a power of ten that gives at least four steps. */
static double round_step(double range)
{
    double ten = 1;
    while (ten * 10 <= range / 4) ten *= 10;
    while (ten > range / 4) ten /= 10;
    return ten * 5 <= range / 4 ? ten * 5 : ten * 2 <= range / 4 ? ten * 2 : ten;
}

/* Widens the range to whole steps. */
static void close_axis(axis *a)
{
    if (!(a->lo <= a->hi)) *a = (axis){ 0, 1, 0, a->from, a->to };
    if (a->hi - a->lo < 1e-9 * (fabs(a->hi) + 1e-9)) {
        a->lo -= 0.5 * fabs(a->lo) + 1e-9;
        a->hi += 0.5 * fabs(a->hi) + 1e-9;
    }
    a->step = round_step(a->hi - a->lo);
    a->lo = a->step * floor(a->lo / a->step + 1e-9);
    a->hi = a->step * ceil(a->hi / a->step - 1e-9);
}

static void find_ranges(const mp_svg_chart_spec *c, axis *x, axis *y)
{
    x->lo = y->lo = (double)INFINITY;
    x->hi = y->hi = (double)-INFINITY;
    for (int s = 0; s < c->series; s++) {
        const mp_svg_series *l = &c->line[s];
        for (int i = 0; i < l->n; i++) {
            if (!isfinite(l->y[i])) continue;
            include(x, l->x[i]);
            include(y, l->y[i]);
            if (l->lo) include(y, l->lo[i]);
            if (l->hi) include(y, l->hi[i]);
        }
    }
    close_axis(x);
    close_axis(y);
}

/* Number `i` of an axis; what is zero but for rounding is written as 0. */
static double tick(const axis *a, int i)
{
    double v = a->lo + i * a->step;
    return fabs(v) < a->step / 1000 ? 0 : v;
}

static void draw_axes(const mp_svg_chart_spec *c, const axis *x, const axis *y, mp_buf *b)
{
    mp_buf_puts(b, "<g stroke=\"currentColor\" stroke-opacity=\".16\">");
    for (int i = 0; tick(y, i) <= y->hi + y->step / 2; i++)
        mp_buf_printf(b, "<path d=\"M%.1f %.1fH%.1f\"/>", x->from, place(y, tick(y, i)), x->to);
    mp_buf_puts(b, "</g>\n<g fill=\"currentColor\" fill-opacity=\".72\" font-size=\"11\">");
    for (int i = 0; tick(y, i) <= y->hi + y->step / 2; i++)
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>", x->from - 6,
                      place(y, tick(y, i)) + 4, tick(y, i));
    for (int i = 0; tick(x, i) <= x->hi + x->step / 2; i++)
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.6g</text>", place(x, tick(x, i)),
                      y->from + 15, tick(x, i));
    mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", (x->from + x->to) / 2, y->from + 30);
    mp_html_text(b, c->x_label);
    mp_buf_printf(b, "</text><text transform=\"translate(12 %.1f) rotate(-90)\" text-anchor=\"middle\">",
                  (y->from + y->to) / 2);
    mp_html_text(b, c->y_label);
    mp_buf_puts(b, "</text></g>\n");
}

static void draw_band(const mp_svg_series *l, const axis *x, const axis *y, mp_buf *b)
{
    int n = 0;
    for (int i = 0; i < l->n; i++) n += isfinite(l->y[i]) && isfinite(l->lo[i]) && isfinite(l->hi[i]);
    if (n < 2) return;
    mp_buf_printf(b, "<path fill=\"%s\" fill-opacity=\".18\" d=\"", l->colour);
    char move = 'M';
    for (int i = 0; i < l->n; i++) {
        if (!isfinite(l->y[i]) || !isfinite(l->lo[i])) continue;
        mp_buf_printf(b, "%c%.1f %.1f", move, place(x, l->x[i]), place(y, l->lo[i]));
        move = 'L';
    }
    for (int i = l->n - 1; i >= 0; i--)
        if (isfinite(l->y[i]) && isfinite(l->hi[i]))
            mp_buf_printf(b, "L%.1f %.1f", place(x, l->x[i]), place(y, l->hi[i]));
    mp_buf_puts(b, "Z\"/>\n");
}

static void draw_line(const mp_svg_series *l, const axis *x, const axis *y, mp_buf *b)
{
    mp_buf_printf(b, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"%s d=\"M",
                  l->colour, l->dashed ? " stroke-dasharray=\"5 3\"" : "");
    int drawn = 0;
    for (int i = 0; i < l->n; i++)
        if (isfinite(l->y[i]))
            mp_buf_printf(b, "%s%.1f %.1f", drawn++ ? "L" : "", place(x, l->x[i]), place(y, l->y[i]));
    mp_buf_puts(b, drawn ? "\"/>\n" : "0 0\"/>\n");
}

static void draw_legend(const mp_svg_chart_spec *c, double left, mp_buf *b)
{
    double x = left;
    mp_buf_puts(b, "<g font-size=\"11\">");
    for (int s = 0; s < c->series; s++) {
        const mp_svg_series *l = &c->line[s];
        mp_buf_printf(b, "<path d=\"M%.1f 10h16\" stroke=\"%s\" stroke-width=\"2.5\"%s/>", x, l->colour,
                      l->dashed ? " stroke-dasharray=\"5 3\"" : "");
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"14\" fill=\"currentColor\">", x + 21);
        mp_html_text(b, l->name);
        mp_buf_puts(b, "</text>");
        x += 36 + 6.2 * mp_text_width(l->name);
    }
    mp_buf_puts(b, "</g>\n");
}

void mp_svg_chart(const mp_svg_chart_spec *c, mp_buf *b)
{
    int w = c->width ? c->width : 380, h = c->height ? c->height : 240;
    axis x = { .from = LEFT, .to = w - RIGHT }, y = { .from = h - BOTTOM, .to = TOP + LEGEND };
    find_ranges(c, &x, &y);
    mp_buf_printf(b,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                  "font-family=\"system-ui,sans-serif\" role=\"img\">\n",
                  w, h, w, h);
    draw_axes(c, &x, &y, b);
    for (int s = 0; s < c->series; s++)
        if (c->line[s].lo && c->line[s].hi) draw_band(&c->line[s], &x, &y, b);
    for (int s = 0; s < c->series; s++) draw_line(&c->line[s], &x, &y, b);
    draw_legend(c, LEFT, b);
    mp_buf_puts(b, "</svg>\n");
}
