/* score.c - see score.h.
 * SPDX-License-Identifier: MIT */
#include "report/score.h"
#include "base/text.h"

#include <math.h>

const mp_metric *mp_metric_of(const char *name)
{
    static const mp_metric unknown = { "metric", "metric", true, false, false, NULL };
    const mp_metric *m = mp_metric_find(name);
    return m ? m : &unknown;
}

void mp_spread_cell(mp_table *t, const mp_metric *m, double mean, double std, int n)
{
    double scale = m->percent ? 100 : 1;
    if (!isfinite(mean))
        mp_table_add(t, "-");
    else if (n < 2)
        mp_table_add(t, m->percent ? "%.2f" : "%.4g", scale * mean);
    else
        mp_table_add(t, m->percent ? "%.2f \xC2\xB1 %.2f" : "%.4g \xC2\xB1 %.2g", scale * mean, scale * std);
}

void mp_score_cell(mp_table *t, const mp_metric *m, const mp_score *s)
{
    if (s)
        mp_spread_cell(t, m, s->mean, s->std_seeds, s->seeds);
    else
        mp_table_add(t, "-");
}

void mp_score_number(mp_table *t, const mp_metric *m, double v, bool sign)
{
    char text[64];
    const char *fmt = m->percent ? sign ? "%+.2f" : "%.2f" : sign ? "%+.4g" : "%.4g";
    mp_format(text, sizeof text, fmt, m->percent ? 100 * v : v);
    mp_table_add(t, "%s", isfinite(v) ? text : "-");
}

const char *mp_score_unit(const mp_metric *m, mp_arena *a)
{
    return mp_arena_printf(a, "%s%s", m->title, m->percent ? " in percent" : "");
}
