/* progress.h - how far long work is, on stderr: one line that changes on a terminal, plain lines in a pipe.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PROGRESS_H
#define MP_PROGRESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct mp_progress {
    bool terminal, quiet;
    bool open;        /* the changing line is on the screen */
    double start, at; /* seconds: of the beginning, of the last line written */
} mp_progress;

void mp_progress_init(mp_progress *p, bool quiet);

/* A line that stays. */
void mp_progress_line(mp_progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* How it stands: replaces the last such line on a terminal; in a pipe it is left out, since lines that stay
 * tell the same. `left` is the estimate of the seconds to go, negative when there is none. Tabs cut the text into parts,
 * the most important first; a narrow terminal gets fewer of them, and the time left for as long as it fits at all. */
void mp_progress_now(mp_progress *p, double left, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Whether mp_progress_now would write anything at this moment: for texts that are not worth making in vain. */
bool mp_progress_due(const mp_progress *p);

/* Takes the changing line off the screen. */
void mp_progress_end(mp_progress *p);

double mp_progress_seconds(const mp_progress *p); /* since init */

/* A page of text on the terminal of standard output, over the one before: cut to its width and height, control characters out. */
MP_MUST mp_err mp_screen_show(const char *text, size_t n);

/* "4 s", "3 min 20 s", "2 h 05 min". */
const char *mp_duration(double seconds, char out[32]);

#endif
