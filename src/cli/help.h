/* help.h - what --help prints. Options that matter are explained, the others named; --help-all explains them too, and
 * --pool METHOD --help those of a method.
 * SPDX-License-Identifier: MIT */
#ifndef MP_HELP_H
#define MP_HELP_H

#include "cli/shown.h"

/* `pools`: the methods that were named, as --pool has them; NULL: none. */
MP_MUST mp_err mp_help_print(const mp_cli *cli, const char *pools, bool all);

/* One option: meaning, default and range, the methods and the commands that have it. */
void mp_help_option(const mp_shown *o, const char *commands, mp_arena *a, mp_buf *out);

/* Text broken into lines of at most `width` columns, those behind the first indented; `at` columns of the first are taken. Breaks
 * are at spaces, and behind the bars of "a|b|c". In the text a line end counts as a space, but an empty line stays one, and
 * a line that begins with two spaces stays as it is. */
void mp_help_wrap(const char *text, int at, int indent, int width, mp_buf *out);

#endif
