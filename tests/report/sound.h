/* sound.h - what tests of pages and pictures share.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_SOUND_H
#define MP_TEST_SOUND_H

#include "tags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* A picture: sound markup, and no number that is none. */
static inline void assert_svg_sound(const char *svg)
{
    char near[32];
    const char *bad = tags_check(svg, near);
    if (bad) fail_msg("%s near '%s'", bad, near);
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
}

static inline int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p++) n++;
    return n;
}

#endif
