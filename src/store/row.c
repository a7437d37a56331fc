/* row.c - one run out of its row.
 *
 * A store may come from anywhere and may be damaged. The table below says what each column must be; a row with a column that
 * is not so cannot be read.
 * SPDX-License-Identifier: MIT */
#include "data/split.h"
#include "store/db.h"
#include "task/metric.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { TEXT, WHOLE, REAL } kind;

typedef struct column {
    const char *name;
    kind kind;
    double lo, hi; /* of a number, or of the bytes of a text */
    bool nullable;
    int since;          /* the version of a store that has it first */
    const char *before; /* what stands for it in older ones         */
} column;

enum { /* places in the table */
       ID,
       KEY,
       STATUS,
       DATASET,
       FINGERPRINT,
       FOLDS_FROM,
       FOLD,
       FOLDS,
       SEED,
       CONFIG,
       EPOCHS,
       BEST_EPOCH,
       HIT_CAP,
       TRAIN_LOSS,
       VAL_LOSS,
       VAL_METRIC,
       TEST_METRIC,
       LARGE_METRIC,
       SECONDS,
       SECONDS_PER_EPOCH,
       PEAK_BYTES,
       MODEL_SHA256,
       MESSAGE,
       VERSION,
       FINISHED,
       TASK,
       METRIC,
       LARGE_C_METRIC,
       COLUMNS
};

#define FIELD(type, field) (sizeof(((type *)NULL)->field) - 1)
#define ANY                ((double)INFINITY)

#define COUNTED "dataset IN ('COLORS-3', 'TRIANGLES', 'ZINC_12k')" /* as the step to version 3 has it */

/* clang-format off */
static const column columns[COLUMNS] = {
    [ID] = { "id", WHOLE, -ANY, ANY, false, 1, NULL },
    [KEY] = { "key", TEXT, 64, 64, false, 1, NULL },
    [STATUS] = { "status", TEXT, 4, 6, false, 1, NULL },
    [DATASET] = { "dataset", TEXT, 1, FIELD(mp_run_key, dataset), false, 1, NULL },
    [FINGERPRINT] = { "fingerprint", TEXT, 16, 16, false, 1, NULL },
    [FOLDS_FROM] = { "folds_from", TEXT, 0, FIELD(mp_run_key, folds_from), false, 1, NULL },
    [FOLD] = { "fold", WHOLE, 0, MP_MAX_FOLDS, false, 1, NULL },
    [FOLDS] = { "folds", WHOLE, 0, MP_MAX_FOLDS, false, 1, NULL },
    [SEED] = { "seed", WHOLE, 0, INT_MAX, false, 1, NULL },
    [CONFIG] = { "config", TEXT, 2, 65536, false, 1, NULL },
    [EPOCHS] = { "epochs", WHOLE, 0, INT_MAX, false, 1, NULL },
    [BEST_EPOCH] = { "best_epoch", WHOLE, 0, INT_MAX, false, 1, NULL },
    [HIT_CAP] = { "hit_cap", WHOLE, 0, 1, false, 1, NULL },
    [TRAIN_LOSS] = { "train_loss", REAL, -ANY, ANY, true, 1, NULL },
    [VAL_LOSS] = { "val_loss", REAL, -ANY, ANY, true, 1, NULL },
    [VAL_METRIC] = { "val_metric", REAL, -ANY, ANY, true, 1, NULL },
    [TEST_METRIC] = { "test_metric", REAL, -ANY, ANY, true, 1, NULL },
    [LARGE_METRIC] = { "large_metric", REAL, -ANY, ANY, true, 1, NULL },
    [SECONDS] = { "seconds", REAL, 0, 1e12, true, 1, NULL },
    [SECONDS_PER_EPOCH] = { "seconds_per_epoch", REAL, 0, 1e12, true, 1, NULL },
    [PEAK_BYTES] = { "peak_bytes", WHOLE, 0, ANY, false, 1, NULL },
    [MODEL_SHA256] = { "model_sha256", TEXT, 0, 64, false, 1, NULL },
    [MESSAGE] = { "message", TEXT, 0, 4096, false, 1, NULL },
    [VERSION] = { "version", TEXT, 0, 64, false, 1, NULL },
    [FINISHED] = { "finished", TEXT, 0, 64, false, 1, NULL },
    [TASK] = { "task", TEXT, 1, FIELD(mp_run_result, task), false, 3, "iif(" COUNTED ", 'count', 'classify')" },
    [METRIC] = { "metric", TEXT, 1, FIELD(mp_run_result, metric), false, 3, "iif(" COUNTED ", 'count_accuracy', 'accuracy')" },
    [LARGE_C_METRIC] = { "large_c_metric", REAL, -ANY, ANY, true, 6, "NULL" },
};
/* clang-format on */

/* ---- what a column must be ---- */

static mp_err wrong_text(mp_stmt *stmt, int i)
{
    const column *c = &columns[i];
    if (mp_column_type(stmt, i) == MP_TYPE_TEXT)
        return mp_fail(MP_ERR_INPUT, "%s: a text of %d bytes, expected %.0f to %.0f", c->name, mp_column_bytes(stmt, i),
                       c->lo, c->hi);
    return mp_fail(MP_ERR_INPUT, "%s: expected a text", c->name);
}

static mp_err check_text(mp_stmt *stmt, int i)
{
    const column *c = &columns[i];
    if (mp_column_type(stmt, i) != MP_TYPE_TEXT) return wrong_text(stmt, i);
    const char *text = mp_column_text(stmt, i);
    int bytes = mp_column_bytes(stmt, i);
    if (!text || bytes < c->lo || bytes > c->hi) return wrong_text(stmt, i);
    if (strlen(text) != (size_t)bytes) return mp_fail(MP_ERR_INPUT, "%s: a zero byte within the text", c->name);
    return MP_OK;
}

static mp_err check_number(mp_stmt *stmt, int i)
{
    static const char *const what[] = { [WHOLE] = "a whole number", [REAL] = "a number" };
    const column *c = &columns[i];
    int type = mp_column_type(stmt, i);
    double v = mp_column_real(stmt, i);
    bool right = type == MP_TYPE_INT || (type == MP_TYPE_REAL && c->kind == REAL);
    if (!right) return mp_fail(MP_ERR_INPUT, "%s: expected %s", c->name, what[c->kind]);
    if (v >= c->lo && v <= c->hi) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s: expected %s from %.10g to %.10g, got %.10g", c->name, what[c->kind], c->lo, c->hi,
                   v);
}

static mp_err check_columns(mp_stmt *stmt)
{
    for (int i = 0; i < COLUMNS; i++) {
        const column *c = &columns[i];
        if (mp_column_type(stmt, i) == MP_TYPE_NULL) {
            if (!c->nullable) return mp_fail(MP_ERR_INPUT, "%s: is missing", c->name);
        } else {
            MP_TRY(c->kind == TEXT ? check_text(stmt, i) : check_number(stmt, i));
        }
    }
    return MP_OK;
}

/* ---- a row ---- */

static const char *text(mp_stmt *stmt, int i)
{
    return mp_column_text(stmt, i);
}

static mp_err read_status(mp_stmt *stmt, mp_run_status *out)
{
    static const char *const name[] = { [MP_RUN_DONE] = "done", [MP_RUN_FAILED] = "failed" };
    for (int i = MP_RUN_DONE; i <= MP_RUN_FAILED; i++) {
        if (strcmp(text(stmt, STATUS), name[i]) != 0) continue;
        *out = (mp_run_status)i;
        return MP_OK;
    }
    return mp_fail(MP_ERR_INPUT, "status: expected done or failed, got '%s'", text(stmt, STATUS));
}

/* The configuration, and its part of the key. */
static mp_err read_config(mp_stmt *stmt, mp_configs *known, mp_arena *a, mp_config *out, const char **part)
{
    const mp_config *config;
    *part = NULL;
    if (!known) return mp_config_from_json(mp_span_of(text(stmt, CONFIG)), "config", a, out);
    MP_TRY(mp_configs_read(known, text(stmt, CONFIG), &config, part));
    *out = *config;
    return MP_OK;
}

static mp_err read_key(mp_stmt *stmt, mp_configs *known, mp_arena *a, mp_run_key *k, char hash[65])
{
    const char *print = text(stmt, FINGERPRINT);
    if (strspn(print, "0123456789abcdef") != 16)
        return mp_fail(MP_ERR_INPUT, "fingerprint: expected 16 hexadecimal digits, got '%s'", print);
    memset(k, 0, sizeof *k);
    strcpy(k->dataset, text(stmt, DATASET)); /* they fit: check_columns */
    strcpy(k->folds_from, text(stmt, FOLDS_FROM));
    k->fingerprint = strtoull(print, NULL, 16);
    k->fold = (int)mp_column_int(stmt, FOLD);
    k->folds = (int)mp_column_int(stmt, FOLDS);
    if (k->fold > (k->folds > 1 ? k->folds : 1)) return mp_fail(MP_ERR_INPUT, "fold: %d of %d", k->fold, k->folds);
    const char *part;
    MP_TRY(read_config(stmt, known, a, &k->config, &part));
    if (k->config.seed != (int)mp_column_int(stmt, SEED))
        return mp_fail(MP_ERR_INPUT, "seed: %d, and %d in config", (int)mp_column_int(stmt, SEED), k->config.seed);
    if (part)
        mp_run_key_hash_with(k, part, hash);
    else
        mp_run_key_hash(k, hash);
    return MP_OK;
}

/* A share is from 0 to 1; of a metric that this program does not know nothing is known. */
static mp_err check_metric(int place, const char *metric, double v)
{
    const mp_metric *m = mp_metric_find(metric);
    if (!m || !m->percent || isnan(v) || (v >= 0 && v <= 1)) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s: expected a number from 0 to 1, got %.10g", columns[place].name, v);
}

static mp_err read_result(mp_stmt *stmt, mp_run_result *r)
{
    r->epochs = (int)mp_column_int(stmt, EPOCHS);
    r->best_epoch = (int)mp_column_int(stmt, BEST_EPOCH);
    r->hit_cap = (int)mp_column_int(stmt, HIT_CAP);
    r->train_loss = mp_column_real(stmt, TRAIN_LOSS);
    r->val_loss = mp_column_real(stmt, VAL_LOSS);
    r->val_metric = mp_column_real(stmt, VAL_METRIC);
    r->test_metric = mp_column_real(stmt, TEST_METRIC);
    r->large_metric = mp_column_real(stmt, LARGE_METRIC);
    r->large_c_metric = mp_column_real(stmt, LARGE_C_METRIC);
    r->seconds = mp_column_real(stmt, SECONDS);
    r->seconds_per_epoch = mp_column_real(stmt, SECONDS_PER_EPOCH);
    r->peak_bytes = (uint64_t)mp_column_int(stmt, PEAK_BYTES);
    strcpy(r->model_sha256, text(stmt, MODEL_SHA256));
    strcpy(r->task, text(stmt, TASK));
    strcpy(r->metric, text(stmt, METRIC));
    MP_TRY(check_metric(VAL_METRIC, r->metric, r->val_metric));
    MP_TRY(check_metric(TEST_METRIC, r->metric, r->test_metric));
    MP_TRY(check_metric(LARGE_METRIC, r->metric, r->large_metric));
    MP_TRY(check_metric(LARGE_C_METRIC, r->metric, r->large_c_metric));
    if (r->best_epoch > r->epochs) return mp_fail(MP_ERR_INPUT, "best_epoch: %d of %d", r->best_epoch, r->epochs);
    return MP_OK;
}

static const char *copy(mp_stmt *stmt, int i, mp_arena *a)
{
    return mp_arena_text(a, text(stmt, i), strlen(text(stmt, i)));
}

mp_err mp_row_read(mp_stmt *stmt, mp_configs *known, mp_arena *a, mp_stored *out)
{
    char *hash = MP_NEW(a, char, 65);
    *out = (mp_stored){ .hash = hash };
    MP_TRY(check_columns(stmt));
    MP_TRY(read_status(stmt, &out->status));
    MP_TRY(read_key(stmt, known, a, &out->key, hash));
    MP_TRY(read_result(stmt, &out->result));
    out->message = copy(stmt, MESSAGE, a);
    out->version = copy(stmt, VERSION, a);
    out->finished = copy(stmt, FINISHED, a);
    return MP_OK;
}

mp_err mp_row_prepare(mp_store *s, const char *where, mp_stmt **out)
{
    mp_buf sql = { 0 };
    for (int i = 0; i < COLUMNS; i++)
        mp_buf_printf(&sql, "%s%s", i ? ", " : "SELECT ",
                      s->version < columns[i].since ? columns[i].before : columns[i].name);
    mp_buf_printf(&sql, " FROM run WHERE %s", where);
    mp_err e = mp_db_prepare(s, sql.p, out);
    mp_buf_free(&sql);
    return e;
}
