/* grid.c - see grid.h.
 * SPDX-License-Identifier: MIT */
#include "train/grid.h"
#include "model/options.h"

const char *const mp_grid_name[MP_GRIDS + 1] = { "none", "code", "paper", "list", NULL };

static const struct {
    int score_dims[3], dims;
    double drops[3];
    int rates;
} grids[] = {
    [MP_GRID_CODE] = { { 1, 5, 9 }, 3, { 0, 0.1, 0.2 }, 3 },
    [MP_GRID_PAPER] = { { 5, 9 }, 2, { 0.1, 0.2 }, 2 },
};

static int fill(mp_grid grid, const mp_config *config, mp_config out[MP_GRID_MOST])
{
    int n = 0;
    mp_assert(grid < MP_GRID_LIST);
    if (mp_config_uses(config, "score-dim") != MP_USED) grid = MP_GRID_NONE;
    if (grid == MP_GRID_NONE) out[n++] = *config;
    for (int i = 0; grid != MP_GRID_NONE && i < grids[grid].dims; i++) {
        for (int j = 0; j < grids[grid].rates; j++) {
            out[n] = *config;
            out[n].flip = 1;
            out[n].score_dim = grids[grid].score_dims[i];
            out[n++].drop = grids[grid].drops[j];
        }
    }
    return n;
}

static bool used(const mp_config *point, int n, const char *option)
{
    for (int i = 0; i < n; i++)
        if (mp_config_uses(&point[i], option) == MP_USED) return true;
    return false;
}

void mp_grid_trim(mp_grid grid, mp_config *config)
{
    mp_config usual, point[MP_GRID_MOST];
    mp_config_init(&usual);
    for (bool again = true; again;) { /* what went back may have been what another option needs */
        int n = fill(grid, config, point);
        again = false;
        for (const mp_opt *o = mp_config_table; o->name; o++) {
            if (mp_conf_same(o, config, &usual) || used(point, n, o->name)) continue;
            mp_conf_default(o, config);
            again = true;
        }
    }
}

int mp_grid_points(mp_grid grid, const mp_config *config, mp_config out[MP_GRID_MOST])
{
    mp_config trimmed = *config;
    mp_grid_trim(grid, &trimmed);
    return fill(grid, &trimmed, out);
}

bool mp_grid_has(mp_grid grid, const mp_config *config, const mp_config *like)
{
    mp_config point[MP_GRID_MOST];
    int n = fill(grid, config, point);
    for (int i = 0; i < n; i++)
        if (point[i].score_dim == like->score_dim && point[i].drop == like->drop) return true;
    return false;
}
