/* conv.h - graph convolutions as rows: networks, score layers and baselines take any of them.
 *
 *     Y = conv(X, A),  N x in to N x out, then ReLU if asked                                      (math.md 2.2 to 2.7)
 *
 * A row says what a convolution computes and what others must know about it; a layer is a row with its parameters. A new
 * convolution is a new row in convs.c, and its name among the choices of --conv (conf/config.c); mp_conv_add does both.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CONV_H
#define MP_CONV_H

#include "base/api.h"
#include "conf/config.h"
#include "nn/layers.h"

MP_API_BEGIN

typedef struct mp_conv_setup { /* what a convolution knows when it claims its parameters */
    const mp_config *conf;     /* of the network, for options of its own; NULL: their defaults */
    mp_params *params;
    const char *prefix;
    int in, out;                  /* channels                                           */
    int edge_in;                  /* columns of the attributes of edges; 0: there are none */
    const mp_tables *edge_tables; /* what these columns are; NULL: one table */
    int heads;                    /* of attention, side by side; 0: one                 */
} mp_conv_setup;

typedef struct mp_conv_kind {
    const char *name;         /* on the command line */
    const char *formula;      /* for midpool ops     */
    const char *options;      /* of its own that it looks at, "NAME:conv=ITS-NAME" (conf/uses.h); NULL: none */
    const mp_option_set *own; /* that it declares; NULL: none */
    size_t size;              /* of its state        */
    void (*init)(void *state, const mp_conv_setup *s);
    mp_mat *(*run)(const void *state, mp_ctx *c, const mp_graph *g, mp_input x, bool relu);
    bool sums_only;  /* asks of a graph nothing but GCN's sums: mp_graph_gather */
    bool reads_once; /* its backward needs the values of its input for one product alone, before that writes the input's
                        gradient */
    bool edge_x;     /* needs attributes of edges                     */
    bool unseen;     /* never looks at what kernels write, and a GPU has all of these */
    bool whole_batch;                   /* normalises over the batch: it must not be cut */
    const struct mp_conv_kind *without; /* takes its place where edges are new and have no attributes; NULL: it stays */
    const struct mp_conv_kind *of_shares; /* takes its place on edges whose weights are shares already, so that it must
                                             neither normalise nor add loops; NULL: it stays */
} mp_conv_kind;

extern const mp_conv_kind mp_conv_gcn, mp_conv_gcn_noloop, mp_conv_gcn_raw, mp_conv_graph, mp_conv_graph_mean,
    mp_conv_gin, mp_conv_sage, mp_conv_le, mp_conv_le_pyg, mp_conv_le_authors, mp_conv_gat, mp_conv_cheb, mp_conv_gine,
    mp_conv_ogb_gcn, mp_conv_ogb_gin, mp_conv_chebygin;

/* All rows; the list ends with NULL. */
const mp_conv_kind *const *mp_conv_kinds(void);
/* NULL when there is none of that name. */
const mp_conv_kind *mp_conv_find(const char *name);
/* Makes a convolution of a program's own known by its name, to --conv and, where it needs neither attributes of edges nor the
 * whole batch, to --score-conv. Call it before threads start and before models are made; the row must outlive them. */
MP_MUST mp_err mp_conv_add(const mp_conv_kind *kind);
/* The one that an option of a configuration names, or `usual` for "auto". */
const mp_conv_kind *mp_conv_chosen(const mp_config *conf, const char *option, const mp_conv_kind *usual);

typedef struct mp_conv { /* a layer */
    const mp_conv_kind *kind;
    const void *state;
} mp_conv;
mp_conv mp_conv_new(const mp_conv_kind *kind, const mp_conv_setup *s);
/* The same for what needs nothing but channels. */
mp_conv mp_conv_init(mp_params *p, const char *prefix, const mp_conv_kind *kind, int in, int out);
/* Weights and bias of a GCN layer, for who sums before the product. */
mp_lin mp_gcn_map(const mp_conv *l);
mp_mat *mp_conv_run(const mp_conv *l, mp_ctx *c, const mp_graph *g, mp_input x, bool relu);

MP_API_END

#endif
