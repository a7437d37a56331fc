/* svg_dots.c - rows of dots over one axis: every value is seen, not only a mean.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg_axis.h"

#include <math.h>

enum { WIDTH = 620, LEFT = 210, RIGHT = 20, TOP = 12, STRIP = 34, FOOT = 40, RADIUS = 5, TICKS = 5 };

typedef struct dots {
    const mp_svg_dots_spec *spec;
    double bottom;
} dots;

static double place(const dots *d, double v)
{
    const mp_svg_dots_spec *s = d->spec;
    double t = (v - s->lo) / (s->hi - s->lo);
    return LEFT + (t < 0 ? 0 : t > 1 ? 1 : t) * (WIDTH - LEFT - RIGHT);
}

static void draw_axis(const dots *d, mp_buf *b)
{
    const mp_svg_dots_spec *s = d->spec;
    mp_buf_puts(b, "<g stroke=\"currentColor\" stroke-opacity=\".16\">");
    for (int i = 0; i <= TICKS; i++)
        mp_buf_printf(b, "<path d=\"M%.1f %dV%.1f\"/>", place(d, s->lo + i * (s->hi - s->lo) / TICKS), TOP, d->bottom);
    mp_buf_puts(b, "</g>\n<g fill=\"currentColor\" fill-opacity=\".72\" font-size=\"11\" text-anchor=\"middle\">");
    for (int i = 0; i <= TICKS; i++) {
        double v = s->lo + i * (s->hi - s->lo) / TICKS;
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\">%.6g</text>", place(d, v), d->bottom + 14, v);
    }
    mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\">", (LEFT + WIDTH - RIGHT) / 2.0, d->bottom + 30);
    mp_html_text(b, s->x_label);
    mp_buf_puts(b, "</text></g>\n");
    if (isnan(s->mark)) return;
    mp_buf_printf(b, "<path d=\"M%.1f %dV%.1f\" stroke=\"currentColor\" stroke-dasharray=\"4 3\"/>\n",
                  place(d, s->mark), TOP, d->bottom);
}

/* A dot that would lie on earlier ones moves up, the next one down. */
static double height_of(const dots *d, const mp_svg_strip *s, int i)
{
    int before = 0;
    for (int k = 0; k < i; k++) before += fabs(place(d, s->x[k]) - place(d, s->x[i])) < RADIUS;
    double away = (before + 1) / 2 * 2.5;
    return before % 2 ? -away : away;
}

static void draw_strip(const dots *d, const mp_svg_strip *s, double y, mp_buf *b)
{
    double sum = 0;
    mp_buf_printf(b, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" font-size=\"12\" fill=\"currentColor\">", LEFT - 12,
                  y + 4);
    mp_html_text(b, s->name);
    mp_buf_printf(b, "</text>\n<g fill=\"%s\" fill-opacity=\".6\">", s->colour);
    for (int i = 0; i < s->n; i++) {
        mp_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>", place(d, s->x[i]), y + height_of(d, s, i),
                      RADIUS);
        mp_html_text(b, s->label[i]);
        mp_buf_puts(b, "</title></circle>");
        sum += s->x[i];
    }
    mp_buf_puts(b, "</g>\n");
    if (s->n)
        mp_buf_printf(b, "<path d=\"M%.1f %.1fv%d\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", place(d, sum / s->n),
                      y - STRIP / 2.0 + 3, STRIP - 6, s->colour);
}

/* The picture in words. */
static void say(const mp_svg_dots_spec *s, mp_buf *b)
{
    mp_html_text(b, s->title);
    mp_buf_puts(b, ". Rows of dots over ");
    mp_html_text(b, s->x_label);
    mp_buf_puts(b, ".");
    for (int i = 0; i < s->strips; i++) {
        mp_buf_puts(b, " ");
        mp_html_text(b, s->strip[i].name);
        mp_buf_puts(b, ":");
        for (int k = 0; k < s->strip[i].n; k++) mp_buf_printf(b, "%s %.4g", k ? "," : "", s->strip[i].x[k]);
        mp_buf_puts(b, s->strip[i].n ? "." : " nothing.");
    }
}

void mp_svg_dots(const mp_svg_dots_spec *s, mp_buf *b)
{
    dots d = { s, TOP + (double)STRIP * s->strips };
    mp_svg_open(b, WIDTH, d.bottom + FOOT);
    say(s, b);
    mp_buf_puts(b, "\">\n");
    draw_axis(&d, b);
    for (int i = 0; i < s->strips; i++) draw_strip(&d, &s->strip[i], TOP + STRIP * (i + 0.5), b);
    mp_buf_puts(b, "</svg>\n");
}

void mp_svg_dots_csv(const mp_svg_dots_spec *s, mp_buf *b)
{
    mp_buf_puts(b, "row,label");
    mp_csv_text(b, ",", s->x_label);
    mp_buf_puts(b, "\n");
    for (int i = 0; i < s->strips; i++) {
        for (int k = 0; k < s->strip[i].n; k++) {
            mp_csv_text(b, "", s->strip[i].name);
            mp_csv_text(b, ",", s->strip[i].label[k]);
            mp_csv_number(b, ",", s->strip[i].x[k]);
            mp_buf_puts(b, "\n");
        }
    }
}
