/* cmd_reproduce.c - midpool reproduce NAME: an experiment of the paper end to end, ours beside theirs.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/device.h"
#include "cli/setup.h"
#include "cli/watch.h"
#include "cli/workers.h"
#include "experiment/lab.h"
#include "report/report.h"

#include <string.h>
#include <unistd.h>

typedef struct conf {
    const char *store, *out, *markdown, *figures, *data, *datasets, *pools, *part;
    int quick, show, dry_run, seeds, folds, grid, jobs, threads, workers, device, group, quiet;
} conf;

/* clang-format off */
static const mp_opt options[] = {
    { "quick", MP_OPT_FLAG, offsetof(conf, quick), "false", 0, 1, NULL, "a small version: few data sets, seeds and epochs; minutes" },
    { "dry-run", MP_OPT_FLAG, offsetof(conf, dry_run), "false", 0, 1, NULL, "list what would be run, with an estimate of the time" },
    { "show", MP_OPT_FLAG, offsetof(conf, show), "false", 0, 1, NULL, "run nothing: show what the store has" },
    { "seeds", MP_OPT_INT, offsetof(conf, seeds), "0", 0, 100000, NULL, "number of seeds, from 42 on; 0 = as the experiment has it" },
    { "folds", MP_OPT_INT, offsetof(conf, folds), "0", 0, 100, NULL, "number of folds; 0 = as the fold files have, else 10" },
    { "grid", MP_OPT_CHOICE, offsetof(conf, grid), "paper", 0, 0, "none|code|paper", "MID settings to choose from: none = h 5, drop 0.1; code = h 1,5,9 x drop 0,0.1,0.2; paper = h 5,9 x drop 0.1,0.2" },
    { "jobs", MP_OPT_INT, offsetof(conf, jobs), "0", 0, 256, NULL, "runs side by side; 0 = all processors" },
    { "threads", MP_OPT_INT, offsetof(conf, threads), "0", 0, 256, NULL, "threads of one run; 0 = 1, or all processors when --jobs is 1" },
    MP_WORKERS_ROW(conf),
    MP_DEVICE_ROW(conf),
    MP_GROUP_ROW(conf),
    { "quiet", MP_OPT_FLAG, offsetof(conf, quiet), "false", 0, 1, NULL, "no progress" },
    { 0 }
};
static const mp_cli_text texts[] = {
    { "datasets", offsetof(conf, datasets), NULL, "NAMES", "data sets in place of the experiment's, a,b,c" },
    { "pools", offsetof(conf, pools), NULL, "NAMES", "methods in place of the experiment's, a,b,c" },
    { "store", offsetof(conf, store), "reproduce.db", "FILE", "where runs and measurements are kept, and looked up; or postgresql://USER@HOST/DATABASE" },
    { "part", offsetof(conf, part), NULL, "I/N", MP_SETUP_PART_HELP },
    { "out", offsetof(conf, out), "report.html", "FILE", "the page" },
    { "markdown", offsetof(conf, markdown), NULL, "FILE", "the tables as a document; in one that has the lines <!-- reproduced --> and <!-- end --> what is between them is replaced" },
    { "figures", offsetof(conf, figures), NULL, "DIR", "folder for the figures, EXPERIMENT-N.svg, and their data, EXPERIMENT-N.csv" },
    { "data", offsetof(conf, data), NULL, "DIR", "folder with data sets" },
    { 0 }
};
/* clang-format on */
static const mp_cli_group groups[] = { { "options", options, 0 }, { 0 } };

static mp_err print_list(void)
{
    mp_buf b = { 0 };
    for (const mp_experiment *x = mp_experiments; x->name; x++) mp_buf_printf(&b, "%-18s %s\n", x->name, x->summary);
    mp_buf_puts(&b, "all                all of them\n\n"
                    "midpool reproduce all --quick makes a small version of each in minutes.\n");
    mp_err e = mp_cli_print(b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static mp_err unknown(const char *name)
{
    const char *names[64];
    int n = 0;
    for (const mp_experiment *x = mp_experiments; x->name && n < 62; x++) names[n++] = x->name;
    names[n++] = "all";
    names[n] = NULL;
    const char *near = mp_nearest(name, names);
    return mp_fail(MP_ERR_USAGE, "no experiment '%s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : " (midpool reproduce lists them)");
}

static mp_err choose(const char *list, mp_arena *a, const mp_experiment *const **out, int *n)
{
    int words, all = 0;
    const char *const *word = mp_cli_split(list, a, &words);
    while (mp_experiments[all].name) all++;
    const mp_experiment **x = MP_NEW(a, const mp_experiment *, all);
    bool *wanted = MP_NEW(a, bool, all); /* each once, in the order of the paper */
    *n = 0;
    for (int i = 0; i < words; i++) {
        bool every = strcmp(word[i], "all") == 0;
        if (!every && !mp_experiment_find(word[i])) return unknown(word[i]);
        for (int k = 0; k < all; k++) wanted[k] = wanted[k] || every || strcmp(mp_experiments[k].name, word[i]) == 0;
    }
    for (int k = 0; k < all; k++)
        if (wanted[k]) x[(*n)++] = &mp_experiments[k];
    *out = x;
    return *n ? MP_OK : mp_fail(MP_ERR_USAGE, "expected the name of an experiment (midpool reproduce lists them)");
}

/* What the user named himself must be there; what an experiment would like to have may be left out. */
static mp_err check_pools(const char *list, mp_arena *a)
{
    int n;
    const char *const *pool = mp_cli_split(list ? list : "", a, &n);
    for (int i = 0; i < n; i++) {
        mp_config c;
        mp_config_init(&c);
        memset(c.pool, 0, sizeof c.pool);
        MP_TRY(mp_conf_set(mp_config_table, &c, "pool", pool[i], "--pools"));
        MP_TRY(mp_config_check(&c));
    }
    return MP_OK;
}

static mp_err print_section(const mp_section *s)
{
    mp_buf text = { 0 };
    mp_section_print(s, &text);
    mp_err e = mp_cli_print(text.p, text.n);
    mp_buf_free(&text);
    return e;
}

/* What stands before and behind the part that is made: all of a document that has no such part is. */
static mp_err around(const char *path, mp_arena *a, mp_span *before, mp_span *behind)
{
    static const char begin[] = "<!-- reproduced -->\n", end[] = "<!-- end -->";
    mp_span text;
    *before = *behind = (mp_span){ "", 0 };
    if (access(path, R_OK) != 0) return MP_OK;
    MP_TRY(mp_slurp(path, 0, a, &text));
    const char *all = mp_arena_text(a, text.p, text.n), *first = strstr(all, begin),
               *last = first ? strstr(first, end) : NULL;
    if (!last) return MP_OK;
    *before = (mp_span){ all, (size_t)(first - all) + strlen(begin) };
    *behind = (mp_span){ last, strlen(last) };
    return MP_OK;
}

/* Experiments of which the store has nothing are left out of the document. */
static bool has_rows(const mp_section *s)
{
    for (int i = 0; i < s->pieces; i++)
        if (s->piece[i].kind == MP_PASSAGE_TABLE && mp_table_rows(&s->piece[i].table)) return true;
    return false;
}

static mp_err write_markdown(const conf *c, const mp_cli_args *args, const mp_section *section, int n)
{
    mp_buf b = { 0 };
    mp_span before, behind;
    MP_TRY(around(c->markdown, args->arena, &before, &behind));
    mp_buf_add(&b, before.p, before.n);
    mp_buf_printf(&b, "\n    %s\n\n", args->line);
    for (int i = 0; i < n; i++)
        if (has_rows(&section[i])) mp_section_markdown(&section[i], &b);
    mp_buf_add(&b, behind.p, behind.n);
    mp_err e = mp_write_file(c->markdown, b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static mp_err write_text(const char *path, const char *text)
{
    return mp_write_file(path, text, strlen(text));
}

/* A picture that the page leafs through is a file for each level and each column of scores, both from 1. */
static mp_err write_picture(const char *name, const mp_picture *p, mp_arena *a)
{
    if (p->svg) MP_TRY(write_text(mp_arena_printf(a, "%s.svg", name), p->svg));
    for (int l = 0; !p->svg && l < p->levels; l++)
        for (int c = 0; c < p->columns; c++)
            MP_TRY(write_text(mp_arena_printf(a, "%s-level%d-column%d.svg", name, l + 1, c + 1),
                              p->frame[l * p->columns + c]));
    return p->csv ? write_text(mp_arena_printf(a, "%s.csv", name), p->csv) : MP_OK;
}

static mp_err write_figures(const char *folder, const mp_section *s, mp_arena *a)
{
    int n = 0;
    MP_TRY(mp_make_folder(folder));
    for (int i = 0; i < s->pieces; i++)
        if (s->piece[i].kind == MP_PASSAGE_PICTURE)
            MP_TRY(write_picture(mp_arena_printf(a, "%s/%s-%d", folder, s->name, ++n), &s->piece[i].picture, a));
    return MP_OK;
}

static void on_note(const char *line)
{
    mp_cli_say("midpool: %s", line);
}

/* Of experiments that found nothing to run there is no store. */
static mp_err write_alone(const char *out, const mp_report_options *o)
{
    mp_buf html = { 0 };
    mp_err e = mp_report_html(NULL, 0, NULL, o, &html);
    if (e == MP_OK) e = mp_write_file(out, html.p, html.n);
    mp_buf_free(&html);
    return e;
}

static mp_err show(const conf *c, const mp_cli_args *args, const mp_section *section, int n)
{
    for (int i = 0; i < n; i++) MP_TRY(print_section(&section[i]));
    if (c->markdown) MP_TRY(write_markdown(c, args, section, n));
    for (int i = 0; c->figures && i < n; i++) MP_TRY(write_figures(c->figures, &section[i], args->arena));
    mp_report_options o = { .title = "midpool reproduce", .note = on_note, .sections = n, .section = section };
    if (!c->show) o.command = args->line;
    MP_TRY(mp_store_there(c->store) ? mp_report_write(&c->store, 1, c->out, &o, NULL, NULL) : write_alone(c->out, &o));
    mp_cli_say("page: %s", c->out);
    return MP_OK;
}

/* Tables and a page are made of the whole. */
static mp_err print_part(const mp_lab *lab)
{
    mp_buf text = { 0 };
    mp_lab_tell_part(lab, &text);
    mp_err e = mp_cli_print(text.p, text.n);
    mp_buf_free(&text);
    return e;
}

static mp_err go(void *asked, mp_group *group)
{
    const mp_device_use *use = asked;
    const conf *c = use->conf;
    const mp_cli_args *args = use->args;
    const mp_experiment *const *x;
    int n;
    mp_side side;
    mp_watch watch;
    mp_part part;
    MP_TRY(mp_part_read(c->part, &part));
    if (part.n && (c->show || c->dry_run))
        return mp_fail(MP_ERR_USAGE, "--part is for running: without --show and --dry-run");
    MP_TRY(mp_workers_side(c->workers, c->jobs, c->threads, &side));
    MP_TRY(choose(args->operand[0], args->arena, &x, &n));
    MP_TRY(check_pools(c->pools, args->arena));
    if (c->data && access(c->data, R_OK) != 0) return mp_fail(MP_ERR_USAGE, "--data: no folder '%s'", c->data);
    const char *const written[] = { c->store, c->out, c->markdown };
    for (int i = c->show; i < (part.n ? 1 : 3) && !c->dry_run; i++) MP_TRY(mp_setup_writable(written[i]));
    mp_lab *lab = mp_lab_new(&(mp_lab_options){ .store_path = c->store,
                                                .data_dir = c->data,
                                                .command = args->line,
                                                .quick = c->quick,
                                                .still = c->show || c->dry_run,
                                                .plan = c->dry_run,
                                                .seeds = c->seeds,
                                                .folds = c->folds,
                                                .grid = (mp_grid)c->grid,
                                                .jobs = side.jobs,
                                                .group = group,
                                                .lanes = c->group,
                                                .part = part,
                                                .threads = side.threads,
                                                .datasets = c->datasets,
                                                .pools = c->pools,
                                                .listener = mp_watch_begin(&watch, c->quiet, NULL, NULL) },
                             args->arena);
    mp_section *section = MP_NEW(args->arena, mp_section, n);
    if (c->dry_run) {
        MP_TRY(mp_lab_plan(lab, x, n, section));
        return print_section(section);
    }
    MP_TRY(mp_lab_make(lab, x, n, section));
    if (part.n) return print_part(lab);
    return show(c, args, section, n);
}

static mp_err run(void *data, const mp_cli_args *args)
{
    const conf *c = data;
    if (args->operands == 0) return print_list();
    return mp_device_run(c->device, c->quiet, go, &(mp_device_use){ data, args });
}

const mp_cli mp_cmd_reproduce = {
    .name = "reproduce",
    .operands = "[EXPERIMENT[,EXPERIMENT...]|all]",
    .summary = "Tables and figures of the paper, ours beside theirs. Without a name: the list of experiments. Started "
               "again it "
               "continues.",
    .examples = "midpool reproduce\n"
                "midpool reproduce classification --quick",
    .most = 1,
    .size = sizeof(conf),
    .groups = groups,
    .texts = texts,
    .run = run,
};
