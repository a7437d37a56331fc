/* store.h - finished runs on disk: one SQLite file, one row a run, curves in a second table (schema.sql).
 *
 * A run is identified by the hash of its key and stored at most once. A put is one transaction that is on
 * the disk when the call returns, and leaves nothing behind when it fails. Two programs may write to one
 * store: each waits for the other, and the second to bring a run learns that it is there. Within a study
 * only the parent writes: a handle must not be used in a process that was forked after it was opened.
 *
 * A file from elsewhere is not trusted: what a schema may do beside holding rows is switched off, its tables must be ours,
 * and rows that are not as we write them are left out.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STORE_H
#define MP_STORE_H

#include "train/points.h"
#include "train/run.h"

#define MP_STORE_VERSION 7 /* stores of every version before are read, and brought up to this one when written to */

typedef struct mp_store mp_store;

typedef enum mp_store_mode {
    MP_STORE_READ, /* must exist; works in folders that cannot be written */
    MP_STORE_WRITE /* made when it does not exist */
} mp_store_mode;

typedef enum mp_run_status { MP_RUN_ABSENT, MP_RUN_DONE, MP_RUN_FAILED } mp_run_status;

/* Refuses files that are no store, stores of a newer midpool, and tables that are not as schema.sql makes them. */
MP_MUST mp_err mp_store_open(const char *path, mp_store_mode mode, mp_store **out);
void mp_store_close(mp_store *s); /* NULL is allowed */

/* The name of a store as messages may show it: without the password of a URL. */
const char *mp_store_shown(const char *where, mp_arena *a);

/* Takes the password out of a word of the command line that is, or ends in, the URL of a store, and keeps it for mp_store_open: no message
 * and no list of processes shows it any more. */
void mp_store_hide(char *word);

bool mp_store_is_file(const char *where);
bool mp_store_there(const char *where); /* the file is there; of a URL opening will say */

/* What names of files that belong to a store begin with (.unfinished, .models): its path, or of a URL DATABASE@HOST, in the
 * working folder. */
const char *mp_store_beside(const char *where, mp_arena *a);

/* From now on calls wait this long for another program that is writing, then fail with MP_ERR_BUSY; 60 s at first. */
void mp_store_wait(mp_store *s, int seconds);

/* A run whose row cannot be read, or holds another run, counts as failed. */
MP_MUST mp_err mp_store_has(mp_store *s, const mp_run_key *key, mp_run_status *out);

/* The SHA-256 of the model file of a finished run; "" where there is no such run, or none was noted. */
MP_MUST mp_err mp_store_model(mp_store *s, const mp_run_key *key, char sha256[65]);

/* Stores a finished run. A failed run of the same key is replaced; a finished one stays as it is, and
 * `*added` (may be NULL) is false. */
MP_MUST mp_err mp_store_put(mp_store *s, const mp_run_key *key, const mp_run_result *result, bool *added);

/* Notes that a run failed and why. It does not replace a finished run. */
MP_MUST mp_err mp_store_put_failed(mp_store *s, const mp_run_key *key, const char *message);

typedef struct mp_declared { /* a study, as a row of a report: what its runs share */
    mp_run_key key; /* fold and seed have no meaning, nor do flip, score_dim and drop under a grid, options of a list */
    mp_grid grid;   /* what may vary, and be chosen, within the row */
    mp_points points; /* of a list */
    mp_rule rule;     /* of a list */
} mp_declared;

/* Notes what is about to be compared, all or nothing; what is noted already stays as it is. */
MP_MUST mp_err mp_store_declare(mp_store *s, const mp_declared *study, int n);

/* All that was declared, in a fixed order. Stores from before there were declarations have none. A row that
 * cannot be read is left out: its runs are then like those of no study. */
MP_MUST mp_err mp_store_declared(mp_store *s, mp_arena *a, const mp_declared **out, int *n);

/* What was measured beside runs, as JSON; `what` is a JSON text that says of what, the same for the same thing. A value that is
 * there stays as it is. `*value` is NULL when there is none. */
MP_MUST mp_err mp_store_measure_put(mp_store *s, const char *what, const char *value);
MP_MUST mp_err mp_store_measure_get(mp_store *s, const char *what, mp_arena *a, const char **value);

typedef struct mp_stored {
    const char *hash; /* of the key, as mp_run_key_hash gives it today */
    mp_run_status status;
    mp_run_key key;
    mp_run_result result; /* without its curve unless asked for */
    const char *message, *version, *finished;
} mp_stored;

typedef struct mp_store_filter { /* NULL and MP_RUN_ABSENT: any */
    const char *dataset, *pool;
    mp_run_status status;
    bool curves;
} mp_store_filter;

/* Calls `each` for every run that can be read, in the order data set, seed, fold, key, whatever the order they were stored
 * in. What it is given lives until it returns; a failure it returns ends the loop. `filter` NULL: all,
 * without curves. */
MP_MUST mp_err mp_store_each(mp_store *s, const mp_store_filter *filter,
                             mp_err (*each)(void *context, const mp_stored *run), void *context);

/* The same as an array in the arena. */
MP_MUST mp_err mp_store_load(mp_store *s, const mp_store_filter *filter, mp_arena *a, const mp_stored **out, int *n);

/* After either of the two: whether rows, or curves, could not be read; `line` says how many and why the first. */
bool mp_store_left_out(const mp_store *s, char *line, size_t n);

#endif
