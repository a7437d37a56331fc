/* options.c - see options.h.
 * SPDX-License-Identifier: MIT */
#include "model/options.h"
#include "model/model.h"
#include "baseline/baseline.h"
#include "nn/conv.h"

#include <string.h>

/* Of every method: how large it is and how it is trained. */
static const char training[] =
    "pool hidden encoder batch-size epochs patience seed lr weight-decay beta1 clip schedule "
    "warmup:schedule=cosine lr-drop:schedule=step task metric stop-on:patience!=0";
/* Of the network around node-drop operators (model.c); baselines are networks of their own. */
static const char network[] = "arch conv readout:arch=tu readout:arch=colors readout:arch=triangles edge-attributes "
                              "layers:arch=tu dropout:arch=tu ratios:min-score=0";

#define SHARED (1 + MP_TASKS_MOST + MP_CONVS_MOST) /* lists before those of the method */

/* Lists of convolutions that have options, for methods that take any of them; each says by itself when it is the chosen one. */
static void conv_lists(bool takes, mp_use_list out[MP_CONVS_MOST])
{
    int n = 0;
    memset(out, 0, sizeof *out * MP_CONVS_MOST);
    for (const mp_conv_kind *const *k = mp_conv_kinds(); takes && *k && n < MP_CONVS_MOST; k++)
        if ((*k)->options) out[n++] = (mp_use_list){ .words = (*k)->options };
}

/* Lists of tasks: of the one that is chosen, or of all of them as long as the data decides. */
static void task_lists(const mp_config *c, mp_use_list out[MP_TASKS_MOST])
{
    const mp_task *const *t = mp_tasks();
    memset(out, 0, sizeof *out * MP_TASKS_MOST);
    for (int i = 0; t[i]; i++)
        if (c->task == MP_TASK_AUTO || c->task == i + 1) out[i] = (mp_use_list){ t[i]->options, NULL, t[i]->own };
}

int mp_config_lists(const mp_config *c, mp_use_list out[MP_LISTS_MOST])
{
    const mp_pool_op *op = mp_pool_find(c->pool);
    const mp_baseline *b = mp_baseline_find(c->pool);
    out[0] = (mp_use_list){ .words = training };
    task_lists(c, out + 1);
    conv_lists(op || (b && mp_uses(&(mp_use_list){ .words = b->options }, c, "conv") != MP_USED_NEVER),
               out + 1 + MP_TASKS_MOST);
    out[SHARED] = (mp_use_list){ op ? network : b ? b->options : NULL, NULL, b ? b->own : NULL };
    return op ? SHARED + 1 + mp_pool_options(op, c, out + SHARED + 1) : SHARED + 1;
}

mp_config mp_config_for_task(const mp_config *c, const mp_task *t)
{
    mp_config out = *c;
    for (int i = 0; mp_tasks()[i]; i++)
        if (mp_tasks()[i] == t) out.task = i + 1;
    return out;
}

mp_used mp_config_uses(const mp_config *c, const char *option)
{
    mp_use_list list[MP_LISTS_MOST];
    mp_used best = MP_USED_NEVER;
    for (int i = 0, n = mp_config_lists(c, list); i < n; i++) {
        mp_used used = mp_uses(&list[i], c, option);
        best = used > best ? used : best;
    }
    return best;
}

/* An option that goes back to its default may have been what another one needs: until nothing changes. */
void mp_config_trim(mp_config *c)
{
    mp_config usual;
    mp_config_init(&usual);
    for (bool again = true; again;) {
        again = false;
        for (const mp_opt *o = mp_config_table; o->name; o++) {
            if (mp_conf_same(o, c, &usual) || mp_config_uses(c, o->name) == MP_USED) continue;
            mp_conf_default(o, c);
            again = true;
        }
    }
}

mp_err mp_config_settle(mp_config *c, const mp_task *t)
{
    *c = mp_config_for_task(c, t);
    mp_config_trim(c); /* first: what is put back cannot be wrong */
    return mp_config_check(c);
}

/* In any variant, in the lists that the method shares with others or in its own. */
static bool stands_in(const char *pool, const char *option, bool own)
{
    mp_config c;
    mp_use_list list[MP_LISTS_MOST];
    mp_config_init(&c);
    strcpy(c.pool, pool);
    for (c.variant = MP_VARIANT_PAPER; c.variant <= MP_VARIANT_AUTHORS; c.variant++) {
        int first = mp_pool_find(pool) ? SHARED + 1 + MP_POOL_SHARED : SHARED, n = mp_config_lists(&c, list);
        for (int i = own ? first : 0; i < (own ? n : first); i++)
            if (mp_uses(&list[i], &c, option) != MP_USED_NEVER) return true;
    }
    return false;
}

const char *mp_method_at(int i)
{
    for (int k = 0; mp_pool_at(k); k++)
        if (i-- == 0) return mp_pool_at(k)->name;
    for (const mp_baseline *b = mp_baselines(); b->name; b++)
        if (i-- == 0) return b->name;
    return NULL;
}

bool mp_method_uses(const char *pool, const char *option)
{
    return stands_in(pool, option, false) || stands_in(pool, option, true);
}

bool mp_method_owns(const char *pool, const char *option)
{
    return stands_in(pool, option, true) && !stands_in(pool, option, false);
}

static void put_needs(const mp_config *c, const char *option, mp_buf *out)
{
    mp_use_list list[MP_LISTS_MOST];
    for (int i = 0, n = mp_config_lists(c, list); i < n; i++) mp_uses_needs(&list[i], option, out);
}

void mp_method_needs(const char *pool, const char *option, mp_buf *out)
{
    mp_config c;
    mp_config_init(&c);
    strcpy(c.pool, pool);
    if (mp_config_uses(&c, option) == MP_USED_NOT_NOW) put_needs(&c, option, out);
}

/* Names of the methods that have the option, and how many these are. */
static int owners(const char *option, bool baselines, mp_buf *out)
{
    int n = 0;
    for (const mp_pool_op *o = mp_pool_ops(); !baselines && o->name; o++)
        if (mp_method_uses(o->name, option)) mp_buf_printf(out, "%s%s", n++ ? ", " : "", o->name);
    for (const mp_baseline *b = mp_baselines(); baselines && b->name; b++)
        if (mp_method_uses(b->name, option)) mp_buf_printf(out, "%s%s", n++ ? ", " : "", b->name);
    return n;
}

static void put_owners(const char *option, mp_buf *out)
{
    mp_buf drop = MP_BUF_LOCAL, other = MP_BUF_LOCAL;
    int all = 0, d = owners(option, false, &drop), b = owners(option, true, &other);
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) all++;
    mp_buf_printf(out, "; %s%s%s %s it",
                  d == all ? "node-drop operators"
                  : d      ? drop.p
                           : "",
                  d && b ? ", " : "", b ? other.p : "", d + b == 1 ? "has" : "have");
    mp_buf_free(&drop);
    mp_buf_free(&other);
}

/* Tasks that have the option, "regress, count"; returns how many. */
static int tasks_with(const char *option, mp_buf *out)
{
    int n = 0;
    mp_config usual;
    mp_config_init(&usual);
    for (int i = 0; mp_tasks()[i]; i++)
        if (mp_uses(&(mp_use_list){ mp_tasks()[i]->options, NULL, mp_tasks()[i]->own }, &usual, option) !=
            MP_USED_NEVER)
            mp_buf_printf(out, "%s%s", n++ ? ", " : "", mp_tasks()[i]->name);
    return n;
}

/* An option of tasks that the chosen one does not have. */
static mp_err unused_by_task(const mp_config *c, const char *option, const char *where)
{
    mp_buf names = MP_BUF_LOCAL;
    int n = tasks_with(option, &names);
    mp_err e = MP_OK;
    if (n && c->task != MP_TASK_AUTO && mp_config_uses(c, option) == MP_USED_NEVER)
        e = mp_fail(MP_ERR_USAGE, "%s: not used by the task %s; %s %s it", where, mp_tasks()[c->task - 1]->name,
                    names.p, n == 1 ? "has" : "have");
    mp_buf_free(&names);
    return e;
}

mp_err mp_unused(const mp_config *c, const char *option, const char *methods, const char *where)
{
    mp_buf why = MP_BUF_LOCAL;
    MP_TRY(unused_by_task(c, option, where));
    put_needs(c, option, &why);
    bool needs = why.n > 0, other = !needs && mp_method_uses(c->pool, option);
    if (other) mp_buf_puts(&why, " with this variant");
    if (!needs && !other) put_owners(option, &why);
    mp_err e = mp_fail(MP_ERR_USAGE, "%s: not used by %s%s%s", where, methods ? methods : c->pool,
                       needs ? " unless " : "", why.p);
    mp_buf_free(&why);
    return e;
}

void mp_method_options(const char *pool, bool own, mp_buf *out)
{
    size_t before = out->n;
    for (const mp_opt *o = mp_config_table; o->name; o++)
        if (own ? mp_method_owns(pool, o->name) : stands_in(pool, o->name, false))
            mp_buf_printf(out, "%s%s", out->n > before ? " " : "", o->name);
}
