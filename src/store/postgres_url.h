/* postgres_url.h - names of stores that are URLs, with or without libpq.
 * SPDX-License-Identifier: MIT */
#ifndef MP_POSTGRES_URL_H
#define MP_POSTGRES_URL_H

#include "base/text.h"

bool mp_postgres_takes(const char *where); /* postgresql:// and postgres:// */

/* See mp_store_shown and mp_store_beside. */
void mp_postgres_name(const char *where, mp_buf *shown, mp_buf *beside);

/* Replaces a URL by its shown name, and remembers the whole one; and gives the whole one of a shown name, or the name itself. */
void mp_postgres_hide(char *url);
const char *mp_postgres_whole(const char *where);

#endif
