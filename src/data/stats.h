/* stats.h - the figures of a data set beside those the paper gives for it.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STATS_H
#define MP_STATS_H

#include "base/text.h"
#include "data/dataset.h"

typedef struct mp_stats {
    int graphs, nodes, edges; /* edges undirected, without self loops */
    int min_nodes, max_nodes, max_degree;
    double avg_nodes, avg_edges;
    int isolated_nodes, edgeless_graphs, single_node_graphs;
    int classes; /* distinct labels; of a set with whole-number targets: distinct targets; else 0 */
    const int64_t *class_value;
    const int *class_count; /* graphs of each class */
    int columns;            /* of x */
    const char *source;     /* of x, in words */
} mp_stats;

void mp_stats_of(const mp_dataset *d, mp_arena *a, mp_stats *out);

/* Lines of text; and an object. Both say where the figures differ from the paper's. */
void mp_stats_text(const mp_dataset *d, const mp_stats *s, mp_buf *out);
void mp_stats_json(const mp_dataset *d, const mp_stats *s, mp_buf *out);

#endif
