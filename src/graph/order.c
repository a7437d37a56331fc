/* order.c - see order.h. Runs of eight by insertion, then merged: most graphs have a few dozen items, where
 * this beats qsort's calls of a comparison.
 * SPDX-License-Identifier: MIT */
#include "graph/order.h"

#include <stdint.h>
#include <string.h>

#define RUN 8

static void insertion(mp_item *item, int n)
{
    for (int i = 1; i < n; i++) {
        mp_item x = item[i];
        int j = i;
        for (; j > 0 && item[j - 1].key < x.key; j--) item[j] = item[j - 1];
        item[j] = x;
    }
}

/* a[0..n) and b[0..m) into out; of equal keys those of a come first. */
static void merge(mp_item *out, const mp_item *a, int n, const mp_item *b, int m)
{
    int i = 0, j = 0;
    while (i < n && j < m) *out++ = b[j].key > a[i].key ? b[j++] : a[i++];
    while (i < n) *out++ = a[i++];
    while (j < m) *out++ = b[j++];
}

void mp_order_falling(mp_item *item, int n, mp_item *spare)
{
    for (int at = 0; at < n; at += RUN) insertion(item + at, n - at < RUN ? n - at : RUN);
    mp_item *from = item, *to = spare;
    for (int64_t run = RUN; run < n; run *= 2) { /* 64 bits: twice a run may not fit an int */
        for (int64_t at = 0; at < n; at += 2 * run) {
            int64_t left = n - at < run ? n - at : run, right = n - at - left < run ? n - at - left : run;
            merge(to + at, from + at, (int)left, from + at + left, (int)right);
        }
        mp_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != item) memcpy(item, from, (size_t)n * sizeof *item);
}
