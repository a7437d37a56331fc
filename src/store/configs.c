/* configs.c - see configs.h. A table with one place for each remainder of a hash: a text takes the place of what is there. After
 * as many texts as there are places all are forgotten, so that memory stays within bounds.
 * SPDX-License-Identifier: MIT */
#include "store/configs.h"

#include <string.h>

enum { PLACES = 2048 };

typedef struct entry {
    const char *text, *key;
    mp_config config;
} entry;

struct mp_configs {
    mp_arena *arena, *scratch;
    int count;
    const entry *place[PLACES];
};

mp_configs *mp_configs_new(void)
{
    mp_arena *scratch = mp_arena_new(1 << 14);
    mp_configs *c = MP_NEW(scratch, mp_configs, 1);
    c->arena = mp_arena_new(1 << 16);
    c->scratch = scratch;
    return c;
}

void mp_configs_free(mp_configs *c)
{
    if (!c) return;
    mp_arena_free(c->arena);
    mp_arena_free(c->scratch);
}

/* FNV-1a. */
static unsigned hash_of(const char *text)
{
    unsigned h = 2166136261u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

static mp_err read_new(mp_configs *c, const char *text, const entry **out)
{
    if (c->count++ == PLACES) {
        memset(c->place, 0, sizeof c->place);
        mp_arena_reset(c->arena);
        c->count = 1;
    }
    mp_config config;
    mp_arena_mark mark = mp_arena_here(c->scratch);
    mp_err e = mp_config_from_json(mp_span_of(text), "config", c->scratch, &config);
    mp_arena_back(c->scratch, mark);
    MP_TRY(e);
    entry *made = MP_NEW_RAW(c->arena, entry, 1);
    mp_buf key = { 0 };
    mp_run_key_config(&config, &key);
    *made = (entry){ mp_arena_text(c->arena, text, strlen(text)), mp_arena_text(c->arena, key.p, key.n), config };
    mp_buf_free(&key);
    *out = made;
    return MP_OK;
}

mp_err mp_configs_read(mp_configs *c, const char *text, const mp_config **out, const char **key)
{
    unsigned at = hash_of(text) % PLACES;
    const entry *is = c->place[at];
    if (!is || strcmp(is->text, text) != 0) {
        MP_TRY(read_new(c, text, &is));
        c->place[at] = is;
    }
    *out = &is->config;
    *key = is->key;
    return MP_OK;
}
