/* sort.c - SortPool: nodes in falling order of the last channel become a sequence of k places (math.md 5.2).
 *
 *     PyG:    three convolutions; sort, k = 30; Conv1d(c, 32, 5), ReLU; Linear, ReLU, dropout, Linear
 *     DGCNN:  h <- tanh((W (A + I) h + b) / (deg + 1)), widths 32, 32, 32, 1, all four side by side (97);
 * sort; Conv1d(1, 16, 97, stride 97), ReLU, MaxPool1d(2), Conv1d(16, 32, 5), ReLU; Linear, ReLU, dropout,
 * Linear
 *
 * Zhang, Cui, Neumann & Chen, An end-to-end deep learning architecture for graph classification, 2018.
 * SPDX-License-Identifier: MIT */
#include "baseline/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MP_SORT_PYG, MP_SORT_DGCNN };
typedef struct sort_options {
    int sort_form;
    int sort_k;
    double sort_share;
} sort_options;
/* clang-format off */
static const mp_opt sort_rows[] = {
    { "sort-form", MP_OPT_CHOICE, offsetof(sort_options, sort_form), "pyg", 0, 0, "pyg|dgcnn", "sort: the usual three convolutions, or those of the DGCNN paper" },
    { "sort-k", MP_OPT_INT, offsetof(sort_options, sort_k), "0", 0, 100000, NULL, "sort: nodes kept of each graph, at least 5 (dgcnn 10); 0 = 30, or dgcnn: from the data" },
    { "sort-share", MP_OPT_REAL, offsetof(sort_options, sort_share), "0.6", 0.01, 1, NULL, "sort, dgcnn: share of the graphs with at most k nodes (0.9 for IMDB and COLLAB)" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(, mp_sort_set, sort_options, sort_rows);

#define PLACES     5  /* that Conv1d looks at */
#define MAPS       32 /* its outputs */
#define FIRST_MAPS 16 /* of DGCNN's first Conv1d */
#define USUAL_K    30

static const int widths[MP_SORT_LAYERS] = { 32, 32, 32, 1 };

static int by_size(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void mp_sort_resolve(mp_config *conf, const mp_graph *all)
{
    if (MP_OWN(conf, mp_sort_set, sort_options)->sort_form != MP_SORT_DGCNN ||
        MP_OWN(conf, mp_sort_set, sort_options)->sort_k > 0 || all->graphs == 0)
        return;
    mp_arena *a = mp_arena_new(4096);
    int *size = MP_NEW_RAW(a, int, all->graphs);
    for (int b = 0; b < all->graphs; b++) size[b] = all->node_ptr[b + 1] - all->node_ptr[b];
    qsort(size, (size_t)all->graphs, sizeof *size, by_size);
    int at = (int)ceil(MP_OWN(conf, mp_sort_set, sort_options)->sort_share * all->graphs - 1e-9) - 1;
    MP_OWN_SET(conf, mp_sort_set, sort_options)->sort_k = size[at > 0 ? at : 0];
    mp_arena_free(a);
}

static mp_conv1d_layer conv1d(mp_params *p, const char *name, int channels, int width, int stride, int out)
{
    const char *full = mp_param_under(p, "", name);
    double bound = mp_fan_in(channels * width);
    mp_conv1d_layer l = { mp_param_linear(p, full, "weight", out, channels * width, bound),
                          mp_param_vector(p, full, "bias", out, MP_INIT_UNIFORM, bound), channels, stride };
    mp_param_reshape(p, l.w, 3, out, channels, width);
    return l;
}

static mp_mat *conv1d_run(const mp_conv1d_layer *l, mp_ctx *c, mp_mat *x)
{
    return mp_conv1d(c, x, l->channels, mp_use(c, l->w), mp_use(c, l->b), l->stride, true);
}

/* Returns the number of places the last Conv1d reads. */
static int init_dgcnn(mp_sort_net *n, const mp_net_setup *s)
{
    int in = s->features, total = 0;
    for (int l = 0; l < MP_SORT_LAYERS; l++) {
        n->conv[l] = mp_lin_init(s->params, "convs", mp_arena_printf(s->params->arena, "%d", l), in, widths[l], true);
        in = widths[l];
        total += widths[l];
    }
    n->k = n->k > 2 * PLACES ? n->k : 2 * PLACES; /* after MaxPool1d there must be a window left */
    n->seq[0] = conv1d(s->params, "conv1d_1", 1, total, total, FIRST_MAPS);
    n->seq[1] = conv1d(s->params, "conv1d_2", FIRST_MAPS, PLACES, 1, MAPS);
    return n->k / 2;
}

static int init_pyg(mp_sort_net *n, const mp_net_setup *s)
{
    n->trunk = mp_trunk_init(s, s->conf->layers);
    n->k = n->k > PLACES ? n->k : PLACES;
    n->seq[1] = conv1d(s->params, "conv1d", s->conf->hidden, PLACES, 1, MAPS);
    return n->k;
}

void mp_sort_net_init(void *state, const mp_net_setup *s)
{
    mp_sort_net *n = state;
    n->dgcnn = MP_OWN(s->conf, mp_sort_set, sort_options)->sort_form == MP_SORT_DGCNN;
    n->k = MP_OWN(s->conf, mp_sort_set, sort_options)->sort_k ? MP_OWN(s->conf, mp_sort_set, sort_options)->sort_k
                                                              : USUAL_K;
    n->dropout = s->conf->dropout;
    int places = n->dgcnn ? init_dgcnn(n, s) : init_pyg(n, s);
    n->lin[0] = mp_lin_init(s->params, "", "lin1", (places - PLACES + 1) * MAPS, s->conf->hidden, true);
    n->lin[1] = mp_lin_init(s->params, "", "lin2", s->conf->hidden, s->outputs, true);
}

/* tanh((W (A + I) h + b) / (deg + 1)); the linear map comes before the sum. */
static mp_mat *closed_mean(const mp_lin *l, mp_ctx *c, const mp_graph *looped, mp_mat *share, const int *all,
                           mp_input x)
{
    mp_lin w = { l->w, -1 };
    mp_mat *sum = mp_agg(c, looped, MP_AGG_SUM, mp_lin_run(&w, c, x, false), mp_use(c, l->b), false);
    return mp_act_of(c, mp_gate(c, sum, share, MP_ACT_NONE, all, looped->nodes, 0), MP_ACT_TANH);
}

static mp_mat *nodes_dgcnn(const mp_sort_net *n, mp_ctx *c, const mp_graph *g, mp_input x)
{
    const mp_graph *looped = mp_looped(c, g);
    mp_real *share = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes);
    int *all = MP_NEW_RAW(c->arena, int, g->nodes);
    for (int v = 0; v < g->nodes; v++) all[v] = v;
    c->k->range_shares(share, looped->row_ptr, g->nodes);
    mp_mat *h[MP_SORT_LAYERS];
    for (int l = 0; l < MP_SORT_LAYERS; l++) {
        h[l] = closed_mean(&n->conv[l], c, looped, mp_mat_of(c, share, g->nodes, 1), all, x);
        x = MP_DENSE(h[l]);
    }
    return mp_cat(c, h, MP_SORT_LAYERS);
}

mp_mat *mp_sort_net_run(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, mp_mat **aux)
{
    const mp_sort_net *n = state;
    *aux = NULL;
    mp_mat *h = n->dgcnn ? nodes_dgcnn(n, c, g, x) : mp_trunk_run(&n->trunk, c, g, x, 0, n->trunk.layers);
    h = mp_sort_pad(c, h, g->node_ptr, g->graphs, n->k);
    if (n->dgcnn) h = mp_maxpool1d(c, conv1d_run(&n->seq[0], c, h), FIRST_MAPS);
    h = mp_flip1d(c, conv1d_run(&n->seq[1], c, h), MAPS);
    h = mp_dropout(c, mp_lin_run(&n->lin[0], c, MP_DENSE(h), true), n->dropout);
    return mp_lin_run(&n->lin[1], c, MP_DENSE(h), false);
}
