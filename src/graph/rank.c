/* rank.c - see rank.h. A key and its index are packed into one integer whose order is the rule, so the ranking is a sort of
 * integers.
 * SPDX-License-Identifier: MIT */
#include "graph/rank.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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

void mp_rank_nodes(mp_arena *a, const mp_real *key, const int *dropped, const int *node_ptr, int ranges,
                   const int *keep_ptr, int *keep)
{
    int most = 0;
    for (int b = 0; b < ranges; b++) most = node_ptr[b + 1] - node_ptr[b] > most ? node_ptr[b + 1] - node_ptr[b] : most;
    item *live = MP_NEW_RAW(a, item, most), *spare = MP_NEW_RAW(a, item, most);
    item *out = MP_NEW_RAW(a, item, dropped ? most : 0);
    for (int b = 0; b < ranges; b++) {
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

void mp_rank_above(const mp_real *key, const int *dropped, const int *node_ptr, int ranges, mp_real least, int *counts)
{
    for (int b = 0; b < ranges; b++) {
        mp_real most = -(mp_real)INFINITY, limit;
        for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++)
            if (!(dropped && dropped[v]) && key[v] > most) most = key[v];
        limit = most - (mp_real)1e-7;
        if (least < limit) limit = least;
        counts[b] = 0;
        for (int v = node_ptr[b]; v < node_ptr[b + 1]; v++) counts[b] += !(dropped && dropped[v]) && key[v] > limit;
        if (counts[b] == 0 && node_ptr[b + 1] > node_ptr[b]) counts[b] = 1;
    }
}
