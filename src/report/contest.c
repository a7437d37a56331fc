/* contest.c - see contest.h. Rows become methods and data sets, then cells, then pairs; ranks are in contest_ranks.c.
 * SPDX-License-Identifier: MIT */
#include "report/contest_own.h"
#include "report/report_own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EACH = 100 }; /* that are compared each with each */

const char *const mp_claim_name[MP_CLAIMS] = { "too few", "none", "alone", "better", "worse" };

typedef mp_contest_maker maker;
typedef mp_contest_row row;

void mp_contest_note(maker *m, const char *line)
{
    if (m->notes == m->room) {
        m->room = mp_room(m->room, (int64_t)m->notes + 1, 16, "notes");
        MP_MORE(m->arena, m->note, m->notes, m->room);
    }
    m->note[m->notes++] = line;
}

/* ---------------------------------------------------------------- names of methods */

static void tell_line(mp_buf *b, const char *name, const char *value)
{
    static const char *const said[] = { "flip", "score-dim", "drop" }; /* in mp_group.method */
    for (int i = 0; i < 3; i++)
        if (strcmp(name, said[i]) == 0) return;
    mp_buf_printf(b, "%s %s\n", name, value);
}

static mp_err read_options(maker *m, row *r)
{
    mp_buf b = { 0 };
    mp_buf_puts(&b, "");
    mp_report_source from = mp_report_source_of(r->group);
    mp_err e = mp_report_each_option(&from, m->arena, tell_line, &b);
    r->options = mp_arena_text(m->arena, b.p, b.n);
    mp_buf_free(&b);
    return e;
}

static bool has_line(const char *lines, mp_span line)
{
    mp_span text = mp_span_of(lines), other;
    while (mp_next_line(&text, &other))
        if (other.n == line.n && memcmp(other.p, line.p, line.n) == 0) return true;
    return false;
}

/* Options that all rows have alike tell nothing apart: they go. */
static void name_rows(maker *m)
{
    mp_buf shared = { 0 }, name = { 0 };
    mp_span text = mp_span_of(m->rows ? m->row[0].options : ""), line;
    mp_buf_puts(&shared, "");
    while (mp_next_line(&text, &line)) {
        bool all = true;
        for (int i = 1; i < m->rows && all; i++) all = has_line(m->row[i].options, line);
        if (all) mp_buf_printf(&shared, "%.*s\n", (int)line.n, line.p);
    }
    for (int i = 0; i < m->rows; i++) {
        name.n = 0;
        mp_buf_puts(&name, m->row[i].group->method);
        text = mp_span_of(m->row[i].options);
        while (mp_next_line(&text, &line))
            if (!has_line(shared.p, line)) mp_buf_printf(&name, ", %.*s", (int)line.n, line.p);
        m->row[i].name = mp_arena_text(m->arena, name.p, name.n);
    }
    mp_buf_free(&shared);
    mp_buf_free(&name);
}

/* ---------------------------------------------------------------- data sets */

static bool same_graphs(const row *r, const mp_contest_set *s)
{
    const mp_run_key *k = &r->group->key;
    return k->fingerprint == s->key->fingerprint && k->folds == s->key->folds &&
           strcmp(k->folds_from, s->key->folds_from) == 0 && r->group->metric == s->metric;
}

bool mp_contest_same_name(const mp_contest_set *x, const mp_contest_set *y)
{
    return strcmp(x->key->dataset, y->key->dataset) == 0;
}

static void find_sets(maker *m)
{
    for (int i = 0; i < m->rows; i++) {
        row *r = &m->row[i];
        const mp_run_key *k = &r->group->key;
        for (r->set = 0; r->set < m->sets; r->set++)
            if (strcmp(m->set[r->set].key->dataset, k->dataset) == 0 && same_graphs(r, &m->set[r->set])) break;
        if (r->set < m->sets) continue;
        m->set[m->sets++] =
            (mp_contest_set){ .key = k,
                              .metric = r->group->metric,
                              .test_train = m->test_train > 0 ? m->test_train : mp_test_train(k->folds) };
    }
}

/* In what two sets of one name differ. */
static const char *how_they_differ(const mp_contest_set *x, const mp_contest_set *y, mp_arena *a)
{
    if (x->key->fingerprint != y->key->fingerprint)
        return mp_arena_printf(a, "graphs differ (fingerprints %016llx and %016llx)",
                               (unsigned long long)x->key->fingerprint, (unsigned long long)y->key->fingerprint);
    if (x->metric != y->metric)
        return mp_arena_printf(a, "metrics differ (%s and %s)", x->metric->name, y->metric->name);
    return mp_arena_printf(a, "folds differ (%d from %s and %d from %s)", x->key->folds, x->key->folds_from,
                           y->key->folds, y->key->folds_from);
}

static void name_sets(maker *m)
{
    for (int i = 0; i < m->sets; i++) {
        mp_contest_set *s = &m->set[i];
        int first = -1;
        bool several = false;
        for (int k = 0; k < m->sets; k++) {
            if (k == i || !mp_contest_same_name(s, &m->set[k])) continue;
            several = true;
            if (first < 0) first = k;
        }
        s->name = several ? mp_arena_printf(m->arena, "%s (%d folds from %s, data %08llx, %s)", s->key->dataset,
                                            s->key->folds, s->key->folds_from,
                                            (unsigned long long)(s->key->fingerprint >> 32), s->metric->title)
                          : s->key->dataset;
        if (several && first < i)
            mp_contest_note(m, mp_arena_printf(m->arena,
                                               "%s: %s, so that runs cannot be paired: compared is what has the same.",
                                               s->key->dataset, how_they_differ(&m->set[first], s, m->arena)));
    }
}

/* ---------------------------------------------------------------- cells */

static int by_run(const void *a, const void *b)
{
    const mp_contest_run *x = a, *y = b;
    if (x->seed != y->seed) return x->seed < y->seed ? -1 : 1;
    return (x->fold > y->fold) - (x->fold < y->fold);
}

/* Where there is one point nothing is chosen, and seeds that lack a fold count with the others; but for inner runs and rungs. */
static bool counts(const mp_group *g, const mp_choice *c, int i)
{
    bool all = g->list.count <= 1 && g->rungs <= 1 && !mp_rule_nested(&g->rule);
    if (!isfinite(g->choice[i].test_metric)) return false;
    return all || mp_choice_took(c, &g->set, &g->choice[i]);
}

/* Retrainings of one seed and fold are one value: their mean. */
static void add_nested(const mp_group *g, const mp_choice *c, mp_arena *a, mp_contest_run *run, int *n)
{
    const double *values = mp_choice_values(c, &g->set, a);
    for (int s = 0; s < c->grid.seeds; s++)
        for (int f = 0; f < c->grid.folds; f++) {
            double value = values[s * c->grid.folds + f];
            if (isfinite(value)) run[(*n)++] = (mp_contest_run){ c->grid.seed[s], g->key.folds > 1 ? f + 1 : 0, value };
        }
}

static mp_err fill_cell(maker *m, const row *r, mp_contest_cell *cell)
{
    const mp_group *g = r->group;
    mp_choice c;
    MP_TRY(mp_group_choose(g, MP_SELECT_VAL, NULL, m->arena, &c));
    mp_contest_run *run = MP_NEW(m->arena, mp_contest_run, g->runs + 1);
    *cell = (mp_contest_cell){ .group = g, .score = c.test, .missing = c.missing, .run = run };
    bool nested = mp_rule_nested(&g->rule);
    if (nested) add_nested(g, &c, m->arena, run, &cell->runs);
    for (int i = 0; i < g->runs && !nested; i++)
        if (counts(g, &c, i))
            run[cell->runs++] = (mp_contest_run){ g->choice[i].seed, g->choice[i].fold, g->choice[i].test_metric };
    if (cell->runs) qsort(run, (size_t)cell->runs, sizeof *run, by_run);
    if (!cell->missing && !g->failed) return MP_OK;
    mp_buf b = { 0 };
    mp_buf_printf(&b, "%s, %s: ", m->set[r->set].name, m->method[r->method]);
    if (cell->missing) mp_buf_printf(&b, "%d run%s missing", cell->missing, cell->missing == 1 ? " is" : "s are");
    if (g->failed) mp_buf_printf(&b, "%s%d failed", cell->missing ? ", " : "", g->failed);
    mp_buf_printf(&b, "; %d count%s.", cell->runs, cell->runs == 1 ? "s" : "");
    mp_contest_note(m, mp_arena_text(m->arena, b.p, b.n));
    mp_buf_free(&b);
    return MP_OK;
}

static void find_methods(maker *m)
{
    for (int i = 0; i < m->rows; i++) {
        row *r = &m->row[i];
        for (r->method = 0; r->method < m->methods; r->method++)
            if (strcmp(m->method[r->method], r->name) == 0) break;
        if (r->method == m->methods) m->method[m->methods++] = r->name;
    }
}

static mp_err fill_cells(maker *m)
{
    for (int s = 0; s < m->sets; s++) {
        mp_contest_cell *cell = MP_NEW(m->arena, mp_contest_cell, m->methods);
        for (int i = 0; i < m->methods; i++) cell[i].score.mean = (double)NAN;
        m->set[s].cell = cell;
        for (int i = 0; i < m->rows; i++) {
            const row *r = &m->row[i];
            if (r->set != s) continue;
            if (cell[r->method].group) /* differs in what no name says: an option that a newer midpool had */
                mp_contest_note(m,
                                mp_arena_printf(m->arena, "%s: there are two rows called %s; the second is left out.",
                                                m->set[s].name, r->name));
            else
                MP_TRY(fill_cell(m, r, &cell[r->method]));
        }
    }
    return MP_OK;
}

/* ---------------------------------------------------------------- pairs */

static mp_contest_pair compare(const maker *m, int set, int a, int b)
{
    const mp_contest_set *s = &m->set[set];
    const mp_contest_cell *x = &s->cell[a], *y = &s->cell[b];
    mp_contest_pair p = { .set = set, .a = a, .b = b };
    mp_arena_mark mark = mp_arena_here(m->arena);
    double *d = MP_NEW(m->arena, double, x->runs + 1);
    int n = 0;
    for (int i = 0, k = 0; i < x->runs || k < y->runs;) {
        int order = i == x->runs ? 1 : k == y->runs ? -1 : by_run(&x->run[i], &y->run[k]);
        if (order == 0) d[n++] = x->run[i].value - y->run[k].value;
        p.only_a += order < 0;
        p.only_b += order > 0;
        i += order <= 0;
        k += order >= 0;
    }
    p.difference = mp_compare_paired(d, n, s->test_train);
    p.better = mp_compare_superiority(d, n, s->test_train, !s->metric->larger);
    mp_arena_back(m->arena, mark);
    return p;
}

/* Differences that are all the same, and not 0, have no deviation to be judged by. */
static bool judged(const mp_paired *d)
{
    return d->n >= 2 && (d->error > 0 || d->mean == 0);
}

mp_claim mp_contest_claim(double p, double adjusted, bool better)
{
    if (isnan(p)) return MP_CLAIM_FEW;
    if (adjusted < MP_CONTEST_LEVEL) return better ? MP_CLAIM_BETTER : MP_CLAIM_WORSE;
    return p < MP_CONTEST_LEVEL ? MP_CLAIM_ALONE : MP_CLAIM_NONE;
}

static bool meet(const maker *m, int set, int a, int b, int baseline)
{
    const mp_contest_cell *cell = m->set[set].cell;
    return a != b && cell[a].runs && cell[b].runs && (baseline < 0 ? a < b : b == baseline);
}

static void make_pairs(const maker *m, mp_contest *out)
{
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        mp_contest_pair *pair = pass ? MP_NEW(m->arena, mp_contest_pair, n + 1) : NULL;
        n = 0;
        for (int s = 0; s < m->sets; s++)
            for (int a = 0; a < m->methods; a++)
                for (int b = 0; b < m->methods; b++) {
                    if (!meet(m, s, a, b, out->baseline)) continue;
                    if (pass) pair[n] = compare(m, s, a, b);
                    n++;
                }
        out->pair = pair;
    }
    out->pairs = n;
    double *p = MP_NEW(m->arena, double, n + 1), *adjusted = MP_NEW(m->arena, double, n + 1);
    mp_contest_pair *pair = (mp_contest_pair *)out->pair;
    for (int i = 0; i < n; i++) p[i] = judged(&pair[i].difference) ? pair[i].difference.p : (double)NAN;
    mp_compare_holm(p, n, m->arena, adjusted);
    for (int i = 0; i < n; i++) {
        bool better = (pair[i].difference.mean > 0) == m->set[pair[i].set].metric->larger;
        pair[i].adjusted = adjusted[i];
        pair[i].claim = mp_contest_claim(p[i], adjusted[i], better);
    }
}

/* ---------------------------------------------------------------- all of it */

static mp_err find_baseline(const maker *m, const char *name, int *out)
{
    *out = -1;
    if (!name) return MP_OK;
    mp_buf list = { 0 };
    for (int i = 0; i < m->methods; i++) {
        if (strcmp(m->method[i], name) == 0) *out = i;
        mp_buf_printf(&list, "%s'%s'", i ? ", " : "", m->method[i]);
    }
    mp_err e = *out >= 0
                   ? MP_OK
                   : mp_fail(MP_ERR_USAGE, "--baseline: no method '%s'; there are %s", name, list.n ? list.p : "none");
    mp_buf_free(&list);
    return e;
}

/* One line that says why there is no pair. */
static mp_err nothing_to_compare(const maker *m, const mp_contest *out)
{
    if (m->rows == 0) return mp_fail(MP_ERR_INPUT, "nothing to compare: no run has finished");
    if (m->methods == 1) return mp_fail(MP_ERR_INPUT, "nothing to compare: there is one method, %s", m->method[0]);
    for (int i = 0; i < m->sets; i++)
        for (int k = 0; k < i; k++)
            if (mp_contest_same_name(&m->set[k], &m->set[i]))
                return mp_fail(MP_ERR_INPUT, "nothing can be compared: %s: %s", m->set[i].key->dataset,
                               how_they_differ(&m->set[k], &m->set[i], m->arena));
    return mp_fail(MP_ERR_INPUT, "nothing to compare: no two methods have runs on one data set%s",
                   out->baseline >= 0 ? " with the baseline" : "");
}

mp_err mp_contest_make(const mp_group *group, int count, const char *baseline, double test_train, mp_arena *a,
                       mp_contest *out)
{
    maker m = { .arena = a, .test_train = test_train, .row = MP_NEW(a, row, count + 1) };
    *out = (mp_contest){ .baseline = -1 };
    for (int i = 0; i < count; i++) {
        if (group[i].runs)
            m.row[m.rows++].group = &group[i];
        else
            mp_contest_note(&m, mp_arena_printf(a, "%s, %s: no run has finished, %d failed.", group[i].key.dataset,
                                                group[i].model, group[i].failed));
    }
    m.set = MP_NEW(a, mp_contest_set, m.rows + 1);
    m.method = MP_NEW(a, const char *, m.rows + 1);
    for (int i = 0; i < m.rows; i++) MP_TRY(read_options(&m, &m.row[i]));
    name_rows(&m);
    find_methods(&m);
    MP_TRY(find_baseline(&m, baseline, &out->baseline));
    if (!baseline && m.methods > MOST_EACH)
        return mp_fail(MP_ERR_USAGE, "%d methods, at most %d are compared each with each: name one with --baseline",
                       m.methods, MOST_EACH);
    find_sets(&m);
    name_sets(&m);
    MP_TRY(fill_cells(&m));
    make_pairs(&m, out);
    if (out->pairs == 0) return nothing_to_compare(&m, out);
    mp_contest_over_sets(&m, out);
    out->methods = m.methods;
    out->method = m.method;
    out->sets = m.sets;
    out->set = m.set;
    out->notes = m.notes;
    out->note = m.note;
    return MP_OK;
}
