/* tags.h - a tiny checker of markup: every tag closed in order, quotes closed, no stray '<', nothing
 * loaded from outside.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TAGS_H
#define MP_TAGS_H

#include <stdbool.h>
#include <stddef.h>

/* NULL when all is well, else what is wrong, with some of the text after it in `near` (32 bytes). */
const char *tags_check(const char *html, char near[32]);

/* The same for a whole page, which has one script, its own, at its end. */
const char *tags_check_page(const char *html, char near[32]);

#endif
