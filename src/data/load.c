/* load.c - where data sets and folds are looked for. See load.h.
 * SPDX-License-Identifier: MIT */
#include "data/load.h"
#include "data/archive.h"
#include "data/format.h"
#include "data/known.h"
#include "data/generate.h"
#include "data/signal.h"
#include "data/tu.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PLACES = 5 };

const char *mp_cache_dir(mp_arena *a)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0]) return mp_arena_printf(a, "%s/midpool", cache);
    if (home && home[0]) return mp_arena_printf(a, "%s/.cache/midpool", home);
    return NULL;
}

static bool exists(const char *path, bool *folder)
{
    struct stat st;
    if (stat(path, &st) != 0) return false;
    *folder = S_ISDIR(st.st_mode);
    return *folder || S_ISREG(st.st_mode);
}

/* A folder that was named by hand must be there: looking elsewhere instead could find another set of the same name. */
static mp_err named_folder(const char *by, const char *path)
{
    bool folder = true;
    if (!path || (exists(path, &folder) && folder)) return MP_OK;
    return mp_fail(MP_ERR_IO, folder ? "%s: no folder '%s'" : "%s: '%s' is not a folder", by, path);
}

/* In lookup order; NULL where a place is not set. */
static mp_err places(const char *data_dir, mp_arena *a, const char *out[PLACES])
{
    const char *set = getenv("MIDPOOL_DATA");
    out[0] = data_dir;
    out[1] = set && set[0] ? set : NULL;
    out[2] = "data";
    out[3] = "../shared/datasets";
    out[4] = mp_cache_dir(a);
    MP_TRY(named_folder("--data", data_dir));
    return named_folder("MIDPOOL_DATA", out[1]);
}

/* NAME with one of the endings of a format, in a folder; NULL when none is there. */
static const char *find_in(const char *place, const char *name, mp_arena *a, bool *folder)
{
    const mp_data_format *f;
    for (int i = 0; (f = mp_format_at(i)) != NULL; i++)
        for (const char *const *end = f->ends; *end; end++) {
            const char *path = mp_arena_printf(a, "%s/%s%s", place, name, *end);
            if (exists(path, folder) && *folder == ((*end)[0] == '\0')) return path;
        }
    return NULL;
}

/* OGB says ogbg-molhiv, its folders are called ogbg_molhiv: a name is meant with either sign. Spelling 0 is the one given. */
enum { SPELLINGS = 3 };
static const char *spelled(const char *name, int how, mp_arena *a)
{
    static const char signs[] = "-_";
    char *out = mp_arena_text(a, name, strlen(name));
    for (char *p = out; how > 0 && *p; p++)
        if (strchr(signs, *p)) *p = signs[how - 1];
    return out;
}

/* A place has sets of its own and those of its folder of molecules. */
enum { SHELVES = 2 };
static const char *shelf(const char *place, int which, mp_arena *a)
{
    return which == 0 ? place : mp_arena_printf(a, "%s/molecules", place);
}

static const char *look_up(const char *const place[PLACES], const char *name, mp_arena *a, bool *folder)
{
    const char *path = NULL;
    for (int how = 0; how < SPELLINGS && !path; how++)
        for (int i = 0; i < PLACES * SHELVES && !path; i++)
            if (place[i / SHELVES])
                path = find_in(shelf(place[i / SHELVES], i % SHELVES, a), spelled(name, how, a), a, folder);
    return path;
}

static mp_err not_found(const char *name, const char *const place[PLACES])
{
    mp_buf looked = MP_BUF_LOCAL;
    for (int i = 0; i < PLACES; i++)
        if (place[i]) mp_buf_printf(&looked, "%s%s", looked.n ? ", " : "", place[i]);
    const char *near = mp_known_nearest(name);
    bool same = near && strcmp(near, name) == 0;
    mp_err e = mp_fail(MP_ERR_INPUT, "no data set '%s' in %s%s%s%s", name, looked.p,
                       !near  ? ""
                       : same ? "; 'midpool data fetch "
                              : "; did you mean '",
                       near ? near : "",
                       !near  ? ""
                       : same ? "' downloads it"
                              : "'?");
    mp_buf_free(&looked);
    return e;
}

mp_err mp_dataset_find(const char *word, const char *data_dir, mp_arena *a, const char **path, bool *folder)
{
    if (word[0] == '\0') return mp_fail(MP_ERR_USAGE, "expected the name or the path of a data set, got an empty word");
    MP_TRY(named_folder("--data", data_dir));
    if (strchr(word, '/') || strcmp(word, ".") == 0 || strcmp(word, "..") == 0) {
        *path = word;
        return exists(word, folder) ? MP_OK : mp_fail(MP_ERR_IO, "%s: no such folder or file", word);
    }
    const char *place[PLACES];
    MP_TRY(places(data_dir, a, place));
    if ((*path = look_up(place, word, a, folder)) != NULL) return MP_OK;
    *path = word;
    return exists(word, folder) ? MP_OK : not_found(word, place);
}

static mp_err gather(mp_gather *g, const char *path)
{
    bool folder = false;
    if (!exists(path, &folder)) return mp_fail(MP_ERR_IO, "%s: no such folder or file", path);
    return folder ? mp_gather_folder(g, path) : mp_gather_archive(g, path);
}

mp_err mp_dataset_raw(const char *name_or_path, const char *data_dir, const mp_dataset_as *as, mp_arena *a, mp_raw *out,
                      const char **path)
{
    mp_data_input in = { .as = as };
    const mp_data_format *format;
    const mp_signal *made = mp_signal_of_set(name_or_path);
    mp_err e = mp_dataset_find(name_or_path, data_dir, a, &in.path, &in.folder);
    if (e != MP_OK && made) { /* no files are needed for what is always the same */
        *path = "generated";
        return mp_signal_make(made, &made->usual, a, out);
    }
    if (e != MP_OK && strcmp(name_or_path, "DISTINCT") == 0) {
        *path = "generated";
        return mp_generate_distinct(&mp_distinct_usual, a, out);
    }
    MP_TRY(e);
    MP_TRY(mp_format_of(in.path, in.folder, &format));
    MP_TRY(mp_format_takes(format, &in));
    *path = mp_arena_text(a, in.path, strlen(in.path));
    return format->read(&in, a, out);
}

mp_err mp_dataset_load_as(const char *name_or_path, const char *data_dir, const mp_dataset_as *as, mp_arena *a,
                          mp_dataset *out)
{
    mp_raw raw;
    const char *path;
    MP_TRY(mp_dataset_raw(name_or_path, data_dir, as, a, &raw, &path));
    mp_err e = mp_dataset_build(&raw, as, a, out);
    if (e != MP_OK) return mp_fail_within(e, "%s", path);
    out->origin = path;
    return MP_OK;
}

mp_err mp_dataset_load(const char *name_or_path, const char *data_dir, mp_arena *a, mp_dataset *out)
{
    return mp_dataset_load_as(name_or_path, data_dir, NULL, a, out);
}

/* folds/NAME.zip (or a folder) in the folder that holds the data set; NULL when there is none. */
static const char *folds_beside(const char *name, const char *origin, mp_arena *a)
{
    bool folder;
    const char *slash = strrchr(origin, '/');
    const char *place = slash ? mp_arena_printf(a, "%.*s/folds", (int)(slash - origin), origin) : "folds";
    return find_in(place, name, a, &folder);
}

static mp_err folds_from_files(const char *path, int graphs, mp_arena *a, mp_folds *out)
{
    mp_gather g = { .where = path, .text = mp_arena_new(1 << 16), .keep = a };
    mp_err e = gather(&g, path);
    mp_arena_free(g.text);
    MP_TRY(e);
    if (!g.folds) return mp_fail(MP_ERR_INPUT, "%s: holds no train_idx-K.txt and test_idx-K.txt", path);
    return mp_folds_parse(g.folds, graphs, a, out);
}

mp_err mp_folds_find(const char *name, const char *origin, const mp_fold_text *text, int graphs, mp_arena *a,
                     mp_folds *out, bool *found)
{
    const char *beside = folds_beside(name, origin, a);
    *found = text || beside;
    if (text) return mp_folds_parse(text, graphs, a, out);
    return beside ? folds_from_files(beside, graphs, a, out) : MP_OK;
}

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* The indices themselves make the name of hand-given folds, so a store knows them again wherever the file is.
 */
static uint64_t hash_folds(const mp_folds *f)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < f->count; i++) {
        const mp_split *s = &f->split[i];
        const int *part[3] = { s->train, s->val, s->test }, n[3] = { s->n_train, s->n_val, s->n_test };
        for (int k = 0; k < 3; k++)
            for (int j = 0; j <= n[k]; j++) h = (h ^ (uint64_t)(j < n[k] ? part[k][j] : -1)) * 0x100000001b3u;
    }
    return h;
}

static mp_err folds_by_hand(const mp_dataset *d, const char *path, mp_arena *a, mp_folds *out)
{
    if (ends_in(path, ".json")) {
        mp_span text;
        MP_TRY(mp_slurp(path, MP_GATHER_FREELY, a, &text));
        MP_TRY(mp_folds_parse_json(text, path, d->graphs.graphs, a, out));
    } else {
        MP_TRY(folds_from_files(path, d->graphs.graphs, a, out));
    }
    const char *slash = strrchr(path, '/');
    out->from = mp_arena_printf(a, "%.80s#%016llx", slash ? slash + 1 : path, (unsigned long long)hash_folds(out));
    return MP_OK;
}

mp_err mp_folds_load(const mp_dataset *d, const char *folds_from, int count, mp_arena *a, mp_folds *out)
{
    bool by_hand = folds_from && folds_from[0], found = true;
    if (by_hand) {
        MP_TRY(folds_by_hand(d, folds_from, a, out));
    } else if (mp_dataset_is_single(d)) {
        mp_folds_single(a, out);
        return MP_OK;
    } else if (mp_dataset_is_fixed(d)) {
        mp_folds_fixed(d, a, out);
        return MP_OK;
    } else {
        MP_TRY(mp_folds_find(d->name, d->origin, d->fold_text, d->graphs.graphs, a, out, &found));
    }
    if (!found) return mp_folds_stratified(d, count ? count : 10, a, out);
    if (count == 0 || count == out->count) return MP_OK;
    if (by_hand) return mp_fail(MP_ERR_USAGE, "%s has %d folds, not %d", folds_from, out->count, count);
    return mp_folds_stratified(d, count, a, out);
}

typedef struct listing {
    mp_arena *a;
    const char **seen;
    int count, room;
    mp_dataset_visit *each;
    void *state;
} listing;

static void list_one(listing *l, const char *name, const char *path)
{
    for (int i = 0; i < l->count; i++)
        if (strcmp(l->seen[i], name) == 0) return;
    if (l->count == l->room) {
        l->room = mp_room(l->room, (int64_t)l->count + 1, 64, "data sets");
        MP_MORE(l->a, l->seen, l->count, l->room);
    }
    l->seen[l->count++] = name;
    l->each(l->state, name, path);
}

/* Any folder may be one of TUDataset files: it is when it has NAME_A.txt or raw/NAME_A.txt. */
static bool is_set_folder(const char *path, const char *name, mp_arena *a)
{
    bool folder;
    const mp_data_format *f;
    if (mp_format_of(path, true, &f) == MP_OK && f != &mp_format_tu) return true;
    return exists(mp_arena_printf(a, "%s/%s_A.txt", path, name), &folder) ||
           exists(mp_arena_printf(a, "%s/raw/%s_A.txt", path, name), &folder);
}

static void list_entry(listing *l, const char *place, const char *entry)
{
    const char *path = mp_arena_printf(l->a, "%s/%s", place, entry);
    size_t stem = strlen(entry);
    const mp_data_format *f;
    bool folder, file = false;
    for (int i = 0; !file && (f = mp_format_at(i)) != NULL; i++) file = mp_format_named(f, entry, &stem);
    if (entry[0] == '.' || !exists(path, &folder)) return;
    const char *name = mp_arena_text(l->a, entry, stem);
    if (folder ? is_set_folder(path, entry, l->a) : file) list_one(l, name, path);
}

mp_err mp_dataset_list(const char *data_dir, mp_dataset_visit *each, void *state)
{
    listing l = { .a = mp_arena_new(1 << 16), .each = each, .state = state };
    const char *place[PLACES];
    mp_err e = places(data_dir, l.a, place);
    for (int i = 0; i < PLACES * SHELVES && e == MP_OK; i++) {
        struct dirent **entry;
        const char *at = place[i / SHELVES] ? shelf(place[i / SHELVES], i % SHELVES, l.a) : NULL;
        int n = at ? scandir(at, &entry, NULL, alphasort) : -1;
        for (int k = 0; k < n; k++) {
            list_entry(&l, at, entry[k]->d_name);
            free(entry[k]);
        }
        if (n >= 0) free(entry);
    }
    mp_arena_free(l.a);
    return e;
}
