/* golden_pool.c - golden cases of a pooling operator: one pooling, or some in a row.
 *
 * There is nothing of any one operator here: its weights are found by name, and what the file has of scores,
 * kept nodes, edges, coarse adjacency and auxiliary loss is compared with what the operator left in
 * mp_pooling.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden_run.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#define MOST_LEVELS 16
#define MOST_WIDTH  65536 /* times the most score columns, 256, it fits an int */

/* ---- what a pooling did ---- */

/* Kept nodes, in order. False when they differ: nothing after them can be compared then. */
static bool same_nodes(mp_case *k, const mp_tensor *perm, const mp_pooling *p)
{
    int before = k->out->wrong;
    mp_case_equal(k, perm, p->keep, (size_t)p->keep_ptr[p->g->graphs]);
    return k->out->wrong == before;
}

static void same_batch(mp_case *k, const mp_pooling *p)
{
    const mp_tensor *t = mp_case_find(k, "out.batch");
    int *batch = MP_NEW(k->step, int, p->keep_ptr[p->g->graphs] + 1);
    if (!t) return;
    for (int b = 0; b < p->g->graphs; b++)
        for (int i = p->out_g->node_ptr[b]; i < p->out_g->node_ptr[b + 1]; i++) batch[i] = b;
    mp_case_equal(k, t, batch, (size_t)p->out_g->nodes);
}

/* A list of n edges must hold exactly the edges of the graph, each once. False when it does not. */
static bool same_set(mp_case *k, const char *name, const mp_graph *g, const int *src, const int *dst, int n)
{
    char *seen = MP_NEW(k->step, char, g->edges + 1);
    for (int e = 0; e < n; e++) {
        bool inside = src[e] >= 0 && src[e] < g->nodes && dst[e] >= 0 && dst[e] < g->nodes;
        int at = inside ? mp_graph_edge(g, src[e], dst[e]) : -1;
        if (at < 0 || seen[at]) {
            mp_case_wrong(k, name, "has the edge %d -> %d, which our graph has not", src[e], dst[e]);
            return false;
        }
        seen[at] = 1;
    }
    if (n != g->edges) mp_case_wrong(k, name, "has %d edges, our graph %d", n, g->edges);
    return n == g->edges;
}

/* The reference lists surviving edges in the order of the input list, which a graph in rows does not keep:
 * the list is carried along, from pooling to pooling. */
static void carry_list(mp_case *k, const mp_pooling *p)
{
    int *new_id = MP_NEW(k->step, int, p->g->nodes), n = 0;
    int *list = MP_NEW(k->step, int, 2 * (size_t)k->listed + 1);
    for (int i = 0; i < p->keep_ptr[p->g->graphs]; i++) new_id[p->keep[i]] = i + 1;
    for (int e = 0; e < k->listed; e++) n += new_id[k->src[e]] && new_id[k->dst[e]];
    for (int e = 0, i = 0; e < k->listed; e++) {
        if (!new_id[k->src[e]] || !new_id[k->dst[e]]) continue;
        list[i] = new_id[k->src[e]] - 1;
        list[n + i++] = new_id[k->dst[e]] - 1;
    }
    k->src = list;
    k->dst = list + n;
    k->listed = n;
}

/* The list must be theirs, and our graph must hold the same edges. */
static void same_edges(mp_case *k, const mp_pooling *p)
{
    const mp_tensor *t = mp_case_find(k, "out.edge_index");
    if (!t) return;
    mp_case_equal(k, t, k->src, 2 * (size_t)k->listed);
    (void)same_set(k, t->name, p->out_g, k->src, k->dst, k->listed);
}

/* The pattern of the coarse graph, in whatever order the reference lists it. */
static mp_err same_pattern(mp_case *k, const mp_graph *g)
{
    const mp_tensor *t = mp_case_find(k, "out.pyg_edge_index");
    const int *list;
    if (!t) return MP_OK;
    if (t->dims != 2 || t->shape[0] != 2) return mp_fail(MP_ERR_INPUT, "%s is not a list of edges", t->name);
    MP_TRY(mp_case_ints(k, t, &list));
    int n = (int)t->shape[1];
    if (same_set(k, t->name, g, list, list + n, n)) mp_case_same(k, t);
    return MP_OK;
}

/* The coarse adjacency, dense: row u, column v is the edge u -> v. The cotangent of an entry that is not
 * stored meets no gradient. */
static mp_err same_adjacency(mp_case *k, const mp_graph *g)
{
    int K = g->nodes;
    const mp_tensor *t, *cot = NULL;
    if (!mp_safetensors_find(&k->file, "out.adj")) return MP_OK;
    MP_TRY(mp_case_need(k, "out.adj", K, K, &t));
    if (mp_safetensors_find(&k->file, "cot.adj")) MP_TRY(mp_case_need(k, "cot.adj", K, K, &cot));
    mp_real *dense = MP_NEW(k->step, mp_real, t->count + 1), *wanted = MP_NEW(k->step, mp_real, t->count + 1);
    mp_real *dw = cot && g->w ? mp_grad_zeroed(&k->c, g->w) : NULL;
    if (cot) MP_TRY(mp_tensor_reals(cot, wanted));
    for (int v = 0; v < K; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            size_t at = (size_t)g->col[e] * (size_t)K + (size_t)v;
            dense[at] = g->w ? g->w->v[e] : (mp_real)1;
            if (dw) dw[e] += wanted[at];
        }
    }
    return mp_case_close(k, t, dense);
}

/* ---- pooling ---- */

/* f(R) of the kept nodes, through an op so that its cotangent flows back. */
static mp_mat *gates_of_kept(mp_case *k, const mp_pool *pool, const mp_pooling *p)
{
    mp_real *one = MP_NEW_RAW(k->step, mp_real, p->g->nodes);
    for (int v = 0; v < p->g->nodes; v++) one[v] = 1;
    return mp_gate(&k->c, mp_mat_of(&k->c, one, p->g->nodes, 1), p->score, pool->gate, p->keep,
                   p->keep_ptr[p->g->graphs], 0);
}

/* What out.score means: gates of the kept nodes, or that which the key is summed from. */
static mp_mat *score_of(mp_case *k, const mp_golden_kind *row, const mp_pool *pool, const mp_pooling *p)
{
    if (row->gated) return gates_of_kept(k, pool, p);
    return pool->rank_activated && pool->gate != MP_ACT_NONE ? mp_act_of(&k->c, p->score, pool->gate) : p->score;
}

static mp_err check_pooling(mp_case *k, const mp_golden_kind *row, const mp_pool *pool, const mp_pooling *p)
{
    MP_TRY(mp_case_output(k, "score", score_of(k, row, pool, p)));
    MP_TRY(mp_case_output(k, "x", p->out_x));
    if (p->loss && mp_safetensors_find(&k->file, "out.aux")) MP_TRY(mp_case_output(k, "aux", p->loss));
    same_batch(k, p);
    same_edges(k, p);
    MP_TRY(same_pattern(k, p->out_g));
    return same_adjacency(k, p->out_g);
}

static mp_err check_fixed(mp_case *k, const char *name)
{
    double v = 0;
    if (!name) return MP_OK;
    const mp_tensor *t = mp_case_find(k, "w.%s", name);
    if (!t) return MP_OK;
    if (t->count == 1) mp_tensor_doubles(t, &v);
    return v > 0 ? MP_OK : mp_fail(MP_ERR_INPUT, "%s is not one positive number", t->name);
}

/* The nodes kept by each pooling are out.perm1, out.perm2, ..., and out.perm for the last. */
static int count_levels(const mp_case *k)
{
    int n = 1;
    char name[32];
    while (n < MOST_LEVELS) {
        snprintf(name, sizeof name, "out.perm%d", n);
        if (!mp_safetensors_find(&k->file, name)) break;
        n++;
    }
    return n;
}

static mp_err run_levels(mp_case *k, const mp_golden_kind *row, mp_pool *const *pool, int levels)
{
    mp_pooling p = { 0 };
    for (int l = 0; l < levels; l++) {
        p = (mp_pooling){ .g = l ? p.out_g : &k->g, .x = l ? p.out_x : k->x };
        mp_pool_run(pool[l], &k->c, &p);
        if (k->c.diverged) return mp_fail(MP_ERR_INPUT, "a score is not a number");
        const mp_tensor *perm = l < levels - 1 ? mp_case_find(k, "out.perm%d", l + 1) : mp_case_find(k, "out.perm");
        if (perm && !same_nodes(k, perm, &p)) {
            k->stop = true;
            return MP_OK;
        }
        carry_list(k, &p);
    }
    return check_pooling(k, row, pool[levels - 1], &p);
}

/* The operator the row or the name of the case says; NULL when there is none. */
static const mp_pool_op *op_of(const mp_case *k, const mp_golden_kind *row)
{
    if (row->op) return mp_pool_find(row->op);
    char word[64];
    const char *rest = k->name + strlen(row->name);
    if (*rest != '_') return NULL;
    size_t n = strcspn(++rest, "_");
    if (n >= sizeof word) return NULL;
    memcpy(word, rest, n);
    word[n] = '\0';
    return mp_pool_find(word);
}

mp_err mp_golden_setup(mp_case *k, const mp_golden_kind *row, const mp_pool_op **op, mp_config *conf)
{
    *op = op_of(k, row);
    if (!*op) {
        k->skip = "unknown case";
        return MP_OK;
    }
    MP_TRY(mp_case_config(k, row->options, conf));
    snprintf(conf->pool, sizeof conf->pool, "%s", (*op)->name);
    return mp_config_check(conf);
}

mp_err mp_golden_pool(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    mp_config conf;
    const mp_pool_op *op;
    mp_pool *pool[MOST_LEVELS];
    int levels = count_levels(k);
    MP_TRY(mp_golden_setup(k, row, &op, &conf));
    if (k->skip) return MP_OK;
    MP_TRY(mp_case_inputs(k));
    MP_TRY(check_fixed(k, row->fixed));
    for (int l = 0, width = k->x->cols; l < levels; l++, width = mp_pool_width(pool[l - 1])) {
        if (width > MOST_WIDTH) return mp_fail(MP_ERR_LIMIT, "pooling %d would get %d columns", l + 1, width);
        const char *prefix = levels > 1 ? mp_arena_printf(k->step, "%d", l) : "";
        pool[l] = mp_pool_new(k->step, op, &conf, &p, prefix, width);
    }
    MP_TRY(mp_case_fits(k, &p, "w."));
    mp_params_alloc(&p);
    MP_TRY(mp_case_weights(k, &p));
    mp_real *grad = MP_NEW(k->step, mp_real, p.size + 1);
    mp_params_bind(&p, &k->c, grad);
    MP_TRY(run_levels(k, row, pool, levels));
    return k->stop ? MP_OK : mp_case_back(k, &p, grad);
}
