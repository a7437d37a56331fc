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

void mp_score_cell(mp_table *t, const mp_metric *m, double mean, double std)
{
    if (!isfinite(mean))
        mp_table_add(t, "-");
    else if (m->percent)
        mp_table_add(t, "%.2f \xC2\xB1 %.2f", 100 * mean, 100 * std);
    else
        mp_table_add(t, "%.4g \xC2\xB1 %.2g", mean, std);
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
