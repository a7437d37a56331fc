/* wants.c - which runs the rule of a row asks for, as far as the runs that are there decide it (rule.h); and what validation
 * said about each point.
 * SPDX-License-Identifier: MIT */
#include "train/choose_own.h"

#include <math.h>
#include <string.h>

typedef struct wanted {
    const mp_choice_set *set;
    mp_choice_grid g;
    bool closed;
    int first, parts, rungs; /* parts first .. parts - 1: inner ones from 1, or 0 alone */
    bool *alive;             /* parts x rungs x seeds x points: to be trained */
    int *winner;             /* parts x seeds of a nested row; MP_NO_POINT: not known yet */
} wanted;

static size_t cells_of(const wanted *w)
{
    return (size_t)w->g.seeds * (size_t)w->g.points;
}

static bool *alive_at(const wanted *w, int part, int rung)
{
    return w->alive + (size_t)(part * w->rungs + rung) * cells_of(w);
}

static int count(const bool *alive, int n)
{
    int k = 0;
    for (int i = 0; i < n; i++) k += alive[i];
    return k;
}

/* Whether all points of a row of the table that are to be trained have been. */
static bool settled(const wanted *w, const mp_choice_table *t, const bool *alive, int row)
{
    for (int i = row * t->points; i < (row + 1) * t->points; i++)
        if (alive[i] && !t->whole[i] && !w->closed) return false;
    return true;
}

/* Marks the best `keep` points of a row, taking the best of the rest again and again: of equals the earlier. */
static void keep_best(const mp_choice_table *t, int row, const bool *alive, int keep, bool *next)
{
    for (; keep > 0; keep--) {
        int best = MP_NO_POINT;
        for (int i = row * t->points; i < (row + 1) * t->points; i++)
            if (alive[i] && t->whole[i] && !next[i] && (best == MP_NO_POINT || mp_choice_better(t, i, best))) best = i;
        if (best == MP_NO_POINT) return;
        next[best] = true;
    }
}

/* The one that is left goes to the last rung at once. */
static int rung_behind(const wanted *w, int rung, int left)
{
    return left == 1 ? w->rungs - 1 : rung + 1;
}

static void go_on(const wanted *w, const mp_choice_table *t, int part, int rung, int row, const bool *alive, bool *room)
{
    int points = t->points, keep = mp_rule_survivors(&w->set->rule, count(alive + row * points, points));
    if (!settled(w, t, alive, row)) return;
    memset(room, 0, cells_of(w) * sizeof *room);
    keep_best(t, row, alive, keep, room);
    int next = rung_behind(w, rung, count(room + row * points, points));
    memcpy(alive_at(w, part, next) + row * points, room + row * points, (size_t)points * sizeof *room);
}

/* All seeds go on with the same points. */
static void go_on_together(const wanted *w, const mp_choice_table *t, int part, int rung, const bool *alive,
                           mp_arena *a, bool *room)
{
    int points = t->points;
    if (w->g.seeds == 0 || count(alive, (int)cells_of(w)) == 0) return;
    for (int s = 0; s < w->g.seeds; s++)
        if (!settled(w, t, alive, s)) return;
    mp_choice_table row = mp_choice_over_seeds(t, a);
    memset(room, 0, cells_of(w) * sizeof *room);
    keep_best(&row, 0, alive, mp_rule_survivors(&w->set->rule, count(alive, points)), room);
    int next = rung_behind(w, rung, count(room, points));
    for (int s = 0; s < w->g.seeds; s++)
        memcpy(alive_at(w, part, next) + s * points, room, (size_t)points * sizeof *room);
}

static mp_err climb(const wanted *w, int part, mp_arena *a)
{
    bool *room = MP_NEW(a, bool, cells_of(w) + 1);
    memset(alive_at(w, part, 0), 1, cells_of(w) * sizeof *room);
    for (int rung = 0; rung < w->rungs - 1; rung++) {
        mp_choice_table t;
        const bool *alive = alive_at(w, part, rung);
        MP_TRY(mp_choice_table_at(w->set, part, rung, &w->g, a, &t));
        for (int s = 0; s < w->g.seeds && !w->set->rule.global; s++)
            if (count(alive + s * t.points, t.points)) go_on(w, &t, part, rung, s, alive, room);
        if (w->set->rule.global) go_on_together(w, &t, part, rung, alive, a, room);
    }
    return MP_OK;
}

static mp_err find_winners(const wanted *w, int part, mp_arena *a)
{
    mp_choice_table t;
    const bool *alive = alive_at(w, part, w->rungs - 1);
    bool *best = MP_NEW(a, bool, cells_of(w) + 1);
    MP_TRY(mp_choice_table_at(w->set, part, w->rungs - 1, &w->g, a, &t));
    for (int s = 0; s < w->g.seeds; s++) {
        int *winner = &w->winner[part * w->g.seeds + s];
        *winner = w->g.points == 1 ? 0 : MP_NO_POINT;
        if (w->g.points == 1 || !settled(w, &t, alive, s)) continue;
        keep_best(&t, s, alive, 1, best);
        for (int p = 0; p < t.points; p++)
            if (best[s * t.points + p]) *winner = p;
    }
    return MP_OK;
}

static mp_err find_wanted(wanted *w, mp_arena *a)
{
    bool nested = mp_rule_nested(&w->set->rule);
    w->rungs = mp_choice_rungs(w->set);
    w->first = nested ? 1 : 0;
    w->parts = nested ? w->set->folds + 1 : 1;
    w->alive = MP_NEW(a, bool, (size_t)w->parts *(size_t)w->rungs *cells_of(w) + 1);
    w->winner = MP_NEW(a, int, (size_t)w->parts *(size_t)w->g.seeds + 1);
    for (int part = w->first; part < w->parts; part++) {
        if (!nested || w->g.points > 1) MP_TRY(climb(w, part, a)); /* one point is its own winner */
        if (nested) MP_TRY(find_winners(w, part, a));
    }
    return MP_OK;
}

static void list_part(const wanted *w, int part, mp_want *out, int *n)
{
    for (int rung = 0; rung < w->rungs; rung++)
        for (int p = 0; p < w->g.points; p++)
            for (int s = 0; s < w->g.seeds; s++)
                if (alive_at(w, part, rung)[s * w->g.points + p])
                    out[(*n)++] = (mp_want){ w->g.seed[s], part, p, rung, 0 };
}

static void list_winners(const wanted *w, int part, mp_want *out, int *n)
{
    for (int s = 0; s < w->g.seeds; s++)
        for (int again = 1; again <= w->set->rule.retrain; again++)
            if (w->winner[part * w->g.seeds + s] != MP_NO_POINT)
                out[(*n)++] = (mp_want){ w->g.seed[s], part, w->winner[part * w->g.seeds + s], w->rungs - 1, again };
}

mp_err mp_choice_wants(const mp_choice_set *set, const int *seed, int seeds, bool closed, mp_arena *a,
                       const mp_want **out, int *n)
{
    wanted w = {
        .set = set,
        .closed = closed,
        .g = { .seeds = seeds, .folds = set->folds, .points = set->points, .seed = seed, .smaller = set->smaller }
    };
    MP_TRY(find_wanted(&w, a));
    size_t most = (size_t)w.parts * ((size_t)w.rungs * cells_of(&w) + (size_t)seeds * (size_t)set->rule.retrain);
    mp_want *list = MP_NEW_RAW(a, mp_want, most + 1);
    *n = 0;
    for (int part = w.first; part < w.parts; part++) list_part(&w, part, list, n);
    for (int part = 1; part < w.parts; part++) list_winners(&w, part, list, n);
    *out = list;
    return MP_OK;
}

static bool is_wanted(const wanted *w, const mp_choice_run *r)
{
    int again, s = mp_choice_place(&w->g, mp_choice_seed_of(w->set, r, &again));
    if (s < 0) return false;
    if (w->first == 1 && r->part == 0)
        return again >= 1 && again <= w->set->rule.retrain && r->fold <= w->set->folds &&
               w->winner[(r->fold > 0 ? r->fold : 1) * w->g.seeds + s] == r->point;
    return alive_at(w, r->part, r->rung)[s * w->g.points + r->point];
}

mp_err mp_choice_count_missing(const mp_choice_set *set, mp_arena *a, mp_choice *out)
{
    wanted w = { .set = set, .g = out->grid };
    MP_TRY(find_wanted(&w, a));
    int64_t asked = 0;
    int folds = w.first ? (set->rule.inner > 1 ? set->rule.inner : 1) : out->grid.folds;
    for (int part = w.first; part < w.parts; part++)
        asked += (int64_t)folds * count(alive_at(&w, part, 0), (int)((size_t)w.rungs * cells_of(&w)));
    if (w.first) asked += (int64_t)w.g.seeds * set->folds * set->rule.retrain;
    for (int i = 0; i < set->runs; i++) asked -= is_wanted(&w, &set->run[i]);
    out->missing = (int)(asked > 0 ? asked : 0);
    return MP_OK;
}

mp_err mp_choice_seen(const mp_choice_set *set, const mp_choice *c, mp_arena *a, mp_point_seen *out)
{
    bool nested = mp_rule_nested(&set->rule);
    int rungs = mp_choice_rungs(set);
    for (int p = 0; p < set->points; p++) out[p] = (mp_point_seen){ .metric = (double)NAN, .loss = (double)NAN };
    for (int rung = 0; rung < rungs; rung++) {
        double *metric = MP_NEW(a, double, set->points), *loss = MP_NEW(a, double, set->points);
        int *cells = MP_NEW(a, int, set->points);
        for (int part = nested ? 1 : 0; part <= (nested ? set->folds : 0); part++) {
            mp_choice_table t;
            MP_TRY(mp_choice_table_at(set, part, rung, &c->grid, a, &t));
            for (int i = 0; i < c->grid.seeds * set->points; i++) {
                if (!t.whole[i]) continue;
                metric[i % set->points] += set->smaller ? -t.metric[i] : t.metric[i];
                loss[i % set->points] += t.loss[i];
                cells[i % set->points]++;
            }
        }
        for (int p = 0; p < set->points; p++) {
            if (cells[p] == 0) continue;
            out[p] = (mp_point_seen){ metric[p] / cells[p], loss[p] / cells[p], rung, cells[p], 0 };
        }
    }
    for (int s = 0; s < c->grid.seeds; s++)
        for (int f = 0; f < (nested ? c->grid.folds : 1); f++)
            if (mp_choice_at(c, s, f) != MP_NO_POINT) out[mp_choice_at(c, s, f)].chosen++;
    return MP_OK;
}
