/* audit.h - what may be wrong with a data set: repeated graphs, repeated graphs across folds, odd graphs.
 *
 * Two graphs count as the same when colour refinement (Weisfeiler & Leman 1968), run until it is stable,
 * gives their nodes the same colours equally often. Isomorphic graphs always do; the few others that do look
 * the same to every message-passing network as well.
 * SPDX-License-Identifier: MIT */
#ifndef MP_AUDIT_H
#define MP_AUDIT_H

#include "data/split.h"

typedef struct mp_audit_fold {
    int fold;
    int repeated;    /* test graphs that are in training or validation too */
    int conflicting; /* of those, where some copy there has another label */
} mp_audit_fold;

typedef struct mp_audit {
    int graphs;
    int repeated;         /* graphs beyond the first of their kind: colours begin with the input features */
    int repeated_labels;  /* the same without attributes (equal where there are none) */
    int groups, mixed;    /* kinds with more than one graph; those whose graphs have different labels */
    int mixed_graphs;     /* graphs in mixed groups */
    const int *group_ptr; /* groups + 1: group k is group[group_ptr[k]] .. */
    const int *group;     /* graph indices, ascending within a group */
    const bool *is_mixed; /* groups */
    int edgeless, single_node, isolated_nodes, with_isolated; /* graphs, graphs, nodes, graphs */
    int folds;
    const mp_audit_fold *fold;
    const char *folds_about;
} mp_audit;

/* `f` may be NULL: no folds are looked at. */
void mp_audit_run(const mp_dataset *d, const mp_folds *f, mp_arena *a, mp_audit *out);

void mp_audit_text(const mp_dataset *d, const mp_audit *r, mp_buf *out);
void mp_audit_json(const mp_dataset *d, const mp_audit *r, mp_buf *out);

#endif
