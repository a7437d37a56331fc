/* columns.c - see columns.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/columns.h"

#include <math.h>

typedef struct scores {
    int levels, columns;
    int *first;               /* graphs: row of its first node among all nodes */
    int *nodes;               /* graphs x MP_LEVELS: that enter the pooling */
    double *level[MP_LEVELS]; /* rows x columns; a graph has its rows from `first` on */
} scores;

static mp_err shape_of(void *arg, const mp_specimen *g)
{
    scores *w = arg;
    mp_trail trail;
    MP_TRY(mp_specimen_trail(g, 0, &trail));
    w->levels = trail.levels;
    w->columns = trail.level[0]->score->cols;
    return MP_OK;
}

static mp_err scores_of(void *arg, const mp_specimen *g)
{
    scores *w = arg;
    mp_trail trail;
    MP_TRY(mp_specimen_trail(g, 0, &trail));
    for (int l = 0; l < trail.levels; l++) {
        const mp_mat *s = trail.level[l]->score;
        double *to = w->level[l] + (size_t)w->first[g->at] * (size_t)s->cols;
        w->nodes[g->at * MP_LEVELS + l] = s->rows;
        for (size_t i = 0, n = (size_t)s->rows * (size_t)s->cols; i < n; i++) to[i] = (double)s->v[i];
    }
    return MP_OK;
}

/* Adds what one graph has of the products of columns, its means taken off. */
static void add_products(double *score, int nodes, int h, double *product)
{
    for (int c = 0; c < h; c++) {
        double mean = 0;
        for (int v = 0; v < nodes; v++) mean += score[(size_t)v * (size_t)h + (size_t)c] / nodes;
        for (int v = 0; v < nodes; v++) score[(size_t)v * (size_t)h + (size_t)c] -= mean;
    }
    for (int v = 0; v < nodes; v++, score += h)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < h; j++) product[i * h + j] += score[i] * score[j];
}

/* Rounding leaves something of a column that does not vary. */
static bool varies(double square, int nodes)
{
    return square > 1e-12 * nodes;
}

static mp_alike judge(const double *product, int h, int nodes, mp_arena *a)
{
    double *r = MP_NEW(a, double, (size_t)h *(size_t)h), sum = 0, squares = 0;
    int pairs = 0, live = 0;
    for (int i = 0; i < h; i++) {
        live += varies(product[i * h + i], nodes);
        for (int j = 0; j < h; j++) {
            bool both = varies(product[i * h + i], nodes) && varies(product[j * h + j], nodes);
            r[i * h + j] = both ? product[i * h + j] / sqrt(product[i * h + i] * product[j * h + j]) : (double)NAN;
            if (!both) continue;
            squares += r[i * h + j] * r[i * h + j];
            if (i >= j) continue;
            sum += fabs(r[i * h + j]);
            pairs++;
        }
    }
    return (mp_alike){ pairs ? sum / pairs : (double)NAN, live ? (double)live * live / squares : (double)NAN, r };
}

mp_err mp_alikes_find(const mp_subject *s, mp_arena *a, mp_alikes *out)
{
    scores w = { .first = MP_NEW(a, int, s->n), .nodes = MP_NEW(a, int, (size_t)s->n *MP_LEVELS) };
    mp_subject one = *s;
    int rows = 0;
    *out = (mp_alikes){ 0 };
    if (s->n == 0) return MP_OK;
    for (int i = 0; i < s->n; i++) {
        w.first[i] = rows;
        rows += mp_subject_nodes(s, i);
    }
    one.n = one.threads = 1;
    MP_TRY(mp_subject_each(&one, shape_of, &w));
    int h = w.columns;
    for (int l = 0; l < w.levels; l++) w.level[l] = MP_NEW(a, double, (size_t)rows *(size_t)h);
    MP_TRY(mp_subject_each(s, scores_of, &w));
    out->levels = w.levels;
    out->columns = h;
    for (int l = 0; l < w.levels; l++) {
        double *product = MP_NEW(a, double, (size_t)h *(size_t)h);
        int nodes = 0;
        for (int i = 0; i < s->n; i++) {
            int own = w.nodes[i * MP_LEVELS + l];
            add_products(w.level[l] + (size_t)w.first[i] * (size_t)h, own, h, product);
            nodes += own;
        }
        out->level[l] = judge(product, h, nodes, a);
    }
    return MP_OK;
}
