/* lists.c - what there is to choose from, by name: rows of the tables as midpool.h shows them.
 * SPDX-License-Identifier: MIT */
#include "api/own.h"
#include "baseline/baseline.h"
#include "base/guard.h"
#include "midpool.h"
#include "model/options.h"
#include "pool/pool.h"
#include "task/metric.h"
#include "train/preset.h"

#include <string.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
_Static_assert(sizeof MP_VERSION ==
                   sizeof TEXT(MIDPOOL_VERSION_MAJOR) "." TEXT(MIDPOOL_VERSION_MINOR) "." TEXT(MIDPOOL_VERSION_PATCH),
               "the header has the version of the build");

const char *mp_version(void)
{
    return MP_VERSION;
}

static mp_entry entry(const char *name, const char *title, const char *about)
{
    return (mp_entry){ .name = name, .title = title ? title : name, .about = about ? about : "" };
}

static bool operator_at(int i, mp_entry *out)
{
    const mp_pool_op *o = mp_pool_at(i);
    if (o) *out = entry(o->name, o->title, o->paper);
    return o;
}

static bool baseline_at(int i, mp_entry *out)
{
    const mp_baseline *b = mp_baselines();
    for (int k = 0; k < i && b->name; k++) b++;
    if (b->name) *out = entry(b->name, b->title, b->paper);
    return b->name;
}

static bool convolution_at(int i, mp_entry *out)
{
    const mp_conv_kind *const *k = mp_conv_kinds();
    for (int n = 0; n < i && *k; n++) k++;
    if (*k) *out = entry((*k)->name, NULL, (*k)->formula);
    return *k;
}

static bool task_at(int i, mp_entry *out)
{
    const mp_task *const *t = mp_tasks();
    for (int n = 0; n < i && *t; n++) t++;
    if (*t) *out = entry((*t)->name, NULL, (*t)->help);
    return *t;
}

static bool metric_at(int i, mp_entry *out)
{
    const mp_metric *m = mp_metric_at(i);
    if (!m) return false;
    *out = entry(m->name, m->title, NULL);
    out->larger = m->larger;
    return true;
}

static bool preset_at(int i, mp_entry *out)
{
    const mp_preset *p = mp_presets;
    for (int n = 0; n < i && p->name; n++) p++;
    if (p->name) *out = entry(p->name, NULL, p->about);
    return p->name;
}

static bool option_at(int i, mp_entry *out)
{
    const mp_opt *o = mp_api_own;
    for (; i > 0 && o->name; i--) o++;
    if (!o->name)
        for (o = mp_config_table; i > 0 && o->name; i--) o++;
    if (!o->name) return false;
    *out = entry(o->name, NULL, o->help);
    out->initial = o->initial;
    out->choices = o->choices;
    out->lo = o->lo;
    out->hi = o->hi;
    return true;
}

bool mp_entry_at(mp_kind kind, int i, mp_entry *out)
{
    static bool (*const lists[])(int, mp_entry *) = {
        [MP_OPERATORS] = operator_at, [MP_BASELINES] = baseline_at, [MP_CONVOLUTIONS] = convolution_at,
        [MP_TASKS] = task_at,         [MP_METRICS] = metric_at,     [MP_PRESETS] = preset_at,
        [MP_OPTIONS] = option_at
    };
    bool known = (unsigned)kind < sizeof lists / sizeof *lists;
    return known && i >= 0 && out && lists[kind](i, out);
}

bool mp_method_has(const char *method, const char *option)
{
    if (!method || !option || strlen(method) > 60) return false;
    const mp_pool_op *o = mp_pool_find(method);
    const mp_baseline *b = o ? NULL : mp_baseline_find(method);
    return (o || b) && mp_method_uses(o ? o->name : b->name, option);
}
