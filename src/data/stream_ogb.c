/* stream_ogb.c - the members of a set in OGB's raw layout in step: a piece is some whole graphs, with their lines of every member.
 *
 * The two lists of counts say how many lines of the others a piece has: nothing needs to be looked at beforehand, and messages have
 * the lines of the whole. The mapping and the split are not read.
 * SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/guard.h"
#include "data/ogb.h"
#include "data/stream.h"

#include <string.h>

#define PIECE 3000 /* nodes: a few shards */

_Static_assert((int)MP_OGB_MAPPING <= (int)MP_TU_PARTS, "a piece has room for a text of each part");

typedef struct ogb {
    mp_stream stream;
    const mp_dataset_as *as;
    mp_ogb_files files;            /* names; its texts are those of a piece */
    mp_feed feed[MP_OGB_MAPPING];  /* tap.read NULL: no such member */
    int64_t lines[MP_OGB_MAPPING]; /* cut off so far */
    int edge_columns_unread;       /* as in mp_raw */
} ogb;

/* The number on a line; 0 when there is none, which is for mp_ogb_parse to tell. */
static int64_t count_of(mp_span line)
{
    int64_t n;
    return mp_to_int(mp_trim(line), &n) && n > 0 && n <= MP_MOST_COUNT ? n : 0;
}

/* Cuts off lines with a count each: `most` of them, or as many as reach `enough` together, or up to one below `least`. */
static mp_err cut_counts(mp_feed *f, int64_t most, int64_t enough, int64_t least, mp_buf *out, int64_t *lines,
                         int64_t *sum)
{
    size_t at = 0;
    int64_t n = least;
    *lines = *sum = 0;
    while (*lines < most && *sum < enough && n >= least) {
        mp_span seen = mp_feed_window(f), rest = { seen.p + at, seen.n - at };
        const char *end = rest.n ? memchr(rest.p, '\n', rest.n) : NULL;
        if (!end && !f->end) {
            MP_TRY(mp_feed_more(f));
            continue;
        }
        if (f->end && mp_trim(rest).n == 0) break; /* empty lines at the end are none */
        size_t length = end ? (size_t)(end - rest.p) : rest.n;
        n = count_of((mp_span){ rest.p, length });
        at += length + (end != NULL);
        ++*lines;
        *sum += n;
    }
    mp_feed_cut(f, at, out);
    return MP_OK;
}

/* Nothing but empty lines is left of a member. */
static mp_err need_end(ogb *o, mp_ogb_part part)
{
    mp_feed *f = &o->feed[part];
    while (f->tap.read && mp_trim(mp_feed_window(f)).n == 0) {
        if (f->end) return MP_OK;
        f->from = f->to;
        MP_TRY(mp_feed_more(f));
    }
    if (!f->tap.read) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s:%lld: more lines than the counts of nodes and edges allow", o->files.file[part],
                   (long long)(o->lines[part] + 1));
}

static mp_err cut(mp_stream *s, mp_piece *p, bool *got)
{
    ogb *o = (ogb *)s;
    int64_t graphs, nodes, counted, edges;
    mp_feed *f = o->feed;
    MP_TRY(cut_counts(&f[MP_OGB_NODE_COUNTS], INT64_MAX, PIECE, 1, &p->text[MP_OGB_NODE_COUNTS], &graphs, &nodes));
    if (graphs == 0 && o->lines[MP_OGB_NODE_COUNTS] == 0)
        return mp_fail(MP_ERR_INPUT, "%s: empty", o->files.file[MP_OGB_NODE_COUNTS]);
    if (graphs == 0) {
        for (int part = 0; part < MP_OGB_MAPPING; part++) MP_TRY(need_end(o, (mp_ogb_part)part));
        return MP_OK;
    }
    MP_TRY(cut_counts(&f[MP_OGB_EDGE_COUNTS], graphs, INT64_MAX, 0, &p->text[MP_OGB_EDGE_COUNTS], &counted, &edges));
    const int64_t lines[MP_OGB_MAPPING] = {
        [MP_OGB_NODE_COUNTS] = graphs, [MP_OGB_EDGE_COUNTS] = graphs, [MP_OGB_EDGES] = edges,
        [MP_OGB_NODE_FEAT] = nodes,    [MP_OGB_EDGE_FEAT] = edges,    [MP_OGB_LABELS] = graphs
    };
    for (int part = MP_OGB_EDGES; part < MP_OGB_MAPPING; part++)
        if (f[part].tap.read) MP_TRY(mp_feed_lines(&f[part], lines[part], &p->text[part]));
    p->start = o->lines[MP_OGB_NODE_COUNTS];
    p->graphs = graphs;
    for (int part = 0; part < MP_OGB_MAPPING; part++) {
        p->lines_before[part] = o->lines[part];
        o->lines[part] += lines[part];
    }
    *got = true;
    return MP_OK;
}

static mp_err read_piece(const mp_stream *s, mp_piece *p)
{
    const ogb *o = (const ogb *)s;
    mp_ogb_files files = o->files;
    mp_raw raw;
    for (int part = 0; part < MP_OGB_MAPPING; part++) {
        if (o->feed[part].tap.read)
            files.part[part] = (mp_span){ p->text[part].n ? p->text[part].p : "", p->text[part].n };
        files.before[part] = p->lines_before[part];
    }
    p->from = p->count = 0;
    MP_TRY(mp_ogb_parse(&files, p->memory, &raw));
    raw.edge_columns_unread = o->edge_columns_unread;
    MP_TRY(mp_dataset_piece(&raw, o->as, p->memory, &p->data));
    p->count = raw.graphs.graphs;
    return MP_OK;
}

static mp_err blame(const mp_stream *s, int64_t graph, mp_err e)
{
    return mp_fail_within(e, "%s: graph %lld", ((const ogb *)s)->files.name, (long long)graph);
}

static void close_all(mp_stream *s)
{
    ogb *o = (ogb *)s;
    for (int part = 0; part < MP_OGB_MAPPING; part++) mp_feed_close(&o->feed[part]);
    mp_put(o);
}

mp_err mp_stream_ogb(const mp_ogb_files *names, const mp_tap tap[MP_OGB_MAPPING], int edge_columns_unread,
                     mp_stream **out)
{
    ogb *o = mp_get_zero(1, sizeof *o);
    if (!o) {
        for (int part = 0; part < MP_OGB_MAPPING; part++)
            if (tap[part].close) tap[part].close(tap[part].state);
        return mp_no_memory(sizeof *o);
    }
    o->stream = (mp_stream){ .cut = cut, .read = read_piece, .blame = blame, .close = close_all };
    o->as = names->as;
    o->files = *names;
    o->files.split = NULL;
    o->edge_columns_unread = edge_columns_unread;
    for (int part = 0; part < MP_OGB_MAPPING; part++) mp_feed_open(&o->feed[part], tap[part]);
    *out = &o->stream;
    return MP_OK;
}
