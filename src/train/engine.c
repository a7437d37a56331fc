/* engine.c - see engine.h.
 * SPDX-License-Identifier: MIT */
#include "train/engine.h"
#include "base/crew.h"

#include <math.h>
#include <string.h>

#define SHARD_NODES  640   /* a few hundred rows of every level stay in a core's second-level cache */
#define UPDATE_CHUNK 16384 /* weights a thread updates at a time */
#define BETA2        0.999
#define EPSILON      1e-8

typedef struct shard {
    int from, to;  /* of the batch's list of graphs */
    mp_real *grad; /* gradients of this shard */
    bool *live;    /* per parameter: it got one */
    double loss, aux, flops;
    bool diverged;
} shard;

struct mp_engine {
    mp_model *model;
    mp_params *params;
    mp_crew *crew;
    const mp_kernels *kernels;
    mp_arena **step;  /* one per thread, emptied after each shard */
    mp_arena *memory; /* the engine's own */
    shard *shards;
    int shard_count, shard_cap;
    mp_real *m, *v;   /* Adam's moments */
    int64_t *updates; /* per parameter: updates so far */
    const mp_batch *batch;
    mp_draw draw;
    mp_real *out; /* mp_engine_predict */
    double flops;
    double rate;       /* of the configured learning rate */
    double aux_weight; /* of the auxiliary loss in this pass */
    bool aux_only;     /* this pass has no other loss */
    shard total;       /* mp_engine_aux_add: the gradient so far; grad NULL until the first */
};

mp_engine *mp_engine_new(mp_model *m, int threads)
{
    mp_arena *a = mp_arena_new(1 << 16);
    mp_engine *e = MP_NEW(a, mp_engine, 1);
    e->model = m;
    e->params = mp_model_params(m);
    e->memory = a;
    e->kernels = mp_kernels_get();
    mp_assert(e->kernels != NULL);
    e->rate = 1;
    e->crew = mp_crew_new(threads);
    e->step = MP_NEW(a, mp_arena *, mp_crew_size(e->crew));
    for (int i = 0; i < mp_crew_size(e->crew); i++) e->step[i] = mp_arena_new(1 << 20);
    e->m = MP_NEW(a, mp_real, e->params->size);
    e->v = MP_NEW(a, mp_real, e->params->size);
    e->updates = MP_NEW(a, int64_t, e->params->count);
    return e;
}

void mp_engine_free(mp_engine *e)
{
    if (!e) return;
    for (int i = 0; i < mp_crew_size(e->crew); i++) mp_arena_free(e->step[i]);
    mp_crew_free(e->crew);
    mp_arena_free(e->memory);
}

static int nodes_of(const mp_batch *b, int i)
{
    return b->all->node_ptr[b->which[i] + 1] - b->all->node_ptr[b->which[i]];
}

/* Whole graphs, cut where equal shares of the nodes end. Looks at nothing but the batch. */
static void cut(mp_engine *e, const mp_batch *b, bool gradients)
{
    int64_t total = 0, before = 0;
    for (int i = 0; i < b->n; i++) total += nodes_of(b, i);
    int64_t want = (total + SHARD_NODES / 2) / SHARD_NODES;
    if (want < 1 || (gradients && mp_model_whole_batch(e->model))) want = 1;
    if (want > b->n) want = b->n;
    if (e->shard_cap < want) {
        shard *more = MP_NEW(e->memory, shard, want);
        if (e->shard_cap) memcpy(more, e->shards, (size_t)e->shard_cap * sizeof *more);
        e->shards = more;
        e->shard_cap = (int)want;
    }
    int count = 0;
    int64_t last = -1;
    for (int i = 0; i < b->n; i++) {
        int64_t middle = 2 * before + nodes_of(b, i), at = total ? middle * want / (2 * total) : 0;
        if (at == want) at--; /* a graph without nodes at the very end */
        if (at != last) {
            e->shards[count++].from = i;
            last = at;
        }
        e->shards[count - 1].to = i + 1;
        before += nodes_of(b, i);
    }
    e->shard_count = count;
    for (int s = 0; gradients && s < count; s++) {
        if (e->shards[s].grad) continue;
        e->shards[s].grad = MP_NEW_RAW(e->memory, mp_real, e->params->size);
        e->shards[s].live = MP_NEW(e->memory, bool, e->params->count);
    }
}

static mp_mat *loss_of(const mp_engine *e, mp_ctx *c, const shard *s, mp_mat *y)
{
    const mp_batch *b = e->batch;
    int n = s->to - s->from;
    mp_real scale = (mp_real)(1.0 / b->n);
    if (mp_model_classifies(e->model)) {
        int *label = MP_NEW_RAW(c->arena, int, n);
        for (int i = 0; i < n; i++) label[i] = b->label[b->which[s->from + i]];
        return mp_xent(c, y, label, scale, NULL);
    }
    mp_real *target = MP_NEW_RAW(c->arena, mp_real, n);
    for (int i = 0; i < n; i++) target[i] = (mp_real)b->target[b->which[s->from + i]];
    return mp_mse(c, y, target, scale);
}

static mp_mat *forward(const mp_engine *e, mp_ctx *c, const shard *s, mp_mat **aux)
{
    mp_graph *g = MP_NEW(c->arena, mp_graph, 1);
    mp_sparse *x = MP_NEW(c->arena, mp_sparse, 1);
    mp_graph_gather(c->arena, e->batch->all, e->batch->x, e->batch->which + s->from, s->to - s->from, g, x);
    return mp_model_forward(e->model, c, g, x, NULL, NULL, aux);
}

/* Parameters that only the auxiliary loss trains get no gradient from the other one. */
static void hold_apart(const mp_engine *e, mp_ctx *c)
{
    for (int id = 0; !e->aux_only && id < e->params->count; id++)
        if (e->params->list[id].apart) c->params[id].g = NULL;
}

/* The crew, when the batch is one shard and leaves it nothing else to do. */
static mp_crew *idle(const mp_engine *e)
{
    return e->shard_count == 1 ? e->crew : NULL;
}

static void train_shard(void *arg, int index, int worker)
{
    mp_engine *e = arg;
    shard *s = &e->shards[index];
    mp_ctx c = { .arena = e->step[worker], .k = e->kernels, .record = true, .training = true, .crew = idle(e) };
    c.rng = mp_rng_stream(e->draw.seed, MP_FOR_STEP, e->draw.fold, e->draw.epoch << 32 | e->draw.step, (uint64_t)index);
    mp_arena_reset(c.arena);
    mp_params_bind(e->params, &c, s->grad);
    hold_apart(e, &c);
    mp_mat *aux, *y = forward(e, &c, s, &aux), *loss = loss_of(e, &c, s, y);
    if (!e->aux_only) mp_grad_zeroed(loss)[0] = 1;
    /* An auxiliary loss is a mean over the shard's graphs: weigh it by the shard's share of the batch. */
    mp_real share = (mp_real)(s->to - s->from) / (mp_real)e->batch->n;
    if (aux && e->aux_weight > 0) mp_grad_zeroed(aux)[0] = (mp_real)e->aux_weight * share;
    mp_tape_back(&c);
    s->loss = (double)loss->v[0];
    s->aux = aux ? (double)(share * aux->v[0]) : 0;
    s->diverged = c.diverged;
    s->flops = c.flops;
    for (int id = 0; id < e->params->count; id++) s->live[id] = c.params[id].live;
}

/* Adds the shards' gradients of one chunk in the order of the shards, and updates its weights. */
typedef struct update {
    mp_engine *e;
    mp_real scale;      /* of the gradient, from clipping */
    double *squares;    /* per chunk: its part of the squared norm */
    const mp_adam *how; /* per parameter */
    const int *first;   /* per parameter: the first shard with a gradient, or -1 */
    const int *chunk_param;
    const size_t *chunk_from;
} update;

typedef struct chunk {
    int id;
    size_t at, n;
    mp_real *sum; /* the gradient, in the first shard's block */
} chunk;

static chunk chunk_of(const update *u, int index)
{
    int id = u->chunk_param[index];
    const mp_param *p = &u->e->params->list[id];
    size_t from = u->chunk_from[index], n = (size_t)p->rows * (size_t)p->cols - from;
    if (n > UPDATE_CHUNK) n = UPDATE_CHUNK;
    return (chunk){ id, p->offset + from, n, u->e->shards[u->first[id]].grad + p->offset + from };
}

static void add_shards(const mp_engine *e, const update *u, const chunk *k)
{
    for (int s = u->first[k->id] + 1; s < e->shard_count; s++)
        if (e->shards[s].live[k->id]) e->kernels->axpy(k->sum, 1, e->shards[s].grad + k->at, true, k->n);
}

static void sum_chunk(void *arg, int index, int worker)
{
    update *u = arg;
    chunk k = chunk_of(u, index);
    (void)worker;
    add_shards(u->e, u, &k);
    double square = 0;
    for (size_t i = 0; i < k.n; i++) square += (double)k.sum[i] * (double)k.sum[i];
    u->squares[index] = square;
}

static void update_chunk(void *arg, int index, int worker)
{
    update *u = arg;
    mp_engine *e = u->e;
    chunk k = chunk_of(u, index);
    (void)worker;
    if (!u->squares) add_shards(e, u, &k);
    if (u->scale != 1) e->kernels->axpy(k.sum, u->scale, k.sum, false, k.n);
    e->kernels->adam(e->params->theta + k.at, e->m + k.at, e->v + k.at, k.sum, &u->how[k.id], k.n);
}

/* Clipping needs the norm of the whole gradient first: one pass to add up, one to update. */
static void clip(update *u, int chunks, double most)
{
    mp_engine *e = u->e;
    u->squares = MP_NEW(e->step[0], double, chunks);
    mp_crew_run(e->crew, chunks, sum_chunk, u);
    double norm = 0;
    for (int i = 0; i < chunks; i++) norm += u->squares[i];
    norm = sqrt(norm);
    if (norm > most) u->scale = (mp_real)(most / (norm + 1e-6));
}

static double power(double base, int64_t n)
{
    double result = 1;
    for (; n > 0; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return result;
}

static mp_adam adam_for(const mp_config *conf, double rate, int64_t t)
{
    return (mp_adam){ (mp_real)(conf->lr * rate / (1 - power(conf->beta1, t))),
                      (mp_real)(1 / sqrt(1 - power(BETA2, t))),
                      (mp_real)conf->beta1,
                      (mp_real)BETA2,
                      (mp_real)EPSILON,
                      (mp_real)conf->weight_decay,
                      (mp_real)(1 - conf->beta1),
                      (mp_real)(1 - BETA2) };
}

/* Parameters that got no gradient in this step are left alone entirely, as PyTorch does. */
static void update_weights(mp_engine *e)
{
    mp_arena *a = e->step[0];
    mp_arena_reset(a);
    int count = e->params->count, chunks = 0;
    mp_adam *how = MP_NEW(a, mp_adam, count);
    int *first = MP_NEW(a, int, count);
    for (int id = 0; id < count; id++) {
        first[id] = -1;
        for (int s = e->shard_count - 1; s >= 0; s--)
            if (e->shards[s].live[id]) first[id] = s;
        if (first[id] < 0) continue;
        how[id] = adam_for(mp_model_config(e->model), e->rate, ++e->updates[id]);
        chunks += (int)(((size_t)e->params->list[id].rows * (size_t)e->params->list[id].cols + UPDATE_CHUNK - 1) /
                        UPDATE_CHUNK);
    }
    int *chunk_param = MP_NEW(a, int, chunks), k = 0;
    size_t *chunk_from = MP_NEW(a, size_t, chunks);
    for (int id = 0; id < count; id++) {
        size_t n = (size_t)e->params->list[id].rows * (size_t)e->params->list[id].cols;
        for (size_t at = 0; first[id] >= 0 && at < n; at += UPDATE_CHUNK, k++) {
            chunk_param[k] = id;
            chunk_from[k] = at;
        }
    }
    update u = { e, 1, NULL, how, first, chunk_param, chunk_from };
    double most = mp_model_config(e->model)->clip;
    if (most > 0) clip(&u, chunks, most);
    mp_crew_run(e->crew, chunks, update_chunk, &u);
}

/* Losses and gradients of a batch, shard by shard. */
static mp_err run_batch(mp_engine *e, const mp_batch *b, mp_draw draw, double *loss, double *aux)
{
    mp_assert(b->n > 0 && b->x->cols == mp_model_features(e->model));
    e->batch = b;
    e->draw = draw;
    cut(e, b, true);
    mp_crew_run(e->crew, e->shard_count, train_shard, e);
    bool diverged = false;
    *loss = *aux = 0;
    for (int s = 0; s < e->shard_count; s++) {
        *loss += e->shards[s].loss;
        *aux += e->shards[s].aux;
        diverged |= e->shards[s].diverged;
        e->flops += e->shards[s].flops;
    }
    if (diverged || !isfinite(*loss) || !isfinite(*aux))
        return mp_fail(MP_ERR_DIVERGED,
                       "training diverged: the loss or a score is not finite (epoch %llu); try a smaller --lr",
                       (unsigned long long)draw.epoch);
    return MP_OK;
}

mp_err mp_engine_train(mp_engine *e, const mp_batch *b, mp_draw draw, double *loss, double *aux)
{
    e->aux_only = false;
    e->aux_weight = mp_model_aux_apart(e->model) ? 0 : 1;
    MP_TRY(run_batch(e, b, draw, loss, aux));
    update_weights(e);
    return MP_OK;
}

/* Adds a shard's gradient to the total; the first writer stores. */
static void add_to_total(mp_engine *e, const shard *s)
{
    for (int id = 0; id < e->params->count; id++) {
        const mp_param *p = &e->params->list[id];
        if (!s->live[id]) continue;
        e->kernels->axpy(e->total.grad + p->offset, 1, s->grad + p->offset, e->total.live[id],
                         (size_t)p->rows * (size_t)p->cols);
        e->total.live[id] = true;
    }
}

mp_err mp_engine_aux_add(mp_engine *e, const mp_batch *b, mp_draw draw, double weight, double *aux)
{
    double unused;
    if (!e->total.grad) {
        e->total.grad = MP_NEW(e->memory, mp_real, e->params->size);
        e->total.live = MP_NEW(e->memory, bool, e->params->count);
    }
    e->aux_only = true;
    e->aux_weight = weight;
    MP_TRY(run_batch(e, b, draw, &unused, aux));
    for (int s = 0; s < e->shard_count; s++) add_to_total(e, &e->shards[s]);
    return MP_OK;
}

void mp_engine_aux_update(mp_engine *e)
{
    mp_assert(e->total.grad != NULL);
    shard *shards = e->shards;
    e->shards = &e->total; /* the total is a batch of one shard */
    e->shard_count = 1;
    update_weights(e);
    e->shards = shards;
    e->shard_count = 0;
    memset(e->total.live, 0, (size_t)e->params->count * sizeof *e->total.live);
}

static void predict_shard(void *arg, int index, int worker)
{
    mp_engine *e = arg;
    shard *s = &e->shards[index];
    mp_ctx c = { .arena = e->step[worker], .k = e->kernels, .crew = idle(e) };
    mp_arena_reset(c.arena);
    mp_params_bind(e->params, &c, NULL);
    mp_mat *aux, *y = forward(e, &c, s, &aux);
    mp_real *out = e->out + (size_t)s->from * (size_t)y->cols;
    if (mp_model_classifies(e->model))
        c.k->log_softmax(out, y->v, y->rows, y->cols);
    else
        memcpy(out, y->v, (size_t)y->rows * (size_t)y->cols * sizeof *out);
    s->diverged = c.diverged;
}

mp_err mp_engine_predict(mp_engine *e, const mp_batch *b, mp_real *out)
{
    if (b->n == 0) return MP_OK;
    mp_assert(b->x->cols == mp_model_features(e->model));
    e->batch = b;
    e->out = out;
    cut(e, b, false);
    mp_crew_run(e->crew, e->shard_count, predict_shard, e);
    for (int s = 0; s < e->shard_count; s++)
        if (e->shards[s].diverged) return mp_fail(MP_ERR_DIVERGED, "a score is not a number");
    for (size_t i = 0, n = (size_t)b->n * (size_t)mp_model_outputs(e->model); i < n; i++)
        if (!isfinite(out[i])) return mp_fail(MP_ERR_DIVERGED, "an output is not finite");
    return MP_OK;
}

double mp_engine_loss(const mp_engine *e, const mp_batch *b, const mp_real *out)
{
    int C = mp_model_outputs(e->model);
    double sum = 0;
    for (int i = 0; i < b->n; i++) {
        if (mp_model_classifies(e->model)) {
            mp_assert(b->label[b->which[i]] >= 0);
            sum -= (double)out[(size_t)i * (size_t)C + (size_t)b->label[b->which[i]]];
        } else {
            double d = (double)out[i] - b->target[b->which[i]];
            sum += d * d;
        }
    }
    return sum;
}

void mp_engine_rate(mp_engine *e, double factor)
{
    e->rate = factor;
}

double mp_engine_flops(const mp_engine *e)
{
    return e->flops;
}

size_t mp_engine_state_size(const mp_engine *e)
{
    return 2 * e->params->size * sizeof(mp_real) + (size_t)e->params->count * sizeof(int64_t);
}

void mp_engine_state_get(const mp_engine *e, void *out)
{
    size_t block = e->params->size * sizeof(mp_real);
    memcpy(out, e->m, block);
    memcpy((char *)out + block, e->v, block);
    memcpy((char *)out + 2 * block, e->updates, (size_t)e->params->count * sizeof(int64_t));
}

void mp_engine_state_set(mp_engine *e, const void *in)
{
    size_t block = e->params->size * sizeof(mp_real);
    memcpy(e->m, in, block);
    memcpy(e->v, (const char *)in + block, block);
    memcpy(e->updates, (const char *)in + 2 * block, (size_t)e->params->count * sizeof(int64_t));
}
