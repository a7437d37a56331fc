/* archive.c - reading archives with libarchive. Member paths are names to compare, never places to write to.
 * SPDX-License-Identifier: MIT */
#include "data/archive.h"
#include "base/guard.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)1 << 18)

/* libarchive puts names into the characters of the locale, and has none where that cannot be done: under C, where a zip says
 * that they are UTF-8. So a thread that reads names uses UTF-8 for as long as it does, and no other thread notices. */
typedef struct names {
    locale_t utf8, host;
} names;

static names names_begin(void)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); /* 0, and nothing changes, where there is none */
    return (names){ utf8, uselocale(utf8) };
}

static void names_end(names n)
{
    uselocale(n.host);
    if (n.utf8) freelocale(n.utf8);
}

static mp_err damaged(const char *where, struct archive *in, const char *member)
{
    const char *why = archive_error_string(in);
    return mp_fail(MP_ERR_INPUT, "%s: cannot be unpacked%s%s: %s", where, member ? " at " : "", member ? member : "",
                   why ? why : "damaged");
}

static size_t packed_so_far(struct archive *in)
{
    int64_t n = archive_filter_bytes(in, -1);
    return n > 0 ? (size_t)n : 1;
}

/* Room for the member: what its header says, as far as that can be believed, else doubled as it fills. */
static size_t first_room(struct archive_entry *entry, const mp_gather *g)
{
    int64_t said = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
    size_t most = MP_GATHER_LIMIT - (g->bytes < MP_GATHER_LIMIT ? g->bytes : MP_GATHER_LIMIT);
    if (most > MP_GATHER_FREELY * 5) most = MP_GATHER_FREELY * 5;
    if (said < 0 || (uint64_t)said > most) return most + BLOCK;
    return (size_t)said + BLOCK;
}

static mp_err read_member(mp_gather *g, struct archive *in, struct archive_entry *entry, const mp_gather_place *at)
{
    bool all = at->most == SIZE_MAX;
    size_t room = all ? first_room(entry, g) : at->most + BLOCK, n = 0;
    char *p = MP_NEW_RAW(at->owner, char, room + 1);
    while (n < at->most) {
        if (room - n < BLOCK) {
            char *more = MP_NEW_RAW(at->owner, char, 2 * room + 1);
            memcpy(more, p, n);
            p = more;
            room *= 2;
        }
        la_ssize_t got = archive_read_data(in, p + n, at->most - n < BLOCK ? at->most - n : BLOCK);
        if (got == ARCHIVE_RETRY) continue;
        if (got < 0) return damaged(g->where, in, archive_entry_pathname(entry));
        if (got == 0) break;
        n += (size_t)got;
        MP_TRY(mp_gather_grown(g, (size_t)got, packed_so_far(in)));
    }
    if (all && archive_entry_size_is_set(entry) && (int64_t)n != archive_entry_size(entry))
        return mp_fail(MP_ERR_INPUT, "%s: %s is cut off", g->where, archive_entry_pathname(entry));
    p[n] = '\0';
    *at->slot = (mp_span){ p, n };
    return MP_OK;
}

/* Skipping a member of a compressed tar unpacks it all the same. */
static mp_err skip_member(const mp_gather *g, struct archive_entry *entry, int64_t *skipped)
{
    int64_t size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
    if (size < 0 || size > (int64_t)MP_GATHER_LIMIT - *skipped)
        return mp_fail(MP_ERR_LIMIT, "%s: unpacks to more than %zu MiB", g->where, MP_GATHER_LIMIT >> 20);
    *skipped += size;
    return MP_OK;
}

typedef struct unpacking {
    mp_gather *g;
    struct archive *in;
} unpacking;

static mp_err read_members(void *arg)
{
    const unpacking *u = arg;
    mp_gather *g = u->g;
    struct archive *in = u->in;
    int members = 0;
    int64_t skipped = 0;
    for (struct archive_entry *entry;;) {
        int status = archive_read_next_header(in, &entry);
        if (status == ARCHIVE_EOF) break;
        if (status == ARCHIVE_RETRY) continue;
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return damaged(g->where, in, NULL);
        const char *path = archive_entry_pathname(entry);
        if (++members > 100000) return mp_fail(MP_ERR_LIMIT, "%s: has more than 100000 members", g->where);
        mp_gather_place at = { .slot = NULL };
        bool folder = archive_entry_filetype(entry) == AE_IFDIR;
        if (!path) return mp_fail(MP_ERR_INPUT, "%s: the name of member %d cannot be read", g->where, members);
        if (!folder) MP_TRY(mp_gather_slot(g, path, &at));
        if (at.slot && archive_entry_filetype(entry) != AE_IFREG)
            return mp_fail(MP_ERR_INPUT, "%s: %s is not a plain file", g->where, path);
        if (at.slot && g->names_only)
            *at.slot = mp_span_of(mp_arena_text(at.owner, path, strlen(path)));
        else
            MP_TRY(at.slot ? read_member(g, in, entry, &at) : skip_member(g, entry, &skipped));
        if (at.slot && !g->names_only) *at.slot = mp_without_mark(*at.slot);
    }
    return members ? MP_OK : mp_fail(MP_ERR_INPUT, "%s: the archive is empty", g->where);
}

/* NULL when there is no memory for it. */
static struct archive *reader(void)
{
    struct archive *in = archive_read_new();
    if (!in) return NULL;
    archive_read_support_filter_gzip(in);
    archive_read_support_filter_xz(in);
    archive_read_support_format_tar(in);
    archive_read_support_format_zip_seekable(in); /* by the directory at its end, which a cut-off zip has not */
    return in;
}

/* Reads all members of what was opened with `status`; ends the reader. */
static mp_err read_all(mp_gather *g, struct archive *in, int status)
{
    mp_err e = status == ARCHIVE_OK ? mp_guarded(read_members, &(unpacking){ g, in }) : damaged(g->where, in, NULL);
    archive_read_free(in);
    return e;
}

static mp_err gather_archive(mp_gather *g, const char *path)
{
    names n = names_begin();
    struct archive *in = reader();
    mp_err e = in ? read_all(g, in, archive_read_open_filename(in, path, BLOCK)) : mp_no_memory(BLOCK);
    names_end(n);
    return e;
}

mp_err mp_gather_archive_bytes(mp_gather *g, mp_span packed)
{
    names n = names_begin();
    struct archive *in = reader();
    mp_err e = in ? read_all(g, in, archive_read_open_memory(in, packed.p, packed.n)) : mp_no_memory(BLOCK);
    names_end(n);
    return e;
}

typedef struct member {
    struct archive *in;
    const char *where;
    size_t given; /* bytes so far, of a file that is packed alone; else not counted */
    bool counted;
} member;

static ptrdiff_t read_on(void *state, char *to, size_t n)
{
    member *m = state;
    la_ssize_t got;
    while ((got = archive_read_data(m->in, to, n)) == ARCHIVE_RETRY) {}
    if (got < 0) return damaged(m->where, m->in, NULL) == MP_OK ? 0 : -1;
    mp_gather grown = { .where = m->where, .bytes = m->given };
    if (m->counted && mp_gather_grown(&grown, (size_t)got, packed_so_far(m->in)) != MP_OK) return -1;
    m->given = grown.bytes;
    return (ptrdiff_t)got;
}

static void close_member(void *state)
{
    archive_read_free(((member *)state)->in);
    free(state);
}

static mp_err go_to(struct archive *in, const char *where, const char *path)
{
    if (archive_read_open_filename(in, where, BLOCK) != ARCHIVE_OK) return damaged(where, in, NULL);
    for (struct archive_entry *entry;;) {
        int status = archive_read_next_header(in, &entry);
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return damaged(where, in, path);
        const char *name = archive_entry_pathname(entry);
        if (name && strcmp(name, path) == 0) return MP_OK;
    }
}

static mp_err open_member(const char *where, const char *path, mp_tap *out)
{
    member *m = malloc(sizeof *m);
    names n = names_begin();
    struct archive *in = reader();
    mp_err e = m && in ? go_to(in, where, path) : mp_no_memory(sizeof *m + BLOCK);
    names_end(n);
    if (m && in) {
        *m = (member){ .in = in, .where = where };
        *out = (mp_tap){ read_on, close_member, m }; /* closed by whoever has it, also after a failure */
    } else {
        archive_read_free(in);
        free(m);
    }
    return e;
}

/* Packed bytes as one member without a name. */
static mp_err open_packed(struct archive *in, const char *path)
{
    struct archive_entry *entry;
    archive_read_support_filter_gzip(in);
    archive_read_support_filter_xz(in);
    archive_read_support_format_raw(in);
    bool open = archive_read_open_filename(in, path, BLOCK) == ARCHIVE_OK;
    return open && archive_read_next_header(in, &entry) == ARCHIVE_OK ? MP_OK : damaged(path, in, NULL);
}

static mp_err tap_packed(const char *path, mp_tap *out)
{
    member *m = malloc(sizeof *m);
    struct archive *in = archive_read_new();
    mp_err e = m && in ? open_packed(in, path) : mp_no_memory(sizeof *m + BLOCK);
    if (e == MP_OK) {
        *m = (member){ .in = in, .where = path, .counted = true };
        *out = (mp_tap){ read_on, close_member, m };
        return MP_OK;
    }
    archive_read_free(in);
    free(m);
    return e;
}

static mp_err stream_zip(const char *path, const mp_dataset_as *as, int threads, mp_arena *a, mp_stream **out)
{
    mp_gather g = { .where = path, .text = a, .keep = a, .edges = mp_dataset_wants_edges(as), .names_only = true };
    size_t n = strlen(path);
    if (n < 4 || strcmp(path + n - 4, ".zip") != 0)
        return mp_fail(MP_ERR_INPUT, "compressed tars have no way to read several files in step");
    MP_TRY(gather_archive(&g, path));
    return mp_stream_gathered(&g, open_member, as, threads, out);
}

const mp_unpacker mp_libarchive = { gather_archive, stream_zip, tap_packed };
