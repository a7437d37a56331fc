/* signal.c - see signal.h. Formulas: math.md 6.5; Defferrard et al., "PyGSP: Graph Signal Processing in Python".
 * SPDX-License-Identifier: MIT */
#include "data/signal.h"
#include "data/david.h"
#include "data/sketch.h"
#include "math/turn.h"

#include <math.h>
#include <string.h>

enum { FOR_COMMUNITY = 11, FOR_DAVID }; /* second number of a stream: generate.c has the smaller ones */
enum { NODES_MOST = 20000 };            /* pairs are looked at one by one */

typedef struct point {
    double x, y;
} point;

typedef struct drawing { /* a graph as it grows */
    mp_arena *a;
    int nodes, edges, room;
    point *at;      /* nodes */
    uint64_t *edge; /* i << 32 | j, i < j */
} drawing;

static drawing blank(mp_arena *a, int nodes)
{
    return (drawing){ .a = a, .nodes = nodes, .at = MP_NEW(a, point, nodes) };
}

static void join(drawing *d, int i, int j)
{
    if (d->edges == d->room) {
        d->room = mp_room(d->room, (int64_t)d->edges + 1, 256, "edges");
        MP_MORE(d->a, d->edge, d->edges, d->room);
    }
    d->edge[d->edges++] = (uint64_t)(i < j ? i : j) << 32 | (uint64_t)(i < j ? j : i);
}

static double square_distance(const drawing *d, int i, int j)
{
    double x = d->at[i].x - d->at[j].x, y = d->at[i].y - d->at[j].y;
    return x * x + y * y;
}

static void join_near(drawing *d, int first, int end, double most)
{
    for (int i = first; i < end; i++)
        for (int j = i + 1; j < end; j++)
            if (square_distance(d, i, j) <= most * most) join(d, i, j);
}

static void put_coordinates(const drawing *d, mp_arena *a, mp_raw *out)
{
    int count = 0, *ptr = MP_NEW(a, int, d->nodes + 1), *col = MP_NEW_RAW(a, int, 2 * (size_t)d->nodes);
    mp_real *val = MP_NEW_RAW(a, mp_real, 2 * (size_t)d->nodes);
    for (int v = 0; v < d->nodes; v++) {
        const double xy[2] = { d->at[v].x, d->at[v].y };
        for (int k = 0; k < 2; k++) {
            if ((mp_real)xy[k] == 0) continue;
            col[count] = k;
            val[count++] = (mp_real)xy[k];
        }
        ptr[v + 1] = count;
    }
    out->attributes = (mp_sparse){ .rows = d->nodes, .cols = 2, .ptr = ptr, .col = col, .val = val };
}

static mp_err finish(const drawing *d, const char *set, mp_arena *a, mp_raw *out)
{
    mp_sketch s = { .nodes = d->nodes, .edges = d->edges, .edge = d->edge };
    const mp_sketch *list[] = { &s };
    mp_sketch_sort(&s);
    MP_TRY(mp_sketch_raw(list, 1, set, a, out));
    out->graph_label = NULL;
    put_coordinates(d, a, out);
    return MP_OK;
}

/* ---- ring and grid ---- */

static mp_err make_ring(const mp_signal_options *o, mp_arena *a, mp_raw *out)
{
    if (o->nodes < 3) return mp_fail(MP_ERR_USAGE, "a ring of %d nodes: expected at least 3", o->nodes);
    drawing d = blank(a, o->nodes);
    for (int v = 0; v < d.nodes; v++) {
        double turn = 2.0 * v / d.nodes;
        d.at[v] = (point){ mp_cos_pi(turn), mp_sin_pi(turn) };
        join(&d, v, (v + 1) % d.nodes);
    }
    return finish(&d, "RING", a, out);
}

static mp_err make_grid(const mp_signal_options *o, mp_arena *a, mp_raw *out)
{
    int n = o->side;
    drawing d = blank(a, n * n);
    for (int row = 0; row < n; row++)
        for (int col = 0; col < n; col++) {
            int v = row * n + col;
            d.at[v] = (point){ (double)col / n, (double)(n - 1 - row) / n };
            if (col + 1 < n) join(&d, v, v + 1);
            if (row + 1 < n) join(&d, v, v + n);
        }
    return finish(&d, "GRID", a, out);
}

/* ---- communities ---- */

/* Where each community begins: its least size, and the other nodes wherever they fall. */
static const int *draw_sizes(mp_rng *rng, int nodes, int communities, mp_arena *a)
{
    int least = (int)rint(nodes / (3.0 * communities)), *first = MP_NEW(a, int, communities + 1);
    for (int c = 0; c < communities; c++) first[c + 1] = least;
    for (int i = 0; i < nodes - least * communities; i++) first[1 + mp_rng_below(rng, communities)]++;
    for (int c = 0; c < communities; c++) first[c + 1] += first[c];
    return first;
}

static void place_communities(mp_rng *rng, drawing *d, const int *first, int communities)
{
    double radius = sqrt((double)d->nodes);
    for (int c = 0; c < communities; c++) {
        double turn = 2.0 * (c + 1) / communities, spread = sqrt((double)(first[c + 1] - first[c]));
        for (int v = first[c]; v < first[c + 1]; v++) {
            double far = spread * mp_rng_unit(rng), around = 2 * mp_rng_unit(rng);
            d->at[v].x = radius * mp_cos_pi(turn) + far * mp_cos_pi(around);
            d->at[v].y = radius * mp_sin_pi(turn) + far * mp_sin_pi(around);
        }
    }
}

static int community_of(const int *first, int v)
{
    int c = 0;
    while (first[c + 1] <= v) c++;
    return c;
}

/* floor((N^2 - sum of squared sizes) / 2N) different pairs of different communities. */
static void join_communities(mp_rng *rng, drawing *d, const int *first, int communities)
{
    int64_t pairs = (int64_t)d->nodes * d->nodes;
    for (int c = 0; c < communities; c++) pairs -= (int64_t)(first[c + 1] - first[c]) * (first[c + 1] - first[c]);
    int wanted = (int)(pairs / (2 * (int64_t)d->nodes)), within = d->edges;
    while (d->edges - within < wanted) {
        int i = mp_rng_below(rng, d->nodes), j = mp_rng_below(rng, d->nodes), k = within;
        if (community_of(first, i) == community_of(first, j)) continue;
        join(d, i, j);
        while (d->edge[k] != d->edge[d->edges - 1]) k++;
        if (k < d->edges - 1) d->edges--; /* it is there already */
    }
}

static mp_err make_community(const mp_signal_options *o, mp_arena *a, mp_raw *out)
{
    int communities = (int)rint(sqrt((double)o->nodes) / 2);
    if (communities < 2)
        return mp_fail(MP_ERR_USAGE, "communities of %d nodes: expected at least 9 nodes, which make two", o->nodes);
    mp_rng rng = mp_rng_stream((uint64_t)o->seed, MP_FOR_DATA, FOR_COMMUNITY, 0, 0);
    drawing d = blank(a, o->nodes);
    const int *first = draw_sizes(&rng, d.nodes, communities, a);
    place_communities(&rng, &d, first, communities);
    for (int c = 0; c < communities; c++) join_near(&d, first[c], first[c + 1], sqrt(2 * sqrt((double)d.nodes)) / 2);
    join_communities(&rng, &d, first, communities);
    return finish(&d, "COMMUNITY", a, out);
}

/* ---- sensors ---- */

/* exp(-d^2 / 2 s^2) >= T holds up to d = cut, since s^2 = -cut^2 / (2 ln T). */
static mp_err make_david(const mp_signal_options *o, mp_arena *a, mp_raw *out)
{
    mp_rng rng = mp_rng_stream((uint64_t)o->seed, MP_FOR_DATA, FOR_DAVID, 0, 0);
    drawing d = blank(a, o->nodes);
    for (int v = 0; v < d.nodes; v++) {
        bool stored = d.nodes == MP_DAVID_NODES;
        d.at[v].x = stored ? mp_david[v][0] : mp_rng_unit(&rng);
        d.at[v].y = stored ? mp_david[v][1] : mp_rng_unit(&rng);
    }
    double cut = -0.125 * d.nodes / 436.075 + 0.2183;
    if (cut > 0) join_near(&d, 0, d.nodes, cut);
    return finish(&d, "DAVID", a, out);
}

/* ---- the list ---- */

const mp_signal mp_signals[] = {
    { "ring", "RING", { .nodes = 200 }, make_ring },
    { "grid", "GRID", { .side = 30 }, make_grid },
    { "community", "COMMUNITY", { .nodes = 256 }, make_community },
    { "david", "DAVID", { .nodes = MP_DAVID_NODES }, make_david },
    { NULL, NULL, { 0 }, NULL },
};

const mp_signal *mp_signal_of_set(const char *set)
{
    for (const mp_signal *s = mp_signals; s->name; s++)
        if (strcmp(s->set, set) == 0) return s;
    return NULL;
}

mp_err mp_signal_make(const mp_signal *s, const mp_signal_options *o, mp_arena *a, mp_raw *out)
{
    int64_t nodes = s->usual.side ? (int64_t)o->side * o->side : o->nodes;
    if (nodes < 1 || nodes > NODES_MOST)
        return mp_fail(MP_ERR_USAGE, "%s: %lld nodes; expected 1 to %d", s->name, (long long)nodes, NODES_MOST);
    return s->make(o, a, out);
}
