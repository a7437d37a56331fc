/* cmd_sweep.c - midpool sweep: every combination of the lists in a YAML file, by the protocol of cv.
 *
 *     datasets: [MUTAG, PROTEINS]
 *     pool: [sag, topk]
 *     ratio: [0.25, 0.5, 0.75]
 *     seeds: 3
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "cli/study_print.h"
#include "cli/watch.h"
#include "cli/workers.h"
#include "cli/yaml.h"

#include <string.h>

#define MOST_POINTS 10000

typedef struct sweep {
    mp_config config;
    mp_column_options columns;
    const char *store, *data, *folds_from, *datasets, *preset, *part;
    int seeds, folds, jobs, threads, workers, select, grid, json, quiet, mid;
} sweep;

/* clang-format off */
static const mp_opt own[] = {
    { "seeds", MP_OPT_INT, offsetof(sweep, seeds), "10", 1, 100000, NULL, "number of seeds, from seed on" },
    { "folds", MP_OPT_INT, offsetof(sweep, folds), "0", 0, 100, NULL, "number of folds; 0 = as the fold files have, else 10" },
    { "grid", MP_OPT_CHOICE, offsetof(sweep, grid), "none", 0, 0, "none|code|paper", "MID settings to choose from, within each combination" },
    { "select", MP_OPT_CHOICE, offsetof(sweep, select), "val", 0, 0, "val|val-global|paper|paper-global|fixed", "how a point of grid is chosen" },
    { "jobs", MP_OPT_INT, offsetof(sweep, jobs), "0", 0, 256, NULL, "runs side by side; 0 = all processors" },
    { "threads", MP_OPT_INT, offsetof(sweep, threads), "0", 0, 256, NULL, "threads of one run; 0 = 1, or all processors when jobs is 1" },
    MP_WORKERS_ROW(sweep),
    { "json", MP_OPT_FLAG, offsetof(sweep, json), "false", 0, 1, NULL, "runs and summaries as one JSON object on stdout" },
    MP_COLUMN_STRICT(sweep),
    { "quiet", MP_OPT_FLAG, offsetof(sweep, quiet), "false", 0, 1, NULL, "no progress" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL }
};
static const mp_opt only_file[] = {
    { "mid", MP_OPT_FLAG, offsetof(sweep, mid), "false", 0, 1, NULL, "score-dim 5, flip, drop 0.1 where these are not given" },
    { NULL, 0, 0, NULL, 0, 0, NULL, NULL }
};
static const mp_cli_text texts[] = {
    { "store", offsetof(sweep, store), "midpool.db", "FILE", "where finished runs are kept, and looked up" },
    { "part", offsetof(sweep, part), NULL, "I/N", MP_SETUP_PART_HELP },
    { "data", offsetof(sweep, data), NULL, "DIR", "folder with data sets" },
    { "preset", offsetof(sweep, preset), NULL, "NAMES", MP_SETUP_PRESET_HELP },
    { "folds-from", offsetof(sweep, folds_from), NULL, "FILE", "folds: JSON, or a folder or zip of {train,test}_idx-K.txt" },
    MP_COLUMN_TEXTS(sweep), MP_COLUMN_SPLIT(sweep),
    { "datasets", offsetof(sweep, datasets), NULL, "NAMES", "data sets, in the file or here: a,b" },
    { NULL, 0, NULL, NULL, NULL }
};
/* clang-format on */
static const mp_cli_group groups[] = {
    { "this command; all of it may stand in the file", own, 0 },
    { "in the file alone or here for all combinations", only_file, 0 },
    { "model and training; a list in the file tries each", mp_config_table, offsetof(sweep, config) },
    { NULL, NULL, 0 },
};
static mp_err run(void *conf, const mp_cli_args *args);
static const mp_cli cli = {
    .name = "sweep",
    .operands = "CONFIG.yaml",
    .summary = "Every combination of the lists in a YAML file. Started again it continues: finished runs are "
               "in the store.",
    .more = "The file has lines 'name: value' or 'name: [value, value]', where name is any option above.",
    .least = 1,
    .most = 1,
    .size = sizeof(sweep),
    .groups = groups,
    .texts = texts,
    .run = run
};

typedef struct work {
    sweep *conf;
    const mp_cli_args *args;
    const char *path;
    mp_yaml file;
    int at[256]; /* which value of each entry is up */
    mp_given given;
    mp_watch watch;
    mp_study study;
} work;

static bool varies(const mp_yaml_entry *e)
{
    return e->list && strcmp(e->key, "datasets") != 0;
}

static bool is_text(const char *key)
{
    for (const mp_cli_text *t = texts; t->name; t++)
        if (strcmp(t->name, key) == 0) return true;
    return false;
}

/* Lists are for what makes a model; what concerns the whole sweep has one value. */
static mp_err check_lists(const work *w)
{
    double points = 1;
    for (int i = 0; i < w->file.count; i++) {
        const mp_yaml_entry *e = &w->file.entry[i];
        if (e->count == 0) return mp_fail(MP_ERR_USAGE, "%s:%d: %s: the list is empty", w->path, e->line, e->key);
        if (!varies(e)) continue;
        bool model = mp_conf_find(mp_config_table, e->key) || mp_conf_find(only_file, e->key);
        if (!model && (mp_conf_find(own, e->key) || is_text(e->key)))
            return mp_fail(MP_ERR_USAGE, "%s:%d: %s: expected one value, not a list", w->path, e->line, e->key);
        points *= e->count;
    }
    if (points > MOST_POINTS)
        return mp_fail(MP_ERR_USAGE, "%s: %.0f combinations, at most %d are possible", w->path, points, MOST_POINTS);
    return MP_OK;
}

static mp_err set_from_file(work *w, bool mid_only)
{
    for (int i = 0; i < w->file.count; i++) {
        const mp_yaml_entry *e = &w->file.entry[i];
        if ((strcmp(e->key, "mid") == 0) != mid_only || strcmp(e->key, "datasets") == 0) continue;
        const char *where = mp_arena_printf(w->args->arena, "%s:%d: %s", w->path, e->line, e->key);
        MP_TRY(mp_cli_set(&cli, w->conf, e->key, e->value[w->at[i]], where));
    }
    return MP_OK;
}

static mp_err set_from_line(work *w, bool mid_only)
{
    for (int i = 0; i < w->args->settings; i++) {
        const mp_cli_setting *s = &w->args->setting[i];
        bool mid = strcmp(s->name, "mid") == 0 || strcmp(s->name, "no-mid") == 0;
        if (mid == mid_only) MP_TRY(mp_cli_set(&cli, w->conf, s->name, s->value, s->where));
    }
    return MP_OK;
}

/* The struct for the combination that is up: defaults, those of the data set, mid, the file, the command
 * line. */
static mp_err configure_with(work *w, const char *const *presets)
{
    MP_TRY(mp_cli_apply(&cli, w->args, presets, w->conf));
    MP_TRY(set_from_file(w, true));
    MP_TRY(set_from_line(w, true));
    if (w->conf->mid) MP_TRY(mp_cli_set_preset(&cli, w->conf, mp_preset_find("mid")->settings));
    MP_TRY(set_from_file(w, false));
    return set_from_line(w, false);
}

/* Twice: the settings that belong to a method are known once its name is. */
static mp_err configure(work *w, const mp_dataset *d)
{
    const char *const *presets;
    MP_TRY(configure_with(w, NULL));
    if (!d) return MP_OK;
    MP_TRY(mp_presets_for(d, w->conf->config.pool, w->conf->preset, w->args->arena, &presets));
    return configure_with(w, presets);
}

/* What tells a combination from the others, beyond what its name in the table says. */
static const char *label(const work *w, const mp_study_row *row)
{
    static const char *const said[] = { "pool", "score-dim", "flip", "drop", "mid", NULL };
    const char *text = NULL;
    for (int i = 0; i < w->file.count; i++) {
        const mp_yaml_entry *e = &w->file.entry[i];
        bool known = false;
        for (int k = 0; said[k]; k++) known = known || strcmp(said[k], e->key) == 0;
        if (!varies(e) || known || !mp_study_row_uses(row, e->key)) continue;
        text = mp_arena_printf(w->args->arena, "%s%s%s %s", text ? text : "", text ? ", " : "", e->key,
                               e->value[w->at[i]]);
    }
    return text;
}

static void add_name(const char **names, int *n, const char *name)
{
    for (int i = 0; i < *n; i++)
        if (strcmp(names[i], name) == 0) return;
    names[(*n)++] = name;
}

/* The options that combinations differ in, each once; `mid` stands for those it sets. */
static const char *const *swept(const work *w)
{
    const char **names = MP_NEW(w->args->arena, const char *, w->file.count + 4);
    int n = 0;
    for (int i = 0; i < w->file.count; i++) {
        const mp_yaml_entry *e = &w->file.entry[i];
        const mp_opt *o = mp_conf_find(mp_config_table, e->key);
        if (!varies(e)) continue;
        if (o) add_name(names, &n, o->name);
        mp_span mid = mp_span_of(o ? "" : mp_preset_find("mid")->settings), name, value;
        while (mp_conf_next(&mid, &name, &value)) add_name(names, &n, mp_arena_text(w->args->arena, name.p, name.n));
    }
    return names;
}

static bool next_combination(work *w)
{
    for (int i = w->file.count - 1; i >= 0; i--) {
        if (!varies(&w->file.entry[i])) continue;
        if (++w->at[i] < w->file.entry[i].count) return true;
        w->at[i] = 0;
    }
    return false;
}

static mp_err add_dataset(work *w, const char *name)
{
    mp_arena *a = w->args->arena;
    mp_variants sets = { .name = name, .data_dir = w->conf->data, .columns = mp_columns_of(&w->conf->columns, true) };
    mp_dataset *d;
    mp_folds *f = MP_NEW(a, mp_folds, 1);
    char line[512];
    MP_TRY(mp_setup_variant(&sets, &w->conf->config, a, &d));
    MP_TRY(mp_folds_load(d, w->conf->folds_from, w->conf->folds, a, f));
    do {
        MP_TRY(configure(w, d));
        MP_TRY(mp_setup_use(&sets, &w->conf->config, f, a, &d, line, sizeof line));
        if (line[0]) mp_listener_line(&w->study.listener, "%s", line);
        mp_study_row *row;
        MP_TRY(mp_study_add(&w->study, d, f, &w->conf->config, (mp_grid)w->conf->grid, &row));
        if (row) row->label = label(w, row);
    } while (next_combination(w));
    return MP_OK;
}

/* Names on the command line win over those of the file. */
static const char *const *dataset_names(const work *w, int *n)
{
    if (w->conf->datasets) return mp_cli_split(w->conf->datasets, w->args->arena, n);
    for (int i = 0; i < w->file.count; i++) {
        if (strcmp(w->file.entry[i].key, "datasets") != 0) continue;
        *n = w->file.entry[i].count;
        return w->file.entry[i].value;
    }
    *n = 0;
    return NULL;
}

static mp_err plan(work *w)
{
    int n;
    MP_TRY(mp_yaml_load(w->path, w->args->arena, &w->file));
    MP_TRY(check_lists(w));
    MP_TRY(configure(w, NULL));
    const sweep *c = w->conf;
    mp_side side;
    MP_TRY(mp_workers_side(c->workers, c->jobs, c->threads, &side));
    mp_part part;
    MP_TRY(mp_part_read(c->part, &part));
    MP_TRY(mp_setup_writable(c->store));
    w->study = (mp_study){ .arena = w->args->arena,
                           .store_path = c->store,
                           .command = w->args->line,
                           .swept = swept(w),
                           .part = part,
                           .seeds = c->seeds,
                           .jobs = side.jobs,
                           .listener = mp_watch_begin(&w->watch, c->quiet, &w->given, swept(w)),
                           .threads = side.threads };
    const char *const *names = dataset_names(w, &n);
    if (n == 0) return mp_fail(MP_ERR_USAGE, "%s: 'datasets' is missing: the list of data sets to try", w->path);
    w->given = mp_given_by(w->args);
    for (int i = 0; i < w->file.count; i++) {
        const mp_yaml_entry *e = &w->file.entry[i];
        const char *where = mp_arena_printf(w->args->arena, "%s:%d: %s", w->path, e->line, e->key);
        for (int k = 0; k < e->count; k++) mp_given_add(&w->given, e->key, e->value[k], where);
    }
    for (int i = 0; i < n; i++) MP_TRY(add_dataset(w, names[i]));
    MP_TRY(mp_given_check(&w->given));
    return mp_study_prepare(&w->study);
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    work *w = MP_NEW(args->arena, work, 1);
    *w = (work){ .conf = conf, .args = args, .path = args->operand[0] };
    MP_TRY(plan(w));
    mp_study *s = &w->study;
    mp_listener_line(&s->listener, "%d rows, %d runs, %d side by side, kept in %s", s->rows, s->plan.count, s->jobs,
                     s->store_path);
    MP_TRY(mp_study_run(s));
    mp_buf out = { 0 };
    mp_select mode = (mp_select)w->conf->select;
    mp_err e = w->conf->json ? mp_study_json(s, mode, &out) : mp_study_print(s, mode, &out);
    if (e == MP_OK) e = mp_cli_print(out.p, out.n);
    mp_buf_free(&out);
    if (e == MP_OK && s->count.failed)
        e = mp_fail(MP_ERR_DIVERGED, "%d of %d runs failed", s->count.failed, s->count.total);
    return e;
}

int mp_cmd_sweep(int argc, char **argv)
{
    return mp_cli_main(&cli, argc, argv);
}
