/* config.c - the table of options behind mp_config. Defaults: math.md 3, 4, 6 and protocol.md 2.
 * SPDX-License-Identifier: MIT */
#include "conf/config.h"

#include <string.h>

#define AT(field) offsetof(mp_config, field)

/* clang-format off */
const mp_opt mp_config_table[] = {
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
    { "mix", MP_OPT_CHOICE, AT(mix), "auto", 0, 0, "auto|after|before", "gsa: mix the two scores after or before tanh" },
    { "alpha", MP_OPT_REAL, AT(alpha), "0.6", 0, 1, NULL, "gsa: share of the structure score" },
    { "fusion", MP_OPT_CHOICE, AT(fusion), "auto", 0, 0, "auto|gcn|gat|none|raw", "gsa: feature fusion before the gate" },
    { "intra", MP_OPT_CHOICE, AT(intra), "auto", 0, 0, "auto|none|gcn", "asap: convolution inside clusters" },
    { "detach-adj", MP_OPT_CHOICE, AT(detach_adj), "auto", 0, 0, "auto|no|yes", "asap: no gradient through the coarse adjacency" },
    { "att-dropout", MP_OPT_REAL, AT(att_dropout), "0", 0, 0.999, NULL, "asap: dropout on attention" },
    { "attention", MP_OPT_CHOICE, AT(attention), "global", 0, 0, "global|local", "att: softmax over the graph, or over neighbourhoods" },
    { "dnorm", MP_OPT_FLAG, AT(dnorm), "false", 0, 1, NULL, "att: local attention times column sums of the adjacency" },
    { "assign", MP_OPT_CHOICE, AT(assign), "usual", 0, 0, "usual|raw", "att: split each node's mass over the kept nodes, or rows of A+I" },
    { "scale-n", MP_OPT_FLAG, AT(scale_n), "false", 0, 1, NULL, "att, tap: scores times the number of nodes" },
    { "lambda", MP_OPT_REAL, AT(lambda), "-1", -1, 1e6, NULL, "hgpsl 1, rep 0.1, tap 0.1, ipool 0.5; negative = that default" },
    { "hops", MP_OPT_INT, AT(hops), "0", 0, 16, NULL, "vip 1, ipool 1, hgpsl 3; 0 = that default" },
    { "lap-norm", MP_OPT_CHOICE, AT(lap_norm), "row", 0, 0, "row|sym", "hgpsl: normalisation of the score" },
    { "sparse", MP_OPT_FLAG, AT(sparse), "true", 0, 1, NULL, "hgpsl: sparsemax, else softmax" },
    { "candidates", MP_OPT_CHOICE, AT(candidates), "auto", 0, 0, "auto|full|sampled", "hgpsl: which pairs may become edges; auto = full up to 256 kept nodes" },
    { "next-conv", MP_OPT_CHOICE, AT(next_conv), "auto", 0, 0, "auto|gcn", "hgpsl: convolution after pooling" },
    { "mi-weight", MP_OPT_REAL, AT(mi_weight), "-1", -1, 1e6, NULL, "vip 1, cgi 0.001: weight of the auxiliary loss; negative = that default" },
    { "mi-nodes", MP_OPT_CHOICE, AT(mi_nodes), "all", 0, 0, "all|top1", "cgi: nodes behind the auxiliary loss" },
    { "vip-adj", MP_OPT_CHOICE, AT(vip_adj), "table", 0, 0, "table|literal|induced", "vip: coarse adjacency" },
    { "rep-score", MP_OPT_CHOICE, AT(rep_score), "table", 0, 0, "table|original", "rep: score of the table or of the released code" },
    { "rep-select", MP_OPT_CHOICE, AT(rep_select), "greedy", 0, 0, "greedy|peak", "rep: one node at a time, or score times distance to a higher score" },
    { "square", MP_OPT_CHOICE, AT(square), "before", 0, 0, "before|after", "ug: square the adjacency before or after selection" },
    { "binary", MP_OPT_FLAG, AT(binary), "false", 0, 1, NULL, "ug: unit weights instead of path counts" },
    { "connectivity", MP_OPT_FLAG, AT(connectivity), "false", 0, 1, NULL, "tap: add lambda degree / n to the score" },
    { "pick", MP_OPT_CHOICE, AT(pick), "greedy", 0, 0, "greedy|local", "ipool: best nodes, or best nodes that are not neighbours" },
    { "overlap", MP_OPT_CHOICE, AT(overlap), "jaccard", 0, 0, "jaccard|cosine", "ipool: how the overlap of neighbourhoods is measured" },
    { "processing-steps", MP_OPT_INT, AT(processing_steps), "4", 1, 64, NULL, "set2set: steps of its LSTM" },
    { "sort-form", MP_OPT_CHOICE, AT(sort_form), "pyg", 0, 0, "pyg|dgcnn", "sort: the usual three convolutions, or those of the DGCNN paper" },
    { "sort-k", MP_OPT_INT, AT(sort_k), "0", 0, 100000, NULL, "sort: nodes kept of each graph, at least 5 (dgcnn 10); 0 = 30, or dgcnn: from the data" },
    { "sort-share", MP_OPT_REAL, AT(sort_share), "0.6", 0.01, 1, NULL, "sort, dgcnn: share of the graphs with at most k nodes (0.9 for IMDB and COLLAB)" },
    { "edge-dropout", MP_OPT_REAL, AT(edge_dropout), "0", 0, 0.999, NULL, "edge: dropout of edge scores" },
    { "haar-levels", MP_OPT_INT, AT(haar_levels), "1", 1, 16, NULL, "haar: poolings, after the last convolutions; 1 = one cluster" },
    { "link-weight", MP_OPT_REAL, AT(link_weight), "0", 0, 1e6, NULL, "diff: weight of the link prediction loss" },
    { "entropy-weight", MP_OPT_REAL, AT(entropy_weight), "0", 0, 1e6, NULL, "diff: weight of the entropy of assignments" },
    { "cut-weight", MP_OPT_REAL, AT(cut_weight), "1", 0, 1e6, NULL, "mincut: weight of the cut" },
    { "ortho-weight", MP_OPT_REAL, AT(ortho_weight), "1", 0, 1e6, NULL, "mincut: weight of the orthogonality of clusters" },
    { "norm-adj", MP_OPT_FLAG, AT(norm_adj), "false", 0, 1, NULL, "mincut: normalise the adjacency before clustering" },
    { "heads", MP_OPT_INT, AT(heads), "0", 0, 64, NULL, "mem 5, gmt 1: heads; 0 = that default" },
    { "kl-weight", MP_OPT_REAL, AT(kl_weight), "1", 0, 1e6, NULL, "mem: weight of the loss that sharpens assignments" },
    { "kl-detach", MP_OPT_FLAG, AT(kl_detach), "false", 0, 1, NULL, "mem: the target of that loss is a constant" },
    { "mem-dropout", MP_OPT_REAL, AT(mem_dropout), "0.1", 0, 0.999, NULL, "mem: dropout in the blocks and between the poolings" },
    { "attend", MP_OPT_CHOICE, AT(attend), "queries", 0, 0, "queries|keys", "gmt: the softmax of attention runs over these" },
    { "ln", MP_OPT_FLAG, AT(ln), "false", 0, 1, NULL, "gmt: LayerNorm in the attention blocks" },
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
    { "loss", MP_OPT_CHOICE, AT(loss), "squared", 0, 0, "squared|absolute|huber", "regress, count: how an error counts" },
    { "huber-delta", MP_OPT_REAL, AT(huber_delta), "1", 1e-9, 1e9, NULL, "huber: errors beyond this count by their size, not its square" },
    { "standardise", MP_OPT_FLAG, AT(standardise), "true", 0, 1, NULL, "regress: learn numbers of mean 0 and deviation 1 over the training graphs" },
    { "stop-on", MP_OPT_CHOICE, AT(stop_on), "loss", 0, 0, "loss|metric", "what of the validation graphs makes an epoch better" },
    { "edge-attributes", MP_OPT_CHOICE, AT(edge_attributes), "use", 0, 0, "use|ignore", "labels and attributes of edges, for convolutions that take them" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL }
};
/* clang-format on */

const char mp_config_late[] = "task";

void mp_config_init(mp_config *c)
{
    memset(c, 0, sizeof *c);
    mp_conf_defaults(mp_config_table, c);
}
