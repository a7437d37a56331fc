/* lexicon.c - see lexicon.h. Slots are tried one behind the other from the one that a hash names; at most half of them are taken.
 * SPDX-License-Identifier: MIT */
#include "data/lexicon.h"

#include <string.h>

#define POOL ((size_t)1 << 16) /* bytes of letters that are asked for at a time */

static uint64_t hash(int within, mp_span word)
{
    uint64_t h = 0xcbf29ce484222325u ^ ((uint64_t)(uint32_t)within * 0x9e3779b97f4a7c15u);
    for (size_t i = 0; i < word.n; i++) h = (h ^ (unsigned char)word.p[i]) * 0x100000001b3u;
    return h ^ (h >> 29);
}

/* Where the word is, or could be. */
static int place(const mp_lexicon *w, int within, mp_span word)
{
    int at = (int)(hash(within, word) & (uint64_t)(w->slots - 1));
    for (; w->slot[at]; at = (at + 1) & (w->slots - 1)) {
        int i = w->slot[at] - 1;
        if (w->within[i] == within && strncmp(w->word[i], word.p, word.n) == 0 && !w->word[i][word.n]) break;
    }
    return at;
}

static void grow(mp_lexicon *w)
{
    w->room = mp_room(w->room, (int64_t)w->count + 1, 16, "words");
    MP_MORE(w->a, w->word, w->count, w->room);
    MP_MORE(w->a, w->within, w->count, w->room);
    w->slots = 32;
    while (w->slots / 2 < w->room && w->slots < 1 << 30) w->slots *= 2;
    w->slot = MP_NEW(w->a, int, w->slots);
    for (int i = 0; i < w->count; i++) w->slot[place(w, w->within[i], mp_span_of(w->word[i]))] = i + 1;
}

static const char *keep(mp_lexicon *w, mp_span word)
{
    if (word.n + 1 > w->left) {
        w->left = word.n + 1 > POOL ? word.n + 1 : POOL;
        w->pool = MP_NEW_RAW(w->a, char, w->left);
    }
    char *out = w->pool;
    memcpy(out, word.p, word.n);
    out[word.n] = '\0';
    w->pool += word.n + 1;
    w->left -= word.n + 1;
    return out;
}

/* A word ends where a C string does, so that equal words are equal everywhere. */
static mp_span shown(mp_span word)
{
    const char *nul = word.n ? memchr(word.p, '\0', word.n) : NULL;
    return nul ? (mp_span){ word.p, (size_t)(nul - word.p) } : word;
}

int mp_lexicon_add(mp_lexicon *w, int within, mp_span word)
{
    word = shown(word);
    if (w->count == w->room) grow(w);
    int at = place(w, within, word);
    if (w->slot[at]) return w->slot[at] - 1;
    w->word[w->count] = keep(w, word);
    w->within[w->count] = within;
    w->slot[at] = ++w->count;
    return w->count - 1;
}

int mp_lexicon_find(const mp_lexicon *w, int within, mp_span word)
{
    return w->count ? w->slot[place(w, within, shown(word))] - 1 : -1;
}
