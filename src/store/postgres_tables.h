/* postgres_tables.h - the tables of a store in PostgreSQL.
 * SPDX-License-Identifier: MIT */
#ifndef MP_POSTGRES_TABLES_H
#define MP_POSTGRES_TABLES_H

#include "store/store.h"

/* Makes them when writing to a database that has none; refuses what we do not make. */
MP_MUST mp_err mp_postgres_ready(mp_store *s, mp_store_mode mode);

#endif
