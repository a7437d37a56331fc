/* format.c - the list of formats. See format.h.
 * SPDX-License-Identifier: MIT */
#include "data/format.h"
#include "base/guard.h"
#include "data/archive.h"
#include "data/gather.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, HEAD = 512 };

/* The rows of the program, then those that were added. Under the lock, all but the rows themselves. */
static struct {
    pthread_mutex_t lock;
    const mp_data_format *row[MOST];
    int count;
} list = { PTHREAD_MUTEX_INITIALIZER,
           { &mp_format_tu, &mp_format_jsonl, &mp_format_ogb, &mp_format_csv, &mp_format_tables, &mp_format_graphml },
           6 };

const mp_data_format *mp_format_at(int i)
{
    pthread_mutex_lock(&list.lock);
    const mp_data_format *f = i >= 0 && i < list.count ? list.row[i] : NULL;
    pthread_mutex_unlock(&list.lock);
    return f;
}

static const mp_data_format *named(const char *name)
{
    const mp_data_format *f;
    for (int i = 0; (f = mp_format_at(i)) != NULL; i++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

mp_err mp_format_add(const mp_data_format *row)
{
    if (!row || !row->name || !row->ends || !row->probe || !row->read)
        return mp_fail(MP_ERR_USAGE, "a format needs a name, endings, a probe and a reader");
    if (named(row->name)) return mp_fail(MP_ERR_USAGE, "there is a format '%s' already", row->name);
    pthread_mutex_lock(&list.lock);
    bool room = list.count < MOST;
    if (room) list.row[list.count++] = row;
    pthread_mutex_unlock(&list.lock);
    return room ? MP_OK : mp_fail(MP_ERR_LIMIT, "more than %d formats", (int)MOST);
}

static void names_of(mp_buf *b)
{
    const mp_data_format *f;
    for (int i = 0; (f = mp_format_at(i)) != NULL; i++) mp_buf_printf(b, "%s%s", i ? ", " : "", f->name);
}

mp_err mp_format_find(const char *name, const mp_data_format **out)
{
    mp_buf names = MP_BUF_LOCAL;
    *out = named(name);
    if (*out) return MP_OK;
    names_of(&names);
    mp_err e = mp_fail(MP_ERR_USAGE, "no format '%s'; expected one of %s", name, names.p);
    mp_buf_free(&names);
    return e;
}

bool mp_format_named(const mp_data_format *f, const char *name, size_t *stem)
{
    size_t n = strlen(name);
    for (const char *const *end = f->ends; *end; end++) {
        size_t m = strlen(*end);
        if (m == 0 || n <= m || strcmp(name + n - m, *end) != 0) continue;
        *stem = n - m;
        return true;
    }
    return false;
}

static mp_err first_bytes(const char *path, char head[HEAD], mp_span *out)
{
    mp_tap tap;
    ptrdiff_t got;
    MP_TRY(mp_tap_file(path, &tap));
    *out = (mp_span){ head, 0 };
    while ((got = tap.read(tap.state, head + out->n, HEAD - out->n)) > 0) out->n += (size_t)got;
    tap.close(tap.state);
    return got < 0 ? MP_ERR_IO : MP_OK;
}

mp_err mp_format_of(const char *path, bool folder, const mp_data_format **out)
{
    char bytes[HEAD];
    mp_span head = { bytes, 0 };
    int count = 0;
    if (!folder) MP_TRY(first_bytes(path, bytes, &head));
    while (mp_format_at(count)) count++;
    for (int i = count - 1; i >= 0; i--) {
        *out = mp_format_at(i);
        if ((*out)->probe(path, folder, head)) return MP_OK;
    }
    mp_buf names = MP_BUF_LOCAL;
    names_of(&names);
    mp_err e = mp_fail(MP_ERR_INPUT, "%s: is in none of the formats %s", path, names.p);
    mp_buf_free(&names);
    return e;
}

const mp_data_format *mp_format_for(const char *path)
{
    const mp_data_format *f;
    size_t stem;
    for (int i = 0; (f = mp_format_at(i)) != NULL; i++)
        if (mp_format_named(f, path, &stem)) return f;
    const char *slash = strrchr(path, '/');
    return strchr(slash ? slash + 1 : path, '.') ? NULL : &mp_format_tu;
}

const char *mp_format_stem(const mp_data_format *f, const char *path, mp_arena *a)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    if (!mp_format_named(f, name, &n)) n = strlen(name);
    return mp_arena_text(a, name, n);
}

static bool is_packed(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

mp_err mp_format_tap(const char *path, mp_tap *out)
{
    return is_packed(path) ? mp_tap_packed(path, out) : mp_tap_file(path, out);
}

mp_err mp_format_unpacked(const char *path)
{
    if (!is_packed(path)) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "%s: is not written compressed; write it without .gz and pack it", path);
}

const char *mp_format_folder(const char *path, mp_arena *a)
{
    size_t n = strlen(path), from;
    while (n > 1 && path[n - 1] == '/') n--;
    for (from = n; from > 0 && path[from - 1] != '/';) from--;
    mp_span name = { path + from, n - from };
    bool none = name.n == 0 || mp_span_is(name, ".") || mp_span_is(name, "..");
    char *real = none ? realpath(path, NULL) : NULL;
    const char *out;
    if (real) {
        const char *slash = strrchr(real, '/');
        out = mp_arena_text(a, slash + 1, strlen(slash + 1));
        free(real);
    } else {
        out = mp_arena_text(a, name.p, name.n);
    }
    return out[0] ? out : "set";
}

static bool is_tu(const char *name)
{
    static const char end[] = "_A.txt";
    size_t n = strlen(name), m = sizeof end - 1;
    return n > m && strcmp(name + n - m, end) == 0;
}

typedef struct listing {
    const mp_data_format *format;
    const char *folder;
    struct dirent **entry;
    int entries, count;
    mp_arena *a;
    const char **path;
} listing;

static mp_err list_files(void *arg)
{
    listing *l = arg;
    l->path = MP_NEW(l->a, const char *, l->entries + 1);
    for (int i = 0; i < l->entries; i++) {
        const char *name = l->entry[i]->d_name;
        size_t stem;
        if (is_tu(name)) {
            l->count = 0;
            break;
        }
        if (name[0] != '.' && mp_format_named(l->format, name, &stem))
            l->path[l->count++] = mp_arena_printf(l->a, "%s/%s", l->folder, name);
    }
    return MP_OK;
}

static int by_letters(const struct dirent **x, const struct dirent **y)
{
    return strcmp((*x)->d_name, (*y)->d_name);
}

mp_err mp_format_files(const mp_data_format *f, const char *folder, mp_arena *a, int *count, const char *const **path)
{
    listing l = { .format = f, .folder = folder, .a = a };
    l.entries = scandir(folder, &l.entry, NULL, by_letters);
    if (l.entries < 0) return mp_fail(MP_ERR_IO, "%s: %s", folder, strerror(errno));
    mp_err e = mp_guarded(list_files, &l);
    for (int i = 0; i < l.entries; i++) free(l.entry[i]);
    free(l.entry);
    *count = l.count;
    *path = l.path;
    return e;
}

bool mp_format_has_files(const mp_data_format *f, const char *folder)
{
    mp_arena *a = mp_arena_new(1 << 12);
    const char *const *path;
    int count;
    bool some = mp_format_files(f, folder, a, &count, &path) == MP_OK && count > 0;
    mp_arena_free(a);
    return some;
}

mp_err mp_format_folds(const mp_data_input *in, mp_arena *a, const mp_fold_text **out)
{
    mp_gather g = { .where = in->path, .text = mp_arena_new(1 << 16), .keep = a };
    mp_err e = in->folder ? mp_gather_folder(&g, in->path) : mp_gather_archive(&g, in->path);
    mp_arena_free(g.text);
    *out = g.folds;
    return e;
}

mp_err mp_format_takes(const mp_data_format *f, const mp_data_input *in)
{
    const mp_columns *c = in->as ? in->as->columns : NULL;
    if (!c || f->table) return MP_OK;
    const char *asked = c->smiles ? "--smiles" : c->split ? "--split" : c->strict ? "--strict" : NULL;
    if (asked) return mp_fail(MP_ERR_USAGE, "%s: is for tables (.csv) of molecules, and %s is none", asked, in->path);
    asked = c->labels ? "--label" : c->ignore ? "--ignore" : NULL;
    if (!asked || f->named) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "%s: is for tables and GraphML, whose columns have names; %s is none of these", asked,
                   in->path);
}
