/* tally.c - see tally.h.
 * SPDX-License-Identifier: MIT */
#include "store/tally.h"
#include "store/db.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char counts_sql[] = "SELECT status, count(*) FROM run GROUP BY status";
static const char failures_sql[] =
    "SELECT f.message, f.runs, r.dataset, r.seed, r.fold FROM"
    " (SELECT message, count(*) AS runs, min(id) AS first FROM run WHERE status = 'failed' GROUP BY message) AS f"
    " JOIN run AS r ON r.id = f.first ORDER BY f.runs DESC, f.message LIMIT $1";
static const char lately_sql[] =
    "SELECT seconds, finished, @stamp FROM run WHERE status = 'done' ORDER BY id DESC LIMIT $1";

static const char *copy(mp_stmt *stmt, int i, mp_arena *a)
{
    const char *text = mp_column_text(stmt, i);
    return mp_arena_text(a, text, strlen(text));
}

static mp_err read_counts(mp_store *s, mp_store_tally *t)
{
    mp_stmt *stmt;
    bool row;
    mp_err e;
    MP_TRY(mp_db_prepare(s, counts_sql, &stmt));
    while ((e = mp_db_step(stmt, "counting runs", &row)) == MP_OK && row) {
        bool done = strcmp(mp_column_text(stmt, 0), "done") == 0;
        *(done ? &t->done : &t->failed) = mp_column_int(stmt, 1);
    }
    mp_db_end(stmt);
    return e;
}

static mp_err read_failures(mp_store *s, mp_arena *a, mp_store_tally *t)
{
    mp_stmt *stmt;
    mp_store_failure *f = MP_NEW(a, mp_store_failure, MP_TALLY_REASONS);
    int at = 1;
    bool row;
    mp_err e;
    t->failure = f;
    MP_TRY(mp_db_prepare(s, failures_sql, &stmt));
    mp_bind_int(stmt, &at, MP_TALLY_REASONS);
    while ((e = mp_db_step(stmt, "reading failures", &row)) == MP_OK && row && t->reasons < MP_TALLY_REASONS)
        f[t->reasons++] = (mp_store_failure){ copy(stmt, 0, a), mp_column_int(stmt, 1), copy(stmt, 2, a),
                                              (int)mp_column_int(stmt, 3), (int)mp_column_int(stmt, 4) };
    mp_db_end(stmt);
    return e;
}

/* Seconds since 1970; NAN where the text is no time. */
static double time_of(const char *text)
{
    struct tm t = { 0 };
    int read =
        sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour, &t.tm_min, &t.tm_sec);
    t.tm_year -= 1900;
    t.tm_mon--;
    return read == 6 ? (double)timegm(&t) : (double)NAN;
}

static mp_err read_lately(mp_store *s, double window, mp_store_tally *t)
{
    mp_stmt *stmt;
    int at = 1, n = 0;
    double sum = 0, oldest = 0;
    bool row;
    mp_err e;
    MP_TRY(mp_db_prepare(s, lately_sql, &stmt));
    mp_bind_int(stmt, &at, MP_TALLY_LATELY);
    while ((e = mp_db_step(stmt, "reading the last runs", &row)) == MP_OK && row) {
        double seconds = mp_column_real(stmt, 0),
               ago = time_of(mp_column_text(stmt, 2)) - time_of(mp_column_text(stmt, 1));
        sum += isfinite(seconds) ? seconds : 0;
        n++;
        if (!(ago <= window)) continue;
        t->lately++;
        oldest = ago > oldest ? ago : oldest;
    }
    mp_db_end(stmt);
    t->seconds = n ? sum / n : (double)NAN;
    t->span = t->lately == MP_TALLY_LATELY ? oldest : window; /* those before them are not counted */
    return e;
}

mp_err mp_store_count(mp_store *s, double window, mp_arena *a, mp_store_tally *out)
{
    *out = (mp_store_tally){ 0 };
    MP_TRY(read_counts(s, out));
    MP_TRY(read_failures(s, a, out));
    return read_lately(s, window, out);
}
