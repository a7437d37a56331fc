/* cmd_bench.c - midpool bench: how fast, and how close to what the machine can do.
 *
 * epoch: seconds of one training epoch beside the time its dense products alone would take at the rate of fused
 * multiply-adds measured in the same run. gemm: the products themselves beside that rate.
 * SPDX-License-Identifier: MIT */
#include "base/crew.h"
#include "cli/bench.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "cli/prepare.h"
#include "data/load.h"
#include "data/seal.h"
#include "train/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double mp_bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double mp_bench_median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* ---- the machine: multiply-adds and copies a second over `threads` cores ---- */

#define PEAK_ROUNDS 20000
#define COPY_REALS  (4 << 20)

static void peak_work(void *arg, int index, int worker)
{
    mp_real io[2] = { 0.5f, 0.25f };
    (void)index;
    (void)worker;
    ((const mp_kernels *)arg)->peak(io, PEAK_ROUNDS);
}

static double peak_flops(mp_crew *crew, const mp_kernels *k)
{
    double best = 0;
    int n = mp_crew_size(crew);
    for (int i = 0; i < 7; i++) {
        double t = mp_bench_now();
        mp_crew_run(crew, n, peak_work, (void *)(uintptr_t)k);
        double rate = (double)n * PEAK_ROUNDS * MP_PEAK_FLOPS / (mp_bench_now() - t);
        best = rate > best ? rate : best;
    }
    return best;
}

typedef struct copy_job {
    char *from, *to;
} copy_job;

static void copy_work(void *arg, int index, int worker)
{
    copy_job *j = (copy_job *)arg + index;
    (void)worker;
    memcpy(j->to, j->from, COPY_REALS * sizeof(mp_real));
}

/* Bytes read plus bytes written a second, arrays far larger than any cache. */
static double copy_bytes(mp_crew *crew, mp_arena *a)
{
    int n = mp_crew_size(crew);
    size_t bytes = COPY_REALS * sizeof(mp_real);
    copy_job *jobs = MP_NEW(a, copy_job, n);
    for (int i = 0; i < n; i++) jobs[i] = (copy_job){ MP_NEW(a, char, bytes), MP_NEW(a, char, bytes) };
    double best = 0;
    for (int r = 0; r < 5; r++) {
        double t = mp_bench_now();
        mp_crew_run(crew, n, copy_work, jobs);
        double rate = 2.0 * n * (double)bytes / (mp_bench_now() - t);
        best = rate > best ? rate : best;
    }
    return best;
}

/* ---- bench epoch ---- */

typedef struct bench_conf {
    mp_config model;
    struct {
        int threads, epochs, json;
        double share;
        int repeat;
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
    { "json", MP_OPT_FLAG, HOW(json), "false", 0, 1, NULL, "one JSON object on stdout" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL }
};
/* clang-format on */

typedef struct bench_result {
    double seconds, flops, rate, bandwidth;
    int threads, graphs, epochs;
    size_t peak;
    const char *isa;
} bench_result;

static mp_err run_epoch(mp_engine *e, const mp_dataset *d, const mp_opened *labels, int *order, int n, int epoch,
                        const mp_config *conf)
{
    mp_rng r = mp_rng_stream((uint64_t)conf->seed, MP_FOR_SHUFFLE, 0, (uint64_t)epoch, 0);
    mp_rng_shuffle(&r, order, n);
    for (int at = 0, step = 0; at < n; at += conf->batch_size, step++) {
        mp_batch b = { &d->graphs,    &d->x,         order + at, n - at < conf->batch_size ? n - at : conf->batch_size,
                       labels->label, labels->target };
        double loss, aux;
        MP_TRY(
            mp_engine_train(e, &b, (mp_draw){ (uint64_t)conf->seed, 0, (uint64_t)epoch, (uint64_t)step }, &loss, &aux));
    }
    return MP_OK;
}

static mp_err time_epochs(mp_engine *e, const mp_dataset *d, const mp_opened *labels, int *order, int n,
                          const bench_conf *b, mp_arena *a, bench_result *out)
{
    double *seconds = MP_NEW(a, double, b->how.epochs), flops = 0;
    for (int epoch = 1; epoch <= b->how.epochs + 2; epoch++) {
        double t = mp_bench_now();
        flops = mp_engine_flops(e);
        MP_TRY(run_epoch(e, d, labels, order, n, epoch, &b->model));
        if (epoch > 2) seconds[epoch - 3] = mp_bench_now() - t;
    }
    out->flops = mp_engine_flops(e) - flops;
    out->seconds = mp_bench_median(seconds, b->how.epochs);
    return MP_OK;
}

static mp_err measure(const mp_dataset *d, const bench_conf *b, mp_arena *a, bench_result *out)
{
    int once = (int)(b->how.share * d->graphs.graphs + 0.5), n = once * b->how.repeat;
    int *order = MP_NEW(a, int, n);
    for (int i = 0; i < n; i++) order[i] = i % once;
    mp_opened labels = mp_seal_open(d->seal, a, order, once, NULL, 0);
    mp_model *m;
    MP_TRY(mp_model_new(a, &b->model, d->x.cols, d->classes, &m));
    mp_params_init(mp_model_params(m), (uint64_t)b->model.seed, 0);
    out->threads = b->how.threads ? b->how.threads : mp_cpu_count();
    out->graphs = n;
    out->epochs = b->how.epochs;
    const mp_kernels *k = mp_kernels_get();
    mp_crew *crew = mp_crew_new(out->threads);
    out->rate = peak_flops(crew, k);
    mp_arena_peak_reset();
    mp_engine *e = mp_engine_new(m, out->threads);
    mp_err err = time_epochs(e, d, &labels, order, n, b, a, out);
    mp_engine_free(e);
    out->peak = mp_arena_peak();
    double again = peak_flops(crew, k); /* before and after: a slow moment must not flatter us */
    out->rate = again > out->rate ? again : out->rate;
    out->bandwidth = copy_bytes(crew, a);
    out->isa = k->isa;
    mp_crew_free(crew);
    return err;
}

static mp_err print_epoch(const mp_dataset *d, const bench_conf *b, const bench_result *r)
{
    double limit = r->flops / r->rate;
    mp_buf out = { 0 };
    if (b->how.json) {
        mp_buf_printf(
            &out,
            "{\"dataset\":\"%s\",\"pool\":\"%s\",\"score_dim\":%d,\"threads\":%d,\"isa\":\"%s\",\"graphs\":%d,"
            "\"seconds_per_epoch\":%.6g,\"flops\":%.6g,\"fma_flops_per_second\":%.6g,"
            "\"copy_bytes_per_second\":%.6g,\"limit_seconds\":%.6g,\"ratio\":%.4g,\"peak_bytes\":%zu}\n",
            d->name, b->model.pool, b->model.score_dim, r->threads, r->isa, r->graphs, r->seconds, r->flops, r->rate,
            r->bandwidth, limit, r->seconds / limit, r->peak);
    } else {
        mp_buf_printf(&out, "%s, %s, h = %d, hidden %d, batch %d, %d graphs an epoch, %d threads, kernels %s\n",
                      d->name, b->model.pool, b->model.score_dim, b->model.hidden, b->model.batch_size, r->graphs,
                      r->threads, r->isa);
        mp_buf_printf(&out, "  seconds an epoch   %.4f   (median of %d after 2 to warm up)\n", r->seconds, r->epochs);
        mp_buf_printf(&out, "  dense products     %.2f GFLOP an epoch\n", r->flops * 1e-9);
        mp_buf_printf(&out,
                      "  this machine       %.0f GFLOP/s of fused multiply-adds, %.1f GB/s of copies, measured now\n",
                      r->rate * 1e-9, r->bandwidth * 1e-9);
        mp_buf_printf(&out, "  limit              %.4f s; ratio %.2f\n", limit, r->seconds / limit);
        mp_buf_printf(&out, "  peak memory        %.1f MiB\n", (double)r->peak / 1048576);
    }
    mp_err e = mp_cli_print(out.p, out.n);
    mp_buf_free(&out);
    return e;
}

static mp_err bench_epoch(void *conf, const mp_cli_args *args)
{
    bench_conf *b = conf;
    mp_dataset d;
    bench_result r = { 0 };
    MP_TRY(mp_config_check(&b->model));
    MP_TRY(mp_dataset_load(args->operand[0], b->data, args->arena, &d));
    if (!d.seal) return mp_fail(MP_ERR_INPUT, "%s: has no labels", d.name);
    mp_config_resolve(&b->model, &d.graphs);
    MP_TRY(mp_cli_prepare(&d, &b->model, b->how.threads ? b->how.threads : mp_cpu_count(), NULL, args->arena));
    MP_TRY(measure(&d, b, args->arena, &r));
    return print_epoch(&d, b, &r);
}

static const mp_cli_group epoch_groups[] = {
    { "Measuring", how_table, offsetof(bench_conf, how) },
    { "Model and training", mp_config_table, offsetof(bench_conf, model) },
    { NULL, NULL, 0 },
};
static const mp_cli_text epoch_texts[] = {
    { "data", offsetof(bench_conf, data), NULL, "DIR", "folder with data sets, looked in first" },
    { NULL, 0, NULL, NULL, NULL },
};
static const mp_cli epoch_cli = { "bench epoch",
                                  "DATASET",
                                  "times training epochs and compares with the machine's limit",
                                  NULL,
                                  1,
                                  1,
                                  sizeof(bench_conf),
                                  epoch_groups,
                                  epoch_texts,
                                  true,
                                  bench_epoch };

/* ---- bench gemm ---- */

typedef struct gemm_conf {
    int json;
} gemm_conf;
static const mp_opt gemm_table[] = {
    { "json", MP_OPT_FLAG, offsetof(gemm_conf, json), "false", 0, 1, NULL, "one JSON object on stdout" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL },
};

typedef struct gemm_case {
    const char *name;
    int m, n, k;
    bool flip_a, flip_b;
} gemm_case;

/* The products of one convolution on a shard, forward and backward, at h = 1, 5 and 9. */
static const gemm_case gemm_cases[] = {
    { "X W, h = 1", 640, 128, 128, false, false },    { "dY W^T, h = 1", 640, 128, 128, false, true },
    { "X^T dY, h = 1", 128, 128, 640, true, false },  { "X W, h = 5", 640, 128, 640, false, false },
    { "dY W^T, h = 5", 640, 640, 128, false, true },  { "X^T dY, h = 5", 640, 128, 640, true, false },
    { "X W, h = 9", 640, 128, 1152, false, false },   { "dY W^T, h = 9", 640, 1152, 128, false, true },
    { "X^T dY, h = 9", 1152, 128, 640, true, false },
};
#define GEMM_CASES ((int)(sizeof gemm_cases / sizeof *gemm_cases))

static double time_gemm(const gemm_case *g, const mp_kernels *k, mp_arena *a)
{
    mp_arena_mark here = mp_arena_here(a);
    size_t sa = (size_t)g->m * (size_t)g->k, sb = (size_t)g->k * (size_t)g->n;
    mp_real *A = MP_NEW_RAW(a, mp_real, sa), *B = MP_NEW_RAW(a, mp_real, sb);
    mp_real *C = MP_NEW(a, mp_real, (size_t)g->m * (size_t)g->n);
    mp_real *work = MP_NEW(a, mp_real, mp_gemm_work(g->m, g->n, g->k));
    mp_rng r = mp_rng_stream(1, MP_FOR_TEST, 0, 0, 0);
    for (size_t i = 0; i < sa; i++) A[i] = (mp_real)mp_rng_between(&r, -1, 1);
    for (size_t i = 0; i < sb; i++) B[i] = (mp_real)mp_rng_between(&r, -1, 1);
    mp_operand left = { A, g->flip_a ? g->m : g->k, g->flip_a }, right = { B, g->flip_b ? g->k : g->n, g->flip_b };
    double flops = 2.0 * g->m * g->n * g->k, best = 0;
    int rounds = (int)(4e8 / flops) + 1;
    for (int t = 0; t < 9; t++) {
        double start = mp_bench_now();
        for (int i = 0; i < rounds; i++) k->gemm(C, left, right, g->m, g->n, g->k, NULL, false, false, work);
        double rate = flops * rounds / (mp_bench_now() - start);
        best = rate > best ? rate : best;
    }
    mp_arena_back(a, here);
    return best;
}

static mp_err bench_gemm(void *conf, const mp_cli_args *args)
{
    const gemm_conf *b = conf;
    const mp_kernels *k = mp_kernels_get();
    mp_crew *one = mp_crew_new(1);
    double rate[GEMM_CASES], peak = peak_flops(one, k);
    for (int i = 0; i < GEMM_CASES; i++) rate[i] = time_gemm(&gemm_cases[i], k, args->arena);
    double again = peak_flops(one, k);
    peak = again > peak ? again : peak;
    mp_crew_free(one);
    mp_buf out = { 0 };
    if (b->json)
        mp_buf_printf(&out, "{\"isa\":\"%s\",\"peak_flops_per_second\":%.6g,\"cases\":[", k->isa, peak);
    else
        mp_buf_printf(&out, "one core, kernels %s: %.1f GFLOP/s of fused multiply-adds on registers\n", k->isa,
                      peak * 1e-9);
    for (int i = 0; i < GEMM_CASES; i++) {
        const gemm_case *g = &gemm_cases[i];
        if (b->json)
            mp_buf_printf(&out,
                          "%s{\"name\":\"%s\",\"m\":%d,\"n\":%d,\"k\":%d,\"flops_per_second\":%.6g,\"share\":%.4g}",
                          i ? "," : "", g->name, g->m, g->n, g->k, rate[i], rate[i] / peak);
        else
            mp_buf_printf(&out, "  %-14s %4d x %4d x %4d   %6.1f GFLOP/s   %5.1f %%\n", g->name, g->m, g->n, g->k,
                          rate[i] * 1e-9, 100 * rate[i] / peak);
    }
    if (b->json) mp_buf_puts(&out, "]}\n");
    mp_err e = mp_cli_print(out.p, out.n);
    mp_buf_free(&out);
    return e;
}

static const mp_cli_group gemm_groups[] = { { "Output", gemm_table, 0 }, { NULL, NULL, 0 } };
static const mp_cli gemm_cli = { "bench gemm",
                                 "",
                                 "dense products beside the machine's rate of multiply-adds, on one core",
                                 NULL,
                                 0,
                                 0,
                                 sizeof(gemm_conf),
                                 gemm_groups,
                                 NULL,
                                 false,
                                 bench_gemm };

static const struct {
    const char *name;
    const mp_cli *cli;
} benches[] = {
    { "epoch", &epoch_cli }, { "gemm", &gemm_cli }, { "er", &mp_bench_er }, { "predict", &mp_bench_predict }
};
#define BENCHES (sizeof benches / sizeof *benches)

int mp_cmd_bench(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < BENCHES; i++)
        if (strcmp(argv[1], benches[i].name) == 0) return mp_cli_main(benches[i].cli, argc - 1, argv + 1);
    bool help = argc > 1 && strcmp(argv[1], "--help") == 0;
    FILE *to = help ? stdout : stderr;
    fprintf(to, "usage: midpool bench WHAT [options]; midpool bench WHAT --help lists them\n");
    for (size_t i = 0; i < BENCHES; i++) fprintf(to, "  %-8s %s\n", benches[i].name, benches[i].cli->summary);
    return help ? 0 : 2;
}
