/* svg_whiskers.c - means with whiskers, the single values behind them, and what they are compared with.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg_axis.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 620, RIGHT = 16, TOP = 6, ROW = 22, HEAD = 24, GAP = 8, NAMES = 260, MOST_NAMES = 64 };

typedef struct plot {
    const mp_svg_whiskers_spec *s;
    mp_svg_axis x;
    mp_svg_key key[MOST_NAMES + 1]; /* the last one is of the mark */
    int keys;
} plot;

/* Whether the row opens a group. */
static bool opens(const mp_svg_whiskers_spec *s, int r)
{
    const char *mine = s->row[r].group;
    return mine && (r == 0 || !s->row[r - 1].group || strcmp(mine, s->row[r - 1].group) != 0);
}

static double drawn_dev(const mp_svg_whisker *w)
{
    return isfinite(w->dev) ? fabs(w->dev) : 0;
}

static void find_range(plot *p)
{
    for (int r = 0; r < p->s->rows; r++) {
        const mp_svg_whisker *w = &p->s->row[r];
        mp_svg_axis_include(&p->x, w->mean - drawn_dev(w));
        mp_svg_axis_include(&p->x, w->mean + drawn_dev(w));
        mp_svg_axis_include(&p->x, w->mark);
        for (int i = 0; i < w->n; i++) mp_svg_axis_include(&p->x, w->x[i]);
    }
    mp_svg_axis_close(&p->x);
}

/* The place of a name among the keys; beyond the last one all share its colour. */
static int key_of(const plot *p, const char *name)
{
    for (int k = 0; k < p->keys; k++)
        if (strcmp(p->key[k].name, name) == 0) return k;
    return -1;
}

static void find_keys(plot *p)
{
    for (int r = 0; r < p->s->rows; r++) {
        const mp_svg_whisker *w = &p->s->row[r];
        if (!w->name || p->keys == MOST_NAMES || key_of(p, w->name) >= 0) continue;
        p->key[p->keys] = (mp_svg_key){ w->name, w->colour ? w->colour : mp_svg_colour(p->keys), MP_SVG_SQUARE };
        p->keys++;
    }
}

static const char *colour_of(const plot *p, const mp_svg_whisker *w)
{
    int k = w->name ? key_of(p, w->name) : -1;
    return w->colour ? w->colour : k >= 0 ? p->key[k].colour : mp_svg_colour(0);
}

/* "sag + MID: 71.2 ± 1.4, paper 72.72" */
static void say_row(const plot *p, const mp_svg_whisker *w, mp_buf *b)
{
    if (w->label) mp_html_text(b, w->label);
    if (w->label && w->name) mp_buf_puts(b, ", ");
    if (w->name && !(w->label && strcmp(w->label, w->name) == 0)) mp_html_text(b, w->name);
    if (isfinite(w->mean))
        mp_buf_printf(b, ": %.4g", w->mean);
    else
        mp_buf_puts(b, ": nothing");
    if (isfinite(w->mean) && isfinite(w->dev)) mp_buf_printf(b, " \xC2\xB1 %.2g", w->dev);
    if (!isfinite(w->mark)) return;
    mp_buf_puts(b, ", ");
    mp_html_text(b, p->s->mark_name);
    mp_buf_printf(b, " %.4g", w->mark);
}

static void draw_row(const plot *p, const mp_svg_whisker *w, double y, mp_buf *b)
{
    const char *colour = colour_of(p, w);
    mp_buf_puts(b, "<g><title>");
    say_row(p, w, b);
    mp_buf_puts(b, "</title>");
    if (w->label) {
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" font-size=\"11\" fill=\"currentColor\">",
                      p->x.from - GAP, y + 4);
        mp_svg_name(b, w->label, NAMES);
        mp_buf_puts(b, "</text>");
    }
    mp_buf_printf(b, "<g fill=\"%s\" fill-opacity=\".35\">", colour);
    for (int i = 0; i < w->n; i++)
        if (isfinite(w->x[i]))
            mp_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\"/>", mp_svg_place(&p->x, w->x[i]), y);
    mp_buf_puts(b, "</g>");
    if (isfinite(w->mean) && drawn_dev(w) > 0) {
        double lo = mp_svg_place(&p->x, w->mean - drawn_dev(w)), hi = mp_svg_place(&p->x, w->mean + drawn_dev(w));
        mp_buf_printf(b, "<path d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\" stroke=\"%s\" stroke-width=\"1.8\"/>", lo,
                      y, hi, lo, y - 4, hi, y - 4, colour);
    }
    if (isfinite(w->mean))
        mp_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"%s\"/>", mp_svg_place(&p->x, w->mean), y,
                      colour);
    if (isfinite(w->mark))
        mp_buf_printf(b,
                      "<path d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\" fill=\"none\" stroke=\"currentColor\" "
                      "stroke-width=\"1.5\"/>",
                      mp_svg_place(&p->x, w->mark), y - 5);
    mp_buf_puts(b, "</g>\n");
}

static void say(const plot *p, mp_buf *b)
{
    mp_svg_say_title(p->s->title, b);
    mp_buf_puts(b, "Means and deviations of ");
    mp_html_text(b, p->s->label);
    mp_buf_puts(b, ".");
    for (int r = 0; r < p->s->rows; r++) {
        mp_buf_puts(b, " ");
        if (opens(p->s, r)) {
            mp_html_text(b, p->s->row[r].group);
            mp_buf_puts(b, ": ");
        }
        say_row(p, &p->s->row[r], b);
        mp_buf_puts(b, ".");
    }
}

static void draw_rows(const plot *p, double top, mp_buf *b)
{
    double y = top;
    for (int r = 0; r < p->s->rows; r++) {
        if (opens(p->s, r)) {
            mp_buf_printf(b, "<text x=\"0\" y=\"%.1f\" font-size=\"11.5\" font-weight=\"600\" fill=\"currentColor\">",
                          y + HEAD - 7);
            mp_html_text(b, p->s->row[r].group);
            mp_buf_puts(b, "</text>\n");
            y += HEAD;
        }
        draw_row(p, &p->s->row[r], y + ROW / 2.0, b);
        y += ROW;
    }
}

void mp_svg_whiskers(const mp_svg_whiskers_spec *s, mp_buf *b)
{
    plot p = { .s = s };
    double names = 0, width = s->width ? s->width : WIDTH, rows = 0;
    bool marks = false;
    for (int r = 0; r < s->rows; r++) {
        if (s->row[r].label) names = mp_svg_wider(names, s->row[r].label);
        rows += ROW + (opens(s, r) ? HEAD : 0);
        marks = marks || isfinite(s->row[r].mark);
    }
    mp_assert(s->mark_name || !marks);
    mp_svg_axis_init(&p.x, fmin(names, NAMES) + 2 * GAP, width - RIGHT);
    find_range(&p);
    find_keys(&p);
    int keys = p.keys;
    if (marks) p.key[keys++] = (mp_svg_key){ s->mark_name, "currentColor", MP_SVG_DIAMOND };
    double top = TOP + mp_svg_legend(p.key, keys, p.x.from, width, NULL);
    mp_svg_open(b, width, top + rows + MP_SVG_FOOT);
    say(&p, b);
    mp_buf_puts(b, "\">\n");
    mp_svg_legend(p.key, keys, p.x.from, width, b);
    mp_svg_axis_below(&p.x, s->label, top, top + rows, b);
    draw_rows(&p, top, b);
    mp_buf_puts(b, "</svg>\n");
}

void mp_svg_whiskers_csv(const mp_svg_whiskers_spec *s, mp_buf *b)
{
    mp_buf_puts(b, "group,row,name,mean,deviation,");
    if (s->mark_name) mp_csv_text(b, "", s->mark_name);
    mp_buf_puts(b, s->mark_name ? ",values\n" : "values\n");
    for (int r = 0; r < s->rows; r++) {
        const mp_svg_whisker *w = &s->row[r];
        mp_csv_text(b, "", w->group ? w->group : "");
        mp_csv_text(b, ",", w->label ? w->label : "");
        mp_csv_text(b, ",", w->name ? w->name : "");
        mp_csv_number(b, ",", w->mean);
        mp_csv_number(b, ",", w->dev);
        if (s->mark_name) mp_csv_number(b, ",", w->mark);
        mp_buf_puts(b, ",");
        for (int i = 0, said = 0; i < w->n; i++)
            if (isfinite(w->x[i])) mp_csv_number(b, said++ ? " " : "", w->x[i]);
        mp_buf_puts(b, "\n");
    }
}
