/* measure.c - what experiments measured: kept under what it is of, found again by it.
 * SPDX-License-Identifier: MIT */
#include "base/sha256.h"
#include "store/db.h"

#include <string.h>

mp_err mp_store_measure_put(mp_store *s, const char *what, const char *value)
{
    sqlite3_stmt *stmt;
    char key[65];
    mp_sha256_hex(what, strlen(what), key);
    static const char sql[] =
        "INSERT INTO measure (key, what, value, version) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING";
    MP_TRY(mp_db_prepare(s, sql, &stmt));
    const char *const text[] = { key, what, value, MP_VERSION };
    for (int i = 0; i < 4; i++) sqlite3_bind_text(stmt, i + 1, text[i], -1, SQLITE_STATIC);
    mp_err e = mp_db_run(s, stmt, "storing a measurement");
    sqlite3_finalize(stmt);
    return e;
}

mp_err mp_store_measure_get(mp_store *s, const char *what, mp_arena *a, const char **value)
{
    sqlite3_stmt *stmt;
    char key[65];
    *value = NULL;
    if (s->version < 5) return MP_OK;
    mp_sha256_hex(what, strlen(what), key);
    MP_TRY(mp_db_prepare(s, "SELECT value FROM measure WHERE key = ? AND what = ?", &stmt));
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, what, -1, SQLITE_STATIC);
    int rc = sqlite3_step(stmt);
    const char *text = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    if (text) *value = mp_arena_text(a, text, strlen(text));
    mp_err e = rc == SQLITE_ROW || rc == SQLITE_DONE ? MP_OK : mp_db_fail(s, "reading a measurement");
    sqlite3_finalize(stmt);
    return e;
}
