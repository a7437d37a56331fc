/* test_uses.c - which options a method looks at, found out by training: what the rows say, and nothing else, changes
 * what comes out.
 *
 * A context is a configuration of a method: plain or with MID, and one option at another value. In every context all
 * options that are said to be unused are changed at once: no bit of weights or losses may move. And every word of every
 * list must earn its place: where what it needs holds, some other value of the option moves a bit.
 * SPDX-License-Identifier: MIT */
#include "base/sha256.h"
#include "data/generate.h"
#include "model/options.h"
#include "sanitized.h"
#include "train/once.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Words that change nothing, and why they stand all the same. */
typedef struct explained {
    const char *pool, *option, *why; /* pool NULL: any */
} explained;

static const explained idle[] = {
    { "att", "flip", "scores are shares, never negative: MID says it flips all the same" },
    { "hgpsl", "flip", "scores are norms" },
    { "rep", "flip", "scores are sigmoids" },
    { "tap", "flip", "scores are sums of shares" },
    { "ipool", "flip", "scores are norms" },
    { NULL, "task", "the data set is read for it" },
    { NULL, "edge-attributes", "the data set has none" },
    { NULL, NULL, NULL },
};
/* Words that change something only beside another option, which is more than a need can say. */
static const explained rare[] = {
    { NULL, "rank", "both orders agree on most small graphs" },
    { NULL, "dropped", "nodes with key 0 come last anyway where no score is negative" },
    { NULL, "patience", "an epoch must be worse than the one before" },
    { NULL, "stop-on", "loss and metric often agree which epoch is best" },
    { "hgpsl", "hops", "candidates auto are all pairs of up to 256 kept nodes" },
    { "hgpsl", "score-dim", "norms of parts add up to the norm, unless combine says otherwise" },
    { "hgpsl", "width", "the same" },
    { "ipool", "score-dim", "the same" },
    { "ipool", "width", "the same" },
    { NULL, NULL, NULL },
};

static bool is_in(const explained *list, const char *pool, const char *option)
{
    for (; list->option; list++)
        if ((!list->pool || strcmp(list->pool, pool) == 0) && strcmp(list->option, option) == 0) return true;
    return false;
}

typedef struct world {
    mp_arena *arena;
    mp_dataset data;
    mp_folds folds;
} world;

static int set_up(void **state)
{
    world *w = calloc(1, sizeof *w);
    w->arena = mp_arena_new(1 << 20);
    mp_colors_options o = mp_colors_published;
    mp_raw raw;
    o.seed = 3;
    o.train = 6;
    o.val = 3;
    o.test = 2;
    o.large = o.large_c = 0;
    o.lo = 6;
    o.hi = 14;
    assert_int_equal(mp_generate_colors(&o, w->arena, &raw), MP_OK);
    int64_t *label = MP_NEW(w->arena, int64_t, raw.graphs.graphs);
    for (int b = 0; b < raw.graphs.graphs; b++)
        label[b] = (raw.target ? raw.target[b] : (double)raw.graph_label[b]) >= 3;
    raw.graph_label = label;
    raw.target = NULL;
    raw.name = "TINY";
    assert_int_equal(mp_dataset_build(&raw, NULL, w->arena, &w->data), MP_OK);
    mp_folds_fixed(&w->data, w->arena, &w->folds);
    mp_real *aim = MP_NEW(w->arena, mp_real, w->data.graphs.nodes);
    for (int v = 0; v < w->data.graphs.nodes; v++) aim[v] = (mp_real)(v % 3);
    w->data.graphs.aim = aim;
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    mp_arena_free(w->arena);
    free(w);
    return 0;
}

static mp_config start(const char *pool)
{
    mp_config c;
    mp_config_init(&c);
    strcpy(c.pool, pool);
    c.hidden = 6;
    c.seed = 1;
    c.layers = 2;
    c.batch_size = 4;
    c.epochs = 2;
    c.patience = 0;
    c.lr = 0.1;
    return mp_config_for_task(&c, &mp_task_classify);
}

/* Everything that comes out of a run, apart from the configuration itself. */
typedef struct outcome {
    bool valid;
    char hex[65];
} outcome;

static void hash_run(mp_model *m, const mp_run_result *r, char hex[65])
{
    const mp_params *p = mp_model_params(m);
    mp_buf b = { 0 };
    for (int i = 0; i < p->count; i++)
        mp_buf_printf(&b, "%s %d %d\n", p->list[i].name, p->list[i].rows, p->list[i].cols);
    mp_buf_add(&b, p->theta, p->size * sizeof *p->theta);
    mp_buf_add(&b, r->curve, (size_t)r->curve_len * sizeof *r->curve);
    mp_buf_add(&b, &r->test_metric, sizeof r->test_metric);
    mp_sha256_hex(b.p, b.n, hex);
    mp_buf_free(&b);
}

static outcome try(world *w, const mp_config *c)
{
    outcome o = { 0 };
    mp_config checked = *c;
    mp_arena *a = mp_arena_new(1 << 18);
    mp_model *m;
    mp_run_result r;
    if (mp_config_check(&checked) == MP_OK) {
        const mp_split *s = &w->folds.split[0];
        mp_run_key key = mp_run_key_of(&w->data, &w->folds, s, &checked);
        o.valid = mp_run_once(&w->data, s, &key, 1, &(mp_fit_options){ 0 }, a, &r, &m) == MP_OK;
        if (o.valid) hash_run(m, &r, o.hex);
    }
    mp_arena_free(a);
    return o;
}

static bool differ(const outcome *a, const outcome *b)
{
    return a->valid && b->valid && strcmp(a->hex, b->hex) != 0;
}

/* The k-th value that is tried for an option; false when there are no more. */
static bool set_value(const mp_opt *o, int k, mp_config *c)
{
    static const char *const whole[] = { "1", "5", "0", "2", "3", NULL };
    static const char *const real[] = { "0.3", "0", "0.7", "0.05", "1", NULL };
    char word[80];
    if (o->kind == MP_OPT_TEXT) return false;
    if (o->kind == MP_OPT_CHOICE) {
        const char *p = o->choices;
        for (int i = 0; i < k && p; i++) p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL;
        if (!p) return false;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(p, "|"), p);
    } else {
        static const char *const flag[] = { "false", "true", NULL };
        const char *const *list = o->kind == MP_OPT_FLAG ? flag : o->kind == MP_OPT_REAL ? real : whole;
        for (int i = 0; i < k; i++)
            if (!list[i]) return false;
        if (!list[k]) return false;
        snprintf(word, sizeof word, "%s", list[k]);
    }
    mp_config before = *c;
    if (mp_conf_set(mp_config_table, c, o->name, word, o->name) != MP_OK) *c = before; /* out of range: as it was */
    return true;
}

static void make_mid(mp_config *c)
{
    c->score_dim = 3;
    c->flip = 1;
    c->drop = 0.3;
}

static const char *text_of(const mp_config *c, mp_arena *a)
{
    mp_config usual = start(c->pool);
    const char *text = c->pool;
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char value[80];
        if (mp_conf_same(o, c, &usual)) continue;
        mp_conf_get(o, c, value, sizeof value);
        text = mp_arena_printf(a, "%s --%s %s", text, o->name, value);
    }
    return text;
}

/* A value that is refused with an error does no harm: it is left out. */
static bool set_allowed(const mp_opt *o, int k, mp_config *c)
{
    mp_config before = *c, checked;
    if (!set_value(o, k, c)) return false;
    checked = *c;
    if (mp_config_check(&checked) != MP_OK) *c = before;
    return true;
}

/* Changes every unused option to its k-th value, all at once. */
static bool change_unused(const mp_config *c, int k, mp_config *out)
{
    bool any = false;
    *out = *c;
    for (const mp_opt *o = mp_config_table; o->name; o++)
        if (mp_config_uses(c, o->name) != MP_USED) any = set_allowed(o, k, out) || any;
    return any;
}

static int unused_do_nothing(world *w, const mp_config *c)
{
    outcome plain = try(w, c);
    mp_config other;
    if (!plain.valid) return 0;
    for (int k = 0; k < (SANITIZED ? 1 : 99) && change_unused(c, k, &other); k++) {
        outcome now = try(w, &other);
        if (now.valid && !differ(&plain, &now)) continue;
        for (const mp_opt *o = mp_config_table; o->name; o++) { /* which one was it? */
            mp_config one = *c;
            if (mp_config_uses(c, o->name) == MP_USED || !set_allowed(o, k, &one)) continue;
            outcome alone = try(w, &one);
            if (!alone.valid || differ(&plain, &alone))
                print_error("%s: --%s is used\n", text_of(c, w->arena), o->name);
        }
        return 1;
    }
    return 0;
}

/* How long and how fast a method is trained decides about no other option. */
static bool only_trains(const mp_opt *o)
{
    static const char *const names[] = { "hidden", "batch-size",   "epochs", "patience", "seed",
                                         "lr",     "weight-decay", "beta1",  "clip",     NULL };
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], o->name) == 0) return true;
    return false;
}

static int each_context(world *w, const char *pool, int (*test)(world *, const mp_config *))
{
    int bad = 0;
    for (int mid = 0; mid < 2; mid++) {
        mp_config base = start(pool);
        if (mid) make_mid(&base);
        mp_config_trim(&base);
        if (mid && mp_config_uses(&base, "score-dim") != MP_USED) break;
        bad += test(w, &base);
        for (const mp_opt *o = mp_config_table; o->name; o++) {
            mp_config c = base;
            if (!mp_method_uses(pool, o->name) || only_trains(o)) continue;
            bool number = o->kind != MP_OPT_CHOICE && o->kind != MP_OPT_FLAG;
            for (int k = 0; (!number || k < 2) && set_value(o, k, &c); k++) {
                mp_config trimmed = c;
                mp_config_trim(&trimmed);
                if (mp_conf_same(o, &c, &trimmed) && !mp_conf_same(o, &c, &base)) bad += test(w, &c);
                c = base;
            }
        }
    }
    return bad;
}

static void each_method(world *w, int (*test)(world *w, const char *pool))
{
    int bad = 0;
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) bad += test(w, o->name);
    for (const mp_baseline *b = mp_baselines(); b->name; b++) bad += test(w, b->name);
    assert_int_equal(bad, 0);
}

static int sound(world *w, const char *pool)
{
    return each_context(w, pool, unused_do_nothing);
}

static void options_that_are_said_to_be_unused_change_nothing(void **state)
{
    each_method(*state, sound);
}

static void fulfil(mp_span needs, mp_config *c)
{
    mp_need n;
    while (mp_next_need(&needs, &n)) {
        const mp_opt *o = mp_config_table;
        while (strlen(o->name) != n.option.n || memcmp(o->name, n.option.p, n.option.n) != 0) o++;
        char value[80];
        snprintf(value, sizeof value, "%.*s", (int)n.value.n, n.value.p);
        if (!n.differs && mp_conf_set(mp_config_table, c, o->name, value, o->name) != MP_OK)
            fail_msg("%s", mp_message());
        for (int k = 0; n.differs && !mp_need_holds(&n, c); k++)
            if (!set_value(o, k, c)) fail_msg("%s has no value but %s", o->name, value);
    }
}

static bool matters(world *w, const mp_config *c, const mp_opt *o)
{
    outcome plain = try(w, c);
    mp_config other = *c;
    for (int k = 0; set_value(o, k, &other); k++) {
        outcome now = try(w, &other);
        if (differ(&plain, &now)) return true;
        other = *c;
    }
    return false;
}

/* The same with one more option at another value. */
static bool matters_beside(world *w, const mp_config *c, const mp_opt *o)
{
    for (const mp_opt *also = mp_config_table; also->name; also++) {
        mp_config other = *c;
        if (also == o || mp_config_uses(c, also->name) != MP_USED) continue;
        for (int k = 0; set_value(also, k, &other); k++)
            if (mp_config_uses(&other, o->name) == MP_USED && matters(w, &other, o)) return true;
    }
    return false;
}

static bool earns(world *w, const mp_config *start_at, const mp_use_list *list, const mp_use_word *u)
{
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)u->option.n, u->option.p);
    const mp_opt *o = mp_conf_find(mp_config_table, name);
    if (!o) fail_msg("no option '%s'", name);
    if (o->kind == MP_OPT_TEXT || is_in(idle, start_at->pool, name)) return true;
    bool seldom = is_in(rare, start_at->pool, name);
    for (int k = 0; k < (seldom ? 8 : 6); k++) { /* quick ones first; a network of one seed may be dead */
        mp_config c = *start_at;
        c.seed = 1 + k / 2 % 3;
        if (k % 2) make_mid(&c);
        fulfil(u->needs, &c);
        if (list->needs) fulfil(mp_span_of(list->needs), &c);
        if (k < 6 ? matters(w, &c, o) : matters_beside(w, &c, o)) return true;
    }
    print_error("%s --variant %d: --%s does nothing\n", start_at->pool, start_at->variant, name);
    return false;
}

static int complete(world *w, const char *pool)
{
    int bad = 0;
    mp_config c = start(pool);
    int variants = mp_method_uses(pool, "variant") ? 3 : 1;
    for (c.variant = 0; c.variant < variants; c.variant++) {
        mp_use_list list[MP_LISTS_MOST];
        for (int i = 0, n = mp_config_lists(&c, list); i < n; i++) {
            mp_span rest = list[i].words ? mp_span_of(list[i].words) : (mp_span){ NULL, 0 };
            mp_use_word u;
            while (mp_next_use(&rest, &u)) bad += !earns(w, &c, &list[i], &u);
        }
    }
    return bad;
}

static void every_option_of_a_list_changes_something(void **state)
{
    if (SANITIZED) skip(); /* the contexts of the next test run the same code */
    each_method(*state, complete);
}

static void every_option_belongs_to_a_method(void **state)
{
    (void)state;
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        bool known = false;
        for (const mp_pool_op *p = mp_pool_ops(); p->name; p++) known = known || mp_method_uses(p->name, o->name);
        for (const mp_baseline *b = mp_baselines(); b->name; b++) known = known || mp_method_uses(b->name, o->name);
        if (!known) fail_msg("--%s belongs to nobody", o->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_belongs_to_a_method),
        cmocka_unit_test(every_option_of_a_list_changes_something),
        cmocka_unit_test(options_that_are_said_to_be_unused_change_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
