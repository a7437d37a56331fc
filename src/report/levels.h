/* levels.h - a graph at its levels of pooling as one figure of a page: a slider goes through the levels, a list through the
 * columns of scores; its data as CSV.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LEVELS_H
#define MP_LEVELS_H

#include "report/html.h"
#include "report/svg.h"

/* All in the arena. Where levels have several columns of scores there is a picture for each of them behind the one of `score`.
 * CSV: level, node, score, kept, then the columns. For mp_section_figure and mp_report_options. */
mp_picture mp_levels_picture(const mp_svg_graph_spec *graph, const char *title, const char *note, mp_arena *a);

#endif
