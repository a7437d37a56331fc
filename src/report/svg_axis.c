/* svg_axis.c - see svg_axis.h.
 * SPDX-License-Identifier: MIT */
#include "report/svg_axis.h"
#include "report/html.h"

#include <math.h>
#include <string.h>

enum { GAP = 6, MARK = 16, LINE = 18 };

/* Numbers so large that their differences are not: drawn at the edge. */
static double within(double v)
{
    return v > 1e300 ? 1e300 : v < -1e300 ? -1e300 : v;
}

void mp_svg_axis_init(mp_svg_axis *a, double from, double to)
{
    *a = (mp_svg_axis){ .lo = (double)INFINITY, .hi = (double)-INFINITY, .from = from, .to = to };
}

bool mp_svg_placed(const mp_svg_axis *a, double v)
{
    return isfinite(v) && (!a->log || v > 0);
}

/* What the axis is even in. */
static double scaled(const mp_svg_axis *a, double v)
{
    return a->log ? log10(v) : within(v);
}

void mp_svg_axis_include(mp_svg_axis *a, double v)
{
    if (!mp_svg_placed(a, v)) return;
    v = scaled(a, v);
    if (v < a->lo) a->lo = v;
    if (v > a->hi) a->hi = v;
}

double mp_svg_place(const mp_svg_axis *a, double v)
{
    v = scaled(a, v);
    return a->from + (v - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

/* The largest of 1, 2, 5 times a power of ten that gives at least four steps. */
static double round_step(double range)
{
    double ten = 1;
    while (ten * 10 <= range / 4) ten *= 10;
    while (ten > range / 4) ten /= 10;
    return ten * 5 <= range / 4 ? ten * 5 : ten * 2 <= range / 4 ? ten * 2 : ten;
}

/* Whole powers of ten, at least one step and about six of them. */
static void close_log(mp_svg_axis *a)
{
    if (!(a->lo <= a->hi)) a->lo = a->hi = 0;
    a->lo = floor(a->lo + 1e-9);
    a->hi = fmax(ceil(a->hi - 1e-9), a->lo + 1);
    a->step = ceil((a->hi - a->lo) / 6);
    a->hi = a->lo + a->step * ceil((a->hi - a->lo) / a->step);
}

/* Widens the range to whole steps. */
void mp_svg_axis_close(mp_svg_axis *a)
{
    if (a->log) {
        close_log(a);
        return;
    }
    if (!(a->lo <= a->hi) || (a->lo == 0 && a->hi == 0)) {
        a->lo = 0;
        a->hi = 1;
    }
    if (a->hi - a->lo < 1e-9 * (fabs(a->hi) + 1e-9)) {
        a->lo -= 0.5 * fabs(a->lo) + 1e-9;
        a->hi += 0.5 * fabs(a->hi) + 1e-9;
    }
    a->step = round_step(a->hi - a->lo);
    a->lo = a->step * floor(a->lo / a->step + 1e-9);
    a->hi = a->step * ceil(a->hi / a->step - 1e-9);
}

double mp_svg_tick(const mp_svg_axis *a, int i)
{
    double v = a->lo + i * a->step;
    if (a->log) return pow(10, v);
    return fabs(v) < a->step / 1000 ? 0 : v;
}

int mp_svg_ticks(const mp_svg_axis *a)
{
    return (int)floor((a->hi - a->lo) / a->step + 1.5);
}

const char *mp_svg_tick_text(const mp_svg_axis *a, int i, char out[32])
{
    mp_format(out, 32, "%.6g", mp_svg_tick(a, i));
    return out;
}

double mp_svg_wider(double most, const char *text)
{
    return fmax(most, MP_SVG_LETTER * mp_text_width(text));
}

double mp_svg_widest_tick(const mp_svg_axis *a)
{
    char text[32];
    double most = 0;
    for (int i = 0; i < mp_svg_ticks(a); i++) most = mp_svg_wider(most, mp_svg_tick_text(a, i, text));
    return most;
}

void mp_svg_numbers_below(const mp_svg_axis *x, double y, mp_buf *b)
{
    char text[32];
    double apart = fabs(mp_svg_place(x, mp_svg_tick(x, 1)) - mp_svg_place(x, mp_svg_tick(x, 0)));
    int every = (int)ceil((mp_svg_widest_tick(x) + GAP) / apart);
    for (int i = 0; i < mp_svg_ticks(x); i += every)
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
                      mp_svg_place(x, mp_svg_tick(x, i)), y, mp_svg_tick_text(x, i, text));
}

void mp_svg_axis_below(const mp_svg_axis *x, const char *label, double top, double bottom, mp_buf *b)
{
    mp_buf_puts(b, "<g stroke=\"currentColor\" stroke-opacity=\".16\">");
    for (int i = 0; i < mp_svg_ticks(x); i++)
        mp_buf_printf(b, "<path d=\"M%.1f %.1fV%.1f\"/>", mp_svg_place(x, mp_svg_tick(x, i)), top, bottom);
    mp_buf_puts(b, "</g>\n<g fill=\"currentColor\" fill-opacity=\".72\" font-size=\"11\">");
    mp_svg_numbers_below(x, bottom + 15, b);
    mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", (x->from + x->to) / 2, bottom + 31);
    mp_html_text(b, label);
    mp_buf_puts(b, "</text></g>\n");
}

void mp_svg_open(mp_buf *b, double width, double height)
{
    mp_buf_printf(b,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
                  "font-family=\"system-ui,sans-serif\" role=\"img\" aria-label=\"",
                  width, height, width, height);
}

void mp_svg_say_title(const char *title, mp_buf *b)
{
    if (!title) return;
    mp_html_text(b, title);
    mp_buf_puts(b, ". ");
}

void mp_svg_name(mp_buf *b, const char *text, double width)
{
    int room = (int)(width / MP_SVG_LETTER);
    size_t left = strlen(text), keep = 0;
    if (mp_text_width(text) <= room) {
        mp_html_text(b, text);
        return;
    }
    for (int i = 0; i < room - 1; i++) {
        int n = mp_utf8_length(text + keep, left - keep);
        keep += n ? (size_t)n : 1;
    }
    mp_buf short_name = MP_BUF_LOCAL;
    mp_buf_add(&short_name, text, keep);
    mp_buf_puts(&short_name, "\xE2\x80\xA6");
    mp_html_text(b, short_name.p);
    mp_buf_free(&short_name);
}

const char *mp_svg_colour(int i)
{
    static const char *const list[] = { "#2f7fc1", "#d9722b", "#3a9a6b", "#a35bb5", "#c9a227",
                                        "#c8485a", "#5f7a8c", "#8a6d4b", "#12979b", "#d6569b" };
    return list[i % (int)(sizeof list / sizeof *list)];
}

/* Relative luminance as WCAG 2 defines it. */
static double luminance(const double c[3])
{
    static const double weight[3] = { 0.2126, 0.7152, 0.0722 };
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double v = c[i] / 255;
        sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

const char *mp_svg_ink(const double ground[3])
{
    double l = luminance(ground) + 0.05;
    return 1.05 / l > l / 0.05 ? "#fff" : "#000";
}

static void draw_mark(const mp_svg_key *k, double x, double y, mp_buf *b)
{
    switch (k->mark) {
    case MP_SVG_SQUARE:
        mp_buf_printf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" rx=\"2\" fill=\"%s\"/>", x + 5, y + 5,
                      k->colour);
        break;
    case MP_SVG_LINE:
    case MP_SVG_DASHES:
        mp_buf_printf(b, "<path d=\"M%.1f %.1fh16\" stroke=\"%s\" stroke-width=\"2.5\"%s/>", x, y + 10, k->colour,
                      k->mark == MP_SVG_DASHES ? " stroke-dasharray=\"5 3\"" : "");
        break;
    case MP_SVG_DIAMOND:
        mp_buf_printf(b, "<path d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
                      x + 10, y + 5, k->colour);
        break;
    }
}

double mp_svg_legend(const mp_svg_key *key, int n, double left, double width, mp_buf *b)
{
    double x = left, y = 0;
    if (b) mp_buf_puts(b, "<g font-size=\"11\">");
    for (int i = 0; i < n; i++) {
        double wide = MARK + GAP + mp_svg_wider(0, key[i].name) + 14;
        if (x > left && x + wide > width) {
            x = left;
            y += LINE;
        }
        if (b) {
            draw_mark(&key[i], x, y, b);
            mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" fill=\"currentColor\">", x + MARK + GAP, y + 14);
            mp_html_text(b, key[i].name);
            mp_buf_puts(b, "</text>");
        }
        x += wide;
    }
    if (b) mp_buf_puts(b, "</g>\n");
    return n ? y + LINE : 0;
}

void mp_csv_text(mp_buf *b, const char *before, const char *text)
{
    mp_buf_puts(b, before);
    if (!strpbrk(text, ",\"\n\r")) {
        mp_buf_puts(b, text);
        return;
    }
    mp_buf_puts(b, "\"");
    for (; *text; text++) mp_buf_add(b, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    mp_buf_puts(b, "\"");
}

void mp_csv_number(mp_buf *b, const char *before, double v)
{
    char text[32];
    double back;
    mp_buf_puts(b, before);
    if (!isfinite(v)) return;
    mp_format(text, sizeof text, "%.15g", v); /* 70, where the fewest digits are 7e+01 */
    if (!mp_to_real(mp_span_of(text), &back) || back != v) mp_real_text(v, text);
    mp_buf_puts(b, text);
}
