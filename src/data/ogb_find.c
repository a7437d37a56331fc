/* ogb_find.c - the files of a set in OGB's raw layout: in a folder, or in a zip by the names of its members.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "data/archive.h"
#include "data/format.h"
#include "data/ogb.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const endings[] = { "", ".gz" };

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

/* Whether `path` is DIR/inside or that with .gz. `at`: where `inside` begins. */
static bool is_member(const char *path, const char *inside, size_t *at)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(path), m = strlen(inside) + strlen(endings[i]);
        if (n < m || strncmp(path + n - m, inside, strlen(inside)) != 0 || !ends_in(path, endings[i])) continue;
        *at = n - m;
        return *at == 0 || path[*at - 1] == '/';
    }
    return false;
}

/* Other systems leave files beside the real ones whose names begin with a dot. */
static bool is_hidden(const char *path)
{
    return path[0] == '.' || strstr(path, "/.") != NULL;
}

typedef struct search {
    mp_ogb_set *set;
    mp_arena *a;
} search;

static mp_err take(search *s, mp_ogb_part part, const char *path, const char *inside)
{
    mp_ogb_set *set = s->set;
    if (set->path[part]) return mp_fail(MP_ERR_INPUT, "%s: %s is there twice", set->where, set->file[part]);
    set->path[part] = mp_arena_text(s->a, path, strlen(path));
    set->file[part] = mp_arena_printf(s->a, "%s/%s", set->name, inside);
    return MP_OK;
}

/* Of several splits one counts: what was taken of a lesser one is given up. */
static bool counts(search *s, const char *kind)
{
    mp_ogb_set *set = s->set;
    if (set->split && strcmp(kind, set->split) == 0) return true;
    bool lesser = set->split && (strcmp(set->split, "scaffold") == 0 ||
                                 (strcmp(kind, "scaffold") != 0 && strcmp(set->split, kind) < 0));
    if (lesser) return false;
    set->split = kind;
    for (int part = MP_OGB_TRAIN; part <= MP_OGB_TEST; part++) {
        set->path[part] = NULL;
        set->file[part] = mp_arena_printf(s->a, "%s/split/%s/%s", set->name, kind, mp_ogb_path[part]);
    }
    return true;
}

/* split/KIND/train.csv and its like; *kind NULL: the path is another. */
static const char *split_kind(const char *path, size_t at, mp_arena *a, size_t *from)
{
    static const char word[] = "split/";
    if (at < 2) return NULL;
    size_t slash = at - 1, start = slash;
    while (start > 0 && path[start - 1] != '/') start--;
    if (start == slash || start < strlen(word)) return NULL;
    *from = start - strlen(word);
    bool ours = strncmp(path + *from, word, strlen(word)) == 0 && (*from == 0 || path[*from - 1] == '/');
    return ours ? mp_arena_text(a, path + start, slash - start) : NULL;
}

static mp_err look_at(void *state, const char *path)
{
    search *s = state;
    size_t at;
    if (is_hidden(path)) return MP_OK;
    for (int part = 0; part < MP_OGB_PARTS; part++) {
        if (!is_member(path, mp_ogb_path[part], &at)) continue;
        if (part < MP_OGB_TRAIN) return take(s, (mp_ogb_part)part, path, path + at);
        size_t from = 0;
        const char *kind = split_kind(path, at, s->a, &from);
        return kind && counts(s, kind) ? take(s, (mp_ogb_part)part, path, path + from) : MP_OK;
    }
    return MP_OK;
}

/* ---- folders ---- */

static mp_err walk(search *s, const char *folder, int depth);

typedef struct walking {
    search *search;
    DIR *dir;
    const char *folder;
    int depth;
} walking;

static mp_err look_inside(void *arg)
{
    const walking *w = arg;
    for (;;) {
        struct stat st;
        errno = 0;
        const struct dirent *entry = readdir(w->dir);
        if (!entry) return errno ? mp_fail(MP_ERR_IO, "%s: %s", w->folder, strerror(errno)) : MP_OK;
        if (entry->d_name[0] == '.') continue;
        const char *path = mp_arena_printf(w->search->a, "%s/%s", w->folder, entry->d_name);
        bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        if (folder && w->depth > 0) MP_TRY(walk(w->search, path, w->depth - 1));
        if (!folder) MP_TRY(look_at(w->search, path + strlen(w->search->set->where) + 1));
    }
}

/* Folders that are not there have nothing. */
static mp_err walk(search *s, const char *folder, int depth)
{
    DIR *dir = opendir(folder);
    if (!dir) return errno == ENOENT ? MP_OK : mp_fail(MP_ERR_IO, "%s: %s", folder, strerror(errno));
    mp_err e = mp_guarded(look_inside, &(walking){ s, dir, folder, depth });
    closedir(dir);
    return e;
}

static mp_err look_in_folder(search *s)
{
    static const struct {
        const char *name;
        int depth;
    } inside[] = { { "raw", 0 }, { "mapping", 0 }, { "split", 1 } };
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        MP_TRY(walk(s, mp_arena_printf(s->a, "%s/%s", s->set->where, inside[i].name), inside[i].depth));
    for (int part = 0; part < MP_OGB_PARTS; part++)
        if (s->set->path[part]) s->set->path[part] = mp_arena_printf(s->a, "%s/%s", s->set->where, s->set->path[part]);
    return MP_OK;
}

/* ---- both ---- */

/* What folder or zip is called. */
static const char *set_name(const char *path, bool folder, mp_arena *a)
{
    return folder ? mp_format_folder(path, a) : mp_format_stem(&mp_format_ogb, path, a);
}

static mp_err found_edges(void *state, const char *path)
{
    size_t at;
    if (!is_hidden(path) && is_member(path, mp_ogb_path[MP_OGB_EDGES], &at)) *(bool *)state = true;
    return MP_OK;
}

bool mp_ogb_is(const char *path, bool folder)
{
    bool found = false;
    if (!folder) return mp_archive_members(path, found_edges, &found) == MP_OK && found;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char file[4096];
        struct stat st;
        int n = mp_format(file, sizeof file, "%s/%s%s", path, mp_ogb_path[MP_OGB_EDGES], endings[i]);
        found = found || (n < (int)sizeof file && stat(file, &st) == 0 && S_ISREG(st.st_mode));
    }
    return found;
}

mp_err mp_ogb_find(const char *path, bool folder, mp_arena *a, mp_ogb_set *out)
{
    static const mp_ogb_part needed[] = { MP_OGB_EDGES, MP_OGB_NODE_COUNTS, MP_OGB_EDGE_COUNTS };
    *out = (mp_ogb_set){ .where = mp_arena_text(a, path, strlen(path)), .folder = folder };
    out->name = set_name(path, folder, a);
    search s = { out, a };
    MP_TRY(folder ? look_in_folder(&s) : mp_archive_members(path, look_at, &s));
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!out->path[needed[i]]) return mp_fail(MP_ERR_INPUT, "%s: %s.gz is missing", path, mp_ogb_path[needed[i]]);
    return MP_OK;
}

mp_err mp_ogb_open(const mp_ogb_set *set, mp_ogb_part part, mp_tap *out)
{
    mp_tap bytes = { 0 };
    mp_err e = set->folder ? mp_tap_file(set->path[part], &bytes) : mp_tap_member(set->where, set->path[part], &bytes);
    if (e != MP_OK && bytes.close) bytes.close(bytes.state);
    MP_TRY(e);
    if (ends_in(set->path[part], ".gz")) return mp_tap_unpacked(set->file[part], bytes, out);
    *out = bytes;
    return MP_OK;
}
