/* preset.h - settings under a name, and those that hold for a method or a data set without being asked for.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PRESET_H
#define MP_PRESET_H

#include "data/dataset.h"

/* Model options that belong together under a name: "mid", "colors", "triangles". */
typedef struct mp_preset {
    const char *name;
    const char *settings; /* "arch=colors hidden=64" */
    const char *about;
    bool
        inputs; /* it is about what the data are: as a set's preset it holds for methods with settings of their own too */
} mp_preset;
extern const mp_preset mp_presets[];               /* ends with name NULL */
const mp_preset *mp_preset_find(const char *name); /* NULL when there is none */

/* Presets of a method (any spelling) on a set, as settings one after the other: those that hold without being asked for (the
 * networks of generated sets, GMT's settings), then those of `asked` ("paper,mid", or NULL). A name that there is not, or
 * not for this method, is an error. */
MP_MUST mp_err mp_presets_for(const mp_dataset *d, const char *pool, const char *asked, mp_arena *a,
                              const char *const **out);

#endif
