/* order.h - a stable sort by falling key, and rows in that order.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ORDER_H
#define MP_ORDER_H

#include "base/arena.h"
#include "base/real.h"

#include <stdbool.h>

typedef struct mp_item {
    mp_real key;
    int id;
} mp_item;

/* Largest key first; equal keys stay in the order they came in. `spare`: room for n more. A NaN ends up
 * anywhere. */
void mp_order_falling(mp_item *item, int n, mp_item *spare);

/* For each range of rows the first k rows by falling key, -1 behind them where it has fewer: from[b k ..]. The key of row v
 * is key[v ld]. *nan is set where one is NaN. */
void mp_order_rows(mp_arena *a, const mp_real *key, int ld, const int *ptr, int ranges, int k, int *from, bool *nan);

#endif
