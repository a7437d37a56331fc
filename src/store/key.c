/* key.c - the configuration as JSON, and the hash that identifies a run.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/sha256.h"
#include "store/store.h"

#include <stdio.h>

void mp_config_to_json(const mp_config *c, mp_buf *out)
{
    mp_json_open(out, '{');
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char value[80];
        mp_conf_get(o, c, value, sizeof value);
        mp_json_key(out, o->name);
        if (mp_conf_quoted(o, value))
            mp_json_put_text(out, value);
        else
            mp_json_put_raw(out, value);
    }
    mp_json_close(out, '}');
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

mp_err mp_config_from_json(mp_span json, const char *name, mp_arena *a, mp_config *out)
{
    const mp_json *root;
    mp_config_init(out);
    MP_TRY(mp_json_parse(json, name, a, &root));
    if (root->kind != MP_JSON_OBJECT) return mp_fail(MP_ERR_INPUT, "%s: a configuration must be an object", name);
    for (const mp_json *v = root->first; v; v = v->next) {
        char room[32], where[256];
        const char *text = option_text(v, room);
        snprintf(where, sizeof where, "%.150s:%d: '%.60s'", name, v->line, v->key);
        if (!text) return mp_fail(MP_ERR_INPUT, "%s cannot be %s", where, mp_json_kind_name(v->kind));
        if (mp_conf_set(mp_config_table, out, v->key, text, where) != MP_OK) return MP_ERR_INPUT;
    }
    return MP_OK;
}

void mp_run_key_hash(const mp_run_key *key, char hex[65])
{
    mp_buf b = { 0 };
    char fingerprint[17];
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)key->fingerprint);
    mp_json_open(&b, '{');
    mp_json_add_text(&b, "dataset", key->dataset);
    mp_json_add_text(&b, "fingerprint", fingerprint);
    mp_json_add_text(&b, "folds-from", key->folds_from);
    mp_json_add_int(&b, "fold", key->fold);
    mp_json_add_int(&b, "folds", key->folds);
    mp_json_key(&b, "config");
    mp_config_to_json(&key->config, &b);
    mp_json_close(&b, '}');
    mp_sha256_hex(b.p, b.n, hex);
    mp_buf_free(&b);
}
