/* svg_chart.c - line charts: axes with round numbers, lines, bands, a legend.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg.h"

#include <math.h>

enum { LEFT = 48, RIGHT = 10, TOP = 10, BOTTOM = 36, LEGEND = 18, TITLE = 18, GAP = 6 };

#define LETTER 6.4 /* width of one, about */

typedef struct axis {
    double lo, hi, step; /* in numbers */
    double from, to;     /* in the picture */
} axis;

/* Numbers so large that their differences are not: drawn at the edge. */
static double within(double v)
{
    return v > 1e300 ? 1e300 : v < -1e300 ? -1e300 : v;
}

static double place(const axis *a, double v)
{
    v = within(v);
    return a->from + (v - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

static void include(axis *a, double v)
{
    if (!isfinite(v)) return;
    v = within(v);
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

static int ticks(const axis *a)
{
    int n = 0;
    while (tick(a, n) <= a->hi + a->step / 2) n++;
    return n;
}

static const char *tick_text(const axis *a, int i, char out[32])
{
    mp_format(out, 32, "%.6g", tick(a, i));
    return out;
}

/* Of the numbers of an axis. */
static double widest(const axis *a)
{
    char text[32];
    int most = 0;
    for (int i = 0; i < ticks(a); i++) {
        int width = mp_text_width(tick_text(a, i, text));
        if (width > most) most = width;
    }
    return LETTER * most;
}

/* Numbers that would touch are left out, in equal steps from the first one. */
static void draw_x_numbers(const axis *x, double y, mp_buf *b)
{
    char text[32];
    double apart = fabs(place(x, tick(x, 1)) - place(x, tick(x, 0)));
    int every = (int)ceil((widest(x) + GAP) / apart);
    for (int i = 0; i < ticks(x); i += every)
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>", place(x, tick(x, i)), y,
                      tick_text(x, i, text));
}

static void draw_axes(const mp_svg_chart_spec *c, const axis *x, const axis *y, mp_buf *b)
{
    char text[32];
    mp_buf_puts(b, "<g stroke=\"currentColor\" stroke-opacity=\".16\">");
    for (int i = 0; i < ticks(y); i++)
        mp_buf_printf(b, "<path d=\"M%.1f %.1fH%.1f\"/>", x->from, place(y, tick(y, i)), x->to);
    mp_buf_puts(b, "</g>\n<g fill=\"currentColor\" fill-opacity=\".72\" font-size=\"11\">");
    for (int i = 0; i < ticks(y); i++)
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>", x->from - GAP,
                      place(y, tick(y, i)) + 4, tick_text(y, i, text));
    draw_x_numbers(x, y->from + 15, b);
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

static void draw_dots(const mp_svg_series *l, const axis *x, const axis *y, mp_buf *b)
{
    mp_buf_printf(b, "<g fill=\"%s\">", l->colour);
    for (int i = 0; i < l->n; i++)
        if (isfinite(l->y[i]))
            mp_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", place(x, l->x[i]), place(y, l->y[i]));
    mp_buf_puts(b, "</g>\n");
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
        x += 36 + LETTER * mp_text_width(l->name);
    }
    mp_buf_puts(b, "</g>\n");
}

/* "train: 0.69 at 1, lowest 0.41 at 28, 0.44 at 30." */
static void say_series(const mp_svg_series *l, mp_buf *b)
{
    int first = -1, last = -1, low = -1;
    for (int i = 0; i < l->n; i++) {
        if (!isfinite(l->y[i])) continue;
        if (first < 0) first = i;
        if (low < 0 || l->y[i] < l->y[low]) low = i;
        last = i;
    }
    mp_buf_puts(b, " ");
    mp_html_text(b, l->name);
    if (first < 0)
        mp_buf_puts(b, ": nothing.");
    else
        mp_buf_printf(b, ": %.3g at %.6g, lowest %.3g at %.6g, %.3g at %.6g.", l->y[first], l->x[first], l->y[low],
                      l->x[low], l->y[last], l->x[last]);
}

static void say_chart(const mp_svg_chart_spec *c, mp_buf *b)
{
    if (c->title) mp_html_text(b, c->title);
    if (c->title) mp_buf_puts(b, ". ");
    mp_buf_puts(b, "Line chart of ");
    mp_html_text(b, c->y_label);
    mp_buf_puts(b, " over ");
    mp_html_text(b, c->x_label);
    mp_buf_puts(b, ".");
    for (int s = 0; s < c->series; s++) say_series(&c->line[s], b);
}

void mp_svg_chart(const mp_svg_chart_spec *c, mp_buf *b)
{
    int w = c->width ? c->width : 380, h = c->height ? c->height : 240;
    axis x = { .from = LEFT, .to = w - RIGHT }, y = { .from = h - BOTTOM, .to = TOP + LEGEND };
    find_ranges(c, &x, &y);
    x.from = fmax(LEFT, TITLE + widest(&y) + GAP); /* numbers stay clear of the title of their axis */
    mp_buf_printf(b,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                  "font-family=\"system-ui,sans-serif\" role=\"img\" aria-label=\"",
                  w, h, w, h);
    say_chart(c, b);
    mp_buf_puts(b, "\">\n");
    draw_axes(c, &x, &y, b);
    for (int s = 0; s < c->series; s++)
        if (c->line[s].lo && c->line[s].hi) draw_band(&c->line[s], &x, &y, b);
    for (int s = 0; s < c->series; s++) draw_line(&c->line[s], &x, &y, b);
    for (int s = 0; s < c->series; s++)
        if (c->line[s].dots) draw_dots(&c->line[s], &x, &y, b);
    draw_legend(c, x.from, b);
    mp_buf_puts(b, "</svg>\n");
}
