/* order.h - a stable sort by falling key.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ORDER_H
#define MP_ORDER_H

#include "base/real.h"

typedef struct mp_item {
    mp_real key;
    int id;
} mp_item;

/* Largest key first; equal keys stay in the order they came in. `spare`: room for n more. A NaN ends up
 * anywhere. */
void mp_order_falling(mp_item *item, int n, mp_item *spare);

#endif
