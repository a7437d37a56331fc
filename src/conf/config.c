/* config.c - the table of options behind mp_config: those that methods share, and the sets of all parts. Defaults: math.md 3, 4, 6 and protocol.md 2.
 * SPDX-License-Identifier: MIT */
#include "conf/config.h"

#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(mp_config, field)

/* clang-format off */
static const mp_opt shared[] = {
    { "pool", MP_OPT_TEXT, AT(pool), "sag", 0, 0, NULL, "pooling operator (midpool ops lists them)", MP_COMMON },
    { 0 }
};
/* clang-format on */

/* What the first stores and model files have, in their order. */
static const char first[] =
    "pool score-dim flip drop width drop-mode dropped combine rank variant ratio min-score gate adj-power "
    "score-conv mix alpha fusion intra detach-adj att-dropout attention dnorm assign scale-n lambda hops "
    "lap-norm sparse candidates next-conv mi-weight mi-nodes vip-adj rep-score rep-select square binary "
    "connectivity pick overlap processing-steps sort-form sort-k sort-share edge-dropout haar-levels "
    "link-weight entropy-weight cut-weight ortho-weight norm-adj heads kl-weight kl-detach mem-dropout "
    "attend ln arch conv hidden layers dropout batch-size epochs patience seed lr weight-decay beta1 clip "
    "schedule warmup lr-drop clusters ";

mp_opt mp_config_table[MP_OPTIONS_MOST + 1];
static int count, late; /* rows of the table; its first late one */
static int
    rank[MP_OPTIONS_MOST + 1]; /* of each row: its place among the first options; behind them all: their number */
static const mp_option_set *sets[MP_OPTIONS_MOST];
static int set_count;
static size_t bytes;    /* of own that are taken */
static mp_config usual; /* every option at its default */

const char *mp_config_late(void)
{
    return late < count ? mp_config_table[late].name : NULL;
}

static int rank_of(const char *name, bool *among)
{
    mp_span rest = mp_span_of(first), word;
    int at = 0;
    *among = true;
    for (; mp_next_field(&rest, ' ', &word) && word.n > 0; at++)
        if (word.n == strlen(name) && memcmp(word.p, name, word.n) == 0) return at;
    *among = false;
    return at;
}

/* Into its place by rank, behind those of equal rank. */
static void insert(const mp_opt *o, size_t shift, const char *group)
{
    bool among;
    int at = count++, mine = rank_of(o->name, &among);
    for (; at > 0 && rank[at - 1] > mine; at--) {
        mp_config_table[at] = mp_config_table[at - 1];
        rank[at] = rank[at - 1];
    }
    mp_config_table[at] = *o;
    mp_config_table[at].offset += shift;
    mp_config_table[at].group = group;
    rank[at] = mine;
    late += among;
    mp_conf_default(&mp_config_table[at], &usual);
}

static int rows_in(const mp_option_set *set)
{
    int n = 0;
    while (set->rows[n].name) n++;
    return n;
}

mp_err mp_options_add(const mp_option_set *set)
{
    if (!set) return MP_OK;
    for (int i = 0; i < set_count; i++)
        if (sets[i] == set) return MP_OK;
    for (const mp_opt *o = set->rows; o->name; o++)
        if (mp_conf_find(mp_config_table, o->name))
            return mp_fail(MP_ERR_USAGE, "there is an option '%s' already", o->name);
    if (count + rows_in(set) > MP_OPTIONS_MOST || bytes + set->size > MP_OWN_BYTES)
        return mp_fail(MP_ERR_LIMIT, "no room for the option '%s'", set->rows[0].name);
    if (set->place) *set->place = bytes;
    bytes = (bytes + set->size + 7) / 8 * 8;
    sets[set_count++] = set;
    size_t at = set->place ? offsetof(mp_config, own) + *set->place : 0;
    for (const mp_opt *o = set->rows; o->name; o++) insert(o, at, set->group);
    return MP_OK;
}

mp_err mp_choice_add(const char *option, const char *choice)
{
    static char room[8][1024]; /* the longer texts of options that got choices */
    static int taken;
    mp_opt *o = mp_config_table;
    while (o->name && strcmp(o->name, option) != 0) o++;
    mp_assert(o->name && o->kind == MP_OPT_CHOICE);
    char *text = NULL;
    for (int i = 0; i < taken; i++)
        if (o->choices == room[i]) text = room[i];
    size_t n = strlen(o->choices);
    if (n + strlen(choice) + 2 > sizeof room[0] || (!text && taken == 8))
        return mp_fail(MP_ERR_LIMIT, "no room for '%s' among the choices of '%s'", choice, option);
    if (!text) text = memcpy(room[taken++], o->choices, n + 1);
    snprintf(text + n, sizeof room[0] - n, "|%s", choice);
    o->choices = text;
    return MP_OK;
}

/* Before main, so that no thread ever sees half a table. */
__attribute__((constructor)) static void make_table(void)
{
    for (const mp_opt *o = shared; o->name; o++) insert(o, 0, "pooling");
    for (int i = 0; mp_options_at(i); i++) mp_assert(mp_options_add(mp_options_at(i)) == MP_OK);
}

void mp_config_init(mp_config *c)
{
    *c = usual;
}
