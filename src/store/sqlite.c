/* sqlite.c - a store in a file: opening it, making a new one, and statements of SQLite.
 * SPDX-License-Identifier: MIT */
#include "store/db.h"
#include "base/json.h"
#include "store/network.h"
#include "store/schema.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define APPLICATION_ID 0x6D706F6C /* "mpol", in the header: tells a store from other databases */

#define KEPT_MOST 16 /* statements */

typedef struct sqlite_stmt {
    mp_stmt head;
    sqlite3_stmt *stmt;
} sqlite_stmt;

typedef struct file {
    sqlite3 *db;
    char *name;                    /* as SQLite is told it: never a word of its own, such as ":memory:" */
    sqlite3_stmt *kept[KEPT_MOST]; /* compiled before and not in use now: compiling is most of what a small one costs */
    int n_kept;
} file;

static sqlite3 *db_of(const mp_store *s)
{
    const file *f = s->link;
    return f ? f->db : NULL;
}

/* Leaves SQLite's message, with the path and what was being done, for mp_message. */
static mp_err fail(const mp_store *s, const char *doing)
{
    sqlite3 *db = db_of(s);
    int code = sqlite3_errcode(db) & 0xFF, system = sqlite3_system_errno(db);
    switch (code) {
    case SQLITE_NOTADB:
        return mp_fail(MP_ERR_INPUT, "%s: not a midpool store", s->path);
    case SQLITE_CORRUPT:
        return mp_fail(MP_ERR_INPUT, "%s: the store is damaged (%s)", s->path, doing);
    case SQLITE_FULL:
        return mp_fail(MP_ERR_IO, "%s: %s: no space left", s->path, doing);
    case SQLITE_BUSY:
        return mp_fail(MP_ERR_BUSY, "%s: %s: another program has kept the store locked for %d s", s->path, doing,
                       s->wait_ms / 1000);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        if (system) return mp_fail(MP_ERR_IO, "%s: %s: %s (%s)", s->path, doing, sqlite3_errmsg(db), strerror(system));
    }
    return mp_fail(MP_ERR_IO, "%s: %s: %s", s->path, doing, sqlite3_errmsg(db));
}

/* ---- statements ---- */

static mp_err exec(mp_store *s, const char *sql, const char *doing)
{
    return sqlite3_exec(db_of(s), sql, NULL, NULL, NULL) == SQLITE_OK ? MP_OK : fail(s, doing);
}

static sqlite3_stmt *take_kept(file *f, const char *sql)
{
    for (int i = 0; i < f->n_kept; i++) {
        sqlite3_stmt *found = f->kept[i];
        if (strcmp(sqlite3_sql(found), sql) != 0) continue;
        f->kept[i] = f->kept[--f->n_kept];
        return found;
    }
    return NULL;
}

static mp_err prepare(mp_store *s, const char *sql, mp_stmt **out)
{
    sqlite_stmt *stmt = calloc(1, sizeof *stmt);
    if (!stmt) return mp_no_memory(sizeof *stmt);
    stmt->head.store = s;
    *out = &stmt->head;
    stmt->stmt = take_kept(s->link, sql);
    if (stmt->stmt) return MP_OK;
    if (sqlite3_prepare_v2(db_of(s), sql, -1, &stmt->stmt, NULL) == SQLITE_OK) return MP_OK;
    free(stmt);
    *out = NULL;
    return fail(s, "reading the store");
}

static void forget_kept(file *f)
{
    while (f->n_kept > 0) sqlite3_finalize(f->kept[--f->n_kept]);
}

static sqlite3_stmt *own(mp_stmt *stmt)
{
    return ((sqlite_stmt *)stmt)->stmt;
}

static mp_err step(mp_stmt *stmt, const char *doing, bool *row)
{
    int rc = sqlite3_step(own(stmt));
    *row = rc == SQLITE_ROW;
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? MP_OK : fail(stmt->store, doing);
}

static void again(mp_stmt *stmt)
{
    sqlite3_reset(own(stmt));
}

static void end(mp_stmt *stmt)
{
    file *f = stmt->store->link;
    sqlite3_reset(own(stmt));
    sqlite3_clear_bindings(own(stmt));
    if (f->n_kept < KEPT_MOST)
        f->kept[f->n_kept++] = own(stmt);
    else
        sqlite3_finalize(own(stmt));
    free(stmt);
}

static void bind_text(mp_stmt *stmt, int at, const char *text)
{
    sqlite3_bind_text(own(stmt), at, text, -1, SQLITE_TRANSIENT);
}

static void bind_int(mp_stmt *stmt, int at, int64_t v)
{
    sqlite3_bind_int64(own(stmt), at, v);
}

static void bind_real(mp_stmt *stmt, int at, double v)
{
    sqlite3_bind_double(own(stmt), at, v);
}

static mp_type type(mp_stmt *stmt, int i)
{
    switch (sqlite3_column_type(own(stmt), i)) {
    case SQLITE_NULL:
        return MP_TYPE_NULL;
    case SQLITE_INTEGER:
        return MP_TYPE_INT;
    case SQLITE_FLOAT:
        return MP_TYPE_REAL;
    case SQLITE_TEXT:
        return MP_TYPE_TEXT;
    }
    return MP_TYPE_OTHER;
}

static const char *text(mp_stmt *stmt, int i, int *bytes)
{
    const char *t = (const char *)sqlite3_column_text(own(stmt), i);
    *bytes = sqlite3_column_bytes(own(stmt), i);
    return t;
}

static int64_t whole(mp_stmt *stmt, int i)
{
    return sqlite3_column_int64(own(stmt), i);
}

static double real(mp_stmt *stmt, int i)
{
    return sqlite3_column_double(own(stmt), i);
}

/* ---- transactions ---- */

static mp_err begin(mp_store *s, bool quick)
{
    if (quick) MP_TRY(exec(s, "PRAGMA synchronous = NORMAL", "starting to write"));
    return exec(s, "BEGIN IMMEDIATE", "starting to write");
}

static mp_err commit(mp_store *s)
{
    return exec(s, "COMMIT", "writing");
}

static void rollback(mp_store *s, bool quick)
{
    if (!sqlite3_get_autocommit(db_of(s))) sqlite3_exec(db_of(s), "ROLLBACK", NULL, NULL, NULL);
    if (quick) sqlite3_exec(db_of(s), "PRAGMA synchronous = FULL", NULL, NULL, NULL);
}

/* ---- a file that is not trusted ---- */

/* The schema calls json_valid in a check. SQLite's own is not marked as harmless, so it may not run there. */
static void json_valid(sqlite3_context *c, int n, sqlite3_value **v)
{
    mp_arena *a = mp_arena_new(1 << 14);
    const mp_json *root;
    const char *text = n == 1 ? (const char *)sqlite3_value_text(v[0]) : NULL;
    sqlite3_result_int(c, text && mp_json_parse(mp_span_of(text), "config", a, &root) == MP_OK);
    mp_arena_free(a);
}

/* For the step to version 3: the key of a run of today, NULL where the row cannot be read. */
static void run_key(sqlite3_context *c, int n, sqlite3_value **v)
{
    mp_arena *a = mp_arena_new(1 << 14);
    mp_run_key k;
    char hash[65];
    const char *text[6];
    memset(&k, 0, sizeof k);
    for (int i = 0; i < n; i++) text[i] = (const char *)sqlite3_value_text(v[i]);
    bool whole = n == 6 && text[0] && text[1] && text[2] && text[5] && strlen(text[0]) < sizeof k.dataset &&
                 strlen(text[2]) < sizeof k.folds_from;
    if (whole && mp_config_from_json(mp_span_of(text[5]), "config", a, &k.config) == MP_OK) {
        strcpy(k.dataset, text[0]);
        strcpy(k.folds_from, text[2]);
        k.fingerprint = strtoull(text[1], NULL, 16);
        k.fold = sqlite3_value_int(v[3]);
        k.folds = sqlite3_value_int(v[4]);
        mp_run_key_hash(&k, hash);
        sqlite3_result_text(c, hash, -1, SQLITE_TRANSIENT);
    }
    mp_arena_free(a);
}

/* A schema can hold code (triggers, views, calls of functions), and a file from elsewhere any schema. */
static void distrust(sqlite3 *db)
{
    static const int switches[][2] = { { SQLITE_DBCONFIG_DEFENSIVE, 1 },
                                       { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
                                       { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
                                       { SQLITE_DBCONFIG_ENABLE_VIEW, 0 } };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        sqlite3_db_config(db, switches[i][0], switches[i][1], NULL);
    sqlite3_create_function(db, "json_valid", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL,
                            json_valid, NULL, NULL);
    sqlite3_create_function(db, "midpool_key", 6, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL, run_key,
                            NULL, NULL);
    sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL); /* damaged pages are seen early */
}

/* The columns of a table as one text; "" when there is no such table, or it is a view or a virtual table. */
static mp_err table_text(sqlite3 *db, const char *table, mp_buf *out)
{
    static const char sql[] =
        "SELECT x.name, x.type, x.\"notnull\", x.pk, x.hidden FROM sqlite_master m, pragma_table_xinfo(m.name) x"
        " WHERE m.type = 'table' AND m.rootpage > 0 AND m.name = ? ORDER BY x.cid";
    sqlite3_stmt *stmt;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    mp_buf_puts(out, "");
    if (rc != SQLITE_OK) return MP_ERR_IO;
    sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
        for (int i = 0; i < 5; i++) mp_buf_printf(out, "%s ", (const char *)sqlite3_column_text(stmt, i));
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE ? MP_OK : MP_ERR_IO;
}

static mp_err check_table(mp_store *s, sqlite3 *ours, const char *table)
{
    mp_buf want = { 0 }, have = { 0 };
    mp_err e = table_text(ours, table, &want);
    if (e == MP_OK && table_text(db_of(s), table, &have) != MP_OK) e = fail(s, "reading the schema");
    if (e == MP_OK && strcmp(want.p, have.p) != 0)
        e = mp_fail(MP_ERR_INPUT, "%s: the store is damaged: its table '%s' %s", s->path, table,
                    have.n ? "has other columns than midpool makes" : "is missing");
    mp_buf_free(&want);
    mp_buf_free(&have);
    return e;
}

/* Every table of the store's version, made beside it in memory, must be there with the same columns. */
static mp_err check_tables(mp_store *s)
{
    sqlite3 *ours = NULL;
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_open(":memory:", &ours);
    if (rc == SQLITE_OK) distrust(ours);
    for (int v = 0; rc == SQLITE_OK && v < s->version; v++) rc = sqlite3_exec(ours, schema_step[v], NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(ours, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &stmt, NULL);
    mp_err e = rc == SQLITE_OK ? MP_OK : mp_fail(MP_ERR_IO, "%s: no memory to check the schema", s->path);
    while (e == MP_OK && sqlite3_step(stmt) == SQLITE_ROW)
        e = check_table(s, ours, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_close(ours);
    return e;
}

static bool option_sql(const mp_opt *o, mp_buf *b)
{
    mp_buf_printf(b, "ifnull(json_extract(config, '$.\"%s\"'), '%s')", o->name, o->initial);
    return true;
}

/* Options come and go between versions: the view follows the program that wrote last. */
static mp_err renew_view(mp_store *s)
{
    mp_buf want = { 0 };
    mp_stmt *stmt;
    int at = 1;
    bool same = true;
    mp_view_sql(option_sql, &want);
    static const char sql[] = "SELECT 1 FROM sqlite_master WHERE name = 'runs' AND (sql = $1 OR type <> 'view')";
    mp_err e = mp_db_prepare(s, sql, &stmt); /* a table of this name is somebody's own */
    if (e == MP_OK) {
        mp_bind_text(stmt, &at, want.p);
        e = mp_db_step(stmt, "making the view of runs", &same);
        mp_db_end(stmt);
    }
    if (!same && e == MP_OK) e = exec(s, "DROP VIEW IF EXISTS runs", "making the view of runs");
    if (!same && e == MP_OK) e = exec(s, want.p, "making the view of runs");
    mp_buf_free(&want);
    return e;
}

/* In `*fresh`: whether the file is empty. Fails when it is neither empty nor a store that we can read. */
static mp_err identify(mp_store *s, bool *fresh)
{
    int64_t id, version, things;
    MP_TRY(mp_db_int(s, "PRAGMA application_id", &id));
    MP_TRY(mp_db_int(s, "PRAGMA user_version", &version));
    MP_TRY(mp_db_int(s, "SELECT count(*) FROM sqlite_master", &things));
    *fresh = id == 0 && version == 0 && things == 0;
    if (!*fresh && (id != APPLICATION_ID || version < 1))
        return mp_fail(MP_ERR_INPUT, "%s: not a midpool store", s->path);
    if (version > MP_STORE_VERSION)
        return mp_fail(MP_ERR_INPUT, "%s: written by a newer midpool (store version %lld, this one reads up to %d)",
                       s->path, (long long)version, MP_STORE_VERSION);
    s->version = (int)version;
    return MP_OK;
}

/* The same in one transaction: another program may be making the store at this moment. */
static mp_err identify_at_once(mp_store *s, bool *fresh)
{
    MP_TRY(exec(s, "BEGIN", "opening the store"));
    mp_err e = identify(s, fresh);
    if (!sqlite3_get_autocommit(db_of(s))) sqlite3_exec(db_of(s), "COMMIT", NULL, NULL, NULL);
    return e;
}

_Static_assert(sizeof schema_step / sizeof *schema_step == MP_STORE_VERSION, "a step of the schema for each version");

/* Makes a store of an empty file, and one of today of an older store. */
static mp_err make_or_check(mp_store *s, void *unused)
{
    (void)unused;
    bool fresh;
    char stamp[96];
    MP_TRY(identify(s, &fresh));
    if (!fresh) MP_TRY(check_tables(s));
    if (s->version < MP_STORE_VERSION) {
        for (int v = s->version; v < MP_STORE_VERSION; v++)
            MP_TRY(exec(s, schema_step[v], fresh ? "making the store" : "bringing the store up to date"));
        sqlite3_snprintf(sizeof stamp, stamp, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
                         MP_STORE_VERSION);
        MP_TRY(exec(s, stamp, "making the store"));
        s->version = MP_STORE_VERSION;
    }
    return renew_view(s);
}

static void wait_as_said(mp_store *s)
{
    sqlite3_busy_timeout(db_of(s), s->wait_ms);
}

/* The change to WAL needs the file alone for a moment and, unlike a transaction, does not wait for it. */
static mp_err use_wal(mp_store *s)
{
    int rc = SQLITE_BUSY;
    for (int waited = 0; waited < s->wait_ms; waited += 20) {
        rc = sqlite3_exec(db_of(s), "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (rc != SQLITE_BUSY) break;
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    }
    return rc == SQLITE_OK ? MP_OK : fail(s, "opening for writing");
}

static mp_err prepare_to_write(mp_store *s)
{
    if (sqlite3_db_readonly(db_of(s), "main") == 1) return mp_fail(MP_ERR_IO, "%s: cannot be written", s->path);
    bool fresh;
    MP_TRY(identify_at_once(s, &fresh)); /* before anything is changed: a foreign database stays as it is */
    MP_TRY(use_wal(s));
    MP_TRY(exec(s, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON", "opening for writing"));
    return mp_db_transaction(s, make_or_check, NULL);
}

static mp_err prepare_to_read(mp_store *s)
{
    bool fresh;
    MP_TRY(identify(s, &fresh));
    if (fresh) return mp_fail(MP_ERR_INPUT, "%s: not a midpool store: the file is empty", s->path);
    MP_TRY(check_tables(s));
    return exec(s, "PRAGMA query_only = ON", "opening for reading");
}

/* The path as a URI that tells SQLite that nobody can change the file. */
static void immutable_uri(const char *path, mp_buf *b)
{
    mp_buf_puts(b, "file:");
    for (; *path; path++) {
        bool plain =
            (*path >= '0' && *path <= '9') || ((*path | 32) >= 'a' && (*path | 32) <= 'z') || strchr("/-_.", *path);
        mp_buf_printf(b, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    mp_buf_puts(b, "?immutable=1");
}

/* A WAL store in a folder that cannot be written cannot be opened in the usual way, because readers share
 * a file there. When no writer has left a log behind, it is safe to read the main file alone. */
static mp_err reopen_immutable(mp_store *s)
{
    mp_buf name = { 0 };
    struct stat log;
    file *f = s->link;
    mp_buf_printf(&name, "%s-wal", f->name);
    bool log_left = stat(name.p, &log) == 0 && log.st_size > 0;
    name.n = 0;
    immutable_uri(f->name, &name);
    if (!log_left) {
        forget_kept(f);
        sqlite3_close(f->db);
        sqlite3_open_v2(name.p, &f->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
        distrust(f->db);
    }
    mp_buf_free(&name);
    return prepare_to_read(s);
}

/* A reader asks for write access too and then does without: only so can it tidy away the files that
 * readers and writers share, when it is the last to leave. SQLite itself falls back to reading where
 * writing is not allowed. */
static mp_err open_file(mp_store *s, const char *where, mp_store_mode mode)
{
    int flags = SQLITE_OPEN_READWRITE | (mode == MP_STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
    mp_buf name = { 0 };
    if (mode == MP_STORE_WRITE) MP_TRY(mp_network_refuse(where));
    if (mode == MP_STORE_READ && access(where, R_OK) != 0)
        return mp_fail(MP_ERR_IO, "%s: %s", s->path, strerror(errno));
    file *f = calloc(1, sizeof *f);
    if (!f) return mp_no_memory(sizeof *f);
    s->link = f;
    mp_buf_printf(&name, "%s%s", where[0] == '/' || where[0] == '.' ? "" : "./", where);
    f->name = name.p;
    int rc = sqlite3_open_v2(f->name, &f->db, flags, NULL);
    if (rc != SQLITE_OK) return fail(s, "opening the store");
    wait_as_said(s);
    distrust(f->db);
    if (mode == MP_STORE_WRITE) return prepare_to_write(s);
    mp_err e = prepare_to_read(s);
    int code = sqlite3_errcode(f->db) & 0xFF;
    if (e == MP_ERR_IO && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)) e = reopen_immutable(s);
    return e;
}

static void close_file(mp_store *s)
{
    file *f = s->link;
    if (!f) return;
    forget_kept(f);
    sqlite3_close(f->db);
    free(f->name);
    free(f);
}

/* ---- the row ---- */

static bool takes(const char *where)
{
    (void)where;
    return true;
}

static void name(const char *where, mp_buf *shown, mp_buf *beside)
{
    mp_buf_puts(shown, where);
    mp_buf_puts(beside, where);
}

/* clang-format off */
const mp_driver mp_sqlite = {
    .now = "((julianday('now') - 2440587.5) * 86400.0)", .stamp = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')", .rows = 1,
    .takes = takes, .name = name, .open = open_file, .close = close_file, .wait = wait_as_said,
    .exec = exec, .prepare = prepare, .step = step, .again = again, .end = end,
    .bind_text = bind_text, .bind_int = bind_int, .bind_real = bind_real,
    .type = type, .text = text, .whole = whole, .real = real,
    .begin = begin, .commit = commit, .rollback = rollback,
};
/* clang-format on */
