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

mp_err mp_pair_compare(const mp_pair *p, mp_arena *a, mp_pair_gap *out)
{
    const mp_mat *score[MP_PAIR], *read[MP_PAIR];
    mp_ctx c = { .arena = a, .k = mp_kernels_get() };
    *out = (mp_pair_gap){ 0, 0 };
    for (int i = 0; i < MP_PAIR; i++) {
        mp_trail trail;
        const mp_mat *raw;
        MP_TRY(mp_trail_pass(p->model, &p->g[i], &p->x, 0, a, &trail, &raw));
        const mp_pooling *first = trail.level[0];
        score[i] = first->score;
        read[i] = mp_readout(&c, first->out_x, first->out_g->node_ptr, 1, MP_READ_MAXMEAN);
    }
    for (int v = 0; v < MP_PAIR * MP_PAIR_NODES; v++) /* each node of both against the first */
        for (int d = 0; d < MP_PAIR_COLUMNS; d++) {
            const mp_real *own = score[v / MP_PAIR_NODES]->v + v % MP_PAIR_NODES * MP_PAIR_COLUMNS;
            out->score = fmax(out->score, fabs((double)own[d] - (double)score[0]->v[d]));
        }
    for (int i = 0; i < read[0]->cols; i++)
        out->readout = fmax(out->readout, fabs((double)read[0]->v[i] - (double)read[1]->v[i]));
    return MP_OK;
}
