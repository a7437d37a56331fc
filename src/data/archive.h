/* archive.h - the files of a data set out of a .zip, .tar.xz, .tar.gz: unpacked as a stream into memory.
 * SPDX-License-Identifier: MIT */
#ifndef MP_ARCHIVE_H
#define MP_ARCHIVE_H

#include "data/stream.h"

/* Called with the path of each plain file in an archive; a failure ends the list. */
typedef mp_err mp_member_visit(void *state, const char *path);

/* What reads archives. The library has nothing of the kind; the program puts libarchive here before it does anything else. */
typedef struct mp_unpacker {
    mp_err (*gather)(mp_gather *g, const char *path);
    mp_err (*zip)(const char *path, const mp_dataset_as *as, int threads, mp_arena *a, mp_stream **out);
    mp_err (*members)(const char *where, mp_member_visit *each, void *state);
    mp_err (*member)(const char *where, const char *path, mp_tap *out);
    mp_err (*unpacked)(const char *name, mp_tap from, mp_tap *out);
    mp_err (*pack)(mp_span text, mp_buf *out);
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

/* The names of what is in an archive. */
MP_MUST mp_err mp_archive_members(const char *where, mp_member_visit *each, void *state);

/* The bytes of one member of a zip. Both names must stay. */
MP_MUST mp_err mp_tap_member(const char *where, const char *path, mp_tap *out);

/* What was compressed by gzip or xz. `name` opens messages and must stay. Takes the tap `from`, also when it fails. */
MP_MUST mp_err mp_tap_unpacked(const char *name, mp_tap from, mp_tap *out);

/* The same of one file. The path must stay. */
MP_MUST mp_err mp_tap_packed(const char *path, mp_tap *out);

/* Compressed by gzip, added to `out`: the same bytes for the same text. */
bool mp_packs(void); /* whether that can be done here */
MP_MUST mp_err mp_pack(mp_span text, mp_buf *out);

#endif
