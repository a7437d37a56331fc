/* skeleton.c - see skeleton.h.
 * SPDX-License-Identifier: MIT */
#include "chem/skeleton.h"

#include <stdint.h>
#include <string.h>

enum { C = 6, N = 7, O = 8, F = 9, P = 15, S = 16, CL = 17, BR = 35, I = 53, ELEMENTS = 54 };

const unsigned char mp_zinc_element[MP_ZINC_TYPES] = { C, O, N, F, C, S, CL, O, N, BR, N, N, N, N,
                                                       S, I, P, O, N, O, S,  P, P, C,  P, S, C, P };

static const unsigned char most_valence[ELEMENTS] = {
    [C] = 4, [N] = 3, [O] = 2, [F] = 1, [P] = 7, [S] = 6, [CL] = 1, [BR] = 1, [I] = 5
};

/* ---- valences ---- */

/* Aromatic bonds count one and a half; a half that is left over counts whole. */
static int valence(const mp_skeleton *s, int v)
{
    int halves = 0;
    for (int e = s->ptr[v]; e < s->ptr[v + 1]; e++) halves += s->order[e] == 4 ? 3 : 2 * s->order[e];
    return (halves + 1) / 2;
}

static bool has_oxo(const mp_skeleton *s, const unsigned char *element, int v)
{
    for (int e = s->ptr[v]; e < s->ptr[v + 1]; e++) {
        int u = s->to[e] - s->first;
        if (s->order[e] == 2 && element[u] == O && s->ptr[u + 1] - s->ptr[u] == 1) return true;
    }
    return false;
}

bool mp_skeleton_valid(const mp_skeleton *s, const unsigned char *element)
{
    for (int v = 0; v < s->atoms; v++) {
        int has = valence(s, v), most = element[v] < ELEMENTS ? most_valence[element[v]] : 0;
        if (most == 0) return false;
        if (has > most && !(element[v] == N && has == 5 && has_oxo(s, element, v))) return false;
    }
    return true;
}

/* ---- the same molecule ---- */

typedef struct mapping {
    const mp_skeleton *s;
    const uint64_t *from, *to; /* what an atom and all around it look like with either elements */
    const int *order;          /* atoms, each but the first of a piece behind one it is bound to */
    int *image;                /* of an atom; -1: none yet */
    bool *taken;
} mapping;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Each round an atom learns of those one bond further away. Atoms that can be mapped onto each other look the same; others may. */
static const uint64_t *looks(const mp_skeleton *s, const unsigned char *element, mp_arena *a)
{
    uint64_t *now = MP_NEW_RAW(a, uint64_t, s->atoms), *next = MP_NEW_RAW(a, uint64_t, s->atoms);
    for (int v = 0; v < s->atoms; v++) now[v] = mix(element[v] + 1u);
    for (int round = 0; round < s->atoms; round++) {
        for (int v = 0; v < s->atoms; v++) {
            uint64_t sum = 0;
            for (int e = s->ptr[v]; e < s->ptr[v + 1]; e++) sum += mix(now[s->to[e] - s->first] + s->order[e]);
            next[v] = mix(now[v] * 3 + sum);
        }
        memcpy(now, next, (size_t)s->atoms * sizeof *now);
    }
    return now;
}

/* Atoms as a search from atom to bound atom meets them. */
static const int *walk(const mp_skeleton *s, mp_arena *a)
{
    int *order = MP_NEW_RAW(a, int, s->atoms + 1), n = 0;
    bool *seen = MP_NEW(a, bool, s->atoms);
    for (int start = 0, at = 0; start < s->atoms; start++) {
        if (!seen[start]) order[n++] = start;
        seen[start] = true;
        for (; at < n; at++)
            for (int e = s->ptr[order[at]]; e < s->ptr[order[at] + 1]; e++) {
                int u = s->to[e] - s->first;
                if (!seen[u]) order[n++] = u;
                seen[u] = true;
            }
    }
    return order;
}

static int bond(const mp_skeleton *s, int v, int u)
{
    for (int e = s->ptr[v]; e < s->ptr[v + 1]; e++)
        if (s->to[e] - s->first == u) return s->order[e];
    return 0;
}

/* Bonds to atoms that have an image must be there in the image; as many bonds as before are then all of them. */
static bool fits(const mapping *m, int v, int u)
{
    const mp_skeleton *s = m->s;
    if (m->taken[u] || m->from[v] != m->to[u] || s->ptr[v + 1] - s->ptr[v] != s->ptr[u + 1] - s->ptr[u]) return false;
    for (int e = s->ptr[v]; e < s->ptr[v + 1]; e++) {
        int w = m->image[s->to[e] - s->first];
        if (w >= 0 && bond(s, u, w) != s->order[e]) return false;
    }
    return true;
}

static bool map_from(const mapping *m, int at)
{
    if (at == m->s->atoms) return true;
    int v = m->order[at];
    for (int u = 0; u < m->s->atoms; u++) {
        if (!fits(m, v, u)) continue;
        m->image[v] = u;
        m->taken[u] = true;
        if (map_from(m, at + 1)) return true;
        m->image[v] = -1;
        m->taken[u] = false;
    }
    return false;
}

bool mp_skeleton_same(const mp_skeleton *s, const unsigned char *x, const unsigned char *y, mp_arena *scratch)
{
    int count[256] = { 0 };
    if (memcmp(x, y, (size_t)s->atoms) == 0) return true;
    for (int v = 0; v < s->atoms; v++) {
        count[x[v]]++;
        count[y[v]]--;
    }
    for (int k = 0; k < 256; k++)
        if (count[k]) return false;
    mapping m = { s,
                  looks(s, x, scratch),
                  looks(s, y, scratch),
                  walk(s, scratch),
                  MP_NEW_RAW(scratch, int, s->atoms),
                  MP_NEW(scratch, bool, s->atoms) };
    for (int v = 0; v < s->atoms; v++) m.image[v] = -1;
    return map_from(&m, 0);
}
