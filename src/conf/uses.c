/* uses.c - see uses.h.
 * SPDX-License-Identifier: MIT */
#include "conf/uses.h"

#include <string.h>

bool mp_next_use(mp_span *list, mp_use_word *out)
{
    mp_span word;
    do {
        if (!mp_next_field(list, ' ', &word)) return false;
    } while (word.n == 0);
    const char *colon = memchr(word.p, ':', word.n);
    size_t n = colon ? (size_t)(colon - word.p) : word.n;
    *out = (mp_use_word){ .option = { word.p, n } };
    if (colon) out->needs = (mp_span){ colon + 1, word.n - n - 1 };
    return true;
}

bool mp_next_need(mp_span *needs, mp_need *out)
{
    mp_span word;
    if (!mp_next_field(needs, '&', &word)) return false;
    const char *equals = memchr(word.p, '=', word.n);
    mp_assert(equals != NULL && equals > word.p);
    bool differs = equals[-1] == '!';
    size_t n = (size_t)(equals - word.p);
    *out = (mp_need){ { word.p, n - differs }, { equals + 1, word.n - n - 1 }, differs };
    return true;
}

static mp_span span_or_none(const char *text)
{
    return text ? mp_span_of(text) : (mp_span){ NULL, 0 };
}

static bool is_word(mp_span s, const char *word)
{
    return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

static const mp_opt *row_of(const mp_need *n)
{
    const mp_opt *o = mp_config_table;
    while (o->name && !is_word(n->option, o->name)) o++;
    mp_assert(o->name != NULL);
    return o;
}

bool mp_need_holds(const mp_need *n, const mp_config *c)
{
    char value[80];
    mp_conf_get(row_of(n), c, value, sizeof value);
    return is_word(n->value, value) != n->differs;
}

/* The next choice that the option may have; false at the end. */
static bool next_allowed(const mp_need *n, mp_span *choices, mp_span *out)
{
    while (mp_next_field(choices, '|', out))
        if (out->n != n->value.n || memcmp(out->p, n->value.p, out->n) != 0) return true;
    return false;
}

void mp_need_put(const mp_need *n, const mp_opt *row, mp_buf *out)
{
    int left = 0;
    mp_span all = n->differs ? span_or_none(row->choices) : (mp_span){ NULL, 0 }, one;
    for (mp_span rest = all; next_allowed(n, &rest, &one);) left++;
    mp_buf_printf(out, "%.*s is ", (int)n->option.n, n->option.p);
    if (left == 0) mp_buf_printf(out, "%s%.*s", n->differs ? "not " : "", (int)n->value.n, n->value.p);
    for (; next_allowed(n, &all, &one); left--)
        mp_buf_printf(out, "%.*s%s", (int)one.n, one.p, left > 2 ? ", " : left == 2 ? " or " : "");
}

static bool all_hold(mp_span needs, const mp_config *c)
{
    mp_need n;
    while (mp_next_need(&needs, &n))
        if (!mp_need_holds(&n, c)) return false;
    return true;
}

mp_used mp_uses(const mp_use_list *list, const mp_config *c, const char *option)
{
    bool occurs = list->words && strstr(list->words, option); /* most lists need not be taken apart */
    mp_span rest = occurs ? mp_span_of(list->words) : (mp_span){ NULL, 0 };
    mp_used best = MP_USED_NEVER;
    mp_use_word u;
    while (mp_next_use(&rest, &u)) {
        if (!is_word(u.option, option)) continue;
        if (all_hold(u.needs, c) && all_hold(span_or_none(list->needs), c)) return MP_USED;
        best = MP_USED_NOT_NOW;
    }
    if (best != MP_USED_NEVER || !list->own || !mp_conf_find(list->own->rows, option)) return best;
    return all_hold(span_or_none(list->needs), c) ? MP_USED : MP_USED_NOT_NOW;
}

static void put_needs(mp_span needs, const char *before, mp_buf *out)
{
    mp_need n;
    for (; mp_next_need(&needs, &n); before = " and ") {
        mp_buf_puts(out, before);
        mp_need_put(&n, row_of(&n), out);
    }
}

void mp_uses_needs(const mp_use_list *list, const char *option, mp_buf *out)
{
    mp_span rest = span_or_none(list->words);
    mp_use_word u;
    while (mp_next_use(&rest, &u)) {
        if (!is_word(u.option, option)) continue;
        size_t before = out->n;
        put_needs(u.needs, before ? " or " : "", out);
        put_needs(span_or_none(list->needs), out->n > before ? " and " : before ? " or " : "", out);
    }
}
