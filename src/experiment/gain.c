/* gain.c - see gain.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/gain.h"

#include <math.h>

typedef struct range { /* of a channel */
    double lo, hi;
} range;

typedef struct gains {
    int levels, channels[MP_LEVELS];
    range *range[MP_LEVELS];       /* graphs x channels */
    const double *unit[MP_LEVELS]; /* channels: what differences are multiplied with */
    double *printed, *edge;        /* graphs x MP_LEVELS; NAN: does not count */
} gains;

/* ---------------------------------------------------------------- ranges of channels */

static mp_err shape_of(void *arg, const mp_specimen *g)
{
    gains *w = arg;
    mp_trail trail;
    MP_TRY(mp_specimen_trail(g, 0, &trail));
    w->levels = trail.levels;
    for (int l = 0; l < trail.levels; l++) w->channels[l] = trail.level[l]->in->cols;
    return MP_OK;
}

static mp_err ranges_of(void *arg, const mp_specimen *g)
{
    gains *w = arg;
    mp_trail trail;
    MP_TRY(mp_specimen_trail(g, 0, &trail));
    for (int l = 0; l < trail.levels; l++) {
        const mp_mat *x = trail.level[l]->in;
        range *r = w->range[l] + (size_t)g->at * (size_t)x->cols;
        for (int c = 0; c < x->cols; c++) r[c] = (range){ (double)INFINITY, (double)-INFINITY };
        for (size_t i = 0, n = (size_t)x->rows * (size_t)x->cols; i < n; i++) {
            range *of = &r[i % (size_t)x->cols];
            of->lo = fmin(of->lo, (double)x->v[i]);
            of->hi = fmax(of->hi, (double)x->v[i]);
        }
    }
    return MP_OK;
}

/* Differences of scaled channels are differences over the range. */
static mp_err find_units(const mp_subject *s, bool scaled, mp_arena *a, gains *w)
{
    for (int l = 0; l < w->levels; l++) w->range[l] = MP_NEW(a, range, (size_t)s->n * (size_t)w->channels[l]);
    if (scaled) MP_TRY(mp_subject_each(s, ranges_of, w));
    for (int l = 0; l < w->levels; l++) {
        double *unit = MP_NEW(a, double, w->channels[l]);
        for (int c = 0; c < w->channels[l]; c++) {
            range all = { (double)INFINITY, (double)-INFINITY };
            for (int i = 0; i < s->n; i++) {
                const range *one = &w->range[l][(size_t)i * (size_t)w->channels[l] + (size_t)c];
                all.lo = fmin(all.lo, one->lo);
                all.hi = fmax(all.hi, one->hi);
            }
            unit[c] = !scaled ? 1 : all.hi > all.lo ? 1 / (all.hi - all.lo) : 0;
        }
        w->unit[l] = unit;
    }
    return MP_OK;
}

/* ---------------------------------------------------------------- gains */

static int edges_once(const mp_graph *g)
{
    int n = 0;
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) n += g->col[e] < v;
    return n;
}

static void gain_of(const mp_pooling *p, const double *unit, double *printed, double *edge)
{
    const mp_graph *g = p->g;
    const mp_mat *x = p->in;
    int C = x->cols, edges = edges_once(g);
    double sums = 0, squares = 0;
    for (int i = 0; i < p->keep_ptr[g->graphs]; i++) {
        const mp_real *own = x->v + (size_t)p->keep[i] * (size_t)C;
        for (int c = 0; c < C; c++) {
            double sum = 0;
            for (int e = g->row_ptr[p->keep[i]]; e < g->row_ptr[p->keep[i] + 1]; e++) {
                double d = unit[c] * ((double)own[c] - (double)x->v[(size_t)g->col[e] * (size_t)C + (size_t)c]);
                sum += d;
                squares += d * d;
            }
            sums += sum * sum;
        }
    }
    *printed = edges ? sums / ((double)edges * C) : (double)NAN;
    *edge = edges ? squares / ((double)edges * C) : (double)NAN;
}

static mp_err gains_of(void *arg, const mp_specimen *g)
{
    gains *w = arg;
    mp_trail trail;
    MP_TRY(mp_specimen_trail(g, 0, &trail));
    for (int l = 0; l < trail.levels; l++) {
        size_t at = (size_t)g->at * MP_LEVELS + (size_t)l;
        gain_of(trail.level[l], w->unit[l], &w->printed[at], &w->edge[at]);
    }
    return MP_OK;
}

static double mean_of(const double *v, int n, int level, int *counted)
{
    double sum = 0;
    *counted = 0;
    for (int i = 0; i < n; i++) {
        double one = v[(size_t)i * MP_LEVELS + (size_t)level];
        if (isnan(one)) continue;
        sum += one;
        ++*counted;
    }
    return *counted ? sum / *counted : (double)NAN;
}

mp_err mp_gain_find(const mp_subject *s, bool scaled, mp_arena *a, mp_gain *out)
{
    gains w = { .printed = MP_NEW(a, double, (size_t)s->n *MP_LEVELS),
                .edge = MP_NEW(a, double, (size_t)s->n *MP_LEVELS) };
    mp_subject first = *s;
    *out = (mp_gain){ 0 };
    if (s->n == 0) return MP_OK;
    first.n = first.threads = 1;
    MP_TRY(mp_subject_each(&first, shape_of, &w));
    MP_TRY(find_units(s, scaled, a, &w));
    MP_TRY(mp_subject_each(s, gains_of, &w));
    out->levels = w.levels;
    for (int l = 0; l < w.levels; l++) {
        out->printed[l] = mean_of(w.printed, s->n, l, &out->graphs[l]);
        out->edge[l] = mean_of(w.edge, s->n, l, &out->graphs[l]);
    }
    return MP_OK;
}
