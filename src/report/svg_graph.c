/* svg_graph.c - a graph or molecule at each level of pooling: scores as shades, kept nodes with a ring.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg_axis.h"
#include "report/svg_panel.h"

#include <math.h>

enum { PANEL = 300, MARGIN = 22, GAP = 16, HEAD = 24, FOOT = 40, MOST_SAID = 30 };

typedef mp_svg_panel panel;

static double node_x(const panel *p, int v)
{
    return p->left + MARGIN + p->spec->x[v] * (p->width - 2 * MARGIN);
}

static double node_y(const panel *p, int v)
{
    return p->top + MARGIN + p->spec->y[v] * (p->height - 2 * MARGIN);
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

/* From a pale to a deep blue: red, green and blue. */
static void shade_of(const mp_svg_graph_spec *s, double t, double out[3])
{
    static const double from[2][3] = { { 232, 240, 250 }, { 245, 248, 252 } };
    static const double to[2][3] = { { 17, 66, 122 }, { 79, 146, 214 } };
    for (int i = 0; i < 3; i++) out[i] = (int)mix(from[s->molecule != NULL][i], to[s->molecule != NULL][i], t);
}

void mp_svg_shade(const mp_svg_graph_spec *s, double t, mp_buf *b)
{
    double c[3];
    shade_of(s, t, c);
    mp_buf_printf(b, "rgb(%d,%d,%d)", (int)c[0], (int)c[1], (int)c[2]);
}

double mp_svg_share(const panel *p, int i)
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

void mp_svg_about_node(const panel *p, int i, mp_buf *b)
{
    const mp_svg_level *l = p->level;
    int v = l->node[i];
    mp_buf_printf(b, "<title>%s %d", p->spec->molecule ? "atom" : "node", v);
    if (p->spec->molecule) mp_buf_printf(b, " (%s)", p->spec->molecule->atom[v].symbol);
    if (l->score) mp_buf_printf(b, ", score %.4g", l->score[i]);
    if (l->kept) mp_buf_puts(b, l->kept[i] ? ", kept" : ", dropped");
    mp_buf_puts(b, "</title>");
}

static void draw_node(const panel *p, int i, mp_buf *b)
{
    const mp_svg_level *l = p->level;
    int v = l->node[i];
    double t = mp_svg_share(p, i), ground[3];
    shade_of(p->spec, t, ground);
    mp_buf_puts(b, "<g>");
    mp_svg_about_node(p, i, b);
    mp_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"", node_x(p, v), node_y(p, v), p->radius);
    mp_svg_shade(p->spec, t, b);
    if (l->kept && l->kept[i])
        mp_buf_printf(b, "\" stroke=\"" MP_SVG_RING "\" stroke-width=\"%.1f\"/>", p->radius > 4 ? 2.5 : 1.2);
    else
        mp_buf_puts(b, "\" stroke=\"" MP_SVG_EDGE "\" stroke-width=\".8\"/>");
    if (p->spec->label && p->radius >= 6) {
        mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"%.1f\" fill=\"%s\">",
                      node_x(p, v), node_y(p, v) + p->radius * 0.33, p->radius, mp_svg_ink(ground));
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

/* ", 2 kept: 4 7": their numbers in the input, where they are not too many to hear. Of atoms with their symbols: "N4 C7". */
static void put_kept(const mp_svg_graph_spec *s, const mp_svg_level *l, mp_buf *b)
{
    int kept = count_kept(l);
    mp_buf_printf(b, ", %d kept", kept);
    for (int i = 0, told = 0; kept <= MOST_SAID && i < l->nodes; i++)
        if (l->kept[i])
            mp_buf_printf(b, "%s %s%d", told++ ? "" : ":", s->molecule ? s->molecule->atom[l->node[i]].symbol : "",
                          l->node[i]);
}

static const char *node_word(const mp_svg_graph_spec *s)
{
    return s->molecule ? "atom" : "node";
}

static void draw_head(const panel *p, int number, mp_buf *b)
{
    mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" font-weight=\"600\" fill=\"currentColor\">",
                  p->left + 8, p->top - 8);
    put_level_name(p->level, number, b);
    mp_buf_printf(b, "<tspan font-weight=\"400\" fill-opacity=\".7\">  %d %s%s", p->level->nodes, node_word(p->spec),
                  mp_plural(p->level->nodes));
    if (p->level->kept) mp_buf_printf(b, ", %d kept", count_kept(p->level));
    if (p->hi >= p->lo) mp_buf_printf(b, ", scores %.2g to %.2g", p->lo, p->hi);
    mp_buf_puts(b, "</tspan></text>\n");
}

static void draw_panel(panel *p, int number, mp_buf *b)
{
    score_range(p);
    draw_head(p, number, b);
    mp_buf_printf(b,
                  "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" rx=\"6\" fill=\"%s\" "
                  "stroke=\"currentColor\" stroke-opacity=\".16\"/>\n",
                  p->left, p->top, p->width, p->height, p->spec->molecule ? "#fff" : "none");
    if (p->spec->molecule) {
        mp_svg_molecule(p, b);
        return;
    }
    draw_dropped(p, b);
    draw_edges(p, b);
    for (int i = 0; i < p->level->nodes; i++) draw_node(p, i, b);
}

static void draw_legend(const mp_svg_graph_spec *s, double y, mp_buf *b)
{
    mp_buf_printf(b, "<g font-size=\"11\" transform=\"translate(8 %.1f)\">", y);
    for (int i = 0; i < 12; i++) {
        mp_buf_printf(b, "<rect x=\"%d\" y=\"0\" width=\"7\" height=\"10\" fill=\"", 7 * i);
        mp_svg_shade(s, i / 11.0, b);
        mp_buf_puts(b, "\"/>");
    }
    mp_buf_puts(b, "<g fill=\"currentColor\"><text x=\"90\" y=\"9\">low to high score</text>"
                   "<text x=\"216\" y=\"9\">kept</text><text x=\"268\" y=\"9\">dropped here</text></g>"
                   "<circle cx=\"206\" cy=\"5\" r=\"5\" fill=\"none\" stroke=\"" MP_SVG_RING "\" stroke-width=\"2.5\"/>"
                   "<circle cx=\"258\" cy=\"5\" r=\"5\" fill=\"none\" stroke=\"" MP_SVG_EDGE "\"/>");
    if (s->molecule && s->levels > 1)
        mp_buf_puts(b, "<text x=\"356\" y=\"9\" fill=\"currentColor\">faint: dropped before</text>");
    if (s->molecule && mp_svg_has_new_edges(s))
        mp_buf_puts(b, "<text x=\"482\" y=\"9\" fill=\"currentColor\">dotted: joined by pooling</text>");
    mp_buf_puts(b, "</g>\n");
}

static void say_graph(const mp_svg_graph_spec *s, mp_buf *b)
{
    mp_svg_say_title(s->title, b);
    mp_buf_printf(b, s->views ? "A %s of %d %s%s in %d view%s." : "A %s of %d %s%s at %d level%s of pooling.",
                  s->molecule ? "molecule" : "graph", s->nodes, node_word(s), mp_plural(s->nodes), s->levels,
                  mp_plural(s->levels));
    for (int i = 0; i < s->levels; i++) {
        mp_buf_puts(b, " ");
        put_level_name(&s->level[i], i + 1, b);
        mp_buf_printf(b, ": %d %s%s", s->level[i].nodes, node_word(s), mp_plural(s->level[i].nodes));
        if (s->level[i].kept) put_kept(s, &s->level[i], b);
        mp_buf_puts(b, ".");
    }
}

mp_svg_level mp_svg_column(const mp_svg_level *l, int column, mp_arena *a)
{
    mp_svg_level one = *l;
    double *score = MP_NEW(a, double, l->nodes + 1);
    for (int v = 0; v < l->nodes; v++) score[v] = l->column[(size_t)v * (size_t)l->columns + (size_t)column];
    one.score = score;
    one.title = mp_arena_printf(a, "column %d", column + 1);
    return one;
}

void mp_svg_graph(const mp_svg_graph_spec *s, mp_buf *b)
{
    int title = s->title ? 22 : 0;
    double width = PANEL, height = PANEL, radius = radius_for(s->nodes);
    if (s->molecule) mp_svg_molecule_size(s->molecule, &width, &height, &radius);
    int w = s->levels * ((int)width + GAP) - GAP + 2, h = title + HEAD + (int)height + FOOT;
    int legend = s->molecule && s->levels > 1 ? 640 : 372;
    if (w < legend) w = legend;
    mp_svg_open(b, w, h);
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
                    .left = 1 + i * (width + GAP),
                    .top = title + HEAD,
                    .width = width,
                    .height = height,
                    .radius = radius };
        draw_panel(&p, i + 1, b);
    }
    draw_legend(s, title + HEAD + height + 16, b);
    mp_buf_puts(b, "</svg>\n");
}
