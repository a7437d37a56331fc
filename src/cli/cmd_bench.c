/* cmd_bench.c - midpool bench: how fast, and how close to what the machine can do. Here: the table of benchmarks, and
 * gemm, the dense products beside the machine's rate of multiply-adds.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "cli/bench.h"
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

typedef struct gemm_conf {
    int timed, json;
} gemm_conf;
static const mp_opt gemm_table[] = {
    { "timed", MP_OPT_INT, offsetof(gemm_conf, timed), "9", 1, 100000, NULL,
      "how often each product is timed; the best counts" },
    { "json", MP_OPT_FLAG, offsetof(gemm_conf, json), "false", 0, 1, NULL, "one JSON object on stdout" },
    { 0 },
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

static double time_gemm(const gemm_case *g, int times, const mp_kernels *k, mp_arena *a)
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
    for (int t = 0; t < times; t++) {
        double start = mp_seconds();
        for (int i = 0; i < rounds; i++) k->gemm(C, left, right, g->m, g->n, g->k, NULL, false, false, work);
        double rate = flops * rounds / (mp_seconds() - start);
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
    double rate[GEMM_CASES], peak = mp_bench_fma(one, k);
    for (int i = 0; i < GEMM_CASES; i++) rate[i] = time_gemm(&gemm_cases[i], b->timed, k, args->arena);
    double again = mp_bench_fma(one, k);
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

static const mp_cli_group gemm_groups[] = { { "Output", gemm_table, 0 }, { 0 } };
static const mp_cli gemm_cli = { .name = "bench gemm",
                                 .operands = "",
                                 .summary = "Dense products beside the machine's rate of multiply-adds, on one core.",
                                 .size = sizeof(gemm_conf),
                                 .groups = gemm_groups,
                                 .run = bench_gemm };

const mp_command mp_bench_commands[] = {
    { "epoch", "training epochs beside the machine's limit", &mp_bench_epoch },
    { "gemm", "dense products beside the machine's rate of multiply-adds", &gemm_cli },
    { "er", "seconds and bytes of a training step on one growing random graph", &mp_bench_er },
    { "predict", "graphs a second through a network, in blocks and one at a time", &mp_bench_predict },
    { "store", "what a run costs the store, and how long a store of many takes to be read", &mp_bench_store },
    { NULL },
};
