/* svg_bars.c - groups of bars over one axis, with whiskers.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg_axis.h"

#include <math.h>

enum { WIDTH = 620, RIGHT = 16, TOP = 6, BAR = 11, APART = 12, GAP = 8, NAMES = 240, MOST_SERIES = 64 };

static const char *colour_of(const mp_svg_bars_spec *s, int k)
{
    return s->bar[k].colour ? s->bar[k].colour : mp_svg_colour(k);
}

static double deviation(const mp_svg_bar *bar, int g)
{
    return bar->dev && isfinite(bar->dev[g]) ? fabs(bar->dev[g]) : 0;
}

static void find_range(const mp_svg_bars_spec *s, mp_svg_axis *x)
{
    mp_svg_axis_include(x, 0);
    for (int k = 0; k < s->series; k++) {
        for (int g = 0; g < s->groups; g++) {
            double v = s->bar[k].value[g], d = deviation(&s->bar[k], g);
            mp_svg_axis_include(x, v - d);
            mp_svg_axis_include(x, v + d);
        }
    }
    mp_svg_axis_close(x);
}

/* "ENZYMES, sag: 3.58 ± 1.2" */
static void say_bar(const mp_svg_bars_spec *s, int g, int k, mp_buf *b)
{
    mp_html_text(b, s->group[g]);
    mp_buf_puts(b, ", ");
    mp_html_text(b, s->bar[k].name);
    mp_buf_printf(b, ": %.4g", s->bar[k].value[g]);
    if (deviation(&s->bar[k], g) > 0) mp_buf_printf(b, " \xC2\xB1 %.2g", deviation(&s->bar[k], g));
}

static void draw_bar(const mp_svg_bars_spec *s, int g, int k, const mp_svg_axis *x, double y, mp_buf *b)
{
    double v = s->bar[k].value[g], d = deviation(&s->bar[k], g);
    if (!isfinite(v)) return;
    double zero = mp_svg_place(x, 0), end = mp_svg_place(x, v);
    mp_buf_printf(b, "<g><title>");
    say_bar(s, g, k, b);
    mp_buf_printf(b, "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", fmin(zero, end),
                  y + 0.5, fabs(end - zero), BAR - 1, colour_of(s, k));
    if (d > 0) {
        double lo = mp_svg_place(x, v - d), hi = mp_svg_place(x, v + d), mid = y + BAR / 2.0;
        mp_buf_printf(b, "<path d=\"M%.1f %.1fH%.1fM%.1f %.1fv6M%.1f %.1fv6\" stroke=\"currentColor\"/>", lo, mid, hi,
                      lo, mid - 3, hi, mid - 3);
    }
    mp_buf_puts(b, "</g>\n");
}

static void say(const mp_svg_bars_spec *s, mp_buf *b)
{
    mp_svg_say_title(s->title, b);
    mp_buf_puts(b, "Bars of ");
    mp_html_text(b, s->label);
    mp_buf_puts(b, ".");
    for (int g = 0; g < s->groups; g++) {
        for (int k = 0; k < s->series; k++) {
            if (!isfinite(s->bar[k].value[g])) continue;
            mp_buf_puts(b, " ");
            say_bar(s, g, k, b);
            mp_buf_puts(b, ".");
        }
    }
}

void mp_svg_bars(const mp_svg_bars_spec *s, mp_buf *b)
{
    double names = 0, width = s->width ? s->width : WIDTH, group = s->series * BAR + APART;
    mp_svg_axis x;
    mp_svg_key key[MOST_SERIES];
    mp_assert(s->series <= MOST_SERIES);
    for (int g = 0; g < s->groups; g++) names = mp_svg_wider(names, s->group[g]);
    for (int k = 0; k < s->series; k++) key[k] = (mp_svg_key){ s->bar[k].name, colour_of(s, k), MP_SVG_SQUARE };
    mp_svg_axis_init(&x, fmin(names, NAMES) + 2 * GAP, width - RIGHT);
    find_range(s, &x);
    int keys = s->series > 1 ? s->series : 0;
    double top = TOP + mp_svg_legend(key, keys, x.from, width, NULL), bottom = top + group * s->groups;
    mp_svg_open(b, width, bottom + MP_SVG_FOOT);
    say(s, b);
    mp_buf_puts(b, "\">\n");
    mp_svg_legend(key, keys, x.from, width, b);
    mp_svg_axis_below(&x, s->label, top, bottom, b);
    for (int g = 0; g < s->groups; g++) {
        double y = top + group * g;
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" font-size=\"11\" fill=\"currentColor\">",
                      x.from - GAP, y + group / 2 + 4);
        mp_svg_name(b, s->group[g], NAMES);
        mp_buf_puts(b, "</text>\n");
        for (int k = 0; k < s->series; k++) draw_bar(s, g, k, &x, y + APART / 2.0 + k * BAR, b);
    }
    mp_buf_printf(b, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"currentColor\" stroke-opacity=\".7\"/>\n</svg>\n",
                  mp_svg_place(&x, 0), top, bottom);
}

void mp_svg_bars_csv(const mp_svg_bars_spec *s, mp_buf *b)
{
    bool dev = false;
    for (int k = 0; k < s->series; k++) dev = dev || s->bar[k].dev;
    mp_buf_puts(b, "group,series");
    mp_csv_text(b, ",", s->label);
    mp_buf_puts(b, dev ? ",deviation\n" : "\n");
    for (int g = 0; g < s->groups; g++) {
        for (int k = 0; k < s->series; k++) {
            mp_csv_text(b, "", s->group[g]);
            mp_csv_text(b, ",", s->bar[k].name);
            mp_csv_number(b, ",", s->bar[k].value[g]);
            if (dev) mp_csv_number(b, ",", s->bar[k].dev ? s->bar[k].dev[g] : (double)NAN);
            mp_buf_puts(b, "\n");
        }
    }
}
