/* score_conv.c - scores by graph convolution: SAGPool's, and GSAPool's mixture with a linear score.
 *     SAG:  R = conv(X), C -> D, or several in a row                                                        (Lee et al. 2019; math.md 3.2)
 *     GSA:  R = a tanh(conv(X)) + (1-a) tanh(X W + b), and X is replaced by its fusion    (Zhang et al. 2020; 3.9)
 *           mix = before:  R = a conv(X) + (1-a) (X W + b), gate tanh
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

#include <stdio.h>

enum { MP_MIX_AUTO, MP_MIX_AFTER, MP_MIX_BEFORE };
enum { MP_FUSION_AUTO, MP_FUSION_GCN, MP_FUSION_GAT, MP_FUSION_NONE, MP_FUSION_RAW };
typedef struct gsa_options {
    int mix;
    double alpha;
    int fusion;
} gsa_options;
/* clang-format off */
static const mp_opt gsa_rows[] = {
    { "mix", MP_OPT_CHOICE, offsetof(gsa_options, mix), "auto", 0, 0, "auto|after|before", "gsa: mix the two scores after or before tanh" },
    { "alpha", MP_OPT_REAL, offsetof(gsa_options, alpha), "0.6", 0, 1, NULL, "gsa: share of the structure score" },
    { "fusion", MP_OPT_CHOICE, offsetof(gsa_options, fusion), "auto", 0, 0, "auto|gcn|gat|none|raw", "gsa: feature fusion before the gate" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, gsa_set, gsa_options, gsa_rows);

#define LAYERS_MOST 4
typedef struct sag_options {
    int layers, hidden;
} sag_options;
/* clang-format off */
static const mp_opt sag_rows[] = {
    { "score-layers", MP_OPT_INT, offsetof(sag_options, layers), "1", 1, LAYERS_MOST, NULL, "sag: convolutions that score, one after the other, with ReLU between" },
    { "score-hidden", MP_OPT_INT, offsetof(sag_options, hidden), "32", 1, 4096, NULL, "sag: channels between convolutions that score" },
    { 0 }
};
/* clang-format on */
MP_OPTION_SET(static, sag_set, sag_options, sag_rows);

typedef struct sag {
    mp_conv conv, before[LAYERS_MOST]; /* the last one, and those before it */
    int befores;
    int select; /* variant pyg: one scalar whose sign multiplies the score, all of it under a threshold; -1: none */
} sag;

static void sag_init(void *state, const mp_setup *s)
{
    sag *a = state;
    bool pyg = s->conf->variant == MP_VARIANT_PYG;
    const mp_conv_kind *kind = mp_conv_chosen(s->conf, "score-conv", pyg ? &mp_conv_graph : &mp_conv_gcn);
    const sag_options *o = MP_OWN(s->conf, sag_set, sag_options);
    int width = s->seen;
    for (int i = 0; i < o->layers - 1; i++, width = o->hidden) {
        char name[32];
        snprintf(name, sizeof name, "before.%d", i);
        a->before[a->befores++] =
            mp_conv_init(s->params, mp_param_under(s->params, s->prefix, name), kind, width, o->hidden);
    }
    a->conv = mp_conv_init(s->params, mp_param_under(s->params, s->prefix, pyg ? "gnn" : "gcn"), kind, width, s->cols);
    a->select = -1;
    if (pyg && s->cols == 1)
        a->select = mp_param_plain(s->params, s->prefix, "select.weight", 1, 1, MP_INIT_UNIFORM, 1);
}

static void sag_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const sag *a = state;
    mp_input x = mp_pool_seen(p);
    for (int i = 0; i < a->befores; i++) x = MP_DENSE(mp_conv_run(&a->before[i], c, p->g, x, true));
    p->score = mp_conv_run(&a->conv, c, p->g, x, false);
    if (a->select >= 0) p->score = mp_linear(c, p->score, mp_pool_directions(pool, c, a->select), NULL, false);
}

static bool sag_sums_only(const void *state, const mp_config *conf)
{
    const sag *a = state;
    (void)conf;
    return a->conv.kind->sums_only;
}

static bool sag_unseen(const void *state, const mp_config *conf)
{
    const sag *a = state;
    (void)conf;
    return a->conv.kind->unseen;
}

const mp_scorer mp_score_conv = { .name = "convolution",
                                  .formula = "GCN(X)",
                                  .options = "score-conv variant score-from score-layers score-hidden:score-layers!=1",
                                  .own = &sag_set,
                                  .size = sizeof(sag),
                                  .init = sag_init,
                                  .run = sag_run,
                                  .unseen = sag_unseen,
                                  .sums_only = sag_sums_only };

typedef struct gsa {
    mp_conv conv, fuse;
    mp_lin lin;
    bool before, fused;
} gsa;

static void gsa_init(void *state, const mp_setup *s)
{
    static const mp_conv_kind *const fusions[] = {
        [MP_FUSION_GCN] = &mp_conv_gcn, [MP_FUSION_GAT] = &mp_conv_gat, [MP_FUSION_RAW] = &mp_conv_gcn_raw
    };
    gsa *a = state;
    bool authors = s->conf->variant == MP_VARIANT_AUTHORS;
    int fusion = MP_OWN(s->conf, gsa_set, gsa_options)->fusion == MP_FUSION_AUTO
                     ? (authors ? MP_FUSION_GAT : MP_FUSION_GCN)
                     : MP_OWN(s->conf, gsa_set, gsa_options)->fusion;
    a->before = MP_OWN(s->conf, gsa_set, gsa_options)->mix == MP_MIX_AUTO
                    ? authors
                    : MP_OWN(s->conf, gsa_set, gsa_options)->mix == MP_MIX_BEFORE;
    a->fused = fusion != MP_FUSION_NONE;
    if (a->before) *s->gate = MP_ACT_TANH;
    a->conv = mp_conv_init(s->params, mp_param_under(s->params, s->prefix, "gcn"),
                           mp_conv_chosen(s->conf, "score-conv", &mp_conv_gcn), s->channels, s->cols);
    a->lin = mp_lin_init(s->params, s->prefix, "mlp", s->channels, s->cols, true);
    if (a->fused)
        a->fuse = mp_conv_init(s->params, mp_param_under(s->params, s->prefix, "fuse"), fusions[fusion], s->channels,
                               s->channels);
}

static void gsa_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const gsa *a = state;
    mp_real alpha = (mp_real)MP_OWN(pool->conf, gsa_set, gsa_options)->alpha;
    mp_mat *structure = mp_conv_run(&a->conv, c, p->g, MP_DENSE(p->x), false);
    mp_mat *feature = mp_lin_run(&a->lin, c, MP_DENSE(p->x), false);
    if (!a->before) {
        structure = mp_act_of(c, structure, MP_ACT_TANH);
        feature = mp_act_of(c, feature, MP_ACT_TANH);
    }
    p->score = mp_mix(c, alpha, structure, 1 - alpha, feature);
    if (a->fused) p->x = mp_conv_run(&a->fuse, c, p->g, MP_DENSE(p->x), false);
}

static bool gsa_sums_only(const void *state, const mp_config *conf)
{
    const gsa *a = state;
    (void)conf;
    return a->conv.kind->sums_only && (!a->fused || a->fuse.kind->sums_only);
}

static bool gsa_unseen(const void *state, const mp_config *conf)
{
    const gsa *a = state;
    (void)conf;
    return a->conv.kind->unseen && (!a->fused || a->fuse.kind->unseen);
}

const mp_scorer mp_score_gsa = { .own = &gsa_set,
                                 .name = "structure and feature",
                                 .formula = "a tanh(GCN(X)) + (1-a) tanh(X W + b)",
                                 .options = "score-conv mix alpha fusion variant rank:gate=auto&mix=before "
                                            "rank:gate=auto&mix=auto&variant=authors",
                                 .size = sizeof(gsa),
                                 .init = gsa_init,
                                 .run = gsa_run,
                                 .unseen = gsa_unseen,
                                 .sums_only = gsa_sums_only };
