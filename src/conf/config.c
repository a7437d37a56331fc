/* config.c - the table of options behind mp_config: those that methods share, and the sets of all parts. Defaults: math.md 3, 4, 6 and protocol.md 2.
 * SPDX-License-Identifier: MIT */
#include "conf/config.h"

#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(mp_config, field)

/* clang-format off */
static const mp_opt shared[] = {
    { "pool", MP_OPT_TEXT, AT(pool), "sag", 0, 0, NULL, "pooling operator (midpool ops lists them)" },
    { "score-dim", MP_OPT_INT, AT(score_dim), "1", 1, 256, NULL, "score columns h" },
    { "flip", MP_OPT_FLAG, AT(flip), "false", 0, 1, NULL, "flipscore: rank by absolute scores" },
    { "drop", MP_OPT_REAL, AT(drop), "0", 0, 0.999, NULL, "dropscore: share of nodes left out of the ranking while training" },
    { "width", MP_OPT_CHOICE, AT(width), "multi", 0, 0, "multi|multihead|repeat|mlp", "what h columns do to the features" },
    { "drop-mode", MP_OPT_CHOICE, AT(drop_mode), "exact", 0, 0, "exact|bernoulli", "ceil(drop n) nodes of each graph, or each node with chance drop" },
    { "dropped", MP_OPT_CHOICE, AT(dropped), "excluded", 0, 0, "excluded|zero", "dropped nodes rank last, or have key 0" },
    { "combine", MP_OPT_CHOICE, AT(combine), "sum", 0, 0, "sum|max|l2", "how score columns make the ranking key" },
    { "rank", MP_OPT_CHOICE, AT(rank), "auto", 0, 0, "auto|raw|activated", "rank by scores before or after the gate function" },
    { "variant", MP_OPT_CHOICE, AT(variant), "paper", 0, 0, "paper|pyg|authors", "whose version where sources disagree" },
    { "ratio", MP_OPT_REAL, AT(ratio), "0.5", 1e-6, 1, NULL, "share of nodes kept by each pooling, ceil(ratio n)" },
    { "min-score", MP_OPT_REAL, AT(min_score), "0", 0, 1, NULL, "topk, sag: keep softmax scores above this (mean of the columns) instead of a ratio; 0 = off" },
    { "gate", MP_OPT_CHOICE, AT(gate), "auto", 0, 0, "auto|tanh|sigmoid|identity", "function of the score that scales kept rows" },
    { "adj-power", MP_OPT_INT, AT(adj_power), "1", 1, 2, NULL, "where edges are induced: 2 connects kept nodes two hops apart" },
    { "score-conv", MP_OPT_CHOICE, AT(score_conv), "auto", 0, 0, "auto|gcn|graphconv|sage|gat|cheb|gin|leconv|leconv-pyg|leconv-authors|graphconv-mean|gcn-raw|gcn-noloop", "sag, gsa: convolution that scores" },
    { "scale-n", MP_OPT_FLAG, AT(scale_n), "false", 0, 1, NULL, "att, tap: scores times the number of nodes" },
    { "lambda", MP_OPT_REAL, AT(lambda), "-1", -1, 1e6, NULL, "hgpsl 1, rep 0.1, tap 0.1, ipool 0.5; negative = that default" },
    { "hops", MP_OPT_INT, AT(hops), "0", 0, 16, NULL, "vip 1, ipool 1, hgpsl 3; 0 = that default" },
    { "mi-weight", MP_OPT_REAL, AT(mi_weight), "-1", -1, 1e6, NULL, "vip 1, cgi 0.001: weight of the auxiliary loss; negative = that default" },
    { "heads", MP_OPT_INT, AT(heads), "0", 0, 64, NULL, "mem 5, gmt 1: heads; 0 = that default" },
    { "arch", MP_OPT_CHOICE, AT(arch), "tu", 0, 0, "tu|colors|triangles", "network around the pooling" },
    { "conv", MP_OPT_CHOICE, AT(conv), "auto", 0, 0, "auto|gcn|graphconv|gin|sage|gat|cheb|leconv|leconv-pyg|leconv-authors|graphconv-mean|gcn-raw|gcn-noloop|gine|ogb-gcn|ogb-gin", "convolution of the network" },
    { "hidden", MP_OPT_INT, AT(hidden), "128", 1, 4096, NULL, "channels" },
    { "layers", MP_OPT_INT, AT(layers), "3", 1, 16, NULL, "blocks of convolution and pooling" },
    { "dropout", MP_OPT_REAL, AT(dropout), "0.5", 0, 0.999, NULL, "dropout of the head" },
    { "batch-size", MP_OPT_INT, AT(batch_size), "128", 1, 1e6, NULL, "graphs a step" },
    { "epochs", MP_OPT_INT, AT(epochs), "500", 0, 1e6, NULL, "most epochs" },
    { "patience", MP_OPT_INT, AT(patience), "50", 0, 1e6, NULL, "stop after more than this many epochs without a better validation loss; 0 = never" },
    { "seed", MP_OPT_INT, AT(seed), "42", 0, 2147483647, NULL, "seed of all randomness" },
    { "lr", MP_OPT_REAL, AT(lr), "0.0005", 0, 10, NULL, "learning rate" },
    { "weight-decay", MP_OPT_REAL, AT(weight_decay), "0.0001", 0, 10, NULL, "L2 added to the gradient" },
    { "beta1", MP_OPT_REAL, AT(beta1), "0.9", 0, 0.9999, NULL, "Adam's first decay" },
    { "clip", MP_OPT_REAL, AT(clip), "0", 0, 1e6, NULL, "largest norm of the gradient; 0 = no clipping" },
    { "schedule", MP_OPT_CHOICE, AT(schedule), "constant", 0, 0, "constant|cosine|step", "learning rate over the epochs" },
    { "warmup", MP_OPT_INT, AT(warmup), "50", 0, 1e6, NULL, "cosine: epochs in which the rate grows from 0" },
    { "lr-drop", MP_OPT_LIST, AT(lr_drop), "280", 0, 1e6, NULL, "step: epochs after each of which the rate is a tenth of what it was" },
    { "clusters", MP_OPT_INT, AT(clusters), "0", 0, 1e6, NULL, "diff, mincut, gmt: clusters; 0 = ceil(ratio mean nodes), mem 10" },
    { "task", MP_OPT_CHOICE, AT(task), "auto", 0, 0, "auto|classify|regress|binary|count", "what is learned; auto: by the labels" },
    { "metric", MP_OPT_TEXT, AT(metric), "auto", 0, 0, NULL, "metric that leads: accuracy, balanced_accuracy, f1_macro, mcc, roc_auc, average_precision, count_accuracy, mae, rmse, r2; auto = the task's first" },
    { "stop-on", MP_OPT_CHOICE, AT(stop_on), "loss", 0, 0, "loss|metric", "what of the validation graphs makes an epoch better" },
    { "edge-attributes", MP_OPT_CHOICE, AT(edge_attributes), "use", 0, 0, "use|ignore", "labels and attributes of edges, for convolutions that take them" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL }
};
/* clang-format on */

/* What the first stores and model files have, in their order. */
static const char first[] =
    "pool score-dim flip drop width drop-mode dropped combine rank variant ratio min-score gate adj-power "
    "score-conv mix alpha fusion intra detach-adj att-dropout attention dnorm assign scale-n lambda hops "
    "lap-norm sparse candidates next-conv mi-weight mi-nodes vip-adj rep-score rep-select square binary "
    "connectivity pick overlap processing-steps sort-form sort-k sort-share edge-dropout haar-levels "
    "link-weight entropy-weight cut-weight ortho-weight norm-adj heads kl-weight kl-detach mem-dropout "
    "attend ln arch conv hidden layers dropout batch-size epochs patience seed lr weight-decay beta1 clip "
    "schedule warmup lr-drop clusters ";

mp_opt mp_config_table[MP_OPTIONS_MOST + 1];
static int count, late; /* rows of the table; its first late one */
static const mp_option_set *sets[MP_OPTIONS_MOST];
static int set_count;
static size_t bytes; /* of own that are taken */

const char *mp_config_late(void)
{
    return late < count ? mp_config_table[late].name : NULL;
}

/* Where an option stands among the first ones; behind them all: their number. */
static int rank_of(const char *name)
{
    mp_span rest = mp_span_of(first), word;
    int at = 0;
    for (; mp_next_field(&rest, ' ', &word) && word.n > 0; at++)
        if (word.n == strlen(name) && memcmp(word.p, name, word.n) == 0) return at;
    return at;
}

/* Into its place by rank, behind those of equal rank. */
static void insert(const mp_opt *o, size_t shift)
{
    int at = count++, rank = rank_of(o->name), all = rank_of("");
    for (; at > 0 && rank_of(mp_config_table[at - 1].name) > rank; at--) mp_config_table[at] = mp_config_table[at - 1];
    mp_config_table[at] = *o;
    mp_config_table[at].offset += shift;
    if (rank < all) late++;
}

static int rows_in(const mp_option_set *set)
{
    int n = 0;
    while (set->rows[n].name) n++;
    return n;
}

mp_err mp_options_add(const mp_option_set *set)
{
    if (!set) return MP_OK;
    for (int i = 0; i < set_count; i++)
        if (sets[i] == set) return MP_OK;
    for (const mp_opt *o = set->rows; o->name; o++)
        if (mp_conf_find(mp_config_table, o->name))
            return mp_fail(MP_ERR_USAGE, "there is an option '%s' already", o->name);
    if (count + rows_in(set) > MP_OPTIONS_MOST || bytes + set->size > MP_OWN_BYTES)
        return mp_fail(MP_ERR_LIMIT, "no room for the option '%s'", set->rows[0].name);
    *set->place = bytes;
    bytes = (bytes + set->size + 7) / 8 * 8;
    sets[set_count++] = set;
    for (const mp_opt *o = set->rows; o->name; o++) insert(o, offsetof(mp_config, own) + *set->place);
    return MP_OK;
}

mp_err mp_choice_add(const char *option, const char *choice)
{
    static char room[8][1024]; /* the longer texts of options that got choices */
    static int taken;
    mp_opt *o = mp_config_table;
    while (o->name && strcmp(o->name, option) != 0) o++;
    mp_assert(o->name && o->kind == MP_OPT_CHOICE);
    char *text = NULL;
    for (int i = 0; i < taken; i++)
        if (o->choices == room[i]) text = room[i];
    size_t n = strlen(o->choices);
    if (n + strlen(choice) + 2 > sizeof room[0] || (!text && taken == 8))
        return mp_fail(MP_ERR_LIMIT, "no room for '%s' among the choices of '%s'", choice, option);
    if (!text) text = memcpy(room[taken++], o->choices, n + 1);
    snprintf(text + n, sizeof room[0] - n, "|%s", choice);
    o->choices = text;
    return MP_OK;
}

/* Before main, so that no thread ever sees half a table. */
__attribute__((constructor)) static void make_table(void)
{
    for (const mp_opt *o = shared; o->name; o++) insert(o, 0);
    for (int i = 0; mp_options_at(i); i++) mp_assert(mp_options_add(mp_options_at(i)) == MP_OK);
}

void mp_config_init(mp_config *c)
{
    memset(c, 0, sizeof *c);
    mp_conf_defaults(mp_config_table, c);
}
