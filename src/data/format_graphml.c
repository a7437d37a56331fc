/* format_graphml.c - GraphML as a row of format.h: a file, which may be compressed by gzip, or a folder of such files.
 * SPDX-License-Identifier: MIT */
#include "data/format.h"
#include "data/gather.h"
#include "data/graphml.h"

#include <string.h>

static const char *const ends[] = { ".graphml", ".graphml.gz", NULL };

static bool probe(const char *path, bool folder, mp_span head)
{
    size_t stem;
    if (folder) return mp_format_has_files(&mp_format_graphml, path);
    return mp_format_named(&mp_format_graphml, path, &stem) || (head.n && memmem(head.p, head.n, "<graphml", 8));
}

typedef struct reader {
    const mp_data_input *in;
    mp_arena *text, *keep;
    mp_frame *f;
    mp_graphml_set set;
    size_t left; /* bytes that may still be read */
} reader;

static mp_err read_file(reader *r, const char *path, const char *called)
{
    mp_tap tap;
    mp_span text;
    mp_arena *bytes = mp_arena_new(1 << 16);
    mp_err e = mp_format_tap(path, &tap);
    if (e == MP_OK) e = mp_tap_all(tap, path, r->left, SIZE_MAX, bytes, &text);
    if (e == MP_OK) r->left -= text.n;
    if (e == MP_OK) e = mp_graphml_parse(text, path, called, r->f, r->text, r->keep, &r->set);
    mp_arena_free(bytes);
    return e;
}

static mp_err read_files(reader *r)
{
    const char *path = mp_arena_text(r->text, r->in->path, strlen(r->in->path)), *const * list;
    int count;
    if (!r->in->folder) return read_file(r, path, NULL);
    MP_TRY(mp_format_files(&mp_format_graphml, path, r->text, &count, &list));
    for (int i = 0; i < count; i++) MP_TRY(read_file(r, list[i], mp_format_stem(&mp_format_graphml, list[i], r->text)));
    r->set = (mp_graphml_set){ 0 }; /* one file does not speak for all */
    return MP_OK;
}

static mp_err read_set(reader *r, mp_raw *out)
{
    const mp_data_input *in = r->in;
    r->f = mp_frame_new(in->as, r->text);
    MP_TRY(read_files(r));
    MP_TRY(mp_frame_finish(r->f, in->path, r->keep, out));
    out->name = r->set.name  ? r->set.name
                : in->folder ? mp_format_folder(in->path, r->keep)
                             : mp_format_stem(&mp_format_graphml, in->path, r->keep);
    out->fold_text = r->set.folds;
    return in->folder ? mp_format_folds(in, r->keep, &out->fold_text) : MP_OK;
}

static mp_err read(const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    reader r = { .in = in, .text = mp_arena_new(1 << 16), .keep = a, .left = MP_GATHER_LIMIT };
    mp_err e = read_set(&r, out);
    mp_arena_free(r.text);
    return e;
}

static mp_err write(const mp_raw *raw, const mp_folds *folds, const char *path)
{
    MP_TRY(mp_format_unpacked(path));
    return mp_graphml_write(raw, folds, path);
}

const mp_data_format mp_format_graphml = { .name = "graphml",
                                           .title = "GraphML: .graphml or .graphml.gz, or a folder of such files",
                                           .ends = ends,
                                           .probe = probe,
                                           .read = read,
                                           .named = true,
                                           .write = write };
