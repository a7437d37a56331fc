/* cmd_sweep.c - midpool sweep: the lists and ranges of a YAML file as points to choose among, by the protocol of cv.
 *
 *     datasets: [MUTAG, PROTEINS]
 *     pool: [sag, topk]                          rows: methods are compared
 *     ratio: [0.25, 0.5, 0.75]                   points: one is chosen, by validation
 *     lr: {from: 1e-4, to: 1e-1, scale: log}     a range, for random search
 *     search: random
 *     points: 60
 *     seeds: 3
 *
 * What is compared rather than chosen is a row: data sets, methods, and the options in `rows`.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/device.h"
#include "cli/setup.h"
#include "cli/study_go.h"
#include "cli/watch.h"
#include "cli/workers.h"
#include "cli/yaml.h"
#include "study/search.h"

#include <string.h>

#define MOST_POINTS  10000
#define USUAL_POINTS 60
#define MOST_ENTRIES 256

typedef struct sweep {
    mp_config config;
    mp_column_options columns;
    mp_study_options how;
    const char *store, *data, *folds_from, *datasets, *preset, *rows, *part;
    int seeds, folds, jobs, threads, workers, device, group, grid, quiet, mid;
    int search, points, search_seed, eta, least_epochs;
} sweep;
enum { SEARCH_GRID, SEARCH_RANDOM, SEARCH_HALVING };

/* clang-format off */
static const mp_opt own[] = {
    { "seeds", MP_OPT_INT, offsetof(sweep, seeds), "10", 1, 100000, NULL, "number of seeds, from seed on", MP_COMMON },
    { "folds", MP_OPT_INT, offsetof(sweep, folds), "0", 0, 100, NULL, "number of folds; 0 = as the fold files have, else 10" },
    { "grid", MP_OPT_CHOICE, offsetof(sweep, grid), "none", 0, 0, "none|code|paper", "MID settings to choose from, within each combination" },
    MP_STUDY_ROWS(sweep),
    { "search", MP_OPT_CHOICE, offsetof(sweep, search), "grid", 0, 0, "grid|random|halving", "which points: every combination; random ones; either, trained longer and longer while fewer go on", MP_COMMON },
    { "points", MP_OPT_INT, offsetof(sweep, points), "0", 0, MOST_POINTS, NULL, "random points to draw; 0 = 60 with search random or where there are ranges", MP_COMMON, .needs = "search!=grid" },
    { "search-seed", MP_OPT_INT, offsetof(sweep, search_seed), "0", 0, 2147483647, NULL, "seed of the draws", .needs = "search!=grid" },
    { "eta", MP_OPT_INT, offsetof(sweep, eta), "3", 2, 100, NULL, "halving: one point in so many goes on, for so many times the epochs", .needs = "search=halving" },
    { "least-epochs", MP_OPT_INT, offsetof(sweep, least_epochs), "10", 1, 1000000, NULL, "halving: epochs of the first round", .needs = "search=halving" },
    { "jobs", MP_OPT_INT, offsetof(sweep, jobs), "0", 0, 256, NULL, "runs side by side; 0 = all processors", MP_COMMON },
    { "threads", MP_OPT_INT, offsetof(sweep, threads), "0", 0, 256, NULL, "threads of one run; 0 = 1, or all processors when jobs is 1" },
    MP_WORKERS_ROW(sweep),
    MP_DEVICE_ROW(sweep),
    MP_GROUP_ROW(sweep),
    MP_COLUMN_STRICT(sweep),
    { "quiet", MP_OPT_FLAG, offsetof(sweep, quiet), "false", 0, 1, NULL, "no progress" },
    { 0 }
};
static const mp_opt only_file[] = {
    { "mid", MP_OPT_FLAG, offsetof(sweep, mid), "false", 0, 1, NULL, "score-dim 5, flip, drop 0.1 where these are not given", MP_COMMON, "MID" },
    { 0 }
};
static const mp_cli_text texts[] = {
    { "store", offsetof(sweep, store), "midpool.db", "FILE", "where finished runs are kept, and looked up; or postgresql://USER@HOST/DATABASE", MP_COMMON },
    { "part", offsetof(sweep, part), NULL, "I/N", MP_SETUP_PART_HELP },
    { "data", offsetof(sweep, data), NULL, "DIR", "folder with data sets" },
    { "preset", offsetof(sweep, preset), NULL, "NAMES", MP_SETUP_PRESET_HELP },
    { "folds-from", offsetof(sweep, folds_from), NULL, "FILE", "folds: JSON, or a folder or zip of {train,test}_idx-K.txt" },
    MP_STUDY_TEXTS(sweep),
    MP_COLUMN_TEXTS(sweep), MP_COLUMN_SPLIT(sweep),
    { "rows", offsetof(sweep, rows), NULL, "NAMES", "options whose values are rows to compare, not points to choose among, in the file or here: a,b", MP_COMMON },
    { "datasets", offsetof(sweep, datasets), NULL, "NAMES", "data sets, in the file or here: a,b", MP_COMMON },
    { 0 }
};
/* clang-format on */
static const mp_cli_group groups[] = {
    { "this command; all of it may stand in the file", own, 0 },
    { "MID", only_file, 0 },
    { "model and training; of a list or a range in the file one value is chosen", mp_config_table,
      offsetof(sweep, config) },
    { 0 },
};
static mp_err run(void *conf, const mp_cli_args *args);
const mp_cli mp_cmd_sweep = {
    .name = "sweep",
    .operands = "CONFIG.yaml",
    .summary = "Chooses among the combinations of a YAML file by validation. Started again it continues: finished runs "
               "are in the store.",
    .examples = "midpool sweep examples/sweep.yaml --dry-run\n"
                "midpool sweep mine.yaml --store r.db --jobs 2",
    .more = "The file has lines 'name: value', 'name: [value, value]' or 'name: {from: value, to: value, scale: log}', "
            "where name is any option above. Data sets, pool, mid, seed, task, metric, edge-attributes and what 'rows' "
            "names are rows of the table; among the values of other lists one is chosen for each row, by validation.",
    .least = 1,
    .most = 1,
    .size = sizeof(sweep),
    .groups = groups,
    .texts = texts,
    .run = run
};

typedef enum role { ONE, ROW, POINT, ASIDE } role; /* of an entry of the file; aside: it is read elsewhere */

typedef struct work {
    sweep *conf;
    const mp_cli_args *args;
    const char *path;
    mp_yaml file;
    const char *const *rows; /* names of options that are rows */
    int row_names;
    int draws; /* points to draw; 0: every combination */
    role role[MOST_ENTRIES];
    int at[MOST_ENTRIES];            /* which value of each entry is up */
    mp_range range[MOST_ENTRIES];    /* of entries that are ranges */
    const char *value[MOST_ENTRIES]; /* that is up */
    mp_given given;
    mp_watch watch;
    mp_study study;
} work;

static const char *where_is(const work *w, const mp_yaml_entry *e)
{
    return mp_arena_printf(w->args->arena, "%s:%d: %s", w->path, e->line, e->key);
}

static bool one_of(const char *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* What makes another data set, another method or another number is never chosen. */
static bool is_row(const work *w, const char *key)
{
    static const char *const always[] = { "pool", "mid", "seed", "task", "metric", "edge-attributes", NULL };
    for (int i = 0; i < w->row_names; i++)
        if (strcmp(w->rows[i], key) == 0) return true;
    return one_of(key, always);
}

static bool is_text(const char *key)
{
    for (const mp_cli_text *t = texts; t->name; t++)
        if (strcmp(t->name, key) == 0) return true;
    return false;
}

/* Lists and ranges are for what makes a model; what concerns the whole sweep has one value. */
static mp_err find_role(work *w, int i)
{
    static const char *const lists[] = { "datasets", "rows", NULL };
    const mp_yaml_entry *e = &w->file.entry[i];
    const char *where = where_is(w, e);
    if (e->count == 0) return mp_fail(MP_ERR_USAGE, "%s: the list is empty", where);
    w->role[i] = one_of(e->key, lists) ? ASIDE : ONE;
    if (w->role[i] == ASIDE && !e->part) return MP_OK;
    if (!e->list && !e->part) return MP_OK;
    const mp_opt *o = mp_conf_find(mp_config_table, e->key);
    bool model = o || mp_conf_find(only_file, e->key);
    if (!model && (mp_conf_find(own, e->key) || is_text(e->key)))
        return mp_fail(MP_ERR_USAGE, "%s: expected one value, not a list", where);
    w->role[i] = is_row(w, e->key) ? ROW : POINT;
    if (!e->part) return MP_OK;
    if (!o) return mp_fail(MP_ERR_USAGE, "%s: expected a value or a list", where);
    if (w->role[i] == ROW) return mp_fail(MP_ERR_USAGE, "%s: rows are given as a list, not as a range", where);
    return mp_range_read(o, e->part, e->value, e->count, where, &w->range[i]);
}

static mp_err find_roles(work *w)
{
    double points = 1;
    for (int i = 0; i < w->file.count; i++) {
        MP_TRY(find_role(w, i));
        const mp_yaml_entry *e = &w->file.entry[i];
        w->value[i] = e->part ? "" : e->value[0];
        if (w->role[i] == ROW || (w->role[i] == POINT && !e->part)) points *= e->count;
    }
    if (points > MOST_POINTS)
        return mp_fail(MP_ERR_USAGE, "%s: %.0f combinations, at most %d are possible", w->path, points, MOST_POINTS);
    return MP_OK;
}

/* Once the options of the sweep itself are known. */
static mp_err settle_search(work *w)
{
    const sweep *c = w->conf;
    const mp_yaml_entry *range = NULL;
    for (int i = 0; i < w->file.count; i++)
        if (w->file.entry[i].part && !range) range = &w->file.entry[i];
    if (range && c->search == SEARCH_GRID)
        return mp_fail(MP_ERR_USAGE, "%s: a range needs 'search: random' or 'search: halving'", where_is(w, range));
    bool drawn = c->search == SEARCH_RANDOM || (c->search == SEARCH_HALVING && (range || c->points));
    w->draws = !drawn ? 0 : c->points ? c->points : USUAL_POINTS;
    for (int i = 0; i < w->row_names; i++)
        if (!mp_conf_find(mp_config_table, w->rows[i]) && !mp_conf_find(only_file, w->rows[i]))
            return mp_conf_unknown(mp_config_table, w->rows[i], "rows");
    for (int i = 0; i < w->file.count; i++)
        MP_TRY(mp_cli_needed(&mp_cmd_sweep, c, w->file.entry[i].key, where_is(w, &w->file.entry[i])));
    return mp_cli_all_needed(&mp_cmd_sweep, c, w->args);
}

static mp_err set_from_file(work *w, bool mid_only)
{
    for (int i = 0; i < w->file.count; i++) {
        const mp_yaml_entry *e = &w->file.entry[i];
        bool unset = e->part && !*w->value[i]; /* a range before the first draw */
        if ((strcmp(e->key, "mid") == 0) != mid_only || w->role[i] == ASIDE || unset) continue;
        MP_TRY(mp_cli_set(&mp_cmd_sweep, w->conf, e->key, w->value[i], where_is(w, e)));
    }
    return MP_OK;
}

static mp_err set_from_line(work *w, bool mid_only)
{
    for (int i = 0; i < w->args->settings; i++) {
        const mp_cli_setting *s = &w->args->setting[i];
        bool mid = strcmp(s->name, "mid") == 0 || strcmp(s->name, "no-mid") == 0;
        if (mid == mid_only) MP_TRY(mp_cli_set(&mp_cmd_sweep, w->conf, s->name, s->value, s->where));
    }
    return MP_OK;
}

/* The struct for the combination that is up: defaults, those of the data set, mid, the file, the command
 * line. */
static mp_err configure_with(work *w, const char *const *presets)
{
    MP_TRY(mp_cli_apply(&mp_cmd_sweep, w->args, presets, w->conf));
    MP_TRY(set_from_file(w, true));
    MP_TRY(set_from_line(w, true));
    if (w->conf->mid) MP_TRY(mp_cli_set_preset(&mp_cmd_sweep, w->conf, mp_preset_find("mid")->settings));
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

/* What tells a row from the others, beyond what its name in the table says. */
static const char *label(const work *w, const mp_study_row *row)
{
    static const char *const said[] = { "pool", "score-dim", "flip", "drop", "mid", NULL };
    const char *text = NULL;
    for (int i = 0; i < w->file.count; i++) {
        const char *key = w->file.entry[i].key;
        if (w->role[i] != ROW || one_of(key, said) || !mp_study_row_uses(row, key)) continue;
        text = mp_arena_printf(w->args->arena, "%s%s%s %s", text ? text : "", text ? ", " : "", key, w->value[i]);
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
        if (w->role[i] != ROW && w->role[i] != POINT) continue;
        if (o) add_name(names, &n, o->name);
        mp_span mid = mp_span_of(o ? "" : mp_preset_find("mid")->settings), name, value;
        while (mp_conf_next(&mid, &name, &value)) add_name(names, &n, mp_arena_text(w->args->arena, name.p, name.n));
    }
    return names;
}

/* Of the entries of a role; false when all have been. */
static bool next_combination(work *w, role which)
{
    for (int i = w->file.count - 1; i >= 0; i--) {
        const mp_yaml_entry *e = &w->file.entry[i];
        if (w->role[i] != which || e->part) continue;
        bool more = ++w->at[i] < e->count;
        if (!more) w->at[i] = 0;
        w->value[i] = e->value[w->at[i]];
        if (more) return true;
    }
    return false;
}

static void draw_point(work *w, int n)
{
    for (int i = 0; i < w->file.count; i++) {
        const mp_yaml_entry *e = &w->file.entry[i];
        if (w->role[i] != POINT) continue;
        char *text = MP_NEW(w->args->arena, char, MP_DRAWN_SIZE);
        if (e->part)
            mp_range_draw(&w->range[i], w->conf->search_seed, e->key, n, text);
        else
            w->at[i] = mp_list_draw(e->count, w->conf->search_seed, e->key, n);
        w->value[i] = e->part ? text : e->value[w->at[i]];
    }
}

typedef struct place { /* where points are for */
    mp_variants sets;
    mp_dataset *first, *data; /* of the set as it was loaded; of the point that is up */
    const mp_folds *folds;
} place;

/* The configuration of the point that is up, with its data. */
static mp_err configure_point(work *w, place *p)
{
    char line[512];
    MP_TRY(configure(w, p->first));
    p->data = p->first;
    MP_TRY(mp_setup_use(&p->sets, &w->conf->config, p->folds, w->args->arena, &p->data, line, sizeof line));
    if (line[0]) mp_listener_line(&w->study.listener, "%s", line);
    return MP_OK;
}

/* All points of the row that is up. */
static mp_err collect_points(work *w, place *p, mp_buf *out)
{
    bool more = true;
    for (int n = 0; more; n++) {
        mp_config at[MP_GRID_MOST];
        if (w->draws) draw_point(w, n);
        mp_dataset *before = p->data;
        MP_TRY(configure_point(w, p));
        if (n && p->data != before) return mp_fail(MP_ERR_USAGE, "%s: points of one row need one data set", w->path);
        mp_buf_add(out, at, sizeof *at * (size_t)mp_grid_points((mp_grid)w->conf->grid, &w->conf->config, at));
        more = w->draws ? n + 1 < w->draws : next_combination(w, POINT);
    }
    return MP_OK;
}

static bool has_points(const work *w)
{
    for (int i = 0; i < w->file.count; i++)
        if (w->role[i] == POINT) return true;
    return false;
}

static mp_err add_row(work *w, place *p)
{
    mp_study_row *row;
    if (has_points(w)) {
        mp_buf configs = { 0 };
        mp_err e = collect_points(w, p, &configs);
        mp_points list = { 0 };
        int n = (int)(configs.n / sizeof(mp_config));
        if (e == MP_OK) list = mp_points_list((const mp_config *)(const void *)configs.p, n, w->args->arena);
        mp_buf_free(&configs);
        MP_TRY(e);
        if (list.count < w->draws)
            mp_listener_line(&w->study.listener, "%d of %d points that were drawn differ", list.count, w->draws);
        MP_TRY(mp_study_add_points(&w->study, p->data, p->folds, &list, &row));
    } else {
        MP_TRY(configure_point(w, p));
        MP_TRY(mp_study_add(&w->study, p->data, p->folds, &w->conf->config, (mp_grid)w->conf->grid, &row));
    }
    if (row) row->label = label(w, row);
    return MP_OK;
}

static mp_err add_dataset(work *w, const char *name)
{
    mp_arena *a = w->args->arena;
    mp_folds *f = MP_NEW(a, mp_folds, 1);
    place p = { .sets = { .name = name, .data_dir = w->conf->data, .columns = mp_columns_of(&w->conf->columns, true) },
                .folds = f };
    MP_TRY(mp_setup_variant(&p.sets, &w->conf->config, a, &p.first));
    MP_TRY(mp_folds_load(p.first, w->conf->folds_from, w->conf->folds, a, f));
    do MP_TRY(add_row(w, &p));
    while (next_combination(w, ROW));
    return MP_OK;
}

/* Names on the command line win over those of the file. */
static const char *const *names_of(const work *w, const char *given, const char *key, int *n)
{
    if (given) return mp_cli_split(given, w->args->arena, n);
    for (int i = 0; i < w->file.count; i++) {
        if (strcmp(w->file.entry[i].key, key) != 0) continue;
        *n = w->file.entry[i].count;
        return w->file.entry[i].value;
    }
    *n = 0;
    return NULL;
}

static mp_rule rule_of(const sweep *c)
{
    mp_rule r = mp_study_rule(&c->how);
    if (c->search != SEARCH_HALVING) return r;
    r.eta = c->eta;
    r.least = c->least_epochs;
    r.global = c->how.select == MP_SELECT_VAL_GLOBAL || c->how.select == MP_SELECT_PAPER_GLOBAL;
    return r;
}

static mp_err plan(work *w)
{
    int n;
    MP_TRY(mp_yaml_load(w->path, w->args->arena, &w->file));
    w->rows = names_of(w, w->conf->rows, "rows", &w->row_names);
    MP_TRY(find_roles(w));
    MP_TRY(configure(w, NULL));
    MP_TRY(settle_search(w));
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
                           .rule = rule_of(c),
                           .select = (mp_select)c->how.select,
                           .models = c->how.models,
                           .models_all = c->how.models_all,
                           .seeds = c->seeds,
                           .jobs = side.jobs,
                           .lanes = c->group,
                           .group_only = mp_device_only(c->device),
                           .listener = mp_watch_begin(&w->watch, c->quiet, &w->given, swept(w)),
                           .threads = side.threads };
    const char *const *names = names_of(w, c->datasets, "datasets", &n);
    if (n == 0) return mp_fail(MP_ERR_USAGE, "%s: 'datasets' is missing: the list of data sets to try", w->path);
    w->given = mp_given_by(w->args);
    for (int i = 0; i < w->file.count; i++) {
        const mp_yaml_entry *e = &w->file.entry[i];
        for (int k = 0; k < e->count; k++)
            if (!e->part || strcmp(e->part[k], "from") == 0)
                mp_given_add(&w->given, e->key, e->value[k], where_is(w, e));
    }
    for (int i = 0; i < n; i++) MP_TRY(add_dataset(w, names[i]));
    MP_TRY(mp_given_check(&w->given));
    return mp_study_prepare(&w->study);
}

static mp_err go(void *planned, mp_group *group)
{
    work *w = planned;
    mp_study *s = &w->study;
    s->group = group;
    mp_listener_line(&s->listener, "%d rows, %d runs, %d side by side, kept in %s", s->rows, s->plan.count,
                     mp_study_side(s), s->store_path);
    return mp_study_go(s, &w->conf->how);
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    work *w = MP_NEW(args->arena, work, 1);
    *w = (work){ .conf = conf, .args = args, .path = args->operand[0] };
    MP_TRY(plan(w));
    return mp_device_run(w->conf->device, w->conf->quiet, go, w);
}
