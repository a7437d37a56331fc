/* merge.h - stores joined into one, of either kind: runs with all that belongs to them, what studies declared, what was measured.
 *
 * An input is joined whole or not at all. Refused are inputs whose runs are of other data under the same name (by fingerprint; what
 * networks read of it, edges and task, told apart), of a version of midpool with other results, or that have other numbers for a run
 * than the output: times may differ. A finished run replaces one that failed. Joining the same again changes nothing.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MERGE_H
#define MP_MERGE_H

#include "store/store.h"

typedef struct mp_merge mp_merge;

typedef struct mp_merge_count {
    int added, known, failed; /* finished runs that are new, or were there; runs that failed and are noted now */
    int studies, measures;    /* that are new */
} mp_merge_count;

MP_MUST mp_err mp_merge_begin(const char *out, mp_merge **m); /* made when it does not exist */
MP_MUST mp_err mp_merge_add(mp_merge *m, const char *in, mp_merge_count *count);
void mp_merge_end(mp_merge *m); /* NULL is allowed */

/* After an addition: whether rows of the input could not be read; `line` says how many and why the first. */
bool mp_merge_left_out(const mp_merge *m, char *line, size_t n);

#endif
