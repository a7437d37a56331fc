/* format_csv.c - tables of molecules as a row of format.h: plain, or compressed by gzip.
 * SPDX-License-Identifier: MIT */
#include "data/format.h"
#include "data/mols.h"

#include <string.h>

static const char *const ends[] = { ".csv", ".csv.gz", NULL };

static bool probe(const char *path, bool folder, mp_span head)
{
    size_t stem;
    (void)head;
    return !folder && mp_format_named(&mp_format_csv, path, &stem);
}

static mp_err read(const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    mp_tap tap;
    const char *path = mp_arena_text(a, in->path, strlen(in->path));
    MP_TRY(mp_format_tap(path, &tap));
    return mp_mols_read_all(path, mp_format_stem(&mp_format_csv, path, a), tap, in->as, a, out);
}

static mp_err stream(const mp_data_input *in, mp_arena *a, mp_stream **out)
{
    mp_tap tap;
    const char *path = mp_arena_text(a, in->path, strlen(in->path));
    MP_TRY(mp_format_tap(path, &tap));
    return mp_stream_csv(path, tap, in->as, a, out);
}

const mp_data_format mp_format_csv = { .name = "csv",
                                       .title = "a table with a column of SMILES: .csv or .csv.gz",
                                       .ends = ends,
                                       .probe = probe,
                                       .read = read,
                                       .stream = stream,
                                       .table = true };
