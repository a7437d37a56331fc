/* correctness.c - see correctness.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/correctness.h"
#include "api/trail.h"
#include "graph/induce.h"
#include "task/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_NODES 1024 /* of graphs without a node in one pass: a few matrices of them stay in the cache */

const char *const mp_cut_names[MP_CUTS] = { "mean", "topk", "positive", "median" };
const char *const mp_auc_names[MP_AUCS] = { "standardised", "raw", "per graph" };

/* ---------------------------------------------------------------- leaving nodes out */

typedef struct finding { /* of all graphs */
    mp_truth_output y;
    double **key, **share; /* a list a graph */
    bool *matters;
} finding;

/* Copies from .. to-1 of the graph: copy i lacks node i, copy n (of n nodes) lacks none. */
static void without_nodes(const mp_specimen *one, int from, int to, mp_graph *g, mp_sparse *x)
{
    int n = one->g.nodes, copies = to - from;
    int *same = MP_NEW(one->arena, int, copies), *keep_ptr = MP_NEW(one->arena, int, copies + 1);
    int *keep = MP_NEW(one->arena, int, (size_t)copies *(size_t)n),
        *row = MP_NEW(one->arena, int, (size_t)copies *(size_t)n);
    int kept = 0;
    for (int i = 0; i < copies; i++) {
        for (int v = 0; v < n; v++) {
            if (v == from + i) continue;
            row[kept] = v;
            keep[kept++] = i * n + v;
        }
        keep_ptr[i + 1] = kept;
    }
    mp_graph plain = one->g, all;
    mp_sparse all_x;
    plain.norm = NULL; /* its twins are not those of the copies */
    mp_graph_gather(one->arena, &plain, &one->x, same, copies, false, &all, &all_x);
    mp_site site = mp_site_in(one->arena);
    mp_induce(&site, &all, keep, keep_ptr, g, NULL);
    *x = mp_sparse_pick(one->arena, &one->x, row, kept);
}

/* Outputs of copies from .. to-1, as y is read off them. */
static mp_err outputs_of(const mp_specimen *one, mp_truth_output y, int from, int to, double *out)
{
    mp_model *m = one->of->model;
    const mp_goal *goal = mp_model_goal(m);
    int outputs = mp_model_outputs(m);
    mp_graph g;
    mp_sparse x;
    mp_trail trail;
    const mp_mat *raw;
    without_nodes(one, from, to, &g, &x);
    MP_TRY(mp_trail_pass(m, &g, &x, 0, one->arena, &trail, &raw));
    mp_real *told = MP_NEW_RAW(one->arena, mp_real, (size_t)raw->rows * (size_t)outputs);
    goal->task->tell(goal, mp_kernels_get(), told, raw->v, raw->rows);
    for (int i = 0; i < raw->rows; i++, out += outputs) {
        size_t row = (size_t)i * (size_t)outputs;
        if (y == MP_TRUTH_SHOWN) goal->task->show(goal, told + row, out);
        for (int c = 0; y != MP_TRUTH_SHOWN && c < outputs; c++)
            out[c] = (double)(y == MP_TRUTH_RAW ? raw->v : told)[row + (size_t)c];
    }
    return MP_OK;
}

static int largest(const double *v, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (v[i] > v[best]) best = i;
    return best;
}

static mp_err find_one(void *arg, const mp_specimen *one)
{
    finding *f = arg;
    mp_trail trail;
    MP_TRY(mp_specimen_trail(one, 0, &trail));
    int n = one->g.nodes, outputs = mp_model_outputs(one->of->model), per = BATCH_NODES / (n + 1) + 1;
    double *key = f->key[one->at], *share = f->share[one->at], sum = 0;
    for (int v = 0; v < n; v++) key[v] = (double)trail.level[0]->key[v];
    if (n < 2) return MP_OK;
    double *y = MP_NEW(one->arena, double, ((size_t)n + 1) * (size_t)outputs);
    for (int from = 0; from <= n; from += per) {
        mp_arena_mark here = mp_arena_here(one->arena);
        MP_TRY(outputs_of(one, f->y, from, from + per <= n ? from + per : n + 1, y + (size_t)from * (size_t)outputs));
        mp_arena_back(one->arena, here);
    }
    const double *whole = y + (size_t)n * (size_t)outputs;
    int class = largest(whole, outputs);
    for (int v = 0; v < n; v++) {
        share[v] = fabs(y[(size_t)v * (size_t)outputs + (size_t) class] - whole[class]);
        sum += share[v];
    }
    f->matters[one->at] = sum > 0;
    for (int v = 0; sum > 0 && v < n; v++) share[v] /= sum;
    return MP_OK;
}

mp_err mp_truths_find(const mp_subject *s, mp_truth_output y, mp_arena *a, mp_truths *out)
{
    MP_TRY(mp_task_of_graphs(mp_model_goal(s->model)->task, "score correctness"));
    finding f = { y, MP_NEW(a, double *, s->n), MP_NEW(a, double *, s->n), MP_NEW(a, bool, s->n) };
    for (int i = 0; i < s->n; i++) {
        f.key[i] = MP_NEW(a, double, mp_subject_nodes(s, i));
        f.share[i] = MP_NEW(a, double, mp_subject_nodes(s, i));
    }
    MP_TRY(mp_subject_each(s, find_one, &f));
    mp_truth *t = MP_NEW(a, mp_truth, s->n);
    for (int i = 0; i < s->n; i++)
        t[i] = (mp_truth){ mp_subject_nodes(s, i), f.key[i], f.matters[i] ? f.share[i] : NULL };
    *out = (mp_truths){ s->n, t };
    return MP_OK;
}

/* ---------------------------------------------------------------- cuts */

typedef struct ranked {
    double share;
    int node;
} ranked;

static int by_falling_share(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->share != y->share) return x->share < y->share ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static const ranked *rank(const mp_truth *t, mp_arena *a)
{
    ranked *r = MP_NEW_RAW(a, ranked, t->nodes);
    for (int v = 0; v < t->nodes; v++) r[v] = (ranked){ t->share[v], v };
    qsort(r, (size_t)t->nodes, sizeof *r, by_falling_share);
    return r;
}

static double median(const mp_truth *t, mp_arena *a)
{
    const ranked *r = rank(t, a);
    return (r[(t->nodes - 1) / 2].share + r[t->nodes / 2].share) / 2;
}

static void cut_topk(const mp_truth *t, double ratio, mp_arena *a, double *yes)
{
    const ranked *r = rank(t, a);
    for (int v = 0; v < t->nodes; v++) yes[v] = 0;
    for (int i = 0, k = mp_kept_count(ratio, t->nodes); i < k; i++) yes[r[i].node] = 1;
}

static void cut_graph(const mp_truth *t, mp_truth_cut cut, double ratio, mp_arena *a, double *yes)
{
    double above = 0;
    if (cut == MP_CUT_TOPK) {
        cut_topk(t, ratio, a, yes);
        return;
    }
    if (cut == MP_CUT_MEAN) above = 1.0 / t->nodes;
    if (cut == MP_CUT_MEDIAN) above = median(t, a);
    for (int v = 0; v < t->nodes; v++) yes[v] = t->share[v] > above;
}

/* Equal keys all become 0. */
static void standardise(double *key, int n)
{
    double mean = 0, square = 0;
    for (int v = 0; v < n; v++) mean += key[v] / n;
    for (int v = 0; v < n; v++) square += (key[v] - mean) * (key[v] - mean) / n;
    for (int v = 0; v < n; v++) key[v] = square > 0 ? (key[v] - mean) / sqrt(square) : 0;
}

static double auc(const double *key, const double *yes, int n, mp_arena *a)
{
    return mp_metric_find("roc_auc")->measure(
        &(mp_column){ .n = n, .want = yes, .score = key, .scores = 1, .classes = 2, .scratch = a });
}

double mp_truths_auc(const mp_truths *t, mp_truth_cut cut, double ratio, mp_truth_pooled pooled, mp_arena *scratch)
{
    int all = 0, at = 0, defined = 0;
    double sum = 0;
    for (int i = 0; i < t->n; i++) all += t->graph[i].share ? t->graph[i].nodes : 0;
    double *key = MP_NEW(scratch, double, all), *yes = MP_NEW(scratch, double, all);
    for (int i = 0; i < t->n; i++) {
        const mp_truth *g = &t->graph[i];
        if (!g->share) continue;
        memcpy(key + at, g->key, (size_t)g->nodes * sizeof *key);
        if (pooled == MP_AUC_STANDARD) standardise(key + at, g->nodes);
        cut_graph(g, cut, ratio, scratch, yes + at);
        double own = pooled == MP_AUC_EACH ? auc(key + at, yes + at, g->nodes, scratch) : (double)NAN;
        if (!isnan(own)) {
            sum += own;
            defined++;
        }
        at += g->nodes;
    }
    if (pooled != MP_AUC_EACH) return auc(key, yes, all, scratch);
    return defined ? sum / defined : (double)NAN;
}
