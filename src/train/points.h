/* points.h - the settings that a row of a study chooses among, as an ordered list: a known grid of MID (grid.h), or any list of
 * configurations, such as the product of the lists of a sweep. A point is its place in the list.
 *
 * As a text, for the store:
 *     {"options": ["hidden", "lr"], "points": [["16", "0.01"], ["64", "0.01"]],
 *      "halving": {"eta": 3, "least-epochs": 9, "global": false}, "nested": {"retrain": 3, "inner-folds": 0}}
 * where the last two are there when the row has such a rule.
 * SPDX-License-Identifier: MIT */
#ifndef MP_POINTS_H
#define MP_POINTS_H

#include "train/grid.h"
#include "train/rule.h"

#define MP_POINTS_MOST 100000

typedef struct mp_points {
    mp_grid grid;
    int count;
    const mp_config *at; /* seeds have no meaning */
    int options;
    const mp_opt *const *option; /* that tell points apart; score-dim and drop where it is no list */
} mp_points;

/* The points of a known grid. */
mp_points mp_points_of(mp_grid grid, const mp_config *config, mp_arena *a);

/* Of configurations in their order, options that are not used at their defaults; those that train alike are taken once. One point is no grid. */
mp_points mp_points_list(const mp_config *config, int n, mp_arena *a);

bool mp_points_equal(const mp_points *x, const mp_points *y);

/* "lr = 0.01, hidden = 64"; h stands for score-dim. */
const char *mp_point_name(const mp_points *p, int i, mp_arena *a);

/* The members of point i in a JSON object that is open. */
void mp_point_json(const mp_points *p, int i, mp_buf *b);

typedef struct mp_choice_point { /* of a known grid */
    int score_dim;
    double drop;
} mp_choice_point;

/* What is taken when nothing is chosen: of a known grid the point with this score-dim and drop, MP_NO_POINT when it has none; of
 * a list the first. */
int mp_points_fixed(const mp_points *p, const mp_choice_point *like);
#define MP_NO_POINT (-1)

/* What all points share: those options that tell them apart are at their defaults. */
mp_config mp_points_base(const mp_points *p);

void mp_points_to_json(const mp_points *p, const mp_rule *rule, mp_buf *b);
/* `base` is what they share. */
MP_MUST mp_err mp_points_from_json(mp_span text, const char *name, const mp_config *base, mp_arena *a, mp_points *out,
                                   mp_rule *rule);

#endif
