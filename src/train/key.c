/* key.c - the hash that identifies a run.
 *
 * Of the configuration it covers what the chosen parts look at and what is not at its default, by name: an option that is added
 * anywhere, or moves, leaves the keys of all runs as they were. So a default must never change: a new meaning needs a new name.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/sha256.h"
#include "model/options.h"
#include "train/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MOST 512

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const mp_opt *const *)a)->name, (*(const mp_opt *const *)b)->name);
}

/* The options that count, by name, of what was trimmed: all that are not at their defaults are looked at. */
static int counting(const mp_config *c, const mp_opt *out[OPTIONS_MOST])
{
    mp_config usual;
    int n = 0;
    mp_config_init(&usual);
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        if (!mp_conf_same(o, c, &usual) || strcmp(o->name, "pool") == 0) out[n++] = o;
        mp_assert(n < OPTIONS_MOST);
    }
    qsort(out, (size_t)n, sizeof *out, by_name);
    return n;
}

/* Trimmed first: an option that is not looked at must not decide whether another is. */
void mp_run_key_config(const mp_config *given, mp_buf *b)
{
    const mp_opt *list[OPTIONS_MOST];
    mp_config trimmed = *given, *c = &trimmed;
    mp_config_trim(c);
    int n = counting(c, list);
    mp_json_open(b, '{');
    for (int i = 0; i < n; i++) {
        char value[80];
        mp_conf_get(list[i], c, value, sizeof value);
        mp_json_add_text(b, list[i]->name, value);
    }
    mp_json_close(b, '}');
}

static void put_key(const mp_run_key *key, const char *config, mp_buf *b)
{
    char fingerprint[17];
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)key->fingerprint);
    mp_json_open(b, '{');
    mp_json_add_text(b, "dataset", key->dataset);
    mp_json_add_text(b, "fingerprint", fingerprint);
    mp_json_add_text(b, "folds-from", key->folds_from);
    mp_json_add_int(b, "fold", key->fold);
    mp_json_add_int(b, "folds", key->folds);
    mp_json_key(b, "config");
    mp_json_put_raw(b, config);
    mp_json_close(b, '}');
}

void mp_run_key_text(const mp_run_key *key, mp_buf *b)
{
    mp_buf config = MP_BUF_LOCAL;
    mp_run_key_config(&key->config, &config);
    put_key(key, config.p, b);
    mp_buf_free(&config);
}

void mp_run_key_hash_with(const mp_run_key *key, const char *config, char hex[65])
{
    mp_buf b = MP_BUF_LOCAL;
    put_key(key, config, &b);
    mp_sha256_hex(b.p, b.n, hex);
    mp_buf_free(&b);
}

/* One run is asked for several times in a row, by the store's parts for instance: the last answer is kept. Equal bytes are equal
 * keys, there is no pointer in one; keys that are equal and differ in their padding are only computed again. */
void mp_run_key_hash(const mp_run_key *key, char hex[65])
{
    static _Thread_local mp_run_key last;
    static _Thread_local char answer[65];
    if (!answer[0] || memcmp(&last, key, sizeof last) != 0) {
        mp_buf b = MP_BUF_LOCAL;
        mp_run_key_text(key, &b);
        mp_sha256_hex(b.p, b.n, answer);
        mp_buf_free(&b);
        memcpy(&last, key, sizeof last);
    }
    memcpy(hex, answer, sizeof answer);
}
