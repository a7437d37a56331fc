/* contest_print.c - see contest_print.h. Numbers of metrics that are shares are in points of percent, those of JSON in 0..1.
 * SPDX-License-Identifier: MIT */
#include "report/contest_print.h"
#include "base/json.h"
#include "report/score.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

enum { MOST_SENTENCES = 12 }; /* then one counts the others */

/* ---------------------------------------------------------------- words */

/* "+2.40", "-0.013". */
static const char *number(const mp_metric *m, double v, bool sign, mp_arena *a)
{
    const char *fmt = m->percent ? sign ? "%+.2f" : "%.2f" : sign ? "%+.4g" : "%.4g";
    return mp_arena_printf(a, fmt, m->percent ? 100 * v : v);
}

static const char *unit(const mp_metric *m)
{
    return m->percent ? " points" : "";
}

static const char *interval(const mp_metric *m, const mp_paired *d, mp_arena *a)
{
    return mp_arena_printf(a, "95 %% interval %s to %s", number(m, d->low, false, a), number(m, d->high, false, a));
}

/* Of what the interval leaves possible, the largest. */
static double widest(const mp_paired *d)
{
    return fmax(fabs(d->low), fabs(d->high));
}

/* A name with commas would fall apart in a sentence. */
static const char *called(const mp_contest *c, int method, mp_arena *a)
{
    const char *name = c->method[method];
    return strchr(name, ',') ? mp_arena_printf(a, "\"%s\"", name) : name;
}

const char *mp_contest_words(const mp_contest *c, const mp_contest_pair *p, mp_arena *a)
{
    const mp_contest_set *set = &c->set[p->set];
    const mp_metric *m = set->metric;
    const mp_paired *d = &p->difference;
    const char *x = called(c, p->a, a), *y = called(c, p->b, a);
    const char *is = number(m, d->mean, true, a);
    double share = 100 * p->better.share;
    if (d->n == 0)
        return mp_arena_printf(a, "On %s %s and %s have no seed and fold in common: nothing can be said.", set->name, x,
                               y);
    if (d->n == 1)
        return mp_arena_printf(a, "On %s %s and %s have one seed and fold in common: one difference (%s) says nothing.",
                               set->name, x, y, is);
    switch (p->claim) {
    case MP_CLAIM_FEW:
        return mp_arena_printf(a, "On %s all %d differences of %s less %s are %s: without any spread there is no test.",
                               set->name, d->n, x, y, is);
    case MP_CLAIM_NONE:
        return mp_arena_printf(
            a,
            "On %s nothing separates %s from %s: difference %s%s, %s (%d pairs, p = %.2g). This does "
            "not show that they are alike: differences up to %s stay possible.",
            set->name, x, y, is, unit(m), interval(m, d, a), d->n, d->p, number(m, widest(d), false, a));
    case MP_CLAIM_ALONE:
        return mp_arena_printf(a,
                               "On %s the difference of %s less %s, %s%s, %s, would count if it were the only one (p = "
                               "%.2g), not as one of %d comparisons (p = %.2g).",
                               set->name, x, y, is, unit(m), interval(m, d, a), d->p, c->pairs, p->adjusted);
    default:
        return mp_arena_printf(
            a,
            "On %s %s is %s than %s: difference %s%s, %s (%d pairs, p = %.2g%s); it is ahead in %.0f %% "
            "of the pairs.",
            set->name, x, p->claim == MP_CLAIM_BETTER ? "better" : "worse", y, is, unit(m), interval(m, d, a), d->n,
            p->adjusted,
            c->pairs > 1 ? mp_arena_printf(a, " after Holm's correction for %d comparisons", c->pairs) : "", share);
    }
}

const char *mp_contest_tour_words(const mp_contest *c, const mp_contest_tour *t, mp_arena *a)
{
    const mp_metric *m = c->metric;
    const char *x = called(c, t->a, a), *y = called(c, t->b, a), *is = number(m, t->difference, true, a);
    switch (t->claim) {
    case MP_CLAIM_FEW:
        return mp_arena_printf(a,
                               "%d data sets are too few to claim anything of %s and %s over data sets: even if one of "
                               "them were ahead on all, p would be %.2g.",
                               t->sets, x, y, t->least);
    case MP_CLAIM_NONE:
        return mp_arena_printf(a, "Over %d data sets nothing separates %s from %s: mean difference %s%s, p = %.2g.",
                               t->sets, x, y, is, unit(m), t->ranks.p);
    case MP_CLAIM_ALONE:
        return mp_arena_printf(
            a,
            "Over %d data sets the difference of %s less %s, %s%s in the mean, would count if it were "
            "the only one (p = %.2g), not as one of %d comparisons (p = %.2g).",
            t->sets, x, y, is, unit(m), t->ranks.p, c->tours, t->adjusted);
    default:
        return mp_arena_printf(
            a, "Over %d data sets %s is %s than %s: mean difference %s%s, p = %.2g%s.", t->sets, x,
            t->claim == MP_CLAIM_BETTER ? "better" : "worse", y, is, unit(m), t->adjusted,
            c->tours > 1 ? mp_arena_printf(a, " after Holm's correction for %d comparisons", c->tours) : "");
    }
}

static const char *ranks_words(const mp_contest *c, mp_arena *a)
{
    const mp_contest_ranks *r = &c->ranks;
    const mp_friedman *f = &r->friedman;
    bool rough = r->sets < 10 || r->methods < 5;
    const char *apart = f->p_f < MP_CONTEST_LEVEL
                            ? "The methods are not all alike"
                            : "That all methods are alike is not refuted, so that no two may be told apart by rank";
    return mp_arena_printf(
        a,
        "%s: Friedman's test of %d methods on %d data sets has p = %.2g.%s Average ranks that are less "
        "than %.2f apart are not told apart at 5 %% (Nemenyi).",
        apart, r->methods, r->sets, f->p_f, rough ? " With fewer than 10 data sets or 5 methods that p is rough." : "",
        f->distance);
}

/* ---------------------------------------------------------------- tables */

static void show_scores(const mp_contest *c, mp_section *out)
{
    static const char *const header[] = { "data set", "method",  "test",   "metric", "seeds x folds",
                                          "runs",     "missing", "failed", NULL };
    mp_table t, shown;
    mp_table_init(&t, out->arena, NULL, header);
    for (int s = 0; s < c->sets; s++)
        for (int m = 0; m < c->methods; m++) {
            const mp_contest_cell *cell = &c->set[s].cell[m];
            if (!cell->group) continue;
            mp_table_add(&t, "%s", c->set[s].name);
            mp_table_add(&t, "%s", c->method[m]);
            mp_score_cell(&t, c->set[s].metric, &cell->score);
            mp_table_add(&t, "%s", mp_score_unit(c->set[s].metric, out->arena));
            mp_table_add(&t, "%d x %d", cell->score.seeds, cell->score.folds);
            mp_table_add(&t, "%d", cell->runs);
            mp_table_add(&t, cell->missing ? "%d" : "-", cell->missing);
            mp_table_add(&t, cell->group->failed ? "%d" : "-", cell->group->failed);
        }
    mp_table_without_empty(&t, 3, &shown);
    mp_section_table(out, &shown);
    mp_section_note(out,
                    "Test scores of what validation chose: mean over seeds of the mean over folds, \xC2\xB1 standard "
                    "deviation over seeds.");
}

static void add_p(mp_table *t, double p)
{
    mp_table_add(t, isnan(p) ? "-" : p < 0.0005 ? "%.1e" : "%.3f", p);
}

static void show_pairs(const mp_contest *c, mp_section *out)
{
    static const char *const header[] = { "data set",      "method", "against", "difference",
                                          "95 % interval", "p",      "p, Holm", "ahead",
                                          "interval",      "pairs",  NULL };
    mp_table t;
    mp_table_init(&t, out->arena, NULL, header);
    for (int i = 0; i < c->pairs; i++) {
        const mp_contest_pair *p = &c->pair[i];
        const mp_metric *m = c->set[p->set].metric;
        const mp_paired *d = &p->difference;
        mp_table_add(&t, "%s", c->set[p->set].name);
        mp_table_add(&t, "%s", c->method[p->a]);
        mp_table_add(&t, "%s", c->method[p->b]);
        mp_score_number(&t, m, d->mean, true);
        if (isnan(d->low))
            mp_table_add(&t, "-");
        else
            mp_table_add(&t, "%s to %s", number(m, d->low, true, out->arena), number(m, d->high, true, out->arena));
        add_p(&t, d->p);
        add_p(&t, p->adjusted);
        mp_table_add(&t, isnan(p->better.share) ? "-" : "%.0f %%", 100 * p->better.share);
        if (isnan(p->better.low))
            mp_table_add(&t, "-");
        else
            mp_table_add(&t, "%.0f to %.0f %%", 100 * p->better.low, 100 * p->better.high);
        mp_table_add(&t, "%d", d->n);
    }
    mp_section_heading(out, "On each data set");
    mp_section_table(out, &t);
    mp_section_note(out,
                    "Differences of runs of the same seed and fold; t-test with Nadeau and Bengio's correction, then "
                    "Holm's over all %d comparison%s. \"ahead\": how likely the first is the better one of a pair.",
                    c->pairs, mp_plural(c->pairs));
}

/* One sentence a pair; of many the claims alone, and how many there are not. */
static void say_pairs(const mp_contest *c, mp_section *out)
{
    int left = 0;
    for (int i = 0; i < c->pairs; i++) {
        bool claimed = c->pair[i].claim >= MP_CLAIM_BETTER;
        if (c->pairs <= MOST_SENTENCES || claimed)
            mp_section_para(out, "%s", mp_contest_words(c, &c->pair[i], out->arena));
        else
            left++;
    }
    if (left)
        mp_section_para(
            out,
            "Of %s %d pairs nothing may be claimed: no difference was found, which does not show that there is none.",
            left < c->pairs ? "the other" : "these", left);
    for (int s = 0; s < c->sets; s++)
        if (c->set[s].test_train == 0)
            mp_section_para(
                out, "On %s all runs share one split: its differences are over seeds, and hold for this split alone.",
                c->set[s].name);
}

static void show_ranks(const mp_contest *c, mp_section *out)
{
    static const char *const header[] = { "method", "average rank", NULL };
    mp_table t;
    mp_table_init(&t, out->arena, NULL, header);
    for (int i = 0; i < c->ranks.methods; i++) {
        mp_table_add(&t, "%s", c->method[c->ranks.method[i]]);
        mp_table_add(&t, "%.2f", c->ranks.rank[i]);
    }
    mp_section_heading(out, "Over %d data sets", c->ranks.sets);
    mp_section_table(out, &t);
    if (c->ranks.methods > 2) mp_section_para(out, "%s", ranks_words(c, out->arena));
    mp_buf svg = { 0 };
    if (mp_contest_svg(c, out->arena, &svg)) mp_section_picture(out, "Average ranks", NULL, &svg, NULL);
    mp_buf_free(&svg);
}

/* More data sets or fewer questions: a baseline that was chosen before the results were seen. */
static void say_power(const mp_contest *c, mp_section *out)
{
    int sets = 0;
    for (int i = 0; i < c->tours; i++) sets = c->tour[i].sets > sets ? c->tour[i].sets : sets;
    double least = ldexp(1, 1 - sets);
    if (c->tours > 1 && least < MP_CONTEST_LEVEL && least * c->tours >= MP_CONTEST_LEVEL)
        mp_section_para(
            out,
            "With %d comparisons %d data sets cannot separate any two methods: no p is below %.2g. --baseline "
            "asks fewer questions, if it was chosen before these numbers were seen.",
            c->tours, sets, least * c->tours);
}

static void show_tours(const mp_contest *c, mp_section *out)
{
    static const char *const header[] = { "method", "against", "mean difference", "p", "p, Holm", "data sets", NULL };
    mp_table t;
    int left = 0;
    mp_table_init(&t, out->arena, NULL, header);
    for (int i = 0; i < c->tours; i++) {
        const mp_contest_tour *o = &c->tour[i];
        mp_table_add(&t, "%s", c->method[o->a]);
        mp_table_add(&t, "%s", c->method[o->b]);
        mp_score_number(&t, c->metric, o->difference, true);
        add_p(&t, o->ranks.p);
        add_p(&t, o->adjusted);
        mp_table_add(&t, "%d", o->sets);
    }
    mp_section_table(out, &t);
    mp_section_note(out, "Wilcoxon's signed ranks of the differences of scores, a data set each.");
    for (int i = 0; i < c->tours; i++) {
        if (c->tours <= MOST_SENTENCES || c->tour[i].claim >= MP_CLAIM_BETTER)
            mp_section_para(out, "%s", mp_contest_tour_words(c, &c->tour[i], out->arena));
        else
            left++;
    }
    if (left)
        mp_section_para(out, "Of %s %d pairs nothing may be claimed over data sets.",
                        left < c->tours ? "the other" : "these", left);
    say_power(c, out);
}

void mp_contest_section(const mp_contest *c, mp_section *out)
{
    show_scores(c, out);
    show_pairs(c, out);
    say_pairs(c, out);
    if (c->ranks.methods) show_ranks(c, out);
    if (c->tours) show_tours(c, out);
    for (int i = 0; i < c->notes; i++) mp_section_note(out, "%s", c->note[i]);
}

/* ---------------------------------------------------------------- a picture */

bool mp_contest_svg(const mp_contest *c, mp_arena *a, mp_buf *out)
{
    const mp_contest_ranks *r = &c->ranks;
    if (!r->methods || isnan(r->friedman.distance)) return false;
    const char **name = MP_NEW(a, const char *, r->methods);
    int *from = MP_NEW(a, int, r->methods), *to = MP_NEW(a, int, r->methods);
    for (int i = 0; i < r->methods; i++) name[i] = c->method[r->method[i]];
    mp_svg_ranks_spec spec = { .title = mp_arena_printf(a, "Average ranks over %d data sets", r->sets),
                               .methods = r->methods,
                               .name = name,
                               .rank = r->rank,
                               .distance = r->friedman.distance,
                               .groups = mp_contest_cliques(r, from, to),
                               .from = from,
                               .to = to };
    mp_svg_ranks(&spec, out);
    return true;
}
