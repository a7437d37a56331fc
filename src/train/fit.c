/* fit.c - epochs until early stopping says enough. Read fit.h and stop.h first.
 *
 * The state of a run between two epochs is: weights, best weights, optimiser, counters, curve. All of it is
 * in mp_resume, which is why saving is one call and continuing is the same loop from a later epoch.
 * SPDX-License-Identifier: MIT */
#include "train/fit.h"
#include "base/clock.h"
#include "train/resume.h"
#include "train/sched.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Training: fields of mp_config itself. */
/* clang-format off */
#define AT(field) offsetof(mp_config, field)
static const mp_opt training_rows[] = {
    { "batch-size", MP_OPT_INT, AT(batch_size), "128", 1, 1e6, NULL, "graphs a step", MP_COMMON },
    { "epochs", MP_OPT_INT, AT(epochs), "500", 0, 1e6, NULL, "most epochs", MP_COMMON },
    { "patience", MP_OPT_INT, AT(patience), "50", 0, 1e6, NULL, "stop after more than this many epochs without a better validation loss (see stop-on); 0 = never", MP_COMMON },
    { "seed", MP_OPT_INT, AT(seed), "42", 0, 2147483647, NULL, "seed of all randomness", MP_COMMON },
    { "lr", MP_OPT_REAL, AT(lr), "0.0005", 0, 10, NULL, "learning rate", MP_COMMON },
    { "weight-decay", MP_OPT_REAL, AT(weight_decay), "0.0001", 0, 10, NULL, "L2 added to the gradient" },
    { "beta1", MP_OPT_REAL, AT(beta1), "0.9", 0, 0.9999, NULL, "Adam's first decay" },
    { "clip", MP_OPT_REAL, AT(clip), "0", 0, 1e6, NULL, "largest norm of the gradient; 0 = no clipping" },
    { "stop-on", MP_OPT_CHOICE, AT(stop_on), "loss", 0, 0, "loss|metric|train-loss", "what makes an epoch better: loss or metric of the validation graphs, or the loss of training itself" },
    { 0 }
};
#undef AT
/* clang-format on */
const mp_option_set mp_training_options = { training_rows, 0, NULL, "training" };

typedef struct run {
    mp_engine *engine;
    mp_model *model;
    const mp_config *config;
    const mp_fit_data *data;
    const mp_fit_options *options;
    mp_arena *scratch; /* emptied after each measurement */
    int *order;        /* training graphs in the order of this epoch */
    mp_resume now;
    double *losses;        /* of each step of an epoch: that of the task, the auxiliary one */
    double aux;            /* the auxiliary loss of this epoch, a mean over the graphs */
    double started, saved; /* wall clock: of this start; of the last save */
    bool warned;           /* that saving fails: once, until it works again */
} run;

static bool stop_asked(const mp_fit_options *o)
{
    return o->stop && *o->stop;
}

static void say(void (*listener)(void *, const char *), const mp_fit_options *o, const char *line)
{
    if (listener) listener(o->state, line);
}

/* ---- measuring ---- */

/* Outputs for the listed graphs, and their labels beside them. */
static mp_err predict(mp_engine *e, const mp_model *m, const mp_fit_data *d, const int *which, int n, mp_arena *a,
                      mp_batch *b, mp_judged *j)
{
    *b = (mp_batch){ d->graphs, d->x, which, n, d->labels };
    size_t rows = mp_batch_rows(b, m);
    mp_real *out = MP_NEW_RAW(a, mp_real, rows * (size_t)mp_model_outputs(m));
    *j = (mp_judged){ mp_model_goal(m), (int)rows, out, mp_labels_take(&d->labels, which, n, a) };
    return mp_engine_validate(e, b, out);
}

mp_err mp_fit_measure(mp_engine *e, mp_model *m, const mp_fit_data *d, const int *which, int n, mp_arena *scratch,
                      double *loss, double *metric)
{
    mp_batch b;
    mp_judged j;
    MP_TRY(predict(e, m, d, which, n, scratch, &b, &j));
    int64_t terms = mp_labels_known(&d->labels, which, n);
    *loss = mp_engine_loss(e, &b, j.told) / (double)(terms ? terms : 1);
    *metric = mp_measure(j.goal->metric, &j);
    return MP_OK;
}

static mp_err validate(run *r, double *loss, double *metric)
{
    mp_err e = mp_fit_measure(r->engine, r->model, r->data, r->data->val, r->data->n_val, r->scratch, loss, metric);
    mp_arena_reset(r->scratch);
    return e;
}

/* Every metric of the validation graphs, with the weights that are taken. */
static mp_err measure_all(run *r, mp_run_result *out)
{
    const mp_goal *goal = mp_model_goal(r->model);
    const mp_metric *list[MP_METRICS_MOST];
    mp_batch b;
    mp_judged j;
    snprintf(out->task, sizeof out->task, "%s", goal->task->name);
    snprintf(out->metric, sizeof out->metric, "%s", goal->metric->name);
    MP_TRY(predict(r->engine, r->model, r->data, r->data->val, r->data->n_val, r->scratch, &b, &j));
    out->measures = mp_metrics_of(goal->task, list);
    for (int i = 0; i < out->measures; i++) {
        mp_measured *m = &out->measure[i];
        *m = (mp_measured){ .val = mp_measure(list[i], &j) };
        m->test = m->large = m->large_c = (double)NAN;
        snprintf(m->name, sizeof m->name, "%s", list[i]->name);
    }
    mp_arena_reset(r->scratch);
    return MP_OK;
}

/* ---- one epoch ---- */

/* The batch that begins at graph `at` of this epoch's order. */
static mp_batch batch_at(const run *r, int at)
{
    const mp_fit_data *d = r->data;
    int left = d->n_train - at, n = left < r->config->batch_size ? left : r->config->batch_size;
    return (mp_batch){ d->graphs, d->x, r->order + at, n, d->labels };
}

static mp_draw draw_of(const run *r, int epoch, int step)
{
    return (mp_draw){ (uint64_t)r->config->seed, (uint64_t)r->data->fold, (uint64_t)epoch, (uint64_t)step };
}

/* One update on the auxiliary loss: its sum over the batches, divided by the number of graphs (math.md 5.7). */
static mp_err train_aux(run *r, int epoch, int steps)
{
    int N = r->data->n_train;
    r->aux = 0;
    for (int step = 0; step < steps; step++) {
        mp_batch b = batch_at(r, step * r->config->batch_size);
        MP_TRY(mp_engine_aux_add(r->engine, &b, draw_of(r, epoch, steps + step), 1.0 / N, &r->losses[2 * step]));
    }
    MP_TRY(mp_engine_aux_update(r->engine));
    MP_TRY(mp_engine_settle(r->engine));
    for (int step = 0; step < steps; step++)
        r->aux += r->losses[2 * step] * batch_at(r, step * r->config->batch_size).n / N;
    return MP_OK;
}

static mp_err train_epoch(run *r, int epoch, double *loss)
{
    const mp_fit_data *d = r->data;
    int size = r->config->batch_size, steps = d->n_train / size + (d->n_train % size != 0);
    mp_rng shuffle = mp_rng_stream((uint64_t)r->config->seed, MP_FOR_SHUFFLE, (uint64_t)d->fold, (uint64_t)epoch, 0);
    memcpy(r->order, d->train, sizeof *r->order * (size_t)d->n_train);
    mp_rng_shuffle(&shuffle, r->order, d->n_train);
    double sum = 0, terms = 0;
    r->aux = 0;
    for (int step = 0; step < steps; step++) {
        mp_batch b = batch_at(r, step * size);
        mp_engine_rate(r->engine, mp_sched_factor(r->config, epoch, step, steps));
        MP_TRY(mp_engine_train(r->engine, &b, draw_of(r, epoch, step), &r->losses[2 * step], &r->losses[2 * step + 1]));
    }
    MP_TRY(mp_engine_settle(r->engine));
    for (int step = 0; step < steps; step++) {
        mp_batch b = batch_at(r, step * size);
        double known = (double)mp_labels_known(&d->labels, b.which, b.n);
        sum += r->losses[2 * step] * known;
        terms += known;
        r->aux += r->losses[2 * step + 1] * b.n / d->n_train;
    }
    *loss = terms > 0 ? sum / terms : 0;
    return mp_model_aux_apart(r->model) ? train_aux(r, epoch, steps) : MP_OK;
}

static void tell(const run *r)
{
    if (!r->options->news) return;
    const mp_resume *now = &r->now;
    mp_fit_news n = { .epoch = now->epoch,
                      .epochs = r->config->epochs,
                      .best_epoch = now->stop.best_epoch,
                      .since = now->stop.since,
                      .best_loss = now->stop.best,
                      .last = now->curve[now->epoch - 1],
                      .aux = r->aux,
                      .seconds_per_epoch = now->train_seconds / now->epoch };
    snprintf(n.metric, sizeof n.metric, "%s", mp_model_goal(r->model)->metric->name);
    r->options->news(r->options->state, &n);
}

/* What an epoch is compared by: smaller is better. */
static mp_err cost_of(const run *r, const mp_epoch *point, double *cost)
{
    const mp_metric *m = mp_model_goal(r->model)->metric;
    *cost = r->config->stop_on == MP_STOP_ON_TRAIN_LOSS ? point->train_loss : point->val_loss;
    if (r->config->stop_on != MP_STOP_ON_METRIC) return MP_OK;
    *cost = m->larger ? -point->val_metric : point->val_metric;
    if (!isnan(*cost)) return MP_OK;
    return mp_fail(MP_ERR_INPUT,
                   "stop-on: %s of the validation graphs is not defined; take another metric, or the loss", m->title);
}

static mp_err one_epoch(run *r)
{
    mp_resume *now = &r->now;
    int epoch = now->epoch + 1;
    mp_epoch *point = &now->curve[epoch - 1];
    double before = mp_seconds();
    mp_err e = train_epoch(r, epoch, &point->train_loss);
    now->train_seconds += mp_seconds() - before;
    if (e == MP_OK) e = validate(r, &point->val_loss, &point->val_metric);
    if (e != MP_OK) return mp_fail_within(e, "epoch %d", epoch);
    now->epoch = epoch;
    double cost;
    MP_TRY(cost_of(r, point, &cost));
    if (mp_stop_better(&now->stop, epoch, cost)) MP_TRY(mp_engine_weights(r->engine, now->best));
    tell(r);
    return MP_OK;
}

/* ---- saving and continuing ---- */

static mp_err gather_state(run *r)
{
    double wall = mp_seconds();
    r->now.all_seconds += wall - r->started;
    r->started = r->saved = wall;
    MP_TRY(mp_engine_weights(r->engine, mp_model_params(r->model)->theta));
    return mp_engine_state_get(r->engine, r->now.state);
}

static mp_err save(run *r)
{
    MP_TRY(gather_state(r));
    return mp_resume_save(r->options->resume, r->options->identity, &r->now);
}

static mp_err stop_here(run *r)
{
    const mp_fit_options *o = r->options;
    char why[1024];
    if (!o->resume) return mp_fail(MP_ERR_IO, "stopped after epoch %d", r->now.epoch);
    if (save(r) == MP_OK) return mp_fail(MP_ERR_IO, "stopped after epoch %d; the same command continues", r->now.epoch);
    snprintf(why, sizeof why, "stopped after epoch %d, and the run could not be saved: %s", r->now.epoch, mp_message());
    say(o->warn, o, why);
    return mp_fail(MP_ERR_IO, "%s", why);
}

/* A disk that is full now need not be so later, and the run itself does not need it. */
static void save_if_due(run *r)
{
    const mp_fit_options *o = r->options;
    char line[1200];
    if (!o->resume || o->save_every <= 0 || mp_seconds() - r->saved < o->save_every) return;
    bool failed = save(r) != MP_OK;
    snprintf(line, sizeof line, "epoch %d could not be saved, training goes on: %s", r->now.epoch, mp_message());
    if (failed && !r->warned) say(o->warn, o, line);
    r->warned = failed;
}

/* Fresh weights, or those of the resume file. The sizes of the file are checked against this run, so reading
 * it in place is safe; a failure halfway is repaired by starting afresh. */
static mp_err begin(run *r)
{
    const mp_fit_options *o = r->options;
    mp_params *p = mp_model_params(r->model);
    mp_stop_init(&r->now.stop, r->config->patience);
    r->now.theta = p->theta;
    mp_engine_renew(r->engine);
    MP_TRY(mp_engine_state_get(r->engine, r->now.state));
    if (o->resume && access(o->resume, F_OK) == 0) {
        char line[1200];
        if (mp_resume_load(o->resume, o->identity, r->config->epochs, &r->now) == MP_OK) {
            MP_TRY(mp_engine_state_set(r->engine, r->now.state));
            snprintf(line, sizeof line, "continuing after epoch %d (%s)", r->now.epoch, o->resume);
            say(o->note, o, line);
            return MP_OK;
        }
        snprintf(line, sizeof line, "%s is not used: %s", o->resume, mp_message());
        say(o->warn, o, line);
        r->now.epoch = 0;
        r->now.train_seconds = r->now.all_seconds = 0;
        mp_stop_init(&r->now.stop, r->config->patience);
    }
    mp_params_init(p, (uint64_t)r->config->seed, (uint64_t)r->data->fold);
    memcpy(r->now.best, p->theta, sizeof *r->now.best * p->size);
    return MP_OK;
}

static void report(const run *r, mp_run_result *out)
{
    const mp_resume *now = &r->now;
    *out = (mp_run_result){ .epochs = now->epoch,
                            .best_epoch = now->stop.best_epoch,
                            .hit_cap = !mp_stop_now(&now->stop),
                            .test_metric = (double)NAN,
                            .large_metric = (double)NAN,
                            .large_c_metric = (double)NAN,
                            .train_loss = (double)NAN,
                            .curve_len = now->epoch,
                            .curve = now->curve };
    if (now->stop.best_epoch > 0) {
        const mp_epoch *best = &now->curve[now->stop.best_epoch - 1];
        out->train_loss = best->train_loss;
        out->val_loss = best->val_loss;
        out->val_metric = best->val_metric;
    }
    out->seconds = now->all_seconds + mp_seconds() - r->started;
    out->seconds_per_epoch = now->epoch ? now->train_seconds / now->epoch : 0;
}

static mp_err loop(run *r)
{
    while (r->now.epoch < r->config->epochs && !mp_stop_now(&r->now.stop)) {
        MP_TRY(one_epoch(r));
        if (stop_asked(r->options)) return stop_here(r);
        if (r->options->enough && *r->options->enough) break;
        save_if_due(r);
    }
    return MP_OK;
}

static mp_err fit_in(run *r, mp_run_result *out)
{
    mp_params *p = mp_model_params(r->model);
    MP_TRY(begin(r));
    MP_TRY(loop(r));
    memcpy(p->theta, r->now.best, sizeof *p->theta * p->size);
    mp_engine_renew(r->engine);
    report(r, out);
    if (r->now.epoch == 0) MP_TRY(validate(r, &out->val_loss, &out->val_metric)); /* a cap of no epochs at all */
    MP_TRY(measure_all(r, out));
    if (r->options->end) {
        MP_TRY(gather_state(r));
        *r->options->end = r->now;
    }
    return MP_OK;
}

mp_err mp_fit(mp_engine *e, mp_model *m, const mp_fit_data *d, const mp_fit_options *o, mp_arena *a, mp_run_result *out)
{
    mp_assert(d->n_train > 0 && d->n_val > 0);
    mp_assert(!o->resume || o->identity);
    const mp_params *p = mp_model_params(m);
    const mp_config *config = mp_model_config(m);
    double start = mp_seconds();
    run r = { .engine = e, .model = m, .config = config, .data = d, .options = o, .started = start, .saved = start };
    r.scratch = mp_arena_new(65536);
    r.order = MP_NEW(a, int, d->n_train);
    r.losses = MP_NEW(a, double, 2 * ((size_t)d->n_train / (size_t)config->batch_size + 1));
    r.now.weights = p->size;
    r.now.best = MP_NEW(a, mp_real, p->size);
    r.now.curve = MP_NEW_RAW(a, mp_epoch, config->epochs + 1);
    r.now.state_bytes = mp_engine_state_size(e);
    r.now.state = MP_NEW(a, char, r.now.state_bytes);
    mp_err err = fit_in(&r, out);
    mp_arena_free(r.scratch);
    return err;
}
