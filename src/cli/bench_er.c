/* bench_er.c - midpool bench er: seconds and bytes of one training step on one Erdos-Renyi graph, growing
 * (protocol.md 9.2).
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/bench.h"
#include "cli/given.h"
#include "baseline/baseline.h"
#include "model/model.h"
#include "model/options.h"
#include "study/step_time.h"

#include <math.h>
#include <string.h>

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
    { 0 }
};
/* clang-format on */

static void print_point(const er_conf *b, const mp_config *conf, const mp_step_time *p, const mp_step_time *before,
                        mp_buf *out)
{
    if (b->how.json) {
        double seconds = p->full ? (double)NAN : p->seconds;
        mp_json_open(out, '{');
        mp_json_add_text(out, "pool", conf->pool);
        mp_json_add_int(out, "score_dim", conf->score_dim);
        mp_json_add_int(out, "nodes", p->nodes);
        mp_json_add_bool(out, "out_of_memory", p->full);
        mp_json_add_real(out, "seconds_per_step", seconds);
        mp_json_add_real(out, "seconds_per_epoch", 10 * seconds);
        mp_json_add_int(out, "peak_bytes", (int64_t)p->peak);
        mp_json_close(out, '}');
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
    mp_step_time before = { .full = true }, now;
    for (int i = 0; i < n; i++) {
        mp_step_ask ask = { .config = conf,
                            .nodes = sizes[i],
                            .columns = b->how.columns,
                            .warm = b->how.warm,
                            .timed = b->how.steps,
                            .threads = b->how.threads,
                            .limit = b->how.limit };
        MP_TRY(mp_time_step(&ask, &now));
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
    mp_json_open(&json, '{');
    mp_json_key(&json, "points");
    mp_json_open(&json, '[');
    if (!b->how.json) MP_TRY(mp_cli_print("pool       h     nodes  seconds a step  peak MiB\n", 49));
    for (int i = 0; i < pools; i++) MP_TRY(run_pool(b, &model[i], sizes, count < 32 ? count : 32, &json));
    mp_json_close(&json, ']');
    mp_json_close(&json, '}');
    mp_buf_puts(&json, "\n");
    mp_err e = b->how.json ? mp_cli_print(json.p, json.n) : MP_OK;
    mp_buf_free(&json);
    return e;
}

static const mp_cli_group groups[] = {
    { "Measuring", how_table, offsetof(er_conf, how) },
    { "Model and training", mp_config_table, offsetof(er_conf, model) },
    { 0 },
};
static const mp_cli_text texts[] = {
    { "pool", offsetof(er_conf, pools), "sag", "NAMES", "methods, a,b,c, or all" },
    { "nodes", offsetof(er_conf, nodes), "1e3,1e4,1e5", "LIST", "sizes of the graph, rising" },
    { 0 },
};
const mp_cli mp_bench_er = { .name = "bench er",
                             .operands = "",
                             .summary = "Seconds and bytes of a training step on one growing random graph.",
                             .size = sizeof(er_conf),
                             .groups = groups,
                             .texts = texts,
                             .has_model = true,
                             .run = bench_er };
