/* stdin_tap.h - standard input that can be stopped: a signal (halt.h) ends it as an input that breaks off.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STDIN_TAP_H
#define MP_STDIN_TAP_H

#include "data/feed.h"

/* MP_ERR_IO, "stopped by a signal", once one has come since mp_halt_begin. */
MP_MUST mp_err mp_stopped(void);

MP_MUST mp_err mp_stdin_tap(mp_arena *a, mp_tap *out);

#endif
