/* resume.h - an unfinished run in a file: weights, best weights, optimiser, counters and the curve so far.
 *
 * Safetensors with metadata "midpool.resume" (a JSON object) and the seal of safetensors.h. Written beside
 * the target and renamed, so a kill at any moment leaves the old file or the new one. Studies share a folder for such
 * files, and each removes it when it ends and finds it empty: writing makes the folder anew.
 * SPDX-License-Identifier: MIT */
#ifndef MP_RESUME_H
#define MP_RESUME_H

#include "base/text.h"
#include "train/run.h"
#include "train/stop.h"

#include "base/real.h"

typedef struct mp_resume {
    int epoch; /* done */
    mp_stop stop;
    double train_seconds; /* of the epochs done, training alone */
    double all_seconds;   /* of the epochs done, with everything */
    size_t weights;       /* elements of theta and best */
    mp_real *theta, *best;
    size_t state_bytes;
    void *state;
    mp_epoch *curve; /* `epoch` entries */
} mp_resume;

/* Writes a file into a folder that is made when it is not there. */
MP_MUST mp_err mp_resume_write(const char *path, const void *data, size_t n);

MP_MUST mp_err mp_resume_save(const char *path, const char *identity, const mp_resume *r);

/* Fills what `r` points to; weights, state_bytes and room for `epochs` entries of the curve are given. Fails
 * when the file is damaged, of another run, or of other sizes. */
MP_MUST mp_err mp_resume_load(const char *path, const char *identity, int epochs, mp_resume *r);

#endif
