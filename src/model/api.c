/* api.c - the public interface of midpool.h: a model file on one side, arrays on the other.
 *
 * Every call fills one arena and empties it again, so after the largest graph nothing is allocated. Memory that cannot be
 * had, or a graph too large for an operator, ends the call with a status: each is under a guard.
 * SPDX-License-Identifier: MIT */
#include "base/flush.h"
#include "base/guard.h"
#include "midpool.h"
#include "data/query.h"
#include "model/checkpoint.h"

#include <math.h>
#include <string.h>

struct mp_predictor {
    mp_arena *keep; /* the model */
    mp_arena *step; /* one graph */
    mp_model *model;
    mp_about about;
    const mp_kernels *kernels;
    float *value;
};

typedef struct opening {
    mp_span bytes;
    const char *path; /* NULL: bytes */
    mp_predictor *made;
} opening;

static mp_err open_any(void *arg)
{
    opening *o = arg;
    mp_arena *keep = mp_arena_new(65536);
    mp_predictor *p = MP_NEW(keep, mp_predictor, 1);
    o->made = p;
    p->keep = keep;
    p->step = mp_arena_new(65536);
    p->kernels = mp_kernels_get();
    if (!p->kernels) return mp_fail(MP_ERR_USAGE, "MIDPOOL_ISA: this machine does not have these instructions");
    if (o->path)
        MP_TRY(mp_checkpoint_load(o->path, p->keep, &p->model, &p->about));
    else
        MP_TRY(mp_checkpoint_parse(o->bytes, "model", p->keep, &p->model, &p->about));
    p->value = MP_NEW(p->keep, float, mp_model_outputs(p->model));
    return MP_OK;
}

static mp_err open_whole(void *arg)
{
    opening *o = arg;
    mp_err e = open_any(o);
    if (e != MP_OK) mp_predictor_free(o->made);
    return e;
}

static mp_predictor *opened(opening o)
{
    return mp_guarded(open_whole, &o) == MP_OK ? o.made : NULL;
}

mp_predictor *mp_predictor_load(const char *path)
{
    if (path) return opened((opening){ .path = path });
    mp_fail(MP_ERR_USAGE, "mp_predictor_load: the path is NULL");
    return NULL;
}

mp_predictor *mp_predictor_from(const void *bytes, size_t n)
{
    if (bytes) return opened((opening){ .bytes = { bytes, n } });
    mp_fail(MP_ERR_USAGE, "mp_predictor_from: the bytes are NULL");
    return NULL;
}

void mp_predictor_free(mp_predictor *p)
{
    if (!p) return;
    mp_arena_free(p->step);
    mp_arena_free(p->keep); /* p itself is in it */
}

const char *mp_predictor_error(void)
{
    return mp_message();
}

int mp_predictor_features(const mp_predictor *p)
{
    return p ? mp_model_features(p->model) : 0;
}

int mp_predictor_attributes(const mp_predictor *p)
{
    return p ? mp_recipe_attributes(&p->about.recipe) : 0;
}

int mp_predictor_label_columns(const mp_predictor *p)
{
    return p ? p->about.recipe.label_columns : 0;
}

int mp_predictor_classes(const mp_predictor *p)
{
    return p ? p->about.classes : 0;
}

int64_t mp_predictor_class(const mp_predictor *p, int i)
{
    if (i >= 0 && i < mp_predictor_classes(p)) return p->about.class_value[i];
    mp_fail(MP_ERR_USAGE, "there is no class %d; classes are numbered from 0 and there are %d", i,
            mp_predictor_classes(p));
    return 0;
}

/* ---- the answer ---- */

static void answer_from(mp_predictor *p, const mp_mat *raw, mp_answer *out)
{
    const mp_goal *g = mp_model_goal(p->model);
    int n = mp_model_outputs(p->model);
    mp_real *told = MP_NEW_RAW(p->step, mp_real, n);
    double *shown = MP_NEW_RAW(p->step, double, n), *answer = MP_NEW_RAW(p->step, double, g->columns);
    g->task->tell(g, p->kernels, told, raw->v, 1);
    g->task->answer(g, told, answer);
    g->task->show(g, told, shown);
    for (int i = 0; i < n; i++) p->value[i] = (float)shown[i];
    *out = (mp_answer){ .class_index = g->task->classes ? (int)answer[0] : -1, .outputs = n, .value = p->value };
    out->label = g->task->classes ? p->about.class_value[(int)answer[0]] : (int64_t)rint(answer[0]);
}

static bool finite_all(const mp_mat *m)
{
    size_t n = (size_t)m->rows * (size_t)m->cols;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(m->v[i])) return false;
    return true;
}

typedef struct asking {
    mp_predictor *p;
    const mp_query *in;
    mp_answer *out;
} asking;

static mp_err answer(void *arg)
{
    const asking *a = arg;
    mp_predictor *p = a->p;
    mp_graph g;
    mp_sparse x;
    int unseen;
    MP_TRY(mp_query_build(&p->about.recipe, a->in, p->step, &g, &x, &unseen));
    MP_TRY(mp_model_accepts(p->model, &g));
    mp_ctx c = { .arena = p->step, .k = p->kernels };
    mp_params_bind(mp_model_params(p->model), &c, NULL);
    unsigned before = mp_flush_on();
    mp_mat *raw = mp_model_forward(p->model, &c, &g, &x, NULL, NULL, NULL);
    mp_flush_off(before);
    if (c.diverged || !finite_all(raw)) return mp_fail(MP_ERR_DIVERGED, "the model's output is not finite");
    answer_from(p, raw, a->out);
    return MP_OK;
}

bool mp_predict(mp_predictor *p, const mp_query *graph, mp_answer *out)
{
    if (!p || !graph || !out) {
        mp_fail(MP_ERR_USAGE, "mp_predict: the predictor, the graph or the answer is NULL");
        return false;
    }
    bool done = mp_guarded(answer, &(asking){ p, graph, out }) == MP_OK;
    mp_arena_reset(p->step); /* here, not at the next call: joining its pieces allocates */
    return done;
}
