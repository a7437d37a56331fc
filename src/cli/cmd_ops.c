/* cmd_ops.c - midpool ops: the table of operators, printed from the registry.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "baseline/baseline.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "model/options.h"
#include "report/table.h"
#include "train/preset.h"

#include <string.h>

typedef struct ops {
    int json, markdown;
} ops;

static const mp_opt own[] = {
    { "json", MP_OPT_FLAG, offsetof(ops, json), "false", 0, 1, NULL, "one JSON object with everything known of each" },
    { "markdown", MP_OPT_FLAG, offsetof(ops, markdown), "false", 0, 1, NULL, "the table as the documents have it" },
    { 0 },
};
static const mp_cli_group groups[] = { { "options", own, 0 }, { 0 } };
static mp_err run(void *conf, const mp_cli_args *args);
const mp_cli mp_cmd_ops = {
    .name = "ops",
    .operands = "",
    .summary = "The pooling operators: what scores nodes, what selects them, what becomes of the graph.",
    .examples = "midpool ops\n"
                "midpool ops --json",
    .more = "An option that a method does not have is refused.",
    .size = sizeof(ops),
    .groups = groups,
    .run = run
};

static const char *const gate_name[] = { "none", "relu", "tanh", "sigmoid", "leaky relu" };

static void put_part(mp_buf *b, const char *key, const char *name, const char *formula)
{
    mp_json_key(b, key);
    mp_json_open(b, '{');
    mp_json_add_text(b, "name", name);
    mp_json_add_text(b, "formula", formula);
    mp_json_close(b, '}');
}

/* Names in table order, of the method's own parts or shared with all of its kind. */
static const char *names_of(const char *pool, bool own_parts, mp_arena *a)
{
    mp_buf names = { 0 };
    mp_method_options(pool, own_parts, &names);
    const char *text = mp_arena_text(a, names.n ? names.p : "", names.n);
    mp_buf_free(&names);
    return text;
}

static void put_options(mp_buf *b, const char *pool, mp_arena *a)
{
    mp_span rest = mp_span_of(names_of(pool, true, a)), word;
    mp_json_key(b, "options");
    mp_json_open(b, '[');
    while (mp_next_field(&rest, ' ', &word))
        if (word.n) mp_json_put_text(b, mp_arena_text(a, word.p, word.n));
    mp_json_close(b, ']');
}

static void put_presets(mp_buf *b, const mp_method_preset *p)
{
    mp_json_key(b, "presets");
    mp_json_open(b, '[');
    for (; p && p->name; p++) {
        mp_json_open(b, '{');
        mp_json_add_text(b, "name", p->name);
        mp_json_add_text(b, "dataset", p->data);
        mp_json_add_text(b, "settings", p->settings);
        mp_json_add_bool(b, "always", p->always);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
}

/* What --preset paper sets: a dash for methods the paper does not build on. */
static const char *paper_preset(const mp_pool_op *o)
{
    for (const mp_method_preset *p = o->presets; p && p->name; p++)
        if (strcmp(p->name, MP_PRESET_PAPER) == 0) return *p->settings ? p->settings : "the defaults";
    return "-";
}

static void put_operators(mp_buf *b, mp_arena *a)
{
    mp_json_key(b, "operators");
    mp_json_open(b, '[');
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) {
        mp_json_open(b, '{');
        mp_json_add_text(b, "name", o->name);
        mp_json_add_text(b, "title", o->title);
        mp_json_add_text(b, "pyg", o->alias);
        mp_json_add_text(b, "paper", o->paper);
        put_part(b, "score", o->scorer->name, o->scorer->formula);
        put_part(b, "select", o->selector->name, o->selector->formula);
        put_part(b, "coarsen", o->coarsener->name, o->coarsener->formula);
        mp_json_add_text(b, "gate", o->ungated ? "none" : gate_name[o->gate]);
        mp_json_add_text(b, "learnable", o->learnable);
        put_options(b, o->name, a);
        mp_json_add_text(b, "variants", o->variants);
        put_presets(b, o->presets);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
}

static void put_baselines(mp_buf *b, mp_arena *a)
{
    mp_json_key(b, "baselines");
    mp_json_open(b, '[');
    for (const mp_baseline *m = mp_baselines(); m->name; m++) {
        mp_json_open(b, '{');
        mp_json_add_text(b, "name", m->name);
        mp_json_add_text(b, "title", m->title);
        mp_json_add_text(b, "pyg", m->alias);
        mp_json_add_text(b, "paper", m->paper);
        mp_json_add_text(b, "method", m->method);
        mp_json_add_text(b, "learnable", m->learnable);
        put_options(b, m->name, a);
        put_presets(b, m->presets);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
}

static void put_convolutions(mp_buf *b)
{
    mp_json_key(b, "convolutions");
    mp_json_open(b, '[');
    for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++) {
        mp_json_open(b, '{');
        mp_json_add_text(b, "name", (*k)->name);
        mp_json_add_text(b, "formula", (*k)->formula);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
}

static void print_json(mp_buf *b, mp_arena *a)
{
    mp_json_open(b, '{');
    put_operators(b, a);
    put_baselines(b, a);
    put_convolutions(b);
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
}

static void table_of_operators(mp_buf *b, mp_arena *a)
{
    static const char *const header[] = { "--pool",  "name",      "PyG class",      "score", "select",
                                          "coarsen", "learnable", "--preset paper", NULL };
    mp_table t;
    mp_table_init(&t, a, "Node-drop operators", header);
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) {
        mp_table_add(&t, "%s", o->name);
        mp_table_add(&t, "%s", o->title);
        mp_table_add(&t, "%s", o->alias ? o->alias : "-");
        mp_table_add(&t, "%s", o->scorer->formula ? o->scorer->formula : o->scorer->name);
        mp_table_add(&t, "%s", o->selector->formula ? o->selector->formula : o->selector->name);
        mp_table_add(&t, "%s", o->coarsener->formula ? o->coarsener->formula : o->coarsener->name);
        mp_table_add(&t, "%s", o->learnable);
        mp_table_add(&t, "%s", paper_preset(o));
    }
    mp_table_print(&t, b);
}

static void table_of_baselines(mp_buf *b, mp_arena *a)
{
    static const char *const header[] = { "--pool", "name", "PyG class", "method", "learnable", NULL };
    mp_table t;
    mp_table_init(&t, a, "Baselines", header);
    for (const mp_baseline *m = mp_baselines(); m->name; m++) {
        mp_table_add(&t, "%s", m->name);
        mp_table_add(&t, "%s", m->title);
        mp_table_add(&t, "%s", m->alias ? m->alias : "-");
        mp_table_add(&t, "%s", m->method);
        mp_table_add(&t, "%s", m->learnable);
    }
    if (mp_table_rows(&t)) mp_buf_puts(b, "\n");
    mp_table_print(&t, b);
}

static void table_of_convolutions(mp_buf *b, mp_arena *a)
{
    static const char *const header[] = { "--conv", "computes", NULL };
    mp_table t;
    mp_table_init(&t, a, "Convolutions", header);
    for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++) {
        mp_table_add(&t, "%s", (*k)->name);
        mp_table_add(&t, "%s", (*k)->formula);
    }
    mp_buf_puts(b, "\n");
    mp_table_print(&t, b);
}

static void markdown_presets(mp_buf *b, const char *name, const mp_method_preset *p)
{
    for (; p && p->name; p++)
        mp_buf_printf(b, "| `%s` | `%s` | %s | %s%s |\n", p->name, name, p->data ? p->data : "all",
                      *p->settings ? p->settings : "the defaults", p->always ? ", also without being asked for" : "");
}

/* The tables of docs/operators.md: scripts/docs compares them. */
static void print_markdown(mp_buf *b)
{
    mp_buf_puts(b, "| `--pool` | name | score R | select | coarsen | learnable | `--preset paper` | proposed in |\n"
                   "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++)
        mp_buf_printf(b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", o->name, o->title, o->scorer->formula,
                      o->selector->formula, o->coarsener->formula, o->learnable, paper_preset(o), o->paper);
    mp_buf_puts(b, "\n| `--pool` | name | method | learnable | proposed in |\n| --- | --- | --- | --- | --- |\n");
    for (const mp_baseline *m = mp_baselines(); m->name; m++)
        mp_buf_printf(b, "| `%s` | %s | %s | %s | %s |\n", m->name, m->title, m->method, m->learnable, m->paper);
    mp_buf_puts(b, "\n| `--conv`, `--score-conv` | computes |\n| --- | --- |\n");
    for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++)
        mp_buf_printf(b, "| `%s` | %s |\n", (*k)->name, (*k)->formula);
    mp_buf_puts(b, "\n| `--preset` | `--pool` | data set | settings |\n| --- | --- | --- | --- |\n");
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) markdown_presets(b, o->name, o->presets);
    for (const mp_baseline *m = mp_baselines(); m->name; m++) markdown_presets(b, m->name, m->presets);
    for (const mp_preset *p = mp_presets; p->name; p++)
        mp_buf_printf(b, "| `%s` | all | all | %s |\n", p->name, p->settings);
}

static void text_presets(mp_buf *b, const mp_method_preset *p)
{
    for (; p && p->name; p++)
        mp_buf_printf(b, "  --preset %s%s%s: %s%s\n", p->name, p->data ? " on " : "", p->data ? p->data : "",
                      *p->settings ? p->settings : "the defaults", p->always ? " (also without being asked for)" : "");
}

static void print_text(mp_buf *b, mp_arena *a)
{
    table_of_operators(b, a);
    table_of_baselines(b, a);
    table_of_convolutions(b, a);
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) {
        mp_buf_printf(b, "\n%s: %s\n  options: %s\n", o->name, o->paper, names_of(o->name, true, a));
        if (o->variants && *o->variants) mp_buf_printf(b, "  --variant %s\n", o->variants);
        text_presets(b, o->presets);
    }
    for (const mp_baseline *m = mp_baselines(); m->name; m++) {
        mp_buf_printf(b, "\n%s: %s\n  options: %s\n", m->name, m->paper, names_of(m->name, true, a));
        text_presets(b, m->presets);
    }
    mp_buf_puts(b, "\n--preset paper takes the network that gives the paper's base rows, authors what the authors of a "
                   "method (or\nPyG's example of it) chose. For all methods:\n");
    for (const mp_preset *p = mp_presets; p->name; p++)
        mp_buf_printf(b, "  --preset %s: %s (%s)\n", p->name, p->settings, p->about);
    mp_buf_printf(b, "\nall node-drop operators: %s\nall methods: %s\n--mid is score-dim 5, flip and drop 0.1. %s\n",
                  names_of(mp_pool_ops()->name, false, a), names_of(mp_baselines()->name, false, a), mp_cmd_ops.more);
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    const ops *o = conf;
    mp_buf b = { 0 };
    if (o->json)
        print_json(&b, args->arena);
    else if (o->markdown)
        print_markdown(&b);
    else
        print_text(&b, args->arena);
    mp_err e = mp_cli_print(b.p, b.n);
    mp_buf_free(&b);
    return e;
}
