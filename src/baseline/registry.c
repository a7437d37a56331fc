/* registry.c - the table of baselines, and the head they share.
 * SPDX-License-Identifier: MIT */
#include "baseline/baseline.h"
#include "base/text.h"
#include "baseline/dense.h"
#include "baseline/edge.h"
#include "baseline/haar.h"
#include "baseline/set2set.h"
#include "baseline/sort.h"

/* What several baselines share: fields of mp_config itself. */
/* clang-format off */
#define AT(field) offsetof(mp_config, field)
static const mp_opt baseline_rows[] = {
    { "clusters", MP_OPT_INT, AT(clusters), "0", 0, 1e6, NULL, "diff, mincut, gmt: clusters; 0 = ceil(ratio mean nodes), mem 10" },
    { "heads", MP_OPT_INT, AT(heads), "0", 0, 64, NULL, "mem 5, gmt 1: heads; 0 = that default" },
    { 0 }
};
#undef AT
/* clang-format on */
const mp_option_set mp_baseline_options = { baseline_rows, 0, NULL, NULL };

/* Settings of authors, or of PyG's examples. */
static const mp_method_preset sort_presets[] = {
    { MP_PRESET_AUTHORS, NULL, "sort-form=dgcnn", false },
    { MP_PRESET_AUTHORS, "IMDB-BINARY", "sort-share=0.9", false },
    { MP_PRESET_AUTHORS, "IMDB-MULTI", "sort-share=0.9", false },
    { MP_PRESET_AUTHORS, "COLLAB", "sort-share=0.9", false },
    { 0 },
};
static const mp_method_preset edge_presets[] = {
    { MP_PRESET_AUTHORS, NULL, "edge-dropout=0.2", false },
    { 0 },
};
static const mp_method_preset haar_presets[] = {
    { MP_PRESET_AUTHORS, "MUTAG", "layers=1 hidden=60 lr=0.01 weight-decay=0.0005 batch-size=60 epochs=30", false },
    { MP_PRESET_AUTHORS, "NCI1", "layers=2 hidden=256 lr=0.001", false },
    { 0 },
};
static const mp_method_preset diff_presets[] = {
    { MP_PRESET_AUTHORS, NULL, "link-weight=1 entropy-weight=1", false },
    { 0 },
};
static const mp_method_preset mincut_presets[] = {
    { MP_PRESET_AUTHORS, NULL, "hidden=32", false },
    { 0 },
};
static const mp_method_preset mem_presets[] = {
    { MP_PRESET_AUTHORS, NULL, "hidden=32 lr=0.001 weight-decay=0.00004", false },
    { 0 },
};
static const mp_method_preset gmt_presets[] = {
    { MP_PRESET_AUTHORS, NULL, "ratio=0.25 clip=1 schedule=cosine warmup=50", true },
    { MP_PRESET_AUTHORS, "DD", "heads=4 hidden=32 batch-size=10", true },
    { MP_PRESET_AUTHORS, "PROTEINS", "heads=2", true },
    { MP_PRESET_AUTHORS, "COLLAB", "heads=2", true },
    { MP_PRESET_AUTHORS, "MUTAG", "heads=4 ln=true", true },
    { 0 },
};

static const mp_baseline baselines[] = {
    { .name = "set2set",
      .title = "Set2Set",
      .paper = "Vinyals et al. 2016",
      .method = "LSTM that reads all nodes by attention",
      .learnable = "W_ih, W_hh, b_ih, b_hh of the LSTM",
      .options = "processing-steps conv layers dropout",
      .own = &mp_set2set_set,
      .size = sizeof(mp_set2set_net),
      .init = mp_set2set_net_init,
      .unseen = true,
      .run = mp_set2set_net_run },
    { .name = "sort",
      .title = "SortPool",
      .alias = "SortAggregation",
      .paper = "Zhang et al. 2018",
      .method = "nodes sorted by the last channel, then Conv1d",
      .learnable = "Conv1d weights",
      .options = "sort-form sort-k sort-share:sort-form=dgcnn&sort-k=0 conv:sort-form=pyg layers:sort-form=pyg dropout",
      .presets = sort_presets,
      .own = &mp_sort_set,
      .size = sizeof(mp_sort_net),
      .init = mp_sort_net_init,
      .unseen = true,
      .run = mp_sort_net_run,
      .resolve = mp_sort_resolve },
    { .name = "edge",
      .title = "EdgePool",
      .alias = "EdgePooling",
      .paper = "Diehl 2019",
      .method = "contracts edges, best score first",
      .learnable = "w, b of the edge score",
      .options = "edge-dropout:layers!=1 conv layers dropout",
      .presets = edge_presets,
      .own = &mp_edge_set,
      .size = sizeof(mp_edge_net),
      .init = mp_edge_net_init,
      .run = mp_edge_net_run,
      .lift = MP_LIFT_MEMBERS },
    { .name = "haar",
      .title = "HaarPool",
      .paper = "Wang et al. 2020",
      .method = "first Haar coefficients of a chain of clusterings",
      .learnable = "none",
      .options = "haar-levels conv layers dropout",
      .presets = haar_presets,
      .own = &mp_haar_set,
      .size = sizeof(mp_haar_net),
      .init = mp_haar_net_init,
      .run = mp_haar_net_run,
      .lift = MP_LIFT_MEMBERS,
      .prepare = mp_haar_prepare,
      .check = mp_haar_check },
    { .name = "diff",
      .title = "DiffPool",
      .alias = "dense_diff_pool",
      .paper = "Ying et al. 2018",
      .method = "soft clusters from a second network",
      .learnable = "the SAGE layers of both networks",
      .options = "clusters ratio:clusters=0 link-weight entropy-weight dropout",
      .presets = diff_presets,
      .own = &mp_diff_set,
      .size = sizeof(mp_diff_net),
      .init = mp_diff_net_init,
      .unseen = true,
      .run = mp_diff_net_run,
      .lift = MP_LIFT_BLOCKS,
      .needs_clusters = true },
    { .name = "mincut",
      .title = "MinCutPool",
      .alias = "dense_mincut_pool",
      .paper = "Bianchi et al. 2020",
      .method = "soft clusters that cut few edges",
      .learnable = "W, b of each assignment",
      .options = "clusters ratio cut-weight ortho-weight norm-adj",
      .presets = mincut_presets,
      .own = &mp_mincut_set,
      .size = sizeof(mp_mincut_net),
      .init = mp_mincut_net_init,
      .unseen = true,
      .run = mp_mincut_net_run,
      .lift = MP_LIFT_BLOCKS,
      .needs_clusters = true },
    { .name = "mem",
      .title = "MemPool",
      .alias = "MemPooling",
      .paper = "Khasahmadi et al. 2020",
      .method = "soft clusters by distance to learned keys",
      .learnable = "keys, mix of the heads, W",
      .options = "heads clusters mem-dropout kl-weight kl-detach:kl-weight!=0",
      .presets = mem_presets,
      .own = &mp_mem_set,
      .size = sizeof(mp_mem_net),
      .init = mp_mem_net_init,
      .unseen = true,
      .run = mp_mem_net_run,
      .lift = MP_LIFT_BLOCKS,
      .whole_batch = true,
      .aux_apart = true },
    { .name = "gmt",
      .title = "GMT",
      .alias = "GraphMultisetTransformer",
      .paper = "Baek et al. 2021",
      .method = "learned seeds attend to nodes, to each other, one to them all",
      .learnable = "seeds, W_q, W_k, W_v, W_o of three attention blocks",
      .options = "clusters ratio:clusters=0 heads attend ln conv layers dropout",
      .presets = gmt_presets,
      .own = &mp_gmt_set,
      .size = sizeof(mp_gmt_net),
      .init = mp_gmt_net_init,
      .unseen = true,
      .run = mp_gmt_net_run,
      .needs_clusters = true,
      .check = mp_gmt_check },
    { .name = NULL },
};

const mp_baseline *mp_baselines(void)
{
    return baselines;
}

const mp_baseline *mp_baseline_find(const char *name)
{
    for (const mp_baseline *b = baselines; b->name; b++)
        if (mp_same_letters(name, b->name) || mp_same_letters(name, b->title) ||
            (b->alias && mp_same_letters(name, b->alias)))
            return b;
    return NULL;
}

mp_head mp_head_init(mp_params *p, const mp_config *conf, int in, int outputs)
{
    int c = conf->hidden, half = c / 2 > 0 ? c / 2 : 1;
    return (mp_head){ { mp_lin_init(p, "", "lin1", in, c, true), mp_lin_init(p, "", "lin2", c, half, true),
                        mp_lin_init(p, "", "lin3", half, outputs, true) },
                      conf->dropout };
}

mp_mat *mp_head_run(const mp_head *h, mp_ctx *c, mp_mat *x)
{
    x = mp_dropout(c, mp_lin_run(&h->lin[0], c, MP_DENSE(x), true), h->dropout);
    x = mp_dropout(c, mp_lin_run(&h->lin[1], c, MP_DENSE(x), true), h->dropout);
    return mp_lin_run(&h->lin[2], c, MP_DENSE(x), false);
}
