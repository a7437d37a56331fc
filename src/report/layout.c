/* layout.c - the spring layout of Fruchterman & Reingold (1991).
 *
 *     pull along an edge:  d^2 / k       push between any two nodes:  k^2 / d       k = sqrt(1 / n)
 *
 * Each round moves every node along its total force, at most as far as a temperature that falls to zero. A
 * weak pull to the middle keeps separate parts of a graph on the page. Only +, -, *, / and sqrt are used,
 * all exactly rounded, so that pictures are the same everywhere.
 * SPDX-License-Identifier: MIT */
#include "report/layout.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

#define PAIRS   2e8 /* at most about so many pushes in all, for large graphs */
#define ROUNDS  600
#define GRAVITY 0.6

typedef struct place {
    double x, y;
} place;

static int rounds_for(int n)
{
    double afford = PAIRS / ((double)n * n + 1);
    return afford > ROUNDS ? ROUNDS : afford < 20 ? 20 : (int)afford;
}

static void push(int n, const place *at, double k, place *force)
{
    for (int v = 0; v < n; v++) {
        for (int u = v + 1; u < n; u++) {
            double dx = at[v].x - at[u].x, dy = at[v].y - at[u].y, d2 = dx * dx + dy * dy + 1e-12;
            double f = k * k / d2;
            force[v].x += f * dx;
            force[v].y += f * dy;
            force[u].x -= f * dx;
            force[u].y -= f * dy;
        }
    }
}

static void pull(const mp_graph *g, const place *at, double k, place *force)
{
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            double dx = at[g->col[e]].x - at[v].x, dy = at[g->col[e]].y - at[v].y;
            double f = sqrt(dx * dx + dy * dy) / k;
            force[v].x += f * dx;
            force[v].y += f * dy;
        }
        force[v].x += GRAVITY * (0.5 - at[v].x);
        force[v].y += GRAVITY * (0.5 - at[v].y);
    }
}

static void move(int n, const place *force, double limit, place *at)
{
    for (int v = 0; v < n; v++) {
        double length = sqrt(force[v].x * force[v].x + force[v].y * force[v].y);
        double step = length > limit ? limit / length : 1;
        at[v].x += step * force[v].x;
        at[v].y += step * force[v].y;
    }
}

/* Shifts and scales both axes alike to fill 0..1, and centres the shorter one. */
static void fit(int n, const place *at, double *x, double *y)
{
    double x0 = at[0].x, x1 = x0, y0 = at[0].y, y1 = y0;
    for (int v = 1; v < n; v++) {
        x0 = at[v].x < x0 ? at[v].x : x0;
        x1 = at[v].x > x1 ? at[v].x : x1;
        y0 = at[v].y < y0 ? at[v].y : y0;
        y1 = at[v].y > y1 ? at[v].y : y1;
    }
    double size = x1 - x0 > y1 - y0 ? x1 - x0 : y1 - y0;
    if (size <= 0) size = 1;
    for (int v = 0; v < n; v++) {
        x[v] = fmin(fmax(0.5 + (at[v].x - (x0 + x1) / 2) / size, 0), 1); /* rounding may leave a little beyond */
        y[v] = fmin(fmax(0.5 + (at[v].y - (y0 + y1) / 2) / size, 0), 1);
    }
}

void mp_layout_spring(const mp_graph *g, uint64_t seed, double *x, double *y)
{
    int n = g->nodes, rounds = rounds_for(n);
    if (n == 0) return;
    mp_arena *a = mp_arena_new(0);
    place *at = MP_NEW(a, place, n), *force = MP_NEW(a, place, n);
    mp_rng r = mp_rng_stream(seed, MP_FOR_LAYOUT, (uint64_t)n, 0, 0);
    double k = sqrt(1.0 / n);
    for (int v = 0; v < n; v++) {
        at[v].x = mp_rng_unit(&r);
        at[v].y = mp_rng_unit(&r);
    }
    for (int i = 0; i < rounds; i++) {
        for (int v = 0; v < n; v++) force[v] = (place){ 0, 0 };
        push(n, at, k, force);
        pull(g, at, k, force);
        move(n, force, 0.1 * (rounds - i) / rounds, at);
    }
    fit(n, at, x, y);
    mp_arena_free(a);
}
