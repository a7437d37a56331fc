/* figures.h - charts as pictures of a section, with their data to take away.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FIGURES_H
#define MP_FIGURES_H

#include "report/section.h"
#include "report/svg.h"

/* `note` may be NULL. A chart without a point and bars without a value, as of a store without runs, are left out. */
void mp_figure_chart(mp_section *out, const char *title, const char *note, const mp_svg_chart_spec *spec);
void mp_figure_dots(mp_section *out, const char *title, const char *note, const mp_svg_dots_spec *spec);
void mp_figure_clouds(mp_section *out, const char *title, const char *note, const mp_svg_clouds_spec *spec);
void mp_figure_bars(mp_section *out, const char *title, const char *note, const mp_svg_bars_spec *spec);
void mp_figure_heat(mp_section *out, const char *title, const char *note, const mp_svg_heat_spec *spec);
void mp_figure_whiskers(mp_section *out, const char *title, const char *note, const mp_svg_whiskers_spec *spec);

#endif
