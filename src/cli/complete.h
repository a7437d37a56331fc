/* complete.h - what a shell may offer for the word that is being typed. The scripts that ask are src/cli/complete.*; midpool completion
 * prints them.
 * SPDX-License-Identifier: MIT */
#ifndef MP_COMPLETE_H
#define MP_COMPLETE_H

#include "base/text.h"

/* `word`: those behind "midpool" up to the one that is typed, which may be empty. Adds a line for each candidate that begins like
 * it, "word TAB meaning"; the lines ":files" and ":folders" ask the shell for its own. */
void mp_complete(int n, char **word, mp_buf *out);

#endif
