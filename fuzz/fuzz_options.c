/* fuzz_options.c - sets of options. The bytes are a script: names and values, good ones and bad ones, as lines of YAML and
 * one by one. What is taken reads back the same, as text, as JSON and as the key of a run; what is refused changes nothing;
 * options that the method does not use can go back to their defaults, and the network computes the same bits.
 * SPDX-License-Identifier: MIT */
#include "cli/given.h"
#include "cli/yaml.h"
#include "data/dataset.h"
#include "data/generate.h"
#include "model/options.h"
#include "store/store.h"
#include "train/engine.h"
#include "script.h"

#include <stdio.h>
#include <string.h>

#define MOST_WEIGHTS 20000 /* larger networks stay plans */
#define GRAPHS       4
#define NODES        9 /* of the largest */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- names and values */

static const char *method(script *s)
{
    const char *name[64];
    int n = 0;
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) name[n++] = o->name;
    for (const mp_baseline *b = mp_baselines(); b->name; b++) name[n++] = b->name;
    return name[next(s, n)];
}

static const char *value_of(script *s, const mp_opt *o, mp_arena *a)
{
    static const char *const odd[] = { "",     "x",   "nan", "1e400", "-0",
                                       "0x10", "1,2", "1 2", "auto",  "999999999999999999999",
                                       "true", "3|4", "\"",  "0.1e",  "[1]" };
    static const char *const real[] = { "0", "0.3", "0.5", "1", "-1", "0.999", "1e-6", "5e-324", "1e6", "2.5" };
    static const char *const whole[] = { "0", "1", "2", "3", "5", "16", "-1", "64", "2147483647", "7" };
    if (next(s, 8) == 7) return odd[next(s, (int)(sizeof odd / sizeof *odd))];
    switch (o->kind) {
    case MP_OPT_FLAG:
        return next(s, 2) ? "true" : "off";
    case MP_OPT_TEXT:
        return method(s);
    case MP_OPT_REAL:
        return real[next(s, 10)];
    case MP_OPT_CHOICE:
        break;
    default:
        return whole[next(s, 10)];
    }
    int n = 1, which;
    for (const char *p = o->choices; *p; p++) n += *p == '|';
    const char *word = o->choices;
    for (which = next(s, n); which > 0; which--) word = strchr(word, '|') + 1;
    return mp_arena_text(a, word, strcspn(word, "|"));
}

static const mp_opt *any_option(script *s)
{
    int n = 0;
    while (mp_config_table[n].name) n++;
    return &mp_config_table[next(s, n)];
}

/* Takes the value, or leaves everything as it was and says why. */
static bool set(mp_config *c, const char *name, const char *value)
{
    mp_config before = *c;
    mp_err e = mp_conf_set(mp_config_table, c, name, value, "here");
    mp_assert(e == MP_OK || mp_conf_equal(mp_config_table, c, &before));
    mp_assert(e == MP_OK || strncmp(mp_message(), "here: ", 6) == 0);
    return e == MP_OK;
}

/* As a file of lines: parsed or refused as a whole, each entry as it was written. */
static void set_from_yaml(script *s, mp_config *c, mp_given *g, mp_arena *a)
{
    mp_buf text = { 0 };
    mp_yaml y;
    for (int lines = next(s, 6); lines > 0; lines--) {
        const mp_opt *o = any_option(s);
        const char *no = o->kind == MP_OPT_FLAG && next(s, 4) == 3 ? "no-" : "", *value = value_of(s, o, a);
        bool list = next(s, 16) == 15;
        mp_buf_printf(&text, list ? "%s%s: [%s, 1]\n" : "%s%s: %s\n", no, o->name, value);
    }
    mp_err e = mp_yaml_parse((mp_span){ text.p, text.n }, "fuzz.yaml", a, &y);
    mp_assert(e == MP_OK || strncmp(mp_message(), "fuzz.yaml:", 10) == 0);
    for (int i = 0; e == MP_OK && i < y.count; i++) {
        const mp_yaml_entry *l = &y.entry[i];
        for (int k = 0; k < l->count; k++)
            if (set(c, l->key, l->value[k])) mp_given_add(g, l->key, l->value[k], "here");
    }
    mp_buf_free(&text);
}

static mp_config configuration(script *s, mp_given *g, mp_arena *a)
{
    mp_config c;
    mp_config_init(&c);
    snprintf(c.pool, sizeof c.pool, "%s", method(s));
    c.hidden = 1 + next(s, 8);
    c.layers = 1 + next(s, 3);
    set_from_yaml(s, &c, g, a);
    for (int changes = next(s, 6); changes > 0; changes--) {
        const mp_opt *o = any_option(s);
        const char *value = value_of(s, o, a);
        if (set(&c, o->name, value)) mp_given_add(g, o->name, value, "here");
    }
    return c;
}

/* ---- what must hold of it */

static void reads_back(const mp_config *c)
{
    mp_config copy;
    mp_config_init(&copy);
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char value[80];
        mp_conf_get(o, c, value, sizeof value);
        mp_assert(set(&copy, o->name, value));
    }
    mp_assert(mp_conf_equal(mp_config_table, c, &copy));
}

static void key_of(const mp_config *c, char hex[65])
{
    mp_run_key key;
    memset(&key, 0, sizeof key);
    strcpy(key.dataset, "fuzz");
    key.config = *c;
    mp_run_key_hash(&key, hex);
}

static void survives_json(const mp_config *c, mp_arena *a)
{
    mp_buf json = { 0 };
    mp_config copy;
    char one[65], two[65];
    mp_config_to_json(c, &json);
    mp_assert(mp_config_from_json((mp_span){ json.p, json.n }, "json", a, &copy) == MP_OK);
    mp_assert(mp_conf_equal(mp_config_table, c, &copy));
    key_of(c, one);
    key_of(&copy, two);
    mp_assert(strcmp(one, two) == 0);
    mp_buf_free(&json);
}

/* Trimmed twice is trimmed once; what is left is used; what nobody uses is named. */
static mp_config trimmed(const mp_config *c, mp_given *g)
{
    mp_config once = *c, twice, usual;
    char one[65], two[65];
    mp_config_init(&usual);
    mp_config_trim(&once);
    twice = once;
    mp_config_trim(&twice);
    mp_assert(mp_conf_equal(mp_config_table, &once, &twice));
    for (const mp_opt *o = mp_config_table; o->name; o++)
        mp_assert(mp_conf_same(o, &once, &usual) || mp_config_uses(&once, o->name) == MP_USED);
    mp_given_ask(g, &once);
    if (mp_given_check(g) != MP_OK) mp_assert(strstr(mp_message(), "not used by") != NULL);
    key_of(c, one);
    key_of(&once, two);
    mp_assert(strcmp(one, two) == 0);
    return once;
}

/* ---- what it computes */

static mp_dataset *some_graphs(void)
{
    static mp_dataset d;
    static mp_arena *a; /* stays */
    if (a) return &d;
    mp_colors_options o = mp_colors_published;
    mp_raw raw;
    a = mp_arena_new(1 << 16);
    o.train = GRAPHS;
    o.val = o.test = 1;
    o.large = o.large_c = 0;
    o.lo = 4;
    o.hi = NODES;
    mp_assert(mp_generate_colors(&o, a, &raw) == MP_OK);
    int64_t *label = MP_NEW(a, int64_t, raw.graphs.graphs);
    for (int b = 0; b < raw.graphs.graphs; b++) label[b] = b % 2;
    raw.graph_label = label;
    raw.target = NULL;
    mp_assert(mp_dataset_build(&raw, NULL, a, &d) == MP_OK);
    return &d;
}

typedef struct outcome {
    mp_err e;
    double loss, aux;
    mp_real out[GRAPHS * NODES * 2]; /* of graphs, or of nodes */
} outcome;

/* A step of training, then the answers. False: no network of this configuration, or too large a one. */
static bool compute(const mp_config *c, mp_arena *a, outcome *o)
{
    static const int which[GRAPHS] = { 0, 1, 2, 3 };
    static const double label[GRAPHS] = { 0, 1, 0, 1 }, of_nodes[(GRAPHS + 2) * NODES];
    const mp_dataset *d = some_graphs();
    mp_config resolved = *c;
    mp_model *m;
    memset(o, 0, sizeof *o);
    mp_config_resolve(&resolved, &d->graphs);
    if (mp_model_plan(a, &resolved, (mp_inputs){ .features = d->x.cols, .outputs = 2 }, &m) != MP_OK) return false;
    if (mp_model_params(m)->size > MOST_WEIGHTS) return false;
    mp_params_alloc(mp_model_params(m));
    mp_params_init(mp_model_params(m), 1, 0);
    mp_engine *e = mp_engine_new(m, 1);
    mp_labels graphs = { .columns = 1, .v = label }, nodes = { 1, of_nodes, d->graphs.node_ptr };
    mp_batch b = { &d->graphs, &d->x, which, GRAPHS, mp_config_of_nodes(c) ? nodes : graphs };
    o->e = mp_engine_train(e, &b, (mp_draw){ 1, 0, 1, 0 }, &o->loss, &o->aux);
    if (o->e == MP_OK) o->e = mp_engine_predict(e, &b, o->out);
    if (o->e != MP_OK) o->loss = o->aux = 0;
    mp_engine_free(e);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    script s = { data, data + size };
    mp_arena *a = mp_arena_new(1 << 16);
    mp_given g = { .arena = a };
    mp_config c = configuration(&s, &g, a), checked = c, less = trimmed(&c, &g), less_checked = less;
    reads_back(&c);
    survives_json(&c, a);
    if (mp_config_check(&checked) == MP_OK) mp_assert(mp_config_check(&less_checked) == MP_OK);
    outcome full, lean;
    if (compute(&c, a, &full)) {
        mp_assert(compute(&less, a, &lean));
        mp_assert(memcmp(&full, &lean, sizeof full) == 0);
    }
    mp_arena_free(a);
    return 0;
}
