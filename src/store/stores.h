/* stores.h - several stores read as one: every run of all of them, once.
 *
 * Of a run that is in several stores a finished one counts before one that failed, and an earlier store before a later one. Two
 * finished runs of one key must agree in all but times: where they do not, results would depend on the order of the stores, so
 * reading fails with a line that names the first such run.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STORES_H
#define MP_STORES_H

#include "store/store.h"

typedef struct mp_stores mp_stores;

/* Opens all of them for reading. A store that is given twice counts once. */
MP_MUST mp_err mp_stores_open(const char *const *path, int n, mp_stores **out);
void mp_stores_close(mp_stores *s); /* NULL is allowed */

/* "a.db", "a.db and b.db", "a.db and 4 more". Lives as long as the stores. */
const char *mp_stores_name(const mp_stores *s);

/* As mp_store_each, one store behind the other. Later calls give what the first one gave, whatever is written meanwhile. */
MP_MUST mp_err mp_stores_each(mp_stores *s, const mp_store_filter *filter,
                              mp_err (*each)(void *context, const mp_stored *run), void *context);

/* As mp_store_load: in the order data set, seed, fold, key over all stores. */
MP_MUST mp_err mp_stores_load(mp_stores *s, const mp_store_filter *filter, mp_arena *a, const mp_stored **out, int *n);

/* As mp_store_declared; what several stores declare is there once. */
MP_MUST mp_err mp_stores_declared(mp_stores *s, mp_arena *a, const mp_declared **out, int *n);

/* After each or load: the line of the first store of which not all could be read. */
bool mp_stores_left_out(const mp_stores *s, char *line, size_t n);

/* Whether two finished runs are the same but for times and memory; else `what` (64 bytes at least) says what differs:
 * "test_metric 0.8 and 0.7". What one of them lacks (older stores: metrics beside the leading one) is not compared. */
bool mp_run_agrees(const mp_run_result *x, const mp_run_result *y, char *what, size_t n);

#endif
