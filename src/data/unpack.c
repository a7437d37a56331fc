/* unpack.c - archives, where the program has brought something that reads them. See archive.h.
 * SPDX-License-Identifier: MIT */
#include "data/archive.h"

static const mp_unpacker *how; /* set before threads start */

void mp_unpack_with(const mp_unpacker *u)
{
    how = u;
}

static mp_err refuse(const char *path)
{
    return mp_fail(MP_ERR_INPUT, "%s: the library reads no archives; unpack it, or use the program", path);
}

mp_err mp_gather_archive(mp_gather *g, const char *path)
{
    return how ? how->gather(g, path) : refuse(path);
}

mp_err mp_stream_zip(const char *path, const mp_dataset_as *as, int threads, mp_arena *a, mp_stream **out)
{
    return how ? how->zip(path, as, threads, a, out) : refuse(path);
}

mp_err mp_archive_members(const char *where, mp_member_visit *each, void *state)
{
    return how ? how->members(where, each, state) : refuse(where);
}

mp_err mp_tap_member(const char *where, const char *path, mp_tap *out)
{
    return how ? how->member(where, path, out) : refuse(where);
}

mp_err mp_tap_unpacked(const char *name, mp_tap from, mp_tap *out)
{
    if (how) return how->unpacked(name, from, out);
    from.close(from.state);
    return refuse(name);
}

mp_err mp_tap_packed(const char *path, mp_tap *out)
{
    mp_tap file;
    MP_TRY(mp_tap_file(path, &file));
    return mp_tap_unpacked(path, file, out);
}

bool mp_packs(void)
{
    return how != NULL;
}

mp_err mp_pack(mp_span text, mp_buf *out)
{
    mp_assert(how);
    return how->pack(text, out);
}
