/* fetch.h - downloading a data set of the TUDataset collection into the user's cache folder.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FETCH_H
#define MP_FETCH_H

#include "base/arena.h"
#include "base/err.h"

/* `total` 0: not known yet. */
typedef void mp_fetch_news(void *state, double bytes, double total);

/* Downloads NAME.zip over HTTPS to a temporary file, reads it as that data set, and only then puts it in its
 * place. `path` is where it is now. Without libcurl, or without a network, it fails with one line that says
 * what to do. */
MP_MUST mp_err mp_fetch(const char *name, mp_fetch_news *news, void *state, mp_arena *a, const char **path);

/* The second half: a downloaded file becomes `target` when it reads as the data set `name`, else it is
 * removed. */
MP_MUST mp_err mp_fetch_accept(const char *downloaded, const char *name, const char *target);

#endif
