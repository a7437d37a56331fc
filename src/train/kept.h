/* kept.h - the result of a finished run in a file, while its place in the store cannot be written.
 *
 * Safetensors with metadata "midpool.result" (the run's identity and the hash of its model) and the seal of safetensors.h.
 * SPDX-License-Identifier: MIT */
#ifndef MP_KEPT_H
#define MP_KEPT_H

#include "base/text.h"
#include "train/run.h"

MP_MUST mp_err mp_kept_save(const char *path, const char *identity, const mp_run_result *r);

/* Fails when the file is damaged or of another run. The curve lives in the arena. */
MP_MUST mp_err mp_kept_load(const char *path, const char *identity, mp_arena *a, mp_run_result *out);

#endif
