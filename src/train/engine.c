/* engine.c - see engine.h.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "graph/twins.h"
#include "train/update.h"

#include <math.h>
#include <string.h>

#define SHARD_NODES 896 /* enough rows for the products, and a few matrices of them stay in the second-level cache */
#define NODE_COST   100 /* of a node's products, in edges' sums over neighbours */

static mp_engine *engine_new(mp_model *m, int threads, mp_group *group)
{
    mp_arena *a = mp_arena_new(1 << 16);
    mp_engine *e = MP_NEW(a, mp_engine, 1);
    e->model = m;
    e->params = mp_model_params(m);
    e->memory = a;
    e->kernels = group ? mp_lane_kernels() : mp_kernels_get();
    mp_assert(e->kernels != NULL);
    e->rate = 1;
    e->threads = threads;
    e->step = MP_NEW(a, mp_arena *, threads);
    for (int i = 0; i < threads; i++) e->step[i] = mp_arena_new(1 << 20);
    e->updates = MP_NEW(a, int64_t, e->params->count);
    return e;
}

mp_engine *mp_engine_new(mp_model *m, int threads)
{
    mp_engine *e = engine_new(m, threads, NULL);
    e->elements = e->memory;
    e->theta = e->params->theta;
    e->m = MP_NEW(e->memory, mp_real, e->params->size);
    e->v = MP_NEW(e->memory, mp_real, e->params->size);
    e->crew = mp_crew_new(threads); /* last: arenas are freed when this gives up, threads would not be */
    return e;
}

static mp_err settle_in(void *arg)
{
    mp_engine *e = arg;
    size_t n = e->params->size;
    e->elements = mp_lane_kept(e->lane);
    e->theta = MP_NEW_RAW(e->elements, mp_real, n);
    e->m = MP_NEW_RAW(e->elements, mp_real, n);
    e->v = MP_NEW_RAW(e->elements, mp_real, n);
    e->behind = true;
    char *none = MP_NEW(e->step[0], char, mp_engine_state_size(e));
    return mp_engine_state_set(e, none);
}

mp_err mp_engine_new_on(mp_group *g, mp_model *m, mp_engine **out)
{
    mp_assert(!mp_model_needs_sight(m));
    mp_engine *e = engine_new(m, 1, g);
    e->crew = mp_crew_new(1);
    e->lane = mp_lane_new(g);
    mp_err err = mp_guarded(settle_in, e);
    if (err == MP_OK)
        *out = e;
    else
        mp_engine_free(e);
    return err;
}

void mp_engine_free(mp_engine *e)
{
    if (!e) return;
    mp_lane_free(e->lane);
    mp_crew_free(e->crew);
    for (int i = 0; i < e->threads; i++) mp_arena_free(e->step[i]);
    mp_arena_free(e->memory);
}

void mp_engine_each(mp_engine *e, int count, void (*work)(void *, int, int), void *arg)
{
    if (!e->lane) {
        mp_crew_run(e->crew, count, work, arg);
        return;
    }
    for (int i = 0; i < count; i++) {
        mp_lane_queue(e->lane);
        work(arg, i, 0);
    }
    mp_lane_phase(e->lane);
}

mp_arena *mp_engine_scratch(mp_engine *e)
{
    if (e->lane) return mp_lane_structure(e->lane);
    mp_arena_reset(e->step[0]);
    return e->step[0];
}

mp_ctx mp_engine_context(mp_engine *e, int index, int worker)
{
    mp_ctx c = { .arena = e->step[worker], .k = e->kernels, .crew = e->shard_count == 1 ? e->crew : NULL };
    c.unseen = e->lane || e->unseen;
    if (e->lane) {
        c.arena = mp_lane_structure(e->lane);
        c.elements = mp_lane_elements(e->lane, index);
        c.crew = NULL;
        c.nan = &e->told[index].nan;
        c.k->mark_rows(c.nan, NULL, 0, 1);
    }
    mp_arena_reset(mp_elements(&c));
    return c;
}

int mp_batch_nodes(const mp_batch *b, int i)
{
    return b->all->node_ptr[b->which[i] + 1] - b->all->node_ptr[b->which[i]];
}

static int edges_of(const mp_batch *b, int i)
{
    const int *node = b->all->node_ptr + b->which[i];
    return b->all->row_ptr[node[1]] - b->all->row_ptr[node[0]];
}

/* What a sum over neighbours adds: edges, or links between classes of twins. */
static int links_of(const mp_batch *b, const mp_twins *t, int i)
{
    const int *class = t ? t->class_ptr + b->which[i] : NULL;
    return t && class[0] < class[1] ? t->row_ptr[class[1]] - t->row_ptr[class[0]] : edges_of(b, i);
}

static int64_t cost_of(const mp_batch *b, const mp_twins *t, int i)
{
    return (int64_t)NODE_COST * mp_batch_nodes(b, i) + links_of(b, t, i);
}

/* A collection for a model that asks for sums only knows its twins, since they decide about the cut. */
static const mp_graph *with_twins(mp_engine *e, const mp_graph *all)
{
    if (!mp_model_sums_only(e->model) || (all->norm && all->norm->twins)) return all;
    if (e->all.row_ptr != all->row_ptr || e->all.graphs != all->graphs) {
        e->all = *all;
        mp_graph_know(e->memory, &e->all);
    }
    return &e->all;
}

int64_t mp_batch_size(const mp_batch *b)
{
    int64_t size = 0;
    for (int i = 0; i < b->n; i++) size += mp_batch_nodes(b, i) + edges_of(b, i);
    return size;
}

/* Whole graphs, cut where equal shares of the cost end, an even number of shards, so that two threads have the same to
 * do. Looks at nothing but the batch and the kind of model. */
void mp_engine_shards(mp_engine *e, const mp_batch *b, bool whole)
{
    const mp_twins *t = mp_model_sums_only(e->model) && b->all->norm ? b->all->norm->twins : NULL;
    int64_t total = 0, before = 0, nodes = 0;
    for (int i = 0; i < b->n; i++) {
        nodes += mp_batch_nodes(b, i);
        total += cost_of(b, t, i);
    }
    int64_t want = 2 * ((nodes + SHARD_NODES) / (2 * SHARD_NODES));
    if (want < 1 || whole) want = 1;
    if (want > b->n) want = b->n;
    if (e->shard_cap < want) {
        MP_MORE(e->memory, e->shards, e->shard_cap, (int)want);
        memset(e->shards + e->shard_cap, 0, (size_t)(want - e->shard_cap) * sizeof *e->shards);
        e->shard_cap = (int)want;
    }
    int count = 0;
    int64_t last = -1;
    for (int i = 0; i < b->n; i++) {
        int64_t middle = 2 * before + cost_of(b, t, i), at = total ? middle * want / (2 * total) : 0;
        if (at == want) at--; /* a graph without nodes at the very end */
        if (at != last) {
            e->shards[count++].from = i;
            last = at;
        }
        e->shards[count - 1].to = i + 1;
        before += cost_of(b, t, i);
    }
    e->shard_count = count;
}

static int all_rows(const mp_params *p)
{
    int rows = 0;
    for (int id = 0; id < p->count; id++) rows += p->list[id].rows;
    return rows;
}

static void make_room(mp_engine *e)
{
    for (int s = 0; s < e->shard_count; s++) {
        if (e->shards[s].grad) continue;
        e->shards[s].grad = MP_NEW_RAW(e->elements, mp_real, e->params->size);
        e->shards[s].live = MP_NEW(e->memory, bool, e->params->count);
        e->shards[s].rows = MP_NEW(e->memory, bool *, e->params->count);
        e->shards[s].wrote = MP_NEW_RAW(e->elements, bool, all_rows(e->params));
    }
}

static mp_mat *loss_of(const mp_engine *e, mp_ctx *c, const mp_shard *s, mp_mat *y)
{
    const mp_goal *goal = mp_model_goal(e->model);
    const double *want = mp_labels_take(&e->batch->labels, e->batch->which + s->from, s->to - s->from, c->arena);
    return goal->task->loss(c, goal, y, want, e->scale);
}

mp_mat *mp_engine_forward(const mp_engine *e, mp_ctx *c, const mp_shard *s, mp_mat **aux)
{
    mp_graph *g = MP_NEW(c->arena, mp_graph, 1);
    mp_sparse *x = MP_NEW(c->arena, mp_sparse, 1);
    (e->lane ? mp_graph_gather_copy : mp_graph_gather)(c->arena, e->batch->all, e->batch->x, e->batch->which + s->from,
                                                       s->to - s->from, mp_model_sums_only(e->model), g, x);
    mp_mark(c->profile, "gather");
    return mp_model_forward(e->model, c, g, x, NULL, NULL, aux);
}

/* Parameters that only the auxiliary loss trains get no gradient from the other one. */
static void hold_apart(const mp_engine *e, mp_ctx *c)
{
    for (int id = 0; !e->aux_only && id < e->params->count; id++)
        if (e->params->list[id].apart) c->params[id].g = NULL;
}

/* Gradients may come by rows; a sum over batches wants them whole. */
static void mark_rows(const mp_shard *s, mp_ctx *c, int count)
{
    bool *wrote = s->wrote;
    for (int id = 0; id < count; id++) {
        c->params[id].wrote = wrote;
        wrote += c->params[id].rows;
    }
}

void mp_engine_guarded(mp_engine *e, mp_err (*work)(void *), int index, int worker)
{
    mp_failure_keep(&e->shards[index].failure, mp_guarded(work, &(mp_turn){ e, index, worker }));
}

mp_err mp_engine_failed(const mp_engine *e)
{
    int s = 0;
    while (s < e->shard_count && e->shards[s].failure.e == MP_OK) s++;
    if (s == e->shard_count) return MP_OK;
    const mp_shard *bad = &e->shards[s];
    mp_err why = mp_failure_again(&bad->failure);
    if (bad->to - bad->from > 1) return mp_fail_within(why, "%d graphs of a batch", bad->to - bad->from);
    int nodes = mp_batch_nodes(e->batch, bad->from), edges = edges_of(e->batch, bad->from) / 2;
    if (e->batch->n == 1) return mp_fail_within(why, "%d nodes, %d edges", nodes, edges);
    return mp_fail_within(why, "graph %d (%d nodes, %d edges)", e->batch->which[bad->from], nodes, edges);
}

/* Losses of a shard and whether a score was NaN: known now, or left where the lane's copy finds them. */
static void tell(mp_engine *e, int index, mp_ctx *c, const mp_mat *loss, const mp_mat *aux)
{
    mp_told *t = e->lane ? &e->told[index] : &e->shards[index].told;
    c->k->cols_copy(&t->loss, 1, loss->v, 1, false, 1, 1);
    if (aux)
        c->k->cols_copy(&t->aux, 1, aux->v, 1, false, 1, 1);
    else
        c->k->fill(&t->aux, 0, 1);
    if (!e->lane) t->nan = c->diverged;
}

static mp_err train_one(void *arg)
{
    const mp_turn *t = arg;
    mp_engine *e = t->engine;
    int index = t->index, worker = t->worker;
    mp_shard *s = &e->shards[index];
    mp_ctx c = mp_engine_context(e, index, worker);
    c.record = c.training = true;
    c.profile = mp_profile_of(e, worker);
    c.whole = &e->whole;
    c.epoch = e->draw.epoch;
    c.rng = mp_rng_stream(e->draw.seed, MP_FOR_STEP, e->draw.fold, e->draw.epoch << 32 | e->draw.step, (uint64_t)index);
    mp_params_bind_at(e->params, &c, e->theta, s->grad);
    if (!e->aux_only) mark_rows(s, &c, e->params->count);
    hold_apart(e, &c);
    mp_mat *aux, *y = mp_engine_forward(e, &c, s, &aux), *loss = loss_of(e, &c, s, y);
    if (!e->aux_only) mp_grad_begin(&c, loss, 1);
    if (aux && e->aux_weight > 0) mp_grad_begin(&c, aux, (mp_real)e->aux_weight);
    mp_tape_back(&c);
    tell(e, index, &c, loss, aux);
    s->flops = c.flops;
    s->moved = c.moved;
    for (int id = 0; id < e->params->count; id++) {
        s->live[id] = c.params[id].live;
        s->rows[id] = c.params[id].by_rows ? c.params[id].wrote : NULL;
    }
    return MP_OK;
}

static void train_shard(void *arg, int index, int worker)
{
    mp_engine_guarded(arg, train_one, index, worker);
}

static void begin(mp_engine *e, const mp_batch *b)
{
    e->batch = b;
    e->whole = (mp_whole){ b->n, e->meets };
    memset(e->meets, 0, sizeof e->meets);
    for (int i = 0; i < b->n; i++) mp_model_meets(e->model, mp_batch_nodes(b, i), e->meets);
    int64_t terms = mp_labels_known(&b->labels, b->which, b->n);
    e->scale = (mp_real)(1.0 / (double)(terms ? terms : 1));
}

/* The losses of a step from those of its shards, in their order. */
static mp_err sum_up(const mp_told *told, size_t stride, int shards, uint64_t epoch, double *loss, double *aux)
{
    bool diverged = false;
    *loss = *aux = 0;
    for (int s = 0; s < shards; s++) {
        const mp_told *t = (const mp_told *)(const void *)((const char *)told + (size_t)s * stride);
        *loss += (double)t->loss;
        *aux += (double)t->aux;
        diverged |= t->nan;
    }
    if (diverged || !isfinite(*loss) || !isfinite(*aux))
        return mp_fail(MP_ERR_DIVERGED,
                       "training diverged: the loss or a score is not finite (epoch %llu); try a smaller --lr",
                       (unsigned long long)epoch);
    return MP_OK;
}

/* Waits for a sheet of the lane, and settles the step that it was. */
static mp_err settle(mp_engine *e, int sheet)
{
    mp_pending p = e->pending[sheet];
    e->pending[sheet].loss = NULL;
    MP_TRY(mp_lane_await(e->lane, sheet));
    return p.loss ? sum_up(p.told, sizeof *p.told, p.shards, p.epoch, p.loss, p.aux) : MP_OK;
}

mp_err mp_engine_settle(mp_engine *e)
{
    if (!e->lane) return MP_OK;
    int next = mp_lane_next(e->lane); /* the older one */
    for (int i = 0; i < MP_SHEETS; i++) MP_TRY(settle(e, (next + i) % MP_SHEETS));
    return MP_OK;
}

mp_err mp_engine_open(mp_engine *e, int shards)
{
    if (!e->lane) return MP_OK;
    if (e->behind) {
        MP_TRY(mp_engine_settle(e));
        MP_TRY(mp_lane_put(e->lane, e->theta, e->params->theta, e->params->size * sizeof *e->theta));
        e->behind = false;
    }
    MP_TRY(settle(e, mp_lane_next(e->lane)));
    mp_lane_begin(e->lane);
    if (e->told_cap >= shards) return MP_OK;
    e->told_cap = 2 * shards;
    e->told = MP_NEW_RAW(e->elements, mp_told, e->told_cap);
    return MP_OK;
}

const mp_told *mp_engine_told(mp_engine *e, int shards)
{
    mp_told *told = MP_NEW(mp_lane_structure(e->lane), mp_told, shards);
    mp_lane_down(e->lane, told, e->told, (size_t)shards * sizeof *told);
    return told;
}

/* Losses and gradients of a batch, shard by shard. */
static mp_err run_batch(mp_engine *e, const mp_batch *b, mp_draw draw, double *loss, double *aux)
{
    mp_assert(b->n > 0 && b->x->cols == mp_model_features(e->model));
    MP_TRY(mp_model_accepts(e->model, b->all));
    e->known = *b;
    e->known.all = with_twins(e, b->all);
    begin(e, &e->known);
    e->draw = draw;
    mp_engine_shards(e, e->batch, mp_model_whole_batch(e->model));
    MP_TRY(mp_engine_open(e, e->shard_count));
    make_room(e);
    mp_engine_each(e, e->shard_count, train_shard, e);
    MP_TRY(mp_engine_failed(e));
    for (int s = 0; s < e->shard_count; s++) {
        e->flops += e->shards[s].flops;
        e->moved += e->shards[s].moved;
    }
    if (!e->lane) return sum_up(&e->shards->told, sizeof *e->shards, e->shard_count, draw.epoch, loss, aux);
    const mp_told *told = mp_engine_told(e, e->shard_count);
    e->pending[mp_lane_next(e->lane)] = (mp_pending){ loss, aux, told, e->shard_count, draw.epoch };
    return MP_OK;
}

mp_err mp_engine_train(mp_engine *e, const mp_batch *b, mp_draw draw, double *loss, double *aux)
{
    e->aux_only = false;
    e->aux_weight = mp_model_aux_apart(e->model) ? 0 : 1;
    MP_TRY(run_batch(e, b, draw, loss, aux));
    mp_update_weights(e);
    if (e->lane) mp_lane_submit(e->lane);
    return MP_OK;
}

mp_err mp_engine_aux_add(mp_engine *e, const mp_batch *b, mp_draw draw, double weight, double *aux)
{
    if (!e->total.grad) {
        e->total.grad = MP_NEW_RAW(e->elements, mp_real, e->params->size);
        e->total.live = MP_NEW(e->memory, bool, e->params->count);
        e->total.rows = MP_NEW(e->memory, bool *, e->params->count);
    }
    e->aux_only = true;
    e->aux_weight = weight;
    MP_TRY(run_batch(e, b, draw, &e->unused, aux));
    mp_add_to_total(e);
    if (e->lane) mp_lane_submit(e->lane);
    return MP_OK;
}

int mp_engine_cut(mp_engine *e, const mp_batch *b, mp_batch *largest)
{
    mp_engine_shards(e, b, mp_model_whole_batch(e->model));
    int64_t most = -1;
    for (int s = 0; s < e->shard_count; s++) {
        mp_batch one = *b;
        one.which = b->which + e->shards[s].from;
        one.n = e->shards[s].to - e->shards[s].from;
        int64_t size = mp_batch_size(&one);
        if (size > most) *largest = one;
        most = size > most ? size : most;
    }
    return e->shard_count;
}

mp_err mp_engine_try(mp_engine *e, const mp_batch *b, bool unseen, size_t *bytes)
{
    MP_TRY(mp_model_accepts(e->model, b->all));
    begin(e, b);
    e->unseen = unseen;
    e->aux_only = false;
    e->aux_weight = 1;
    mp_engine_shards(e, b, true);
    make_room(e);
    mp_crew_run(e->crew, 1, train_shard, e);
    *bytes = mp_arena_held(e->step[0]);
    e->unseen = false;
    return mp_engine_failed(e);
}

void mp_engine_rate(mp_engine *e, double factor)
{
    e->rate = factor;
}

double mp_engine_flops(const mp_engine *e)
{
    return e->flops;
}

double mp_engine_moved(const mp_engine *e)
{
    return e->moved;
}

void mp_engine_profile(mp_engine *e)
{
    e->profile = MP_NEW(e->memory, mp_profile, mp_crew_size(e->crew));
}

void mp_engine_profiled(const mp_engine *e, mp_profile *sum)
{
    mp_assert(e->profile != NULL);
    for (int i = 0; i < mp_crew_size(e->crew); i++) mp_profile_add(sum, &e->profile[i]);
}
