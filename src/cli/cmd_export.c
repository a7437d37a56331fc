/* cmd_export.c - midpool export STORE... --csv FILE: runs, and their learning curves, for other programs.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "report/export.h"

#include <limits.h>
#include <string.h>

typedef struct conf {
    const char *csv, *curves;
    int all_options, metrics;
} conf;

/* clang-format off */
static const mp_opt options[] = {
    { "all-options", MP_OPT_FLAG, offsetof(conf, all_options), "false", 0, 1, NULL, "a column for every option; else for those that differ somewhere" },
    { "metrics", MP_OPT_FLAG, offsetof(conf, metrics), "false", 0, 1, NULL, "columns for every metric, not only the leading one" },
    { 0 }
};
static const mp_cli_group groups[] = { { "options", options, 0 }, { 0 } };
static const mp_cli_text texts[] = {
    { "csv", offsetof(conf, csv), NULL, "FILE", "a row for every run; - is standard output" },
    { "curves", offsetof(conf, curves), NULL, "FILE", "learning curves, a row for every epoch of every run; - is standard output" },
    { 0 }
};
/* clang-format on */

static mp_err to_writer(void *to, const char *bytes, size_t n)
{
    return mp_writer_add(to, bytes, n);
}

static mp_err to_stdout(void *to, const char *bytes, size_t n)
{
    (void)to;
    return mp_cli_pass(bytes, n);
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* `*w` stays NULL where there is no file. */
static mp_err open_sink(const char *path, mp_writer **w, mp_sink *out)
{
    *out = (mp_sink){ NULL, NULL };
    if (!path) return MP_OK;
    if (is_stdout(path)) {
        *out = (mp_sink){ to_stdout, NULL };
        return MP_OK;
    }
    MP_TRY(mp_writer_open(path, w));
    *out = (mp_sink){ to_writer, *w };
    return MP_OK;
}

static mp_err keep(mp_writer **w)
{
    mp_writer *done = *w;
    *w = NULL;
    return done ? mp_writer_keep(done) : MP_OK;
}

/* Files get their names when both are whole. */
static mp_err export(const conf *c, mp_stores *s, mp_writer *w[2], int *n)
{
    mp_export how = { .all_options = c->all_options, .metrics = c->metrics };
    MP_TRY(open_sink(c->csv, &w[0], &how.runs));
    MP_TRY(open_sink(c->curves, &w[1], &how.curves));
    MP_TRY(mp_export_stores(s, &how, n));
    MP_TRY(keep(&w[0]));
    return keep(&w[1]);
}

static mp_err run(void *data, const mp_cli_args *args)
{
    const conf *c = data;
    mp_stores *s;
    mp_writer *w[2] = { NULL, NULL };
    char line[1024];
    int n = 0;
    if (!c->csv && !c->curves) return mp_fail(MP_ERR_USAGE, "expected --csv FILE, --curves FILE or both");
    if (is_stdout(c->csv) && is_stdout(c->curves))
        return mp_fail(MP_ERR_USAGE, "--csv and --curves: one of them at most can be standard output");
    if (!is_stdout(c->csv)) MP_TRY(mp_setup_writable(c->csv));
    if (!is_stdout(c->curves)) MP_TRY(mp_setup_writable(c->curves));
    MP_TRY(mp_stores_open(args->operand, args->operands, &s));
    mp_err e = export(c, s, w, &n);
    for (int i = 0; i < 2; i++) mp_writer_drop(w[i]);
    if (e == MP_OK && mp_stores_left_out(s, line, sizeof line)) mp_cli_say("midpool: %s", line);
    if (e == MP_OK && !is_stdout(c->csv) && !is_stdout(c->curves)) mp_cli_say("%d run%s exported", n, mp_plural(n));
    mp_stores_close(s);
    return e;
}

const mp_cli mp_cmd_export = {
    .name = "export",
    .operands = "STORE...",
    .summary = "Runs of a store, or of several as one, as CSV, with their options, results and learning curves.",
    .examples = "midpool export r.db --csv runs.csv --metrics\n"
                "midpool export r.db --curves - | head",
    .more = "docs/formats.md lists the columns. A text that a spreadsheet would take for a formula has an apostrophe "
            "in front.",
    .least = 1,
    .most = INT_MAX,
    .size = sizeof(conf),
    .groups = groups,
    .texts = texts,
    .run = run,
};
