/* db.h - what the files of the store share: the handle, and one way to speak to a database, whichever it is.
 *
 * SQL is written once, in what SQLite and PostgreSQL both understand: parameters are $1, $2 ... in the order of their first use, @now
 * stands for the seconds since 1970 by the clock of the store, @stamp for the time as in the column finished of a run. What a database does in its own way is a row (mp_driver).
 * SPDX-License-Identifier: MIT */
#ifndef MP_DB_H
#define MP_DB_H

#include "store/configs.h"
#include "store/store.h"

typedef enum mp_type { MP_TYPE_NULL, MP_TYPE_INT, MP_TYPE_REAL, MP_TYPE_TEXT, MP_TYPE_OTHER } mp_type;

typedef struct mp_stmt { /* begins the statement of a driver */
    mp_store *store;
} mp_stmt;

typedef struct mp_driver {
    const char *now, *stamp; /* what @now and @stamp stand for */
    int rows;                /* to one INSERT */
    bool (*takes)(const char *where);
    void (*name)(const char *where, mp_buf *shown, mp_buf *beside); /* see mp_store_shown, mp_store_beside */
    mp_err (*open)(mp_store *s, const char *where, mp_store_mode mode);
    void (*close)(mp_store *s);
    void (*wait)(mp_store *s); /* wait_ms is new */

    mp_err (*exec)(mp_store *s, const char *sql, const char *doing);
    mp_err (*prepare)(mp_store *s, const char *sql, mp_stmt **out);
    mp_err (*step)(mp_stmt *stmt, const char *doing, bool *row);
    void (*again)(mp_stmt *stmt);
    void (*end)(mp_stmt *stmt);
    void (*bind_text)(mp_stmt *stmt, int at, const char *text); /* NULL is NULL */
    void (*bind_int)(mp_stmt *stmt, int at, int64_t v);
    void (*bind_real)(mp_stmt *stmt, int at, double v); /* NaN is NULL */
    mp_type (*type)(mp_stmt *stmt, int i);
    const char *(*text)(mp_stmt *stmt, int i, int *bytes); /* NULL where there is none */
    int64_t (*whole)(mp_stmt *stmt, int i);
    double (*real)(mp_stmt *stmt, int i);

    mp_err (*begin)(mp_store *s, bool quick); /* quick: see mp_db_quick */
    mp_err (*commit)(mp_store *s);
    void (*rollback)(mp_store *s, bool quick); /* after a failure of anything since begin; and the end of a quick one */
} mp_driver;

extern const mp_driver mp_sqlite, mp_postgres;

struct mp_store {
    const mp_driver *driver;
    void *link;             /* the driver's own */
    char *path;             /* as messages show it */
    int version;            /* of the schema in the store */
    int wait_ms;            /* for another program's transaction */
    int left_out;           /* by the last walk over all runs: rows that cannot be read */
    char left_out_why[512]; /* the first of them */
    char work[33];          /* the id under which this handle is at work (work.h); "": it is not */
    char work_began[32];    /* when, as in the column finished of a run */
    char work_command[1024], work_hash[65];
    int work_total;
};

MP_MUST mp_err mp_db_exec(mp_store *s, const char *sql, const char *doing);
MP_MUST mp_err mp_db_prepare(mp_store *s, const char *sql, mp_stmt **out);

/* The next row of a statement: `*row` says whether there is one (more). */
MP_MUST mp_err mp_db_step(mp_stmt *stmt, const char *doing, bool *row);
MP_MUST mp_err mp_db_run(mp_stmt *stmt, const char *doing); /* where a row is of no interest */
void mp_db_again(mp_stmt *stmt);                            /* to be bound and stepped once more */
void mp_db_end(mp_stmt *stmt);                              /* NULL is allowed */

/* Binds the next parameter, $1 being the first. */
void mp_bind_text(mp_stmt *stmt, int *at, const char *text);
void mp_bind_int(mp_stmt *stmt, int *at, int64_t v);
void mp_bind_real(mp_stmt *stmt, int *at, double v); /* NaN is stored as NULL */

/* Columns of the row, from 0. */
mp_type mp_column_type(mp_stmt *stmt, int i);
const char *mp_column_text(mp_stmt *stmt, int i); /* "" where there is no text; until the next step */
int mp_column_bytes(mp_stmt *stmt, int i);
int64_t mp_column_int(mp_stmt *stmt, int i);
double mp_column_real(mp_stmt *stmt, int i); /* NAN where there is NULL */

/* The first column of the first row; 0 when there is no row. */
MP_MUST mp_err mp_db_int(mp_store *s, const char *sql, int64_t *out);

/* Runs `body` as one transaction; any failure takes everything back. */
MP_MUST mp_err mp_db_transaction(mp_store *s, mp_err (*body)(mp_store *s, void *context), void *context);

/* The same without waiting for the disk: what is written may be gone after a loss of power, but never in part. */
MP_MUST mp_err mp_db_quick(mp_store *s, mp_err (*body)(mp_store *s, void *context), void *context);

/* A run by its key, without metrics and curve: MP_RUN_ABSENT when there is none. */
MP_MUST mp_err mp_run_find(mp_store *s, const mp_run_key *key, mp_arena *a, mp_stored *out);

/* Within a transaction: a run with all that belongs to it, `finished` NULL: now. A finished run stays as it is, and `*added` is false;
 * one that failed makes way, but not for the same failure from elsewhere (whose `finished` is given). */
MP_MUST mp_err mp_run_insert(mp_store *s, const mp_stored *run, bool *added);

/* Within a transaction: ends the claim of this handle's work on a run, which is one more that is `finished` or not; nothing where
 * it is not at work. */
MP_MUST mp_err mp_work_release(mp_store *s, const mp_run_key *key, bool finished);

/* A statement that gives the rows of runs where `where` holds, its first column the id; and a run out of such a row, but for its
 * metrics and its curve. `known` (configs.h; may be NULL) has the configurations of rows before it. */
MP_MUST mp_err mp_row_prepare(mp_store *s, const char *where, mp_stmt **out);
MP_MUST mp_err mp_row_read(mp_stmt *stmt, mp_configs *known, mp_arena *a, mp_stored *out);

/* The view `runs` for people and their SQL: a column for each option for which `option` puts an expression; false: it has none. */
typedef bool mp_option_sql(const mp_opt *o, mp_buf *b);
void mp_view_sql(mp_option_sql *option, mp_buf *b);

#endif
