/* nets.c - see nets.h.
 * SPDX-License-Identifier: MIT */
#include "nets.h"
#include "baseline/baseline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Settings beside the defaults. Clusters found by k-means depend on the order of the nodes. */
static const struct {
    const char *name, *options;
    bool invariant;
} settings[] = {
    { "set2set", "processing-steps=2 layers=2", true },
    { "sort", "sort-k=7 layers=2", true },
    { "sort", "sort-form=dgcnn sort-k=12", true },
    { "edge", "layers=2 conv=graphconv", true },
    { "edge", "layers=1", true },
    { "haar", "layers=3 haar-levels=2", false },
    { "haar", "layers=3 haar-levels=3 conv=sage", false },
    { "diff", "clusters=3 link-weight=1 entropy-weight=0.5", true },
    { "mincut", "norm-adj=true clusters=5 cut-weight=0.5", true },
    { "mincut", "clusters=1", true },
    { "mem", "heads=2 clusters=3 kl-weight=0.5 mem-dropout=0.3", true },
    { "gmt", "heads=4 ln=true clusters=3", true },
    { "gmt", "heads=2 attend=keys layers=2 clusters=2", true },
};

static void set(mp_config *c, const char *options)
{
    char text[160], *rest = text;
    snprintf(text, sizeof text, "%s", options);
    for (char *one; (one = strsep(&rest, " "));) {
        char *value = strchr(one, '=');
        if (!value) continue;
        *value++ = '\0';
        if (mp_conf_set(mp_config_table, c, one, value, one) != MP_OK) fail_msg("%s", mp_message());
    }
}

typedef struct visit { /* what is done with every net, and the data it is made for */
    void (*f)(mp_rig *, net *, void *);
    void *state;
    mp_graph (*like)(mp_rig *);
} visit;

static void one(const char *name, const char *options, bool invariant, const visit *to)
{
    static uint64_t seed;
    mp_rig r = mp_rig_new(++seed);
    net n = { .name = name, .invariant = invariant };
    mp_config conf;
    snprintf(n.what, sizeof n.what, "%s %s", name, options);
    mp_config_init(&conf);
    snprintf(conf.pool, sizeof conf.pool, "%s", name);
    conf.hidden = 16;
    set(&conf, options);
    mp_graph like = to->like(&r);
    mp_config_resolve(&conf, &like);
    if (mp_model_new(r.memory, &conf, (mp_inputs){ .features = NET_FEATURES, .outputs = NET_OUTPUTS }, &n.model) !=
        MP_OK)
        fail_msg("%s: %s", n.what, mp_message());
    mp_params_init(mp_model_params(n.model), seed, 0);
    to->f(&r, &n, to->state);
    mp_rig_free(&r);
}

static void each(const visit *to)
{
    for (const mp_baseline *b = mp_baselines(); b->name; b++) {
        one(b->name, "", true, to);
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
            if (strcmp(settings[i].name, b->name) == 0) one(b->name, settings[i].options, settings[i].invariant, to);
    }
}

void net_each(void (*f)(mp_rig *r, net *n, void *state), void *state)
{
    each(&(visit){ f, state, net_batch });
}

void net_each_small(void (*f)(mp_rig *r, net *n, void *state), void *state)
{
    each(&(visit){ f, state, net_singles });
}

mp_sparse net_features(mp_rig *r, int nodes)
{
    int *ptr = MP_NEW(r->memory, int, nodes + 1), *col = MP_NEW(r->memory, int, nodes);
    mp_real *value = MP_NEW(r->memory, mp_real, nodes);
    for (int v = 0; v < nodes; v++) {
        ptr[v + 1] = v + 1;
        col[v] = mp_rng_below(&r->rng, NET_FEATURES);
    }
    mp_rig_fill(r, value, (size_t)nodes);
    return (mp_sparse){ .rows = nodes, .cols = NET_FEATURES, .ptr = ptr, .col = col, .val = value };
}

mp_graph net_batch(mp_rig *r)
{
    static const int sizes[] = { 9, 1, 14, 2, 40, 3 };
    return mp_rig_graph(r, 6, sizes, 0.15, 0);
}

mp_graph net_singles(mp_rig *r)
{
    static const int sizes[] = { 1, 1, 1, 1, 1, 1 };
    return mp_rig_graph(r, 6, sizes, 0, 0);
}
