/* format_tu.c - TUDataset files as a row of format.h: a folder, a zip or a compressed tar of them.
 * SPDX-License-Identifier: MIT */
#include "data/archive.h"
#include "data/format.h"
#include "data/gather.h"

#include <string.h>

static const char *const ends[] = { "", ".zip", ".tar.xz", ".tar.gz", ".tgz", NULL };

/* An archive may have any name. */
static bool probe(const char *path, bool folder, mp_span head)
{
    static const mp_span marks[] = { { "PK", 2 },
                                     { "\x1f\x8b", 2 },
                                     { "\xfd"
                                       "7zXZ",
                                       5 } };
    size_t stem;
    if (folder || mp_format_named(&mp_format_tu, path, &stem)) return true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (head.n >= marks[i].n && memcmp(head.p, marks[i].p, marks[i].n) == 0) return true;
    return false;
}

static mp_err parse(mp_gather *g, const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    MP_TRY(in->folder ? mp_gather_folder(g, in->path) : mp_gather_archive(g, in->path));
    if (!g->files.name) return mp_fail(MP_ERR_INPUT, "%s: holds no data set (no file NAME_A.txt)", in->path);
    mp_err e = mp_tu_parse(&g->files, a, out);
    if (e != MP_OK) return mp_fail_within(e, "%s", in->path);
    out->fold_text = g->folds;
    return MP_OK;
}

static mp_err read(const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    mp_gather g = {
        .where = in->path, .text = mp_arena_new(1 << 16), .keep = a, .edges = mp_dataset_wants_edges(in->as)
    };
    mp_err e = parse(&g, in, a, out);
    mp_arena_free(g.text);
    return e;
}

static mp_err stream(const mp_data_input *in, mp_arena *a, mp_stream **out)
{
    return (in->folder ? mp_stream_folder : mp_stream_zip)(in->path, in->as, in->threads, a, out);
}

static mp_err write(const mp_raw *raw, const mp_folds *folds, const char *path)
{
    size_t stem;
    if (mp_format_named(&mp_format_tu, path, &stem))
        return mp_fail(MP_ERR_USAGE, "%s: archives are not written, only folders", path);
    MP_TRY(mp_need_empty(path));
    MP_TRY(mp_tu_write(raw, path));
    return folds ? mp_tu_write_folds(folds, path) : MP_OK;
}

const mp_data_format mp_format_tu = { .name = "tu",
                                      .title = "TUDataset files: a folder, .zip, .tar.xz or .tar.gz",
                                      .ends = ends,
                                      .probe = probe,
                                      .read = read,
                                      .stream = stream,
                                      .whole_after = true,
                                      .write = write };
