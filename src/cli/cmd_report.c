/* cmd_report.c - midpool report STORE: tables on the terminal, pictures in one HTML file.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "report/report.h"

#include <limits.h>
#include <stdio.h>

typedef struct conf {
    const char *out, *title, *metric;
    int select, json, score_dim;
    double drop;
} conf;

/* clang-format off */
static const mp_opt options[] = {
    { "select", MP_OPT_CHOICE, offsetof(conf, select), "val", 0, 0, "val|val-global|paper|paper-global|fixed",
      "how the grid point of the first number is chosen" },
    { "score-dim", MP_OPT_INT, offsetof(conf, score_dim), "5", 1, 256, NULL, "score columns h of --select fixed", .needs = "select=fixed" },
    { "drop", MP_OPT_REAL, offsetof(conf, drop), "0.1", 0, 0.999, NULL, "dropscore of --select fixed", .needs = "select=fixed" },
    { "json", MP_OPT_FLAG, offsetof(conf, json), "false", 0, 1, NULL, "one JSON object on stdout instead of a table" },
    { 0 }
};
static const mp_cli_group groups[] = { { "options", options, 0 }, { 0 } };
static const mp_cli_text texts[] = {
    { "out", offsetof(conf, out), "report.html", "FILE", "the page" },
    { "title", offsetof(conf, title), NULL, "TEXT", "title of the page" },
    { "metric", offsetof(conf, metric), NULL, "NAME", "metric that chooses and is shown; the one that led each run if not given" },
    { 0 }
};
/* clang-format on */

static mp_err print_results(const conf *c, const char *store, mp_buf *text, mp_buf *json)
{
    if (c->json) {
        mp_buf_puts(json, "\n");
        return mp_cli_print(json->p, json->n);
    }
    if (text->n == 0)
        mp_buf_printf(text, "%s has no finished runs; 'midpool cv MUTAG --pool sag --store %s' makes some. Page: %s\n",
                      store, store, c->out);
    else
        mp_buf_printf(text, "; grid points are chosen by %s. Page: %s\n", mp_select_name[c->select], c->out);
    return mp_cli_print(text->p, text->n);
}

static void on_note(const char *line)
{
    mp_cli_say("midpool: %s", line);
}

static mp_err run(void *data, const mp_cli_args *args)
{
    const conf *c = data;
    mp_choice_point fixed = { c->score_dim, c->drop };
    mp_report_options o = { .title = c->title,
                            .note = on_note,
                            .metric = c->metric,
                            .select = (mp_select)c->select,
                            .fixed = c->select == MP_SELECT_FIXED ? &fixed : NULL };
    MP_TRY(mp_cli_all_needed(&mp_cmd_report, c, args));
    MP_TRY(mp_setup_metric(c->metric));
    mp_buf text = { 0 }, json = { 0 };
    mp_err e = mp_report_write(args->operand, args->operands, c->out, &o, &text, &json);
    if (e == MP_OK) e = print_results(c, args->operand[0], &text, &json);
    mp_buf_free(&text);
    mp_buf_free(&json);
    return e;
}

const mp_cli mp_cmd_report = {
    .name = "report",
    .operands = "STORE...",
    .summary = "Tables and pictures of a store, or of several as one, as one HTML file, and the table as text.",
    .examples = "midpool report r.db --out report.html\n"
                "midpool report mine.db other.db --json",
    .least = 1,
    .most = INT_MAX,
    .size = sizeof(conf),
    .groups = groups,
    .texts = texts,
    .run = run,
};
