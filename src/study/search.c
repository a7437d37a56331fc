/* search.c - see search.h.
 * SPDX-License-Identifier: MIT */
#include "study/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static mp_err read_number(const char *text, const char *where, const char *part, double *out)
{
    if (!mp_to_real(mp_span_of(text), out) || !isfinite(*out))
        return mp_fail(MP_ERR_USAGE, "%s: %s: expected a number, got '%s'", where, part, text);
    return MP_OK;
}

static mp_err check(const mp_opt *o, const mp_range *r, const char *where)
{
    if (!(r->from < r->to)) return mp_fail(MP_ERR_USAGE, "%s: expected 'from' below 'to'", where);
    if (r->from < o->lo || r->to > o->hi)
        return mp_fail(MP_ERR_USAGE, "%s: expected a range within %g to %g", where, o->lo, o->hi);
    if (r->whole && (r->from != floor(r->from) || r->to != floor(r->to)))
        return mp_fail(MP_ERR_USAGE, "%s: expected whole numbers", where);
    if (r->log && !(r->from > 0)) return mp_fail(MP_ERR_USAGE, "%s: scale log needs 'from' above 0", where);
    return MP_OK;
}

mp_err mp_range_read(const mp_opt *o, const char *const *part, const char *const *value, int n, const char *where,
                     mp_range *out)
{
    static const char *const names[] = { "from", "to", "scale", NULL };
    const char *given[3] = { NULL, NULL, "linear" };
    if (o->kind != MP_OPT_INT && o->kind != MP_OPT_REAL)
        return mp_fail(MP_ERR_USAGE, "%s: a range is for numbers; expected a value or a list", where);
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (names[k] && strcmp(names[k], part[i]) != 0) k++;
        if (!names[k])
            return mp_fail(MP_ERR_USAGE, "%s: '%.60s': a range has 'from', 'to' and 'scale'", where, part[i]);
        given[k] = value[i];
    }
    if (!given[0] || !given[1]) return mp_fail(MP_ERR_USAGE, "%s: a range needs 'from' and 'to'", where);
    *out = (mp_range){ .log = strcmp(given[2], "log") == 0, .whole = o->kind == MP_OPT_INT };
    if (!out->log && strcmp(given[2], "linear") != 0)
        return mp_fail(MP_ERR_USAGE, "%s: scale: expected linear or log, got '%.60s'", where, given[2]);
    MP_TRY(read_number(given[0], where, "from", &out->from));
    MP_TRY(read_number(given[1], where, "to", &out->to));
    return check(o, out, where);
}

static mp_rng stream_of(int seed, const char *option, int i)
{
    uint64_t name = 0;
    for (const char *p = option; *p; p++) name = mp_rng_mix(name + (unsigned char)*p);
    return mp_rng_stream((uint64_t)seed, MP_FOR_SEARCH, name, (uint64_t)i, 0);
}

/* Whole numbers take the draw between half below and half above: the ends are as likely as what lies between them. */
void mp_range_draw(const mp_range *r, int seed, const char *option, int i, char out[MP_DRAWN_SIZE])
{
    mp_rng rng = stream_of(seed, option, i);
    double lo = r->whole ? r->from - 0.5 : r->from, hi = r->whole ? r->to + 0.5 : r->to, back;
    double v = r->log ? mp_rng_log_between(&rng, lo, hi) : mp_rng_between(&rng, lo, hi);
    if (r->whole) v = floor(v + 0.5);
    for (int k = 0; k < 2; k++) { /* rounding must not leave the range */
        v = v < r->from ? r->from : v > r->to ? r->to : v;
        mp_format(out, MP_DRAWN_SIZE, r->whole ? "%.0f" : k ? "%.17g" : "%.4g", v);
        bool read = mp_to_real(mp_span_of(out), &back);
        mp_assert(read);
        if (back >= r->from && back <= r->to) return;
    }
}

int mp_list_draw(int n, int seed, const char *option, int i)
{
    mp_rng rng = stream_of(seed, option, i);
    return mp_rng_below(&rng, n);
}
