/* report_settings.c - how a row is made: its options as YAML, the command that makes it, and what of it is missing.
 *
 * Options are those that differ from what the data set and the method have without being asked (train/preset.h), so that the
 * command gives the same runs: they are then found in the store.
 * SPDX-License-Identifier: MIT */
#include "report/report_own.h"
#include "train/preset.h"

#include <math.h>
#include <string.h>

enum { FEW = 12 };

static bool one_of(const char *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* A configuration with nothing but the method, on this data set. */
static mp_err usual_config(const mp_run_key *key, mp_arena *a, mp_config *out)
{
    const char *const *settings;
    mp_dataset named = { .name = key->dataset };
    mp_config_init(out);
    MP_TRY(mp_presets_for(&named, key->config.pool, NULL, a, &settings));
    for (int i = 0; settings[i]; i++) MP_TRY(mp_conf_set_all(mp_config_table, out, settings[i], "preset"));
    return MP_OK;
}

mp_report_source mp_report_source_of(const mp_group *s)
{
    return (mp_report_source){ &s->key, s->grid, &s->list, &s->rule };
}

static mp_report_source source_of_declared(const mp_declared *d)
{
    return (mp_report_source){ &d->key, d->grid, &d->points, &d->rule };
}

/* Whether the option is not the same in all points, or is that of a run and not of a row. */
static bool is_aside(const mp_report_source *s, const char *option)
{
    static const char *const aside[] = { "pool", "seed", NULL }, *const of_grid[] = { "flip", "score-dim", "drop",
                                                                                      NULL };
    if (one_of(option, aside)) return true;
    for (int k = 0; s->grid == MP_GRID_LIST && k < s->list->options; k++)
        if (strcmp(s->list->option[k]->name, option) == 0) return true;
    return (s->grid == MP_GRID_CODE || s->grid == MP_GRID_PAPER) && one_of(option, of_grid);
}

mp_err mp_report_each_option(const mp_report_source *s, mp_arena *a,
                             void (*tell)(mp_buf *b, const char *name, const char *value), mp_buf *b)
{
    const mp_run_key *key = s->key;
    mp_config usual;
    MP_TRY(usual_config(key, a, &usual));
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char value[80];
        if (is_aside(s, o->name) || mp_conf_same(o, &key->config, &usual)) continue;
        mp_conf_get(o, &key->config, value, sizeof value);
        tell(b, o->name, value);
    }
    return MP_OK;
}

static bool is_plain(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,/") == strlen(s);
}

void mp_report_word(mp_buf *b, const char *s)
{
    if (is_plain(s)) {
        mp_buf_puts(b, s);
        return;
    }
    mp_buf_puts(b, "'");
    for (; *s; s++) mp_buf_add(b, *s == '\'' ? "'\\''" : s, *s == '\'' ? 4 : 1);
    mp_buf_puts(b, "'");
}

static void tell_yaml(mp_buf *b, const char *name, const char *value)
{
    mp_buf_printf(b, "%s: ", name);
    if (is_plain(value)) {
        mp_buf_puts(b, value);
    } else {
        mp_buf_puts(b, "'");
        for (; *value; value++) mp_buf_add(b, *value == '\'' ? "''" : value, *value == '\'' ? 2 : 1);
        mp_buf_puts(b, "'");
    }
    mp_buf_puts(b, "\n");
}

static void tell_option(mp_buf *b, const char *name, const char *value)
{
    const mp_opt *o = mp_conf_find(mp_config_table, name);
    if (o->kind == MP_OPT_FLAG) {
        mp_buf_printf(b, strcmp(value, "true") == 0 ? " --%s" : " --no-%s", name);
        return;
    }
    mp_buf_printf(b, " --%s ", name);
    mp_report_word(b, value);
}

/* The values of option k that points have, each once; returns how many there are. */
static int put_values(const mp_points *list, int k, mp_buf *b)
{
    const mp_opt *o = list->option[k];
    int n = 0;
    for (int i = 0; i < list->count; i++) {
        char value[80];
        bool seen = false;
        for (int j = 0; j < i && !seen; j++) seen = mp_conf_same(o, &list->at[j], &list->at[i]);
        mp_conf_get(o, &list->at[i], value, sizeof value);
        if (!seen) mp_buf_printf(b, is_plain(value) && !strchr(value, ',') ? "%s%s" : "%s'%s'", n++ ? ", " : "", value);
    }
    return n;
}

/* A list that is a product is written as lists; of others every point is written down. */
static void put_points(const mp_points *list, mp_arena *a, mp_buf *b)
{
    size_t here = b->n;
    double product = 1;
    for (int k = 0; k < list->options; k++) {
        mp_buf_printf(b, "%s: [", list->option[k]->name);
        product *= put_values(list, k, b);
        mp_buf_puts(b, "]\n");
    }
    if (product == list->count) return;
    b->n = here;
    mp_buf_puts(b, "# the points, which the file of the sweep makes:\n");
    for (int i = 0; i < list->count && i < FEW; i++) mp_buf_printf(b, "#   %s\n", mp_point_name(list, i, a));
    if (list->count > FEW) mp_buf_printf(b, "#   and %d more\n", list->count - FEW);
}

static void put_rule(const mp_rule *r, mp_buf *b)
{
    if (r->eta) mp_buf_printf(b, "search: halving\neta: %d\nleast-epochs: %d\n", r->eta, r->least);
    if (!mp_rule_nested(r)) return;
    mp_buf_printf(b, "select: nested\nretrain: %d\n", r->retrain);
    if (r->inner) mp_buf_printf(b, "inner-folds: %d\n", r->inner);
}

static mp_err put_yaml(const mp_group *s, mp_arena *a, mp_buf *b)
{
    mp_report_source from = mp_report_source_of(s);
    tell_yaml(b, "pool", s->key.config.pool);
    if (s->grid == MP_GRID_CODE || s->grid == MP_GRID_PAPER) tell_yaml(b, "grid", mp_grid_name[s->grid]);
    if (s->grid == MP_GRID_LIST && s->list.count > 1) put_points(&s->list, a, b);
    if (s->grid == MP_GRID_LIST) put_rule(&s->rule, b);
    return mp_report_each_option(&from, a, tell_yaml, b);
}

/* Folds of a file are known by its name and what it says: "mine.json#0123456789abcdef". */
static void put_folds(const mp_run_key *key, mp_arena *a, mp_buf *b)
{
    const char *mark = strrchr(key->folds_from, '#');
    if (strcmp(key->folds_from, "stratified") == 0 && key->folds != 10) mp_buf_printf(b, " --folds %d", key->folds);
    if (!mark) return;
    mp_buf_puts(b, " --folds-from ");
    mp_report_word(b, mp_arena_text(a, key->folds_from, (size_t)(mark - key->folds_from)));
}

/* `seed` NULL: how many there are to be is not known. */
static mp_err put_command(const mp_report_source *s, const int *seed, int seeds, const char *store, mp_arena *a,
                          mp_buf *b)
{
    const mp_run_key *key = s->key;
    bool list = s->grid == MP_GRID_LIST && s->list->count > 1;
    mp_config usual;
    mp_config_init(&usual);
    if (list) {
        mp_buf_puts(b, "midpool sweep FILE.yaml --datasets ");
        mp_report_word(b, key->dataset);
    } else {
        mp_buf_puts(b, "midpool cv ");
        mp_report_word(b, key->dataset);
        mp_buf_puts(b, " --pool ");
        mp_report_word(b, key->config.pool);
        if (s->grid == MP_GRID_CODE || s->grid == MP_GRID_PAPER) mp_buf_printf(b, " --grid %s", mp_grid_name[s->grid]);
        if (s->grid == MP_GRID_LIST && mp_rule_nested(s->rule))
            mp_buf_printf(b, " --select nested --retrain %d --inner-folds %d", s->rule->retrain, s->rule->inner);
        MP_TRY(mp_report_each_option(s, a, tell_option, b));
    }
    if (seed && seed[0] != usual.seed) mp_buf_printf(b, " --seed %d", seed[0]);
    if (seed) mp_buf_printf(b, " --seeds %d", seed[seeds - 1] - seed[0] + 1);
    put_folds(key, a, b);
    mp_buf_puts(b, " --store ");
    mp_report_word(b, store);
    return MP_OK;
}

const char *mp_report_row_name(const mp_report_page *p, const mp_group *s)
{
    return mp_arena_printf(p->arena, "%s, %s", s->key.dataset, s->model);
}

static void put_pre(mp_buf *b, const char *text)
{
    mp_buf_puts(b, "<pre>");
    mp_html_text(b, text);
    mp_buf_puts(b, "</pre>\n");
}

static mp_err put_group_command(const mp_report_page *p, const mp_group *s, mp_buf *line)
{
    mp_choice c;
    MP_TRY(mp_group_choose(s, MP_SELECT_VAL, NULL, p->arena, &c));
    int failed = s->failed ? s->fail[0]->key.config.seed : 0;
    const int *seed = c.grid.seeds ? c.grid.seed : s->failed ? &failed : NULL;
    mp_report_source from = mp_report_source_of(s);
    return put_command(&from, seed, c.grid.seeds ? c.grid.seeds : 1, p->store, p->arena, line);
}

/* What validation said of the points, and which a rule stopped. */
static mp_err put_seen(const mp_report_page *p, const mp_group *s, mp_buf *b)
{
    mp_point_seen *seen = MP_NEW(p->arena, mp_point_seen, s->list.count);
    mp_choice c;
    MP_TRY(mp_group_choose(s, p->o->select, p->o->fixed, p->arena, &c));
    if (!c.chosen) return MP_OK;
    MP_TRY(mp_choice_seen(&s->set, &c, p->arena, seen));
    for (int i = 0; i < s->list.count; i++) {
        mp_buf_printf(b, "%3d  %s: ", i + 1, mp_point_name(&s->list, i, p->arena));
        mp_buf_printf(b, isnan(seen[i].metric) ? "not there" : "validation %s %.4f", s->metric->name, seen[i].metric);
        if (seen[i].chosen) mp_buf_printf(b, ", chosen %d times", seen[i].chosen);
        if (seen[i].rung < s->rungs - 1 && !isnan(seen[i].loss))
            mp_buf_printf(b, ", stopped after %d epochs", s->rung[seen[i].rung]);
        mp_buf_puts(b, "\n");
    }
    return MP_OK;
}

static mp_err write_row(const mp_report_page *p, const mp_group *s, mp_buf *room)
{
    room->n = 0;
    MP_TRY(put_yaml(s, p->arena, room));
    mp_html_fold_begin(p->b, mp_report_row_name(p, s));
    put_pre(p->b, room->p);
    room->n = 0;
    MP_TRY(put_group_command(p, s, room));
    put_pre(p->b, room->p);
    room->n = 0;
    if (s->grid == MP_GRID_LIST && s->list.count > 1 && s->metric) MP_TRY(put_seen(p, s, room));
    if (room->n) put_pre(p->b, room->p);
    mp_html_fold_end(p->b);
    return MP_OK;
}

static void put_join(const mp_report_page *p)
{
    mp_html_para(p->b,
                 "These runs come from several stores. Commands go on with one that has them all, which this makes:");
    put_pre(p->b, p->join);
}

mp_err mp_report_settings(const mp_report_page *p)
{
    mp_buf room = { 0 };
    mp_err e = MP_OK;
    if (p->count == 0) return MP_OK;
    mp_html_section_begin(p->b, "settings", "Settings and commands");
    mp_html_para(
        p->b,
        "For each row the options that differ from the usual ones of its data set and method, as YAML for "
        "--config, and the command that makes it. Runs that are in the store are not trained again. Files and data "
        "sets of one's own are named without their folder.");
    if (p->join) put_join(p);
    if (p->count > FEW) mp_html_fold_begin(p->b, mp_arena_printf(p->arena, "%d rows", p->count));
    for (int i = 0; i < p->count && e == MP_OK; i++) e = write_row(p, &p->study[i], &room);
    if (p->count > FEW) mp_html_fold_end(p->b);
    mp_html_section_end(p->b);
    mp_buf_free(&room);
    return e;
}

/* ---------------------------------------------------------------- what is unfinished */

typedef struct unfinished {
    int rows, missing, failed, untouched;
    mp_buf commands;
} unfinished;

/* Whether a run of the store is of the study. Stores are asked for each declaration, which are few. */
static bool has_run(const mp_report_page *p, const mp_declared *d)
{
    for (int i = 0; i < p->count; i++) {
        const mp_group *s = &p->study[i];
        mp_report_source from = source_of_declared(d);
        bool same = strcmp(s->key.dataset, d->key.dataset) == 0 && s->grid == d->grid && s->key.folds == d->key.folds &&
                    s->key.fingerprint == d->key.fingerprint && strcmp(s->key.folds_from, d->key.folds_from) == 0;
        for (const mp_opt *o = mp_config_table; o->name && same; o++)
            same = is_aside(&from, o->name) || mp_conf_same(o, &s->key.config, &d->key.config);
        if (same && d->grid == MP_GRID_LIST)
            same = mp_points_equal(&s->list, &d->points) && mp_rule_equal(&s->rule, &d->rule);
        if (same) return true;
    }
    return false;
}

static mp_err add_command(const mp_report_page *p, unfinished *u, const mp_group *s, const mp_declared *d)
{
    if (u->rows++ >= FEW) return MP_OK;
    mp_report_source from = { 0 };
    if (d) from = source_of_declared(d);
    mp_err e =
        s ? put_group_command(p, s, &u->commands) : put_command(&from, NULL, 0, p->store, p->arena, &u->commands);
    mp_buf_puts(&u->commands, "\n");
    return e;
}

static mp_err find_unfinished(const mp_report_page *p, unfinished *u)
{
    for (int i = 0; i < p->count; i++) {
        mp_choice c;
        MP_TRY(mp_group_choose(&p->study[i], MP_SELECT_VAL, NULL, p->arena, &c));
        if (!c.missing && !p->study[i].failed) continue;
        u->missing += c.missing;
        u->failed += p->study[i].failed;
        MP_TRY(add_command(p, u, &p->study[i], NULL));
    }
    for (int i = 0; i < p->o->studies; i++) {
        if (has_run(p, &p->o->declared[i])) continue;
        u->untouched++;
        MP_TRY(add_command(p, u, NULL, &p->o->declared[i]));
    }
    return MP_OK;
}

static void say_unfinished(const mp_report_page *p, const unfinished *u)
{
    mp_buf *b = p->b;
    mp_buf_puts(b, "<section id=\"unfinished\" class=\"state\">\n");
    mp_html_heading(b, 2, "Unfinished");
    mp_buf line = { 0 };
    const char *between = "";
    if (u->missing) {
        mp_buf_printf(&line, "%d run%s missing", u->missing, u->missing == 1 ? " is" : "s are");
        between = ", ";
    }
    if (u->failed) {
        mp_buf_printf(&line, "%s%d failed", between, u->failed);
        between = ", ";
    }
    if (u->untouched)
        mp_buf_printf(&line, "%s%d row%s begun but %s no finished run", between, u->untouched,
                      u->untouched == 1 ? " is" : "s are", u->untouched == 1 ? "has" : "have");
    mp_buf_printf(&line, ". Finished runs are kept; %s on with the rest, the report can be made at any time:",
                  p->o->command ? "this goes" : "these commands go");
    mp_html_para(b, line.p);
    mp_buf_free(&line);
    if (p->join && !p->o->command) put_pre(b, p->join);
    put_pre(b, p->o->command ? p->o->command : u->commands.p);
    if (u->rows > FEW && !p->o->command) mp_html_note(b, mp_arena_printf(p->arena, "And %d more rows.", u->rows - FEW));
    mp_html_section_end(b);
}

mp_err mp_report_unfinished(const mp_report_page *p)
{
    unfinished u = { 0 };
    mp_err e = find_unfinished(p, &u);
    if (e == MP_OK && u.rows) say_unfinished(p, &u);
    mp_buf_free(&u.commands);
    return e;
}
