/* figures.c - see figures.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/figures.h"

#define FIGURE(kind)                                                                                                   \
    void mp_figure_##kind(mp_section *out, const char *title, const char *note, const mp_svg_##kind##_spec *spec)      \
    {                                                                                                                  \
        mp_buf svg = { 0 }, csv = { 0 };                                                                               \
        mp_svg_##kind(spec, &svg);                                                                                     \
        mp_svg_##kind##_csv(spec, &csv);                                                                               \
        mp_section_picture(out, title, note, &svg, &csv);                                                              \
        mp_buf_free(&svg);                                                                                             \
        mp_buf_free(&csv);                                                                                             \
    }

FIGURE(chart)
FIGURE(dots)
FIGURE(clouds)
FIGURE(bars)
FIGURE(heat)
FIGURE(whiskers)
