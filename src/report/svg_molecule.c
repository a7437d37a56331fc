/* svg_molecule.c - a molecule at one level of pooling, as chemists draw it: bonds as lines, carbon where they meet, letters for
 * other atoms. See svg_panel.h.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"
#include "report/svg_panel.h"

#include <math.h>
#include <string.h>

#define INK    "#1c2430"
#define BOND   38.0 /* pixels of a bond, where the molecule leaves room for it */
#define MARGIN 34.0
#define NARROW 300.0 /* of a panel: the line above it needs that */
#define LOW    190.0
#define LARGE  680.0

/* Parts of a bond's length. */
#define DISC   0.36 /* radius behind an atom       */
#define LETTER 0.40 /* size of the letters         */
#define CLEAR  0.27 /* between a letter and a line */
#define APART  0.15 /* between the lines of a bond */
#define HALO   0.08 /* around letters              */
#define INNER  0.13 /* by which the second one is shorter at each end */

void mp_svg_molecule_size(const mp_depict *d, double *width, double *height, double *bond)
{
    double w = d->right - d->left, h = d->bottom - d->top, most = w > h ? w : h;
    *bond = most * BOND + 2 * MARGIN > LARGE ? (LARGE - 2 * MARGIN) / most : BOND;
    *width = fmax(NARROW, ceil(w * *bond + 2 * MARGIN));
    *height = fmax(LOW, ceil(h * *bond + 2 * MARGIN));
}

typedef struct point {
    double x, y;
} point;

static point place(const mp_svg_panel *p, int v)
{
    const mp_depict *d = p->spec->molecule;
    return (point){ p->left + p->width / 2 + (d->atom[v].x - (d->left + d->right) / 2) * p->radius,
                    p->top + p->height / 2 + (d->atom[v].y - (d->top + d->bottom) / 2) * p->radius };
}

static bool in_level(const mp_svg_level *l, int v)
{
    for (int i = 0; i < l->nodes; i++)
        if (l->node[i] == v) return true;
    return false;
}

/* ---- discs ---- */

static void draw_disc(const mp_svg_panel *p, int i, mp_buf *b)
{
    point at = place(p, p->level->node[i]);
    bool kept = p->level->kept && p->level->kept[i];
    mp_buf_puts(b, "<g>");
    mp_svg_about_node(p, i, b);
    mp_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"", at.x, at.y, DISC * p->radius);
    mp_svg_shade(p->spec, mp_svg_share(p, i), b);
    mp_buf_printf(b, "\" stroke=\"%s\" stroke-width=\"%.1f\"/></g>\n", kept ? MP_SVG_RING : MP_SVG_EDGE,
                  (kept ? 0.065 : 0.02) * p->radius);
}

/* ---- bonds ---- */

/* From one point to another, without the parts at its ends; shifted by `aside` to the right of its way. */
static void put_line(point from, point to, double less_from, double less_to, double aside, const char *more, mp_buf *b)
{
    double x = to.x - from.x, y = to.y - from.y, length = hypot(x, y);
    if (!(length > less_from + less_to)) return;
    x /= length;
    y /= length;
    mp_buf_printf(b, "<path d=\"M%.1f %.1fL%.1f %.1f\"%s/>", from.x + x * less_from - y * aside,
                  from.y + y * less_from + x * aside, to.x - x * less_to - y * aside, to.y - y * less_to + x * aside,
                  more);
}

static void draw_bond(const mp_svg_panel *p, const mp_depict_bond *bond, mp_buf *b)
{
    const mp_depict_atom *atom = p->spec->molecule->atom;
    point from = place(p, bond->from), to = place(p, bond->to);
    double unit = p->radius, apart = APART * unit, clear = CLEAR * unit, inner = INNER * unit;
    double less_from = atom[bond->from].letters ? clear : 0, less_to = atom[bond->to].letters ? clear : 0;
    char dashes[64];
    mp_format(dashes, sizeof dashes, " stroke-dasharray=\"%.1f %.1f\"", 0.11 * unit, 0.08 * unit);
    if (bond->look == MP_BOND_DOUBLE && bond->side == 0) {
        put_line(from, to, less_from, less_to, apart / 2, "", b);
        put_line(from, to, less_from, less_to, -apart / 2, "", b);
        return;
    }
    put_line(from, to, less_from, less_to, 0, bond->look == MP_BOND_OTHER ? dashes : "", b);
    if (bond->look == MP_BOND_TRIPLE) {
        put_line(from, to, less_from, less_to, apart, "", b);
        put_line(from, to, less_from, less_to, -apart, "", b);
    } else if (bond->side != 0) {
        put_line(from, to, fmax(less_from, inner), fmax(less_to, inner), bond->side * apart,
                 bond->look == MP_BOND_AROMATIC ? dashes : "", b);
    }
}

/* Those between two atoms of the level, or the others. */
static void draw_bonds(const mp_svg_panel *p, bool inside, mp_buf *b)
{
    const mp_depict *d = p->spec->molecule;
    mp_buf_printf(b, "<g class=\"%s\" stroke=\"" INK "\" stroke-width=\"%.2f\" stroke-linecap=\"round\"%s>",
                  inside ? "bonds" : "faint", 0.045 * p->radius, inside ? "" : " stroke-opacity=\".22\"");
    for (int e = 0; e < d->bonds; e++) {
        bool both = in_level(p->level, d->bond[e].from) && in_level(p->level, d->bond[e].to);
        if (both == inside) draw_bond(p, &d->bond[e], b);
    }
    mp_buf_puts(b, "</g>\n");
}

static bool is_bond(const mp_depict *d, int from, int to)
{
    for (int e = 0; e < d->bonds; e++)
        if ((d->bond[e].from == from && d->bond[e].to == to) || (d->bond[e].from == to && d->bond[e].to == from))
            return true;
    return false;
}

static bool is_new(const mp_depict *d, const mp_svg_level *l, int e)
{
    return l->from[e] != l->to[e] && !is_bond(d, l->from[e], l->to[e]);
}

bool mp_svg_has_new_edges(const mp_svg_graph_spec *s)
{
    for (int i = 0; i < s->levels; i++)
        for (int e = 0; e < s->level[i].edges; e++)
            if (is_new(s->molecule, &s->level[i], e)) return true;
    return false;
}

static void draw_new_edges(const mp_svg_panel *p, mp_buf *b)
{
    const mp_svg_level *l = p->level;
    double less = DISC * p->radius;
    mp_buf_puts(b, "<g class=\"new\" stroke=\"" MP_SVG_EDGE "\" stroke-width=\".9\" stroke-dasharray=\"2 3\">");
    for (int e = 0; e < l->edges; e++)
        if (is_new(p->spec->molecule, l, e)) put_line(place(p, l->from[e]), place(p, l->to[e]), less, less, 0, "", b);
    mp_buf_puts(b, "</g>\n");
}

/* ---- letters ---- */

static void put_text(double x, double y, double size, const char *text, mp_buf *b)
{
    mp_buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\">", x, y + 0.36 * size, size);
    mp_html_text(b, text);
    mp_buf_puts(b, "</text>");
}

/* Parts of the size of letters: a symbol, an H, a small digit. */
static double wide(const char *symbol)
{
    return strlen(symbol) > 1 ? 1.2 : 0.74;
}
#define H_WIDE     0.74
#define DIGIT_WIDE 0.42
#define SMALL      0.7

/* "+", "2-": with the true minus. */
static void charge_text(int charge, char out[16])
{
    int n = charge < 0 ? -charge : charge;
    const char *sign = charge < 0 ? "\xE2\x88\x92" : "+";
    if (n > 1)
        mp_format(out, 16, "%d%s", n, sign);
    else
        mp_format(out, 16, "%s", sign);
}

/* The symbol is where the atom is; hydrogens and their number, then the charge, find room beside it. */
static void draw_letters(const mp_svg_panel *p, int v, mp_buf *b)
{
    const mp_depict_atom *t = &p->spec->molecule->atom[v];
    double size = LETTER * p->radius, half = wide(t->symbol) / 2, end = half; /* where the charge begins */
    point at = place(p, v);
    put_text(at.x, at.y, size, t->symbol, b);
    if (t->hydrogens > 0) {
        double x = 0, y = 0, digit = t->hydrogens > 1 ? DIGIT_WIDE : 0;
        if (t->side == MP_SIDE_RIGHT) x = half + H_WIDE / 2;
        if (t->side == MP_SIDE_LEFT) x = -half - digit - H_WIDE / 2;
        if (t->side == MP_SIDE_ABOVE) y = -0.92;
        if (t->side == MP_SIDE_BELOW) y = 0.92;
        if (t->side == MP_SIDE_RIGHT) end = half + H_WIDE + digit;
        put_text(at.x + x * size, at.y + y * size, size, "H", b);
        char count[16];
        mp_format(count, sizeof count, "%d", t->hydrogens);
        if (digit > 0)
            put_text(at.x + (x + (H_WIDE + digit) / 2) * size, at.y + (y + 0.28) * size, SMALL * size, count, b);
    }
    if (t->charge) {
        char charge[16];
        charge_text(t->charge, charge);
        end += (t->charge * t->charge > 1 ? 2 : 1) * DIGIT_WIDE / 2;
        put_text(at.x + end * size, at.y - 0.34 * size, SMALL * size, charge, b);
    }
}

void mp_svg_molecule(const mp_svg_panel *p, mp_buf *b)
{
    const mp_depict *d = p->spec->molecule;
    for (int i = 0; i < p->level->nodes; i++) draw_disc(p, i, b);
    mp_buf_puts(b, "<g pointer-events=\"none\">\n"); /* the words of a disc are found below its letters */
    draw_new_edges(p, b);
    draw_bonds(p, false, b);
    draw_bonds(p, true, b);
    mp_buf_printf(b,
                  "<g fill=\"" INK "\" text-anchor=\"middle\" stroke=\"#fff\" stroke-width=\"%.1f\" "
                  "stroke-opacity=\".8\" paint-order=\"stroke\">", /* letters reach over the rims of discs */
                  HALO * p->radius);
    for (int v = 0; v < d->atoms; v++) {
        if (!d->atom[v].letters) continue;
        bool inside = in_level(p->level, v);
        if (!inside) mp_buf_puts(b, "<g fill-opacity=\".35\" stroke=\"none\">");
        draw_letters(p, v, b);
        if (!inside) mp_buf_puts(b, "</g>");
    }
    mp_buf_puts(b, "</g>\n</g>\n");
}
