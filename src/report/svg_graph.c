/* svg_graph.c - a graph at each level of pooling: scores as shades, kept nodes with a ring.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg.h"

#include <math.h>

enum { PANEL = 300, MARGIN = 22, GAP = 16, HEAD = 24, FOOT = 40, MOST_SAID = 30 };

#define RING "#d62f3a"

typedef struct panel {
    const mp_svg_graph_spec *spec;
    const mp_svg_level *level;
    double left, top, radius;
    double lo, hi; /* range of the scores */
} panel;

static double node_x(const panel *p, int v)
{
    return p->left + MARGIN + p->spec->x[v] * (PANEL - 2 * MARGIN);
}

static double node_y(const panel *p, int v)
{
    return p->top + MARGIN + p->spec->y[v] * (PANEL - 2 * MARGIN);
}

/* Small graphs have room for larger circles. */
static double radius_for(int nodes)
{
    double r = 48 / sqrt((double)(nodes > 0 ? nodes : 1));
    return r > 11 ? 11 : r < 1.5 ? 1.5 : r;
}

static void score_range(panel *p)
{
    const mp_svg_level *l = p->level;
    p->lo = (double)INFINITY;
    p->hi = (double)-INFINITY;
    for (int i = 0; l->score && i < l->nodes; i++) {
        if (!isfinite(l->score[i])) continue;
        if (l->score[i] < p->lo) p->lo = l->score[i];
        if (l->score[i] > p->hi) p->hi = l->score[i];
    }
}

static double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

/* From a pale to a deep blue. */
static void put_shade(mp_buf *b, double t)
{
    mp_buf_printf(b, "rgb(%d,%d,%d)", (int)mix(232, 17, t), (int)mix(240, 66, t), (int)mix(250, 122, t));
}

static double shade_of(const panel *p, int i)
{
    if (!p->level->score || !isfinite(p->level->score[i])) return 0;
    return p->hi > p->lo ? (p->level->score[i] - p->lo) / (p->hi - p->lo) : 0.5;
}

static void draw_edges(const panel *p, mp_buf *b)
{
    const mp_svg_level *l = p->level;
    mp_buf_puts(b, "<path fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".5\" d=\"M0 0");
    for (int e = 0; e < l->edges; e++) {
        if (l->from[e] == l->to[e]) continue;
        mp_buf_printf(b, "M%.1f %.1fL%.1f %.1f", node_x(p, l->from[e]), node_y(p, l->from[e]), node_x(p, l->to[e]),
                      node_y(p, l->to[e]));
    }
    mp_buf_puts(b, "\"/>\n");
}

/* All nodes of the input as faint dots: those of this level are then drawn over theirs. */
static void draw_dropped(const panel *p, mp_buf *b)
{
    if (p->level->nodes == p->spec->nodes) return;
    mp_buf_puts(b, "<g fill=\"currentColor\" fill-opacity=\".18\">");
    for (int v = 0; v < p->spec->nodes; v++)
        mp_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", node_x(p, v), node_y(p, v), p->radius / 3);
    mp_buf_puts(b, "</g>\n");
}

static void draw_node(const panel *p, int i, mp_buf *b)
{
    const mp_svg_level *l = p->level;
    int v = l->node[i];
    double t = shade_of(p, i);
    mp_buf_puts(b, "<g>");
    mp_buf_printf(b, "<title>node %d", v);
    if (l->score) mp_buf_printf(b, ", score %.4g", l->score[i]);
    if (l->kept) mp_buf_puts(b, l->kept[i] ? ", kept" : ", dropped");
    mp_buf_printf(b, "</title><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"", node_x(p, v), node_y(p, v),
                  p->radius);
    put_shade(b, t);
    if (l->kept && l->kept[i])
        mp_buf_printf(b, "\" stroke=\"" RING "\" stroke-width=\"%.1f\"/>", p->radius > 4 ? 2.5 : 1.2);
    else
        mp_buf_puts(b, "\" stroke=\"#7b8794\" stroke-width=\".8\"/>");
    if (p->spec->label && p->radius >= 6) {
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"%.1f\" fill=\"%s\">",
                      node_x(p, v), node_y(p, v) + p->radius * 0.33, p->radius, t > 0.5 ? "#fff" : "#1c2430");
        mp_html_text(b, p->spec->label[v]);
        mp_buf_puts(b, "</text>");
    }
    mp_buf_puts(b, "</g>\n");
}

static int count_kept(const mp_svg_level *l)
{
    int kept = 0;
    for (int i = 0; l->kept && i < l->nodes; i++) kept += l->kept[i] != 0;
    return kept;
}

static void put_level_name(const mp_svg_level *l, int number, mp_buf *b)
{
    if (l->title)
        mp_html_text(b, l->title);
    else
        mp_buf_printf(b, "level %d", number);
}

/* ", 2 kept: 4 7": their numbers in the input, where they are not too many to hear. */
static void put_kept(const mp_svg_level *l, mp_buf *b)
{
    int kept = count_kept(l);
    mp_buf_printf(b, ", %d kept", kept);
    for (int i = 0, told = 0; kept <= MOST_SAID && i < l->nodes; i++)
        if (l->kept[i]) mp_buf_printf(b, "%s %d", told++ ? "" : ":", l->node[i]);
}

static void draw_head(const panel *p, int number, mp_buf *b)
{
    mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" font-weight=\"600\" fill=\"currentColor\">",
                  p->left + 8, p->top - 8);
    put_level_name(p->level, number, b);
    mp_buf_printf(b, "<tspan font-weight=\"400\" fill-opacity=\".7\">  %d nodes", p->level->nodes);
    if (p->level->kept) mp_buf_printf(b, ", %d kept", count_kept(p->level));
    if (p->hi >= p->lo) mp_buf_printf(b, ", scores %.2g to %.2g", p->lo, p->hi);
    mp_buf_puts(b, "</tspan></text>\n");
}

static void draw_panel(panel *p, int number, mp_buf *b)
{
    score_range(p);
    draw_head(p, number, b);
    mp_buf_printf(b,
                  "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"none\" "
                  "stroke=\"currentColor\" stroke-opacity=\".16\"/>\n",
                  p->left, p->top, PANEL, PANEL);
    draw_dropped(p, b);
    draw_edges(p, b);
    for (int i = 0; i < p->level->nodes; i++) draw_node(p, i, b);
}

static void draw_legend(double y, mp_buf *b)
{
    mp_buf_printf(b, "<g font-size=\"11\" transform=\"translate(8 %.1f)\">", y);
    for (int i = 0; i < 12; i++) {
        mp_buf_printf(b, "<rect x=\"%d\" y=\"0\" width=\"7\" height=\"10\" fill=\"", 7 * i);
        put_shade(b, i / 11.0);
        mp_buf_puts(b, "\"/>");
    }
    mp_buf_puts(b, "<g fill=\"currentColor\"><text x=\"90\" y=\"9\">low to high score</text>"
                   "<text x=\"216\" y=\"9\">kept</text><text x=\"268\" y=\"9\">dropped here</text></g>"
                   "<circle cx=\"206\" cy=\"5\" r=\"5\" fill=\"none\" stroke=\"" RING "\" stroke-width=\"2.5\"/>"
                   "<circle cx=\"258\" cy=\"5\" r=\"5\" fill=\"none\" stroke=\"#7b8794\"/></g>\n");
}

static void say_graph(const mp_svg_graph_spec *s, mp_buf *b)
{
    if (s->title) mp_html_text(b, s->title);
    if (s->title) mp_buf_puts(b, ". ");
    mp_buf_printf(b, "A graph of %d nodes at %d level%s of pooling.", s->nodes, s->levels, s->levels == 1 ? "" : "s");
    for (int i = 0; i < s->levels; i++) {
        mp_buf_puts(b, " ");
        put_level_name(&s->level[i], i + 1, b);
        mp_buf_printf(b, ": %d nodes", s->level[i].nodes);
        if (s->level[i].kept) put_kept(&s->level[i], b);
        mp_buf_puts(b, ".");
    }
}

void mp_svg_graph(const mp_svg_graph_spec *s, mp_buf *b)
{
    int title = s->title ? 22 : 0;
    int w = s->levels * (PANEL + GAP) - GAP + 2, h = title + HEAD + PANEL + FOOT;
    if (w < 372) w = 372; /* room for the legend */
    mp_buf_printf(b,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                  "font-family=\"system-ui,sans-serif\" role=\"img\" aria-label=\"",
                  w, h, w, h);
    say_graph(s, b);
    mp_buf_puts(b, "\">\n");
    if (s->title) {
        mp_buf_puts(b, "<text x=\"1\" y=\"15\" font-size=\"14\" font-weight=\"600\" fill=\"currentColor\">");
        mp_html_text(b, s->title);
        mp_buf_puts(b, "</text>\n");
    }
    for (int i = 0; i < s->levels; i++) {
        panel p = { .spec = s,
                    .level = &s->level[i],
                    .left = 1 + i * (PANEL + GAP),
                    .top = title + HEAD,
                    .radius = radius_for(s->nodes) };
        draw_panel(&p, i + 1, b);
    }
    draw_legend(title + HEAD + PANEL + 16, b);
    mp_buf_puts(b, "</svg>\n");
}
