/* figures.c - see figures.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/figures.h"

#include <math.h>

static bool any_finite(const double *v, int n)
{
    for (int i = 0; i < n; i++)
        if (isfinite(v[i])) return true;
    return false;
}

static bool shows_chart(const mp_svg_chart_spec *s)
{
    for (int i = 0; i < s->series; i++)
        if (any_finite(s->line[i].y, s->line[i].n)) return true;
    return false;
}

static bool shows_bars(const mp_svg_bars_spec *s)
{
    for (int i = 0; i < s->series; i++)
        if (any_finite(s->bar[i].value, s->groups)) return true;
    return false;
}

#define FIGURE(kind, shown)                                                                                            \
    void mp_figure_##kind(mp_section *out, const char *title, const char *note, const mp_svg_##kind##_spec *spec)      \
    {                                                                                                                  \
        if (!(shown)) return;                                                                                          \
        mp_buf svg = { 0 }, csv = { 0 };                                                                               \
        mp_svg_##kind(spec, &svg);                                                                                     \
        mp_svg_##kind##_csv(spec, &csv);                                                                               \
        mp_section_picture(out, title, note, &svg, &csv);                                                              \
        mp_buf_free(&svg);                                                                                             \
        mp_buf_free(&csv);                                                                                             \
    }

FIGURE(chart, shows_chart(spec))
FIGURE(dots, true)
FIGURE(clouds, true)
FIGURE(bars, shows_bars(spec))
FIGURE(heat, true)
FIGURE(whiskers, true)
