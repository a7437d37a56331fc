/* bench_er.c - midpool bench er: seconds and bytes of one training step on one Erdos-Renyi graph, growing
 * (protocol.md 9.2). Graphs have m = 2n edges and 128 features from N(0,1); the network is math.md 6.1 with a random binary label.
 *
 * The graph is made here rather than by data/generate.c, because at a million nodes its features fill half a gigabyte and
 * there must be one copy of them.
 * SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "cli/given.h"
#include "baseline/baseline.h"
#include "graph/twins.h"
#include "model/options.h"
#include "train/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct er_conf {
    mp_config model;
    struct {
        int steps, warm, columns, threads, json;
        double limit;
    } how;
    const char *nodes, *pools;
} er_conf;

#define HOW(field) offsetof(er_conf, how.field) - offsetof(er_conf, how)
/* clang-format off */
static const mp_opt how_table[] = {
    { "steps", MP_OPT_INT, HOW(steps), "10", 1, 1000, NULL, "timed steps; the median is printed" },
    { "warm", MP_OPT_INT, HOW(warm), "2", 0, 100, NULL, "steps before those" },
    { "columns", MP_OPT_INT, HOW(columns), "128", 1, 4096, NULL, "features of a node" },
    { "threads", MP_OPT_INT, HOW(threads), "1", 1, 1024, NULL, "threads (one graph is one shard: more do not help)" },
    { "limit", MP_OPT_REAL, HOW(limit), "16", 0.01, 1e6, NULL, "GiB that count as out of memory" },
    { "json", MP_OPT_FLAG, HOW(json), "false", 0, 1, NULL, "one JSON object on stdout" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL }
};
/* clang-format on */

static int by_pair(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* m distinct pairs out of n(n-1)/2, uniformly: draw, sort, throw repeats away, draw what is missing. */
static uint64_t *random_pairs(mp_arena *a, mp_rng *r, int n, int m)
{
    uint64_t *pair = MP_NEW(a, uint64_t, 2 * (size_t)m);
    int have = 0;
    while (have < m) {
        for (int i = have; i < m; i++) {
            int u = mp_rng_below(r, n), v = mp_rng_below(r, n - 1);
            v += v >= u;
            pair[i] = (uint64_t)(u < v ? u : v) << 32 | (uint64_t)(u < v ? v : u);
        }
        qsort(pair, (size_t)m, sizeof *pair, by_pair);
        have = 0;
        for (int i = 0; i < m; i++)
            if (have == 0 || pair[i] != pair[have - 1]) pair[have++] = pair[i];
    }
    return pair;
}

static mp_err random_graph(mp_arena *a, int n, int m, int columns, mp_graph *g, mp_sparse *x)
{
    mp_rng r = mp_rng_stream(1, MP_FOR_TEST, (uint64_t)n, (uint64_t)m, 0);
    mp_arena *scratch = mp_arena_new(1 << 16);
    uint64_t *pair = random_pairs(scratch, &r, n, m);
    int *src = MP_NEW_RAW(scratch, int, 2 * m), *dst = MP_NEW_RAW(scratch, int, 2 * m);
    for (int i = 0; i < m; i++) {
        src[2 * i] = dst[2 * i + 1] = (int)(pair[i] >> 32);
        dst[2 * i] = src[2 * i + 1] = (int)(pair[i] & 0xffffffffu);
    }
    int *node_ptr = MP_NEW(a, int, 2);
    node_ptr[1] = n;
    mp_graph all;
    mp_err e = mp_graph_from_edges(scratch, 1, node_ptr, 2 * m, src, dst, &all, NULL);
    if (e == MP_OK) {
        int *row_ptr = MP_NEW_RAW(a, int, n + 1), *col = MP_NEW_RAW(a, int, 2 * m), *rev = MP_NEW_RAW(a, int, 2 * m);
        memcpy(row_ptr, all.row_ptr, (size_t)(n + 1) * sizeof(int));
        memcpy(col, all.col, (size_t)(2 * m) * sizeof(int));
        memcpy(rev, all.rev, (size_t)(2 * m) * sizeof(int));
        *g = mp_graph_of(a, 1, node_ptr, row_ptr, col, rev);
        mp_graph_know(a, g);
    }
    mp_arena_free(scratch);
    mp_real *val = MP_NEW_RAW(a, mp_real, (size_t)n * (size_t)columns);
    for (size_t i = 0; i < (size_t)n * (size_t)columns; i++) val[i] = (mp_real)mp_rng_normal(&r);
    *x = (mp_sparse){ .rows = n, .cols = columns, .val = val };
    return e;
}

typedef struct er_point {
    int nodes;
    double seconds;
    size_t peak;
    bool full; /* over the limit */
} er_point;

static mp_err measure(const er_conf *b, const mp_config *conf, int n, er_point *out)
{
    mp_arena *a = mp_arena_new(1 << 20);
    mp_graph g;
    mp_sparse x;
    mp_model *m;
    static const int first[] = { 0 };
    const double label[] = { 1 };
    MP_TRY(random_graph(a, n, 2 * n, b->how.columns, &g, &x));
    mp_config resolved = *conf;
    mp_config_resolve(&resolved, &g);
    MP_TRY(mp_model_new(a, &resolved, (mp_inputs){ .features = b->how.columns, .outputs = 2 }, &m));
    mp_params_init(mp_model_params(m), 42, 0);
    mp_arena_peak_reset();
    mp_engine *e = mp_engine_new(m, b->how.threads);
    double *seconds = MP_NEW(a, double, b->how.steps);
    for (int i = 0; i < b->how.warm + b->how.steps; i++) {
        mp_batch batch = { &g, &x, first, 1, { .columns = 1, .v = label } };
        double loss, aux, t = mp_seconds();
        MP_TRY(mp_engine_train(e, &batch, (mp_draw){ 42, 0, 1, (uint64_t)i }, &loss, &aux));
        if (i >= b->how.warm) seconds[i - b->how.warm] = mp_seconds() - t;
    }
    *out = (er_point){ n, mp_bench_median(seconds, b->how.steps), mp_arena_peak(), false };
    return MP_OK;
}

#define EXIT_FULL 42

static void leave(size_t bytes)
{
    (void)bytes;
    _exit(EXIT_FULL);
}

/* Each point in a process of its own: memory starts from nothing, and running out ends that process alone. */
static mp_err measure_apart(const er_conf *b, const mp_config *conf, int n, er_point *out)
{
    int fd[2];
    if (pipe(fd) != 0) return mp_fail(MP_ERR_IO, "pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child < 0) return mp_fail(MP_ERR_IO, "fork: %s", strerror(errno));
    if (child == 0) {
        mp_arena_on_full(leave);
        mp_arena_limit((size_t)(b->how.limit * 1073741824.0));
        er_point p = { .nodes = n };
        mp_err e = measure(b, conf, n, &p);
        if (e != MP_OK) mp_cli_say("midpool: %s, %d nodes: %s", conf->pool, n, mp_message());
        bool sent = e == MP_OK && write(fd[1], &p, sizeof p) == (ssize_t)sizeof p;
        _exit(sent ? 0 : 1);
    }
    close(fd[1]);
    ssize_t got = read(fd[0], out, sizeof *out);
    close(fd[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    bool full = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FULL;
    if (full) *out = (er_point){ .nodes = n, .full = true };
    if (!full && got != (ssize_t)sizeof *out) return mp_fail(MP_ERR_IO, "%s with %d nodes failed", conf->pool, n);
    return MP_OK;
}

static void print_point(const er_conf *b, const mp_config *conf, const er_point *p, const er_point *before, mp_buf *out)
{
    if (b->how.json) {
        mp_buf_printf(out,
                      "%s{\"pool\":\"%s\",\"score_dim\":%d,\"nodes\":%d,\"out_of_memory\":%s,"
                      "\"seconds_per_step\":%.6g,\"seconds_per_epoch\":%.6g,\"peak_bytes\":%zu}",
                      out->n > 11 ? "," : "", conf->pool, conf->score_dim, p->nodes, p->full ? "true" : "false",
                      p->seconds, 10 * p->seconds, p->peak);
        return;
    }
    mp_buf_printf(out, "%-8s %3d %9d", conf->pool, conf->score_dim, p->nodes);
    if (p->full)
        mp_buf_printf(out, "   out of memory: needs more than %.4g GiB\n", b->how.limit);
    else
        mp_buf_printf(out, " %12.5f %12.1f", p->seconds, (double)p->peak / 1048576);
    if (!p->full && before && !before->full)
        mp_buf_printf(out, "   x %.1f time, x %.1f memory for x %.3g nodes\n", p->seconds / before->seconds,
                      (double)p->peak / (double)before->peak, (double)p->nodes / before->nodes);
    else if (!p->full)
        mp_buf_puts(out, "\n");
}

static mp_err run_pool(const er_conf *b, const mp_config *conf, const int *sizes, int n, mp_buf *json)
{
    er_point before = { .full = true }, now;
    for (int i = 0; i < n; i++) {
        MP_TRY(measure_apart(b, conf, sizes[i], &now));
        mp_buf line = { 0 };
        print_point(b, conf, &now, i ? &before : NULL, b->how.json ? json : &line);
        mp_err e = line.n ? mp_cli_print(line.p, line.n) : MP_OK;
        mp_buf_free(&line);
        MP_TRY(e);
        if (now.full) break; /* larger ones will not fit either */
        before = now;
    }
    return MP_OK;
}

static const char *all_pools(mp_arena *a)
{
    mp_buf list = { 0 };
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) mp_buf_printf(&list, "%s%s", list.n ? "," : "", o->name);
    for (const mp_baseline *o = mp_baselines(); o->name; o++) mp_buf_printf(&list, "%s%s", list.n ? "," : "", o->name);
    char *text = mp_arena_text(a, list.p, list.n);
    mp_buf_free(&list);
    return text;
}

static mp_err models_of(const er_conf *b, const char *const *pool, int n, const mp_cli_args *args, mp_config *out)
{
    mp_given given = mp_given_by(args);
    for (int i = 0; i < n; i++) {
        out[i] = b->model;
        MP_TRY(mp_conf_set(mp_config_table, &out[i], "pool", pool[i], "--pool"));
        mp_config_trim(&out[i]);
        MP_TRY(mp_config_check(&out[i]));
        mp_given_ask(&given, &out[i]);
    }
    return mp_given_check(&given);
}

static mp_err bench_er(void *conf, const mp_cli_args *args)
{
    er_conf *b = conf;
    int count, pools, sizes[32];
    const char *const *size = mp_cli_split(b->nodes, args->arena, &count);
    bool every = strcmp(b->pools, "all") == 0;
    const char *const *pool = mp_cli_split(every ? all_pools(args->arena) : b->pools, args->arena, &pools);
    mp_config *model = MP_NEW(args->arena, mp_config, pools + 1);
    MP_TRY(models_of(b, pool, pools, args, model));
    for (int i = 0; i < count && i < 32; i++) {
        double n;
        if (!mp_to_real(mp_span_of(size[i]), &n) || n < 5 || n > 1e9)
            return mp_fail(MP_ERR_USAGE, "--nodes: expected numbers from 5 to 1e9, got '%s'", size[i]);
        sizes[i] = (int)n;
    }
    mp_buf json = { 0 };
    mp_buf_puts(&json, "{\"points\":[");
    if (!b->how.json) MP_TRY(mp_cli_print("pool       h     nodes  seconds a step  peak MiB\n", 49));
    for (int i = 0; i < pools; i++) MP_TRY(run_pool(b, &model[i], sizes, count < 32 ? count : 32, &json));
    mp_buf_puts(&json, "]}\n");
    mp_err e = b->how.json ? mp_cli_print(json.p, json.n) : MP_OK;
    mp_buf_free(&json);
    return e;
}

static const mp_cli_group groups[] = {
    { "Measuring", how_table, offsetof(er_conf, how) },
    { "Model and training", mp_config_table, offsetof(er_conf, model) },
    { NULL, NULL, 0 },
};
static const mp_cli_text texts[] = {
    { "pool", offsetof(er_conf, pools), "sag", "NAMES", "methods, a,b,c, or all" },
    { "nodes", offsetof(er_conf, nodes), "1e3,1e4,1e5", "LIST", "sizes of the graph, rising" },
    { NULL, 0, NULL, NULL, NULL },
};
const mp_cli mp_bench_er = { "bench er",
                             "",
                             "seconds and bytes of a training step on one growing random graph",
                             NULL,
                             0,
                             0,
                             sizeof(er_conf),
                             groups,
                             texts,
                             true,
                             bench_er };
