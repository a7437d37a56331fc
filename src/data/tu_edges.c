/* tu_edges.c - from lines "i, j" to sorted, symmetric compressed rows, in time linear in the lines.
 *
 * The text is read twice: once to check it and to count each node's edges, once to fill the rows. That takes
 * less memory than keeping the pairs, and COLLAB has 24.6 million. Rows are then transposed: walking the
 * sources in ascending order leaves every target's list sorted, and repeated edges side by side.
 * SPDX-License-Identifier: MIT */
#include "data/tu_edges.h"
#include "base/guard.h"
#include "data/scan.h"

typedef struct rows { /* row v: col[ptr[v]] .. col[ptr[v+1]-1] */
    int *ptr, *col;
} rows;

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

/* ptr[v] holds the length of row v; afterwards its start. */
static void lengths_to_starts(int *ptr, int nodes)
{
    int sum = 0;
    for (int v = 0; v <= nodes; v++) {
        int n = ptr[v];
        ptr[v] = sum;
        sum += n;
    }
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

static int *copy_of(const int *p, int n, mp_arena *a)
{
    int *q = MP_NEW_RAW(a, int, n);
    memcpy(q, p, (size_t)n * sizeof *q);
    return q;
}

/* Rows by target from rows by source. Columns of the result ascend, repeats are left out and counted. */
static rows transpose(const rows *in, int nodes, mp_arena *scratch, mp_arena *a, int *repeated)
{
    rows out = { MP_NEW(a, int, nodes + 1), MP_NEW_RAW(a, int, in->ptr[nodes]) };
    for (int e = 0; e < in->ptr[nodes]; e++) out.ptr[in->col[e]]++;
    lengths_to_starts(out.ptr, nodes);
    int *next = copy_of(out.ptr, nodes + 1, scratch), dropped = 0;
    for (int v = 0; v < nodes; v++) {
        for (int e = in->ptr[v]; e < in->ptr[v + 1]; e++) {
            int u = in->col[e];
            if (next[u] > out.ptr[u] && out.col[next[u] - 1] == v)
                dropped++;
            else
                out.col[next[u]++] = v;
        }
    }
    for (int v = 0, at = 0; dropped && v <= nodes; v++) { /* close the gaps */
        int first = out.ptr[v], n = v < nodes ? next[v] - first : 0;
        memmove(out.col + at, out.col + first, (size_t)n * sizeof(int));
        out.ptr[v] = at;
        at += n;
    }
    *repeated = dropped;
    return out;
}

/* rev[e] for symmetric rows. Sources come in ascending order, as do the columns of every row, so the reverse
 * of the next edge that points to u is the next one of u's row: no search. False when one is missing. */
static bool reverse(const rows *r, int nodes, int *next, int *rev)
{
    memcpy(next, r->ptr, (size_t)nodes * sizeof *next);
    for (int v = 0; v < nodes; v++) {
        for (int e = r->ptr[v]; e < r->ptr[v + 1]; e++) {
            int u = r->col[e], back = next[u];
            if (back == r->ptr[u + 1] || r->col[back] != v) return false;
            rev[e] = back;
            next[u]++;
        }
    }
    return true;
}

/* One ascending list out of two; `out` NULL only counts. */
static int merge(const int *x, int nx, const int *y, int ny, int *out)
{
    int n = 0;
    for (int i = 0, j = 0; i < nx || j < ny; n++) {
        int take = j == ny || (i < nx && x[i] < y[j]) ? x[i] : y[j];
        i += i < nx && x[i] == take;
        j += j < ny && y[j] == take;
        if (out) out[n] = take;
    }
    return n;
}

static mp_err add_reverses(rows *r, int nodes, const char *file, mp_arena *scratch, mp_arena *a, int *added)
{
    int none;
    rows other = transpose(r, nodes, scratch, scratch, &none), both = { MP_NEW(a, int, nodes + 1), NULL };
    int64_t total = 0;
    for (int v = 0; v < nodes; v++) {
        both.ptr[v] = merge(r->col + r->ptr[v], r->ptr[v + 1] - r->ptr[v], other.col + other.ptr[v],
                            other.ptr[v + 1] - other.ptr[v], NULL);
        total += both.ptr[v];
    }
    if (total > MP_MOST_COUNT)
        return mp_fail(MP_ERR_LIMIT, "%s: more than %d edges with their reverses", file, MP_MOST_COUNT);
    lengths_to_starts(both.ptr, nodes);
    both.col = MP_NEW_RAW(a, int, total);
    for (int v = 0; v < nodes; v++)
        merge(r->col + r->ptr[v], r->ptr[v + 1] - r->ptr[v], other.col + other.ptr[v], other.ptr[v + 1] - other.ptr[v],
              both.col + both.ptr[v]);
    *added = (int)total - r->ptr[nodes];
    *r = both;
    return MP_OK;
}

mp_err mp_tu_edges(mp_span text, const char *file, int64_t nodes_before, const int *owner, mp_arena *scratch,
                   mp_arena *a, mp_raw *raw)
{
    mp_graph *g = &raw->graphs;
    int nodes = g->nodes;
    rows by_source = { MP_NEW(scratch, int, nodes + 1), NULL };
    MP_TRY(count_edges(mp_scan_of(text, file), nodes_before, nodes, owner, by_source.ptr, &raw->self_loops));
    lengths_to_starts(by_source.ptr, nodes);
    by_source.col = MP_NEW_RAW(scratch, int, by_source.ptr[nodes]);
    fill_edges(text, nodes_before, copy_of(by_source.ptr, nodes + 1, scratch), by_source.col);

    rows r = transpose(&by_source, nodes, scratch, a, &raw->repeated_edges);
    int *next = MP_NEW_RAW(scratch, int, nodes), *rev = MP_NEW_RAW(a, int, r.ptr[nodes]);
    if (!reverse(&r, nodes, next, rev)) {
        MP_TRY(add_reverses(&r, nodes, file, scratch, a, &raw->added_reverse));
        rev = MP_NEW_RAW(a, int, r.ptr[nodes]);
        bool whole = reverse(&r, nodes, next, rev);
        mp_assert(whole);
    }
    g->edges = r.ptr[nodes];
    g->row_ptr = r.ptr;
    g->col = r.col;
    g->rev = rev;
    return MP_OK;
}
