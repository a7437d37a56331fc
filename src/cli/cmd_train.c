/* cmd_train.c - midpool train: one run on one split.
 * SPDX-License-Identifier: MIT */
#include "base/halt.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/device.h"
#include "cli/given.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "report/score.h"
#include "study/forecast.h"
#include "study/prepare.h"
#include "train/once.h"
#include "train/resume.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAVE_SECONDS 5.0

typedef struct train {
    mp_config config;
    mp_column_options columns;
    const char *out, *data, *folds_from, *preset;
    int fold, folds, threads, device, resume, json, quiet;
} train;

/* clang-format off */
static const mp_opt own[] = {
    { "fold", MP_OPT_INT, offsetof(train, fold), "1", 1, 100, NULL, "which fold tests; the one before it validates", MP_COMMON },
    { "folds", MP_OPT_INT, offsetof(train, folds), "0", 0, 100, NULL, "number of folds; 0 = as the fold files have, else 10" },
    { "threads", MP_OPT_INT, offsetof(train, threads), "0", 0, 256, NULL, "threads; 0 = all processors. The result does not depend on it", MP_COMMON },
    MP_DEVICE_ROW(train),
    { "resume", MP_OPT_FLAG, offsetof(train, resume), "true", 0, 1, NULL, "continue a run that was stopped (OUT.part)" },
    { "json", MP_OPT_FLAG, offsetof(train, json), "false", 0, 1, NULL, "the result as one JSON object on stdout", MP_COMMON },
    MP_COLUMN_STRICT(train),
    { "quiet", MP_OPT_FLAG, offsetof(train, quiet), "false", 0, 1, NULL, "no progress" },
    { 0 }
};
static const mp_cli_text texts[] = {
    { "out", offsetof(train, out), NULL, "FILE", "where the model goes (safetensors); not saved when not given", MP_COMMON },
    { "data", offsetof(train, data), NULL, "DIR", "folder with data sets" },
    { "preset", offsetof(train, preset), NULL, "NAMES", MP_SETUP_PRESET_HELP, MP_COMMON },
    { "folds-from", offsetof(train, folds_from), NULL, "FILE", "folds: JSON, or a folder or zip of {train,test}_idx-K.txt" },
    MP_COLUMN_TEXTS(train), MP_COLUMN_SPLIT(train),
    { 0 }
};
/* clang-format on */
static const mp_cli_group groups[] = {
    { "this command", own, 0 },
    { "model and training", mp_config_table, offsetof(train, config) },
    { 0 },
};
static mp_err run(void *conf, const mp_cli_args *args);
const mp_cli mp_cmd_train = {
    .name = "train",
    .operands = "DATASET",
    .summary = "Trains one model on one split and says how good it is on validation and test graphs.",
    .examples = "midpool train MUTAG --pool sag --mid --out mutag.safetensors\n"
                "midpool train mine.jsonl --pool topk --ratio 0.8 --hidden 64 --epochs 200",
    .more = "DATASET is a name (midpool data list), a folder or zip of TUDataset or OGB files, JSON lines, GraphML, a "
            "folder of graphs.csv, nodes.csv and edges.csv, or a table of molecules (docs/own-data.md).",
    .least = 1,
    .most = 1,
    .size = sizeof(train),
    .groups = groups,
    .texts = texts,
    .has_model = true,
    .run = run
};

static void on_news(void *state, const mp_fit_news *n)
{
    mp_progress *p = state;
    bool best = n->best_epoch == n->epoch, last = n->epoch == n->epochs;
    double left = n->epochs > n->epoch ? mp_progress_seconds(p) / n->epoch * (n->epochs - n->epoch) : 0;
    char aux[48] = "", value[64];
    const mp_metric *m = mp_metric_of(n->metric);
    mp_metric_unit(m, n->last.val_metric, value, sizeof value);
    if (n->aux != 0) mp_format(aux, sizeof aux, ", auxiliary loss %.4f", n->aux);
    if (!p->terminal && (n->epoch % 10 == 0 || n->epoch == 1 || best || last))
        mp_progress_line(p, "epoch %d: train loss %.4f%s, val loss %.4f, val %s %s%s", n->epoch, n->last.train_loss,
                         aux, n->last.val_loss, m->title, value, best ? " (best)" : "");
    mp_progress_now(p, left, "epoch %d of at most %d\t: val loss %.4f\t, best %.4f at epoch %d\t, train loss %.4f",
                    n->epoch, n->epochs, n->last.val_loss, n->best_loss, n->best_epoch, n->last.train_loss);
}

static void on_note(void *state, const char *line)
{
    mp_progress_line(state, "%s", line);
}

static void on_warning(void *state, const char *line)
{
    mp_progress_end(state);
    if (!*mp_halt_asked()) mp_cli_say("midpool: %s", line); /* also when quiet; the message of a stop says it again */
}

static void print_json(const train *t, const mp_run_key *key, const mp_run_result *r, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_setup_result_json(key, r, b);
    mp_json_add_text(b, "model", t->out);
    mp_json_key(b, "config");
    mp_config_to_full_json(&key->config, b);
    mp_json_close(b, '}');
    mp_buf_puts(b, "\n");
}

static void print_text(const train *t, const mp_split *s, const mp_run_result *r, mp_buf *b)
{
    char time[32];
    mp_buf_printf(b, "%d epoch%s in %s, best epoch %d%s\n", r->epochs, mp_plural(r->epochs),
                  mp_duration(r->seconds, time), r->best_epoch,
                  r->hit_cap && t->config.patience ? " (the cap on epochs ended it)" : "");
    const mp_metric *m = mp_metric_of(r->metric);
    char text[64];
    mp_metric_unit(m, r->val_metric, text, sizeof text);
    mp_buf_printf(b, "validation: %s %s, loss %.4f (%d graph%s)\n", m->title, text, r->val_loss, s->n_val,
                  mp_plural(s->n_val));
    mp_metric_unit(m, r->test_metric, text, sizeof text);
    if (s->n_test) mp_buf_printf(b, "test: %s %s (%d graph%s)\n", m->title, text, s->n_test, mp_plural(s->n_test));
    mp_metric_unit(m, r->large_metric, text, sizeof text);
    if (!isnan(r->large_metric)) mp_buf_printf(b, "larger test graphs: %s %s\n", m->title, text);
    mp_metric_unit(m, r->large_c_metric, text, sizeof text);
    if (!isnan(r->large_c_metric)) mp_buf_printf(b, "larger test graphs, other colours: %s %s\n", m->title, text);
    if (t->out)
        mp_buf_printf(b, "model: %s (sha256 %s)\n", t->out, r->model_sha256);
    else
        mp_buf_printf(b, "model: not saved, --out FILE saves it (sha256 %s)\n", r->model_sha256);
}

/* Where the unfinished run is kept; NULL: nowhere. A device has no place beside it. */
static const char *resume_file(const train *t, mp_arena *a)
{
    struct stat st;
    bool device = t->out && stat(t->out, &st) == 0 && !S_ISREG(st.st_mode);
    return t->out && t->resume && !device ? mp_arena_printf(a, "%s.part", t->out) : NULL;
}

static mp_err load(train *t, const mp_cli_args *args, mp_dataset *d, mp_folds *f, const mp_split **s)
{
    mp_arena *a = args->arena;
    mp_variants sets = { .name = args->operand[0], .data_dir = t->data, .columns = mp_columns_of(&t->columns, true) };
    mp_dataset *as_given, *as_used;
    MP_TRY(mp_setup_variant(&sets, &t->config, a, &as_given));
    const char *const *presets;
    MP_TRY(mp_presets_for(as_given, t->config.pool, t->preset, a, &presets));
    MP_TRY(mp_cli_apply(&mp_cmd_train, args, presets, t));
    MP_TRY(mp_setup_variant(&sets, &t->config, a, &as_used));
    *d = *as_used;
    MP_TRY(mp_given_settle(args, d->task, &t->config));
    MP_TRY(mp_run_check(d, &t->config));
    if (mp_device_only(t->device)) MP_TRY(mp_run_check_gpu(d, &t->config));
    MP_TRY(mp_study_prepare_data(d, &t->config, mp_setup_threads(t->threads), NULL, a));
    MP_TRY(mp_folds_load(d, t->folds_from, t->folds, a, f));
    if (t->fold > f->count)
        return mp_fail(MP_ERR_USAGE, "--fold: %s has %d fold%s", d->name, f->count, mp_plural(f->count));
    *s = &f->split[t->fold - 1];
    MP_TRY(mp_setup_writable(t->out));
    MP_TRY(mp_setup_writable(resume_file(t, a)));
    mp_workload work = { d, &t->config, (*s)->train, (*s)->n_train, mp_setup_threads(t->threads), 1 };
    mp_forecast unused;
    return mp_forecast_memory(&work, &unused);
}

/* What was trained and cannot be written is kept, so that the same command only has to write it. */
static mp_err save_model(const train *t, mp_model *model, const mp_dataset *d, const mp_fit_options *o)
{
    mp_about about = mp_about_of(d, model);
    if (!t->out) return MP_OK;
    mp_err e = mp_checkpoint_save(t->out, model, &about);
    if (e == MP_OK && o->resume) unlink(o->resume);
    if (e == MP_OK || !o->resume || o->end->epoch == 0) return e;
    char why[1024];
    snprintf(why, sizeof why, "%s", mp_message());
    if (mp_resume_save(o->resume, o->identity, o->end) == MP_OK)
        return mp_fail(e, "%s; the trained model is kept in %s, the same command writes it again", why, o->resume);
    return mp_fail(e, "%s; training could not be kept either%s", why,
                   access(o->resume, F_OK) == 0 ? ", the same command continues from the last save" : "");
}

static mp_err fit_and_save(train *t, const mp_cli_args *args, const mp_dataset *d, const mp_folds *f, const mp_split *s,
                           mp_group *group, mp_progress *p, mp_buf *out)
{
    mp_arena *a = args->arena;
    mp_run_key key = mp_run_key_of(d, f, s, &t->config);
    char identity[65];
    mp_run_identity(&key, identity);
    mp_resume end;
    mp_fit_options o = { .news = on_news,
                         .note = on_note,
                         .warn = on_warning,
                         .state = p,
                         .resume = resume_file(t, a),
                         .identity = identity,
                         .save_every = SAVE_SECONDS,
                         .stop = mp_halt_asked(),
                         .group = group,
                         .end = &end };
    mp_run_result r;
    mp_model *model;
    mp_halt halt;
    mp_halt_begin(&halt, false);
    mp_err e = mp_run_once(d, s, &key, mp_setup_threads(t->threads), &o, a, &r, &model);
    mp_progress_end(p);
    if (e != MP_OK && *mp_halt_asked()) return e;
    if (e != MP_OK) return mp_fail_within(e, "%s", d->name);
    MP_TRY(save_model(t, model, d, &o));
    if (t->json)
        print_json(t, &key, &r, out);
    else
        print_text(t, s, &r, out);
    return mp_cli_print(out->p, out->n);
}

/* auto: what the GPU cannot do, this processor does. */
static mp_group *settled(const train *t, const mp_dataset *d, mp_group *group, mp_progress *p)
{
    if (t->device != MP_DEVICE_AUTO || !group || mp_run_check_gpu(d, &t->config) == MP_OK) return group;
    mp_progress_line(p, "%s", mp_message());
    return NULL;
}

static mp_err go(void *asked, mp_group *group)
{
    const mp_device_use *use = asked;
    train *t = use->conf;
    const mp_cli_args *args = use->args;
    mp_dataset d;
    mp_folds f;
    const mp_split *s = NULL;
    mp_progress p;
    MP_TRY(load(t, args, &d, &f, &s));
    mp_progress_init(&p, t->quiet);
    char line[512], model[128];
    mp_setup_describe(&d, &f, line, sizeof line);
    mp_setup_model_name(&t->config, model, sizeof model);
    mp_progress_line(&p, "%s", line);
    mp_progress_line(&p, "%s, fold %d of %d, seed %d: %d graphs train, %d validate, %d test", model, t->fold, f.count,
                     t->config.seed, s->n_train, s->n_val, s->n_test);
    mp_buf out = { 0 };
    mp_err e = fit_and_save(t, args, &d, &f, s, settled(t, &d, group, &p), &p, &out);
    mp_buf_free(&out);
    return e;
}

static mp_err run(void *conf, const mp_cli_args *args)
{
    const train *t = conf;
    return mp_device_run(t->device, t->quiet, go, &(mp_device_use){ conf, args });
}
