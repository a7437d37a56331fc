/* survey.c - see survey.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/figures.h"
#include "experiment/survey.h"

#include <math.h>

mp_subject mp_subject_tested(const mp_probe_in *in)
{
    const mp_cv_run *r = in->run;
    return (mp_subject){ in->model, &r->data->graphs, &r->data->x, r->split->test, r->split->n_test, in->threads };
}

mp_err mp_survey_row(mp_lab *lab, const mp_ask *given, const mp_probe *p, const char *arg, mp_arena *a, mp_survey *out)
{
    mp_ask ask = *given;
    mp_assert(ask.settings);
    if (mp_lab_quick(lab)) ask.settings = mp_arena_printf(a, "%s epochs=200", ask.settings);
    return mp_survey_take(lab, &ask, p, arg, a, out);
}

mp_err mp_survey_take(mp_lab *lab, const mp_ask *ask, const mp_probe *p, const char *arg, mp_arena *a, mp_survey *out)
{
    int row;
    mp_assert(ask->models && ask->grid == MP_GRID_NONE);
    MP_TRY(mp_lab_row(lab, ask, &row));
    int n = mp_lab_runs(lab, row);
    double *test = MP_NEW(a, double, n);
    *out = (mp_survey){ .arena = a, .n = n, .row = row, .value = MP_NEW(a, const mp_json *, n), .test = test };
    for (int i = 0; i < n; i++) {
        mp_lab_run run = mp_lab_run_at(lab, row, i);
        test[i] = run.result ? run.result->test_metric : (double)NAN;
        out->test_train = (double)run.run->split->n_test / run.run->split->n_train;
        MP_TRY(mp_lab_measure(lab, p, run.run, arg, &out->value[i]));
    }
    return MP_OK;
}

double mp_survey_number(const mp_survey *s, int run, const char *path)
{
    mp_span rest = mp_span_of(path), key;
    const mp_json *v = s->value[run];
    while (v && mp_next_field(&rest, '.', &key)) v = mp_json_get(v, mp_arena_text(s->arena, key.p, key.n));
    return v && v->kind == MP_JSON_NUMBER ? v->number : (double)NAN;
}

static mp_over_runs over(const double *v, int n)
{
    double sum = 0, squares = 0;
    int there = 0;
    for (int i = 0; i < n; i++) {
        sum += isnan(v[i]) ? 0 : v[i];
        there += !isnan(v[i]);
    }
    double mean = there ? sum / there : (double)NAN;
    for (int i = 0; i < n; i++) squares += isnan(v[i]) ? 0 : (v[i] - mean) * (v[i] - mean);
    return (mp_over_runs){ there, mean, there ? sqrt(squares / there) : (double)NAN };
}

mp_over_runs mp_survey_spread(const mp_survey *s, const char *path)
{
    double *v = MP_NEW(s->arena, double, s->n);
    for (int i = 0; i < s->n; i++) v[i] = mp_survey_number(s, i, path);
    return over(v, s->n);
}

mp_over_runs mp_survey_test(const mp_survey *s)
{
    return over(s->test, s->n);
}

mp_paired mp_survey_paired(const mp_survey *a, const mp_survey *b, const char *path)
{
    int n = 0, most = a->n < b->n ? a->n : b->n;
    double *d = MP_NEW(a->arena, double, most);
    for (int i = 0; i < most; i++) {
        d[n] = mp_survey_number(a, i, path) - mp_survey_number(b, i, path);
        n += !isnan(d[n]);
    }
    return mp_compare_paired(d, n, a->test_train);
}

bool mp_survey_any(const mp_survey *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->value[i]) return true;
    return false;
}

void mp_paired_cell(mp_table *t, const mp_paired *d, double unit)
{
    if (!(d->n > 1))
        mp_table_add(t, "-");
    else
        mp_table_add(t, "%+.3g (%.3g to %.3g)", unit * d->mean, unit * d->low, unit * d->high);
}

void mp_survey_bars(mp_section *out, const char *title, const mp_svg_bars_spec *spec)
{
    mp_figure_bars(out, title, "Mean and deviation over folds and seeds.", spec);
}
