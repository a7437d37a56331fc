/* ogb_set.h - a small set in OGB's raw layout: its texts, and as a folder or zip.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_DATA_OGB_SET_H
#define MP_TEST_DATA_OGB_SET_H

#include "fixture.h"

#include "data/archive.h"
#include "data/gather.h"
#include "data/ogb.h"

#include <archive.h>
#include <archive_entry.h>

#define ATOM "5,0,4,5,3,0,2,0,0\n"

/* Three molecules: a chain of three atoms, an atom, a pair; two tasks. */
static inline mp_ogb_files three_molecules(void)
{
    mp_ogb_files f = { .name = "S", .split = "scaffold" };
    static const char *const file[MP_OGB_PARTS] = {
        "S/raw/num-node-list.csv",    "S/raw/num-edge-list.csv",  "S/raw/edge.csv",    "S/raw/node-feat.csv",
        "S/raw/edge-feat.csv",        "S/raw/graph-label.csv",    "S/mapping/mol.csv", "S/split/scaffold/train.csv",
        "S/split/scaffold/valid.csv", "S/split/scaffold/test.csv"
    };
    memcpy(f.file, file, sizeof file);
    f.part[MP_OGB_NODE_COUNTS] = mp_span_of("3\n1\n2\n");
    f.part[MP_OGB_EDGE_COUNTS] = mp_span_of("2\n0\n1\n");
    f.part[MP_OGB_EDGES] = mp_span_of("0,1\n2,1\n0,1\n");
    f.part[MP_OGB_NODE_FEAT] = mp_span_of(ATOM "6,4,3,5,1,0,1,1,1\n" ATOM "118,0,0,5,0,0,5,0,0\n" ATOM ATOM);
    f.part[MP_OGB_EDGE_FEAT] = mp_span_of("1,0,0\n3,2,1\n0,5,1\n");
    f.part[MP_OGB_LABELS] = mp_span_of("1,nan\n,0\n0,nan\n");
    f.part[MP_OGB_TRAIN] = mp_span_of("0\n");
    f.part[MP_OGB_VALID] = mp_span_of("2\n");
    f.part[MP_OGB_TEST] = mp_span_of("1\n");
    return f;
}

static inline void put_member(struct archive *zip, const char *path, mp_span text)
{
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, path);
    archive_entry_set_size(e, (la_int64_t)text.n);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    assert_int_equal(archive_write_header(zip, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(zip, text.p, text.n), (int)text.n);
    archive_entry_free(e);
}

/* Without waiting for the disk. */
static inline void put_file(const char *path, mp_span bytes)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, out), bytes.n);
    assert_int_equal(fclose(out), 0);
}

/* The set as a folder or zip, its members plain or packed. */
static inline void put_set(const mp_ogb_files *f, const char *to, bool zip, bool packed, mp_arena *a)
{
    const char *slash = strrchr(to, '/');
    struct archive *w = zip ? archive_write_new() : NULL;
    WORKS(mp_make_folder(mp_arena_text(a, to, (size_t)(slash - to))));
    if (zip) assert_int_equal(archive_write_set_format_zip(w), ARCHIVE_OK);
    if (zip) assert_int_equal(archive_write_open_filename(w, to), ARCHIVE_OK);
    for (int part = 0; part < MP_OGB_PARTS; part++) {
        mp_buf b = { 0 };
        const char *dir = part < MP_OGB_TRAIN ? "" : mp_arena_printf(a, "split/%s/", f->split);
        const char *name = mp_arena_printf(a, "%s%s%s", dir, mp_ogb_path[part], packed ? ".gz" : "");
        if (!f->part[part].p) continue;
        if (packed)
            WORKS(mp_pack(f->part[part], &b));
        else
            mp_buf_add(&b, f->part[part].p, f->part[part].n);
        if (zip) {
            put_member(w, mp_arena_printf(a, "inside/%s", name), (mp_span){ b.p, b.n });
        } else {
            char *path = mp_arena_printf(a, "%s/%s", to, name);
            WORKS(mp_make_folder(mp_arena_text(a, path, (size_t)(strrchr(path, '/') - path))));
            put_file(path, (mp_span){ b.p, b.n });
        }
        mp_buf_free(&b);
    }
    if (zip) assert_int_equal(archive_write_close(w), ARCHIVE_OK);
    if (zip) archive_write_free(w);
}

#endif
