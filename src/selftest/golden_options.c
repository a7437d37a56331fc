/* golden_options.c - the options of a golden case: from its row of the table, and from its metadata.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden_case.h"

#include <string.h>

static const char *json_text(mp_case *k, const mp_json *v)
{
    char number[32];
    switch (v->kind) {
    case MP_JSON_BOOL:
        return v->truth ? "true" : "false";
    case MP_JSON_STRING:
        return v->text;
    case MP_JSON_NUMBER:
        mp_real_text(v->number, number);
        return mp_arena_text(k->arena, number, strlen(number));
    default:
        return NULL;
    }
}

/* What the metadata call otherwise than the table of options does, or what is prose there (NULL). */
static const char *option_of(mp_case *k, const char *key)
{
    static const char *const other[][2] = { { "h", "score-dim" }, { "p_s", "drop" }, { "nonlinearity", "gate" },
                                            { "rank", NULL },     { "seed", NULL },  { "pool", NULL },
                                            { "readout", NULL } };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(key, other[i][0]) == 0) return other[i][1];
    char *name = mp_arena_text(k->arena, key, strlen(key));
    for (char *p = name; *p; p++)
        if (*p == '_') *p = '-';
    return mp_conf_find(mp_config_table, name) ? name : NULL;
}

mp_err mp_case_config(mp_case *k, const char *options, mp_config *conf)
{
    mp_config_init(conf);
    mp_span rest = mp_span_of(options), word;
    while (mp_next_field(&rest, ' ', &word) && word.n) {
        char *name = mp_arena_text(k->arena, word.p, word.n), *value = strchr(name, '=');
        mp_assert(value != NULL);
        *value++ = '\0';
        MP_TRY(mp_conf_set(mp_config_table, conf, name, value, name));
    }
    for (const mp_json *v = k->json->first; v; v = v->next) {
        const char *name = option_of(k, v->key), *text = json_text(k, v);
        if (name && text) MP_TRY(mp_conf_set(mp_config_table, conf, name, text, v->key));
    }
    return MP_OK;
}
