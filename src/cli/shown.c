/* shown.c - see shown.h.
 * SPDX-License-Identifier: MIT */
#include "cli/shown.h"
#include "baseline/baseline.h"
#include "model/model.h"
#include "model/options.h"
#include "train/preset.h"

#include <string.h>

#define OF_SINGLE      "single methods"
#define STANDS_FOR_MID "score-dim" /* who has it has --mid */

typedef struct maker {
    const mp_cli *cli;
    const char *const *methods;
    mp_arena *a;
    mp_shown *at;
    int count;
} maker;

/* ---- methods ---- */

mp_err mp_shown_methods(const char *pools, mp_arena *a, const char *const **out)
{
    int n;
    const char *const *name = mp_cli_split(pools, a, &n);
    const char **usual = MP_NEW(a, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        mp_config c;
        mp_config_init(&c);
        MP_TRY(mp_conf_set(mp_config_table, &c, "pool", name[i], "--pool"));
        MP_TRY(mp_config_check(&c));
        usual[i] = mp_arena_text(a, c.pool, strlen(c.pool));
    }
    *out = usual;
    return MP_OK;
}

static const char *title_of(const char *method)
{
    const mp_pool_op *op = mp_pool_find(method);
    return op ? op->title : mp_baseline_find(method)->title;
}

static bool any_uses(const char *const *methods, const char *option)
{
    for (; *methods; methods++)
        if (mp_method_uses(*methods, option)) return true;
    return false;
}

/* "SAGPool, TopKPool": the named methods to which the option belongs; NULL: it is none of theirs alone. */
static const char *owners(const maker *m, const char *option)
{
    const char *titles = NULL;
    for (const char *const *p = m->methods; p && *p; p++)
        if (mp_method_owns(*p, option))
            titles = titles ? mp_arena_printf(m->a, "%s, %s", titles, title_of(*p)) : title_of(*p);
    return titles;
}

/* ---- the list ---- */

static void add(maker *m, mp_shown o)
{
    if (o.model && m->methods && strcmp(o.name, "pool") != 0) {
        const char *option = strcmp(o.name, "mid") == 0 ? STANDS_FOR_MID : o.name;
        if (!any_uses(m->methods, option)) return;
        const char *titles = o.common ? NULL : owners(m, option); /* common ones stay where everybody looks for them */
        if (titles) o.group = titles;
        o.own = titles != NULL;
    }
    m->at[m->count++] = o;
}

static void add_row(maker *m, const mp_cli_group *g, const mp_opt *o, bool whole)
{
    static const char *const value[] = { [MP_OPT_INT] = "N",       [MP_OPT_REAL] = "X",    [MP_OPT_FLAG] = "",
                                         [MP_OPT_CHOICE] = "WORD", [MP_OPT_TEXT] = "NAME", [MP_OPT_LIST] = "N,N..." };
    bool model = g->table == mp_config_table || o->group;
    add(m, (mp_shown){ .name = o->name,
                       .value = value[o->kind],
                       .help = o->help,
                       .initial = *o->initial ? o->initial : NULL,
                       .group = o->group ? o->group
                                : model  ? OF_SINGLE
                                         : g->title,
                       .row = o,
                       .model = model,
                       .common = whole || o->mark == MP_COMMON });
}

/* A text that goes before a row of a model stands where the row would. */
static void add_text(maker *m, const mp_cli_text *t, const char *group, bool whole)
{
    const mp_opt *hidden = NULL;
    for (const mp_cli_group *g = m->cli->groups; g && g->title; g++)
        if (g->table == mp_config_table) hidden = mp_conf_find(mp_config_table, t->name);
    add(m, (mp_shown){ .name = t->name,
                       .value = t->what,
                       .help = t->help,
                       .initial = t->initial,
                       .group = hidden ? hidden->group : group,
                       .model = hidden != NULL,
                       .common = whole || t->mark == MP_COMMON || (hidden && hidden->mark == MP_COMMON) });
}

static void add_mid(maker *m, const char *group)
{
    add(m, (mp_shown){ .name = "mid",
                       .value = "",
                       .help = mp_arena_printf(m->a, "%s; options given by name win", mp_preset_find("mid")->about),
                       .group = group,
                       .model = true,
                       .common = true });
}

/* A table without a mark is explained whole. */
static bool no_mark(const mp_cli_group *g, const mp_cli_text *t)
{
    for (const mp_opt *o = g->table; o->name; o++)
        if (o->mark == MP_COMMON) return false;
    for (; t && t->name; t++)
        if (t->mark == MP_COMMON) return false;
    return true;
}

static void add_all(maker *m)
{
    const mp_cli *cli = m->cli;
    for (const mp_cli_group *g = cli->groups; g && g->title; g++) {
        bool first = g == cli->groups, whole = no_mark(g, first ? cli->texts : NULL);
        for (const mp_cli_text *t = cli->texts; first && t && t->name; t++) add_text(m, t, g->title, whole);
        if (first && cli->has_model)
            add(m, (mp_shown){
                       .name = "config",
                       .value = "FILE",
                       .help = "YAML file of options, 'name: value' (midpool init writes one); the command line wins",
                       .group = g->title,
                       .common = true });
        for (const mp_opt *o = g->table; o->name; o++) {
            if (cli->has_model && strcmp(o->name, STANDS_FOR_MID) == 0) add_mid(m, o->group);
            if (!mp_cli_text_find(cli, o->name)) add_row(m, g, o, whole);
        }
    }
}

/* Headings of the command come first, then those of models in the order of their table, then those of named methods, and what
 * single methods have is last. */
static int rank_of(const maker *m, const mp_shown *o)
{
    int first = 0;
    if (o->model && !o->own && strcmp(o->group, OF_SINGLE) != 0) {
        const mp_opt *row = mp_config_table;
        while (!row->group || strcmp(row->group, o->group) != 0) row++;
        return MP_OPTIONS_MOST + (int)(row - mp_config_table);
    }
    while (strcmp(m->at[first].group, o->group) != 0) first++;
    return first + (strcmp(o->group, OF_SINGLE) == 0 ? 3 : o->own ? 2 : 0) * MP_OPTIONS_MOST;
}

static const mp_shown *by_heading(const maker *m)
{
    mp_shown *out = MP_NEW(m->a, mp_shown, m->count + 1);
    int *rank = MP_NEW(m->a, int, m->count + 1), n = 0;
    for (int i = 0; i < m->count; i++) rank[i] = rank_of(m, &m->at[i]);
    for (int now = 0; n < m->count; now++)
        for (int i = 0; i < m->count; i++)
            if (rank[i] == now) out[n++] = m->at[i];
    return out;
}

mp_shown_list mp_shown_options(const mp_cli *cli, const char *const *methods, mp_arena *a)
{
    maker m = { .cli = cli, .methods = methods, .a = a };
    int room = 2;
    for (const mp_cli_group *g = cli->groups; g && g->title; g++)
        for (const mp_opt *o = g->table; o->name; o++) room++;
    for (const mp_cli_text *t = cli->texts; t && t->name; t++) room++;
    m.at = MP_NEW(a, mp_shown, room);
    add_all(&m);
    return (mp_shown_list){ m.count, by_heading(&m) };
}

/* ---- one option in words ---- */

static const char *limits(const mp_shown *o, mp_arena *a)
{
    char range[96];
    const mp_opt *r = o->row;
    if (!r || r->kind == MP_OPT_TEXT) return o->initial ? mp_arena_printf(a, " [%s]", o->initial) : "";
    switch (r->kind) {
    case MP_OPT_INT:
    case MP_OPT_REAL:
    case MP_OPT_LIST:
        mp_format(range, sizeof range, "%.10g to %.10g", r->lo, r->hi);
        return mp_arena_printf(a, " [%s; %s]", r->initial, range);
    case MP_OPT_FLAG:
        return strcmp(r->initial, "true") == 0 ? " [on]" : " [off]";
    default:
        return mp_arena_printf(a, " [%s; %s]", r->initial, r->choices);
    }
}

const char *mp_shown_meaning(const mp_shown *o, const char *const *methods, mp_arena *a)
{
    mp_buf needs = MP_BUF_LOCAL;
    if (o->row && o->model && methods && methods[0] && !methods[1]) mp_method_needs(methods[0], o->name, &needs);
    const char *text = mp_arena_printf(a, "%s%s%s%s%s", o->help, needs.n ? " (where " : "", needs.n ? needs.p : "",
                                       needs.n ? ")" : "", limits(o, a));
    mp_buf_free(&needs);
    return text;
}
