/* config.h - everything that defines a model and its training, as one struct and one table of options.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CONFIG_H
#define MP_CONFIG_H

#include "base/api.h"
#include "base/conf.h"

MP_API_BEGIN

typedef struct mp_config {
    char pool[64]; /* name of an operator */
    /* MID */
    int score_dim, flip;
    double drop;
    int width;     /* multi | multihead | repeat | mlp */
    int drop_mode; /* exact | bernoulli */
    int dropped;   /* excluded | zero */
    int combine;   /* sum | max | l2: how score columns make one ranking key */
    int rank;      /* auto | raw | activated */
    /* pooling; "auto" takes what `variant` and the operator say */
    int variant; /* paper | pyg | authors */
    double ratio, min_score;
    int gate;       /* auto | tanh | sigmoid | identity */
    int adj_power;  /* induced edges: 1 | 2 */
    int score_conv; /* auto | a convolution (nn/conv.h) */
    int mix;        /* gsa: auto | after | before: tanh before or after mixing */
    double alpha;   /* gsa */
    int fusion;     /* gsa: auto | gcn | gat | none | raw */
    int intra;      /* asap: auto | none | gcn */
    int detach_adj; /* asap: auto | no | yes */
    double att_dropout;
    int attention;    /* att: global | local */
    int dnorm;        /* att, local: times column sums */
    int assign;       /* att: usual | raw */
    int scale_n;      /* att, tap: gate times n */
    double lambda;    /* hgpsl 1, rep 0.1, tap 0.1, ipool 0.5; negative: that default */
    int hops;         /* vip 1, ipool 1, hgpsl 3; 0: that default */
    int lap_norm;     /* hgpsl: row | sym */
    int sparse;       /* hgpsl: sparsemax, else softmax */
    int candidates;   /* hgpsl: auto | full | sampled */
    int next_conv;    /* hgpsl: auto | gcn */
    double mi_weight; /* vip 1, cgi 0.001; negative: that default */
    int mi_nodes;     /* cgi: all | top1 */
    int vip_adj;      /* vip: table | literal | induced */
    int rep_score;    /* rep: table | original */
    int rep_select;   /* rep: greedy | peak */
    int square;       /* ug: before | after */
    int binary;       /* ug: unit weights */
    int connectivity; /* tap: add lambda degree / n */
    int pick;         /* ipool: greedy | local */
    int overlap;      /* ipool: jaccard | cosine */
    /* baselines, each for the method that is named */
    int processing_steps; /* set2set */
    int sort_form;        /* sort: pyg | dgcnn */
    int sort_k;           /* sort: nodes kept; 0: 30, or dgcnn's share of the graphs */
    double sort_share;    /* sort, dgcnn: share of the graphs with at most k nodes */
    double edge_dropout;  /* edge: dropout of edge scores */
    int haar_levels;      /* haar: poolings */
    /* task */
    int task;        /* auto | classify | regress | binary | count */
    char metric[64]; /* the leading one; auto: the task's first */
    int loss;        /* squared | absolute | huber */
    double huber_delta;
    int standardise;     /* regress: learn numbers of mean 0 and deviation 1 */
    int stop_on;         /* loss | metric: what makes an epoch better */
    int edge_attributes; /* use | ignore */
    /* network */
    int arch; /* tu | colors | triangles */
    int conv; /* auto | a convolution */
    int hidden, layers;
    double dropout;
    /* training */
    int batch_size, epochs, patience, seed;
    double lr, weight_decay, beta1;
    double clip;     /* largest norm of the gradient; 0: none */
    int schedule;    /* constant | cosine | step */
    int warmup;      /* cosine: epochs in which the rate grows */
    mp_list lr_drop; /* step: epochs after which the rate is a tenth of what it was */
    /* baselines */
    int clusters;                       /* diff, mincut, mem, gmt; 0: from ratio and the data */
    double link_weight, entropy_weight; /* diff: auxiliary losses */
    double cut_weight, ortho_weight;    /* mincut */
    int norm_adj;                       /* mincut: normalise the adjacency first */
    int heads;                          /* mem 5, gmt 1; 0: that default */
    double kl_weight;                   /* mem */
    int kl_detach;                      /* mem: the target of the loss is a constant */
    double mem_dropout;                 /* mem: in front of convolutions and between the two poolings */
    int attend;                         /* gmt: softmax over queries | keys */
    int ln;                             /* gmt: LayerNorm in the attention blocks */
} mp_config;

extern const mp_opt mp_config_table[];

/* From this option on rows were added after there were stores and model files. They are written where they are not at their
 * defaults, so that what was written before stays as it was. New rows go to the end of the table. */
extern const char mp_config_late[];

/* Settings that belong to a method: a statement of its row in a registry. All that fit a name and a data set hold,
 * later ones over earlier ones. */
typedef struct mp_method_preset {
    const char *name;     /* MP_PRESET_PAPER, MP_PRESET_AUTHORS; NULL ends the list */
    const char *data;     /* the only data set they are for; NULL: every one        */
    const char *settings; /* "conv=graphconv lr=0.001"; "": the defaults            */
    bool always;          /* they hold without being asked for                      */
} mp_method_preset;
#define MP_PRESET_PAPER   "paper"   /* the network that gives the base rows of the MID paper                   */
#define MP_PRESET_AUTHORS "authors" /* what its authors, or PyG's example of it, chose and options can express */

/* Choices, in the order of the table's text. */
enum { MP_WIDTH_MULTI, MP_WIDTH_MULTIHEAD, MP_WIDTH_REPEAT, MP_WIDTH_MLP };
enum { MP_DROP_EXACT, MP_DROP_BERNOULLI };
enum { MP_DROPPED_EXCLUDED, MP_DROPPED_ZERO };
enum { MP_COMBINE_SUM, MP_COMBINE_MAX, MP_COMBINE_L2 };
enum { MP_RANK_AUTO, MP_RANK_RAW, MP_RANK_ACTIVATED };
enum { MP_VARIANT_PAPER, MP_VARIANT_PYG, MP_VARIANT_AUTHORS };
enum { MP_GATE_AUTO, MP_GATE_TANH, MP_GATE_SIGMOID, MP_GATE_IDENTITY };
enum { MP_MIX_AUTO, MP_MIX_AFTER, MP_MIX_BEFORE };
enum { MP_FUSION_AUTO, MP_FUSION_GCN, MP_FUSION_GAT, MP_FUSION_NONE, MP_FUSION_RAW };
enum { MP_INTRA_AUTO, MP_INTRA_NONE, MP_INTRA_GCN };
enum { MP_DETACH_AUTO, MP_DETACH_NO, MP_DETACH_YES };
enum { MP_ATTENTION_GLOBAL, MP_ATTENTION_LOCAL };
enum { MP_ASSIGN_USUAL, MP_ASSIGN_RAW };
enum { MP_LAP_ROW, MP_LAP_SYM };
enum { MP_CANDIDATES_AUTO, MP_CANDIDATES_FULL, MP_CANDIDATES_SAMPLED };
enum { MP_NEXT_AUTO, MP_NEXT_GCN };
enum { MP_MI_ALL, MP_MI_TOP1 };
enum { MP_VIP_TABLE, MP_VIP_LITERAL, MP_VIP_INDUCED };
enum { MP_REP_TABLE, MP_REP_ORIGINAL };
enum { MP_REP_GREEDY, MP_REP_PEAK };
enum { MP_SQUARE_BEFORE, MP_SQUARE_AFTER };
enum { MP_PICK_GREEDY, MP_PICK_LOCAL };
enum { MP_OVERLAP_JACCARD, MP_OVERLAP_COSINE };
enum { MP_SORT_PYG, MP_SORT_DGCNN };
enum { MP_SCHEDULE_CONSTANT, MP_SCHEDULE_COSINE, MP_SCHEDULE_STEP };
enum { MP_ATTEND_QUERIES, MP_ATTEND_KEYS };
enum { MP_ARCH_TU, MP_ARCH_COLORS, MP_ARCH_TRIANGLES };

enum { MP_TASK_AUTO }; /* the others are rows of src/task */
enum { MP_STOP_ON_LOSS, MP_STOP_ON_METRIC };
enum { MP_EDGES_USE, MP_EDGES_IGNORE };

/* Fills a configuration with the defaults of the table. */
void mp_config_init(mp_config *c);

/* The configuration as a JSON object in table order, and back. Options that are missing keep their
 * default. */
void mp_config_to_json(const mp_config *c, mp_buf *out);
void mp_config_to_full_json(const mp_config *c, mp_buf *out); /* late options too, for people and their programs */
struct mp_json;
MP_MUST mp_err mp_config_from_object(const struct mp_json *object, const char *name, mp_config *out);
MP_MUST mp_err mp_config_from_json(mp_span json, const char *name, mp_arena *a, mp_config *out);

MP_API_END

#endif
