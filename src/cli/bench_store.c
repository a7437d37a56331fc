/* bench_store.c - midpool bench store: what a run costs the store, and how long a store of many takes to be read.
 *
 * Runs are made up and stored through the calls that a study makes for each of them: is it there, claim it, put it. Times are
 * processor time of this process, which others on the machine do not change, and wall time, which has the waits for the disk.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/bench.h"
#include "store/tally.h"
#include "store/work.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct conf {
    const char *store;
    int runs, epochs, json;
} conf;

/* clang-format off */
static const mp_opt options[] = {
    { "runs", MP_OPT_INT, offsetof(conf, runs), "1000", 1, 10000000, NULL, "runs to store, 10 folds a seed" },
    { "epochs", MP_OPT_INT, offsetof(conf, epochs), "100", 1, 100000, NULL, "points of the learning curve of a run" },
    { "json", MP_OPT_FLAG, offsetof(conf, json), "false", 0, 1, NULL, "one JSON object on stdout" },
    { 0 }
};
static const mp_cli_text texts[] = {
    { "store", offsetof(conf, store), "bench.db", "FILE", "the store, which is made and stays; it must not exist" },
    { 0 }
};
/* clang-format on */
static const mp_cli_group groups[] = { { "options", options, 0 }, { 0 } };

typedef struct cost {
    double cpu, wall; /* seconds */
} cost;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cost now(void)
{
    return (cost){ cpu_seconds(), mp_seconds() };
}

static cost since(cost from)
{
    return (cost){ cpu_seconds() - from.cpu, mp_seconds() - from.wall };
}

/* Two methods on ten folds, from seed 1 on. */
static mp_run_key key_of(int i)
{
    mp_run_key k;
    memset(&k, 0, sizeof k);
    strcpy(k.dataset, "MADE-UP");
    strcpy(k.folds_from, "stratified");
    k.fingerprint = 1;
    k.fold = 1 + i / 2 % 10;
    k.folds = 10;
    mp_config_init(&k.config);
    k.config.seed = 1 + i / 20;
    k.config.score_dim = i % 2 ? 5 : 1;
    k.config.flip = i % 2;
    k.config.drop = i % 2 ? 0.1 : 0;
    return k;
}

static mp_run_result result_of(int i, int epochs, const mp_epoch *curve)
{
    mp_run_result r = { .task = "classify",
                        .metric = "accuracy",
                        .epochs = epochs,
                        .best_epoch = epochs,
                        .train_loss = 0.5,
                        .val_loss = 0.6,
                        .val_metric = 0.5 + i % 97 / 200.0,
                        .test_metric = 0.5 + i % 89 / 200.0,
                        .large_metric = (double)NAN,
                        .large_c_metric = (double)NAN,
                        .measures = 1,
                        .seconds = 10,
                        .seconds_per_epoch = 0.1,
                        .curve_len = epochs,
                        .curve = curve };
    strcpy(r.measure[0].name, "accuracy");
    r.measure[0].val = r.val_metric;
    r.measure[0].test = r.test_metric;
    r.measure[0].large = r.measure[0].large_c = (double)NAN;
    memset(r.model_sha256, 'a', 64);
    return r;
}

static mp_err put_all(mp_store *s, const conf *c, mp_arena *a)
{
    mp_epoch *curve = MP_NEW(a, mp_epoch, c->epochs);
    for (int i = 0; i < c->epochs; i++) curve[i] = (mp_epoch){ 1.0 / (i + 1), 1.1 / (i + 1), 0.7 + 0.1 / (i + 3) };
    for (int i = 0; i < c->runs; i++) {
        mp_run_key key = key_of(i);
        mp_run_result r = result_of(i, c->epochs, curve);
        mp_run_status status;
        mp_claim claim;
        MP_TRY(mp_store_has(s, &key, &status));
        MP_TRY(mp_store_claim(s, &key, false, &claim));
        MP_TRY(mp_store_put(s, &key, &r, NULL));
    }
    return MP_OK;
}

static mp_err fill(const conf *c, mp_arena *a)
{
    mp_store *s;
    mp_work_plan plan = { "midpool bench store", "bench", c->runs, 0 };
    MP_TRY(mp_store_open(c->store, MP_STORE_WRITE, &s));
    mp_err e = mp_store_work_begin(s, &plan);
    if (e == MP_OK) e = put_all(s, c, a);
    if (e == MP_OK) e = mp_store_work_end(s);
    mp_store_close(s);
    return e;
}

static mp_err pass(void *context, const mp_stored *run)
{
    (void)run;
    ++*(int *)context;
    return MP_OK;
}

static mp_err read_all(mp_store *s, const conf *c, mp_arena *a)
{
    int n = 0;
    (void)a;
    MP_TRY(mp_store_each(s, NULL, pass, &n));
    return n == c->runs ? MP_OK : mp_fail(MP_ERR_IO, "%s: %d of %d runs came back", c->store, n, c->runs);
}

static mp_err count_all(mp_store *s, const conf *c, mp_arena *a)
{
    mp_store_tally t;
    (void)c;
    return mp_store_count(s, 3600, a, &t);
}

static mp_err find_all(mp_store *s, const conf *c, mp_arena *a)
{
    (void)a;
    for (int i = 0; i < c->runs; i++) {
        mp_run_key key = key_of(i);
        mp_run_status status;
        MP_TRY(mp_store_has(s, &key, &status));
    }
    return MP_OK;
}

static mp_err only_open(mp_store *s, const conf *c, mp_arena *a)
{
    (void)s;
    (void)c;
    (void)a;
    return MP_OK;
}

static const struct {
    const char *name, *what;
    mp_err (*look)(mp_store *s, const conf *c, mp_arena *a);
} looks[] = {
    { "open", "open and close it", only_open },
    { "count", "count its runs, as status does", count_all },
    { "read", "read every run, as report does", read_all },
    { "find", "look up every run, as a study does that is started again", find_all },
};
#define LOOKS ((int)(sizeof looks / sizeof *looks))

static mp_err look(int i, const conf *c, mp_arena *a, cost *out)
{
    mp_store *s;
    cost from = now();
    MP_TRY(mp_store_open(c->store, MP_STORE_READ, &s));
    mp_err e = looks[i].look(s, c, a);
    mp_store_close(s);
    *out = since(from);
    return e;
}

static void put_cost(const char *name, cost c, mp_buf *b)
{
    mp_json_key(b, name);
    mp_json_open(b, '{');
    mp_json_add_real(b, "cpu_seconds", c.cpu);
    mp_json_add_real(b, "seconds", c.wall);
    mp_json_close(b, '}');
}

static void put_json(const conf *c, double bytes, cost put, const cost *looked, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_int(b, "runs", c->runs);
    mp_json_add_int(b, "epochs", c->epochs);
    mp_json_add_real(b, "bytes_per_run", bytes / c->runs);
    put_cost("put", put, b);
    for (int i = 0; i < LOOKS; i++) put_cost(looks[i].name, looked[i], b);
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
}

static void put_text(const conf *c, double bytes, cost put, const cost *looked, mp_buf *b)
{
    mp_buf_printf(b, "%d runs of %d epochs: %.0f bytes a run\n", c->runs, c->epochs, bytes / c->runs);
    mp_buf_printf(b, "  store a run          %8.3f ms of a processor, %8.3f ms in all: is it there, claim it, put it\n",
                  1000 * put.cpu / c->runs, 1000 * put.wall / c->runs);
    for (int i = 0; i < LOOKS; i++)
        mp_buf_printf(b, "  %-20s %8.3f s  of a processor, %8.3f s  in all: %s\n", looks[i].name, looked[i].cpu,
                      looked[i].wall, looks[i].what);
}

static mp_err bench(void *data, const mp_cli_args *args)
{
    const conf *c = data;
    struct stat file;
    cost looked[LOOKS];
    if (stat(c->store, &file) == 0) return mp_fail(MP_ERR_USAGE, "--store: %s is there already", c->store);
    cost from = now();
    MP_TRY(fill(c, args->arena));
    cost put = since(from);
    for (int i = 0; i < LOOKS; i++) MP_TRY(look(i, c, args->arena, &looked[i]));
    double bytes = stat(c->store, &file) == 0 ? (double)file.st_size : 0;
    mp_buf out = { 0 };
    (c->json ? put_json : put_text)(c, bytes, put, looked, &out);
    mp_err e = mp_cli_print(out.p, out.n);
    mp_buf_free(&out);
    return e;
}

const mp_cli mp_bench_store = { .name = "bench store",
                                .operands = "",
                                .summary = "What a run costs the store, and how long a store of many takes to be read.",
                                .size = sizeof(conf),
                                .groups = groups,
                                .texts = texts,
                                .run = bench };
