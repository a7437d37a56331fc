/* options.h - which options of a configuration matter to the method it names. Rows say it (conf/uses.h); this asks them.
 * SPDX-License-Identifier: MIT */
#ifndef MP_OPTIONS_H
#define MP_OPTIONS_H

#include "pool/pool.h"
#include "task/task.h"

/* The lists of the method that `c` names, in the variant of `c`; returns their number. */
#define MP_CONVS_MOST 16
#define MP_LISTS_MOST (2 + MP_TASKS_MOST + MP_CONVS_MOST + MP_POOL_LISTS)
int mp_config_lists(const mp_config *c, mp_use_list out[MP_LISTS_MOST]);

/* Whether the method that `c` names, configured like this, looks at the option. What training alone looks at counts. */
mp_used mp_config_uses(const mp_config *c, const char *option);

/* The configuration with the task that the data decided about: then it is known which options of tasks are used. */
mp_config mp_config_for_task(const mp_config *c, const mp_task *t);

/* For one model: the configuration with its task, what nobody uses at its default, checked. What a caller set in vain must be
 * asked of this one; who stores it puts the task that was asked for back. */
MP_MUST mp_err mp_config_settle(mp_config *c, const mp_task *t);

/* Options that are not used get their defaults: configurations that train alike become equal. */
void mp_config_trim(mp_config *c);

/* The usual names of all methods, operators before baselines; NULL behind the last. */
const char *mp_method_at(int i);

/* Whether the method, by its usual name, looks at the option in some configuration. */
bool mp_method_uses(const char *pool, const char *option);
/* Whether it is an option of the method's own parts, not one it shares with all of its kind. */
bool mp_method_owns(const char *pool, const char *option);
/* "drop is not 0": what stands in the way of an option that the method looks at, but not while all others have their defaults;
 * else nothing. */
void mp_method_needs(const char *pool, const char *option, mp_buf *out);

/* Options of the method's own parts, or those it shares with all of its kind: in table order, "a b c". */
void mp_method_options(const char *pool, bool own, mp_buf *out);

/* Fails with "WHERE: not used by topk; gsa has it", "WHERE: not used by sag unless schedule is cosine". `c` is a
 * configuration that does not use the option, `methods` the names of all that were asked (NULL: the one of `c`). */
mp_err mp_unused(const mp_config *c, const char *option, const char *methods, const char *where);

#endif
