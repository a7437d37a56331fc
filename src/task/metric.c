/* metric.c - the list of metrics, and means over columns of labels.
 * SPDX-License-Identifier: MIT */
#include "task/metric.h"
#include "base/text.h"
#include "midpool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ADDED_MOST 32

static struct { /* metrics from outside; written before threads start, read by all */
    const mp_metric *metric;
    const char *task; /* NULL: of all */
} added[ADDED_MOST];
static int added_count;

static const mp_metric *const families[] = { mp_metrics_classes, mp_metrics_ranks, mp_metrics_numbers };
enum { FAMILIES = sizeof families / sizeof *families };

const mp_metric *mp_metric_at(int i)
{
    for (int f = 0; f < FAMILIES; f++)
        for (const mp_metric *m = families[f]; m->name; m++)
            if (i-- == 0) return m;
    return i < added_count ? added[i].metric : NULL;
}

const mp_metric *mp_metric_find(const char *name)
{
    const mp_metric *m;
    for (int i = 0; (m = mp_metric_at(i)) != NULL; i++)
        if (strcmp(m->name, name) == 0) return m;
    return NULL;
}

mp_err mp_metric_add(const mp_metric *m, const char *task)
{
    if (!m || !m->name || !m->title || !m->measure || strlen(m->name) >= MP_NAME_MOST)
        return mp_fail(MP_ERR_USAGE, "a metric needs a name of fewer than %d characters, a title and a function",
                       MP_NAME_MOST);
    if (mp_metric_find(m->name)) return mp_fail(MP_ERR_USAGE, "there is a metric '%s' already", m->name);
    if (task && !mp_task_find(task)) return mp_fail(MP_ERR_USAGE, "metric '%s': no task '%s'", m->name, task);
    if (added_count == ADDED_MOST) return mp_fail(MP_ERR_LIMIT, "no more than %d metrics can be added", ADDED_MOST);
    added[added_count].metric = m;
    added[added_count++].task = task;
    return MP_OK;
}

int mp_metrics_of(const mp_task *t, const mp_metric *out[MP_METRICS_MOST])
{
    int n = 0;
    for (int i = 0; t->metrics[i]; i++) out[n++] = mp_metric_find(t->metrics[i]);
    for (int i = 0; i < added_count && n < MP_METRICS_MOST; i++)
        if (!added[i].task || strcmp(added[i].task, t->name) == 0) out[n++] = added[i].metric;
    return n;
}

mp_err mp_metric_lead(const mp_task *t, const char *name, const mp_metric **out)
{
    const mp_metric *list[MP_METRICS_MOST];
    int n = mp_metrics_of(t, list);
    *out = list[0];
    if (strcmp(name, "auto") == 0) return MP_OK;
    mp_buf names = MP_BUF_LOCAL;
    for (int i = 0; i < n; i++) {
        if (strcmp(list[i]->name, name) == 0) *out = list[i];
        mp_buf_printf(&names, "%s%s", i ? ", " : "", list[i]->name);
    }
    mp_err e = MP_OK;
    if (strcmp((*out)->name, name) != 0)
        e = mp_fail(MP_ERR_USAGE, "metric: task %s has no '%s'; it has %s", t->name, name, names.p);
    mp_buf_free(&names);
    return e;
}

/* Column t of the judged graphs, those whose label is known. */
static mp_column column_of(const mp_judged *j, int t, const double *answer, mp_arena *a)
{
    const mp_goal *g = j->goal;
    int T = g->columns, O = mp_goal_outputs(g), S = O / T;
    double *want = MP_NEW_RAW(a, double, j->n + 1), *mine = MP_NEW_RAW(a, double, j->n + 1);
    double *score = MP_NEW_RAW(a, double, (size_t)j->n *(size_t)S + 1);
    mp_column c = { 0, want, mine, score, S, g->task->classes ? g->classes : 2 * g->task->yes_no, a };
    for (int i = 0; i < j->n; i++) {
        size_t at = (size_t)i * (size_t)T + (size_t)t;
        if (isnan(j->want[at])) continue;
        want[c.n] = j->want[at];
        mine[c.n] = answer[at];
        for (int s = 0; s < S; s++)
            score[(size_t)c.n * (size_t)S + (size_t)s] = (double)j->told[(size_t)i * (size_t)O + (size_t)(t * S + s)];
        c.n++;
    }
    return c;
}

double mp_measure(const mp_metric *m, const mp_judged *j)
{
    mp_arena *a = mp_arena_new(65536);
    int T = j->goal->columns, O = mp_goal_outputs(j->goal), defined = 0;
    double sum = 0, *answer = MP_NEW_RAW(a, double, (size_t)j->n *(size_t)T + 1);
    for (int i = 0; i < j->n; i++)
        j->goal->task->answer(j->goal, j->told + (size_t)i * (size_t)O, answer + (size_t)i * (size_t)T);
    for (int t = 0; t < T; t++) {
        mp_column c = column_of(j, t, answer, a);
        double v = c.n ? m->measure(&c) : (double)NAN;
        if (isnan(v)) continue;
        sum += v;
        defined++;
    }
    mp_arena_free(a);
    return defined ? sum / defined : (double)NAN;
}

void mp_metric_text(const mp_metric *m, double v, char *out, size_t n)
{
    if (isnan(v))
        snprintf(out, n, "-");
    else if (m->percent)
        mp_format(out, n, "%.2f", 100 * v);
    else
        mp_format(out, n, "%.4g", v);
}

void mp_metric_unit(const mp_metric *m, double v, char *out, size_t n)
{
    char text[48];
    mp_metric_text(m, v, text, sizeof text);
    snprintf(out, n, "%s%s", text, m->percent && !isnan(v) ? " %" : "");
}
