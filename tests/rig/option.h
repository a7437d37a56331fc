/* option.h - options by name, for tests of parts that keep theirs to themselves.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_OPTION_H
#define MP_TEST_OPTION_H

#include "conf/config.h"

#include <string.h>

static inline bool option_is(const mp_config *c, const char *name, const char *value)
{
    char text[80];
    const mp_opt *o = mp_conf_find(mp_config_table, name);
    mp_assert(o != NULL);
    mp_conf_get(o, c, text, sizeof text);
    return strcmp(text, value) == 0;
}

static inline void option_set(mp_config *c, const char *name, const char *value)
{
    mp_err e = mp_conf_set(mp_config_table, c, name, value, name);
    mp_assert(e == MP_OK);
}

#endif
