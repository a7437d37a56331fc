/* bench_epoch.c - midpool bench epoch: seconds of one training epoch beside what the machine allows, and where they go.
 *
 *     limit            operations of the dense products / rate of fused multiply-adds on registers
 *     limit with sums  limit + bytes that sums over neighbours move / bandwidth of copies in the second-level cache
 *
 * Operations and bytes are counted from shapes while training; rates are measured in the same run. The second limit is a
 * sum because products and sums follow each other on the same core.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/bench.h"
#include "cli/device.h"
#include "cli/given.h"
#include "cli/setup.h"
#include "study/group_time.h"
#include "study/prepare.h"

#include <stdlib.h>
#include <string.h>

typedef struct bench_conf {
    mp_config model;
    struct {
        int threads, epochs, json, profile;
        double share;
        int repeat, device, group;
    } how;
    const char *data;
} bench_conf;

#define HOW(field) offsetof(bench_conf, how.field) - offsetof(bench_conf, how)
/* clang-format off */
static const mp_opt how_table[] = {
    { "threads", MP_OPT_INT, HOW(threads), "0", 0, 1024, NULL, "threads; 0 = one a core" },
    { "timed", MP_OPT_INT, HOW(epochs), "7", 1, 1000, NULL, "timed epochs, after two to warm up; the median is printed" },
    { "share", MP_OPT_REAL, HOW(share), "0.8", 0.001, 1, NULL, "share of the graphs in an epoch" },
    { "times", MP_OPT_INT, HOW(repeat), "1", 1, 1000, NULL, "the data that many times over" },
    { "device", MP_OPT_CHOICE, HOW(device), "cpu", 0, 0, "cpu|cuda|auto|emulated", "what trains: this processor, or runs side by side on a GPU" },
    { "group", MP_OPT_INT, HOW(group), "1", 1, 256, NULL, "runs side by side on a GPU", .needs = "device!=cpu" },
    { "profile", MP_OPT_FLAG, HOW(profile), "false", 0, 1, NULL, "seconds by op, forward and backward, summed over threads" },
    { "json", MP_OPT_FLAG, HOW(json), "false", 0, 1, NULL, "one JSON object on stdout" },
    { 0 }
};
/* clang-format on */

typedef struct bench_result {
    mp_epoch_time time;
    double rate, cache, memory; /* of the machine: operations, bytes copied in cache and in memory a second */
    double limit, limit_sums;   /* seconds */
    int threads, epochs;
    const char *isa;
} bench_result;

static mp_err measure(const mp_dataset *d, const bench_conf *conf, mp_arena *a, bench_result *out)
{
    mp_epoch_ask ask = { .data = d,
                         .config = &conf->model,
                         .share = conf->how.share,
                         .repeat = conf->how.repeat,
                         .timed = conf->how.epochs,
                         .threads = out->threads,
                         .profile = conf->how.profile };
    const mp_kernels *k = mp_kernels_get();
    mp_crew *crew = mp_crew_new(out->threads);
    out->epochs = conf->how.epochs;
    out->isa = k->isa;
    double before = mp_bench_fma(crew, k);
    mp_err e = mp_time_epochs(&ask, a, &out->time);
    if (e == MP_OK) {
        double after = mp_bench_fma(crew, k); /* before and after: a slow moment must not flatter us */
        out->rate = after > before ? after : before;
        out->cache = mp_bench_copy(crew, MP_COPY_CACHED);
        out->memory = mp_bench_copy(crew, MP_COPY_MEMORY);
        out->limit = out->time.flops / out->rate;
        out->limit_sums = out->limit + out->time.moved / out->cache;
    }
    mp_crew_free(crew);
    return e;
}

/* ---- the profile ---- */

static double total(const mp_profile_row *r)
{
    return r->seconds[MP_FORWARD] + r->seconds[MP_BACKWARD];
}

static int by_total(const void *a, const void *b)
{
    double x = total(a), y = total(b);
    return (x < y) - (x > y);
}

/* Sums become seconds an epoch; an op's name is its backward function's without the ending. Returns what is no row's:
 * threads that wait, shuffling, cutting batches. */
static double settle(mp_profile *p, int threads, double mean, int epochs, mp_arena *a)
{
    double rest = threads * mean;
    for (int i = 0; i < p->count; i++) {
        mp_profile_row *r = &p->row[i];
        const char *end = strstr(r->name, "_back");
        if (end) r->name = mp_arena_text(a, r->name, (size_t)(end - r->name));
        for (int way = 0; way < MP_WAYS; way++) r->seconds[way] /= epochs;
        rest -= total(r);
    }
    qsort(p->row, (size_t)p->count, sizeof *p->row, by_total);
    return rest;
}

static void profile_json(const mp_profile *p, double rest, double all, mp_buf *out)
{
    mp_json_key(out, "profile");
    mp_json_open(out, '[');
    for (int i = 0; i < p->count; i++) {
        mp_json_open(out, '{');
        mp_json_add_text(out, "name", p->row[i].name);
        mp_json_add_real(out, "forward_seconds", p->row[i].seconds[MP_FORWARD]);
        mp_json_add_real(out, "backward_seconds", p->row[i].seconds[MP_BACKWARD]);
        mp_json_add_real(out, "share", total(&p->row[i]) / all);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
    mp_json_add_real(out, "profile_rest_seconds", rest);
}

static void profile_text(const mp_profile *p, double rest, double all, int threads, mp_buf *out)
{
    mp_buf_printf(out, "\n  %-16s %9s %9s %8s   seconds an epoch, summed over %d thread%s\n", "", "forward", "backward",
                  "share", threads, mp_plural(threads));
    for (int i = 0; i < p->count; i++)
        mp_buf_printf(out, "  %-16s %9.5f %9.5f %6.1f %%\n", p->row[i].name, p->row[i].seconds[MP_FORWARD],
                      p->row[i].seconds[MP_BACKWARD], 100 * total(&p->row[i]) / all);
    mp_buf_printf(out, "  %-16s %9.5f %9s %6.1f %%   threads that wait, shuffling, cutting batches\n", "rest", rest, "",
                  100 * rest / all);
}

/* ---- printing ---- */

static void print_json(const mp_dataset *d, const bench_conf *b, const bench_result *r, mp_buf *out)
{
    mp_json_add_text(out, "dataset", d->name);
    mp_json_add_text(out, "pool", b->model.pool);
    mp_json_add_int(out, "score_dim", b->model.score_dim);
    mp_json_add_int(out, "threads", r->threads);
    mp_json_add_text(out, "isa", r->isa);
    mp_json_add_int(out, "graphs", r->time.graphs);
    mp_json_add_real(out, "seconds_per_epoch", r->time.seconds);
    mp_json_add_real(out, "flops", r->time.flops);
    mp_json_add_real(out, "sum_bytes", r->time.moved);
    mp_json_add_real(out, "fma_flops_per_second", r->rate);
    mp_json_add_real(out, "cache_bytes_per_second", r->cache);
    mp_json_add_real(out, "copy_bytes_per_second", r->memory);
    mp_json_add_real(out, "limit_seconds", r->limit);
    mp_json_add_real(out, "ratio", r->time.seconds / r->limit);
    mp_json_add_real(out, "limit_with_sums_seconds", r->limit_sums);
    mp_json_add_real(out, "ratio_with_sums", r->time.seconds / r->limit_sums);
    mp_json_add_int(out, "peak_bytes", (int64_t)r->time.peak);
    mp_json_add_int(out, "forecast_bytes", (int64_t)r->time.forecast);
}

static void print_text(const mp_dataset *d, const bench_conf *b, const bench_result *r, mp_buf *out)
{
    mp_buf_printf(out, "%s, %s, h = %d, hidden %d, batch %d, %d graphs an epoch, %d threads, kernels %s\n", d->name,
                  b->model.pool, b->model.score_dim, b->model.hidden, b->model.batch_size, r->time.graphs, r->threads,
                  r->isa);
    mp_buf_printf(out, "  seconds an epoch   %.4f   (median of %d after %d to warm up)\n", r->time.seconds, r->epochs,
                  MP_EPOCH_WARM);
    mp_buf_printf(out, "  dense products     %.2f GFLOP an epoch\n", r->time.flops * 1e-9);
    mp_buf_printf(out,
                  "  this machine       %.0f GFLOP/s of fused multiply-adds, %.1f GB/s of copies in cache, %.1f in "
                  "memory, measured now\n",
                  r->rate * 1e-9, r->cache * 1e-9, r->memory * 1e-9);
    mp_buf_printf(out, "  limit              %.4f s; ratio %.2f\n", r->limit, r->time.seconds / r->limit);
    mp_buf_printf(out, "  neighbour sums     %.3f GB an epoch: %.4f s in cache, %.4f s in memory\n",
                  r->time.moved * 1e-9, r->time.moved / r->cache, r->time.moved / r->memory);
    mp_buf_printf(out, "  limit with sums    %.4f s; ratio %.2f\n", r->limit_sums, r->time.seconds / r->limit_sums);
    mp_buf_printf(out, "  peak memory        %.1f MiB (forecast %.1f)\n", (double)r->time.peak / 1048576,
                  (double)r->time.forecast / 1048576);
}

static void print(const mp_dataset *d, const bench_conf *b, bench_result *r, mp_arena *a, mp_buf *out)
{
    double all = r->threads * r->time.mean, rest = settle(&r->time.profile, r->threads, r->time.mean, r->epochs, a);
    if (!b->how.json) {
        print_text(d, b, r, out);
        if (b->how.profile) profile_text(&r->time.profile, rest, all, r->threads, out);
        return;
    }
    mp_json_open(out, '{');
    print_json(d, b, r, out);
    if (b->how.profile) profile_json(&r->time.profile, rest, all, out);
    mp_json_close(out, '}');
    mp_buf_puts(out, "\n");
}

/* ---- a GPU ---- */

typedef struct kernel_time {
    const char *name;
    double seconds;
    long launches;
} kernel_time;

static int by_seconds(const void *a, const void *b)
{
    double x = ((const kernel_time *)a)->seconds, y = ((const kernel_time *)b)->seconds;
    return (x < y) - (x > y);
}

static int kernel_times(const mp_group *g, kernel_time *out, int most)
{
    int n = 0;
    kernel_time k;
    for (int i = 0; n < most && mp_group_profiled(g, i, &k.name, &k.seconds, &k.launches); i++)
        if (k.launches) out[n++] = k;
    qsort(out, (size_t)n, sizeof *out, by_seconds);
    return n;
}

static void group_text(const mp_dataset *d, const bench_conf *b, const mp_group *g, const mp_group_time *t, mp_buf *out)
{
    double one = t->seconds / t->runs;
    mp_buf_printf(out, "%s, %s, h = %d, hidden %d, batch %d, %d graphs an epoch, %d run%s side by side, %s\n", d->name,
                  b->model.pool, b->model.score_dim, b->model.hidden, b->model.batch_size, t->graphs, t->runs,
                  mp_plural(t->runs), mp_group_device(g));
    mp_buf_printf(out, "  seconds an epoch   %.4f   of all runs (mean of %d after %d to warm up); %.3f ms a run\n",
                  t->seconds, b->how.epochs, MP_EPOCH_WARM, 1000 * one);
    mp_buf_printf(out, "  dense products     %.2f GFLOP an epoch of a run, %.2f TFLOP/s\n", t->flops * 1e-9,
                  t->flops / one * 1e-12);
    mp_buf_printf(out, "  neighbour sums     %.3f GB an epoch of a run, %.1f GB/s\n", t->moved * 1e-9,
                  t->moved / one * 1e-9);
}

static void group_json(const mp_dataset *d, const bench_conf *b, const mp_group *g, const mp_group_time *t, mp_buf *out)
{
    mp_json_add_text(out, "dataset", d->name);
    mp_json_add_text(out, "pool", b->model.pool);
    mp_json_add_int(out, "score_dim", b->model.score_dim);
    mp_json_add_text(out, "device", mp_group_device(g));
    mp_json_add_int(out, "group", t->runs);
    mp_json_add_int(out, "graphs", t->graphs);
    mp_json_add_real(out, "seconds_per_epoch", t->seconds);
    mp_json_add_real(out, "seconds_per_run_and_epoch", t->seconds / t->runs);
    mp_json_add_real(out, "flops", t->flops);
    mp_json_add_real(out, "sum_bytes", t->moved);
}

/* Seconds that kernels took on the device, an epoch of all runs. */
static void kernels_out(const bench_conf *b, const mp_group *g, double all, mp_buf *out)
{
    kernel_time k[256];
    int n = kernel_times(g, k, 256), json = b->how.json;
    if (json) {
        mp_json_key(out, "profile");
        mp_json_open(out, '[');
    } else {
        mp_buf_printf(out, "\n  %-20s %9s %8s %9s   an epoch of all runs, on the device\n", "", "seconds", "share",
                      "launches");
    }
    for (int i = 0; i < n; i++) {
        double seconds = k[i].seconds / b->how.epochs, launches = (double)k[i].launches / b->how.epochs;
        if (json) {
            mp_json_open(out, '{');
            mp_json_add_text(out, "name", k[i].name);
            mp_json_add_real(out, "seconds", seconds);
            mp_json_add_real(out, "share", seconds / all);
            mp_json_add_real(out, "launches", launches);
            mp_json_close(out, '}');
        } else {
            mp_buf_printf(out, "  %-20s %9.5f %6.1f %% %9.0f\n", k[i].name, seconds, 100 * seconds / all, launches);
        }
    }
    if (json) mp_json_close(out, ']');
}

/* What the thread did that gives the device its work. */
static void host_out(const bench_conf *b, const mp_group *g, double all, mp_buf *out)
{
    const char *name;
    double seconds;
    if (b->how.json) {
        mp_json_key(out, "host");
        mp_json_open(out, '{');
    } else
        mp_buf_puts(out, "\n");
    for (int i = 0; mp_group_spent(g, i, &name, &seconds); i++) {
        seconds /= b->how.epochs;
        if (b->how.json)
            mp_json_add_real(out, name, seconds);
        else
            mp_buf_printf(out, "  %-20s %9.5f %6.1f %%\n", name, seconds, 100 * seconds / all);
    }
    if (b->how.json) mp_json_close(out, '}');
}

static void print_group(const mp_dataset *d, const bench_conf *b, const mp_group *g, const mp_group_time *t,
                        mp_buf *out)
{
    if (b->how.json) {
        mp_json_open(out, '{');
        group_json(d, b, g, t, out);
    } else {
        group_text(d, b, g, t, out);
    }
    if (b->how.profile) {
        kernels_out(b, g, t->seconds, out);
        host_out(b, g, t->seconds, out);
    }
    if (!b->how.json) return;
    mp_json_close(out, '}');
    mp_buf_puts(out, "\n");
}

typedef struct asked {
    const bench_conf *conf;
    const mp_dataset *data;
    bench_result *result;
    mp_arena *arena;
    mp_buf *out;
} asked;

static mp_err measure_on(void *state, mp_group *g)
{
    const asked *k = state;
    const bench_conf *b = k->conf;
    if (!g) {
        MP_TRY(measure(k->data, b, k->arena, k->result));
        print(k->data, b, k->result, k->arena, k->out);
        return MP_OK;
    }
    mp_epoch_ask ask = { .data = k->data,
                         .config = &b->model,
                         .share = b->how.share,
                         .repeat = b->how.repeat,
                         .timed = b->how.epochs,
                         .profile = b->how.profile };
    mp_group_time t;
    MP_TRY(mp_time_group(&ask, g, b->how.group, k->arena, &t));
    print_group(k->data, b, g, &t, k->out);
    return MP_OK;
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    bench_conf *b = conf;
    mp_dataset d;
    bench_result r = { .threads = mp_setup_threads(b->how.threads) };
    const char *const *presets;
    MP_TRY(mp_setup_load(args->operand[0], b->data, &b->model, NULL, args->arena, &d));
    MP_TRY(mp_presets_for(&d, b->model.pool, NULL, args->arena, &presets));
    MP_TRY(mp_cli_apply(&mp_bench_epoch, args, presets, b));
    MP_TRY(mp_given_settle(args, d.task, &b->model));
    if (!d.seal) return mp_fail(MP_ERR_INPUT, "%s: has no labels", d.name);
    mp_config_resolve(&b->model, &d.graphs);
    MP_TRY(mp_study_prepare_data(&d, &b->model, r.threads, NULL, args->arena));
    mp_buf out = { 0 };
    mp_err e = mp_device_run(b->how.device, b->how.json, measure_on, &(asked){ b, &d, &r, args->arena, &out });
    if (e == MP_OK) e = mp_cli_print(out.p, out.n);
    mp_buf_free(&out);
    return e;
}

static const mp_cli_group groups[] = {
    { "Measuring", how_table, offsetof(bench_conf, how) },
    { "Model and training", mp_config_table, offsetof(bench_conf, model) },
    { 0 },
};
static const mp_cli_text texts[] = {
    { "data", offsetof(bench_conf, data), NULL, "DIR", "folder with data sets, looked in first" },
    { 0 },
};
const mp_cli mp_bench_epoch = {
    .name = "bench epoch",
    .operands = "DATASET",
    .summary = "Times training epochs and compares with the machine's limit.",
    .more =
        "limit: operations of the dense products, counted from their shapes, at the rate of fused multiply-adds on\n"
        "registers. neighbour sums: bytes of the rows that sums over neighbours read and write, forward and backward.\n"
        "limit with sums: the limit plus these bytes at the bandwidth of copies that stay in the second-level cache,\n"
        "where shards are meant to stay. Rates are measured in the same run, on as many threads. --profile charges\n"
        "every moment of a thread to one op or to work between ops (gather: copying a shard's graphs; key, select,\n"
        "induce, build graph, coarsen: pooling; add shards, adam: the update). On a GPU --group runs with seeds of "
        "their own\n"
        "are timed together, without limits beside them, and --profile shows seconds by kernel.",
    .least = 1,
    .most = 1,
    .size = sizeof(bench_conf),
    .groups = groups,
    .texts = texts,
    .has_model = true,
    .run = run
};
