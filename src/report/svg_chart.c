/* svg_chart.c - line charts: axes with round numbers, lines, bands, a legend.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg_axis.h"

#include <math.h>

enum { LEFT = 48, RIGHT = 10, TOP = 10, BOTTOM = 36, TITLE = 18, GAP = 6, MOST_SERIES = 64 };

static void find_ranges(const mp_svg_chart_spec *c, mp_svg_axis *x, mp_svg_axis *y)
{
    for (int s = 0; s < c->series; s++) {
        const mp_svg_series *l = &c->line[s];
        for (int i = 0; i < l->n; i++) {
            if (!mp_svg_placed(x, l->x[i]) || !mp_svg_placed(y, l->y[i])) continue;
            mp_svg_axis_include(x, l->x[i]);
            mp_svg_axis_include(y, l->y[i]);
            if (l->lo) mp_svg_axis_include(y, l->lo[i]);
            if (l->hi) mp_svg_axis_include(y, l->hi[i]);
        }
    }
    mp_svg_axis_close(x);
    mp_svg_axis_close(y);
}

static void draw_axes(const mp_svg_chart_spec *c, const mp_svg_axis *x, const mp_svg_axis *y, mp_buf *b)
{
    char text[32];
    mp_buf_puts(b, "<g stroke=\"currentColor\" stroke-opacity=\".16\">");
    for (int i = 0; i < mp_svg_ticks(y); i++)
        mp_buf_printf(b, "<path d=\"M%.1f %.1fH%.1f\"/>", x->from, mp_svg_place(y, mp_svg_tick(y, i)), x->to);
    mp_buf_puts(b, "</g>\n<g fill=\"currentColor\" fill-opacity=\".72\" font-size=\"11\">");
    for (int i = 0; i < mp_svg_ticks(y); i++)
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>", x->from - GAP,
                      mp_svg_place(y, mp_svg_tick(y, i)) + 4, mp_svg_tick_text(y, i, text));
    mp_svg_numbers_below(x, y->from + 15, b);
    mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", (x->from + x->to) / 2, y->from + 30);
    mp_html_text(b, c->x_label);
    mp_buf_printf(b, "</text><text transform=\"translate(12 %.1f) rotate(-90)\" text-anchor=\"middle\">",
                  (y->from + y->to) / 2);
    mp_html_text(b, c->y_label);
    mp_buf_puts(b, "</text></g>\n");
}

/* Whether point i has a place, and `v` (its y, or an end of its band) too. */
static bool placed(const mp_svg_series *l, int i, double v, const mp_svg_axis *x, const mp_svg_axis *y)
{
    return mp_svg_placed(x, l->x[i]) && mp_svg_placed(y, l->y[i]) && mp_svg_placed(y, v);
}

static void draw_band(const mp_svg_series *l, const mp_svg_axis *x, const mp_svg_axis *y, mp_buf *b)
{
    int n = 0;
    for (int i = 0; i < l->n; i++) n += placed(l, i, l->lo[i], x, y) && placed(l, i, l->hi[i], x, y);
    if (n < 2) return;
    mp_buf_printf(b, "<path fill=\"%s\" fill-opacity=\".18\" d=\"", l->colour);
    char move = 'M';
    for (int i = 0; i < l->n; i++) {
        if (!placed(l, i, l->lo[i], x, y)) continue;
        mp_buf_printf(b, "%c%.1f %.1f", move, mp_svg_place(x, l->x[i]), mp_svg_place(y, l->lo[i]));
        move = 'L';
    }
    for (int i = l->n - 1; i >= 0; i--)
        if (placed(l, i, l->hi[i], x, y))
            mp_buf_printf(b, "L%.1f %.1f", mp_svg_place(x, l->x[i]), mp_svg_place(y, l->hi[i]));
    mp_buf_puts(b, "Z\"/>\n");
}

static void draw_line(const mp_svg_series *l, const mp_svg_axis *x, const mp_svg_axis *y, mp_buf *b)
{
    mp_buf_printf(b, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"%s d=\"M",
                  l->colour, l->dashed ? " stroke-dasharray=\"5 3\"" : "");
    int drawn = 0;
    for (int i = 0; i < l->n; i++)
        if (placed(l, i, l->y[i], x, y))
            mp_buf_printf(b, "%s%.1f %.1f", drawn++ ? "L" : "", mp_svg_place(x, l->x[i]), mp_svg_place(y, l->y[i]));
    mp_buf_puts(b, drawn ? "\"/>\n" : "0 0\"/>\n");
}

static void draw_dots(const mp_svg_series *l, const mp_svg_axis *x, const mp_svg_axis *y, mp_buf *b)
{
    mp_buf_printf(b, "<g fill=\"%s\">", l->colour);
    for (int i = 0; i < l->n; i++)
        if (placed(l, i, l->y[i], x, y))
            mp_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", mp_svg_place(x, l->x[i]),
                          mp_svg_place(y, l->y[i]));
    mp_buf_puts(b, "</g>\n");
}

/* Its height; drawn where there is a buffer. */
static double legend(const mp_svg_chart_spec *c, double left, double width, mp_buf *b)
{
    mp_svg_key key[MOST_SERIES];
    mp_assert(c->series <= MOST_SERIES);
    for (int s = 0; s < c->series; s++)
        key[s] = (mp_svg_key){ c->line[s].name, c->line[s].colour, c->line[s].dashed ? MP_SVG_DASHES : MP_SVG_LINE };
    return mp_svg_legend(key, c->series, left, width, b);
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
    mp_svg_say_title(c->title, b);
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
    mp_svg_axis x, y;
    mp_svg_axis_init(&x, LEFT, w - RIGHT);
    mp_svg_axis_init(&y, h - BOTTOM, TOP + legend(c, LEFT, w, NULL));
    x.log = c->log_x;
    y.log = c->log_y;
    find_ranges(c, &x, &y);
    x.from = fmax(LEFT, TITLE + mp_svg_widest_tick(&y) + GAP); /* numbers stay clear of the title of their axis */
    x.to = fmin(x.to, w - mp_svg_widest_tick(&x) / 2);         /* and within the picture */
    mp_svg_open(b, w, h);
    say_chart(c, b);
    mp_buf_puts(b, "\">\n");
    draw_axes(c, &x, &y, b);
    for (int s = 0; s < c->series; s++)
        if (c->line[s].lo && c->line[s].hi) draw_band(&c->line[s], &x, &y, b);
    for (int s = 0; s < c->series; s++) draw_line(&c->line[s], &x, &y, b);
    for (int s = 0; s < c->series; s++)
        if (c->line[s].dots) draw_dots(&c->line[s], &x, &y, b);
    legend(c, LEFT, w, b);
    mp_buf_puts(b, "</svg>\n");
}

void mp_svg_chart_csv(const mp_svg_chart_spec *c, mp_buf *b)
{
    bool bands = false;
    for (int s = 0; s < c->series; s++) bands = bands || (c->line[s].lo && c->line[s].hi);
    mp_buf_puts(b, "series");
    mp_csv_text(b, ",", c->x_label);
    mp_csv_text(b, ",", c->y_label);
    mp_buf_puts(b, bands ? ",low,high\n" : "\n");
    for (int s = 0; s < c->series; s++) {
        const mp_svg_series *l = &c->line[s];
        bool band = l->lo && l->hi;
        for (int i = 0; i < l->n; i++) {
            mp_csv_text(b, "", l->name);
            mp_csv_number(b, ",", l->x[i]);
            mp_csv_number(b, ",", l->y[i]);
            if (bands) mp_csv_number(b, ",", band ? l->lo[i] : (double)NAN);
            if (bands) mp_csv_number(b, ",", band ? l->hi[i] : (double)NAN);
            mp_buf_puts(b, "\n");
        }
    }
}
