/* tiny_folder.h - a folder of the test's own with the data set TINY in it, and an arena as its state.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TINY_FOLDER_H
#define MP_TINY_FOLDER_H

#include "cli/tiny_raw.h"
#include "data/tu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

static int make_tiny(void **state, int train, int val, int test)
{
    mp_arena *a = *state = mp_arena_new(1 << 20);
    mp_raw raw;
    strcpy(folder, "/tmp/midpool-lab-XXXXXX");
    if (!mkdtemp(folder) || tiny_raw(a, train, val, test, &raw) != MP_OK) return -1;
    return mp_tu_write(&raw, mp_arena_printf(a, "%s/TINY", folder)) == MP_OK ? 0 : -1;
}

static int remove_folder(void **state)
{
    char line[128];
    mp_arena_free(*state);
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

#endif
