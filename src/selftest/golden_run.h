/* golden_run.h - what a golden case runs: a convolution, a pooling operator, a network.
 *
 * For golden*.c only. Each runs the case whose name is in `row`, compares what comes out and what flows back.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GOLDEN_RUN_H
#define MP_GOLDEN_RUN_H

#include "selftest/golden_case.h"
#include "pool/pool.h"

typedef struct mp_golden_kind mp_golden_kind;
struct mp_golden_kind {
    const char *name; /* the case's name begins with these words */
    mp_err (*run)(mp_case *k, const mp_golden_kind *row);
    const char *conv;    /* convolution (nn/conv.h)                                            */
    int form;            /* which of several                                                   */
    const char *op;      /* pooling operator; NULL: the next word of the case's name           */
    const char *options; /* "name=value name=value": what the name of the case stands for      */
    const char *fixed;   /* a weight of the reference that cannot matter while it is positive  */
    bool gated;          /* out.score holds the gates of the kept nodes, not every node's score */
};

/* The operator and the configuration of a case; sets k->skip when there is no such operator. */
MP_MUST mp_err mp_golden_setup(mp_case *k, const mp_golden_kind *row, const mp_pool_op **op, mp_config *conf);

mp_err mp_golden_conv(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_bonds(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_pool(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_net(mp_case *k, const mp_golden_kind *row);

mp_err mp_golden_bce(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_auc(mp_case *k, const mp_golden_kind *row);

mp_err mp_golden_set2set(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_sort(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_edge(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_haar(mp_case *k, const mp_golden_kind *row);

mp_err mp_golden_cluster(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_mem(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_norm(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_mab(mp_case *k, const mp_golden_kind *row);
mp_err mp_golden_gmt(mp_case *k, const mp_golden_kind *row);

#endif
