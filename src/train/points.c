/* points.c - see points.h.
 * SPDX-License-Identifier: MIT */
#include "train/points.h"
#include "base/json.h"
#include "base/rng.h"
#include "model/options.h"

#include <string.h>

mp_points mp_points_of(mp_grid grid, const mp_config *config, mp_arena *a)
{
    mp_config *at = MP_NEW(a, mp_config, MP_GRID_MOST);
    const mp_opt **option = MP_NEW(a, const mp_opt *, 2);
    int n = mp_grid_points(grid, config, at);
    option[0] = mp_conf_find(mp_config_table, "score-dim");
    option[1] = mp_conf_find(mp_config_table, "drop");
    return (mp_points){ n > 1 ? grid : MP_GRID_NONE, n, at, 2, option };
}

static bool same(const mp_config *x, const mp_config *y)
{
    return mp_conf_equal(mp_config_table, x, y);
}

/* Options in which the points differ, in table order. */
static int find_options(const mp_config *at, int n, const mp_opt **out)
{
    int options = 0;
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        bool differs = false;
        for (int i = 1; i < n && !differs; i++) differs = !mp_conf_same(o, &at[0], &at[i]);
        if (differs) out[options++] = o;
    }
    return options;
}

static uint64_t hash_of(const mp_config *c, const mp_opt *const *option, int options)
{
    uint64_t h = 0;
    for (int k = 0; k < options; k++) {
        char value[80];
        mp_conf_get(option[k], c, value, sizeof value);
        for (const char *p = value; *p; p++) h = mp_rng_mix(h + (unsigned char)*p);
    }
    return h;
}

/* Moves the first of those that are equal to the front, in their order; returns how many there are. */
static int drop_repeats(mp_config *at, int n, const mp_opt *const *option, int options, mp_arena *a)
{
    size_t slots = 16;
    int count = 0;
    while (slots < 2 * (size_t)n) slots *= 2;
    int *slot = MP_NEW(a, int, slots); /* 1 + place */
    for (int i = 0; i < n; i++) {
        size_t s = (size_t)hash_of(&at[i], option, options) & (slots - 1);
        while (slot[s] && !same(&at[slot[s] - 1], &at[i])) s = (s + 1) & (slots - 1);
        if (slot[s]) continue;
        at[count] = at[i];
        slot[s] = ++count;
    }
    return count;
}

mp_points mp_points_list(const mp_config *config, int n, mp_arena *a)
{
    mp_config *at = MP_NEW(a, mp_config, n);
    const mp_opt **option = MP_NEW(a, const mp_opt *, MP_OPTIONS_MOST);
    for (int i = 0; i < n; i++) {
        at[i] = config[i];
        at[i].seed = config[0].seed;
        mp_config_trim(&at[i]);
    }
    int options = find_options(at, n, option);
    n = drop_repeats(at, n, option, options, a);
    if (n == 1) return mp_points_of(MP_GRID_NONE, at, a);
    return (mp_points){ MP_GRID_LIST, n, at, options, option };
}

bool mp_points_equal(const mp_points *x, const mp_points *y)
{
    if (x->grid != y->grid || x->count != y->count) return false;
    for (int i = 0; i < x->count; i++)
        if (!same(&x->at[i], &y->at[i])) return false;
    return true;
}

const char *mp_point_name(const mp_points *p, int i, mp_arena *a)
{
    mp_buf b = { 0 };
    for (int k = 0; k < p->options; k++) {
        char value[80];
        bool h = strcmp(p->option[k]->name, "score-dim") == 0;
        mp_conf_get(p->option[k], &p->at[i], value, sizeof value);
        mp_buf_printf(&b, "%s%s = %s", k ? ", " : "", h ? "h" : p->option[k]->name, value);
    }
    const char *text = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return text;
}

void mp_point_json(const mp_points *p, int i, mp_buf *b)
{
    for (int k = 0; k < p->options; k++) {
        char value[80];
        mp_conf_get(p->option[k], &p->at[i], value, sizeof value);
        mp_json_key(b, p->option[k]->name);
        if (mp_conf_quoted(p->option[k], value))
            mp_json_put_text(b, value);
        else
            mp_json_put_raw(b, value);
    }
}

int mp_points_fixed(const mp_points *p, const mp_choice_point *like)
{
    if (p->grid == MP_GRID_NONE || p->grid == MP_GRID_LIST) return 0;
    for (int i = 0; i < p->count; i++)
        if (p->at[i].score_dim == like->score_dim && p->at[i].drop == like->drop) return i;
    return MP_NO_POINT;
}

mp_config mp_points_base(const mp_points *p)
{
    mp_config c = p->at[0];
    for (int k = 0; p->grid == MP_GRID_LIST && k < p->options; k++) mp_conf_default(p->option[k], &c);
    return c;
}

/* ---- as a text ---- */

static void put_points(const mp_points *p, mp_buf *b)
{
    mp_json_key(b, "options");
    mp_json_open(b, '[');
    for (int k = 0; k < p->options; k++) mp_json_put_text(b, p->option[k]->name);
    mp_json_close(b, ']');
    mp_json_key(b, "points");
    mp_json_open(b, '[');
    for (int i = 0; i < p->count; i++) {
        mp_json_open(b, '[');
        for (int k = 0; k < p->options; k++) {
            char value[80];
            mp_conf_get(p->option[k], &p->at[i], value, sizeof value);
            mp_json_put_text(b, value);
        }
        mp_json_close(b, ']');
    }
    mp_json_close(b, ']');
}

void mp_points_to_json(const mp_points *p, const mp_rule *rule, mp_buf *b)
{
    mp_json_open(b, '{');
    put_points(p, b);
    if (rule->eta) {
        mp_json_key(b, "halving");
        mp_json_open(b, '{');
        mp_json_add_int(b, "eta", rule->eta);
        mp_json_add_int(b, "least-epochs", rule->least);
        mp_json_add_bool(b, "global", rule->global);
        mp_json_close(b, '}');
    }
    if (mp_rule_nested(rule)) {
        mp_json_key(b, "nested");
        mp_json_open(b, '{');
        mp_json_add_int(b, "retrain", rule->retrain);
        mp_json_add_int(b, "inner-folds", rule->inner);
        mp_json_close(b, '}');
    }
    mp_json_close(b, '}');
}

static mp_err read_rule(const mp_json *root, const char *name, mp_rule *rule)
{
    const mp_json *halving = mp_json_get(root, "halving"), *nested = mp_json_get(root, "nested");
    int64_t v[4] = { 0 };
    if (halving) {
        MP_TRY(mp_json_need_int(halving, "eta", 2, 1000, name, &v[0]));
        MP_TRY(mp_json_need_int(halving, "least-epochs", 1, 1000000, name, &v[1]));
    }
    if (nested) {
        MP_TRY(mp_json_need_int(nested, "retrain", 1, MP_RETRAIN_MOST, name, &v[2]));
        MP_TRY(mp_json_need_int(nested, "inner-folds", 0, 100, name, &v[3]));
    }
    *rule = (mp_rule){ .eta = (int)v[0],
                       .least = (int)v[1],
                       .global = mp_json_flag(halving, "global", false),
                       .retrain = (int)v[2],
                       .inner = (int)v[3] };
    return MP_OK;
}

static mp_err read_point(const mp_json *v, const char *name, const mp_points *p, mp_config *c)
{
    int k = 0;
    if (v->kind != MP_JSON_ARRAY || v->count != p->options)
        return mp_fail(MP_ERR_INPUT, "%s: a point with another number of options", name);
    for (const mp_json *w = v->first; w; w = w->next, k++) {
        if (w->kind != MP_JSON_STRING) return mp_fail(MP_ERR_INPUT, "%s: a setting that is no text", name);
        MP_TRY(mp_conf_set(mp_config_table, c, p->option[k]->name, w->text, name));
    }
    return MP_OK;
}

mp_err mp_points_from_json(mp_span text, const char *name, const mp_config *base, mp_arena *a, mp_points *out,
                           mp_rule *rule)
{
    const mp_json *root, *options, *points;
    const mp_opt **option = MP_NEW(a, const mp_opt *, MP_OPTIONS_MOST);
    MP_TRY(mp_json_parse(text, name, a, &root));
    MP_TRY(mp_json_need(root, "options", MP_JSON_ARRAY, name, &options));
    MP_TRY(mp_json_need(root, "points", MP_JSON_ARRAY, name, &points));
    MP_TRY(read_rule(root, name, rule));
    if (points->count < 1 || points->count > MP_POINTS_MOST || options->count > MP_OPTIONS_MOST)
        return mp_fail(MP_ERR_INPUT, "%s: %d points with %d options", name, points->count, options->count);
    mp_config *at = MP_NEW(a, mp_config, points->count);
    *out = (mp_points){ MP_GRID_LIST, 0, at, 0, option };
    for (const mp_json *v = options->first; v; v = v->next) {
        const mp_opt *o = v->kind == MP_JSON_STRING ? mp_conf_find(mp_config_table, v->text) : NULL;
        if (!o) return mp_fail(MP_ERR_INPUT, "%s: an option that there is not", name);
        option[out->options++] = o;
    }
    for (const mp_json *v = points->first; v; v = v->next) {
        at[out->count] = *base;
        MP_TRY(read_point(v, name, out, &at[out->count++]));
    }
    return MP_OK;
}
