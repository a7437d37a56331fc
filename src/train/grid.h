/* grid.h - the settings of MID that a study may choose among. What is not in a declared grid is never chosen.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GRID_H
#define MP_GRID_H

#include "conf/config.h"

/* The authors' code tries 9 points, the paper's text names 4; none is the configuration itself; a list is of other settings
 * (points.h). */
typedef enum mp_grid { MP_GRID_NONE, MP_GRID_CODE, MP_GRID_PAPER, MP_GRID_LIST, MP_GRIDS } mp_grid;
extern const char *const mp_grid_name[MP_GRIDS + 1]; /* "none", "code", "paper", "list"; NULL at the end */

/* Options that no point of the grid uses get their defaults: runs that train alike have equal keys. */
void mp_grid_trim(mp_grid grid, mp_config *config);

/* A grid sets flip, score-dim and drop of every point; a method without MID has one point. Other options are the same in
 * all points, as mp_grid_trim leaves them. */
#define MP_GRID_MOST 9
int mp_grid_points(mp_grid grid, const mp_config *config, mp_config out[MP_GRID_MOST]);

/* Whether a point of the grid has the score-dim and drop of `like`. */
bool mp_grid_has(mp_grid grid, const mp_config *config, const mp_config *like);

#endif
