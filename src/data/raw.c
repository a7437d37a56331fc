/* raw.c - see raw.h.
 * SPDX-License-Identifier: MIT */
#include "data/raw.h"
#include "chem/chem.h"

#include <string.h>

bool mp_raw_is_molecules(const mp_raw *raw)
{
    bool bonds = raw->edge_label_columns + raw->edge_columns_unread > 0;
    return bonds && raw->label_columns == MP_ATOM_COLUMNS && raw->label_range &&
           memcmp(raw->label_range, mp_atom_range, sizeof mp_atom_range) == 0;
}

bool mp_raw_wants_edges(const mp_raw *raw, const mp_dataset_as *as)
{
    return mp_raw_is_molecules(raw) ? mp_dataset_wants_bonds(as) : mp_dataset_wants_edges(as);
}

/* Parts one behind the other from graph 0 on are ranges of graphs; others are ranges of a list. */
void mp_raw_split(mp_raw *raw, const unsigned char *part, const char *const name[MP_PARTS], mp_arena *a)
{
    int graphs = raw->graphs.graphs, n = 0;
    int *list = MP_NEW_RAW(a, int, graphs);
    bool ranges = true;
    for (int i = 0; i < MP_PARTS; i++) {
        int first = n;
        for (int b = 0; b < graphs; b++)
            if (part[b] == i) list[n++] = b;
        raw->fixed[i][0] = n > first ? first : 0;
        raw->fixed[i][1] = n > first ? n : 0;
        raw->fixed_name[i] = name[i];
    }
    for (int k = 0; k < n; k++) ranges = ranges && list[k] == k;
    raw->fixed_list = ranges ? NULL : list;
}

const unsigned char *mp_raw_parts(const mp_raw *raw, mp_arena *a)
{
    if (!raw->fixed_name[0]) return NULL;
    unsigned char *part = MP_NEW_RAW(a, unsigned char, raw->graphs.graphs);
    memset(part, MP_PARTS, (size_t)raw->graphs.graphs);
    for (int i = 0; i < MP_PARTS; i++)
        for (int k = raw->fixed[i][0]; k < raw->fixed[i][1]; k++)
            part[raw->fixed_list ? raw->fixed_list[k] : k] = (unsigned char)i;
    return part;
}

const int *mp_raw_edges(const mp_raw *raw, mp_arena *a)
{
    const mp_graph *g = &raw->graphs;
    if (raw->edge_list) return raw->edge_list;
    int *place = MP_NEW_RAW(a, int, g->edges / 2), n = 0;
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] > v) place[n++] = g->rev[e];
    return place;
}

int mp_raw_edge_count(const mp_raw *raw, int graph)
{
    const mp_graph *g = &raw->graphs;
    return (g->row_ptr[g->node_ptr[graph + 1]] - g->row_ptr[g->node_ptr[graph]]) / 2;
}
