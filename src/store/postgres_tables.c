/* postgres_tables.c - the tables of a store in PostgreSQL: made where there are none, looked at where there are some.
 *
 * A database of somebody else is not trusted: our names must be plain tables with our columns, without code that runs when rows are
 * read or written.
 * SPDX-License-Identifier: MIT */
#include "store/postgres_tables.h"
#include "store/db.h"
#include "store/postgres_schema.h"

#include <string.h>

#define FIRST_VERSION 7 /* that the first step makes */

/* ---- what must be there ---- */

/* The columns that we make, by name: of a text t, of a whole number i, of a number r. */
static const struct {
    const char *table, *columns;
} tables[] = {
    { "calibration", "bin i,count i,held r,run i,said r,squares r" },
    { "curve", "epoch i,run i,train_loss r,val_loss r,val_metric r" },
    { "lease", "dataset t,epoch i,epochs i,fold i,key t,loss r,pool t,seed i,started r,worker t" },
    { "measure", "finished t,key t,value t,version t,what t" },
    { "metric", "large r,large_c r,name t,place i,run i,test r,val r" },
    { "midpool_store", "version i" },
    { "run",
      "best_epoch i,config t,dataset t,epochs i,fingerprint t,finished t,fold i,folds i,folds_from t,hit_cap i,"
      "id i,key t,large_c_metric r,large_metric r,message t,metric t,model_sha256 t,peak_bytes i,seconds r,"
      "seconds_per_epoch r,seed i,status t,task t,test_metric r,train_loss r,val_loss r,val_metric r,version t" },
    { "study", "config t,dataset t,fingerprint t,folds i,folds_from t,grid t,id i" },
    { "worker", "beat r,birth i,boot t,command t,finished i,host t,id t,pid i,plan t,started r,total i" },
};
enum { MARK = 5, RUN, TABLES = sizeof tables / sizeof *tables };

static const char columns_sql[] =
    "SELECT string_agg(a.attname || CASE a.atttypid WHEN 25 THEN ' t' WHEN 20 THEN ' i' WHEN 701 THEN ' r' ELSE ' ?' "
    "END,"
    " ',' ORDER BY a.attname COLLATE \"C\")"
    " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
    " WHERE n.nspname = current_schema() AND c.relname = $1 AND c.relkind = 'r'";
static const char code_sql[] =
    "SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = current_schema() AND c.relname IN ('calibration', 'curve', 'lease', 'measure', 'metric',"
    " 'midpool_store', 'run', 'study', 'worker') AND (c.relrowsecurity"
    " OR EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)"
    " OR EXISTS (SELECT 1 FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid))";

/* The text of the first row, "" when there is none. */
static mp_err ask(mp_store *s, const char *sql, const char *about, mp_buf *out)
{
    mp_stmt *stmt;
    int at = 1;
    bool row;
    MP_TRY(mp_db_prepare(s, sql, &stmt));
    if (about) mp_bind_text(stmt, &at, about);
    mp_err e = mp_db_step(stmt, "reading the schema", &row);
    mp_buf_puts(out, row ? mp_column_text(stmt, 0) : "");
    mp_db_end(stmt);
    return e;
}

static mp_err check_table(mp_store *s, int i)
{
    mp_buf have = { 0 };
    mp_err e = ask(s, columns_sql, tables[i].table, &have);
    if (e == MP_OK && strcmp(have.p, tables[i].columns) != 0)
        e = mp_fail(MP_ERR_INPUT, "%s: not a midpool store: its table '%s' %s", s->path, tables[i].table,
                    have.n ? "has other columns than midpool makes" : "is missing");
    mp_buf_free(&have);
    return e;
}

static mp_err check_tables(mp_store *s)
{
    mp_buf code = { 0 };
    for (int i = 0; i < TABLES; i++) MP_TRY(check_table(s, i));
    mp_err e = ask(s, code_sql, NULL, &code);
    if (e == MP_OK && code.n)
        e = mp_fail(MP_ERR_INPUT, "%s: its table '%s' has triggers, rules or policies, which midpool never makes",
                    s->path, code.p);
    mp_buf_free(&code);
    return e;
}

/* ---- making it ---- */

/* `*fresh`: there is no store in the database, and nothing in its place. */
static mp_err identify(mp_store *s, bool *fresh)
{
    int64_t stores, ours, version;
    static const char there[] = "SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"
                                " ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relname ";
    mp_buf b = { 0 };
    mp_buf_printf(&b, "%s = 'midpool_store'", there);
    mp_err e = mp_db_int(s, b.p, &stores);
    b.n = 0;
    mp_buf_printf(&b, "%s IN ('run', 'curve', 'metric', 'study', 'worker', 'lease', 'measure', 'calibration')", there);
    if (e == MP_OK) e = mp_db_int(s, b.p, &ours);
    mp_buf_free(&b);
    MP_TRY(e);
    *fresh = stores == 0 && ours == 0;
    if (*fresh) return MP_OK;
    if (stores == 0) return mp_fail(MP_ERR_INPUT, "%s: not a midpool store: it has tables of the same names", s->path);
    MP_TRY(check_table(s, MARK));
    MP_TRY(mp_db_int(s, "SELECT max(version) FROM midpool_store", &version));
    if (version < FIRST_VERSION) return mp_fail(MP_ERR_INPUT, "%s: not a midpool store", s->path);
    if (version > MP_STORE_VERSION)
        return mp_fail(MP_ERR_INPUT, "%s: written by a newer midpool (store version %lld, this one reads up to %d)",
                       s->path, (long long)version, MP_STORE_VERSION);
    s->version = (int)version;
    return MP_OK;
}

_Static_assert(sizeof schema_step / sizeof *schema_step == MP_STORE_VERSION - FIRST_VERSION + 1,
               "a step of the schema for each version");

/* Names of a view are given once: the run's own epochs, not the option of that name. */
static bool option_sql(const mp_opt *o, mp_buf *b)
{
    char column[64];
    mp_format(column, sizeof column, ",%s ", o->name);
    if (strstr(tables[RUN].columns, column)) return false;
    mp_buf_printf(b, "coalesce(config::json ->> '%s', '%s')", o->name, o->initial);
    return true;
}

static mp_err make_view(mp_store *s)
{
    mp_buf sql = { 0 };
    mp_view_sql(option_sql, &sql);
    mp_err e = mp_db_exec(s, sql.p, "making the view of runs");
    mp_buf_free(&sql);
    return e;
}

static mp_err make_or_check(mp_store *s, void *unused)
{
    (void)unused;
    bool fresh;
    MP_TRY(mp_db_exec(s, "SELECT pg_advisory_xact_lock(1836085100)",
                      "making the store")); /* another may be making it now */
    MP_TRY(identify(s, &fresh));
    for (int v = fresh ? 0 : s->version - FIRST_VERSION + 1; v < MP_STORE_VERSION - FIRST_VERSION + 1; v++)
        MP_TRY(mp_db_exec(s, schema_step[v], "making the store"));
    s->version = MP_STORE_VERSION;
    if (fresh) MP_TRY(make_view(s));
    return check_tables(s);
}

mp_err mp_postgres_ready(mp_store *s, mp_store_mode mode)
{
    bool fresh;
    if (mode == MP_STORE_WRITE) return mp_db_transaction(s, make_or_check, NULL);
    MP_TRY(identify(s, &fresh));
    if (fresh) return mp_fail(MP_ERR_INPUT, "%s: not a midpool store: the database has none", s->path);
    return check_tables(s);
}
