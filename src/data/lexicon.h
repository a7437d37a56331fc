/* lexicon.h - words that get numbers, 0, 1, ..., in the order in which they first come.
 *
 * A word may belong to something with a number of its own, as a node to a graph: the same letters `within` another thing are
 * another word. All memory is the arena's, a few bytes a word beside its letters.
 * SPDX-License-Identifier: MIT */
#ifndef MP_LEXICON_H
#define MP_LEXICON_H

#include "base/text.h"

typedef struct mp_lexicon { /* zero but for the arena: no words */
    mp_arena *a;
    int count, room, slots;
    const char **word; /* count: NUL-ended, and stay where they are */
    int *within;       /* count */
    int *slot;         /* slots: number of a word and 1; 0: free */
    char *pool;        /* where the letters of the next ones go */
    size_t left;
} mp_lexicon;

/* The number of a word, which is new when it was w->count before. Bytes behind a NUL do not count. */
int mp_lexicon_add(mp_lexicon *w, int within, mp_span word);

/* The same of a word that must be there already; -1: it is not. */
int mp_lexicon_find(const mp_lexicon *w, int within, mp_span word);

#endif
