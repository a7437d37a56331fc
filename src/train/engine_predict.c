/* engine_predict.c - an engine's forward half alone: outputs of graphs, as the task tells them (engine.h).
 * SPDX-License-Identifier: MIT */
#include "base/flush.h"
#include "train/update.h"

#include <math.h>

static mp_err predict_one(void *arg)
{
    const mp_turn *t = arg;
    mp_engine *e = t->engine;
    const mp_goal *goal = mp_model_goal(e->model);
    mp_shard *s = &e->shards[t->index];
    mp_ctx c = mp_engine_context(e, t->index - e->first, t->worker);
    c.validating = e->validating;
    mp_params_bind_at(e->params, &c, e->theta, NULL);
    mp_mat *aux, *y = mp_engine_forward(e, &c, s, &aux);
    if (e->lane) {
        size_t n = (size_t)y->rows * (size_t)y->cols;
        s->raw = MP_NEW_RAW(c.arena, mp_real, n);
        s->rows_out = y->rows;
        mp_lane_down(e->lane, s->raw, y->v, n * sizeof *s->raw);
    } else {
        goal->task->tell(goal, c.k, e->out + s->row * (size_t)y->cols, y->v, y->rows);
    }
    s->told.nan = c.diverged;
    return MP_OK;
}

static void predict_shard(void *arg, int index, int worker)
{
    mp_engine_guarded(arg, predict_one, index, worker);
}

size_t mp_batch_rows(const mp_batch *b, const mp_model *m)
{
    size_t rows = 0;
    if (!mp_model_goal(m)->task->nodes) return (size_t)b->n;
    for (int i = 0; i < b->n; i++) rows += (size_t)mp_batch_nodes(b, i);
    return rows;
}

static void place_rows(mp_engine *e)
{
    size_t row = 0;
    for (int s = 0; s < e->shard_count; s++) {
        mp_batch part = *e->batch;
        part.which += e->shards[s].from;
        part.n = e->shards[s].to - e->shards[s].from;
        e->shards[s].row = row;
        row += mp_batch_rows(&part, e->model);
    }
}

/* Outputs of a sheet's shards that have come back, as the task tells them. */
static mp_err tell_outputs(mp_engine *e, int from, int to, const mp_told *told)
{
    const mp_goal *goal = mp_model_goal(e->model);
    MP_TRY(mp_engine_settle(e));
    unsigned before = mp_flush_on();
    for (int i = from; i < to; i++) {
        mp_shard *s = &e->shards[i];
        s->told = told[i - from];
        goal->task->tell(goal, mp_kernels_get(), e->out + s->row * (size_t)mp_model_outputs(e->model), s->raw,
                         s->rows_out);
    }
    mp_flush_off(before);
    return MP_OK;
}

static void predict_next(void *arg, int index, int worker)
{
    mp_engine *e = arg;
    predict_shard(arg, e->first + index, worker);
}

/* Some shards at a time: those of a sheet have their elements side by side. */
static mp_err predict_in_lane(mp_engine *e)
{
    for (int from = 0; from < e->shard_count; from += MP_SHEET_SHARDS) {
        int n = e->shard_count - from < MP_SHEET_SHARDS ? e->shard_count - from : MP_SHEET_SHARDS;
        e->first = from;
        MP_TRY(mp_engine_open(e, n));
        mp_engine_each(e, n, predict_next, e);
        MP_TRY(mp_engine_failed(e));
        const mp_told *told = mp_engine_told(e, n);
        mp_lane_submit(e->lane);
        MP_TRY(tell_outputs(e, from, from + n, told));
    }
    e->first = 0;
    return MP_OK;
}

mp_err mp_engine_predict(mp_engine *e, const mp_batch *b, mp_real *out)
{
    if (b->n == 0) return MP_OK;
    mp_assert(b->x->cols == mp_model_features(e->model));
    MP_TRY(mp_model_accepts(e->model, b->all));
    e->batch = b;
    e->out = out;
    mp_engine_shards(e, b, false);
    place_rows(e);
    if (e->lane)
        MP_TRY(predict_in_lane(e));
    else
        mp_crew_run(e->crew, e->shard_count, predict_shard, e);
    MP_TRY(mp_engine_failed(e));
    for (int s = 0; s < e->shard_count; s++)
        if (e->shards[s].told.nan) return mp_fail(MP_ERR_DIVERGED, "a score is not a number");
    for (size_t i = 0, n = mp_batch_rows(b, e->model) * (size_t)mp_model_outputs(e->model); i < n; i++)
        if (!isfinite(out[i])) return mp_fail(MP_ERR_DIVERGED, "an output is not finite");
    return MP_OK;
}

mp_err mp_engine_validate(mp_engine *e, const mp_batch *b, mp_real *out)
{
    e->validating = true;
    mp_err err = mp_engine_predict(e, b, out);
    e->validating = false;
    return err;
}

double mp_engine_loss(const mp_engine *e, const mp_batch *b, const mp_real *out)
{
    const mp_goal *goal = mp_model_goal(e->model);
    int outputs = mp_goal_outputs(goal);
    double sum = 0;
    for (int i = 0; i < b->n; i++) {
        int row = mp_labels_row(&b->labels, b->which[i]), end = mp_labels_row(&b->labels, b->which[i] + 1);
        for (; row < end; row++, out += outputs)
            sum += goal->task->cost(goal, out, b->labels.v + (size_t)row * (size_t)goal->columns);
    }
    return sum;
}
