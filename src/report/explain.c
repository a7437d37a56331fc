/* explain.c - mp_explain_svg of midpool.h: an explanation as a picture. It is here and not in src/api because it draws.
 * SPDX-License-Identifier: MIT */
#include "api/api.h"
#include "base/guard.h"
#include "report/trail.h"

typedef struct drawing {
    mp_predictor *p;
    const mp_data *d;
    int graph;
    const char *title, *svg;
} drawing;

static mp_err draw(void *arg)
{
    drawing *w = arg;
    mp_arena *a = w->p->step;
    mp_graph g;
    mp_sparse x;
    mp_trail_of_graph t;
    mp_buf b = MP_BUF_LOCAL;
    MP_TRY(mp_api_pick(w->d, w->graph, &w->p->trained->about.recipe, a, &g, &x));
    MP_TRY(mp_trail_run(w->p->trained->model, &g, &x, 0, a, &t));
    mp_trail_svg(&t, &g, &(mp_trail_view){ .title = w->title }, a, &b);
    w->svg = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return MP_OK;
}

mp_err mp_explain_svg(mp_predictor *p, const mp_data *d, int graph, const char *title, const char **svg)
{
    MP_TRY(mp_api_need(p && d && svg, "mp_explain_svg"));
    drawing w = { .p = p, .d = d, .graph = graph, .title = title };
    if (p->told) mp_arena_reset(p->step);
    p->told = true;
    MP_TRY(mp_guarded(draw, &w));
    *svg = w.svg;
    return MP_OK;
}
