/* stream.c - what streams share, and the one over a data set in memory.
 * SPDX-License-Identifier: MIT */
#include "data/stream.h"
#include "base/alloc.h"
#include "base/guard.h"
#include "graph/join.h"

#include <stdlib.h>

#define WHOLE_PIECE 256 /* graphs */

void mp_piece_init(mp_piece *p)
{
    *p = (mp_piece){ .memory = mp_arena_new(1 << 16), .scratch = mp_arena_new(1 << 14) };
}

void mp_piece_free(mp_piece *p)
{
    for (int part = 0; part < MP_TU_PARTS; part++) mp_buf_free(&p->text[part]);
    mp_arena_free(p->memory);
    mp_arena_free(p->scratch);
}

mp_err mp_stream_cut(mp_stream *s, mp_piece *p, bool *got)
{
    *got = false;
    MP_TRY(s->cut(s, p, got));
    mp_piece_rewind(p, 0);
    return MP_OK;
}

void mp_piece_rewind(mp_piece *p, int most)
{
    p->first = p->start;
    p->at = 0;
    p->most = most;
    p->count = p->rows = 0;
    p->more = false;
}

mp_err mp_stream_read(const mp_stream *s, mp_piece *p)
{
    mp_arena_reset(p->memory);
    return s->read(s, p);
}

void mp_piece_join(mp_piece *p, const mp_recipe *r, const mp_graph *g, const mp_sparse *x)
{
    mp_arena *a = p->memory;
    mp_dataset *d = &p->data;
    mp_graph_join(a, g, x, p->count, &d->graphs, &d->x);
    if (!mp_recipe_edge_columns(r) || p->count == 0) return;
    mp_sparse *each = MP_NEW_RAW(a, mp_sparse, p->count), *all = MP_NEW(a, mp_sparse, 1);
    for (int i = 0; i < p->count; i++) each[i] = *g[i].edge_x;
    mp_sparse_join(a, each, p->count, d->graphs.edges, all);
    d->edge_x = *all;
    d->graphs.edge_x = all;
}

mp_err mp_stream_blame(const mp_stream *s, int64_t graph, mp_err e)
{
    return s->blame(s, graph, e);
}

void mp_stream_close(mp_stream *s)
{
    if (s) s->close(s);
}

mp_err mp_stream_count(mp_stream *s, int64_t *graphs)
{
    mp_piece p;
    bool got = true;
    mp_err e = MP_OK;
    mp_piece_init(&p);
    for (*graphs = 0; e == MP_OK && got; *graphs += got ? p.graphs : 0) e = mp_stream_cut(s, &p, &got);
    mp_piece_free(&p);
    mp_stream_close(s);
    return e;
}

typedef struct whole {
    mp_stream stream;
    const mp_dataset *data;
    int next;
} whole;

static mp_err whole_cut(mp_stream *s, mp_piece *p, bool *got)
{
    whole *w = (whole *)s;
    int left = w->data->graphs.graphs - w->next;
    p->start = w->next;
    p->graphs = left < WHOLE_PIECE ? left : WHOLE_PIECE;
    w->next += (int)p->graphs;
    *got = left > 0;
    return MP_OK;
}

static mp_err whole_read(const mp_stream *s, mp_piece *p)
{
    p->data = *((const whole *)s)->data;
    int left = p->data.graphs.graphs - (int)p->start;
    p->from = (int)p->start;
    p->count = left < WHOLE_PIECE ? left : WHOLE_PIECE;
    return MP_OK;
}

static mp_err whole_blame(const mp_stream *s, int64_t graph, mp_err e)
{
    return mp_fail_within(e, "%s: graph %lld", ((const whole *)s)->data->name, (long long)graph);
}

static void whole_close(mp_stream *s)
{
    mp_put(s);
}

mp_stream *mp_stream_whole(const mp_dataset *d, int64_t first)
{
    mp_assert(first >= 0 && first <= d->graphs.graphs);
    whole *w = mp_get(sizeof *w, _Alignof(whole));
    if (!w) mp_give_up(mp_no_memory(sizeof *w));
    *w = (whole){ .stream = { .cut = whole_cut, .read = whole_read, .blame = whole_blame, .close = whole_close },
                  .data = d,
                  .next = (int)first };
    return &w->stream;
}
