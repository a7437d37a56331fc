/* format_jsonl.c - JSON lines as a row of format.h: plain, or compressed by gzip.
 * SPDX-License-Identifier: MIT */
#include "data/format.h"
#include "data/jsonl.h"

#include <string.h>

static const char *const ends[] = { ".jsonl", ".jsonl.gz", NULL };

static bool packed(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

static bool probe(const char *path, bool folder, mp_span head)
{
    size_t stem;
    if (folder) return false;
    head = mp_trim(mp_without_mark(head));
    return mp_format_named(&mp_format_jsonl, path, &stem) || (head.n && head.p[0] == '{');
}

static mp_err read(const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    mp_tap tap;
    MP_TRY(mp_format_tap(in->path, &tap));
    return mp_jsonl_read(in->path, mp_format_stem(&mp_format_jsonl, in->path, a), tap, in->as, a, out);
}

static mp_err stream(const mp_data_input *in, mp_arena *a, mp_stream **out)
{
    mp_tap tap;
    MP_TRY(mp_format_tap(in->path, &tap));
    *out = mp_stream_jsonl(mp_arena_text(a, in->path, strlen(in->path)), tap, in->as);
    return MP_OK;
}

static mp_err write(const mp_raw *raw, const mp_folds *folds, const char *path)
{
    if (packed(path)) return mp_fail(MP_ERR_USAGE, "%s: is not written compressed; write .jsonl and pack it", path);
    return mp_jsonl_write(raw, folds, path);
}

const mp_data_format mp_format_jsonl = { .name = "jsonl",
                                         .title = "JSON lines, a graph a line: .jsonl or .jsonl.gz",
                                         .ends = ends,
                                         .probe = probe,
                                         .read = read,
                                         .stream = stream,
                                         .write = write };
