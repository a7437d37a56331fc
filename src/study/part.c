/* part.c - see part.h.
 * SPDX-License-Identifier: MIT */
#include "study/part.h"

mp_err mp_part_read(const char *text, mp_part *out)
{
    int64_t i, n;
    *out = (mp_part){ 0 };
    if (!text) return MP_OK;
    mp_span rest = mp_span_of(text), first;
    bool sound = mp_next_field(&rest, '/', &first) && mp_to_int(first, &i) && mp_to_int(rest, &n) && i >= 1 && i <= n &&
                 n <= MP_PARTS_MOST;
    if (!sound)
        return mp_fail(MP_ERR_USAGE, "--part: expected I/N with I from 1 to N and N at most %d, not '%s'",
                       MP_PARTS_MOST, text);
    *out = (mp_part){ (int)i, (int)n };
    return MP_OK;
}

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

bool mp_part_has(mp_part p, const char hash[65])
{
    uint64_t first = 0;
    if (p.n == 0) return true;
    for (int k = 0; k < 16; k++) first = first << 4 | (uint64_t)digit(hash[k]);
    return first % (uint64_t)p.n == (uint64_t)(p.i - 1);
}

mp_cv_plan mp_part_plan(mp_part p, const mp_cv_plan *all, mp_arena *a)
{
    if (p.n == 0) return *all;
    int n = 0, *place = MP_NEW_RAW(a, int, all->count + 1);
    for (int k = 0; k < all->count; k++) {
        char hash[65];
        mp_run_key_hash(&all->run[k].key, hash);
        if (mp_part_has(p, hash)) place[n++] = k;
    }
    mp_cv_plan own = { .arena = a, .count = n, .cap = n, .run = MP_NEW_RAW(a, mp_cv_run, n + 1) };
    for (int k = 0; k < n; k++) own.run[k] = all->run[place[k]];
    return own;
}

void mp_part_range(mp_part p, int64_t count, int64_t *from, int64_t *to)
{
    int64_t n = p.n ? p.n : 1, i = p.n ? p.i : 1, each = count / n, longer = count % n;
    *from = (i - 1) * each + (i - 1 < longer ? i - 1 : longer);
    *to = *from + each + (i <= longer);
}
