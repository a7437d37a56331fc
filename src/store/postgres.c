/* postgres.c - a store in a PostgreSQL server.
 *
 * Numbers travel as their bits, so that they come back as they were. A connection that broke is made anew before the next
 * transaction; what was under way has failed with MP_ERR_BUSY, which callers try again: every transaction of the store may be done
 * twice.
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "store/db.h"
#include "store/postgres_tables.h"
#include "store/postgres_url.h"

#include <endian.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_SECONDS 2.0 /* between two attempts to connect */

enum { INT2 = 21, INT4 = 23, INT8 = 20, FLOAT8 = 701, TEXT = 25, VARCHAR = 1043, BOOL = 16, UNKNOWN = 0 }; /* types */

typedef struct server {
    PGconn *conn;
    mp_store_mode mode;
    bool open;    /* a transaction */
    bool lost;    /* the connection, as far as we know; libpq may not say so before the next statement */
    double tried; /* when a connection was last asked for in vain */
} server;

typedef struct parameter {
    Oid type;
    bool null;
    const char *value;
    int bytes;
} parameter;

#define PARAMETERS_MOST 1024

typedef struct pg_stmt {
    mp_stmt head;
    mp_arena *arena; /* of what is bound */
    char *sql;
    int n;
    parameter bound[PARAMETERS_MOST];
    PGresult *result;
    int row; /* that is up next */
} pg_stmt;

static server *of(const mp_store *s)
{
    return s->link;
}

/* ---- failures ---- */

/* The first line of what the server or libpq says, without "ERROR:" in front. */
static void first_line(const char *text, char *out, size_t n)
{
    const char *colon = strstr(text, ":  ");
    if (colon && colon - text < 12) text = colon + 3;
    mp_format(out, n, "%.*s", (int)strcspn(text, "\n"), text);
}

static bool is_lost(const mp_store *s)
{
    return of(s)->lost || PQstatus(of(s)->conn) != CONNECTION_OK;
}

static mp_err fail(const mp_store *s, const char *doing, const PGresult *r)
{
    static const char *const later[] = { "08", "57P", "53300", "40001", "40P01", "55P03" }; /* beginnings of codes */
    const char *code = r ? PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
    char why[512];
    first_line(r && code ? PQresultErrorMessage(r) : PQerrorMessage(of(s)->conn), why, sizeof why);
    if (!code) of(s)->lost = true; /* it is libpq that speaks, not the server */
    if (is_lost(s)) return mp_fail(MP_ERR_BUSY, "%s: %s: the connection is lost: %s", s->path, doing, why);
    for (size_t i = 0; code && i < sizeof later / sizeof *later; i++)
        if (strncmp(code, later[i], strlen(later[i])) == 0)
            return mp_fail(MP_ERR_BUSY, "%s: %s: %s", s->path, doing, why);
    if (code && strcmp(code, "53100") == 0) return mp_fail(MP_ERR_IO, "%s: %s: no space left", s->path, doing);
    return mp_fail(MP_ERR_IO, "%s: %s: %s", s->path, doing, why);
}

/* ---- the connection ---- */

static bool command(mp_store *s, const char *sql)
{
    PGresult *r = PQexec(of(s)->conn, sql);
    bool done = PQresultStatus(r) == PGRES_COMMAND_OK || PQresultStatus(r) == PGRES_TUPLES_OK;
    PQclear(r);
    return done;
}

static void wait_as_said(mp_store *s)
{
    char sql[64];
    mp_format(sql, sizeof sql, "SET lock_timeout = %d", s->wait_ms);
    if (!command(s, sql)) return; /* a lost connection is noticed, and this said again, by the next statement */
}

/* pg_temp last: nobody's temporary table stands before ours. */
static void begin_session(mp_store *s)
{
    if (!command(s, "SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', false)")) return;
    if (of(s)->mode == MP_STORE_READ && !command(s, "SET default_transaction_read_only = on")) return;
    wait_as_said(s);
}

/* Makes a lost connection anew; not more often than now and then, for it may take long to fail. */
static void connect_again(mp_store *s)
{
    server *p = of(s);
    if (!is_lost(s) || mp_seconds() - p->tried < AGAIN_SECONDS) return;
    PQreset(p->conn);
    p->lost = PQstatus(p->conn) != CONNECTION_OK;
    if (p->lost)
        p->tried = mp_seconds();
    else
        begin_session(s);
}

/* ---- statements ---- */

static mp_err prepare(mp_store *s, const char *sql, mp_stmt **out)
{
    pg_stmt *stmt = calloc(1, sizeof *stmt);
    if (!stmt) return mp_no_memory(sizeof *stmt);
    stmt->head.store = s;
    stmt->arena = mp_arena_new(4096);
    stmt->sql = mp_arena_text(stmt->arena, sql, strlen(sql));
    *out = &stmt->head;
    return MP_OK;
}

static mp_err send(pg_stmt *t, const char *doing)
{
    Oid type[PARAMETERS_MOST];
    const char *value[PARAMETERS_MOST];
    int bytes[PARAMETERS_MOST], format[PARAMETERS_MOST];
    for (int i = 0; i < t->n; i++) {
        const parameter *b = &t->bound[i];
        type[i] = b->type;
        value[i] = b->null ? NULL : b->value;
        bytes[i] = b->bytes;
        format[i] = 1;
    }
    PQclear(t->result);
    t->result = PQexecParams(of(t->head.store)->conn, t->sql, t->n, type, value, bytes, format, 1);
    ExecStatusType status = PQresultStatus(t->result);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ? MP_OK : fail(t->head.store, doing, t->result);
}

/* Outside of a transaction a statement that met a lost connection is sent once more. */
static mp_err execute(pg_stmt *t, const char *doing)
{
    mp_store *s = t->head.store;
    if (!of(s)->open) connect_again(s);
    mp_err e = send(t, doing);
    if (e == MP_ERR_BUSY && !of(s)->open && is_lost(s)) {
        connect_again(s);
        e = send(t, doing);
    }
    return e;
}

static mp_err step(mp_stmt *stmt, const char *doing, bool *row)
{
    pg_stmt *t = (pg_stmt *)stmt;
    if (!t->result) {
        t->row = -1;
        MP_TRY(execute(t, doing));
    }
    *row = ++t->row < PQntuples(t->result);
    return MP_OK;
}

/* What is bound is bound anew: its memory is that of the statement's text and these values. */
static void again(mp_stmt *stmt)
{
    pg_stmt *t = (pg_stmt *)stmt;
    PQclear(t->result);
    t->result = NULL;
    t->n = 0;
}

static void end(mp_stmt *stmt)
{
    pg_stmt *t = (pg_stmt *)stmt;
    PQclear(t->result);
    mp_arena_free(t->arena);
    free(t);
}

static void bind(mp_stmt *stmt, int at, Oid type, const void *value, size_t bytes)
{
    pg_stmt *t = (pg_stmt *)stmt;
    mp_assert(at >= 1 && at <= PARAMETERS_MOST);
    parameter *p = &t->bound[at - 1];
    *p = (parameter){ .type = type, .null = !value, .bytes = (int)bytes };
    if (value) p->value = mp_arena_text(t->arena, value, bytes);
    if (t->n < at) t->n = at;
}

static void bind_text(mp_stmt *stmt, int at, const char *text)
{
    bind(stmt, at, TEXT, text, text ? strlen(text) : 0);
}

static void bind_int(mp_stmt *stmt, int at, int64_t v)
{
    uint64_t wire = htobe64((uint64_t)v);
    bind(stmt, at, INT8, &wire, sizeof wire);
}

static void bind_real(mp_stmt *stmt, int at, double v)
{
    uint64_t wire;
    memcpy(&wire, &v, sizeof wire);
    wire = htobe64(wire);
    bind(stmt, at, FLOAT8, v == v ? &wire : NULL, sizeof wire);
}

static const char *bytes_of(mp_stmt *stmt, int i, int *n)
{
    const pg_stmt *t = (pg_stmt *)stmt;
    *n = PQgetlength(t->result, t->row, i);
    return PQgetisnull(t->result, t->row, i) ? NULL : PQgetvalue(t->result, t->row, i);
}

static mp_type type(mp_stmt *stmt, int i)
{
    const pg_stmt *t = (pg_stmt *)stmt;
    if (PQgetisnull(t->result, t->row, i)) return MP_TYPE_NULL;
    switch (PQftype(t->result, i)) {
    case INT2:
    case INT4:
    case INT8:
        return MP_TYPE_INT;
    case FLOAT8:
        return MP_TYPE_REAL;
    case TEXT:
    case VARCHAR:
        return MP_TYPE_TEXT;
    }
    return MP_TYPE_OTHER;
}

static const char *text(mp_stmt *stmt, int i, int *bytes)
{
    return type(stmt, i) == MP_TYPE_TEXT ? bytes_of(stmt, i, bytes) : NULL;
}

static uint64_t number(mp_stmt *stmt, int i, int *n)
{
    uint64_t v = 0;
    const unsigned char *p = (const unsigned char *)bytes_of(stmt, i, n);
    for (int k = 0; p && k < *n && k < 8; k++) v = v << 8 | p[k];
    return v;
}

static double real(mp_stmt *stmt, int i);

static int64_t whole(mp_stmt *stmt, int i)
{
    int n;
    mp_type kind = type(stmt, i);
    if (kind == MP_TYPE_REAL) {
        double v = real(stmt, i);
        return v >= -9e18 && v <= 9e18 ? (int64_t)v : 0;
    }
    if (kind != MP_TYPE_INT) return 0;
    uint64_t v = number(stmt, i, &n);
    return n == 4 ? (int32_t)v : n == 2 ? (int16_t)v : (int64_t)v;
}

static double real(mp_stmt *stmt, int i)
{
    int n;
    double v = 0;
    if (type(stmt, i) != MP_TYPE_REAL) return (double)whole(stmt, i);
    uint64_t bits = number(stmt, i, &n);
    memcpy(&v, &bits, sizeof v);
    return v;
}

static mp_err exec(mp_store *s, const char *sql, const char *doing)
{
    PGresult *r = PQexec(of(s)->conn, sql);
    ExecStatusType status = PQresultStatus(r);
    mp_err e = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY
                   ? MP_OK
                   : fail(s, doing, r);
    PQclear(r);
    return e;
}

/* ---- transactions ---- */

static mp_err begin(mp_store *s, bool quick)
{
    static const char *const sql[] = { "BEGIN ISOLATION LEVEL READ COMMITTED",
                                       "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off" };
    connect_again(s);
    mp_err e = exec(s, sql[quick], "starting to write");
    if (e != MP_OK && is_lost(s)) {
        connect_again(s);
        e = exec(s, sql[quick], "starting to write");
    }
    of(s)->open = e == MP_OK;
    return e;
}

static mp_err commit(mp_store *s)
{
    MP_TRY(exec(s, "COMMIT", "writing"));
    of(s)->open = false;
    return MP_OK;
}

static void rollback(mp_store *s, bool quick)
{
    (void)quick;
    if (of(s)->open && !is_lost(s)) PQclear(PQexec(of(s)->conn, "ROLLBACK"));
    of(s)->open = false;
}

/* ---- opening ---- */

/* What libpq says of a bad URL has all of it, with the password. */
static mp_err check_url(const mp_store *s, const char *url)
{
    PQconninfoOption *parts = PQconninfoParse(url, NULL);
    if (!parts) return mp_fail(MP_ERR_USAGE, "%s: expected postgresql://USER@HOST:PORT/DATABASE", s->path);
    PQconninfoFree(parts);
    return MP_OK;
}

/* The server's warnings (that it is shut down, say) are told by the statement that meets them. */
static void hear_nothing(void *state, const char *notice)
{
    (void)state;
    (void)notice;
}

/* A server that is not there, or not yet, may be in a moment: MP_ERR_BUSY. One that is there and refuses will do so again. */
static mp_err connect_first(mp_store *s, const char *const *word, const char *const *value)
{
    server *p = of(s);
    char why[512];
    PGPing answer = PQPING_OK;
    for (int i = 0; i < 2 && answer == PQPING_OK; i++) { /* twice: it may come up between the two questions */
        PQfinish(p->conn);
        p->conn = PQconnectdbParams(word, value, 1);
        if (PQstatus(p->conn) == CONNECTION_OK) {
            PQsetNoticeProcessor(p->conn, hear_nothing, NULL);
            return MP_OK;
        }
        first_line(PQerrorMessage(p->conn), why, sizeof why);
        answer = PQpingParams(word, value, 1);
    }
    return mp_fail(answer == PQPING_REJECT || answer == PQPING_NO_RESPONSE ? MP_ERR_BUSY : MP_ERR_IO,
                   "%s: cannot be opened: %s", s->path, why);
}

static mp_err open_url(mp_store *s, const char *where, mp_store_mode mode)
{
    /* What stands in the URL counts more: it comes later. */
    static const char *const word[] = { "fallback_application_name",
                                        "connect_timeout",
                                        "keepalives_idle",
                                        "keepalives_interval",
                                        "keepalives_count",
                                        "tcp_user_timeout",
                                        "dbname",
                                        "client_encoding",
                                        NULL };
    const char *const value[] = { "midpool", "10", "15", "5", "3", "30000", mp_postgres_whole(where), "UTF8", NULL };
    server *p = calloc(1, sizeof *p);
    if (!p) return mp_no_memory(sizeof *p);
    s->link = p;
    p->mode = mode;
    p->tried = -AGAIN_SECONDS;
    MP_TRY(check_url(s, mp_postgres_whole(where)));
    MP_TRY(connect_first(s, word, value));
    begin_session(s);
    return mp_postgres_ready(s, mode);
}

static void close_url(mp_store *s)
{
    if (of(s)) PQfinish(of(s)->conn);
    free(s->link);
}

const mp_driver mp_postgres = { .now = "(extract(epoch FROM clock_timestamp())::float8)",
                                .stamp =
                                    "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
                                .rows = 64,
                                .takes = mp_postgres_takes,
                                .name = mp_postgres_name,
                                .open = open_url,
                                .close = close_url,
                                .wait = wait_as_said,
                                .exec = exec,
                                .prepare = prepare,
                                .step = step,
                                .again = again,
                                .end = end,
                                .bind_text = bind_text,
                                .bind_int = bind_int,
                                .bind_real = bind_real,
                                .type = type,
                                .text = text,
                                .whole = whole,
                                .real = real,
                                .begin = begin,
                                .commit = commit,
                                .rollback = rollback };
