/* order.h - a run as bytes, for a process that shares no memory with the one that asks for it, and its answer.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ORDER_H
#define MP_ORDER_H

#include "base/bytes.h"
#include "train/crossval.h"
#include "train/jobs.h"

typedef struct mp_order {
    mp_cv_run run; /* unpacked: without its data set and family */
    char data[65]; /* the name of the data set's parcel (data/parcel.h) */
    int threads;
    mp_group *group;        /* of a GPU; not packed */
    bool model;             /* is wanted too */
    const char *resume_dir; /* folder for the run while it is unfinished, used where it exists; NULL: none */
} mp_order;

void mp_order_pack(const mp_order *o, mp_buf *out);

/* The split has `graphs` graphs to take from. Bytes that are no order are refused: MP_ERR_INPUT. */
MP_MUST mp_err mp_order_unpack(mp_span bytes, mp_arena *a, mp_order *out);
MP_MUST mp_err mp_order_fits(const mp_order *o, int graphs);

/* Trains what is ordered, in a worker: the answer is the result, with the bytes of the model file behind it where it is wanted. */
MP_MUST mp_err mp_order_work(const mp_order *o, mp_worker *w, mp_buf *answer);
MP_MUST mp_err mp_answer_unpack(mp_span answer, mp_arena *a, mp_run_result *out, mp_span *model);

/* Where an unfinished or finished run is kept in the folder: KIND is "part" or "done". False: there is no folder, or no room. */
bool mp_order_file(const char *resume_dir, const char *identity, const char *kind, char *out, size_t n);

#endif
