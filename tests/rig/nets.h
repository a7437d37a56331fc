/* nets.h - every baseline of the table in some settings, small, on a batch of small graphs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_NETS_H
#define MP_TEST_NETS_H

#include "model/model.h"
#include "rig.h"

#define NET_FEATURES 5
#define NET_OUTPUTS  3

typedef struct net {
    const char *name; /* of the baseline */
    char what[160];   /* name and options, for messages */
    bool invariant;   /* its outputs do not depend on how nodes are numbered */
    mp_model *model;  /* random weights */
} net;

/* Calls f with every baseline in every setting; memory of a net is the rig's. What a setting leaves to the data comes from
 * net_batch, or, with net_each_small, from a data set of single nodes. */
void net_each(void (*f)(mp_rig *r, net *n, void *state), void *state);
void net_each_small(void (*f)(mp_rig *r, net *n, void *state), void *state);

/* Features: one number in one column for each node, no two alike. */
mp_sparse net_features(mp_rig *r, int nodes);

/* A batch with a graph of one node, one of two, one without edges, isolated nodes and larger ones. */
mp_graph net_batch(mp_rig *r);
/* Graphs of a single node each. */
mp_graph net_singles(mp_rig *r);

#endif
