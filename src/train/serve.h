/* serve.h - a rank that trains what crossval.h plans elsewhere.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SERVE_H
#define MP_SERVE_H

#include "train/ranks.h"

/* Data sets are kept in the arena. */
mp_server mp_cv_server(mp_arena *a);

#endif
