/* given.c - see given.h.
 * SPDX-License-Identifier: MIT */
#include "cli/given.h"
#include "model/model.h"
#include "model/options.h"

#include <string.h>

/* Options of commands that set options of models. */
static const struct {
    const char *name, *option;
} stands_for[] = { { "mid", "score-dim" }, { "no-mid", "score-dim" }, { "grid", "score-dim" } };

static const char *option_of(const char *name)
{
    for (size_t i = 0; i < sizeof stands_for / sizeof *stands_for; i++)
        if (strcmp(stands_for[i].name, name) == 0) return stands_for[i].option;
    const mp_opt *o = mp_conf_find(mp_config_table, name);
    return o ? o->name : NULL;
}

static bool lists(const char *names, const char *name)
{
    mp_span rest = mp_span_of(names), one;
    while (mp_next_field(&rest, ',', &one))
        if (one.n == strlen(name) && memcmp(one.p, name, one.n) == 0) return true;
    return false;
}

void mp_given_add(mp_given *g, const char *name, const char *value, const char *where)
{
    const char *option = option_of(name);
    if (strcmp(name, "preset") == 0 && lists(value, "mid")) option = option_of("mid");
    const mp_wish *last = g->count ? &g->wish[g->count - 1] : NULL;
    if (!option || (last && last->option == option)) return; /* another value of the same list, or said again */
    if (g->count == g->room) {
        g->room = mp_room(g->room, (int64_t)g->count + 1, 16, "options");
        MP_MORE(g->arena, g->wish, g->count, g->room);
    }
    g->wish[g->count++] = (mp_wish){ .option = option, .where = where };
}

mp_given mp_given_by(const mp_cli_args *args)
{
    mp_given g = { .arena = args->arena };
    for (int i = 0; i < args->settings; i++) {
        const mp_cli_setting *s = &args->setting[i];
        mp_given_add(&g, s->name, s->value, s->where);
    }
    return g;
}

void mp_given_ask(mp_given *g, const mp_config *c)
{
    const mp_config *copy = NULL;
    if (!g->methods)
        g->methods = mp_arena_text(g->arena, c->pool, strlen(c->pool));
    else if (!lists(g->methods, c->pool))
        g->methods = mp_arena_printf(g->arena, "%s, %s", g->methods, c->pool);
    for (int i = 0; i < g->count; i++) {
        mp_wish *w = &g->wish[i];
        mp_used used = w->met ? MP_USED : mp_config_uses(c, w->option);
        w->met = used == MP_USED;
        if (w->met || (w->why && (w->almost || used == MP_USED_NEVER))) continue;
        if (!copy) copy = memcpy(MP_NEW(g->arena, mp_config, 1), c, sizeof *c);
        w->why = copy;
        w->almost = used == MP_USED_NOT_NOW;
    }
}

mp_err mp_given_check(const mp_given *g)
{
    for (int i = 0; i < g->count; i++) {
        const mp_wish *w = &g->wish[i];
        if (!w->met && w->why) return mp_unused(w->why, w->option, g->methods, w->where);
    }
    return MP_OK;
}

mp_err mp_given_settle(const mp_cli_args *args, const mp_task *task, mp_config *c)
{
    mp_given g = mp_given_by(args);
    int asked = c->task;
    MP_TRY(mp_config_settle(c, task));
    mp_given_ask(&g, c);
    MP_TRY(mp_given_check(&g));
    c->task = asked;
    return MP_OK;
}
