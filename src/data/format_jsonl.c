/* format_jsonl.c - JSON lines as a row of format.h: a file, which may be compressed by gzip, or a folder of such files.
 * SPDX-License-Identifier: MIT */
#include "data/format.h"
#include "data/jsonl.h"

#include <string.h>

static const char *const ends[] = { ".jsonl", ".jsonl.gz", NULL };

static bool probe(const char *path, bool folder, mp_span head)
{
    size_t stem;
    if (folder) return mp_format_has_files(&mp_format_jsonl, path);
    head = mp_trim(mp_without_mark(head));
    return mp_format_named(&mp_format_jsonl, path, &stem) || (head.n && head.p[0] == '{');
}

/* The lines of a file, or of all files of a folder. */
static mp_err open_lines(const mp_data_input *in, mp_arena *a, mp_book **book, mp_tap *out)
{
    const char *const *path;
    int count;
    *book = NULL;
    if (!in->folder) return mp_format_tap(in->path, out);
    MP_TRY(mp_format_files(&mp_format_jsonl, in->path, a, &count, &path));
    *book = mp_book_new(count, path, a);
    *out = mp_book_tap(*book);
    return MP_OK;
}

static mp_err read(const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    mp_tap tap;
    mp_book *book;
    const char *set = in->folder ? mp_format_folder(in->path, a) : mp_format_stem(&mp_format_jsonl, in->path, a);
    MP_TRY(open_lines(in, a, &book, &tap));
    MP_TRY(mp_jsonl_read(in->path, book, set, tap, in->as, a, out));
    return in->folder && !out->fold_text ? mp_format_folds(in, a, &out->fold_text) : MP_OK;
}

static mp_err stream(const mp_data_input *in, mp_arena *a, mp_stream **out)
{
    mp_tap tap;
    mp_book *book;
    MP_TRY(open_lines(in, a, &book, &tap));
    *out = mp_stream_jsonl(mp_arena_text(a, in->path, strlen(in->path)), book, tap, in->as);
    return MP_OK;
}

static mp_err write(const mp_raw *raw, const mp_folds *folds, const char *path)
{
    MP_TRY(mp_format_unpacked(path));
    return mp_jsonl_write(raw, folds, path);
}

const mp_data_format mp_format_jsonl = {
    .name = "jsonl",
    .title = "JSON lines, a graph a line: .jsonl or .jsonl.gz, or a folder of such files",
    .ends = ends,
    .probe = probe,
    .read = read,
    .stream = stream,
    .write = write
};
