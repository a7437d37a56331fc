/* depict.c - see depict.h.
 * SPDX-License-Identifier: MIT */
#include "report/depict.h"

#include <math.h>
#include <string.h>

#define LENGTH      1.5 /* of a bond, as coordinates of molecules have it */
#define PARTS_APART 1.8 /* bonds */

/* Columns of the features, and what they say. */
enum { CHARGE = 3, CHARGES = 11, CHARGE_0 = 5, HYDROGENS = 4, RADICALS = 5 };

typedef struct work {
    const mp_molecule *m;
    const int *ptr, *other, *bond; /* atom v has the neighbours other[ptr[v]] ..., by these bonds */
    int *queue, *came;             /* atoms each: on a walk, those to go on from, and where one came from */
    mp_depict_atom *atom;
} work;

static void list_neighbours(work *w, mp_arena *a)
{
    const mp_molecule *m = w->m;
    int *ptr = MP_NEW(a, int, m->atoms + 1), *next = MP_NEW(a, int, m->atoms + 1);
    int *other = MP_NEW(a, int, 2 * m->bonds), *bond = MP_NEW(a, int, 2 * m->bonds);
    for (int e = 0; e < m->bonds; e++) {
        ptr[m->from[e] + 1]++;
        ptr[m->to[e] + 1]++;
    }
    for (int v = 0; v < m->atoms; v++) ptr[v + 1] += ptr[v];
    memcpy(next, ptr, ((size_t)m->atoms + 1) * sizeof *next);
    for (int e = 0; e < m->bonds; e++) {
        for (int end = 0; end < 2; end++) {
            int at = next[end ? m->to[e] : m->from[e]]++;
            other[at] = end ? m->from[e] : m->to[e];
            bond[at] = e;
        }
    }
    w->ptr = ptr;
    w->other = other;
    w->bond = bond;
}

static int degree(const work *w, int v)
{
    return w->ptr[v + 1] - w->ptr[v];
}

/* ---- atoms ---- */

/* Alone, hydrogens stand where formulas have them: H2O and HCl, but CH4 and NH3. */
static mp_depict_side side_alone(const char *symbol)
{
    static const char *const before[] = { "O", "S", "Se", "Te", "F", "Cl", "Br", "I" };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strcmp(symbol, before[i]) == 0) return MP_SIDE_LEFT;
    return MP_SIDE_RIGHT;
}

/* Away from the bonds; above or below only between bonds to both sides. */
static mp_depict_side free_side(const work *w, int v)
{
    double x = 0, y = 0;
    if (degree(w, v) == 0) return side_alone(w->m->symbol[v]);
    for (int k = w->ptr[v]; k < w->ptr[v + 1]; k++) {
        x += w->atom[w->other[k]].x - w->atom[v].x;
        y += w->atom[w->other[k]].y - w->atom[v].y;
    }
    if (degree(w, v) > 1 && fabs(y) > fabs(x)) return y > 0 ? MP_SIDE_ABOVE : MP_SIDE_BELOW;
    return x > 0.1 ? MP_SIDE_LEFT : MP_SIDE_RIGHT;
}

/* The atoms that hang together with v, in the queue; `part` is their number from now on. */
static int take_part(work *w, int v, int part)
{
    int tail = 0;
    w->came[v] = part;
    w->queue[tail++] = v;
    for (int head = 0; head < tail; head++) {
        for (int k = w->ptr[w->queue[head]]; k < w->ptr[w->queue[head] + 1]; k++) {
            if (w->came[w->other[k]] >= 0) continue;
            w->came[w->other[k]] = part;
            w->queue[tail++] = w->other[k];
        }
    }
    return tail;
}

/* Parts that no bond joins, the ions of a salt, stand in a row: beside each other their letters would not find room. */
static void set_apart(work *w)
{
    double right = 0;
    for (int v = 0; v < w->m->atoms; v++) w->came[v] = -1;
    for (int v = 0, part = 0; v < w->m->atoms; v++) {
        if (w->came[v] >= 0) continue;
        int n = take_part(w, v, part++);
        const mp_depict_atom *first = &w->atom[v];
        double lo_x = first->x, hi_x = lo_x, lo_y = first->y, hi_y = lo_y;
        for (int i = 1; i < n; i++) {
            const mp_depict_atom *t = &w->atom[w->queue[i]];
            lo_x = fmin(lo_x, t->x);
            hi_x = fmax(hi_x, t->x);
            lo_y = fmin(lo_y, t->y);
            hi_y = fmax(hi_y, t->y);
        }
        for (int i = 0; i < n; i++) {
            w->atom[w->queue[i]].x += right - lo_x;
            w->atom[w->queue[i]].y -= (lo_y + hi_y) / 2;
        }
        right += hi_x - lo_x + PARTS_APART;
    }
}

static void set_atoms(work *w, mp_depict *out)
{
    const mp_molecule *m = w->m;
    for (int v = 0; v < m->atoms; v++) {
        mp_depict_atom *t = &w->atom[v];
        const int *f = m->atom + (size_t)v * MP_ATOM_COLUMNS;
        t->symbol = m->symbol[v];
        t->x = (double)m->place[2 * v] / LENGTH;
        t->y = -(double)m->place[2 * v + 1] / LENGTH;
        t->charge = f[CHARGE] < CHARGES ? f[CHARGE] - CHARGE_0 : 0;
        t->hydrogens = f[HYDROGENS];
        t->letters = strcmp(t->symbol, "C") != 0 || degree(w, v) == 0 || t->charge || f[RADICALS];
    }
    set_apart(w);
    for (int v = 0; v < m->atoms; v++) {
        const mp_depict_atom *t = &w->atom[v];
        if (v == 0 || t->x < out->left) out->left = t->x;
        if (v == 0 || t->x > out->right) out->right = t->x;
        if (v == 0 || t->y < out->top) out->top = t->y;
        if (v == 0 || t->y > out->bottom) out->bottom = t->y;
    }
    for (int v = 0; v < m->atoms; v++) w->atom[v].side = free_side(w, v);
}

/* ---- bonds ---- */

static bool usable(const work *w, int e, int without)
{
    const int *look = w->m->bond;
    bool aromatic = look[(size_t)without * MP_BOND_COLUMNS] == MP_BOND_AROMATIC;
    return e != without && (!aromatic || look[(size_t)e * MP_BOND_COLUMNS] == MP_BOND_AROMATIC);
}

/* The centre of the smallest ring that bond e closes, an aromatic one by aromatic bonds alone; false: it closes none. */
static bool ring_centre(work *w, int e, double *x, double *y)
{
    int from = w->m->from[e], to = w->m->to[e], head = 0, tail = 0, size = 0;
    for (int v = 0; v < w->m->atoms; v++) w->came[v] = -1;
    w->came[from] = from;
    w->queue[tail++] = from;
    while (head < tail && w->came[to] < 0) {
        int v = w->queue[head++];
        for (int k = w->ptr[v]; k < w->ptr[v + 1]; k++) {
            if (w->came[w->other[k]] >= 0 || !usable(w, w->bond[k], e)) continue;
            w->came[w->other[k]] = v;
            w->queue[tail++] = w->other[k];
        }
    }
    if (w->came[to] < 0) return false;
    *x = *y = 0;
    for (int v = to;; v = w->came[v]) {
        *x += w->atom[v].x;
        *y += w->atom[v].y;
        size++;
        if (v == from) break;
    }
    *x /= size;
    *y /= size;
    return true;
}

/* On which side of the way from -> to a point lies: above 0 is a quarter turn to the right, seen with y downwards. */
static double side_of(const work *w, int e, double x, double y)
{
    const mp_depict_atom *p = &w->atom[w->m->from[e]], *q = &w->atom[w->m->to[e]];
    return (q->x - p->x) * (y - p->y) - (q->y - p->y) * (x - p->x);
}

/* Into the ring; in a chain towards more neighbours; at its end on both sides. */
static int second_line(work *w, int e)
{
    int end[2] = { w->m->from[e], w->m->to[e] }, votes = 0;
    double x, y;
    if (ring_centre(w, e, &x, &y)) return side_of(w, e, x, y) >= 0 ? 1 : -1;
    if (degree(w, end[0]) == 1 || degree(w, end[1]) == 1) return 0;
    for (int i = 0; i < 2; i++) {
        for (int k = w->ptr[end[i]]; k < w->ptr[end[i] + 1]; k++) {
            int u = w->other[k];
            if (u != end[1 - i]) votes += side_of(w, e, w->atom[u].x, w->atom[u].y) > 0 ? 1 : -1;
        }
    }
    return votes >= 0 ? 1 : -1;
}

void mp_depict_of(const mp_molecule *m, mp_arena *a, mp_depict *out)
{
    *out = (mp_depict){ .atoms = m->atoms, .bonds = m->bonds };
    work w = { .m = m,
               .queue = MP_NEW(a, int, m->atoms),
               .came = MP_NEW(a, int, m->atoms),
               .atom = MP_NEW(a, mp_depict_atom, m->atoms) };
    mp_depict_bond *bond = MP_NEW(a, mp_depict_bond, m->bonds);
    list_neighbours(&w, a);
    set_atoms(&w, out);
    for (int e = 0; e < m->bonds; e++) {
        mp_depict_look look = (mp_depict_look)m->bond[(size_t)e * MP_BOND_COLUMNS];
        bool sided = look == MP_BOND_DOUBLE || look == MP_BOND_AROMATIC;
        bond[e] = (mp_depict_bond){ m->from[e], m->to[e], look, sided ? second_line(&w, e) : 0 };
    }
    out->atom = w.atom;
    out->bond = bond;
}
