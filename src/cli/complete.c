/* complete.c - see complete.h. Everything comes from the tree of commands, the tables of options and the registries.
 * SPDX-License-Identifier: MIT */
#include "cli/complete.h"
#include "baseline/baseline.h"
#include "cli/commands.h"
#include "cli/shown.h"
#include "data/format.h"
#include "data/known.h"
#include "data/load.h"
#include "experiment/lab.h"
#include "model/options.h"
#include "pool/pool.h"
#include "task/metric.h"
#include "train/preset.h"

#include <string.h>

typedef struct asked {
    const char *typed;  /* what candidates begin with */
    const char *before; /* what stands before each: "--pool=", "sag," of a list */
    mp_arena *a;
    mp_buf *out;
} asked;

static void offer(const asked *q, const char *word, const char *meaning)
{
    if (strncmp(word, q->typed, strlen(q->typed)) == 0)
        mp_buf_printf(q->out, "%s%s\t%s\n", q->before, word, meaning ? meaning : "");
}

/* ---- words of values ---- */

static void offer_methods(const asked *q)
{
    for (int i = 0; mp_method_at(i); i++) {
        const mp_pool_op *op = mp_pool_find(mp_method_at(i));
        offer(q, mp_method_at(i), op ? op->title : mp_baseline_find(mp_method_at(i))->title);
    }
}

static void offer_metrics(const asked *q)
{
    offer(q, "auto", "the task's first");
    for (int i = 0; mp_metric_at(i); i++) offer(q, mp_metric_at(i)->name, mp_metric_at(i)->title);
}

static void offer_presets(const asked *q)
{
    offer(q, MP_PRESET_PAPER, "the network of the paper's base rows");
    offer(q, MP_PRESET_AUTHORS, "what the authors of a method chose");
    for (const mp_preset *p = mp_presets; p->name; p++) offer(q, p->name, p->about);
}

static void offer_formats(const asked *q)
{
    for (int i = 0; mp_format_at(i); i++)
        if (mp_format_at(i)->write) offer(q, mp_format_at(i)->name, mp_format_at(i)->title);
}

static void offer_set(void *state, const char *name, const char *path)
{
    offer(state, name, path);
}

static void offer_sets(const asked *q)
{
    asked copy = *q;
    if (mp_dataset_list(NULL, offer_set, &copy) != MP_OK) return; /* a folder that is not there has none to offer */
}

static void offer_known(const asked *q)
{
    for (int i = 0; mp_known_at(i); i++) offer(q, mp_known_at(i)->name, "");
}

static void offer_experiments(const asked *q)
{
    for (const mp_experiment *x = mp_experiments; x->name; x++) offer(q, x->name, x->summary);
    offer(q, "all", "all of them");
}

static void offer_shells(const asked *q)
{
    offer(q, "bash", "");
    offer(q, "zsh", "");
    offer(q, "fish", "");
}

static void offer_top(const asked *q)
{
    for (const mp_command *c = mp_commands; c->name; c++) offer(q, c->name, c->summary);
}

static void offer_options(const asked *q)
{
    for (const mp_opt *o = mp_config_table; o->name; o++) offer(q, o->name, o->help);
}

static void offer_files(const asked *q)
{
    mp_buf_puts(q->out, ":files\n");
}

static void offer_folders(const asked *q)
{
    mp_buf_puts(q->out, ":folders\n");
}

typedef struct source { /* of words: for an option of this name, or for what stands for a value */
    const char *name;
    void (*offer)(const asked *q);
    bool files; /* and files */
} source;

static const source of_options[] = {
    { "pool", offer_methods },   { "pools", offer_methods },    { "metric", offer_metrics },
    { "preset", offer_presets }, { "format", offer_formats },   { "datasets", offer_sets },
    { "rows", offer_options },   { "folds-from", offer_files }, { NULL },
};
static const source of_values[] = {
    { "DATASET", offer_sets, true },
    { "INPUT", offer_sets, true },
    { "NAME", offer_known },
    { "EXPERIMENT", offer_experiments },
    { "SHELL", offer_shells },
    { "COMMAND", offer_top },
    { "DIR", offer_folders },
    { "FILE", offer_files },
    { "STORE", offer_files },
    { "MODEL", offer_files },
    { "CONFIG", offer_files },
    { "TABLE", offer_files },
    { "IN", offer_files },
    { "OUT", offer_files },
    { NULL },
};

static const source *source_of(const source *table, const char *name, size_t n)
{
    for (; table->name; table++)
        if (strlen(table->name) == n && memcmp(table->name, name, n) == 0) return table;
    return NULL;
}

static void offer_from(const source *s, const asked *q)
{
    if (s) s->offer(q);
    if (s && s->files) offer_files(q);
}

/* Behind the last comma of a list another name begins. */
static asked within_list(const asked *q)
{
    asked last = *q;
    const char *comma = strrchr(q->typed, ',');
    if (!comma) return last;
    last.before = mp_arena_printf(q->a, "%s%.*s", q->before, (int)(comma + 1 - q->typed), q->typed);
    last.typed = comma + 1;
    return last;
}

static void offer_value(const asked *q, const mp_shown *o)
{
    const source *s = source_of(of_options, o->name, strlen(o->name));
    asked last = within_list(q);
    if (o->row && o->row->kind == MP_OPT_CHOICE) {
        mp_span rest = mp_span_of(o->row->choices), word;
        while (mp_next_field(&rest, '|', &word)) offer(q, mp_arena_text(q->a, word.p, word.n), "");
    } else if (s) {
        offer_from(s, &last);
    } else if (!o->row) {
        offer_from(source_of(of_values, o->value, strcspn(o->value, " ")), q);
    }
}

/* ---- options and operands of a command ---- */

typedef struct typed_line {
    const mp_shown *wants; /* the option whose value is typed; NULL: none */
    const char *pools;     /* of --pool, as far as it was typed */
    int operands;
    bool plain; /* behind --: no more options */
} typed_line;

static const mp_shown *find(const mp_shown_list *l, const char *name, size_t n)
{
    for (int i = 0; i < l->count; i++)
        if (strlen(l->at[i].name) == n && memcmp(l->at[i].name, name, n) == 0) return &l->at[i];
    return NULL;
}

/* Bash takes "--pool=sag" apart: --pool, =, sag. */
static typed_line read_line(const mp_shown_list *options, int n, char **word, mp_arena *a)
{
    typed_line t = { 0 };
    for (int i = 0; i < n; i++) {
        const char *w = word[i];
        if (strcmp(w, "=") == 0) continue;
        if (t.wants) {
            if (strcmp(t.wants->name, "pool") == 0) t.pools = w;
            t.wants = NULL;
        } else if (!t.plain && strcmp(w, "--") == 0) {
            t.plain = true;
        } else if (!t.plain && strncmp(w, "--", 2) == 0) {
            const char *equals = strchr(w, '=');
            size_t length = equals ? (size_t)(equals - w) - 2 : strlen(w) - 2;
            const mp_shown *o = find(options, w + 2, length);
            if (o && equals && strcmp(o->name, "pool") == 0) t.pools = mp_arena_text(a, equals + 1, strlen(equals + 1));
            if (o && !equals && *o->value) t.wants = o;
        } else {
            t.operands++;
        }
    }
    return t;
}

static void offer_names(const asked *q, const mp_cli *cli, const char *pools)
{
    const char *const *methods = NULL;
    if (pools && mp_shown_methods(pools, q->a, &methods) != MP_OK) methods = NULL;
    mp_shown_list l = mp_shown_options(cli, methods, q->a);
    for (int i = 0; i < l.count; i++) {
        const mp_shown *o = &l.at[i];
        bool flag = o->row && o->row->kind == MP_OPT_FLAG;
        bool on = flag && strcmp(o->initial, "true") == 0;
        if (!on) offer(q, mp_arena_printf(q->a, "--%s", o->name), o->help);
        if (on || (flag && strncmp(q->typed, "--no-", 5) == 0))
            offer(q, mp_arena_printf(q->a, "--no-%s", o->name), mp_arena_printf(q->a, "not: %s", o->help));
    }
    offer(q, "--help", "what the command does, and the options that matter");
    offer(q, "--help-all", "with all options");
}

/* The word of "OUT IN..." that stands for operand `at`; what has dots goes on. */
static void offer_operand(const asked *q, const char *operands, int at)
{
    mp_span rest = mp_span_of(operands), word, now = { NULL, 0 };
    for (int i = 0; i <= at && mp_next_field(&rest, ' ', &word); i++) now = word;
    if (now.n && now.p[0] == '[') now = (mp_span){ now.p + 1, now.n - 1 }; /* it may be left out */
    size_t n = 0;
    while (n < now.n && now.p[n] >= 'A' && now.p[n] <= 'Z') n++;
    asked last = within_list(q);
    if (n) offer_from(source_of(of_values, now.p, n), memchr(now.p, ',', now.n) ? &last : q);
}

static void complete_command(asked *q, const mp_cli *cli, int n, char **word)
{
    mp_shown_list options = mp_shown_options(cli, NULL, q->a);
    typed_line t = read_line(&options, n - 1, word, q->a);
    const char *equals = strchr(q->typed, '=');
    if (t.wants) {
        offer_value(q, t.wants);
    } else if (!t.plain && strncmp(q->typed, "--", 2) == 0 && equals) {
        const mp_shown *o = find(&options, q->typed + 2, (size_t)(equals - q->typed) - 2);
        q->before = mp_arena_text(q->a, q->typed, (size_t)(equals + 1 - q->typed));
        q->typed = equals + 1;
        if (o) offer_value(q, o);
    } else if (!t.plain && q->typed[0] == '-') {
        offer_names(q, cli, t.pools);
    } else {
        offer_operand(q, cli->operands, t.operands);
    }
}

void mp_complete(int n, char **word, mp_buf *out)
{
    if (n == 0) return;
    mp_arena *a = mp_arena_new(65536);
    asked q = { word[n - 1], "", a, out };
    const mp_command *list = mp_commands, *at = NULL;
    int i = 0;
    if (n > 1 && strcmp(word[0], "help") == 0) i++;
    bool help = i > 0;
    for (; i < n - 1 && list; i++) {
        at = mp_command_find(list, word[i]);
        list = at ? at->below : NULL;
        if (at && at->cli) break;
    }
    if (strcmp(q.typed, "=") == 0) q.typed = "";
    if (at && at->cli && i < n - 1) {
        if (!help) complete_command(&q, at->cli, n - i - 1, word + i + 1);
    } else {
        for (; list && list->name; list++) offer(&q, list->name, list->summary);
        if (!at && n == 1) offer(&q, "help", "help about a command or an option");
        if (!at && n == 1) offer(&q, "--version", "which version this is");
        if (!help && (at || n == 1)) offer(&q, "--help", "the list of commands");
    }
    mp_arena_free(a);
}
