/* graphml.h - data sets in GraphML (docs/formats.md): graphs one behind the other in a file, or in several.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GRAPHML_H
#define MP_GRAPHML_H

#include "data/frame.h"
#include "data/split.h"

/* What a file says of the set as a whole. */
typedef struct mp_graphml_set {
    const char *name;          /* NULL: not said */
    const mp_fold_text *folds; /* NULL: none */
} mp_graphml_set;

/* The graphs of one file, put into the frame, whose arena `a` is. `called`: what its first graph is called, and with a number the
 * others; NULL: by their ids, or their numbers in the frame. Both names must stay. */
MP_MUST mp_err mp_graphml_parse(mp_span text, const char *file, const char *called, mp_frame *f, mp_arena *a,
                                mp_arena *keep, mp_graphml_set *out);

/* One file that is read back as the same. `folds` may be NULL. */
MP_MUST mp_err mp_graphml_write(const mp_raw *raw, const mp_folds *folds, const char *path);

#endif
