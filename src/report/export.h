/* export.h - the runs of stores as CSV: a row a run, and learning curves as a row an epoch (docs/formats.md).
 *
 * Runs go by one at a time: nothing is kept but which options differ and which metrics occur, for which all are looked at once
 * before the first is written. Cells are quoted as RFC 4180 has it, numbers have as many digits as read back the same (up to 17) and a
 * point in every locale; what is not there or not finite is empty. A text that a spreadsheet would take for a formula (it begins
 * with = + - @, a tab or a carriage return) has an apostrophe in front: a store may come from anywhere.
 * SPDX-License-Identifier: MIT */
#ifndef MP_EXPORT_H
#define MP_EXPORT_H

#include "store/stores.h"

typedef struct mp_sink { /* where bytes go */
    mp_err (*put)(void *to, const char *bytes, size_t n);
    void *to;
} mp_sink;

typedef struct mp_export {
    bool all_options; /* a column for every option; else for those that differ somewhere */
    bool metrics;     /* columns for every metric, not only the leading one */
    mp_sink runs;     /* put NULL: not asked for */
    mp_sink curves;   /* likewise */
} mp_export;

/* `*n` (may be NULL): how many runs. */
MP_MUST mp_err mp_export_stores(mp_stores *s, const mp_export *how, int *n);

#endif
