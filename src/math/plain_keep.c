/* plain_keep.c - what is left of a graph when some of its nodes are kept (plain.h): which they are, the edges between them,
 * and their classes of twins.
 *
 * A key and its index are packed into one integer whose order is the rule, so the ranking is a sort of integers. Rows with
 * ascending columns come for free when the new columns are visited in ascending order and each is appended to the rows it
 * touches: that is how edges are built.
 * SPDX-License-Identifier: MIT */
#include "math/plain.h"

#include <stdint.h>
#include <string.h>

MP_PLAIN_LIST(MP_PLAIN_DECLARE)

void mp_plain_mark_rows(bool *mark, const int *which, int n, int N)
{
    memset(mark, 0, (size_t)N * sizeof *mark);
    for (int i = 0; i < n; i++) mark[which[i]] = true;
}

/* A key and, below it, the node: small ranks first. */
#ifdef MP_DOUBLE
__extension__ typedef unsigned __int128 item;
#define KEY_BITS 64
#else
typedef uint64_t item;
#define KEY_BITS 32
#endif

static item packed(uint64_t key, int node)
{
    return (item)key << 32 | (uint32_t)node;
}

static int node_of(item x)
{
    return (int)(uint32_t)x;
}

/* Falling order of reals as rising order of integers. Adding 0 makes -0 into +0. */
static uint64_t falling(mp_real x)
{
    x += 0;
#ifdef MP_DOUBLE
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u >> 63 ? u : ~u & ~((uint64_t)1 << 63);
#else
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u >> 31 ? u : ~u & 0x7fffffffu;
#endif
}

/* Sorts items that come in node order, so a stable sort of the keys is enough. */
static void sort_items(item *it, int n, item *spare)
{
    if (n > 48) {
        for (int shift = 32; shift < 32 + KEY_BITS; shift += 8) { /* radix; an even number of passes ends in `it` */
            int count[257] = { 0 };
            for (int i = 0; i < n; i++) count[((it[i] >> shift) & 255) + 1]++;
            for (int i = 0; i < 256; i++) count[i + 1] += count[i];
            for (int i = 0; i < n; i++) spare[count[(it[i] >> shift) & 255]++] = it[i];
            item *t = it;
            it = spare;
            spare = t;
        }
        return;
    }
    for (int i = 1; i < n; i++) {
        item x = it[i];
        int j = i;
        for (; j > 0 && x < it[j - 1]; j--) it[j] = it[j - 1];
        it[j] = x;
    }
}

void mp_plain_rank(int *keep, void *work, const mp_real *key, const int *dropped, const int *node_ptr,
                   const int *keep_ptr, int B, int N)
{
    _Static_assert(3 * sizeof(item) <= MP_RANK_WORK, "three items a node");
    item *live = work, *spare = live + N, *out = spare + N;
    for (int b = 0; b < B; b++) {
        int n = 0, m = 0, k = keep_ptr[b + 1] - keep_ptr[b];
        for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++) {
            if (dropped && dropped[v])
                out[m++] = packed((uint64_t)dropped[v], v);
            else
                live[n++] = packed(falling(key[v]), v);
        }
        sort_items(live, n, spare);
        if (n < k) sort_items(out, m, spare); /* too few are left: the dropped fill up in the order drawn */
        for (int i = 0; i < k; i++) keep[keep_ptr[b] + i] = node_of(i < n ? live[i] : out[i - n]);
    }
}

void mp_plain_take_ints(int *out, const int *from, const int *which, int n)
{
    for (int i = 0; i < n; i++) out[i] = which[i] < 0 ? -1 : from[which[i]];
}

void mp_plain_induce_rows(int *row_ptr, int *place, const mp_csr *g, const int *keep, int K)
{
    for (int v = 0; v < g->nodes; v++) place[v] = K;
    for (int i = 0; i < K; i++) place[keep[i]] = i;
    row_ptr[0] = 0;
    for (int i = 0; i < K; i++) {
        int n = 0;
        for (int e = g->row_ptr[keep[i]]; e < g->row_ptr[keep[i] + 1]; e++) n += place[g->col[e]] < K;
        row_ptr[i + 1] = row_ptr[i] + n;
    }
}

/* Columns, where each edge came from, and the reverses. Dropped nodes have the place K, whose row is one entry that is
 * written over and over: which nodes were kept is as good as random, and a branch would be guessed wrong half the time. */
static void fill_edges(int *col, int *rev, int *from, int *next, int *now, const int *place, const mp_csr *g,
                       const int *keep, int K)
{
    int edges = next[K]; /* now: new place of an old edge that survives */
    for (int j = 0; j < K; j++) {
        for (int e = g->row_ptr[keep[j]]; e < g->row_ptr[keep[j] + 1]; e++) {
            int i = place[g->col[e]], at = next[i];
            col[at] = j;
            from[at] = g->rev[e]; /* the edge that ends in keep[i] and comes from keep[j] */
            now[g->rev[e]] = at;
            next[i] = at + (i < K);
        }
    }
    for (int k = 0; k < edges; k++) rev[k] = now[g->rev[from[k]]];
}

/* The same where only the columns are needed. */
static void fill_columns(int *col, int *next, const int *place, const mp_csr *g, const int *keep, int K)
{
    for (int j = 0; j < K; j++) {
        for (int e = g->row_ptr[keep[j]]; e < g->row_ptr[keep[j] + 1]; e++) {
            int i = place[g->col[e]], at = next[i];
            col[at] = j;
            next[i] = at + (i < K);
        }
    }
}

void mp_plain_induce_edges(int *col, int *rev, int *from, int *work, const int *row_ptr, const int *place,
                           const mp_csr *g, const int *keep, int K)
{
    memcpy(work, row_ptr, ((size_t)K + 1) * sizeof *work);
    if (rev)
        fill_edges(col, rev, from, work, work + K + 1, place, g, keep, K);
    else
        fill_columns(col, work, place, g, keep, K);
}

/* The classes that kept nodes belong to, numbered as those come: now[old class] or -1, was[new class], and the new
 * class of each kept node. */
static void keep_classes(int *class_ptr, int *now, int *was, int *new_class, const int *class_of, int classes,
                         const int *keep, const int *keep_ptr, int B)
{
    int K = 0;
    memset(now, -1, (size_t)classes * sizeof(int));
    class_ptr[0] = 0;
    for (int b = 0; b < B; b++) {
        for (int i = keep_ptr[b]; i < keep_ptr[b + 1]; i++) {
            int k = class_of[keep[i]];
            new_class[i] = -1;
            if (k < 0) continue;
            if (now[k] < 0) {
                was[K] = k;
                now[k] = K++;
            }
            new_class[i] = now[k];
        }
        class_ptr[b + 1] = K;
    }
}

/* Q between the classes that are left, each row in its old order. */
static void keep_links(int *row_ptr, int *col, const mp_classes *t, const int *now, const int *was, int classes)
{
    int n = 0;
    row_ptr[0] = 0;
    for (int k = 0; k < classes; k++) {
        for (int e = t->row_ptr[was[k]]; e < t->row_ptr[was[k] + 1]; e++) {
            int q = now[t->col[e]];
            col[n] = q; /* stays only if it counts */
            n += q >= 0;
        }
        row_ptr[k + 1] = n;
    }
    for (int k = classes; k < t->classes; k++) row_ptr[k + 1] = n;
}

/* Members of K classes in ascending order; ptr has room for one class more, whose place holds counts meanwhile. */
static void list_members(int *ptr, int *member, const int *class_of, int nodes, int K)
{
    memset(ptr, 0, ((size_t)K + 2) * sizeof *ptr);
    for (int v = 0; v < nodes; v++)
        if (class_of[v] >= 0) ptr[class_of[v] + 2]++;
    for (int k = 0; k < K; k++) ptr[k + 2] += ptr[k + 1];
    for (int v = 0; v < nodes; v++)
        if (class_of[v] >= 0) member[ptr[class_of[v] + 1]++] = v;
}

void mp_plain_twins_keep(int *class_ptr, int *member_ptr, int *member, int *row_ptr, int *col, int *work,
                         const mp_classes *t, const int *keep, const int *keep_ptr, int N, int B)
{
    int *class_of = work, *now = class_of + N, *was = now + t->classes, *new_class = was + t->classes;
    memset(class_of, -1, (size_t)N * sizeof(int));
    for (int k = 0; k < t->classes; k++)
        for (int i = t->member_ptr[k]; i < t->member_ptr[k + 1]; i++) class_of[t->member[i]] = k;
    keep_classes(class_ptr, now, was, new_class, class_of, t->classes, keep, keep_ptr, B);
    keep_links(row_ptr, col, t, now, was, class_ptr[B]);
    list_members(member_ptr, member, new_class, keep_ptr[B], t->classes);
}
