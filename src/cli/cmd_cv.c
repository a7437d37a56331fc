/* cmd_cv.c - midpool cv: folds x seeds x grid points, the paper's protocol, into a store.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/device.h"
#include "cli/setup.h"
#include "cli/study_go.h"
#include "cli/watch.h"
#include "cli/workers.h"

#include <string.h>

typedef struct cv {
    mp_config config;
    mp_column_options columns;
    mp_study_options how;
    const char *pools, *store, *data, *folds_from, *preset, *part;
    int seeds, folds, jobs, threads, workers, device, group, grid, quiet;
} cv;

/* clang-format off */
static const mp_opt own[] = {
    { "seeds", MP_OPT_INT, offsetof(cv, seeds), "10", 1, 100000, NULL, "number of seeds, from --seed on", MP_COMMON },
    { "folds", MP_OPT_INT, offsetof(cv, folds), "0", 0, 100, NULL, "number of folds; 0 = as the fold files have, else 10" },
    { "grid", MP_OPT_CHOICE, offsetof(cv, grid), "none", 0, 0, "none|code|paper", "MID settings to try: code = h 1,5,9 x drop 0,0.1,0.2; paper = h 5,9 x drop 0.1,0.2", MP_COMMON },
    MP_STUDY_ROWS(cv),
    { "jobs", MP_OPT_INT, offsetof(cv, jobs), "0", 0, 256, NULL, "runs side by side; 0 = all processors", MP_COMMON },
    { "threads", MP_OPT_INT, offsetof(cv, threads), "0", 0, 256, NULL, "threads of one run; 0 = 1, or all processors when --jobs is 1" },
    MP_WORKERS_ROW(cv),
    MP_DEVICE_ROW(cv),
    MP_GROUP_ROW(cv),
    MP_COLUMN_STRICT(cv),
    { "quiet", MP_OPT_FLAG, offsetof(cv, quiet), "false", 0, 1, NULL, "no progress" },
    { 0 }
};
static const mp_cli_text texts[] = {
    { "pool", offsetof(cv, pools), "sag", "NAMES", "pooling operators, a,b,c (midpool ops lists them)" },
    { "store", offsetof(cv, store), "midpool.db", "FILE", "where finished runs are kept, and looked up; or postgresql://USER@HOST/DATABASE", MP_COMMON },
    MP_STUDY_TEXTS(cv),
    { "part", offsetof(cv, part), NULL, "I/N", MP_SETUP_PART_HELP },
    { "data", offsetof(cv, data), NULL, "DIR", "folder with data sets" },
    { "preset", offsetof(cv, preset), NULL, "NAMES", MP_SETUP_PRESET_HELP },
    { "folds-from", offsetof(cv, folds_from), NULL, "FILE", "folds: JSON, or a folder or zip of {train,test}_idx-K.txt" },
    MP_COLUMN_TEXTS(cv), MP_COLUMN_SPLIT(cv),
    { 0 }
};
/* clang-format on */
static const mp_cli_group groups[] = {
    { "this command", own, 0 },
    { "model and training", mp_config_table, offsetof(cv, config) },
    { 0 },
};
static mp_err run(void *conf, const mp_cli_args *args);
const mp_cli mp_cmd_cv = {
    .name = "cv",
    .operands = "DATASET[,DATASET...]",
    .summary = "Cross-validation over folds and seeds. Started again it continues: finished runs are in the store.",
    .examples = "midpool cv MUTAG --pool sag,topk --mid --seeds 3 --store r.db\n"
                "midpool cv PROTEINS,NCI1 --pool sag --mid --grid code --store r.db --dry-run",
    .more = "With several methods an option is for those that have it. The result depends on neither --jobs nor "
            "--threads.",
    .least = 1,
    .most = 1,
    .size = sizeof(cv),
    .groups = groups,
    .texts = texts,
    .has_model = true,
    .run = run
};

/* Each method with the settings that belong to it. */
static mp_err add_models(const cv *c, const mp_cli_args *args, mp_variants *sets, mp_dataset *d, const mp_folds *f,
                         mp_study *s)
{
    int n;
    char line[512];
    const char *const *pools = mp_cli_split(c->pools, s->arena, &n);
    if (n == 0) return mp_fail(MP_ERR_USAGE, "--pool: expected the name of an operator (midpool ops lists them)");
    for (int i = 0; i < n; i++) {
        cv own_defaults;
        const char *const *presets;
        MP_TRY(mp_presets_for(d, pools[i], c->preset, s->arena, &presets));
        MP_TRY(mp_cli_apply(&mp_cmd_cv, args, presets, &own_defaults));
        mp_config config = own_defaults.config;
        memset(config.pool, 0, sizeof config.pool);
        MP_TRY(mp_conf_set(mp_config_table, &config, "pool", pools[i], "--pool"));
        MP_TRY(mp_setup_use(sets, &config, f, s->arena, &d, line, sizeof line));
        if (line[0]) mp_listener_line(&s->listener, "%s", line);
        MP_TRY(mp_study_add(s, d, f, &config, (mp_grid)c->grid, NULL));
    }
    return MP_OK;
}

static mp_err add_dataset(cv *c, const char *name, const mp_cli_args *args, mp_study *s)
{
    mp_arena *a = args->arena;
    mp_variants sets = { .name = name, .data_dir = c->data, .columns = mp_columns_of(&c->columns, true) };
    mp_dataset *d;
    mp_folds *f = MP_NEW(a, mp_folds, 1);
    MP_TRY(mp_setup_variant(&sets, &c->config, a, &d));
    MP_TRY(mp_folds_load(d, c->folds_from, c->folds, a, f));
    return add_models(c, args, &sets, d, f, s);
}

static mp_err go(void *asked, mp_group *group)
{
    const mp_device_use *use = asked;
    cv *c = use->conf;
    const mp_cli_args *args = use->args;
    int n;
    const char *const *names = mp_cli_split(args->operand[0], args->arena, &n);
    if (n == 0) return mp_fail(MP_ERR_USAGE, "expected the name of a data set (midpool data list)");
    MP_TRY(mp_cli_all_needed(&mp_cmd_cv, c, args));
    MP_TRY(mp_setup_writable(c->store));
    mp_side side;
    MP_TRY(mp_workers_side(c->workers, c->jobs, c->threads, &side));
    mp_given given = mp_given_by(args);
    mp_watch watch;
    mp_part part;
    MP_TRY(mp_part_read(c->part, &part));
    mp_study s = { .arena = args->arena,
                   .store_path = c->store,
                   .command = args->line,
                   .rule = mp_study_rule(&c->how),
                   .select = (mp_select)c->how.select,
                   .models = c->how.models,
                   .models_all = c->how.models_all,
                   .part = part,
                   .seeds = c->seeds,
                   .jobs = side.jobs,
                   .group = group,
                   .lanes = c->group,
                   .group_only = mp_device_only(c->device),
                   .listener = mp_watch_begin(&watch, c->quiet, &given, NULL),
                   .threads = side.threads };
    for (int i = 0; i < n; i++) MP_TRY(add_dataset(c, names[i], args, &s));
    MP_TRY(mp_given_check(&given));
    MP_TRY(mp_study_prepare(&s));
    mp_listener_line(&s.listener, "%d runs, %d side by side, kept in %s", s.plan.count, mp_study_side(&s), c->store);
    return mp_study_go(&s, &c->how);
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    const cv *c = conf;
    return mp_device_run(c->device, c->quiet, go, &(mp_device_use){ conf, args });
}
