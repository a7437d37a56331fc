/* fuzz_model.c - model files damaged where it goes deep. The bytes are a script: a method and options for a small network,
 * which is written as a file, and then changes of that file's metadata, tensors and seal, with the header's length and the
 * offsets kept right (unless they are what is changed). The file is refused, or loads and answers for small graphs; in
 * either case without asking for much more memory than it has bytes.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "base/json.h"
#include "midpool.h"
#include "model/checkpoint.h"
#include "model/safetensors.h"
#include "script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WEIGHTS 20000 /* a network with more stays a plan: its file has no tensors */
#define MOST_TENSORS 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a configuration */

static const char *const numbers[] = { "0",  "1",   "2",    "3",          "7",          "64",
                                       "-1", "0.5", "1000", "2147483647", "2147483648", "9223372036854775807",
                                       "-5", "1e9", "1e308" };
#define NUMBERS (int)(sizeof numbers / sizeof *numbers)

static const char *method(script *s)
{
    const char *name[64];
    int n = 0;
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) name[n++] = o->name;
    for (const mp_baseline *b = mp_baselines(); b->name; b++) name[n++] = b->name;
    return name[next(s, n)];
}

static void value_of(script *s, const mp_opt *o, char out[64])
{
    snprintf(out, 64, "%s", numbers[next(s, NUMBERS)]);
    if (o->kind == MP_OPT_FLAG) snprintf(out, 64, "%s", next(s, 2) ? "true" : "false");
    if (o->kind == MP_OPT_TEXT) snprintf(out, 64, "%s", method(s));
    if (o->kind != MP_OPT_CHOICE) return;
    int n = 1, which;
    for (const char *p = o->choices; *p; p++) n += *p == '|';
    which = next(s, n);
    const char *word = o->choices;
    while (which-- > 0) word = strchr(word, '|') + 1;
    snprintf(out, 64, "%.*s", (int)strcspn(word, "|"), word);
}

static const mp_opt *any_option(script *s)
{
    int n = 0;
    while (mp_config_table[n].name) n++;
    return &mp_config_table[next(s, n)];
}

/* Values that are refused leave the option as it was. */
static mp_config configuration(script *s)
{
    mp_config c;
    mp_config_init(&c);
    snprintf(c.pool, sizeof c.pool, "%s", method(s));
    c.hidden = 1 + next(s, 8);
    c.layers = 1 + next(s, 3);
    c.score_dim = 1 + next(s, 3);
    c.clusters = 1 + next(s, 4);
    for (int changes = next(s, 6); changes > 0; changes--) {
        const mp_opt *o = any_option(s);
        char value[64];
        value_of(s, o, value);
        (void)!mp_conf_set(mp_config_table, &c, o->name, value, "");
    }
    return c;
}

/* ---- its file, as text and tensors */

typedef struct entry {
    const char *name, *dtype;
    int dims;
    int64_t shape[MP_TENSOR_DIMS];
    const char *data;
    size_t bytes;
    int64_t shift; /* of what the header says about its place */
} entry;

typedef struct file {
    mp_arena *a;
    const char *about; /* the metadata, JSON */
    const char *seal;
    entry tensor[MOST_TENSORS];
    int tensors;
} file;

static const int64_t classes[] = { -1, 1 };

static mp_about about_of(script *s, int features)
{
    mp_about about = { .classes = 2, .class_value = classes, .dataset = "fuzz" };
    mp_recipe *r = &about.recipe;
    if (next(s, 2))
        *r = (mp_recipe){ .attributes = features - 2, .label_columns = 1, .label_min = { 3 }, .label_count = { 2 } };
    else
        *r = (mp_recipe){ .degree = MP_DEGREE_ONE_HOT, .degree_max = features - 1 };
    return about;
}

static void take_tensors(file *f, const mp_safetensors *t)
{
    for (int i = 0; i < t->tensors && i < MOST_TENSORS; i++) {
        const mp_tensor *from = &t->tensor[i];
        entry *e = &f->tensor[f->tensors++];
        *e = (entry){ .name = from->name, .dtype = mp_dtype_name(from->dtype), .dims = from->dims, .data = from->data };
        memcpy(e->shape, from->shape, sizeof e->shape);
        e->bytes = from->count * mp_dtype_size(from->dtype);
    }
}

/* The file of a network with these options; of one that is too large for here, the metadata beside a small one's tensors.
 * False: there is no such network. */
static bool write_network(script *s, file *f)
{
    mp_config c = configuration(s), small;
    mp_config_init(&small);
    small.hidden = 2;
    int features = 3 + next(s, 3);
    mp_about about = about_of(s, features);
    mp_model *m;
    if (mp_model_plan(f->a, &c, (mp_inputs){ .features = features, .outputs = 2 }, &m) != MP_OK) return false;
    bool large = mp_model_params(m)->size > MOST_WEIGHTS;
    if (large && mp_model_plan(f->a, &small, (mp_inputs){ .features = features, .outputs = 2 }, &m) != MP_OK) abort();
    mp_params_alloc(mp_model_params(m));
    mp_params_init(mp_model_params(m), 1, 0);
    mp_buf bytes = { 0 }, config = { 0 };
    mp_checkpoint_write(m, &about, &bytes);
    mp_span copy = { mp_arena_text(f->a, bytes.p, bytes.n), bytes.n };
    mp_buf_free(&bytes);
    mp_safetensors t;
    if (mp_safetensors_parse(copy, "network", f->a, &t) != MP_OK) abort();
    take_tensors(f, &t);
    f->about = mp_safetensors_meta(&t, MP_MODEL_KEY);
    f->seal = "none";
    if (!large) return true;
    const char *at = strstr(f->about, "\"config\":{");
    if (!at) abort();
    at += strlen("\"config\":");
    mp_conf_json(mp_config_table, mp_config_late(), &c, &config);
    f->about = mp_arena_printf(f->a, "%.*s%s%s", (int)(at - f->about), f->about, config.p, strchr(at, '}') + 1);
    mp_buf_free(&config);
    return true;
}

/* ---- changes */

static entry *any_tensor(script *s, file *f)
{
    return f->tensors ? &f->tensor[next(s, f->tensors)] : NULL;
}

static const mp_json *any_value(script *s, const mp_json *v)
{
    while (v->kind == MP_JSON_OBJECT || v->kind == MP_JSON_ARRAY) {
        if (!v->count || next(s, 16) == 0) return v;
        int which = next(s, v->count);
        for (v = v->first; which > 0; which--) v = v->next;
    }
    return v;
}

static size_t length_at(const char *p)
{
    size_t n = 0;
    if (*p == '"') {
        for (n = 1; p[n] && p[n] != '"'; n++) n += p[n] == '\\' && p[n + 1];
        return p[n] ? n + 1 : n;
    }
    return strcspn(p, ",]}");
}

/* One value of the metadata, anywhere in it, becomes another. */
static void change_about(script *s, file *f)
{
    static const char *const words[] = { "null",           "true",         "[]",          "{}",
                                         "\"\"",           "\"classify\"", "\"regress\"", "\"one-hot\"",
                                         "\"normalised\"", "[1,2,3]",      "\"sag\"" };
    const mp_json *root;
    if (mp_json_parse(mp_span_of(f->about), "about", f->a, &root) != MP_OK) return;
    const mp_json *v = any_value(s, root);
    int which = next(s, NUMBERS + (int)(sizeof words / sizeof *words));
    const char *word = which < NUMBERS ? numbers[which] : words[which - NUMBERS];
    size_t n = v->kind == MP_JSON_OBJECT || v->kind == MP_JSON_ARRAY ? 0 : length_at(f->about + v->at);
    f->about = mp_arena_printf(f->a, "%.*s%s%s", (int)v->at, f->about, word, f->about + v->at + n);
}

/* An option of the metadata gets a value it can have: the tensors no longer fit it, or do. */
static void change_option(script *s, file *f)
{
    const mp_opt *o = any_option(s);
    const char *at = strstr(f->about, mp_arena_printf(f->a, "\"%s\":", o->name));
    char value[64];
    value_of(s, o, value);
    if (!at) return;
    at += strlen(o->name) + 3;
    bool quoted = *at == '"';
    f->about = mp_arena_printf(f->a, "%.*s%s%s%s%s", (int)(at - f->about), f->about, quoted ? "\"" : "", value,
                               quoted ? "\"" : "", at + length_at(at));
}

static void change_shape(script *s, file *f)
{
    static const int64_t sizes[] = { 0, 1, 2, 3, 1 << 20, INT32_MAX, (int64_t)1 << 32, INT64_MAX };
    entry *e = any_tensor(s, f);
    if (!e) return;
    switch (next(s, 4)) {
    case 0:
        e->dims = next(s, MP_TENSOR_DIMS + 1);
        break;
    case 1:
        e->shape[next(s, MP_TENSOR_DIMS)] = sizes[next(s, 8)];
        break;
    case 2: /* turned round: as many numbers, but others */
        for (int i = 0, j = e->dims - 1; i < j; i++, j--) {
            int64_t t = e->shape[i];
            e->shape[i] = e->shape[j];
            e->shape[j] = t;
        }
        break;
    default:
        e->bytes = e->bytes / 2 / 4 * 4;
    }
}

static void change_dtype(script *s, file *f)
{
    static const char *const names[] = { "F64", "F16", "BF16", "I64", "I8", "BOOL", "F32", "F8", "" };
    entry *e = any_tensor(s, f);
    if (e) e->dtype = names[next(s, (int)(sizeof names / sizeof *names))];
}

static void change_name(script *s, file *f)
{
    entry *e = any_tensor(s, f), *other = any_tensor(s, f);
    if (!e) return;
    const char *name = e->name;
    e->name = next(s, 6) ? other->name : next(s, 2) ? mp_arena_printf(f->a, "%s.", name) : "";
    if (e->name == other->name && next(s, 16)) other->name = name; /* swapped: shapes may still fit */
}

static void change_place(script *s, file *f)
{
    static const int64_t by[] = { -1, 1, 4, -4, 1 << 20, INT64_MAX / 2, -4096 };
    entry *e = any_tensor(s, f);
    if (e) e->shift = by[next(s, 7)];
}

static void change_count(script *s, file *f)
{
    entry *e = any_tensor(s, f);
    if (!e) return;
    if (next(s, 2))
        *e = f->tensor[--f->tensors];
    else if (f->tensors < MOST_TENSORS)
        f->tensor[f->tensors++] = *e;
}

static void change_numbers(script *s, file *f)
{
    static const float values[] = { 0, -0.0f, 1e-45f, 1e30f, -1e30f, 3.4e38f, (float)INFINITY, (float)NAN, 1 };
    entry *e = any_tensor(s, f);
    if (!e || e->bytes < 4) return;
    char *copy = mp_arena_text(f->a, e->data, e->bytes);
    float v = values[next(s, 9)];
    size_t one = (size_t)next(s, 65536) % (e->bytes / 4);
    for (size_t i = 0, all = (size_t)next(s, 2); i < e->bytes / 4; i++)
        if (all || i == one) memcpy(copy + 4 * i, &v, 4);
    e->data = copy;
}

static void change_seal(script *s, file *f)
{
    static const char *const seals[] = { NULL, "", "0000000000000000000000000000000000000000000000000000000000000000" };
    f->seal = seals[next(s, 3)];
}

/* Those that a file survives come more often: behind a shallow change nothing deeper is seen. */
static void change(script *s, file *f)
{
    static void (*const often[])(script *, file *) = { change_option, change_numbers };
    static void (*const seldom[])(script *, file *) = { change_about, change_shape, change_dtype, change_name,
                                                        change_place, change_count, change_seal };
    if (next(s, 4))
        often[next(s, 2)](s, f);
    else
        seldom[next(s, 7)](s, f);
}

/* ---- bytes */

static void put_entry(mp_buf *b, const entry *e, size_t at)
{
    mp_json_key(b, e->name);
    mp_json_open(b, '{');
    mp_json_add_text(b, "dtype", e->dtype);
    mp_json_key(b, "shape");
    mp_json_open(b, '[');
    for (int i = 0; i < e->dims; i++) mp_json_put_int(b, e->shape[i]);
    mp_json_close(b, ']');
    mp_json_key(b, "data_offsets");
    mp_json_open(b, '[');
    mp_json_put_int(b, (int64_t)at + e->shift);
    mp_json_put_int(b, (int64_t)(at + e->bytes));
    mp_json_close(b, ']');
    mp_json_close(b, '}');
}

static void put_file(script *s, const file *f, mp_buf *out)
{
    mp_buf b = { 0 };
    size_t at = 0;
    mp_json_open(&b, '{');
    mp_json_key(&b, "__metadata__");
    mp_json_open(&b, '{');
    mp_json_add_text(&b, MP_MODEL_KEY, f->about);
    if (f->seal) mp_json_add_text(&b, MP_SEAL_KEY, f->seal);
    mp_json_close(&b, '}');
    for (int i = 0; i < f->tensors; at += f->tensor[i++].bytes) put_entry(&b, &f->tensor[i], at);
    mp_json_close(&b, '}');
    if (next(s, 32) == 31) b.p[(size_t)next(s, 65536) % b.n] ^= (char)(1 + next(s, 255));
    uint64_t n = b.n + (next(s, 64) == 63 ? (uint64_t)next(s, 9) - 4 : 0);
    mp_buf_add(out, &n, 8);
    mp_buf_add(out, b.p, b.n);
    for (int i = 0; i < f->tensors; i++) mp_buf_add(out, f->tensor[i].data, f->tensor[i].bytes);
    mp_buf_free(&b);
}

/* ---- use */

static void ask(mp_predictor *p, const mp_query *q)
{
    mp_answer answer;
    if (!mp_predict(p, q, &answer)) {
        if (!mp_predictor_error()[0]) abort();
        return;
    }
    if (answer.outputs < 1) abort();
    for (int i = 0; i < answer.outputs; i++) {
        if (!isfinite(answer.value[i])) abort();
        if (mp_predictor_classes(p) && !(answer.value[i] >= 0 && answer.value[i] <= 1)) abort();
    }
}

static void use(mp_predictor *p)
{
    static const int from[] = { 0, 0, 0, 0, 0, 5, 6, 2 }, to[] = { 1, 2, 3, 4, 5, 6, 0, 2 };
    size_t features = (size_t)mp_predictor_features(p), attributes = (size_t)mp_predictor_attributes(p);
    size_t labels = (size_t)mp_predictor_label_columns(p);
    if (features > 1000 || attributes > 1000) return; /* the graph would be larger than the model */
    float *x = calloc(9 * (features + attributes) + 1, sizeof *x);
    int *label = calloc(9 * labels + 1, sizeof *label);
    if (!x || !label) abort();
    for (size_t i = 0; i < 9 * (features + attributes); i++) x[i] = (float)(i * 7 % 5) / 4;
    for (size_t i = 0; i < 9 * labels; i++) label[i] = 3 + (int)i % 2;
    mp_query q = { .nodes = 9, .edges = 8, .from = from, .to = to, .x = x };
    ask(p, &q);
    q = (mp_query){ .nodes = 9, .edges = 8, .from = from, .to = to, .attributes = x, .labels = label };
    ask(p, &q);
    q = (mp_query){ .nodes = 1, .x = x };
    ask(p, &q);
    free(x);
    free(label);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    script s = { data, data + size };
    file f = { .a = mp_arena_new(1 << 16) };
    mp_buf out = { 0 };
    bool made = write_network(&s, &f);
    if (made) {
        for (int changes = next(&s, 5); changes > 0; changes--) change(&s, &f);
        put_file(&s, &f, &out);
        mp_arena_peak_reset();
        size_t before = mp_arena_total();
        mp_predictor *p = mp_predictor_from(out.p, out.n);
        if (mp_arena_peak() - before > 64 * out.n + (1 << 20)) abort();
        if (p) use(p);
        mp_predictor_free(p);
    }
    mp_buf_free(&out);
    mp_arena_free(f.a);
    return 0;
}
