/* pair.c - see pair.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/pair.h"

#include <math.h>

static mp_err graph_of(mp_arena *a, const int (*edge)[2], mp_graph *out)
{
    int *node_ptr = MP_NEW(a, int, 2), src[2 * MP_PAIR_NODES], dst[2 * MP_PAIR_NODES];
    node_ptr[1] = MP_PAIR_NODES;
    for (int e = 0; e < MP_PAIR_NODES; e++) {
        src[2 * e] = dst[2 * e + 1] = edge[e][0];
        dst[2 * e] = src[2 * e + 1] = edge[e][1];
    }
    return mp_graph_from_edges(a, 1, node_ptr, 2 * MP_PAIR_NODES, src, dst, out, NULL);
}

mp_err mp_pair_make(mp_arena *a, mp_pair *out)
{
    static const int ring[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 5 }, { 5, 0 } };
    static const int triangles[][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 3, 4 }, { 4, 5 }, { 5, 3 } };
    static const mp_real ones[MP_PAIR_NODES] = { 1, 1, 1, 1, 1, 1 };
    mp_config c;
    *out = (mp_pair){ .name = { "a ring of six", "two triangles" } };
    out->x = (mp_sparse){ .rows = MP_PAIR_NODES, .cols = 1, .val = ones };
    MP_TRY(graph_of(a, ring, &out->g[0]));
    MP_TRY(graph_of(a, triangles, &out->g[1]));
    mp_config_init(&c);
    MP_TRY(mp_conf_set_all(mp_config_table, &c, "pool=sag hidden=16 score-dim=3 flip=true drop=0.4", "pair"));
    MP_TRY(mp_model_new(a, &c, (mp_inputs){ .features = 1, .outputs = 2 }, &out->model));
    mp_params_init(mp_model_params(out->model), (uint64_t)c.seed, 0);
    return MP_OK;
}

static double range(const double *v, int n)
{
    double lo = v[0], hi = v[0];
    for (int i = 1; i < n; i++) {
        lo = fmin(lo, v[i]);
        hi = fmax(hi, v[i]);
    }
    return hi - lo;
}

mp_err mp_pair_compare(const mp_pair *p, mp_arena *a, mp_pair_gap *out)
{
    enum { MOST = 16 * MP_PAIR_COLUMNS };
    double score[MP_PAIR_COLUMNS][MP_PAIR * MP_PAIR_NODES], most[MOST][MP_PAIR], mean[MOST][MP_PAIR];
    int channels = 0;
    *out = (mp_pair_gap){ 0, 0 };
    for (int i = 0; i < MP_PAIR; i++) {
        mp_trail trail;
        const mp_mat *raw;
        MP_TRY(mp_trail_pass(p->model, &p->g[i], &p->x, 0, a, &trail, &raw));
        const mp_mat *s = trail.level[0]->score, *x = trail.level[0]->out_x;
        mp_assert(s->cols == MP_PAIR_COLUMNS && x->cols <= MOST);
        for (int v = 0; v < MP_PAIR_NODES; v++)
            for (int d = 0; d < s->cols; d++)
                score[d][i * MP_PAIR_NODES + v] = (double)s->v[(size_t)v * (size_t)s->cols + (size_t)d];
        channels = x->cols;
        for (int c = 0; c < channels; c++) {
            most[c][i] = (double)-INFINITY;
            mean[c][i] = 0;
            for (int v = 0; v < x->rows; v++) {
                double at = (double)x->v[(size_t)v * (size_t)channels + (size_t)c];
                most[c][i] = fmax(most[c][i], at);
                mean[c][i] += at / x->rows;
            }
        }
    }
    for (int d = 0; d < MP_PAIR_COLUMNS; d++) out->score = fmax(out->score, range(score[d], MP_PAIR * MP_PAIR_NODES));
    for (int c = 0; c < channels; c++)
        out->readout = fmax(out->readout, fmax(range(most[c], MP_PAIR), range(mean[c], MP_PAIR)));
    return MP_OK;
}
