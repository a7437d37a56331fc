/* svg_heat.c - a table of numbers on shades, with a key of the shades.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg_axis.h"

#include <math.h>

enum { CELL = 26, GAP = 8, TOP = 6, LINE = 16, KEY = 160, KEY_HIGH = 10, SHADES = 16, NAMES = 240, COLUMN = 110 };

typedef struct rgb {
    double c[3]; /* 0..255 */
} rgb;

typedef struct heat {
    const mp_svg_heat_spec *s;
    double lo, hi;          /* of the shades; lo = -hi where they are of the distance from 0 */
    double left, top, cell; /* cell: width of one */
    double right, bottom;
} heat;

static rgb mix(rgb a, rgb b, double t)
{
    rgb out;
    for (int i = 0; i < 3; i++) out.c[i] = round(a.c[i] + t * (b.c[i] - a.c[i]));
    return out;
}

/* Of a share of the range, 0 to 1. */
static rgb shade(const heat *h, double t)
{
    static const rgb pale = { { 241, 245, 250 } }, blue = { { 20, 74, 132 } }, red = { { 158, 42, 43 } };
    if (!h->s->diverging) return mix(pale, blue, t);
    return t < 0.5 ? mix(pale, red, 1 - 2 * t) : mix(pale, blue, 2 * t - 1);
}

static void find_range(heat *h)
{
    double lo = (double)INFINITY, hi = (double)-INFINITY;
    for (int i = 0; i < h->s->rows * h->s->cols; i++) {
        double v = h->s->value[i];
        if (!isfinite(v)) continue;
        lo = fmin(lo, v);
        hi = fmax(hi, v);
    }
    if (!(lo <= hi)) lo = hi = 0;
    double far = fmax(fabs(lo), fabs(hi));
    h->lo = h->s->diverging ? -far : lo;
    h->hi = h->s->diverging ? far : hi;
}

static double share(const heat *h, double v)
{
    return h->hi > h->lo ? (v / 2 - h->lo / 2) / (h->hi / 2 - h->lo / 2)
                         : 0.5; /* halves: the difference may be too large */
}

static void number(const heat *h, double v, mp_buf *b)
{
    mp_buf_printf(b, fabs(v) < 1e6 ? "%.*f" : "%.*g", fabs(v) < 1e6 ? h->s->decimals : 4, v);
}

static void draw_cell(const heat *h, int r, int c, mp_buf *b)
{
    double v = h->s->value[r * h->s->cols + c];
    if (!isfinite(v)) return;
    rgb ground = shade(h, share(h, v));
    double x = h->left + c * h->cell, y = h->top + r * CELL;
    mp_buf_printf(b,
                  "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"#%02x%02x%02x\"/>"
                  "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"%s\">",
                  x + 0.5, y + 0.5, h->cell - 1, CELL - 1, (int)ground.c[0], (int)ground.c[1], (int)ground.c[2],
                  x + h->cell / 2, y + CELL / 2.0 + 4, mp_svg_ink(ground.c));
    number(h, v, b);
    mp_buf_puts(b, "</text>\n");
}

static void text_at(double x, double y, const char *anchor, const char *text, double width, mp_buf *b)
{
    mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    mp_svg_name(b, text, width);
    mp_buf_puts(b, "</text>");
}

/* Names of columns lie below them. */
static void draw_names(const heat *h, mp_buf *b)
{
    mp_buf_puts(b, "<g fill=\"currentColor\">");
    for (int r = 0; r < h->s->rows; r++)
        text_at(h->left - GAP, h->top + (r + 0.5) * CELL + 4, "end", h->s->row[r], NAMES, b);
    for (int c = 0; c < h->s->cols; c++)
        text_at(h->left + (c + 0.5) * h->cell, h->bottom + LINE, "middle", h->s->col[c], fmax(h->cell - GAP, COLUMN),
                b);
    mp_buf_puts(b, "</g>\n<g fill=\"currentColor\" fill-opacity=\".72\">");
    text_at((h->left + h->right) / 2, h->bottom + 2 * LINE + 2, "middle", h->s->col_label, NAMES, b);
    mp_buf_printf(b, "<text transform=\"translate(12 %.1f) rotate(-90)\" text-anchor=\"middle\">",
                  (h->top + h->bottom) / 2);
    mp_html_text(b, h->s->row_label);
    mp_buf_puts(b, "</text></g>\n");
}

static void draw_key(const heat *h, mp_buf *b)
{
    double y = h->bottom + 3 * LINE;
    for (int i = 0; i < SHADES; i++) {
        rgb c = shade(h, (i + 0.5) / SHADES);
        mp_buf_printf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"#%02x%02x%02x\"/>",
                      h->left + i * (double)KEY / SHADES, y, (double)KEY / SHADES + 0.3, KEY_HIGH, (int)c.c[0],
                      (int)c.c[1], (int)c.c[2]);
    }
    mp_buf_printf(b, "\n<g fill=\"currentColor\" fill-opacity=\".72\"><text x=\"%.1f\" y=\"%.1f\">", h->left,
                  y + KEY_HIGH + 12);
    number(h, h->lo, b);
    mp_buf_printf(b, "</text><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", h->left + KEY, y + KEY_HIGH + 12);
    number(h, h->hi, b);
    mp_buf_puts(b, "</text></g>\n");
}

static void say(const heat *h, mp_buf *b)
{
    const mp_svg_heat_spec *s = h->s;
    mp_svg_say_title(s->title, b);
    mp_buf_puts(b, "Table of ");
    mp_html_text(b, s->row_label);
    mp_buf_puts(b, " by ");
    mp_html_text(b, s->col_label);
    mp_buf_puts(b, ".");
    for (int r = 0; r < s->rows; r++) {
        mp_buf_puts(b, " ");
        mp_html_text(b, s->row[r]);
        mp_buf_puts(b, ":");
        for (int c = 0; c < s->cols; c++) {
            double v = s->value[r * s->cols + c];
            mp_buf_puts(b, c ? ", " : " ");
            mp_html_text(b, s->col[c]);
            mp_buf_puts(b, " ");
            if (isfinite(v))
                number(h, v, b);
            else
                mp_buf_puts(b, "nothing");
        }
        mp_buf_puts(b, ".");
    }
}

/* Wide enough for the numbers and for the names of columns. */
static double cell_width(const heat *h)
{
    mp_buf text = { 0 };
    double most = 30;
    for (int c = 0; c < h->s->cols; c++) most = fmin(COLUMN, mp_svg_wider(most, h->s->col[c]));
    for (int i = 0; i < h->s->rows * h->s->cols; i++) {
        text.n = 0;
        if (isfinite(h->s->value[i])) {
            number(h, h->s->value[i], &text);
            most = mp_svg_wider(most, text.p);
        }
    }
    mp_buf_free(&text);
    return most + 2 * GAP;
}

void mp_svg_heat(const mp_svg_heat_spec *s, mp_buf *b)
{
    heat h = { .s = s, .top = TOP };
    double names = 0;
    for (int r = 0; r < s->rows; r++) names = mp_svg_wider(names, s->row[r]);
    find_range(&h);
    h.left = 20 + fmin(names, NAMES) + GAP;
    h.cell = cell_width(&h);
    h.right = h.left + s->cols * h.cell;
    h.bottom = h.top + s->rows * CELL;
    mp_svg_open(b, fmax(h.right, h.left + KEY) + GAP, h.bottom + 3 * LINE + KEY_HIGH + 18);
    say(&h, b);
    mp_buf_puts(b, "\">\n<g font-size=\"11\">\n");
    for (int r = 0; r < s->rows; r++)
        for (int c = 0; c < s->cols; c++) draw_cell(&h, r, c, b);
    draw_names(&h, b);
    draw_key(&h, b);
    mp_buf_puts(b, "</g>\n</svg>\n");
}

void mp_svg_heat_csv(const mp_svg_heat_spec *s, mp_buf *b)
{
    mp_csv_text(b, "", s->row_label);
    mp_csv_text(b, ",", s->col_label);
    mp_buf_puts(b, ",value\n");
    for (int r = 0; r < s->rows; r++) {
        for (int c = 0; c < s->cols; c++) {
            mp_csv_text(b, "", s->row[r]);
            mp_csv_text(b, ",", s->col[c]);
            mp_csv_number(b, ",", s->value[r * s->cols + c]);
            mp_buf_puts(b, "\n");
        }
    }
}
