/* predictor.c - one graph at a time: answers and explanations of midpool.h.
 *
 * A call fills one arena and empties it again, so after the largest graph nothing is allocated. What an explanation points to
 * stays there until the next call.
 * SPDX-License-Identifier: MIT */
#include "api/api.h"
#include "base/flush.h"
#include "base/guard.h"
#include "data/query.h"

#include <math.h>

typedef struct opening {
    const mp_trained *trained;
    mp_trained *own;
    mp_predictor *made;
} opening;

static mp_err open_predictor(void *arg)
{
    opening *o = arg;
    const mp_kernels *kernels;
    MP_TRY(mp_api_kernels(&kernels));
    mp_arena *keep = mp_arena_new(4096);
    mp_predictor *p = MP_NEW(keep, mp_predictor, 1);
    p->keep = keep;
    p->step = mp_arena_new(65536);
    p->trained = o->trained;
    p->own = o->own;
    p->kernels = kernels;
    p->value = MP_NEW(keep, float, mp_model_outputs(o->trained->model));
    p->answer = MP_NEW(keep, double, mp_model_goal(o->trained->model)->columns);
    o->made = p;
    return MP_OK;
}

mp_err mp_predictor_new(const mp_trained *m, mp_predictor **out)
{
    opening o = { .trained = m };
    MP_TRY(mp_api_need(m && out, "mp_predictor_new"));
    MP_TRY(mp_guarded(open_predictor, &o));
    *out = o.made;
    return MP_OK;
}

void mp_predictor_free(mp_predictor *p)
{
    if (!p) return;
    mp_trained_free(p->own);
    mp_arena_free(p->step);
    mp_arena_free(p->keep); /* p itself is in it */
}

/* A predictor with a model of its own. */
static mp_predictor *owner_of(mp_trained *m)
{
    opening o = { .trained = m, .own = m };
    if (mp_guarded(open_predictor, &o) == MP_OK) return o.made;
    mp_trained_free(m);
    return NULL;
}

mp_predictor *mp_predictor_load(const char *path)
{
    mp_trained *m;
    return mp_trained_load(path, &m) == MP_OK ? owner_of(m) : NULL;
}

mp_predictor *mp_predictor_from(const void *bytes, size_t n)
{
    mp_trained *m;
    return mp_trained_from(bytes, n, &m) == MP_OK ? owner_of(m) : NULL;
}

const char *mp_predictor_error(void)
{
    return mp_message();
}

static mp_trained_info about(const mp_predictor *p)
{
    mp_trained_info info;
    mp_trained_about(p ? p->trained : NULL, &info);
    return info;
}

int mp_predictor_features(const mp_predictor *p)
{
    return about(p).features;
}

int mp_predictor_attributes(const mp_predictor *p)
{
    return about(p).node_attributes;
}

int mp_predictor_label_columns(const mp_predictor *p)
{
    return about(p).node_labels;
}

int mp_predictor_classes(const mp_predictor *p)
{
    return about(p).classes;
}

int64_t mp_predictor_class(const mp_predictor *p, int i)
{
    int64_t value = 0;
    mp_err e = mp_trained_class(p ? p->trained : NULL, i, &value, NULL);
    return e == MP_OK ? value : 0;
}

/* ---- the answer ---- */

static mp_answer answer_from(mp_predictor *p, const mp_real *told)
{
    const mp_goal *g = mp_model_goal(p->trained->model);
    const mp_about *known = &p->trained->about;
    int n = mp_model_outputs(p->trained->model);
    double *shown = MP_NEW_RAW(p->step, double, n);
    g->task->answer(g, told, p->answer);
    g->task->show(g, told, shown);
    for (int i = 0; i < n; i++) p->value[i] = (float)shown[i];
    mp_answer out = { .class_index = -1, .outputs = n, .value = p->value, .targets = g->columns, .answer = p->answer };
    if (g->task->classes) out.class_index = (int)p->answer[0];
    out.label = g->task->classes ? known->class_value[out.class_index] : (int64_t)rint(p->answer[0]);
    return out;
}

static bool finite_all(const mp_real *v, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

static mp_err not_finite(void)
{
    return mp_fail(MP_ERR_DIVERGED, "the model's output is not finite");
}

typedef struct asking {
    mp_predictor *p;
    const mp_query *in; /* NULL: graph `graph` of ... */
    const mp_data *data;
    int graph;
    mp_answer *out;
    mp_explanation *why;
} asking;

static mp_err build(const asking *q, mp_graph *g, mp_sparse *x)
{
    int unseen;
    const mp_recipe *r = &q->p->trained->about.recipe;
    if (!q->in) return mp_api_pick(q->data, q->graph, r, q->p->step, g, x);
    return mp_query_build(r, q->in, q->p->step, g, x, &unseen);
}

static mp_err answer(void *arg)
{
    const asking *q = arg;
    mp_predictor *p = q->p;
    mp_model *m = p->trained->model;
    mp_graph g;
    mp_sparse x;
    MP_TRY(build(q, &g, &x));
    MP_TRY(mp_model_accepts(m, &g));
    mp_ctx c = { .arena = p->step, .k = p->kernels };
    mp_params_bind(mp_model_params(m), &c, NULL);
    unsigned before = mp_flush_on();
    mp_mat *raw = mp_model_forward(m, &c, &g, &x, NULL, NULL, NULL);
    mp_flush_off(before);
    if (c.diverged || !finite_all(raw->v, raw->cols)) return not_finite();
    mp_real *told = MP_NEW_RAW(p->step, mp_real, raw->cols);
    mp_model_goal(m)->task->tell(mp_model_goal(m), p->kernels, told, raw->v, 1);
    *q->out = answer_from(p, told);
    return MP_OK;
}

/* The last explanation is no more. */
static void begin(mp_predictor *p)
{
    if (p->told) mp_arena_reset(p->step);
    p->told = false;
}

bool mp_predict(mp_predictor *p, const mp_query *graph, mp_answer *out)
{
    if (mp_api_need(p && graph && out, "mp_predict") != MP_OK) return false;
    begin(p);
    bool done = mp_guarded(answer, &(asking){ .p = p, .in = graph, .out = out }) == MP_OK;
    mp_arena_reset(p->step); /* here, not at the next call: joining its pieces allocates */
    return done;
}

/* ---- the explanation ---- */

static mp_level level_of(const mp_trail_level *l)
{
    return (mp_level){ .nodes = l->nodes,
                       .columns = l->columns,
                       .keep = l->keep,
                       .node = l->node,
                       .score = l->score,
                       .gate = l->gate,
                       .key = l->key,
                       .kept = l->kept,
                       .order = l->order,
                       .edges = l->edges,
                       .from = l->from,
                       .to = l->to };
}

_Static_assert(MP_LEVELS == MP_LEVELS_MOST, "an explanation has room for every level of a network");

static mp_err explain(void *arg)
{
    const asking *q = arg;
    mp_graph g;
    mp_sparse x;
    mp_trail_of_graph t;
    MP_TRY(build(q, &g, &x));
    MP_TRY(mp_trail_run(q->p->trained->model, &g, &x, 0, q->p->step, &t));
    if (!finite_all(t.told, t.outputs)) return not_finite();
    *q->why = (mp_explanation){ .answer = answer_from(q->p, t.told), .levels = t.levels };
    for (int i = 0; i < t.levels; i++) q->why->level[i] = level_of(&t.level[i]);
    return MP_OK;
}

static mp_err explained(asking *q)
{
    begin(q->p);
    q->p->told = true;
    return mp_guarded(explain, q);
}

mp_err mp_explain(mp_predictor *p, const mp_query *graph, mp_explanation *out)
{
    MP_TRY(mp_api_need(p && graph && out, "mp_explain"));
    return explained(&(asking){ .p = p, .in = graph, .why = out });
}

mp_err mp_explain_data(mp_predictor *p, const mp_data *d, int graph, mp_explanation *out)
{
    MP_TRY(mp_api_need(p && d && out, "mp_explain_data"));
    return explained(&(asking){ .p = p, .data = d, .graph = graph, .why = out });
}
