/* conf.c - reading and writing structs through a table of options.
 * SPDX-License-Identifier: MIT */
#include "base/conf.h"
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 64

static void *field(const mp_opt *o, const void *conf)
{
    return (char *)(uintptr_t)conf + o->offset;
}

/* The index of `value` in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *value)
{
    size_t n = strlen(value);
    int i = 0;
    for (const char *p = choices;; i++) {
        const char *end = strchr(p, '|');
        size_t len = end ? (size_t)(end - p) : strlen(p);
        if (len == n && memcmp(p, value, n) == 0) return i;
        if (!end) return -1;
        p = end + 1;
    }
}

static void choice_text(const char *choices, int index, char *out, size_t n)
{
    const char *p = choices;
    for (; index > 0 && p; index--) {
        p = strchr(p, '|');
        if (p) p++;
    }
    mp_assert(p != NULL);
    snprintf(out, n, "%.*s", (int)strcspn(p, "|"), p);
}

static mp_err set_number(const mp_opt *o, void *at, const char *value, const char *where)
{
    double v;
    int64_t whole;
    bool ok = o->kind == MP_OPT_INT ? mp_to_int(mp_span_of(value), &whole) : mp_to_real(mp_span_of(value), &v);
    if (ok && o->kind == MP_OPT_INT) v = (double)whole;
    if (!ok || v < o->lo || v > o->hi)
        return mp_fail(MP_ERR_USAGE, "%s: expected %s from %.10g to %.10g, got '%s'", where,
                       o->kind == MP_OPT_INT ? "a whole number" : "a number", o->lo, o->hi, value);
    if (o->kind == MP_OPT_INT)
        *(int *)at = (int)v;
    else
        *(double *)at = v + 0; /* -0 becomes 0: numbers that are equal have equal texts and keys */
    return MP_OK;
}

static mp_err set_list(const mp_opt *o, mp_list *at, const char *value, const char *where)
{
    mp_list list = { 0 };
    mp_span rest = mp_span_of(value), field;
    bool ok = true;
    while (ok && mp_next_field(&rest, ',', &field)) {
        int64_t v;
        ok = list.count < MP_LIST_MOST && mp_to_int(field, &v) && (double)v >= o->lo && (double)v <= o->hi &&
             (list.count == 0 || v > list.at[list.count - 1]);
        if (ok) list.at[list.count++] = (int)v;
    }
    if (!ok || list.count == 0)
        return mp_fail(MP_ERR_USAGE, "%s: expected up to %d rising whole numbers from %.10g to %.10g (85,95), got '%s'",
                       where, MP_LIST_MOST, o->lo, o->hi, value);
    *at = list;
    return MP_OK;
}

static void list_text(const mp_list *l, char *out, size_t n)
{
    size_t used = 0;
    for (int i = 0; i < l->count && used < n; i++)
        used += (size_t)snprintf(out + used, n - used, "%s%d", i ? "," : "", l->at[i]);
}

static mp_err set_flag(void *at, const char *value, bool negated, const char *where)
{
    static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1", NULL };
    for (int i = 0; words[i]; i++) {
        if (strcmp(value, words[i]) == 0) {
            *(int *)at = (i & 1) != negated;
            return MP_OK;
        }
    }
    return mp_fail(MP_ERR_USAGE, "%s: expected true or false, got '%s'", where, value);
}

static mp_err set_choice(const mp_opt *o, void *at, const char *value, const char *where)
{
    int i = choice_index(o->choices, value);
    if (i < 0) return mp_fail(MP_ERR_USAGE, "%s: expected one of %s, got '%s'", where, o->choices, value);
    *(int *)at = i;
    return MP_OK;
}

static mp_err set_row(const mp_opt *o, void *conf, const char *value, bool negated, const char *where)
{
    void *at = field(o, conf);
    switch (o->kind) {
    case MP_OPT_INT:
    case MP_OPT_REAL:
        return set_number(o, at, value, where);
    case MP_OPT_FLAG:
        return set_flag(at, value, negated, where);
    case MP_OPT_CHOICE:
        return set_choice(o, at, value, where);
    case MP_OPT_TEXT:
        if (strlen(value) >= TEXT_SIZE)
            return mp_fail(MP_ERR_USAGE, "%s: longer than %d characters", where, TEXT_SIZE - 1);
        strcpy(at, value);
        return MP_OK;
    case MP_OPT_LIST:
        return set_list(o, at, value, where);
    }
    return MP_OK;
}

void mp_conf_default(const mp_opt *o, void *conf)
{
    mp_err e = set_row(o, conf, o->initial, false, o->name);
    mp_assert(e == MP_OK);
}

void mp_conf_defaults(const mp_opt *table, void *conf)
{
    for (const mp_opt *o = table; o->name; o++) mp_conf_default(o, conf);
}

static bool is_negation(const mp_opt *o, const char *name)
{
    return o->kind == MP_OPT_FLAG && strncmp(name, "no-", 3) == 0 && strcmp(name + 3, o->name) == 0;
}

const mp_opt *mp_conf_find(const mp_opt *table, const char *name)
{
    for (const mp_opt *o = table; o->name; o++)
        if (strcmp(o->name, name) == 0 || is_negation(o, name)) return o;
    return NULL;
}

mp_err mp_conf_unknown(const mp_opt *table, const char *name, const char *where)
{
    const char *names[128];
    int n = 0;
    for (const mp_opt *o = table; o->name && n < 127; o++) names[n++] = o->name;
    names[n] = NULL;
    const char *near = mp_nearest(name, names);
    return mp_fail(MP_ERR_USAGE, "%s: no such option%s%s%s", where, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

mp_err mp_conf_set(const mp_opt *table, void *conf, const char *name, const char *value, const char *where)
{
    const mp_opt *o = mp_conf_find(table, name);
    if (!o) return mp_conf_unknown(table, name, where);
    return set_row(o, conf, value, is_negation(o, name), where);
}

bool mp_conf_next(mp_span *settings, mp_span *name, mp_span *value)
{
    do {
        if (!mp_next_field(settings, ' ', value)) return false;
    } while (value->n == 0);
    return mp_next_field(value, '=', name);
}

mp_err mp_conf_set_all(const mp_opt *table, void *conf, const char *settings, const char *where)
{
    mp_span rest = mp_span_of(settings), name, value;
    while (mp_conf_next(&rest, &name, &value)) {
        char key[TEXT_SIZE], text[TEXT_SIZE];
        if (!value.p || name.n >= sizeof key || value.n >= sizeof text)
            return mp_fail(MP_ERR_USAGE, "%s: expected settings such as 'ratio=0.25 clip=1', got '%s'", where,
                           settings);
        snprintf(key, sizeof key, "%.*s", (int)name.n, name.p);
        snprintf(text, sizeof text, "%.*s", (int)value.n, value.p);
        MP_TRY(mp_conf_set(table, conf, key, text, where));
    }
    return MP_OK;
}

void mp_conf_get(const mp_opt *o, const void *conf, char *out, size_t n)
{
    const void *at = field(o, conf);
    char text[32];
    switch (o->kind) {
    case MP_OPT_INT:
        snprintf(out, n, "%d", *(const int *)at);
        break;
    case MP_OPT_REAL:
        mp_real_text(*(const double *)at, text);
        snprintf(out, n, "%s", text);
        break;
    case MP_OPT_FLAG:
        snprintf(out, n, "%s", *(const int *)at ? "true" : "false");
        break;
    case MP_OPT_CHOICE:
        choice_text(o->choices, *(const int *)at, out, n);
        break;
    case MP_OPT_TEXT:
        snprintf(out, n, "%s", (const char *)at);
        break;
    case MP_OPT_LIST:
        list_text(at, out, n);
        break;
    }
}

bool mp_conf_same(const mp_opt *o, const void *a, const void *b)
{
    const void *x = field(o, a), *y = field(o, b);
    const mp_list *p = x, *q = y;
    switch (o->kind) {
    case MP_OPT_REAL:
        return memcmp(x, y, sizeof(double)) == 0;
    case MP_OPT_TEXT:
        return strcmp(x, y) == 0;
    case MP_OPT_LIST:
        return p->count == q->count && memcmp(p->at, q->at, sizeof *p->at * (size_t)p->count) == 0;
    default:
        return memcmp(x, y, sizeof(int)) == 0;
    }
}

bool mp_conf_equal(const mp_opt *table, const void *a, const void *b)
{
    for (const mp_opt *o = table; o->name; o++)
        if (!mp_conf_same(o, a, b)) return false;
    return true;
}

bool mp_conf_quoted(const mp_opt *o, const char *value)
{
    return o->kind == MP_OPT_CHOICE || o->kind == MP_OPT_TEXT || (o->kind == MP_OPT_LIST && strchr(value, ','));
}

void mp_conf_json(const mp_opt *table, const char *late, const void *conf, mp_buf *out)
{
    bool always = true;
    mp_json_open(out, '{');
    for (const mp_opt *o = table; o->name; o++) {
        char value[80];
        mp_conf_get(o, conf, value, sizeof value);
        if (late && strcmp(o->name, late) == 0) always = false;
        if (!always && strcmp(value, o->initial) == 0) continue;
        mp_json_key(out, o->name);
        if (mp_conf_quoted(o, value))
            mp_json_put_text(out, value);
        else
            mp_json_put_raw(out, value);
    }
    mp_json_close(out, '}');
}
