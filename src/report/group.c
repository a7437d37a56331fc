/* group.c - see group.h. Each run gets a text that is the same for the runs of one family: all that may differ
 * within it is seed, fold, score-dim and drop. Sorting by it brings families together; rows are made within.
 * SPDX-License-Identifier: MIT */
#include "report/group.h"
#include "data/inner.h"
#include "report/score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct member {
    const char *tag;
    const mp_stored *run;
    bool counted; /* in a row already */
    bool nested;  /* in a row of a nested study, which has inner runs and retrainings of its own */
} member;

typedef struct pattern { /* a declared row */
    const char *tag;
    const mp_declared *d;
} pattern;

typedef struct maker {
    mp_arena *arena;
    mp_group *group;
    int count, room, family; /* family: the number of the one that is up */
    const char *metric;      /* that was asked for, or NULL */
} maker;

static bool one_of(const char *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* `grid`: the family of its points, which all have flip. */
static const char *tag_of(const mp_run_key *k, mp_grid grid, mp_arena *a)
{
    static const char *const inside[] = { "pool", "flip", "seed", "score-dim", "drop", NULL };
    mp_buf b = { 0 };
    mp_buf_printf(&b, "%s\1%s\1%d\1%016llx\1%s\1%d", k->dataset, k->config.pool, grid != MP_GRID_NONE || k->config.flip,
                  (unsigned long long)k->fingerprint, k->folds_from, k->folds);
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char value[80];
        if (one_of(o->name, inside)) continue;
        mp_conf_get(o, &k->config, value, sizeof value);
        mp_buf_printf(&b, "\1%s", value);
    }
    const char *tag = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return tag;
}

/* Tags of runs met lately: those of a study differ in seed and fold alone, which no tag has. */
enum { PLACES = 1024 };
typedef struct known_tag {
    mp_run_key key;
    const char *tag;
} known_tag;

/* The tag of a run; equal ones are mostly the same pointer, too. */
static const char *run_tag(known_tag **known, const mp_run_key *k, mp_arena *a)
{
    mp_run_key like = *k;
    like.fold = 0;
    like.config.seed = 0;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof like; i++) hash = (hash ^ ((const unsigned char *)&like)[i]) * 16777619u;
    known_tag **at = &known[hash % PLACES];
    if (!*at) *at = MP_NEW(a, known_tag, 1);
    if (!(*at)->tag || memcmp(&(*at)->key, &like, sizeof like) != 0)
        **at = (known_tag){ like, tag_of(k, MP_GRID_NONE, a) };
    return (*at)->tag;
}

/* Runs of one tag stay in the order they came in. */
static int by_tag(const void *a, const void *b)
{
    const member *x = a, *y = b;
    int order = x->tag == y->tag ? 0 : strcmp(x->tag, y->tag);
    return order ? order : (x->run > y->run) - (x->run < y->run);
}

static int by_setting(const mp_config *x, const mp_config *y)
{
    if (x->score_dim != y->score_dim) return x->score_dim < y->score_dim ? -1 : 1;
    return (x->drop > y->drop) - (x->drop < y->drop);
}

static int by_pattern(const void *a, const void *b)
{
    const pattern *x = a, *y = b;
    int order = strcmp(x->tag, y->tag);
    if (order == 0) order = (int)x->d->grid - (int)y->d->grid;
    if (order == 0 && x->d->grid == MP_GRID_LIST) return (x->d > y->d) - (x->d < y->d);
    return order || x->d->grid != MP_GRID_NONE ? order : by_setting(&x->d->key.config, &y->d->key.config);
}

static mp_group_kind kind_of(const mp_config *c, mp_grid grid)
{
    if (grid != MP_GRID_NONE || (c->flip && c->score_dim > 1 && c->drop > 0)) return MP_GROUP_MID;
    return c->flip || c->score_dim > 1 || c->drop > 0 ? MP_GROUP_ABLATION : MP_GROUP_BASE;
}

/* The metric of a run, by name; NAN in all of them where it was not kept. */
static mp_measured measure_of(const mp_run_result *r, const char *metric)
{
    mp_measured lead = { .val = r->val_metric, .test = r->test_metric, .large = r->large_metric };
    mp_measured none = { .val = (double)NAN, .test = (double)NAN, .large = (double)NAN, .large_c = (double)NAN };
    lead.large_c = r->large_c_metric;
    if (strcmp(r->metric, metric) == 0) return lead;
    for (int i = 0; i < r->measures; i++)
        if (strcmp(r->measure[i].name, metric) == 0) return r->measure[i];
    return none;
}

/* `at` has the place among the points, the part and the rung. */
static mp_choice_run choice_run(const mp_stored *r, const char *metric, const mp_choice_run *at)
{
    mp_measured m = measure_of(&r->result, metric);
    return (mp_choice_run){ .seed = r->key.config.seed,
                            .fold = r->key.fold,
                            .folds = r->key.folds,
                            .point = at->point,
                            .part = at->part,
                            .rung = at->rung,
                            .val_loss = r->result.val_loss,
                            .val_metric = m.val,
                            .test_metric = m.test,
                            .large_metric = m.large,
                            .large_c_metric = m.large_c };
}

static mp_group *new_group(maker *m)
{
    if (m->count == m->room) {
        m->room = mp_room(m->room, (int64_t)m->count + 1, 64, "rows of a report");
        MP_MORE(m->arena, m->group, m->count, m->room);
    }
    return &m->group[m->count++];
}

static void add_run(mp_group *g, const mp_stored *r, const mp_choice_run *at, const char *metric, const mp_stored **run,
                    const mp_stored **fail, mp_choice_run *choice)
{
    if (r->status != MP_RUN_DONE) {
        fail[g->failed++] = r;
        return;
    }
    const char *shown = metric ? metric : run[0] ? run[0]->result.metric : r->result.metric;
    choice[g->runs] = choice_run(r, shown, at);
    g->metric = mp_metric_of(shown);
    run[g->runs++] = r;
    g->hit_cap += r->result.hit_cap != 0;
    if (isfinite(r->result.seconds)) g->seconds += r->result.seconds;
}

/* What choose.h wants to know, once all runs are there. */
static void close_group(maker *m, mp_group *g, const mp_choice_run *choice)
{
    g->choice = choice;
    g->set = (mp_choice_set){ .run = choice,
                              .runs = g->runs,
                              .points = g->list.count,
                              .smaller = g->metric && !g->metric->larger,
                              .rule = g->rule,
                              .folds = g->key.folds > 1 ? g->key.folds : 1,
                              .rungs = g->rungs };
    *new_group(m) = *g;
}

/* The runs of a family whose settings are in the grid of `config`, as a row; no row when there is none. */
static void make_row(maker *m, member *family, int n, mp_grid grid, const mp_config *config)
{
    int fit = 0;
    for (int i = 0; i < n; i++) fit += mp_grid_has(grid, config, &family[i].run->key.config) && !family[i].nested;
    if (fit == 0) return;
    const mp_stored **run = MP_NEW(m->arena, const mp_stored *, fit), **fail = MP_NEW(m->arena, const mp_stored *, fit);
    mp_choice_run *choice = MP_NEW(m->arena, mp_choice_run, fit);
    mp_group g = { .grid = grid,
                   .list = mp_points_of(grid, config, m->arena),
                   .rungs = 1,
                   .family = m->family,
                   .run = run,
                   .fail = fail };
    for (int i = 0; i < n; i++) {
        const mp_config *c = &family[i].run->key.config;
        if (!mp_grid_has(grid, config, c) || family[i].nested) continue;
        if (g.runs + g.failed == 0) g.key = family[i].run->key;
        mp_choice_run at = { .point = mp_points_fixed(&g.list, &(mp_choice_point){ c->score_dim, c->drop }) };
        add_run(&g, family[i].run, &at, m->metric, run, fail, choice);
        family[i].counted = true;
    }
    g.rung[0] = g.key.config.epochs;
    g.kind = kind_of(&g.key.config, grid);
    close_group(m, &g, choice);
}

/* Whether the runs in no row are points of the grid, and the family has all points of it. */
static bool forms_grid(const member *family, int n, mp_grid grid)
{
    const mp_config *config = &family[0].run->key.config;
    mp_config point[MP_GRID_MOST];
    int points = mp_grid_points(grid, config, point);
    if (!config->flip) return false;
    for (int i = 0; i < n; i++)
        if (!family[i].counted && !mp_grid_has(grid, config, &family[i].run->key.config)) return false;
    for (int p = 0; p < points; p++) {
        bool there = false;
        for (int i = 0; i < n && !there; i++) there = by_setting(&family[i].run->key.config, &point[p]) == 0;
        if (!there) return false;
    }
    return true;
}

static int by_member(const void *a, const void *b)
{
    const member *x = a, *y = b;
    int order = by_setting(&x->run->key.config, &y->run->key.config);
    return order ? order : (x->run > y->run) - (x->run < y->run);
}

/* A row for each setting that is in none yet. */
static void make_settings(maker *m, member *family, int n)
{
    qsort(family, (size_t)n, sizeof *family, by_member);
    for (int from = 0, to; from < n; from = to) {
        const mp_config *config = &family[from].run->key.config;
        bool counted = true;
        for (to = from; to < n && by_setting(config, &family[to].run->key.config) == 0; to++)
            counted = counted && family[to].counted;
        if (!counted) make_row(m, family + from, to - from, MP_GRID_NONE, config);
    }
}

/* What no study declared: one of the known grids if it is exactly that, else a row for each setting. The
 * smaller grid goes first: it is part of the larger. */
static void make_undeclared(maker *m, member *family, int n)
{
    static const mp_grid known[] = { MP_GRID_PAPER, MP_GRID_CODE };
    mp_grid grid = MP_GRID_NONE;
    for (int k = 0; k < 2 && grid == MP_GRID_NONE; k++)
        if (forms_grid(family, n, known[k])) grid = known[k];
    for (int i = 0; i < n && grid != MP_GRID_NONE; i++)
        if (!family[i].counted) make_row(m, family, n, grid, &family[i].run->key.config); /* nested ones are counted */
    if (grid == MP_GRID_NONE) make_settings(m, family, n);
}

/* Data set, operator, kind, and what is alike stays together, whatever the order of runs. */
static int by_group(const void *a, const void *b)
{
    const mp_group *x = a, *y = b;
    int order = strcmp(x->key.dataset, y->key.dataset);
    if (order == 0) order = strcmp(x->key.config.pool, y->key.config.pool);
    if (order == 0) order = (int)x->kind - (int)y->kind;
    if (order == 0) order = x->family - y->family;
    if (order == 0) order = (int)x->grid - (int)y->grid;
    return order ? order : by_setting(&x->key.config, &y->key.config);
}

/* Whether the points of a list differ in the option. */
static bool varies(const mp_group *g, const char *option)
{
    for (int k = 0; g->grid == MP_GRID_LIST && k < g->list.options; k++)
        if (strcmp(g->list.option[k]->name, option) == 0) return true;
    return false;
}

/* "12 points of hidden, lr" and how they were tried. */
static void put_list(const mp_group *g, mp_buf *b)
{
    if (g->grid != MP_GRID_LIST) return;
    if (g->list.count > 1) mp_buf_printf(b, ", %d points of ", g->list.count);
    for (int k = 0; k < g->list.options && g->list.count > 1; k++)
        mp_buf_printf(b, "%s%s", k ? ", " : "", g->list.option[k]->name);
    if (g->rule.eta) mp_buf_printf(b, ", halving by %d", g->rule.eta);
    if (mp_rule_nested(&g->rule)) mp_buf_puts(b, ", nested");
    if (mp_rule_nested(&g->rule) && g->rule.inner) mp_buf_printf(b, " with %d inner folds", g->rule.inner);
}

/* What tells the row from --mid (5 columns, flip, drop 0.1). */
static void put_setting(const mp_group *g, mp_buf *b)
{
    static const char *const grids[MP_GRIDS] = { "", "grid of the code", "grid of the paper", "" };
    const mp_config *c = &g->key.config;
    if (g->kind == MP_GROUP_BASE) return;
    mp_buf_puts(b, " + MID");
    if (varies(g, "flip") || varies(g, "score-dim") || varies(g, "drop")) return;
    if (g->grid == MP_GRID_CODE || g->grid == MP_GRID_PAPER) {
        mp_buf_printf(b, ", %s", grids[g->grid]);
        return;
    }
    if (c->score_dim != 5) mp_buf_printf(b, ", h = %d", c->score_dim);
    if (c->drop <= 0)
        mp_buf_puts(b, ", no drop");
    else if (c->drop != 0.1)
        mp_buf_printf(b, ", drop = %g", c->drop);
    if (!c->flip) mp_buf_puts(b, ", no flip");
}

static bool same_data(const mp_run_key *x, const mp_run_key *y)
{
    return x->fingerprint == y->fingerprint && x->folds == y->folds && strcmp(x->folds_from, y->folds_from) == 0;
}

/* Names the studies of one data set: pool and MID, then the options in which they differ. */
static void name_groups(mp_group *g, int n, mp_arena *a)
{
    static const char *const said[] = { "pool", "seed", "score-dim", "drop", "flip", NULL };
    bool data_varies = false;
    for (int i = 1; i < n; i++) data_varies = data_varies || !same_data(&g[0].key, &g[i].key);
    mp_buf *name = MP_NEW(a, mp_buf, n);
    for (int i = 0; i < n; i++) {
        mp_buf_puts(&name[i], g[i].key.config.pool);
        put_setting(&g[i], &name[i]);
        put_list(&g[i], &name[i]);
        g[i].method = mp_arena_text(a, name[i].p, name[i].n);
        g[i].plain = true;
    }
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        bool differs = false;
        for (int i = 1; i < n && !differs; i++) differs = !mp_conf_same(o, &g[0].key.config, &g[i].key.config);
        for (int i = 0; i < n && differs && !one_of(o->name, said); i++) {
            char value[80];
            if (varies(&g[i], o->name)) continue;
            mp_conf_get(o, &g[i].key.config, value, sizeof value);
            if (strcmp(value, o->initial) == 0) continue;
            mp_buf_printf(&name[i], ", %s %s", o->name, value);
            g[i].plain = false;
        }
    }
    for (int i = 0; i < n; i++) {
        if (data_varies)
            mp_buf_printf(&name[i], ", %d folds: %s, data %08llx", g[i].key.folds, g[i].key.folds_from,
                          (unsigned long long)(g[i].key.fingerprint >> 32));
        g[i].model = mp_arena_text(a, name[i].p, name[i].n);
        mp_buf_free(&name[i]);
    }
}

/* ---- lists: points are known by the hash of their configurations ---- */

typedef struct known { /* a run by what it was trained with, seed and folds aside */
    char hash[65];
    member *of;
} known;

static void hash_of(const mp_config *c, char hex[65])
{
    mp_run_key k = { .config = *c };
    k.config.seed = 0;
    mp_run_key_hash(&k, hex);
}

static int by_hash(const void *a, const void *b)
{
    const known *x = a, *y = b;
    int order = strcmp(x->hash, y->hash);
    return order ? order : (x->of > y->of) - (x->of < y->of);
}

/* The first of those with this hash, or the place behind the last. */
static int find_hash(const known *list, int n, const char *hash)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (strcmp(list[mid].hash, hash) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Of which part of the row a run is: an inner split of a fold, or 0; -1: it is not of the row. */
static int part_of(const mp_declared *d, const mp_run_key *k)
{
    int again, outer = d->key.folds > 1 ? d->key.folds : 1, inner = d->rule.inner > 1 ? d->rule.inner : 1;
    bool nested = mp_rule_nested(&d->rule), same = strcmp(k->folds_from, d->key.folds_from) == 0;
    if (strcmp(k->dataset, d->key.dataset) != 0 || k->fingerprint != d->key.fingerprint) return -1;
    if (same && nested) mp_retrain_of(k->config.seed, &again);
    if (same) return k->folds == d->key.folds && (!nested || (again > 0 && again <= d->rule.retrain)) ? 0 : -1;
    for (int part = 1; nested && k->folds == inner && part <= outer; part++) {
        char from[MP_FROM_SIZE];
        mp_inner_from(d->key.folds_from, part, from);
        if (strcmp(k->folds_from, from) == 0) return part;
    }
    return -1;
}

static mp_group_kind kind_of_list(const mp_points *p)
{
    mp_group_kind kind = MP_GROUP_BASE;
    for (int i = 0; i < p->count && kind != MP_GROUP_MID; i++) {
        if (p->at[i].score_dim > 1 || p->at[i].drop > 0) kind = MP_GROUP_ABLATION;
        if (p->at[i].flip) kind = p->count > 1 ? MP_GROUP_MID : kind_of(&p->at[i], MP_GRID_NONE);
    }
    return kind;
}

static void make_list(maker *m, const known *list, int n, const mp_declared *d)
{
    const mp_stored **run = MP_NEW(m->arena, const mp_stored *, n + 1),
                    **fail = MP_NEW(m->arena, const mp_stored *, n + 1);
    mp_choice_run *choice = MP_NEW(m->arena, mp_choice_run, n + 1);
    mp_group g = { .grid = MP_GRID_LIST, .list = d->points, .rule = d->rule, .key = d->key, .run = run, .fail = fail };
    g.rungs = mp_rule_rungs(&d->rule, d->points.at[0].epochs, g.rung);
    for (int p = 0; p < d->points.count; p++)
        for (int rung = 0; rung < g.rungs; rung++) {
            mp_config c = d->points.at[p];
            char hash[65];
            if (rung < g.rungs - 1) c.epochs = g.rung[rung];
            hash_of(&c, hash);
            for (int i = find_hash(list, n, hash); i < n && strcmp(list[i].hash, hash) == 0; i++) {
                mp_choice_run at = { .point = p, .rung = rung, .part = part_of(d, &list[i].of->run->key) };
                if (at.part < 0 || (list[i].of->nested && !mp_rule_nested(&d->rule))) continue;
                add_run(&g, list[i].of->run, &at, m->metric, run, fail, choice);
                list[i].of->counted = true;
                list[i].of->nested = list[i].of->nested || mp_rule_nested(&d->rule);
            }
        }
    g.kind = kind_of_list(&g.list);
    g.family = m->family++;
    if (g.runs + g.failed) close_group(m, &g, choice);
}

static void make_lists(maker *m, member *t, int n, const mp_declared *d, int studies)
{
    bool any = false;
    for (int i = 0; i < studies; i++) any = any || d[i].grid == MP_GRID_LIST;
    if (!any) return;
    known *list = MP_NEW(m->arena, known, n + 1);
    for (int i = 0; i < n; i++) {
        hash_of(&t[i].run->key.config, list[i].hash);
        list[i].of = &t[i];
    }
    qsort(list, (size_t)n, sizeof *list, by_hash);
    for (int nested = 1; nested >= 0; nested--) /* first those that have retrainings, which count in no other row */
        for (int i = 0; i < studies; i++)
            if (d[i].grid == MP_GRID_LIST && mp_rule_nested(&d[i].rule) == nested) make_list(m, list, n, &d[i]);
}

static void make_groups(maker *m, member *t, int n, const pattern *p, int patterns)
{
    for (int from = 0, to, at = 0; from < n; from = to, m->family++) {
        for (to = from + 1; to < n && strcmp(t[to].tag, t[from].tag) == 0; to++) {}
        while (at < patterns && strcmp(p[at].tag, t[from].tag) < 0) at++;
        for (; at < patterns && strcmp(p[at].tag, t[from].tag) == 0; at++)
            if (p[at].d->grid != MP_GRID_LIST &&                  /* these are made */
                (at == 0 || by_pattern(&p[at - 1], &p[at]) != 0)) /* the same may be declared in two spellings */
                make_row(m, t + from, to - from, p[at].d->grid, &p[at].d->key.config);
        make_undeclared(m, t + from, to - from);
    }
}

void mp_group_runs(const mp_stored *run, int n, const mp_declared *declared, int studies, const char *metric,
                   mp_arena *a, const mp_group **out, int *count)
{
    member *t = MP_NEW(a, member, n + 1);
    pattern *p = MP_NEW(a, pattern, studies + 1);
    maker m = { .arena = a, .metric = metric };
    known_tag **tags = MP_NEW(a, known_tag *, PLACES);
    for (int i = 0; i < n; i++) t[i] = (member){ .tag = run_tag(tags, &run[i].key, a), .run = &run[i] };
    for (int i = 0; i < studies; i++) p[i] = (pattern){ tag_of(&declared[i].key, declared[i].grid, a), &declared[i] };
    qsort(t, (size_t)n, sizeof *t, by_tag);
    qsort(p, (size_t)studies, sizeof *p, by_pattern);
    make_lists(&m, t, n, declared, studies);
    make_groups(&m, t, n, p, studies);
    if (m.count) qsort(m.group, (size_t)m.count, sizeof *m.group, by_group);
    for (int from = 0, to; from < m.count; from = to) {
        for (to = from + 1; to < m.count && strcmp(m.group[to].key.dataset, m.group[from].key.dataset) == 0; to++) {}
        name_groups(m.group + from, to - from, a);
    }
    *out = m.group;
    *count = m.count;
}

mp_err mp_group_choose(const mp_group *s, mp_select mode, const mp_choice_point *fixed, mp_arena *a, mp_choice *out)
{
    mp_err e = mp_choose(&s->set, mode, fixed ? mp_points_fixed(&s->list, fixed) : MP_NO_POINT, a, out);
    return e == MP_OK ? e : mp_fail_within(e, "%s, %s", s->key.dataset, s->model);
}
