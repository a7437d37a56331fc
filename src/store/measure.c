/* measure.c - what experiments measured: kept under what it is of, found again by it.
 * SPDX-License-Identifier: MIT */
#include "base/sha256.h"
#include "store/db.h"

#include <string.h>

mp_err mp_store_measure_put(mp_store *s, const char *what, const char *value)
{
    mp_stmt *stmt;
    char key[65];
    mp_sha256_hex(what, strlen(what), key);
    static const char sql[] = "INSERT INTO measure (key, what, value, version, finished)"
                              " VALUES ($1, $2, $3, $4, @stamp) ON CONFLICT (key) DO NOTHING";
    MP_TRY(mp_db_prepare(s, sql, &stmt));
    const char *const text[] = { key, what, value, MP_VERSION };
    for (int i = 0, at = 1; i < 4; i++) mp_bind_text(stmt, &at, text[i]);
    mp_err e = mp_db_run(stmt, "storing a measurement");
    mp_db_end(stmt);
    return e;
}

mp_err mp_store_measure_get(mp_store *s, const char *what, mp_arena *a, const char **value)
{
    mp_stmt *stmt;
    char key[65];
    *value = NULL;
    if (s->version < 5) return MP_OK;
    mp_sha256_hex(what, strlen(what), key);
    MP_TRY(mp_db_prepare(s, "SELECT value FROM measure WHERE key = $1 AND what = $2", &stmt));
    int at = 1;
    bool row;
    mp_bind_text(stmt, &at, key);
    mp_bind_text(stmt, &at, what);
    mp_err e = mp_db_step(stmt, "reading a measurement", &row);
    const char *text = row ? mp_column_text(stmt, 0) : NULL;
    if (text) *value = mp_arena_text(a, text, strlen(text));
    mp_db_end(stmt);
    return e;
}
