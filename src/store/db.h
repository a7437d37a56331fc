/* db.h - what the files of the store share: the handle, statements, and SQLite's failures as ours.
 * SPDX-License-Identifier: MIT */
#ifndef MP_DB_H
#define MP_DB_H

#include "store/configs.h"
#include "store/store.h"

#include <sqlite3.h>

typedef sqlite3_stmt mp_stmt;

struct mp_store {
    sqlite3 *db;
    char *path;
    int version;            /* of the schema in the file */
    int wait_ms;            /* for another program's transaction */
    int left_out;           /* by the last walk over all runs: rows that cannot be read */
    char left_out_why[512]; /* the first of them */
    char work[33];          /* the id under which this handle is at work (work.h); "": it is not */
    char work_command[1024], work_hash[65];
    int work_total;
};

/* Leaves SQLite's message, with the path and what was being done, for mp_message. */
mp_err mp_db_fail(const mp_store *s, const char *doing);

MP_MUST mp_err mp_db_exec(mp_store *s, const char *sql, const char *doing);
MP_MUST mp_err mp_db_prepare(mp_store *s, const char *sql, sqlite3_stmt **out);

/* One step of a statement that returns no rows (or whose row is of no interest). */
MP_MUST mp_err mp_db_run(mp_store *s, sqlite3_stmt *stmt, const char *doing);

/* The first column of the first row; 0 when there is no row. */
MP_MUST mp_err mp_db_int(mp_store *s, const char *sql, int64_t *out);

/* Seconds since 1970 by the clock of the store, and such a time as a text like `finished` of a run. */
#define MP_NOW         "((julianday('now') - 2440587.5) * 86400.0)"
#define MP_STAMP(time) "strftime('%Y-%m-%dT%H:%M:%SZ', " time ", 'unixepoch')"

/* The same for a statement that may have rows: `*row` says whether there is one (more). */
MP_MUST mp_err mp_db_step(mp_store *s, mp_stmt *stmt, const char *doing, bool *row);
void mp_db_again(mp_stmt *stmt); /* to be bound and stepped once more */
void mp_db_end(mp_stmt *stmt);   /* NULL is allowed */

/* Binds the next parameter, $1 being the first. */
void mp_bind_text(mp_stmt *stmt, int *at, const char *text);
void mp_bind_int(mp_stmt *stmt, int *at, int64_t v);
void mp_bind_real(mp_stmt *stmt, int *at, double v); /* NaN is stored as NULL */

/* Columns of the row, from 0. */
const char *mp_column_text(mp_stmt *stmt, int i); /* "" where there is no text; until the next step */
int64_t mp_column_int(mp_stmt *stmt, int i);
double mp_column_real(mp_stmt *stmt, int i); /* NAN where there is no number */

/* Runs `body` between BEGIN IMMEDIATE and COMMIT; any failure takes everything back. */
MP_MUST mp_err mp_db_transaction(mp_store *s, mp_err (*body)(mp_store *s, void *context), void *context);

/* The same without waiting for the disk: what is written may be gone after a loss of power, but never in part. */
MP_MUST mp_err mp_db_quick(mp_store *s, mp_err (*body)(mp_store *s, void *context), void *context);

/* Within a transaction: ends the claim of this handle's work on a run; nothing where it is not at work. */
MP_MUST mp_err mp_work_release(mp_store *s, const mp_run_key *key);

/* A statement that gives the rows of runs where `where` holds, its first column the id; and a run out of such a row, but for its
 * metrics and its curve. `known` (configs.h; may be NULL) has the configurations of rows before it. */
MP_MUST mp_err mp_row_prepare(mp_store *s, const char *where, sqlite3_stmt **out);
MP_MUST mp_err mp_row_read(sqlite3_stmt *stmt, mp_configs *known, mp_arena *a, mp_stored *out);

#endif
