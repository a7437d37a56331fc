/* contest_json.c - a contest for programs. docs/formats.md lists the members.
 * SPDX-License-Identifier: MIT */
#include "report/contest_print.h"
#include "base/json.h"

#include <math.h>
#include <stdio.h>

static void list_json(mp_buf *b, const char *key, const char *const *text, int n)
{
    mp_json_key(b, key);
    mp_json_open(b, '[');
    for (int i = 0; i < n; i++) mp_json_put_text(b, text[i]);
    mp_json_close(b, ']');
}

static void cell_json(const mp_contest *c, const mp_contest_set *s, int method, mp_buf *b)
{
    const mp_contest_cell *cell = &s->cell[method];
    if (!cell->group) return;
    mp_json_open(b, '{');
    mp_json_add_text(b, "method", c->method[method]);
    mp_json_add_real(b, "mean", cell->score.mean);
    mp_json_add_real(b, "std_seeds", cell->score.std_seeds);
    mp_json_add_real(b, "std_folds", cell->score.std_folds);
    mp_json_add_int(b, "seeds", cell->score.seeds);
    mp_json_add_int(b, "folds", cell->score.folds);
    mp_json_add_int(b, "runs", cell->runs);
    mp_json_add_int(b, "missing", cell->missing);
    mp_json_add_int(b, "failed", cell->group->failed);
    mp_json_close(b, '}');
}

static void set_json(const mp_contest *c, const mp_contest_set *s, mp_buf *b)
{
    char fingerprint[17];
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)s->key->fingerprint);
    mp_json_open(b, '{');
    mp_json_add_text(b, "name", s->name);
    mp_json_add_text(b, "dataset", s->key->dataset);
    mp_json_add_text(b, "fingerprint", fingerprint);
    mp_json_add_text(b, "folds_from", s->key->folds_from);
    mp_json_add_int(b, "folds", s->key->folds);
    mp_json_add_text(b, "metric", s->metric->name);
    mp_json_add_bool(b, "larger_is_better", s->metric->larger);
    mp_json_add_real(b, "test_train", s->test_train);
    mp_json_add_bool(b, "ranked", s->ranked);
    mp_json_key(b, "scores");
    mp_json_open(b, '[');
    for (int i = 0; i < c->methods; i++) cell_json(c, s, i, b);
    mp_json_close(b, ']');
    mp_json_close(b, '}');
}

static void pair_json(const mp_contest *c, const mp_contest_pair *p, mp_arena *a, mp_buf *b)
{
    const mp_paired *d = &p->difference;
    mp_json_open(b, '{');
    mp_json_add_text(b, "dataset", c->set[p->set].name);
    mp_json_add_text(b, "method", c->method[p->a]);
    mp_json_add_text(b, "against", c->method[p->b]);
    mp_json_add_int(b, "pairs", d->n);
    mp_json_add_int(b, "unpaired_method", p->only_a);
    mp_json_add_int(b, "unpaired_against", p->only_b);
    mp_json_add_real(b, "difference", d->mean);
    mp_json_add_real(b, "low", d->low);
    mp_json_add_real(b, "high", d->high);
    mp_json_add_real(b, "standard_error", d->error);
    mp_json_add_real(b, "t", d->t);
    mp_json_add_real(b, "p", d->p);
    mp_json_add_real(b, "p_holm", p->adjusted);
    mp_json_add_real(b, "superiority", p->better.share);
    mp_json_add_real(b, "superiority_low", p->better.low);
    mp_json_add_real(b, "superiority_high", p->better.high);
    mp_json_add_text(b, "claim", mp_claim_name[p->claim]);
    mp_json_add_text(b, "words", mp_contest_words(c, p, a));
    mp_json_close(b, '}');
}

static void ranks_json(const mp_contest *c, mp_arena *a, mp_buf *b)
{
    const mp_contest_ranks *r = &c->ranks;
    int *from = MP_NEW(a, int, r->methods + 1), *to = MP_NEW(a, int, r->methods + 1);
    int cliques = mp_contest_cliques(r, from, to);
    mp_json_open(b, '{');
    mp_json_add_int(b, "datasets", r->sets);
    mp_json_key(b, "average_ranks");
    mp_json_open(b, '[');
    for (int i = 0; i < r->methods; i++) {
        mp_json_open(b, '{');
        mp_json_add_text(b, "method", c->method[r->method[i]]);
        mp_json_add_real(b, "rank", r->rank[i]);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
    mp_json_add_real(b, "chi2", r->friedman.chi2);
    mp_json_add_real(b, "p_chi2", r->friedman.p_chi2);
    mp_json_add_real(b, "f", r->friedman.f);
    mp_json_add_real(b, "p_f", r->friedman.p_f);
    mp_json_add_real(b, "critical_difference", r->friedman.distance);
    mp_json_key(b, "alike");
    mp_json_open(b, '[');
    for (int i = 0; i < cliques; i++) {
        mp_json_open(b, '[');
        for (int k = from[i]; k <= to[i]; k++) mp_json_put_text(b, c->method[r->method[k]]);
        mp_json_close(b, ']');
    }
    mp_json_close(b, ']');
    mp_json_close(b, '}');
}

static void tour_json(const mp_contest *c, const mp_contest_tour *t, mp_arena *a, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "method", c->method[t->a]);
    mp_json_add_text(b, "against", c->method[t->b]);
    mp_json_add_int(b, "datasets", t->sets);
    mp_json_add_real(b, "difference", t->difference);
    mp_json_add_int(b, "different", t->ranks.n);
    mp_json_add_real(b, "plus", t->ranks.plus);
    mp_json_add_real(b, "minus", t->ranks.minus);
    mp_json_add_bool(b, "exact", t->ranks.exact);
    mp_json_add_real(b, "p", t->ranks.p);
    mp_json_add_real(b, "p_holm", t->adjusted);
    mp_json_add_real(b, "least_p", t->least);
    mp_json_add_text(b, "claim", mp_claim_name[t->claim]);
    mp_json_add_text(b, "words", mp_contest_tour_words(c, t, a));
    mp_json_close(b, '}');
}

void mp_contest_json(const mp_contest *c, const char *const *source, int n, mp_arena *a, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "version", MP_VERSION);
    list_json(b, "stores", source, n);
    mp_json_add_real(b, "level", MP_CONTEST_LEVEL);
    mp_json_add_text(b, "baseline", c->baseline < 0 ? NULL : c->method[c->baseline]);
    list_json(b, "methods", c->method, c->methods);
    mp_json_key(b, "datasets");
    mp_json_open(b, '[');
    for (int i = 0; i < c->sets; i++) set_json(c, &c->set[i], b);
    mp_json_close(b, ']');
    mp_json_key(b, "comparisons");
    mp_json_open(b, '[');
    for (int i = 0; i < c->pairs; i++) pair_json(c, &c->pair[i], a, b);
    mp_json_close(b, ']');
    mp_json_key(b, "ranks");
    if (c->ranks.methods)
        ranks_json(c, a, b);
    else
        mp_json_put_null(b);
    mp_json_key(b, "over_datasets");
    mp_json_open(b, '[');
    for (int i = 0; i < c->tours; i++) tour_json(c, &c->tour[i], a, b);
    mp_json_close(b, ']');
    list_json(b, "notes", c->note, c->notes);
    mp_json_close(b, '}');
}
