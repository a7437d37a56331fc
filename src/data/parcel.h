/* parcel.h - a data set as bytes, for a process that cannot read its files: graphs, features, sealed labels, and what methods have
 * computed for it. It begins with a checksum of the rest, which names it (base/bytes.h).
 * SPDX-License-Identifier: MIT */
#ifndef MP_PARCEL_H
#define MP_PARCEL_H

#include "base/text.h"
#include "data/dataset.h"

void mp_dataset_pack(const mp_dataset *d, mp_buf *out);

/* Everything is copied to the arena. Bytes that are no data set are refused: MP_ERR_INPUT. Texts of fold files and rows that were
 * left out do not travel. */
MP_MUST mp_err mp_dataset_unpack(mp_span bytes, mp_arena *a, mp_dataset *out);

#endif
