/* gather.c - see gather.h.
 * SPDX-License-Identifier: MIT */
#include "data/gather.h"
#include "base/guard.h"
#include "data/feed.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The part a name ends in, and the length of what stands before it; MP_TU_PARTS when none. */
static mp_tu_part part_of(const char *name, size_t *prefix)
{
    size_t n = strlen(name);
    for (mp_tu_part part = 0; part < MP_TU_PARTS; part++) {
        size_t m = strlen(mp_tu_suffix[part]);
        if (n > m && strcmp(name + n - m, mp_tu_suffix[part]) == 0) {
            *prefix = n - m;
            return part;
        }
    }
    return MP_TU_PARTS;
}

/* What stands between KIND_idx- and .txt; p NULL: the name is another. */
static mp_span fold_number(const char *name, const char *kind)
{
    size_t k = strlen(kind), n = strlen(name);
    if (n < k + 9 || strncmp(name, kind, k) != 0 || strncmp(name + k, "_idx-", 5) != 0 ||
        strcmp(name + n - 4, ".txt") != 0)
        return (mp_span){ NULL, 0 };
    return (mp_span){ name + k + 5, n - k - 9 };
}

static mp_err data_slot(mp_gather *g, const char *name, size_t prefix, mp_tu_part part, mp_span **slot)
{
    if (!g->files.name) g->files.name = mp_arena_text(g->keep, name, prefix);
    if (strlen(g->files.name) != prefix || strncmp(g->files.name, name, prefix) != 0)
        return mp_fail(MP_ERR_INPUT, "%s: holds two data sets, %s and %.*s", g->where, g->files.name, (int)prefix,
                       name);
    *slot = &g->files.part[part];
    return MP_OK;
}

static mp_err fold_slot(mp_gather *g, const char *name, mp_span **slot)
{
    static const struct {
        const char *kind;
        size_t at; /* of its texts in mp_fold_text */
    } kinds[] = { { "train", offsetof(mp_fold_text, train) },
                  { "val", offsetof(mp_fold_text, val) },
                  { "test", offsetof(mp_fold_text, test) } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        mp_span number = fold_number(name, kinds[i].kind);
        int64_t k;
        if (!number.p) continue;
        if (!mp_to_int(number, &k) || k < 1 || k > MP_MAX_FOLDS)
            return mp_fail(MP_ERR_INPUT, "%s: %s: expected %s_idx-K.txt with K from 1 to %d", g->where, name,
                           kinds[i].kind, MP_MAX_FOLDS);
        if (!g->folds) {
            g->folds = MP_NEW(g->keep, mp_fold_text, 1);
            g->folds->where = mp_arena_text(g->keep, g->where, strlen(g->where));
        }
        *slot = (mp_span *)((char *)g->folds + kinds[i].at) + (k - 1);
    }
    return MP_OK;
}

mp_err mp_gather_slot(mp_gather *g, const char *path, mp_gather_place *out)
{
    const char *name = base_name(path);
    size_t prefix;
    *out = (mp_gather_place){ .most = SIZE_MAX };
    if (name[0] == '.') return MP_OK; /* what other systems leave beside the files */
    mp_tu_part part = part_of(name, &prefix);
    out->owner = part < MP_TU_PARTS ? g->text : g->keep;
    if (!g->edges && (part == MP_TU_EDGE_LABELS || part == MP_TU_EDGE_ATTRIBUTES)) out->most = MP_GATHER_HEAD;
    g->files.edges = g->edges;
    if (part < MP_TU_PARTS)
        MP_TRY(data_slot(g, name, prefix, part, &out->slot));
    else
        MP_TRY(fold_slot(g, name, &out->slot));
    if (out->slot && out->slot->p) return mp_fail(MP_ERR_INPUT, "%s: %s is there twice", g->where, name);
    return MP_OK;
}

mp_err mp_gather_grown(mp_gather *g, size_t n, size_t packed)
{
    g->bytes += n;
    if (g->bytes > MP_GATHER_LIMIT)
        return mp_fail(MP_ERR_LIMIT, "%s: unpacks to more than %zu MiB", g->where, MP_GATHER_LIMIT >> 20);
    if (packed && g->bytes > MP_GATHER_FREELY && g->bytes / MP_GATHER_RATIO > packed)
        return mp_fail(MP_ERR_LIMIT, "%s: unpacks to more than %d times its size", g->where, MP_GATHER_RATIO);
    return MP_OK;
}

static mp_err read_head(const char *path, size_t most, mp_arena *a, mp_span *out)
{
    char *p = MP_NEW_RAW(a, char, most);
    ptrdiff_t got = 1;
    mp_tap tap;
    MP_TRY(mp_tap_file(path, &tap));
    *out = (mp_span){ p, 0 };
    while (got > 0 && out->n < most) {
        got = tap.read(tap.state, p + out->n, most - out->n);
        if (got > 0) out->n += (size_t)got;
    }
    tap.close(tap.state);
    return got < 0 ? MP_ERR_IO : MP_OK;
}

static mp_err gather_file(mp_gather *g, const char *path)
{
    mp_gather_place at;
    MP_TRY(mp_gather_slot(g, path, &at));
    if (!at.slot) return MP_OK;
    if (g->names_only) {
        *at.slot = mp_span_of(path); /* of g->keep */
        return MP_OK;
    }
    if (at.most == SIZE_MAX)
        MP_TRY(mp_slurp(path, MP_GATHER_LIMIT, at.owner, at.slot));
    else
        MP_TRY(read_head(path, at.most, at.owner, at.slot));
    *at.slot = mp_without_mark(*at.slot);
    return mp_gather_grown(g, at.slot->n, 0);
}

static mp_err gather_depth(mp_gather *g, const char *path, int depth);

typedef struct folder {
    mp_gather *gather;
    DIR *dir;
    const char *path;
    int depth;
} folder;

static mp_err gather_entries(void *arg)
{
    const folder *f = arg;
    mp_gather *g = f->gather;
    DIR *dir = f->dir;
    const char *path = f->path;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry) return errno ? mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno)) : MP_OK;
        struct stat st;
        const char *full = mp_arena_printf(g->keep, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.') continue;
        if (stat(full, &st) != 0)
            st.st_mode = S_IFREG; /* a link to nothing: reading it says so, if it is one of ours */
        bool inside = strcmp(entry->d_name, "10fold_idx") == 0 || strcmp(entry->d_name, "raw") == 0;
        if (S_ISREG(st.st_mode)) {
            MP_TRY(gather_file(g, full));
        } else if (S_ISDIR(st.st_mode) && inside && f->depth == 0) {
            MP_TRY(gather_depth(g, full, 1));
        }
    }
}

static mp_err gather_depth(mp_gather *g, const char *path, int depth)
{
    DIR *dir = opendir(path);
    if (!dir) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
    mp_err e = mp_guarded(gather_entries, &(folder){ g, dir, path, depth });
    closedir(dir);
    return e;
}

mp_err mp_gather_folder(mp_gather *g, const char *path)
{
    return gather_depth(g, path, 0);
}

mp_err mp_need_empty(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    bool empty = true;
    if (!dir) return MP_OK; /* not there: it will be made */
    while (empty && (entry = readdir(dir)) != NULL) empty = entry->d_name[0] == '.';
    closedir(dir);
    return empty ? MP_OK : mp_fail(MP_ERR_USAGE, "%s: the folder is not empty", path);
}

mp_err mp_make_folder(const char *path)
{
    char part[4096];
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof part) return mp_fail(MP_ERR_IO, "'%.40s': not a usable folder name", path);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return mp_fail(MP_ERR_IO, "%s: %s", part, strerror(errno));
    }
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) return mp_fail(MP_ERR_IO, "%s: is not a folder", path);
    return MP_OK;
}
