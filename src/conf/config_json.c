/* config_json.c - configurations as JSON objects, and back.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "conf/config.h"

#include <stdio.h>
#include <string.h>

void mp_config_to_json(const mp_config *c, mp_buf *out)
{
    mp_conf_json(mp_config_table, mp_config_late(), c, out);
}

void mp_config_to_full_json(const mp_config *c, mp_buf *out)
{
    mp_conf_json(mp_config_table, NULL, c, out);
}

/* A value as mp_conf_set takes it; NULL when no option has this kind of value. */
static const char *option_text(const mp_json *v, char room[32])
{
    if (v->kind == MP_JSON_STRING) return v->text;
    if (v->kind == MP_JSON_BOOL) return v->truth ? "true" : "false";
    if (v->kind != MP_JSON_NUMBER) return NULL;
    if (v->exact)
        snprintf(room, 32, "%lld", (long long)v->whole);
    else
        mp_real_text(v->number, room);
    return room;
}

mp_err mp_config_from_object(const mp_json *object, const char *name, mp_config *out)
{
    mp_config_init(out);
    if (object->kind != MP_JSON_OBJECT) return mp_fail(MP_ERR_INPUT, "%s: a configuration must be an object", name);
    for (const mp_json *v = object->first; v; v = v->next) {
        char room[32], where[256];
        const char *text = option_text(v, room);
        const mp_opt *o = mp_conf_find(mp_config_table, v->key);
        snprintf(where, sizeof where, "%.150s:%d: '%.60s'", name, v->line, v->key);
        if (!o || strcmp(o->name, v->key) != 0)
            return mp_fail(MP_ERR_INPUT, "%s: unknown option; was it written by a newer midpool?", where);
        if (!text) return mp_fail(MP_ERR_INPUT, "%s cannot be %s", where, mp_json_kind_name(v->kind));
        if (mp_conf_set(mp_config_table, out, v->key, text, where) != MP_OK) return MP_ERR_INPUT;
    }
    return MP_OK;
}

mp_err mp_config_from_json(mp_span json, const char *name, mp_arena *a, mp_config *out)
{
    const mp_json *root;
    mp_config_init(out);
    MP_TRY(mp_json_parse(json, name, a, &root));
    return mp_config_from_object(root, name, out);
}
