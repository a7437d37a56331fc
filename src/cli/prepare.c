/* prepare.c - see prepare.h.
 * SPDX-License-Identifier: MIT */
#include "cli/prepare.h"
#include "data/gather.h"
#include "data/load.h"

typedef struct watcher {
    mp_progress *progress; /* or NULL */
    const char *data, *pool;
} watcher;

static void on_progress(void *state, int done, int total)
{
    watcher *w = state;
    if (w->progress)
        mp_progress_now(w->progress, -1, "preparing %s: %d of %d graphs\t of %s", w->pool, done, total, w->data);
}

static void on_note(void *state, const char *line)
{
    watcher *w = state;
    if (w->progress) mp_progress_line(w->progress, "%s: not kept for the next time: %s", w->data, line);
}

mp_err mp_cli_prepare(mp_dataset *d, const mp_config *config, int threads, mp_progress *p, mp_arena *a)
{
    const mp_baseline *b = mp_baseline_find(config->pool);
    if (!b || !b->prepare) return MP_OK;
    watcher w = { p, d->name, b->title };
    const char *cache = mp_cache_dir(a);
    if (cache && mp_make_folder(cache) != MP_OK) cache = NULL; /* slower next time, nothing worse */
    mp_prepare how = { threads, d->fingerprint, cache, on_progress, on_note, &w };
    mp_err e = mp_config_prepare(config, &how, a, &d->graphs);
    if (p) mp_progress_end(p);
    return e;
}
