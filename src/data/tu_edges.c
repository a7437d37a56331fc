/* tu_edges.c - from lines "i, j" to sorted, symmetric compressed rows, in time linear in the lines.
 *
 * The text is read twice: once to check it and to count each node's edges, once to fill the rows. That takes
 * less memory than keeping the pairs, and COLLAB has 24.6 million.
 * SPDX-License-Identifier: MIT */
#include "data/tu_edges.h"
#include "data/edge_rows.h"
#include "data/scan.h"

static mp_err bad_node(const mp_scan *s, int64_t id, int nodes)
{
    return mp_fail(MP_ERR_INPUT, "%s:%lld: node %lld is outside 1..%d", s->file, (long long)s->line, (long long)id,
                   nodes);
}

static mp_err next_edge(mp_scan *s, int64_t before, int nodes, const int *owner, int *from, int *to)
{
    int64_t i, j;
    mp_scan at = *s;
    mp_scan_blanks(s);
    if (!mp_scan_int(s, &i)) return mp_scan_fail(s, "a node id");
    if (!mp_scan_comma(s)) return mp_scan_fail(s, "a comma and a second node id");
    if (!mp_scan_int(s, &j)) return mp_scan_fail(s, "a node id");
    if (!mp_scan_line_end(s)) return mp_scan_fail(s, "the end of the line");
    i -= before;
    j -= before;
    if (i < 1 || i > nodes) return bad_node(&at, i, nodes);
    if (j < 1 || j > nodes) return bad_node(&at, j, nodes);
    *from = (int)i - 1;
    *to = (int)j - 1;
    if (owner[*from] != owner[*to])
        return mp_fail(MP_ERR_INPUT, "%s:%lld: edge %lld, %lld crosses from graph %d to graph %d", at.file,
                       (long long)at.line, (long long)i, (long long)j, owner[*from] + 1, owner[*to] + 1);
    return MP_OK;
}

static mp_err count_edges(mp_scan s, int64_t before, int nodes, const int *owner, int *ptr, int *self_loops)
{
    while (s.p < s.end) {
        int from = 0, to = 0;
        MP_TRY(next_edge(&s, before, nodes, owner, &from, &to));
        if (from == to)
            ++*self_loops;
        else
            ptr[from]++;
    }
    return MP_OK;
}

/* The text was checked by count_edges: digits are all that matters here. */
static inline int64_t next_number(const char **p, const char *end)
{
    const char *q = *p;
    while (q < end && (unsigned)(*q - '0') >= 10) q++;
    int64_t v = 0;
    while (q < end && (unsigned)(*q - '0') < 10) v = v * 10 + (*q++ - '0');
    *p = q;
    return v;
}

static inline void next_pair(const char **p, const char *end, int64_t before, int *from, int *to)
{
    *from = (int)(next_number(p, end) - before - 1);
    *to = (int)(next_number(p, end) - before - 1);
    while (*p < end && **p != '\n') ++*p;
    *p += *p < end;
}

static void fill_edges(mp_span text, int64_t before, int *next, int *col)
{
    const char *p = text.p, *end = text.p + text.n;
    while (p < end) {
        int from, to;
        next_pair(&p, end, before, &from, &to);
        if (from != to) col[next[from]++] = to;
    }
}

void mp_tu_pairs(mp_span text, int64_t nodes_before, int *from, int *to)
{
    const char *p = text.p, *end = text.p + text.n;
    while (p < end) next_pair(&p, end, nodes_before, from++, to++);
}

mp_err mp_tu_edges(mp_span text, const char *file, int64_t nodes_before, const int *owner, mp_arena *scratch,
                   mp_arena *a, mp_raw *raw)
{
    int nodes = raw->graphs.nodes;
    mp_adjacency by_source = { MP_NEW(scratch, int, nodes + 1), NULL };
    MP_TRY(count_edges(mp_scan_of(text, file), nodes_before, nodes, owner, by_source.ptr, &raw->self_loops));
    mp_lengths_to_starts(by_source.ptr, nodes);
    by_source.col = MP_NEW_RAW(scratch, int, by_source.ptr[nodes]);
    int *next = MP_NEW_RAW(scratch, int, nodes + 1);
    memcpy(next, by_source.ptr, ((size_t)nodes + 1) * sizeof *next);
    fill_edges(text, nodes_before, next, by_source.col);
    return mp_edge_rows(by_source, file, scratch, a, raw);
}
