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

mp_err mp_tap_packed(const char *path, mp_tap *out)
{
    return how ? how->packed(path, out) : refuse(path);
}
