/* trained.c - trained models of midpool.h: files, what they know, answers and metrics for whole data sets.
 * SPDX-License-Identifier: MIT */
#include "api/api.h"
#include "base/crew.h"
#include "base/guard.h"
#include "data/query.h"
#include "data/seal.h"
#include "train/engine.h"

#include <stdio.h>
#include <string.h>

mp_err mp_api_need(bool all, const char *call)
{
    return all ? MP_OK : mp_fail(MP_ERR_USAGE, "%s: an argument is NULL that must not be", call);
}

mp_err mp_api_kernels(const mp_kernels **out)
{
    *out = mp_kernels_get();
    return *out ? MP_OK : mp_fail(MP_ERR_USAGE, "MIDPOOL_ISA: this machine does not have these instructions");
}

/* ---- files ---- */

typedef struct opening {
    mp_span bytes;
    const char *path; /* NULL: bytes, called ... */
    const char *name;
    mp_trained *made;
} opening;

static mp_err open_model(void *arg)
{
    opening *o = arg;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_trained *m = MP_NEW(a, mp_trained, 1);
    m->arena = a;
    mp_err e = o->path ? mp_checkpoint_load(o->path, a, &m->model, &m->about)
                       : mp_checkpoint_parse(o->bytes, o->name, a, &m->model, &m->about);
    if (e == MP_OK) e = mp_task_of_graphs(mp_model_goal(m->model)->task, o->path ? o->path : o->name);
    if (e != MP_OK) mp_arena_free(a);
    o->made = m;
    return e;
}

static mp_err opened(opening o, mp_trained **out)
{
    MP_TRY(mp_guarded(open_model, &o));
    *out = o.made;
    return MP_OK;
}

mp_err mp_api_parse(mp_span bytes, const char *name, mp_trained **out)
{
    return opened((opening){ .bytes = bytes, .name = name }, out);
}

mp_err mp_trained_load(const char *path, mp_trained **out)
{
    MP_TRY(mp_api_need(path && out, "mp_trained_load"));
    return opened((opening){ .path = path }, out);
}

mp_err mp_trained_from(const void *bytes, size_t n, mp_trained **out)
{
    MP_TRY(mp_api_need(bytes && out, "mp_trained_from"));
    return mp_api_parse((mp_span){ bytes, n }, "model", out);
}

typedef struct saving {
    const mp_trained *m;
    const char *path; /* NULL: sink */
    mp_err (*sink)(void *state, const void *bytes, size_t n);
    void *state;
} saving;

static mp_err save(void *arg)
{
    const saving *s = arg;
    return mp_checkpoint_save(s->path, s->m->model, &s->m->about);
}

static mp_err write_to_sink(void *arg)
{
    const saving *s = arg;
    mp_buf bytes = MP_BUF_LOCAL;
    mp_checkpoint_write(s->m->model, &s->m->about, &bytes);
    mp_err e = s->sink(s->state, bytes.p, bytes.n);
    mp_buf_free(&bytes);
    return e;
}

mp_err mp_trained_save(const mp_trained *m, const char *path)
{
    MP_TRY(mp_api_need(m && path, "mp_trained_save"));
    return mp_guarded(save, &(saving){ .m = m, .path = path });
}

mp_err mp_trained_write(const mp_trained *m, mp_err (*sink)(void *state, const void *bytes, size_t n), void *state)
{
    MP_TRY(mp_api_need(m && sink, "mp_trained_write"));
    return mp_guarded(write_to_sink, &(saving){ .m = m, .sink = sink, .state = state });
}

void mp_trained_free(mp_trained *m)
{
    if (m) mp_arena_free(m->arena); /* m itself is in it */
}

/* ---- what it knows ---- */

void mp_trained_about(const mp_trained *m, mp_trained_info *out)
{
    if (!out) return;
    *out = (mp_trained_info){ .task = "", .metric = "", .method = "", .dataset = "" };
    if (!m) return;
    const mp_goal *g = mp_model_goal(m->model);
    const mp_recipe *r = &m->about.recipe;
    *out = (mp_trained_info){ .task = g->task->name,
                              .metric = g->metric->name,
                              .method = mp_model_config(m->model)->pool,
                              .dataset = m->about.dataset,
                              .features = mp_model_features(m->model),
                              .node_labels = r->label_columns,
                              .node_attributes = mp_recipe_attributes(r),
                              .edge_labels = r->edge_label_columns,
                              .edge_attributes = r->edge_attributes,
                              .outputs = mp_model_outputs(m->model),
                              .targets = g->columns,
                              .classes = m->about.classes,
                              .weights = mp_params_count(mp_model_params(m->model)) };
}

mp_err mp_trained_class(const mp_trained *m, int i, int64_t *value, const char **name)
{
    MP_TRY(mp_api_need(m, "mp_trained_class"));
    int n = m->about.class_names ? m->about.class_names : m->about.classes;
    if (i < 0 || i >= n)
        return mp_fail(MP_ERR_USAGE, "there is no class %d; classes are numbered from 0 and there are %d", i, n);
    if (value) *value = m->about.class_value ? m->about.class_value[i] : i;
    if (name) *name = m->about.class_name ? m->about.class_name[i] : NULL;
    return MP_OK;
}

bool mp_trained_weight(const mp_trained *m, int i, mp_weight *out)
{
    const mp_params *p = m ? mp_model_params(m->model) : NULL;
    if (!p || !out || i < 0 || i >= p->count) return false;
    const mp_param *q = &p->list[i];
    *out = (mp_weight){ .name = q->name, .dims = q->dims, .count = 1, .trained = !q->buffer };
    for (int k = 0; k < q->dims; k++) {
        out->shape[k] = q->shape[k];
        out->count *= (size_t)q->shape[k];
    }
    return true;
}

mp_err mp_trained_values(const mp_trained *m, int i, float *out)
{
    mp_weight w;
    MP_TRY(mp_api_need(m && out, "mp_trained_values"));
    if (!mp_trained_weight(m, i, &w)) return mp_fail(MP_ERR_USAGE, "there is no weight %d", i);
    mp_param_write(mp_model_params(m->model), i, out);
    return MP_OK;
}

typedef struct asking_option {
    const mp_trained *m;
    const char *name;
    char *out;
    size_t room;
} asking_option;

static mp_err get_option(void *arg)
{
    const asking_option *q = arg;
    char text[128];
    const mp_opt *o = mp_conf_find(mp_config_table, q->name);
    if (!o || strcmp(o->name, q->name) != 0) return mp_conf_unknown(mp_config_table, q->name, q->name);
    mp_conf_get(o, mp_model_config(q->m->model), text, sizeof text);
    if (strlen(text) >= q->room) return mp_fail(MP_ERR_LIMIT, "%s: '%s' needs more room", q->name, text);
    strcpy(q->out, text);
    return MP_OK;
}

mp_err mp_trained_option(const mp_trained *m, const char *name, char *out, size_t room)
{
    MP_TRY(mp_api_need(m && name && out, "mp_trained_option"));
    return mp_guarded(get_option, &(asking_option){ m, name, out, room });
}

/* ---- answers and metrics ---- */

typedef struct asking {
    const mp_trained *m;
    const mp_data *d;
    const int *which;
    int n, threads;
    float *value; /* mp_predict_data; may be NULL */
    double *answer;
    mp_metric_value *measure; /* mp_evaluate; NULL: the other call */
    int *count;
    mp_arena *arena;
    mp_dataset data;
    mp_engine *engine;
} asking;

static mp_err check_graphs(const asking *q)
{
    int graphs = q->d->raw.graphs.graphs;
    if (q->n < 0) return mp_fail(MP_ERR_USAGE, "%d graphs were asked for", q->n);
    for (int i = 0; q->which && i < q->n; i++)
        if (q->which[i] < 0 || q->which[i] >= graphs)
            return mp_fail(MP_ERR_USAGE, "there is no graph %d; %s has graphs 0 to %d", q->which[i], q->d->raw.name,
                           graphs - 1);
    if (q->which && q->n == 0) return mp_fail(MP_ERR_USAGE, "no graphs were asked for");
    return MP_OK;
}

/* All graphs that there are. */
static void list_graphs(asking *q)
{
    q->n = q->data.graphs.graphs;
    int *all = MP_NEW_RAW(q->arena, int, q->n);
    for (int b = 0; b < q->n; b++) all[b] = b;
    q->which = all;
}

/* Metrics need labels, which are of whole sets; answers are made of the graphs that were asked for and no others. */
static mp_err build(asking *q)
{
    mp_dataset_as as = mp_about_as(q->m->model, &q->m->about);
    if (q->measure) {
        MP_TRY(mp_api_build(q->d, &as, q->arena, &q->data));
        if (!q->data.seal) return mp_fail(MP_ERR_INPUT, "%s has no labels of graphs to compare with", q->data.name);
        if (!q->which) list_graphs(q);
        return MP_OK;
    }
    MP_TRY(mp_api_inputs(q->d, q->which, q->n, &as, q->arena, &q->data));
    list_graphs(q);
    return MP_OK;
}

static void put_answers(const asking *q, const mp_real *told)
{
    const mp_goal *g = mp_model_goal(q->m->model);
    int outputs = mp_goal_outputs(g);
    double *shown = MP_NEW_RAW(q->arena, double, outputs), *answer = MP_NEW_RAW(q->arena, double, g->columns);
    for (int i = 0; i < q->n; i++, told += outputs) {
        g->task->show(g, told, shown);
        g->task->answer(g, told, answer);
        for (int o = 0; q->value && o < outputs; o++)
            q->value[(size_t)i * (size_t)outputs + (size_t)o] = (float)shown[o];
        for (int t = 0; q->answer && t < g->columns; t++)
            q->answer[(size_t)i * (size_t)g->columns + (size_t)t] = answer[t];
    }
}

static mp_err put_measures(const asking *q, const mp_real *told)
{
    const mp_goal *g = mp_model_goal(q->m->model);
    const mp_metric *list[MP_METRICS_MOST];
    mp_metric_value made[MP_METRICS_ROOM];
    int n = mp_metrics_of(g->task, list);
    if (n > MP_METRICS_ROOM) n = MP_METRICS_ROOM;
    for (int i = 0; i < n; i++) {
        made[i] = (mp_metric_value){ .value = mp_seal_measure(q->data.seal, list[i], g, q->which, q->n, told) };
        snprintf(made[i].name, sizeof made[i].name, "%s", list[i]->name);
    }
    memcpy(q->measure, made, (size_t)n * sizeof *made);
    *q->count = n;
    return MP_OK;
}

static mp_err run_engine(void *arg)
{
    const asking *q = arg;
    mp_batch b = { .all = &q->data.graphs, .x = &q->data.x, .which = q->which, .n = q->n };
    mp_real *told = MP_NEW_RAW(q->arena, mp_real, (size_t)q->n * (size_t)mp_goal_outputs(mp_model_goal(q->m->model)));
    MP_TRY(mp_engine_predict(q->engine, &b, told));
    if (q->measure) return put_measures(q, told);
    put_answers(q, told);
    return MP_OK;
}

static mp_err ask_in(asking *q)
{
    const mp_kernels *unused;
    MP_TRY(mp_api_kernels(&unused));
    MP_TRY(check_graphs(q));
    MP_TRY(build(q));
    q->engine = mp_engine_new(q->m->model, q->threads > 0 ? q->threads : mp_cpu_count());
    mp_err e = mp_guarded(run_engine, q); /* the engine has threads, which giving up would leave behind */
    mp_engine_free(q->engine);
    return e;
}

static mp_err ask(void *arg)
{
    asking *q = arg;
    q->arena = mp_arena_new(1 << 16);
    mp_err e = ask_in(q);
    mp_arena_free(q->arena);
    return e;
}

static mp_err check_threads(int threads)
{
    return threads >= 0 && threads <= 256 ? MP_OK
                                          : mp_fail(MP_ERR_USAGE, "threads: expected 0 to 256, got %d", threads);
}

mp_err mp_predict_data(const mp_trained *m, const mp_data *d, const int *which, int n, int threads, float *value,
                       double *answer)
{
    MP_TRY(mp_api_need(m && d, "mp_predict_data"));
    MP_TRY(check_threads(threads));
    return mp_guarded(
        ask, &(asking){ .m = m, .d = d, .which = which, .n = n, .threads = threads, .value = value, .answer = answer });
}

mp_err mp_evaluate(const mp_trained *m, const mp_data *d, const int *which, int n, int threads,
                   mp_metric_value out[MP_METRICS_ROOM], int *count)
{
    MP_TRY(mp_api_need(m && d && out && count, "mp_evaluate"));
    MP_TRY(check_threads(threads));
    return mp_guarded(
        ask, &(asking){ .m = m, .d = d, .which = which, .n = n, .threads = threads, .measure = out, .count = count });
}
