/* export.c - see export.h.
 * SPDX-License-Identifier: MIT */
#include "report/export.h"
#include "report/svg_axis.h"
#include "task/metric.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { OPTIONS_MOST = 512, METRICS_MOST = 64, FLUSH = 1 << 16 };

/* The four tests of a metric. */
typedef struct place {
    const char *name;
    size_t at;
} place;
static const place places[] = { { "val", offsetof(mp_measured, val) },
                                { "test", offsetof(mp_measured, test) },
                                { "large", offsetof(mp_measured, large) },
                                { "large_c", offsetof(mp_measured, large_c) } };
enum { PLACES = sizeof places / sizeof *places };

typedef struct seen_metric {
    char name[24];
    bool any[PLACES]; /* some run has a number */
} seen_metric;

typedef struct exporter {
    const mp_export *how;
    bool begun; /* a run has been looked at: */
    mp_config first;
    bool differs[OPTIONS_MOST];
    int metrics, count;
    seen_metric metric[METRICS_MOST];
    mp_buf runs, curves;
} exporter;

static double number_at(const mp_measured *m, int which)
{
    double v;
    memcpy(&v, (const char *)m + places[which].at, sizeof v);
    return v;
}

/* ---- what there is ---- */

static void look_at_metric(exporter *x, const mp_measured *m)
{
    int i = 0;
    while (i < x->metrics && strcmp(x->metric[i].name, m->name) != 0) i++;
    if (i == METRICS_MOST) return; /* a store from elsewhere may have any number of names */
    if (i == x->metrics) {
        x->metric[x->metrics++] = (seen_metric){ .any = { false } };
        memcpy(x->metric[i].name, m->name, sizeof m->name);
    }
    for (int p = 0; p < PLACES; p++) x->metric[i].any[p] = x->metric[i].any[p] || isfinite(number_at(m, p));
}

static mp_err look(void *context, const mp_stored *run)
{
    exporter *x = context;
    if (!x->begun) x->first = run->key.config;
    x->begun = true;
    for (int i = 0; mp_config_table[i].name; i++) {
        mp_assert(i < OPTIONS_MOST);
        x->differs[i] = x->differs[i] || !mp_conf_same(&mp_config_table[i], &x->first, &run->key.config);
    }
    if (run->status == MP_RUN_DONE)
        for (int i = 0; i < run->result.measures; i++) look_at_metric(x, &run->result.measure[i]);
    return MP_OK;
}

/* pool and seed have their columns always. */
static bool shown(const exporter *x, int option)
{
    const char *name = mp_config_table[option].name;
    if (strcmp(name, "pool") == 0 || strcmp(name, "seed") == 0) return false;
    return x->differs[option] || x->how->all_options;
}

/* ---- cells ---- */

static void put_text(mp_buf *b, const char *before, const char *text)
{
    bool formula = *text && strchr("=+-@\t\r", *text);
    mp_buf safe = MP_BUF_LOCAL;
    if (formula) {
        mp_buf_puts(&safe, "'");
        mp_buf_puts(&safe, text);
    }
    mp_csv_text(b, before, formula ? safe.p : text);
    mp_buf_free(&safe);
}

static void put_whole(mp_buf *b, const char *before, int64_t v)
{
    mp_buf_printf(b, "%s%" PRId64, before, v);
}

/* A column of the runs: all of them are numbers or texts of the run. */
typedef struct column {
    const char *name;
    void (*put)(mp_buf *b, const mp_stored *run);
    bool of_result; /* empty where the run failed */
} column;

#define TEXT(id, value)                                                                                                \
    static void put_##id(mp_buf *b, const mp_stored *run)                                                              \
    {                                                                                                                  \
        put_text(b, "", (value));                                                                                      \
    }
#define WHOLE(id, value)                                                                                               \
    static void put_##id(mp_buf *b, const mp_stored *run)                                                              \
    {                                                                                                                  \
        put_whole(b, "", (int64_t)(value));                                                                            \
    }
#define REAL(id, value)                                                                                                \
    static void put_##id(mp_buf *b, const mp_stored *run)                                                              \
    {                                                                                                                  \
        mp_csv_number(b, "", (value));                                                                                 \
    }
TEXT(key, run->hash)
TEXT(status, run->status == MP_RUN_DONE ? "done" : "failed")
TEXT(message, run->message)
TEXT(dataset, run->key.dataset)
TEXT(folds_from, run->key.folds_from)
WHOLE(folds, run->key.folds)
WHOLE(fold, run->key.fold)
WHOLE(seed, run->key.config.seed)
TEXT(pool, run->key.config.pool)
TEXT(task, run->result.task)
TEXT(metric, run->result.metric)
WHOLE(epochs, run->result.epochs)
WHOLE(best_epoch, run->result.best_epoch)
WHOLE(hit_cap, run->result.hit_cap)
REAL(train_loss, run->result.train_loss)
REAL(val_loss, run->result.val_loss)
REAL(val_metric, run->result.val_metric)
REAL(test_metric, run->result.test_metric)
REAL(large_metric, run->result.large_metric)
REAL(large_c_metric, run->result.large_c_metric)
REAL(seconds, run->result.seconds)
REAL(seconds_per_epoch, run->result.seconds_per_epoch)
WHOLE(peak_bytes, run->result.peak_bytes)
TEXT(model_sha256, run->result.model_sha256)
TEXT(version, run->version)
TEXT(finished, run->finished)

static void put_fingerprint(mp_buf *b, const mp_stored *run)
{
    mp_buf_printf(b, "%016" PRIx64, run->key.fingerprint);
}

#define COLUMN(id, of_result)                                                                                          \
    {                                                                                                                  \
#id, put_##id, of_result                                                                                       \
    }
static const column before[] = { COLUMN(key, false),     COLUMN(status, false),      COLUMN(message, false),
                                 COLUMN(dataset, false), COLUMN(fingerprint, false), COLUMN(folds_from, false),
                                 COLUMN(folds, false),   COLUMN(fold, false),        COLUMN(seed, false),
                                 COLUMN(pool, false),    { NULL, NULL, false } };
static const column behind[] = { COLUMN(task, true),         COLUMN(metric, true),         COLUMN(epochs, true),
                                 COLUMN(best_epoch, true),   COLUMN(hit_cap, true),        COLUMN(train_loss, true),
                                 COLUMN(val_loss, true),     COLUMN(val_metric, true),     COLUMN(test_metric, true),
                                 COLUMN(large_metric, true), COLUMN(large_c_metric, true), { NULL, NULL, false } };
static const column last[] = { COLUMN(seconds, true),      COLUMN(seconds_per_epoch, true), COLUMN(peak_bytes, true),
                               COLUMN(model_sha256, true), COLUMN(version, false),          COLUMN(finished, false),
                               { NULL, NULL, false } };

static void put_columns(mp_buf *b, const column *c, const mp_stored *run)
{
    for (; c->name; c++) {
        if (c != before) mp_buf_puts(b, ",");
        if (run && (run->status == MP_RUN_DONE || !c->of_result)) c->put(b, run);
        if (!run) mp_buf_puts(b, c->name);
    }
}

/* ---- rows ---- */

static const mp_measured *measured(const mp_stored *run, const char *name)
{
    if (run->status == MP_RUN_DONE)
        for (int i = 0; i < run->result.measures; i++)
            if (strcmp(run->result.measure[i].name, name) == 0) return &run->result.measure[i];
    return NULL;
}

/* `run` NULL: the header. */
static void put_metrics(const exporter *x, mp_buf *b, const mp_stored *run)
{
    for (int i = 0; i < x->metrics; i++) {
        const mp_measured *m = run ? measured(run, x->metric[i].name) : NULL;
        for (int p = 0; p < PLACES; p++) {
            if (!x->metric[i].any[p]) continue;
            if (run)
                mp_csv_number(b, ",", m ? number_at(m, p) : (double)NAN);
            else
                mp_buf_printf(b, ",%s", places[p].name), put_text(b, ".", x->metric[i].name);
        }
    }
}

static void put_options(const exporter *x, mp_buf *b, const mp_stored *run)
{
    for (int i = 0; mp_config_table[i].name; i++) {
        char value[80];
        if (!shown(x, i)) continue;
        if (!run) {
            mp_buf_printf(b, ",config.%s", mp_config_table[i].name);
            continue;
        }
        mp_conf_get(&mp_config_table[i], &run->key.config, value, sizeof value);
        if (mp_conf_quoted(&mp_config_table[i], value))
            put_text(b, ",", value);
        else
            mp_csv_text(b, ",", value);
    }
}

static void put_row(const exporter *x, mp_buf *b, const mp_stored *run)
{
    put_columns(b, before, run);
    put_options(x, b, run);
    put_columns(b, behind, run);
    if (x->how->metrics) put_metrics(x, b, run);
    put_columns(b, last, run);
    mp_buf_puts(b, "\n");
}

static void put_curve(mp_buf *b, const mp_stored *run)
{
    for (int i = 0; i < run->result.curve_len; i++) {
        const mp_epoch *e = &run->result.curve[i];
        mp_buf_puts(b, run->hash);
        put_whole(b, ",", i + 1);
        mp_csv_number(b, ",", e->train_loss);
        mp_csv_number(b, ",", e->val_loss);
        mp_csv_number(b, ",", e->val_metric);
        mp_buf_puts(b, "\n");
    }
}

static mp_err flush(const mp_sink *to, mp_buf *b, size_t least)
{
    if (b->n == 0 || b->n < least) return MP_OK;
    mp_err e = to->put(to->to, b->p, b->n);
    b->n = 0;
    return e;
}

static mp_err write_run(void *context, const mp_stored *run)
{
    exporter *x = context;
    x->count++;
    if (x->how->runs.put) put_row(x, &x->runs, run);
    if (x->how->curves.put) put_curve(&x->curves, run);
    MP_TRY(flush(&x->how->runs, &x->runs, FLUSH));
    return flush(&x->how->curves, &x->curves, FLUSH);
}

static mp_err write_all(exporter *x, mp_stores *s)
{
    MP_TRY(mp_stores_each(s, NULL, look, x));
    if (x->how->runs.put) put_row(x, &x->runs, NULL);
    if (x->how->curves.put) mp_buf_puts(&x->curves, "key,epoch,train_loss,val_loss,val_metric\n");
    MP_TRY(mp_stores_each(s, &(mp_store_filter){ .curves = x->how->curves.put != NULL }, write_run, x));
    MP_TRY(flush(&x->how->runs, &x->runs, 0));
    return flush(&x->how->curves, &x->curves, 0);
}

mp_err mp_export_stores(mp_stores *s, const mp_export *how, int *n)
{
    exporter x = { .how = how };
    mp_err e = write_all(&x, s);
    mp_buf_free(&x.runs);
    mp_buf_free(&x.curves);
    if (n) *n = x.count;
    return e;
}
