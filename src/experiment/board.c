/* board.c - see board.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/board.h"
#include "data/known.h"
#include "model/options.h"
#include "study/compare.h"
#include "train/once.h"
#include "train/preset.h"

#include <math.h>
#include <string.h>

bool mp_has_mid(const char *pool)
{
    mp_config c;
    mp_config_init(&c);
    memset(c.pool, 0, sizeof c.pool);
    if (mp_conf_set(mp_config_table, &c, "pool", pool, "pool") != MP_OK || mp_config_check(&c) != MP_OK) return false;
    return mp_config_uses(&c, "score-dim") == MP_USED;
}

const mp_board_cell *mp_board_at(const mp_board *b, int set, int method)
{
    return &b->cell[set * b->methods + method];
}

/* The point that most seeds have, the first of them. */
static int most_chosen(const mp_choice *c)
{
    int best = MP_NO_POINT, most = 0;
    for (int p = 0; p < c->grid.points; p++) {
        int n = 0;
        for (int s = 0; s < c->grid.seeds; s++) n += mp_choice_at(c, s, 0) == p;
        if (n > most) best = p, most = n;
    }
    return best;
}

static mp_err count_parameters(const mp_study_row *r, const mp_choice *c, int *out)
{
    int best = most_chosen(c);
    const mp_config *config = best == MP_NO_POINT ? &r->config : &r->points.at[best];
    mp_arena *a = mp_arena_new(1 << 16);
    mp_model *m;
    mp_err e = mp_run_plan(r->data, config, a, &m);
    if (e == MP_OK) *out = (int)mp_params_count(mp_model_params(m));
    mp_arena_free(a);
    return e;
}

static mp_err fill(mp_lab *lab, const mp_ask *ask, const mp_board_method *m, mp_board_cell *c)
{
    MP_TRY(mp_lab_row(lab, ask, &c->row));
    MP_TRY(mp_lab_choose(lab, c->row, MP_SELECT_VAL, &c->honest));
    MP_TRY(mp_lab_choose(lab, c->row, MP_SELECT_PAPER, &c->greedy));
    c->value = mp_lab_values(lab, c->row, &c->honest, &c->values);
    if (c->row < 0) return MP_OK;
    const mp_study_row *r = mp_lab_study_row(lab, c->row);
    const mp_split *s = &r->folds->split[0];
    c->chosen = r->points.count > 1;
    c->point = r->points.at;
    c->metric = mp_study_metric(r);
    c->test_train = (double)s->n_test / s->n_train;
    if (mp_paper_measures(ask->dataset, c->metric)) c->paper = mp_paper_find(ask->dataset, m->pool, m->mid, false);
    return isnan(c->honest.test.mean) ? MP_OK : count_parameters(r, &c->honest, &c->parameters);
}

static mp_board_cell nothing(void)
{
    return (mp_board_cell){ .row = -1, .metric = mp_metric_find("accuracy") };
}

/* A store may have MID at one setting where there was no time for a grid: then nothing was chosen. */
static mp_err fill_mid(mp_lab *lab, mp_ask ask, const mp_board_method *m, mp_board_cell *c)
{
    mp_ask mid = mp_ask_mid(lab, ask);
    mp_board_cell one = nothing();
    MP_TRY(fill(lab, &mid, m, c));
    bool whole = !isnan(c->honest.test.mean) && c->honest.missing == 0;
    if (whole || !mp_lab_still(lab)) return MP_OK;
    ask.settings = mp_preset_find("mid")->settings;
    MP_TRY(fill(lab, &ask, m, &one));
    if (!isnan(one.honest.test.mean) && (isnan(c->honest.test.mean) || one.honest.missing == 0)) *c = one;
    return MP_OK;
}

static mp_err fill_all(mp_lab *lab, mp_board *b)
{
    for (int s = 0; s < b->sets; s++) {
        const mp_known *known = mp_known_find(b->set[s]);
        for (int m = 0; m < b->methods; m++) {
            mp_ask ask = { .dataset = b->set[s],
                           .pool = b->method[m].pool,
                           .preset = known && known->preset ? NULL : MP_PRESET_PAPER };
            mp_board_cell *c = &b->cell[s * b->methods + m];
            *c = nothing();
            MP_TRY(b->method[m].mid ? fill_mid(lab, ask, &b->method[m], c) : fill(lab, &ask, &b->method[m], c));
        }
    }
    return MP_OK;
}

mp_err mp_board_make(mp_lab *lab, const char *const *set, int sets, const char *const *pool, int pools, mp_board *out)
{
    mp_arena *a = mp_lab_arena(lab);
    mp_board_method *method = MP_NEW(a, mp_board_method, 2 * pools + 1);
    *out = (mp_board){ .set = set, .sets = sets, .method = method };
    for (int i = 0; i < pools; i++) {
        const char *title = mp_lab_title(pool[i]);
        method[out->methods++] = (mp_board_method){ pool[i], title, false };
        if (mp_has_mid(pool[i]))
            method[out->methods++] = (mp_board_method){ pool[i], mp_arena_printf(a, "%s + MID", title), true };
    }
    out->cell = MP_NEW(a, mp_board_cell, sets * out->methods + 1);
    return fill_all(lab, out);
}

const mp_board_pair *mp_board_pairs(const mp_board *b, mp_arena *a)
{
    int n = b->sets * b->methods;
    mp_board_pair *pair = MP_NEW(a, mp_board_pair, n + 1);
    double *p = MP_NEW(a, double, n + 1), *adjusted = MP_NEW(a, double, n + 1);
    for (int i = 0; i < n; i++) {
        const mp_board_cell *mid = &b->cell[i], *base = mid - 1;
        pair[i] = (mp_board_pair){ (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN };
        p[i] = (double)NAN;
        if (!b->method[i % b->methods].mid || mid->values == 0 || mid->values != base->values) continue;
        double *d = MP_NEW(a, double, mid->values);
        for (int k = 0; k < mid->values; k++) d[k] = mid->value[k] - base->value[k];
        mp_paired t = mp_compare_paired(d, mid->values, mid->test_train);
        pair[i] = (mp_board_pair){ t.mean, t.low, t.high, t.p, (double)NAN };
        p[i] = t.p;
    }
    mp_compare_holm(p, n, a, adjusted);
    for (int i = 0; i < n; i++) pair[i].adjusted = adjusted[i];
    return pair;
}
