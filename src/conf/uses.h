/* uses.h - which options a method looks at, as text in the rows of its parts.
 *
 *     "ratio gate:min-score=0 dnorm:attention=local sort-share:sort-form=dgcnn&sort-k=0"
 *
 * A word is an option, or an option with what it needs: conditions on other options, all of which must hold. An option
 * that stands in several words is looked at when one of them holds. Values are compared as mp_conf_get writes them.
 * SPDX-License-Identifier: MIT */
#ifndef MP_USES_H
#define MP_USES_H

#include "base/api.h"
#include "conf/config.h"

MP_API_BEGIN

typedef struct mp_use_word { /* one word of a list */
    mp_span option;
    mp_span needs; /* "a=x&b!=y"; p NULL: nothing */
} mp_use_word;

typedef struct mp_need { /* one condition */
    mp_span option, value;
    bool differs; /* it must not have the value */
} mp_need;

/* Take the next word off the list, the next condition off `needs`; false at the end. */
bool mp_next_use(mp_span *list, mp_use_word *out);
bool mp_next_need(mp_span *needs, mp_need *out);

bool mp_need_holds(const mp_need *n, const mp_config *c);

/* The condition in words, `row` being its option's: "search is halving", "drop is not 0", and of an option with choices what it may
 * be instead: "device is cuda, auto or emulated". */
void mp_need_put(const mp_need *n, const mp_opt *row, mp_buf *out);

typedef struct mp_use_list {
    const char *words;        /* NULL: none */
    const char *needs;        /* of all its words, besides their own; NULL: nothing */
    const mp_option_set *own; /* options that it declares: those without a word are always looked at; NULL: none */
} mp_use_list;

/* Whether the list names the option at all, and whether a method configured like this looks at it. */
typedef enum mp_used { MP_USED_NEVER, MP_USED_NOT_NOW, MP_USED } mp_used;
mp_used mp_uses(const mp_use_list *list, const mp_config *c, const char *option);

/* What stands in the way: "schedule is cosine or drop is not 0", for an option that is named but not used now. */
void mp_uses_needs(const mp_use_list *list, const char *option, mp_buf *out);

MP_API_END

#endif
