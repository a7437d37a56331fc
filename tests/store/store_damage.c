/* store_damage.c - see store_damage.h.
 * SPDX-License-Identifier: MIT */
#include "store_damage.h"

#include "report/report.h"
#include "store/store.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEDS = 2, FOLDS = 3, EPOCHS = 5 };

typedef struct bytes { /* what decides; 0 when used up */
    const uint8_t *p;
    size_t n;
} bytes;

static unsigned next(bytes *b, unsigned below)
{
    unsigned v = b->n ? *b->p : 0;
    if (b->n) {
        b->p++;
        b->n--;
    }
    return v % below;
}

/* ---- a good store ---- */

static mp_run_key key_of(int seed, int fold)
{
    mp_run_key k;
    memset(&k, 0, sizeof k);
    strcpy(k.dataset, "MUTAG");
    strcpy(k.folds_from, "files");
    k.fingerprint = 0xFEDCBA9876543210;
    k.fold = fold;
    k.folds = FOLDS;
    mp_config_init(&k.config);
    k.config.seed = seed;
    return k;
}

static mp_run_result result_of(int seed, int fold)
{
    static mp_epoch curve[EPOCHS];
    for (int i = 0; i < EPOCHS; i++) curve[i] = (mp_epoch){ 1.0 / (i + 1), 2.0 / (i + 3), i ? 0.5 : (double)NAN };
    mp_run_result r = { .task = "classify",
                        .metric = "accuracy",
                        .epochs = EPOCHS,
                        .best_epoch = 2,
                        .train_loss = 0.25,
                        .val_loss = 0.5,
                        .val_metric = 1.0 / (1 + fold),
                        .test_metric = 1.0 / (1 + seed),
                        .large_metric = (double)NAN,
                        .seconds = 1.5,
                        .seconds_per_epoch = 0.01,
                        .peak_bytes = 1 << 20,
                        .curve_len = EPOCHS,
                        .curve = curve };
    mp_calibration_add(&r.calibration, 0.25, 1);
    mp_calibration_add(&r.calibration, 0.75, seed % 2);
    return r;
}

static void must(mp_err e)
{
    if (e != MP_OK) fprintf(stderr, "%s\n", mp_message());
    mp_assert(e == MP_OK);
}

static void put_bytes(const char *path, const char *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    mp_assert(f && fwrite(p, 1, n, f) == n && fclose(f) == 0);
}

static void remove_store(const char *path)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal" };
    char name[512];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

static mp_span good_store(const char *path)
{
    static mp_arena *forever; /* holds what is made once */
    static mp_span good;
    if (forever) return good;
    mp_store *s;
    must(mp_store_open(path, MP_STORE_WRITE, &s));
    for (int i = 0; i < SEEDS * FOLDS; i++) {
        mp_run_key k = key_of(i / FOLDS, i % FOLDS + 1);
        mp_run_result r = result_of(i / FOLDS, i % FOLDS + 1);
        must(mp_store_put(s, &k, &r, NULL));
    }
    mp_declared study = { .key = key_of(0, 1), .grid = MP_GRID_NONE };
    must(mp_store_declare(s, &study, 1));
    mp_run_key failed = key_of(SEEDS, 1);
    must(mp_store_put_failed(s, &failed, "epoch 9: the loss is not finite"));
    mp_store_close(s);
    forever = mp_arena_new(1 << 16);
    must(mp_slurp(path, 0, forever, &good));
    return good;
}

/* ---- damage ---- */

static void run(sqlite3 *db, char *sql) /* may fail: then it does no damage */
{
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

#define RUN(db, ...) run(db, sqlite3_mprintf(__VA_ARGS__))

static const char *value(bytes *b)
{
    static const char *const values[] = {
        "NULL",
        "-1",
        "-16",
        "0",
        "1",
        "7",
        "101",
        "2147483647",
        "2147483648",
        "-2147483648",
        "9223372036854775807",
        "-9223372036854775808",
        "1e308",
        "-1e308",
        "9e999",
        "-9e999",
        "1e-320",
        "0.5",
        "''",
        "'done'",
        "'failed'",
        "'doing'",
        "'{}'",
        "'[1]'",
        "'{\"ratio\":7}'",
        "'{\"seed\":-1}'",
        "'{\"epochs\":1e99}'",
        "'{\"pool\":\"<script>\"}'",
        "'{\"pool\":\"' || hex(zeroblob(64)) || '\"}'",
        "'{\"drop\":0.5,\"seed\":1}'",
        "replace(hex(zeroblob(20000)), '00', '[')",
        "hex(zeroblob(31))",
        "hex(zeroblob(32))",
        "hex(zeroblob(100000))",
        "CAST(x'646f006e65' AS TEXT)",
        "CAST(x'fffe80c0' AS TEXT)",
        "CAST(x'1b5b324a' AS TEXT)",
        "x''",
        "x'00ff'",
        "zeroblob(1000000)",
        "random()",
    };
    return values[next(b, sizeof values / sizeof *values)];
}

static const char *column(bytes *b)
{
    static const char *const names[] = {
        "id",           "key",        "status",      "dataset",      "fingerprint", "folds_from",        "fold",
        "folds",        "seed",       "config",      "epochs",       "best_epoch",  "hit_cap",           "train_loss",
        "val_loss",     "val_metric", "test_metric", "large_metric", "seconds",     "seconds_per_epoch", "peak_bytes",
        "model_sha256", "message",    "version",     "finished"
    };
    return names[next(b, sizeof names / sizeof *names)];
}

static const char *curve_column(bytes *b)
{
    static const char *const names[] = { "run", "epoch", "train_loss", "val_loss", "val_metric" };
    return names[next(b, 5)];
}

static void change_rows(sqlite3 *db, bytes *b)
{
    const char *where[] = { "id = 1", "id = 4", "status = 'failed'", "1" };
    switch (next(b, 7)) {
    case 0:
    case 1:
    case 2: {
        const char *name = column(b), *v = value(b);
        RUN(db, "UPDATE OR IGNORE run SET %s = %s WHERE %s", name, v, where[next(b, 4)]);
        break;
    }
    case 3: {
        const char *name = curve_column(b), *v = value(b);
        RUN(db, "UPDATE OR IGNORE curve SET %s = %s WHERE run = %u", name, v, next(b, 9));
        break;
    }
    case 4: /* a long curve, of a run that is there or not */
        RUN(db,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %u) INSERT OR IGNORE INTO curve "
            "SELECT %u, i, 0.5, i * 1e307, 0.5 FROM n",
            50 * next(b, 40), next(b, 12));
        break;
    case 6: {
        const char *const names[] = { "dataset", "fingerprint", "folds_from", "folds", "grid", "config" };
        RUN(db, "UPDATE OR IGNORE study SET %s = %s", names[next(b, 6)], value(b));
        break;
    }
    case 5: /* the same run under another key */
        RUN(db,
            "INSERT INTO run SELECT NULL, %u || substr(key, 2), status, dataset, fingerprint, folds_from, fold, folds, "
            "seed, "
            "config, epochs, best_epoch, hit_cap, train_loss, val_loss, val_metric, test_metric, large_metric, "
            "seconds, "
            "seconds_per_epoch, peak_bytes, model_sha256, message, version, finished FROM run WHERE id = %u",
            next(b, 10), 1 + next(b, 7));
        break;
    }
}

static void change_schema(sqlite3 *db, bytes *b)
{
    static const char *const changes[] = {
        "",
        "CREATE TRIGGER t AFTER INSERT ON run BEGIN UPDATE run SET test_metric = 1, dataset = 'OTHER'; END",
        "CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM curve; DELETE FROM run; END",
        "CREATE TRIGGER t BEFORE INSERT ON run BEGIN SELECT RAISE(ABORT, 'no'); END",
        "CREATE TRIGGER t BEFORE DELETE ON run BEGIN SELECT RAISE(IGNORE); END",
        "DROP TABLE run",
        "DROP TABLE curve",
        "ALTER TABLE run RENAME TO r; CREATE VIEW run AS SELECT * FROM r",
        "ALTER TABLE curve RENAME TO c; CREATE VIEW curve AS SELECT * FROM c",
        "ALTER TABLE run RENAME TO r; CREATE TABLE run (id)",
        "ALTER TABLE run ADD COLUMN more AS (zeroblob(1000000000))",
        "ALTER TABLE run ADD COLUMN more",
        "ALTER TABLE run RENAME COLUMN status TO state",
        "DROP VIEW runs; CREATE TABLE runs (x)",
        "DROP VIEW runs; CREATE VIEW runs AS SELECT * FROM runs",
        "DROP VIEW runs; CREATE VIEW runs AS WITH n(i) AS (SELECT 1 UNION ALL SELECT 2 FROM n) SELECT * FROM n",
        "DROP INDEX run_by_dataset; CREATE UNIQUE INDEX run_by_dataset ON run (dataset)",
        "CREATE INDEX odd ON run (length(config) * 1.5, abs(seed))",
        "PRAGMA user_version = 99",
        "PRAGMA user_version = -1",
        "PRAGMA application_id = 1",
        "PRAGMA user_version = 0; PRAGMA application_id = 0",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE run (a)' WHERE name = 'run'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 2 WHERE name = 'curve'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 90000 WHERE name = 'run'",
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE type = 'index'",
        "DELETE FROM run",
        "DELETE FROM curve",
    };
    RUN(db, "%s", changes[next(b, sizeof changes / sizeof *changes)]);
}

/* Constraints are taken out of the schema for the time of the damage to rows, and put back. */
static void damage_rows(const char *path, bytes *b)
{
    sqlite3 *db;
    mp_assert(sqlite3_open(path, &db) == SQLITE_OK);
    RUN(db, "PRAGMA synchronous = OFF; CREATE TABLE kept AS SELECT name, sql FROM sqlite_master WHERE type = 'table';"
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE type = "
            "'table'");
    sqlite3_close(db);
    mp_assert(sqlite3_open(path, &db) == SQLITE_OK);
    RUN(db, "PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
    for (unsigned i = next(b, 6); i > 0; i--) change_rows(db, b);
    RUN(db, "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = (SELECT kept.sql FROM kept WHERE kept.name = "
            "sqlite_master.name) WHERE type = 'table' AND name IN (SELECT name FROM kept); DROP TABLE kept");
    sqlite3_close(db);
}

static void damage_schema(const char *path, bytes *b)
{
    sqlite3 *db;
    mp_assert(sqlite3_open(path, &db) == SQLITE_OK);
    RUN(db, "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF");
    for (unsigned i = next(b, 3); i > 0; i--) change_schema(db, b);
    sqlite3_close(db);
}

static void damage_bytes(const char *path, bytes *b)
{
    FILE *f = fopen(path, "r+b");
    mp_assert(f != NULL);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    for (unsigned i = next(b, 8); i > 0; i--) {
        long at = (long)(next(b, 256) << 8 | next(b, 256)) % (size > 0 ? size : 1);
        fseek(f, at, SEEK_SET);
        fputc((int)next(b, 256), f);
    }
    fclose(f);
}

void damage_make(const char *path, const uint8_t *data, size_t n)
{
    bytes b = { data, n };
    remove_store(path);
    mp_span good = good_store(path);
    remove_store(path);
    put_bytes(path, good.p, good.n);
    unsigned what = next(&b, 8);
    damage_rows(path, &b);
    if (what & 1) damage_schema(path, &b);
    if (what == 7) damage_bytes(path, &b);
}

/* ---- use ---- */

static void check_share(double v)
{
    mp_assert(isnan(v) || (v >= 0 && v <= 1));
}

static mp_err check_run(void *context, const mp_stored *r)
{
    int *count = context;
    mp_assert(r->status == MP_RUN_DONE || r->status == MP_RUN_FAILED);
    mp_assert(strlen(r->key.dataset) > 0 && strlen(r->hash) == 64);
    mp_assert(r->key.fold >= 0 && r->key.folds >= 0 && r->key.config.seed >= 0);
    mp_assert(r->result.epochs >= 0 && r->result.best_epoch <= r->result.epochs);
    mp_assert(r->result.curve_len >= 0 && r->result.curve_len <= r->result.epochs);
    double error = mp_calibration_error(&r->result.calibration);
    mp_assert(isnan(error) || (error >= 0 && error <= 1));
    check_share(r->result.val_metric);
    check_share(r->result.test_metric);
    check_share(r->result.large_metric);
    ++*count;
    return MP_OK;
}

typedef struct wanted {
    char hash[65];
    int found;
} wanted;

static mp_err look_for(void *context, const mp_stored *r)
{
    wanted *w = context;
    w->found += strcmp(r->hash, w->hash) == 0;
    return MP_OK;
}

/* What was put is there, once, whatever the store wants to do about it. */
static void put_and_look(mp_store *s, int seed, int fold)
{
    mp_run_key k = key_of(seed, fold);
    mp_run_result r = result_of(seed, fold);
    mp_run_status status;
    wanted w = { .found = 0 };
    bool added;
    mp_run_key_hash(&k, w.hash);
    if (mp_store_put(s, &k, &r, &added) != MP_OK || !added) return;
    mp_assert(mp_store_has(s, &k, &status) == MP_OK && status == MP_RUN_DONE);
    if (mp_store_each(s, &(mp_store_filter){ .curves = true }, look_for, &w) == MP_OK) mp_assert(w.found == 1);
}

void damage_use(const char *path, const char *page)
{
    mp_store *s;
    mp_buf text = { 0 }, json = { 0 };
    int count = 0, studies;
    const mp_declared *study;
    mp_arena *a = mp_arena_new(1 << 14);
    char line[1024];
    mp_report_options o = { .select = MP_SELECT_VAL };
    char why[1024];
    bool wrote = mp_report_write(&path, 1, page, &o, &text, &json) == MP_OK;
    snprintf(why, sizeof why, "%s", mp_message());
    if (mp_store_open(path, MP_STORE_READ, &s) == MP_OK) {
        bool read = mp_store_each(s, &(mp_store_filter){ .curves = true }, check_run, &count) == MP_OK;
        read = read && mp_store_declared(s, a, &study, &studies) == MP_OK;
        if (mp_store_left_out(s, line, sizeof line)) mp_assert(strlen(line) > 0);
        if (read && !wrote) fprintf(stderr, "%s\n", why);
        mp_assert(wrote || !read); /* what can be read can be reported */
        mp_store_close(s);
    }
    if (mp_store_open(path, MP_STORE_WRITE, &s) == MP_OK) {
        mp_run_key k = key_of(0, 2);
        put_and_look(s, 0, 1);
        put_and_look(s, 77, 1);
        if (mp_store_put_failed(s, &k, "again") != MP_OK) mp_assert(strlen(mp_message()) > 0);
        mp_store_close(s);
    }
    mp_arena_free(a);
    mp_buf_free(&text);
    mp_buf_free(&json);
}
