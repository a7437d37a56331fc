/* configs.h - texts of configurations, each read once: the runs of a study have few different ones.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CONFIGS_H
#define MP_CONFIGS_H

#include "train/run.h"

typedef struct mp_configs mp_configs;

mp_configs *mp_configs_new(void);
void mp_configs_free(mp_configs *c); /* NULL is allowed */

/* What the text says, and its part of the key of a run (mp_run_key_config). Both live until the next call. */
MP_MUST mp_err mp_configs_read(mp_configs *c, const char *text, const mp_config **out, const char **key);

#endif
