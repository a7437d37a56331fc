/* cmd_compare.c - midpool compare STORE...: which differences between methods may be claimed.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "report/contest_print.h"
#include "store/stores.h"

#include <limits.h>

typedef struct conf {
    const char *baseline, *svg, *metric;
    int json;
    double test_train;
} conf;

/* clang-format off */
static const mp_opt options[] = {
    { "test-train", MP_OPT_REAL, offsetof(conf, test_train), "0", 0, 1000, NULL, "test over training graphs of a fold, for the correction of the t-test; 0 = by the number of folds" },
    { "json", MP_OPT_FLAG, offsetof(conf, json), "false", 0, 1, NULL, "one JSON object on stdout instead of tables and words" },
    { 0 }
};
static const mp_cli_group groups[] = { { "options", options, 0 }, { 0 } };
static const mp_cli_text texts[] = {
    { "baseline", offsetof(conf, baseline), NULL, "NAME", "method that all others are compared with, as the table names it; each with each if not given" },
    { "metric", offsetof(conf, metric), NULL, "NAME", "metric that chooses and is compared; the one that led each run if not given" },
    { "svg", offsetof(conf, svg), NULL, "FILE", "average ranks over data sets as a critical-difference diagram" },
    { 0 }
};
/* clang-format on */

static mp_err write_svg(const char *path, const mp_contest *c, mp_arena *a)
{
    mp_buf b = { 0 };
    mp_err e = mp_contest_svg(c, a, &b) ? mp_write_file(path, b.p, b.n)
                                        : mp_fail(MP_ERR_INPUT, "--svg: there are no ranks to draw: two methods on two "
                                                                "data sets are the least");
    mp_buf_free(&b);
    return e;
}

static mp_err print(const conf *k, const mp_contest *c, const mp_cli_args *args)
{
    mp_section section = { .arena = args->arena, .name = "compare" };
    mp_buf b = { 0 };
    if (k->json) {
        mp_contest_json(c, args->operand, args->operands, args->arena, &b);
        mp_buf_puts(&b, "\n");
    } else {
        mp_contest_section(c, &section);
        mp_section_print(&section, &b);
    }
    mp_err e = mp_cli_print(b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static mp_err compare(const conf *k, mp_stores *s, const mp_cli_args *args)
{
    mp_arena *a = args->arena;
    const mp_stored *run;
    const mp_declared *declared;
    const mp_group *group;
    mp_contest c;
    char line[1024];
    int n, studies, count;
    MP_TRY(mp_stores_load(s, NULL, a, &run, &n));
    if (mp_stores_left_out(s, line, sizeof line)) mp_cli_say("midpool: %s", line);
    MP_TRY(mp_stores_declared(s, a, &declared, &studies));
    mp_group_runs(run, n, declared, studies, k->metric, a, &group, &count);
    MP_TRY(mp_contest_make(group, count, k->baseline, k->test_train, a, &c));
    if (k->svg) MP_TRY(write_svg(k->svg, &c, a));
    return print(k, &c, args);
}

static mp_err run(void *data, const mp_cli_args *args)
{
    const conf *k = data;
    mp_stores *s;
    MP_TRY(mp_setup_metric(k->metric));
    MP_TRY(mp_setup_writable(k->svg));
    MP_TRY(mp_stores_open(args->operand, args->operands, &s));
    mp_err e = compare(k, s, args);
    mp_stores_close(s);
    return e;
}

const mp_cli mp_cmd_compare = {
    .name = "compare",
    .operands = "STORE...",
    .summary = "Which differences between methods may be claimed: paired tests on a data set, ranks over data sets.",
    .examples = "midpool compare r.db\n"
                "midpool compare r.db --baseline SAGPool --svg ranks.svg",
    .more =
        "Rows are those of report, each at what validation chose. On a data set: runs of the same seed and fold, "
        "t-test\n"
        "with Nadeau and Bengio's correction, Holm's correction over all comparisons. Over data sets: average ranks,\n"
        "Friedman's test, Nemenyi's critical difference, Wilcoxon's signed ranks (docs/protocol.md 3.6).",
    .least = 1,
    .most = INT_MAX,
    .size = sizeof(conf),
    .groups = groups,
    .texts = texts,
    .run = run,
};
