/* prepare.c - see prepare.h.
 * SPDX-License-Identifier: MIT */
#include "study/prepare.h"
#include "data/gather.h"
#include "data/load.h"

typedef struct teller {
    const mp_listener *listener;
    const char *data, *pool;
} teller;

static void on_progress(void *state, int done, int total)
{
    const teller *t = state;
    mp_listener_now(t->listener, "preparing %s: %d of %d graphs\t of %s", t->pool, done, total, t->data);
}

static void on_note(void *state, const char *line)
{
    const teller *t = state;
    mp_listener_line(t->listener, "%s: not kept for the next time: %s", t->data, line);
}

mp_err mp_study_prepare_data(mp_dataset *d, const mp_config *config, int threads, const mp_listener *l, mp_arena *a)
{
    static const mp_listener nobody;
    const mp_baseline *b = mp_baseline_find(config->pool);
    if (!b || !b->prepare) return MP_OK;
    teller t = { l ? l : &nobody, d->name, b->title };
    const char *cache = mp_cache_dir(a);
    if (cache && mp_make_folder(cache) != MP_OK) cache = NULL; /* slower next time, nothing worse */
    mp_prepare how = { threads, d->fingerprint, cache, on_progress, on_note, &t };
    mp_err e = mp_config_prepare(config, &how, a, &d->graphs);
    mp_listener_end(t.listener);
    return e;
}
