/* config.h - everything that defines a model and its training: the chosen parts, the options that all methods or several of
 * them share, and those that parts declare beside their code.
 *
 * A part declares its options as rows with offsets in a struct of its own (a set). Sets lie one behind the other in
 * mp_config.own; the table holds the rows of all sets, so that help, YAML, JSON, keys and checks need nothing else.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CONFIG_H
#define MP_CONFIG_H

#include "base/api.h"
#include "base/conf.h"

MP_API_BEGIN

#define MP_OWN_BYTES    768
#define MP_OPTIONS_MOST 160

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
    int gate;          /* auto | tanh | sigmoid | identity */
    int adj_power;     /* induced edges: 1 | 2 */
    int score_conv;    /* auto | a convolution (nn/conv.h) */
    int scale_n;       /* att, tap: gate times n */
    int score_from;    /* topk, sag, ug: what scores read: current | input | previous */
    double multiplier; /* gates times this */
    double lambda;     /* hgpsl 1, rep 0.1, tap 0.1, ipool 0.5; negative: that default */
    int hops;          /* vip 1, ipool 1, hgpsl 3; 0: that default */
    double mi_weight;  /* vip 1, cgi 0.001; negative: that default */
    /* task */
    int task;            /* auto | a task (src/task) */
    char metric[64];     /* the leading one; auto: the task's first */
    int stop_on;         /* loss | metric | train-loss: what makes an epoch better */
    int edge_attributes; /* use | ignore */
    /* network */
    int arch;    /* tu | colors | triangles | autoencoder | autoencoder-literal */
    int conv;    /* auto | a convolution */
    int encoder; /* none | embed */
    int readout; /* auto | max | mean | sum | max+mean */
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
    int clusters;                                /* diff, mincut, mem, gmt; 0: from ratio and the data */
    int heads;                                   /* mem 5, gmt 1; 0: that default */
    _Alignas(8) unsigned char own[MP_OWN_BYTES]; /* structs of sets, each at its place */
} mp_config;

/* All options, ends with a row without a name. Made before main begins; mp_options_add alone changes it. */
extern mp_opt mp_config_table[MP_OPTIONS_MOST + 1];

/* The options that the first stores and model files have come first in the table, in the order they had then. Those behind
 * them, from this one on, are written where they are not at their defaults, so that what was written before stays as it was;
 * NULL: there are none. */
const char *mp_config_late(void);

typedef struct mp_option_set { /* the options of a part */
    const mp_opt *rows;        /* offsets in its struct */
    size_t size;               /* of the struct */
    size_t *place;             /* of the struct in mp_config.own; NULL: offsets are those of mp_config itself */
    const char *group;         /* heading of its rows in the help; NULL: they belong to single methods */
} mp_option_set;

#define MP_OPTION_SET(storage, set, type, rows) MP_OPTION_SET_IN(storage, set, type, rows, NULL)
#define MP_OPTION_SET_IN(storage, set, type, rows, group)                                                              \
    static size_t set##_place;                                                                                         \
    storage const mp_option_set set = { rows, sizeof(type), &set##_place, group }

/* The struct of a set in a configuration, to read and to write. */
#define MP_OWN(conf, set, type)     ((const type *)(const void *)((conf)->own + *(set).place))
#define MP_OWN_SET(conf, set, type) ((type *)(void *)((conf)->own + *(set).place))

/* Adds the options of a set to the table; NULL, and a set that is there, are fine. For parts of one's own: call it before
 * threads start and before configurations are made. Fails when a name is taken or there is no more room. */
MP_MUST mp_err mp_options_add(const mp_option_set *set);

/* Adds a choice to an option that has choices, behind those it has; the same rules. */
MP_MUST mp_err mp_choice_add(const char *option, const char *choice);

/* The sets of all parts of the library, one after the other; NULL behind the last. Defined above this layer (train/parts.c). */
const mp_option_set *mp_options_at(int i);

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
enum { MP_FROM_CURRENT, MP_FROM_INPUT, MP_FROM_PREVIOUS };
enum { MP_SCHEDULE_CONSTANT, MP_SCHEDULE_COSINE, MP_SCHEDULE_STEP };
enum { MP_ARCH_TU, MP_ARCH_COLORS, MP_ARCH_TRIANGLES, MP_ARCH_AUTOENCODER, MP_ARCH_AUTOENCODER_LITERAL };

enum { MP_TASK_AUTO }; /* the others are rows of src/task */
enum { MP_STOP_ON_LOSS, MP_STOP_ON_METRIC, MP_STOP_ON_TRAIN_LOSS };
enum { MP_EDGES_USE, MP_EDGES_IGNORE };
enum { MP_CONV_AUTO };
enum { MP_ENCODER_NONE, MP_ENCODER_EMBED };

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
