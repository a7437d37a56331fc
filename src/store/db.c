/* db.c - stores of either kind: which one a name means, and the calls that everything else goes through.
 * SPDX-License-Identifier: MIT */
#include "store/db.h"
#include "store/postgres_url.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAIT_SECONDS 60 /* until somebody says otherwise */

static const mp_driver *const drivers[] = { &mp_postgres, &mp_sqlite }; /* the last takes every name */

static const mp_driver *driver_of(const char *where)
{
    int i = 0;
    while (!drivers[i]->takes(where)) i++;
    return drivers[i];
}

/* ---- names ---- */

const char *mp_store_shown(const char *where, mp_arena *a)
{
    mp_buf shown = { 0 }, beside = { 0 };
    driver_of(where)->name(where, &shown, &beside);
    const char *text = mp_arena_text(a, shown.p, shown.n);
    mp_buf_free(&shown);
    mp_buf_free(&beside);
    return text;
}

const char *mp_store_beside(const char *where, mp_arena *a)
{
    mp_buf shown = { 0 }, beside = { 0 };
    driver_of(where)->name(where, &shown, &beside);
    const char *text = mp_arena_text(a, beside.p, beside.n);
    mp_buf_free(&shown);
    mp_buf_free(&beside);
    return text;
}

void mp_store_hide(char *word)
{
    for (char *p = strstr(word, "postgres"); p; p = strstr(p + 1, "postgres"))
        if (mp_postgres_takes(p)) {
            mp_postgres_hide(p);
            return;
        }
}

bool mp_store_is_file(const char *where)
{
    return driver_of(where) == &mp_sqlite;
}

bool mp_store_there(const char *where)
{
    return !mp_store_is_file(where) || access(where, F_OK) == 0;
}

/* ---- statements ---- */

mp_err mp_db_exec(mp_store *s, const char *sql, const char *doing)
{
    return s->driver->exec(s, sql, doing);
}

/* Words that begin with @ are the database's own. */
static void translate(const mp_driver *d, const char *sql, mp_buf *out)
{
    const struct {
        const char *word, *means;
    } words[] = { { "@now", d->now }, { "@stamp", d->stamp } };
    for (const char *at; (at = strchr(sql, '@')) != NULL;) {
        mp_buf_add(out, sql, (size_t)(at - sql));
        int w = strncmp(at, words[1].word, strlen(words[1].word)) == 0;
        mp_assert(strncmp(at, words[w].word, strlen(words[w].word)) == 0);
        mp_buf_puts(out, words[w].means);
        sql = at + strlen(words[w].word);
    }
    mp_buf_puts(out, sql);
}

mp_err mp_db_prepare(mp_store *s, const char *sql, mp_stmt **out)
{
    mp_buf b = MP_BUF_LOCAL;
    *out = NULL;
    translate(s->driver, sql, &b);
    mp_err e = s->driver->prepare(s, b.p, out);
    mp_buf_free(&b);
    return e;
}

mp_err mp_db_step(mp_stmt *stmt, const char *doing, bool *row)
{
    *row = false;
    return stmt->store->driver->step(stmt, doing, row);
}

mp_err mp_db_run(mp_stmt *stmt, const char *doing)
{
    bool row;
    return mp_db_step(stmt, doing, &row);
}

void mp_db_again(mp_stmt *stmt)
{
    stmt->store->driver->again(stmt);
}

void mp_db_end(mp_stmt *stmt)
{
    if (stmt) stmt->store->driver->end(stmt);
}

void mp_bind_text(mp_stmt *stmt, int *at, const char *text)
{
    stmt->store->driver->bind_text(stmt, (*at)++, text);
}

void mp_bind_int(mp_stmt *stmt, int *at, int64_t v)
{
    stmt->store->driver->bind_int(stmt, (*at)++, v);
}

void mp_bind_real(mp_stmt *stmt, int *at, double v)
{
    stmt->store->driver->bind_real(stmt, (*at)++, v);
}

mp_type mp_column_type(mp_stmt *stmt, int i)
{
    return stmt->store->driver->type(stmt, i);
}

const char *mp_column_text(mp_stmt *stmt, int i)
{
    int bytes;
    const char *t = stmt->store->driver->text(stmt, i, &bytes);
    return t ? t : "";
}

int mp_column_bytes(mp_stmt *stmt, int i)
{
    int bytes = 0;
    return stmt->store->driver->text(stmt, i, &bytes) ? bytes : 0;
}

int64_t mp_column_int(mp_stmt *stmt, int i)
{
    return stmt->store->driver->whole(stmt, i);
}

double mp_column_real(mp_stmt *stmt, int i)
{
    return mp_column_type(stmt, i) == MP_TYPE_NULL ? (double)NAN : stmt->store->driver->real(stmt, i);
}

mp_err mp_db_int(mp_store *s, const char *sql, int64_t *out)
{
    mp_stmt *stmt;
    bool row;
    MP_TRY(mp_db_prepare(s, sql, &stmt));
    mp_err e = mp_db_step(stmt, "reading the store", &row);
    *out = e == MP_OK && row ? mp_column_int(stmt, 0) : 0;
    mp_db_end(stmt);
    return e;
}

static mp_err transact(mp_store *s, bool quick, mp_err (*body)(mp_store *s, void *context), void *context)
{
    mp_err e = s->driver->begin(s, quick);
    if (e == MP_OK) e = body(s, context);
    if (e == MP_OK) e = s->driver->commit(s);
    if (e != MP_OK || quick) s->driver->rollback(s, quick);
    return e;
}

mp_err mp_db_transaction(mp_store *s, mp_err (*body)(mp_store *s, void *context), void *context)
{
    return transact(s, false, body, context);
}

mp_err mp_db_quick(mp_store *s, mp_err (*body)(mp_store *s, void *context), void *context)
{
    return transact(s, true, body, context);
}

void mp_view_sql(mp_option_sql *option, mp_buf *b)
{
    mp_buf_puts(b, "CREATE VIEW runs AS SELECT run.*");
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        if (strcmp(o->name, "seed") == 0) continue; /* is a column of the table already */
        mp_buf value = { 0 };
        if (option(o, &value)) mp_buf_printf(b, ", %s AS \"%s\"", value.p, o->name);
        mp_buf_free(&value);
    }
    mp_buf_puts(b, " FROM run");
}

/* ---- opening ---- */

void mp_store_wait(mp_store *s, int seconds)
{
    s->wait_ms = 1000 * seconds;
    s->driver->wait(s);
}

mp_err mp_store_open(const char *where, mp_store_mode mode, mp_store **out)
{
    mp_buf shown = { 0 }, beside = { 0 };
    *out = NULL;
    mp_store *s = calloc(1, sizeof *s);
    if (!s) return mp_no_memory(sizeof *s);
    s->driver = driver_of(where);
    s->driver->name(where, &shown, &beside);
    mp_buf_free(&beside);
    s->path = shown.p;
    s->wait_ms = 1000 * WAIT_SECONDS;
    mp_err e = s->driver->open(s, where, mode);
    if (e == MP_OK)
        *out = s;
    else
        mp_store_close(s);
    return e;
}

void mp_store_close(mp_store *s)
{
    if (!s) return;
    s->driver->close(s);
    free(s->path);
    free(s);
}
