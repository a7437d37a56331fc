/* fuzz_ogb.c - noise as a set in OGB's raw layout: the parts in the order of mp_ogb_part, with form feeds between. The first byte
 * says what is wanted, and how few bytes a read of the stream gives.
 *
 * An empty part is a missing member. Whatever is accepted must be graphs that pass every check, and those of the stream must be those
 * of the whole.
 * SPDX-License-Identifier: MIT */
#include "../tests/data/pour.h"
#include "base/guard.h"
#include "data/audit.h"
#include "data/ogb.h"
#include "data/stats.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[MP_OGB_PARTS] = { "num-node-list", "num-edge-list", "edge",  "node-feat", "edge-feat",
                                                 "graph-label",   "mapping",       "train", "valid",     "test" };

typedef struct input {
    mp_ogb_files files;
    size_t step;
    mp_arena *arena;
    mp_raw raw;
} input;

static void check_whole(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a)
{
    mp_dataset d;
    mp_stats s;
    mp_audit r;
    mp_assert(mp_graph_check(&raw->graphs) == MP_OK);
    if (mp_dataset_build(raw, as, a, &d) != MP_OK) return;
    mp_assert(d.x.cols == mp_recipe_columns(&d.recipe));
    for (int i = 0; i < d.x.ptr[d.graphs.nodes]; i++) mp_assert(d.x.col[i] >= 0 && d.x.col[i] < d.x.cols);
    if (d.graphs.edge_x) mp_assert(d.graphs.edge_x->rows == d.graphs.edges);
    mp_stats_of(&d, a, &s);
    mp_audit_run(&d, NULL, a, &r);
}

typedef struct reading {
    mp_stream *stream;
    mp_piece *piece;
} reading;

static mp_err read_piece(void *arg)
{
    const reading *r = arg;
    return mp_stream_read(r->stream, r->piece);
}

/* Graphs of the stream, -1 when it fails; `all`: what they must be, or NULL. */
static int read_stream(const input *in, const mp_raw *all)
{
    memory text[MP_OGB_MAPPING];
    mp_tap tap[MP_OGB_MAPPING] = { 0 };
    mp_stream *s;
    mp_piece p;
    bool got = true, edges = mp_dataset_wants_edges(in->files.as);
    int graphs = 0;
    mp_err e;
    for (int part = 0; part < MP_OGB_MAPPING; part++) {
        text[part] = (memory){ in->files.part[part], in->step };
        if (in->files.part[part].p && (edges || part != MP_OGB_EDGE_FEAT))
            tap[part] = (mp_tap){ pour, leave, &text[part] };
    }
    if (!tap[MP_OGB_EDGES].read || !tap[MP_OGB_NODE_COUNTS].read || !tap[MP_OGB_EDGE_COUNTS].read) return -1;
    if (mp_stream_ogb(&in->files, tap, 0, &s) != MP_OK) return -1;
    mp_piece_init(&p);
    while ((e = mp_stream_cut(s, &p, &got)) == MP_OK && got &&
           (e = mp_guarded(read_piece, &(reading){ s, &p })) == MP_OK) {
        const mp_graph *g = &p.data.graphs;
        mp_assert(mp_graph_check(g) == MP_OK && g->graphs == p.count);
        if (all) {
            const mp_graph *h = &all->graphs;
            mp_assert(graphs + g->graphs <= h->graphs);
            int node = h->node_ptr[graphs], edge = h->row_ptr[node];
            mp_assert(h->node_ptr[graphs + g->graphs] - node == g->nodes);
            mp_assert(h->row_ptr[node + g->nodes] - edge == g->edges);
            for (int k = 0; k < g->edges; k++) mp_assert(h->col[edge + k] - node == g->col[k]);
        }
        graphs += p.count;
    }
    mp_piece_free(&p);
    mp_stream_close(s);
    return e == MP_OK ? graphs : -1;
}

static mp_err read_whole(void *arg)
{
    input *in = arg;
    const mp_span *part = in->files.part;
    if (!part[MP_OGB_EDGES].p || !part[MP_OGB_NODE_COUNTS].p || !part[MP_OGB_EDGE_COUNTS].p) return MP_ERR_INPUT;
    MP_TRY(mp_ogb_parse(&in->files, in->arena, &in->raw));
    check_whole(&in->raw, in->files.as, in->arena);
    return MP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const mp_recipe atoms = { .label_columns = 9,
                                     .label_count = { 119, 5, 12, 12, 10, 6, 6, 2, 2 },
                                     .edge_label_columns = 3,
                                     .edge_label_count = { 5, 6, 2 } },
                           numbers = { .attributes = 2, .edge_attributes = 1 },
                           degrees = { .degree = MP_DEGREE_ONE_HOT, .degree_max = 3 };
    static const mp_dataset_as as[] = { { .edges = true },
                                        { .recipe = &atoms, .task = &mp_task_binary, .targets = 2 },
                                        { .recipe = &numbers, .task = &mp_task_regress, .targets = 1 },
                                        { .recipe = &degrees, .task = &mp_task_binary, .targets = 1 } };
    if (size == 0) return 0;
    input in = { .files = { .name = "S", .as = &as[data[0] & 3] }, .step = (size_t)(data[0] >> 3) + 1 };
    if (data[0] & 4) in.files.split = "scaffold";
    memcpy(in.files.file, names, sizeof names);
    mp_span rest = { (const char *)data + 1, size - 1 };
    for (int part = 0; part < MP_OGB_PARTS; part++) {
        const char *end = rest.n ? memchr(rest.p, '\f', rest.n) : NULL;
        size_t n = end ? (size_t)(end - rest.p) : rest.n, step = end ? n + 1 : n;
        if (n) in.files.part[part] = (mp_span){ rest.p, n };
        rest = (mp_span){ rest.p + step, rest.n - step };
    }
    mp_arena_limit((size_t)1 << 26); /* without node-feat.csv a number alone makes millions of nodes */
    in.arena = mp_arena_new(1 << 16);
    bool whole = mp_guarded(read_whole, &in) == MP_OK;
    if (in.files.as->recipe) {
        int graphs = read_stream(&in, whole ? &in.raw : NULL);
        if (whole && graphs >= 0) mp_assert(graphs == in.raw.graphs.graphs);
    }
    mp_arena_free(in.arena);
    return 0;
}
