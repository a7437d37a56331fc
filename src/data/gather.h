/* gather.h - picking the files of a data set out of a folder or an archive, by their base names.
 *
 * Paths inside an archive are never used for anything but their last component, and nothing is written to
 * disk.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GATHER_H
#define MP_GATHER_H

#include "base/api.h"
#include "data/split.h"
#include "data/tu.h"

MP_API_BEGIN

/* Unpacked bytes a data set may have, and the ratio to packed bytes that is suspicious above 100 MiB. */
#define MP_GATHER_LIMIT  ((size_t)4 << 30)
#define MP_GATHER_RATIO  1000
#define MP_GATHER_FREELY ((size_t)100 << 20)

typedef struct mp_gather {
    const char *where;   /* the folder or archive, for messages                                   */
    mp_arena *text;      /* owns the texts of the data set, which are large and needed only once  */
    mp_arena *keep;      /* owns the texts of the folds                                           */
    mp_tu_files files;   /* name NULL until a file of a data set was met                          */
    mp_fold_text *folds; /* NULL until a fold file was met                                        */
    size_t bytes;        /* of texts so far                                                       */
    bool edges;      /* labels and attributes of edges are wanted: of such a file no more than a head is read else */
    bool names_only; /* files are not read: a slot gets the file's path instead of its text   */
} mp_gather;

/* Where the text of a file belongs, the arena for it, and how many bytes are enough. */
#define MP_GATHER_HEAD ((size_t)1 << 16)
typedef struct mp_gather_place {
    mp_span *slot; /* NULL: the file is of no interest */
    mp_arena *owner;
    size_t most; /* MP_GATHER_HEAD, or SIZE_MAX: all */
} mp_gather_place;

/* A file that is there twice, or belongs to a second data set, is an error. */
MP_MUST mp_err mp_gather_slot(mp_gather *g, const char *path, mp_gather_place *out);

/* Adds `n` unpacked bytes to the total; `packed` 0: not packed. */
MP_MUST mp_err mp_gather_grown(mp_gather *g, size_t n, size_t packed);

/* The files of a folder, of its sub-folders 10fold_idx and raw (where PyTorch Geometric puts them). */
MP_MUST mp_err mp_gather_folder(mp_gather *g, const char *path);

/* Files that an earlier set left in a folder would be read as part of the one that is written there. */
MP_MUST mp_err mp_need_empty(const char *path);

/* Makes a folder and those above it. */
MP_MUST mp_err mp_make_folder(const char *path);

MP_API_END

#endif
