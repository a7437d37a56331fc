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
    mp_tap from;  /* bytes that were packed alone come from here; else all zero ... */
    char *block;  /* ... through this */
    size_t given; /* unpacked so far, of such bytes */
    bool told;    /* `from` failed, and said why */
    bool nothing; /* they hold nothing */
} member;

static ptrdiff_t read_on(void *state, char *to, size_t n)
{
    member *m = state;
    la_ssize_t got = 0;
    while (!m->nothing && (got = archive_read_data(m->in, to, n)) == ARCHIVE_RETRY) {}
    if (got < 0 && !m->told) return damaged(m->where, m->in, NULL) == MP_OK ? 0 : -1;
    if (got < 0) return -1;
    mp_gather grown = { .where = m->where, .bytes = m->given };
    if (m->block && mp_gather_grown(&grown, (size_t)got, packed_so_far(m->in)) != MP_OK) return -1;
    m->given = grown.bytes;
    return (ptrdiff_t)got;
}

static void close_member(void *state)
{
    member *m = state;
    archive_read_free(m->in);
    if (m->from.close) m->from.close(m->from.state);
    free(m->block);
    free(m);
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

static la_ssize_t give_packed(struct archive *in, void *state, const void **bytes)
{
    member *m = state;
    ptrdiff_t got = m->from.read(m->from.state, m->block, BLOCK);
    *bytes = m->block;
    m->told = got < 0;
    if (got < 0) archive_set_error(in, -1, "cannot be read");
    return (la_ssize_t)got;
}

/* Packed bytes as one member without a name. */
static mp_err open_packed(member *m)
{
    struct archive_entry *entry;
    archive_read_support_filter_gzip(m->in);
    archive_read_support_filter_xz(m->in);
    archive_read_support_format_raw(m->in);
    archive_read_support_format_empty(m->in);
    int status = archive_read_open(m->in, m, NULL, give_packed, NULL);
    if (status == ARCHIVE_OK) status = archive_read_next_header(m->in, &entry);
    m->nothing = status == ARCHIVE_EOF;
    if (m->told) return MP_ERR_IO;
    return status == ARCHIVE_OK || m->nothing ? MP_OK : damaged(m->where, m->in, NULL);
}

static mp_err tap_unpacked(const char *name, mp_tap from, mp_tap *out)
{
    member *m = malloc(sizeof *m);
    char *block = malloc(BLOCK);
    struct archive *in = archive_read_new();
    if (!m || !block || !in) {
        archive_read_free(in);
        free(block);
        free(m);
        from.close(from.state);
        return mp_no_memory(sizeof *m + BLOCK);
    }
    *m = (member){ .in = in, .where = name, .from = from, .block = block };
    mp_err e = open_packed(m);
    if (e != MP_OK) close_member(m);
    if (e == MP_OK) *out = (mp_tap){ read_on, close_member, m };
    return e;
}

typedef struct listing {
    const char *where;
    struct archive *in;
    mp_member_visit *each;
    void *state;
} listing;

static mp_err list_members(void *arg)
{
    const listing *l = arg;
    struct archive *in = l->in;
    const char *where = l->where;
    if (archive_read_open_filename(in, where, BLOCK) != ARCHIVE_OK) return damaged(where, in, NULL);
    for (struct archive_entry *entry;;) {
        int status = archive_read_next_header(in, &entry);
        if (status == ARCHIVE_EOF) return MP_OK;
        if (status == ARCHIVE_RETRY) continue;
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return damaged(where, in, NULL);
        const char *path = archive_entry_pathname(entry);
        if (path && archive_entry_filetype(entry) == AE_IFREG) MP_TRY(l->each(l->state, path));
    }
}

static mp_err members(const char *where, mp_member_visit *each, void *state)
{
    names n = names_begin();
    struct archive *in = reader();
    mp_err e = in ? mp_guarded(list_members, &(listing){ where, in, each, state }) : mp_no_memory(BLOCK);
    archive_read_free(in);
    names_end(n);
    return e;
}

static la_ssize_t keep_packed(struct archive *out, void *state, const void *bytes, size_t n)
{
    (void)out;
    mp_buf_add(state, bytes, n);
    return (la_ssize_t)n;
}

typedef struct packing {
    struct archive *out;
    struct archive_entry *entry;
    mp_span text;
    mp_buf *packed;
} packing;

/* One entry, no name and no time: equal texts give equal bytes. */
static mp_err pack_into(void *arg)
{
    const packing *p = arg;
    struct archive *out = p->out;
    mp_span text = p->text;
    archive_entry_set_filetype(p->entry, AE_IFREG);
    bool ok = archive_write_set_format_raw(out) == ARCHIVE_OK && archive_write_add_filter_gzip(out) == ARCHIVE_OK &&
              archive_write_set_filter_option(out, "gzip", "timestamp", NULL) == ARCHIVE_OK &&
              archive_write_set_bytes_in_last_block(out, 1) == ARCHIVE_OK &&
              archive_write_open(out, p->packed, NULL, keep_packed, NULL) == ARCHIVE_OK &&
              archive_write_header(out, p->entry) == ARCHIVE_OK;
    while (ok && text.n) {
        la_ssize_t put = archive_write_data(out, text.p, text.n);
        ok = put > 0;
        if (ok) text = (mp_span){ text.p + put, text.n - (size_t)put };
    }
    if (ok) ok = archive_write_close(out) == ARCHIVE_OK;
    return ok ? MP_OK : mp_fail(MP_ERR_IO, "cannot be packed: %s", archive_error_string(out));
}

static mp_err pack(mp_span text, mp_buf *packed)
{
    struct archive *out = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    mp_err e = out && entry ? mp_guarded(pack_into, &(packing){ out, entry, text, packed }) : mp_no_memory(BLOCK);
    archive_entry_free(entry);
    archive_write_free(out);
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

const mp_unpacker mp_libarchive = { gather_archive, stream_zip, members, open_member, tap_unpacked, pack };
