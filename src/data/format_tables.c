/* format_tables.c - a folder of tables (tables.h) as a row of format.h; each table may be compressed by gzip.
 * SPDX-License-Identifier: MIT */
#include "data/format.h"
#include "data/gather.h"
#include "data/tables.h"

#include <string.h>
#include <sys/stat.h>

static const char *const ends[] = { "", NULL };

/* A table in one of its two forms; false: it is in none. */
static bool find(const char *folder, mp_frame_part part, char path[4096])
{
    static const char *const packed[] = { "", ".gz" };
    struct stat st;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        int n = mp_format(path, 4096, "%s/%s%s", folder, mp_tables_file[part], packed[i]);
        if (n > 0 && n < 4096 && stat(path, &st) == 0 && S_ISREG(st.st_mode)) return true;
    }
    return false;
}

static bool probe(const char *path, bool folder, mp_span head)
{
    char file[4096];
    (void)head;
    return folder && find(path, MP_FRAME_EDGES, file);
}

static mp_err read_texts(const char *folder, mp_arena *text, mp_tables *t)
{
    size_t left = MP_GATHER_LIMIT;
    for (int p = 0; p < MP_FRAME_PARTS; p++) {
        char file[4096];
        mp_tap tap;
        if (!find(folder, (mp_frame_part)p, file)) continue;
        t->file[p] = mp_arena_text(text, file, strlen(file));
        MP_TRY(mp_format_tap(t->file[p], &tap));
        MP_TRY(mp_tap_all(tap, t->file[p], left, SIZE_MAX, text, &t->text[p]));
        left -= t->text[p].n;
    }
    return MP_OK;
}

static mp_err read(const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    mp_arena *text = mp_arena_new(1 << 16);
    mp_tables t = { .where = in->path };
    mp_err e = read_texts(in->path, text, &t);
    if (e == MP_OK) e = mp_tables_parse(&t, in->as, text, a, out);
    mp_arena_free(text);
    MP_TRY(e);
    out->name = mp_format_folder(in->path, a);
    return mp_format_folds(in, a, &out->fold_text);
}

static mp_err write(const mp_raw *raw, const mp_folds *folds, const char *path)
{
    MP_TRY(mp_need_empty(path));
    MP_TRY(mp_tables_write(raw, path));
    return folds ? mp_tu_write_folds(folds, path) : MP_OK;
}

const mp_data_format mp_format_tables = { .name = "tables",
                                          .title = "a folder of graphs.csv, nodes.csv and edges.csv",
                                          .ends = ends,
                                          .probe = probe,
                                          .read = read,
                                          .named = true,
                                          .write = write };
