/* svg_ranks.c - a critical-difference diagram (Demsar 2006): average ranks on an axis, the best on the left, bars below it over
 * methods that are not told apart.
 *
 * The better half of the methods has its names on the left, the others on the right, a line each, the outermost on top: so
 * no line crosses a name and no two names meet, however many there are.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg_axis.h"

#include <math.h>

enum { AXIS = 380, TOP = 58, LINE = 20, BAR = 9, GAP = 8, MOST_NAME = 300, LEAST_NAME = 90 };

typedef struct ranks {
    const mp_svg_ranks_spec *spec;
    double left, right; /* ends of the axis */
    double names;       /* width of the names on either side */
    double rows;        /* y of the first name */
} ranks;

static double place(const ranks *r, double rank)
{
    int last = r->spec->methods > 1 ? r->spec->methods - 1 : 1;
    return r->left + (rank - 1) / last * (r->right - r->left);
}

static void draw_axis(const ranks *r, mp_buf *b)
{
    int methods = r->spec->methods;
    mp_buf_printf(b, "<g stroke=\"currentColor\"><path d=\"M%.1f %dH%.1f\"/>", r->left, TOP, r->right);
    for (int i = 1; i <= methods; i++) mp_buf_printf(b, "<path d=\"M%.1f %dv-6\"/>", place(r, i), TOP);
    mp_buf_puts(b, "</g>\n<g fill=\"currentColor\" font-size=\"11\" text-anchor=\"middle\">");
    for (int i = 1; i <= methods; i++)
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%d\">%d</text>", place(r, i), TOP - 11, i);
    mp_buf_puts(b, "</g>\n");
}

/* Longer than the axis it says so: its end is then that of the axis. */
static void draw_distance(const ranks *r, mp_buf *b)
{
    const mp_svg_ranks_spec *s = r->spec;
    double most = s->methods - 1, length = fmin(s->distance, most), end = place(r, 1 + length);
    mp_buf_printf(
        b,
        "<path d=\"M%.1f 22v8m0 -4H%.1f%s\" stroke=\"currentColor\" fill=\"none\"/>\n<text x=\"%.1f\" y=\"15\" "
        "font-size=\"11\" fill=\"currentColor\">critical difference %.2f%s</text>\n",
        r->left, end, s->distance > most ? "" : "m0 -4v8", r->left, s->distance,
        s->distance > most ? ", longer than the axis" : "");
}

static void draw_bars(const ranks *r, mp_buf *b)
{
    const mp_svg_ranks_spec *s = r->spec;
    mp_buf_puts(b, "<g stroke=\"#c2571a\" stroke-width=\"4\" stroke-linecap=\"round\">");
    for (int i = 0; i < s->groups; i++)
        mp_buf_printf(b, "<path d=\"M%.1f %.1fH%.1f\"/>", place(r, s->rank[s->from[i]]) - 2,
                      TOP + (double)BAR * (i + 1), place(r, s->rank[s->to[i]]) + 2);
    mp_buf_puts(b, "</g>\n");
}

static void draw_method(const ranks *r, int i, mp_buf *b)
{
    const mp_svg_ranks_spec *s = r->spec;
    int half = (s->methods + 1) / 2;
    bool left = i < half;
    double x = place(r, s->rank[i]), y = r->rows + LINE * (left ? i : s->methods - 1 - i);
    double end = left ? r->left - GAP : r->right + GAP;
    mp_buf_printf(b, "<g><title>");
    mp_html_text(b, s->name[i]);
    mp_buf_printf(b,
                  ": %.2f</title><path d=\"M%.1f %dV%.1fH%.1f\" stroke=\"currentColor\" stroke-opacity=\".55\" "
                  "fill=\"none\"/><text x=\"%.1f\" y=\"%.1f\" font-size=\"11\" fill=\"currentColor\"%s>",
                  s->rank[i], x, TOP, y, end, left ? end - 4 : end + 4, y + 4, left ? " text-anchor=\"end\"" : "");
    if (!left) mp_buf_printf(b, "%.2f ", s->rank[i]);
    mp_svg_name(b, s->name[i], r->names);
    if (left) mp_buf_printf(b, " %.2f", s->rank[i]);
    mp_buf_puts(b, "</text></g>\n");
}

/* The picture in words. */
static void say(const mp_svg_ranks_spec *s, mp_buf *b)
{
    mp_svg_say_title(s->title, b);
    for (int i = 0; i < s->methods; i++) {
        mp_buf_puts(b, i ? ", " : "");
        mp_html_text(b, s->name[i]);
        mp_buf_printf(b, " %.2f", s->rank[i]);
    }
    mp_buf_printf(b, ". Critical difference %.2f.", s->distance);
    for (int i = 0; i < s->groups; i++) {
        mp_buf_puts(b, " Not told apart: ");
        mp_html_text(b, s->name[s->from[i]]);
        mp_buf_puts(b, " to ");
        mp_html_text(b, s->name[s->to[i]]);
        mp_buf_puts(b, ".");
    }
}

void mp_svg_ranks(const mp_svg_ranks_spec *s, mp_buf *b)
{
    double names = LEAST_NAME;
    for (int i = 0; i < s->methods; i++) names = mp_svg_wider(names, s->name[i]);
    names = fmin(names, MOST_NAME);
    double side = names + 5 * MP_SVG_LETTER + 2 * GAP + 4; /* the name and its rank */
    ranks r = { s, side, side + AXIS, names, TOP + BAR * (s->groups + 1) + LINE };
    mp_svg_open(b, r.right + side, r.rows + LINE * ((s->methods + 1) / 2));
    say(s, b);
    mp_buf_puts(b, "\">\n");
    draw_axis(&r, b);
    draw_distance(&r, b);
    for (int i = 0; i < s->methods; i++) draw_method(&r, i, b);
    draw_bars(&r, b);
    mp_buf_puts(b, "</svg>\n");
}

void mp_svg_ranks_csv(const mp_svg_ranks_spec *s, mp_buf *b)
{
    mp_buf_puts(b, "method,average rank\n");
    for (int i = 0; i < s->methods; i++) {
        mp_csv_text(b, "", s->name[i]);
        mp_csv_number(b, ",", s->rank[i]);
        mp_buf_puts(b, "\n");
    }
}
