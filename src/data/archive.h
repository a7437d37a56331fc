/* archive.h - the files of a data set out of a .zip, .tar.xz, .tar.gz: unpacked as a stream into memory.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ARCHIVE_H
#define MP_ARCHIVE_H

#include "data/stream.h"

/* What reads archives. The library has nothing of the kind; the program puts libarchive here before it does anything else. */
typedef struct mp_unpacker {
    mp_err (*gather)(mp_gather *g, const char *path);
    mp_err (*zip)(const char *path, const mp_dataset_as *as, int threads, mp_arena *a, mp_stream **out);
    mp_err (*packed)(const char *path, mp_tap *out);
} mp_unpacker;
void mp_unpack_with(const mp_unpacker *u);
extern const mp_unpacker mp_libarchive;

/* Fails with the archive's name when it is damaged, cut off, or unpacks to an absurd size. */
MP_MUST mp_err mp_gather_archive(mp_gather *g, const char *path);

/* The same from bytes, for tests. */
MP_MUST mp_err mp_gather_archive_bytes(mp_gather *g, mp_span packed);

/* A zip as a stream (stream.h): its members are unpacked in step, each by a reader of its own. Compressed tars cannot be
 * read like that. Memory for names is the arena's. */
MP_MUST mp_err mp_stream_zip(const char *path, const mp_dataset_as *as, int threads, mp_arena *a, mp_stream **out);

/* The bytes of one file that was compressed by gzip or xz. The path must stay. */
MP_MUST mp_err mp_tap_packed(const char *path, mp_tap *out);

#endif
