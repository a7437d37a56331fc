/* format.h - the ways in which data sets are written down: a row each. All that a new one needs is in this header.
 *
 * A format is one file with one row. Rows of the program's own are in format.c; others are added while it runs
 * (mp_format_add), before data of theirs are asked for. The list may be read and added to by several threads at once. A row
 * stays for as long as the program runs.
 * SPDX-License-Identifier: MIT */
#ifndef MP_FORMAT_H
#define MP_FORMAT_H

#include "base/api.h"
#include "data/raw.h"
#include "data/split.h"
#include "data/stream.h"

MP_API_BEGIN

typedef struct mp_data_input { /* what is to be read */
    const char *path;
    bool folder;
    const mp_dataset_as
        *as;     /* NULL: as the files have it. Labels and attributes of edges: mp_dataset_wants_edges(as) */
    int threads; /* that a stream may use to look at its input */
} mp_data_input;

typedef struct mp_data_format {
    const char *name, *title;
    const char *const *ends; /* NULL-ended: what names of its files end in; "" stands for a folder */

    /* Whether this looks like an input of the format: by its name, and the first bytes of a file. */
    bool (*probe)(const char *path, bool folder, mp_span head);

    /* All of it. Whatever `out` points to is in the arena, `out->name` included. Messages name file and line. */
    mp_err (*read)(const mp_data_input *in, mp_arena *a, mp_raw *out);

    /* A stream of its graphs as the model `in->as` reads them. NULL: it is read whole. */
    mp_err (*stream)(const mp_data_input *in, mp_arena *a, mp_stream **out);
    bool table; /* it has columns, of which mp_dataset_as.columns says which are what */
    bool named; /* its columns have names: of them, too, columns say which is to be learned and which is nothing */
    bool whole_after; /* what a stream fails at is tried again as a whole */

    /* `folds` may be NULL. NULL: the format cannot be written. */
    mp_err (*write)(const mp_raw *raw, const mp_folds *folds, const char *path);
} mp_data_format;

extern const mp_data_format mp_format_tu, mp_format_jsonl, mp_format_ogb, mp_format_csv, mp_format_tables,
    mp_format_graphml;

/* Fails when the name is taken or there are too many. A row that was added later is asked earlier what it makes of an input. */
MP_MUST mp_err mp_format_add(const mp_data_format *row);

/* Row i in the order in which they were added, NULL behind the last. */
const mp_data_format *mp_format_at(int i);

/* By name; fails with the names there are. */
MP_MUST mp_err mp_format_find(const char *name, const mp_data_format **out);

/* The format of an input, by its probes; fails when no row knows it. */
MP_MUST mp_err mp_format_of(const char *path, bool folder, const mp_data_format **out);

/* The format a file or folder of this name would be written in: a name without an ending is a TUDataset folder. NULL when its ending
 * says nothing. */
const mp_data_format *mp_format_for(const char *path);

/* Whether a file name ends as those of a format do (folders aside), and the length of what stands before that end. */
bool mp_format_named(const mp_data_format *f, const char *name, size_t *stem);

/* What a file is called, without folder and ending. */
const char *mp_format_stem(const mp_data_format *f, const char *path, mp_arena *a);

/* The text of a file, unpacked where its name ends in .gz. The path must stay. */
MP_MUST mp_err mp_format_tap(const char *path, mp_tap *out);

/* What a folder is called, without slashes at its end: of a path that ends in no name the real one. */
const char *mp_format_folder(const char *path, mp_arena *a);

/* The files of a folder that are called as those of a format are, in the order of their letters; none where it has
 * TUDataset files, which such files may lie beside. */
MP_MUST mp_err mp_format_files(const mp_data_format *f, const char *folder, mp_arena *a, int *count,
                               const char *const **path);

bool mp_format_has_files(const mp_data_format *f, const char *folder);

/* Fails for a path that says that a file is to be compressed. */
MP_MUST mp_err mp_format_unpacked(const char *path);

/* Folds in files of the usual names beside those of a set, which have none themselves; NULL: there are none. */
MP_MUST mp_err mp_format_folds(const mp_data_input *in, mp_arena *a, const struct mp_fold_text **out);

/* Fails when columns were asked for and the format has none. */
MP_MUST mp_err mp_format_takes(const mp_data_format *f, const mp_data_input *in);

MP_API_END

#endif
