/* db.h - what the files of the store share: the handle, statements, and SQLite's failures as ours.
 * SPDX-License-Identifier: MIT */
#ifndef MP_DB_H
#define MP_DB_H

#include "store/store.h"

#include <sqlite3.h>

struct mp_store {
    sqlite3 *db;
    char *path;
    int version;            /* of the schema in the file */
    int wait_ms;            /* for another program's transaction */
    int left_out;           /* by the last walk over all runs: rows that cannot be read */
    char left_out_why[512]; /* the first of them */
};

/* Leaves SQLite's message, with the path and what was being done, for mp_message. */
mp_err mp_db_fail(const mp_store *s, const char *doing);

MP_MUST mp_err mp_db_exec(mp_store *s, const char *sql, const char *doing);
MP_MUST mp_err mp_db_prepare(mp_store *s, const char *sql, sqlite3_stmt **out);

/* One step of a statement that returns no rows (or whose row is of no interest). */
MP_MUST mp_err mp_db_run(mp_store *s, sqlite3_stmt *stmt, const char *doing);

/* The first column of the first row; 0 when there is no row. */
MP_MUST mp_err mp_db_int(mp_store *s, const char *sql, int64_t *out);

/* Runs `body` between BEGIN IMMEDIATE and COMMIT; any failure takes everything back. */
MP_MUST mp_err mp_db_transaction(mp_store *s, mp_err (*body)(mp_store *s, void *context), void *context);

/* A statement that gives the rows of runs where `where` holds, its first column the id; and a run out of such a row, but for its
 * metrics and its curve. */
MP_MUST mp_err mp_row_prepare(mp_store *s, const char *where, sqlite3_stmt **out);
MP_MUST mp_err mp_row_read(sqlite3_stmt *stmt, mp_arena *a, mp_stored *out);

/* A column that may be NULL: NAN then. */
double mp_column_real(sqlite3_stmt *stmt, int i);

#endif
