/* stream_csv.h - a table of molecules as a stream for a model: one column has SMILES, all others are passed on as they are.
 *
 * Every record of the table is a row of its piece (stream.h), in order, whether it became a graph or not.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STREAM_CSV_H
#define MP_STREAM_CSV_H

#include "data/csv.h"
#include "data/stream.h"

typedef struct mp_csv_stream_head {
    mp_span raw; /* the bytes of the first record */
    mp_csv_head names;
} mp_csv_stream_head;

/* `as->columns` (may be NULL) names the column of molecules and says whether a row that is none ends the reading. `label`
 * (as->targets of them, or NULL) are names of columns: where the table has all of them they are the labels, empty ones and
 * those that are no numbers not known. `name`, `as` and `label` must stay; the head is in the arena. The tap is the stream's
 * from now on, also when it fails. */
MP_MUST mp_err mp_stream_csv(const char *name, mp_tap tap, const mp_dataset_as *as, const char *const *label,
                             mp_arena *a, mp_csv_stream_head *head, mp_stream **out);

#endif
