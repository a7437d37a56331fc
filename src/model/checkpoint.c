/* checkpoint.c - models to files and back.
 *
 * Reading trusts nothing: the tensors must be exactly those that a model of the stored configuration has, so
 * a file either gives a model that works or an error that says what is wrong with it.
 *
 * 550 lines because whatever stands in the file has a few of its own, to be written and to be read back.
 * SPDX-License-Identifier: MIT */
#include "model/checkpoint.h"
#include "base/json.h"
#include "model/safetensors.h"
#include "task/metric.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMAT      1
#define MAX_COLUMNS 10000000
#define MAX_FILE    ((size_t)1 << 34)

static const char *const degree_name[] = { "none", "one-hot", "normalised" };

/* Without edges where the network does not read them. */
static mp_recipe recipe_for(const mp_model *m, mp_recipe r)
{
    if (mp_model_edge_features(m) == 0) r.edge_attributes = r.edge_label_columns = 0;
    return r;
}

mp_about mp_about_of(const mp_dataset *d, const mp_model *m)
{
    return (mp_about){ .recipe = recipe_for(m, d->recipe),
                       .classes = d->classes,
                       .class_value = d->class_value,
                       .class_names = d->class_names,
                       .class_name = d->class_name,
                       .target_name = d->target_name,
                       .names = d->names,
                       .edge_names = mp_model_edge_features(m) ? d->edge_names : NULL,
                       .dataset = d->name,
                       .version = MP_VERSION };
}

mp_dataset_as mp_about_as(const mp_model *m, const mp_about *about)
{
    const mp_goal *g = mp_model_goal(m);
    return (mp_dataset_as){ .recipe = &about->recipe,
                            .task = g->task,
                            .targets = g->columns,
                            .classes = about->classes,
                            .class_value = about->class_value,
                            .class_name = about->class_name,
                            .target_name = about->target_name,
                            .names = about->names,
                            .edge_names = about->edge_names };
}

mp_dataset_as mp_config_as(const mp_config *c)
{
    return (mp_dataset_as){ .task = c->task == MP_TASK_AUTO ? NULL : mp_tasks()[c->task - 1],
                            .nodes = mp_config_of_nodes(c),
                            .edges = c->edge_attributes == MP_EDGES_USE && mp_config_uses_edges(c),
                            .bonds = c->edge_attributes == MP_EDGES_USE && c->conv == MP_CONV_AUTO };
}

/* ---- writing ---- */

static void put_columns(int columns, const int *min, const int *count, mp_buf *b)
{
    mp_json_key(b, "labels");
    mp_json_open(b, '[');
    for (int i = 0; i < columns; i++) {
        mp_json_open(b, '{');
        mp_json_add_int(b, "min", min[i]);
        mp_json_add_int(b, "count", count[i]);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
}

void mp_recipe_text(const mp_recipe *r, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_int(b, "attributes", r->attributes);
    mp_json_add_int(b, "skip_attributes", r->skip_attributes);
    put_columns(r->label_columns, r->label_min, r->label_count, b);
    mp_json_add_text(b, "degree", degree_name[r->degree]);
    mp_json_add_int(b, "degree_max", r->degree_max);
    mp_json_add_real(b, "degree_mean", r->degree_mean);
    mp_json_add_real(b, "degree_std", r->degree_std);
    if (r->edge_attributes || r->edge_label_columns) {
        mp_json_key(b, "edges");
        mp_json_open(b, '{');
        mp_json_add_int(b, "attributes", r->edge_attributes);
        put_columns(r->edge_label_columns, r->edge_label_min, r->edge_label_count, b);
        mp_json_close(b, '}');
    }
    mp_json_close(b, '}');
}

static void put_numbers(const char *key, const double *v, int n, mp_buf *b)
{
    mp_json_key(b, key);
    mp_json_open(b, '[');
    for (int i = 0; i < n; i++) mp_json_put_real(b, v[i]);
    mp_json_close(b, ']');
}

static void put_names(const char *key, const char *const *name, int n, mp_buf *b)
{
    if (!name) return;
    mp_json_key(b, key);
    mp_json_open(b, '[');
    for (int i = 0; i < n; i++) mp_json_put_text(b, name[i]);
    mp_json_close(b, ']');
}

/* The scale of numbers, and the names of classes and of label columns, where there are any. */
static void put_labels(const mp_goal *goal, const mp_about *about, mp_buf *b)
{
    if (goal->mean) {
        mp_json_key(b, "targets");
        mp_json_open(b, '{');
        put_numbers("mean", goal->mean, goal->columns, b);
        put_numbers("std", goal->std, goal->columns, b);
        mp_json_close(b, '}');
    }
    put_names("class_names", about->class_name, about->class_names, b);
    put_names("label_names", about->target_name, goal->columns, b);
}

void mp_names_text(const mp_names *n, mp_buf *b)
{
    mp_json_open(b, '{');
    put_names("attributes", n->attribute, n->attributes, b);
    mp_json_key(b, "labels");
    mp_json_open(b, '[');
    for (int k = 0; k < n->labels; k++) {
        mp_json_open(b, '{');
        mp_json_add_text(b, "name", n->label[k]);
        if (n->words[k]) put_names("words", n->word[k], n->words[k], b);
        mp_json_close(b, '}');
    }
    mp_json_close(b, ']');
    mp_json_close(b, '}');
}

static void put_about(const mp_model *m, const mp_about *about, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_int(b, "format", FORMAT);
    mp_json_add_text(b, "version", MP_VERSION);
    mp_json_key(b, "config");
    mp_config_to_json(mp_model_config(m), b);
    mp_json_add_int(b, "features", mp_model_features(m));
    if (mp_model_edge_features(m)) mp_json_add_int(b, "edge_features", mp_model_edge_features(m));
    mp_json_add_int(b, "outputs", mp_model_outputs(m));
    mp_json_add_text(b, "task", mp_model_goal(m)->task->name);
    mp_json_key(b, "classes");
    mp_json_open(b, '[');
    for (int i = 0; i < about->classes; i++) mp_json_put_int(b, about->class_value[i]);
    mp_json_close(b, ']');
    put_labels(mp_model_goal(m), about, b);
    mp_json_add_text(b, "dataset", about->dataset ? about->dataset : "");
    mp_json_key(b, "recipe");
    mp_recipe_text(&about->recipe, b);
    if (about->names) {
        mp_json_key(b, "columns");
        mp_names_text(about->names, b);
    }
    if (about->edge_names) {
        mp_json_key(b, "edge_columns");
        mp_names_text(about->edge_names, b);
    }
    mp_json_close(b, '}');
}

void mp_checkpoint_write(mp_model *m, const mp_about *about, mp_buf *out)
{
    const mp_params *p = mp_model_params(m);
    mp_arena *scratch = mp_arena_new(sizeof(float) * p->size + 65536);
    mp_tensor *tensor = MP_NEW(scratch, mp_tensor, p->count);
    for (int i = 0; i < p->count; i++) {
        const mp_param *q = &p->list[i];
        mp_tensor *t = &tensor[i];
        *t = (mp_tensor){ .name = q->name, .dtype = MP_DTYPE_F32, .dims = q->dims, .count = 1 };
        for (int d = 0; d < q->dims; d++) {
            t->shape[d] = q->shape[d];
            t->count *= (size_t)q->shape[d];
        }
        float *data = MP_NEW_RAW(scratch, float, t->count + 1);
        mp_param_write(p, i, data);
        t->data = data;
    }
    mp_buf text = MP_BUF_LOCAL;
    put_about(m, about, &text);
    mp_meta meta = { MP_MODEL_KEY, text.p };
    mp_safetensors_write(tensor, p->count, &meta, 1, true, out);
    mp_buf_free(&text);
    mp_arena_free(scratch);
}

mp_err mp_checkpoint_save(const char *path, mp_model *m, const mp_about *about)
{
    mp_buf bytes = MP_BUF_LOCAL;
    mp_checkpoint_write(m, about, &bytes);
    mp_err e = mp_write_file(path, bytes.p, bytes.n);
    mp_buf_free(&bytes);
    return e;
}

/* ---- reading ---- */

/* An option that is missing has its default: files of older versions stay readable. */
static mp_err get_config(const mp_json *root, const char *name, mp_config *out)
{
    const mp_json *object;
    MP_TRY(mp_json_need(root, "config", MP_JSON_OBJECT, name, &object));
    MP_TRY(mp_config_from_object(object, name, out));
    if (mp_config_check(out) != MP_OK) return mp_fail_within(MP_ERR_INPUT, "%s", name);
    return MP_OK;
}

static mp_err get_word(const mp_json *obj, const char *key, const char *const *words, int n, const char *name, int *out)
{
    const mp_json *v;
    MP_TRY(mp_json_need(obj, key, MP_JSON_STRING, name, &v));
    for (int i = 0; i < n; i++) {
        if (strcmp(v->text, words[i]) == 0) {
            *out = i;
            return MP_OK;
        }
    }
    return mp_fail(MP_ERR_INPUT, "%s: '%s' is '%.40s', which this version does not know", name, key, v->text);
}

static mp_err get_labels(const mp_json *object, const char *name, int *columns, int *min, int *count)
{
    const mp_json *labels;
    MP_TRY(mp_json_need(object, "labels", MP_JSON_ARRAY, name, &labels));
    if (labels->count > MP_MAX_LABEL_COLUMNS)
        return mp_fail(MP_ERR_INPUT, "%s: %d label columns, at most %d are possible", name, labels->count,
                       MP_MAX_LABEL_COLUMNS);
    for (const mp_json *v = labels->first; v; v = v->next) {
        int64_t lo, n;
        MP_TRY(mp_json_need_int(v, "min", -MAX_COLUMNS, INT_MAX - MAX_COLUMNS, name, &lo));
        MP_TRY(mp_json_need_int(v, "count", 1, MAX_COLUMNS, name, &n));
        min[*columns] = (int)lo;
        count[(*columns)++] = (int)n;
    }
    return MP_OK;
}

/* What is read of edges; a model that takes nothing of them does not say so. */
static mp_err get_edges(const mp_json *object, const char *name, mp_recipe *r)
{
    int64_t attributes;
    const mp_json *edges = mp_json_get(object, "edges");
    if (!edges) return MP_OK;
    MP_TRY(mp_json_need_int(edges, "attributes", 0, MAX_COLUMNS, name, &attributes));
    r->edge_attributes = (int)attributes;
    return get_labels(edges, name, &r->edge_label_columns, r->edge_label_min, r->edge_label_count);
}

static mp_err get_finite(const mp_json *object, const char *key, const char *name, double *out)
{
    const mp_json *v;
    MP_TRY(mp_json_need(object, key, MP_JSON_NUMBER, name, &v));
    if (!isfinite(v->number)) return mp_fail(MP_ERR_INPUT, "%s: '%s' is not finite", name, key);
    *out = v->number;
    return MP_OK;
}

static mp_err get_recipe(const mp_json *root, const char *name, mp_recipe *r)
{
    const mp_json *object;
    int64_t attributes, skip, top;
    int degree = 0;
    *r = (mp_recipe){ 0 };
    MP_TRY(mp_json_need(root, "recipe", MP_JSON_OBJECT, name, &object));
    MP_TRY(mp_json_need_int(object, "attributes", 0, MAX_COLUMNS, name, &attributes));
    MP_TRY(mp_json_need_int(object, "skip_attributes", 0, MAX_COLUMNS, name, &skip));
    MP_TRY(mp_json_need_int(object, "degree_max", 0, MAX_COLUMNS, name, &top));
    MP_TRY(get_word(object, "degree", degree_name, 3, name, &degree));
    MP_TRY(get_finite(object, "degree_mean", name, &r->degree_mean));
    MP_TRY(get_finite(object, "degree_std", name, &r->degree_std));
    r->attributes = (int)attributes;
    r->skip_attributes = (int)skip;
    r->degree_max = (int)top;
    r->degree = (mp_degree_kind)degree;
    if (r->degree == MP_DEGREE_NORMALISED && !(r->degree_std > 0))
        return mp_fail(MP_ERR_INPUT, "%s: 'degree_std' must be above 0", name);
    MP_TRY(get_labels(object, name, &r->label_columns, r->label_min, r->label_count));
    return get_edges(object, name, r);
}

/* Of each of `count` things, where the file has them. */
static mp_err get_names(const mp_json *root, const char *key, const char *things, int count, const char *name,
                        mp_arena *a, const char *const **out)
{
    const mp_json *list = mp_json_get(root, key);
    if (!list) return MP_OK;
    const char **names = MP_NEW(a, const char *, count + 1);
    int n = 0;
    for (const mp_json *v = list->first; v && n < count; v = v->next)
        if (v->kind == MP_JSON_STRING) names[n++] = mp_arena_text(a, v->text, strlen(v->text));
    if (list->kind != MP_JSON_ARRAY || list->count != n || n != count)
        return mp_fail(MP_ERR_INPUT, "%s: '%s' must be a text for each of %d %s", name, key, count, things);
    *out = names;
    return MP_OK;
}

/* Words of a label column, which ascend, one for each of `count` labels. */
static mp_err get_words(const mp_json *label, int min, int count, const char *name, mp_arena *a, int *words,
                        const char *const **out)
{
    if (!mp_json_get(label, "words")) return MP_OK;
    MP_TRY(get_names(label, "words", "labels", count, name, a, out));
    for (int i = 1; i < count; i++)
        if (strcmp((*out)[i - 1], (*out)[i]) >= 0)
            return mp_fail(MP_ERR_INPUT, "%s: 'words' of a label must ascend", name);
    if (min != 0) return mp_fail(MP_ERR_INPUT, "%s: labels that are words must begin with 0", name);
    *words = count;
    return MP_OK;
}

/* Names of `attributes` and `labels` columns, where the file has them. */
static mp_err get_column_names(const mp_json *root, const char *key, int attributes, int labels, const int *min,
                               const int *count, const char *name, mp_arena *a, const mp_names **out)
{
    const mp_json *object = mp_json_get(root, key), *list;
    if (!object) return MP_OK;
    mp_names *n = MP_NEW(a, mp_names, 1);
    const char **label = MP_NEW(a, const char *, labels + 1);
    const char *const **word = MP_NEW(a, const char *const *, labels + 1);
    int *words = MP_NEW(a, int, labels + 1), k = 0;
    *n = (mp_names){ .attributes = attributes, .labels = labels, .label = label, .words = words, .word = word };
    MP_TRY(get_names(object, "attributes", "attributes", attributes, name, a, &n->attribute));
    MP_TRY(mp_json_need(object, "labels", MP_JSON_ARRAY, name, &list));
    if (!n->attribute || list->count != labels)
        return mp_fail(MP_ERR_INPUT, "%s: '%s' must name %d attributes and %d labels", name, key, attributes, labels);
    for (const mp_json *v = list->first; v; v = v->next, k++) {
        const mp_json *text;
        MP_TRY(mp_json_need(v, "name", MP_JSON_STRING, name, &text));
        label[k] = mp_arena_text(a, text->text, strlen(text->text));
        MP_TRY(get_words(v, min[k], count[k], name, a, &words[k], &word[k]));
    }
    *out = n;
    return MP_OK;
}

static mp_err get_all_names(const mp_json *root, const char *name, mp_arena *a, mp_about *about)
{
    const mp_recipe *r = &about->recipe;
    MP_TRY(get_column_names(root, "columns", r->skip_attributes + r->attributes, r->label_columns, r->label_min,
                            r->label_count, name, a, &about->names));
    return get_column_names(root, "edge_columns", r->edge_attributes, r->edge_label_columns, r->edge_label_min,
                            r->edge_label_count, name, a, &about->edge_names);
}

static mp_err get_classes(const mp_json *root, int outputs, const char *name, mp_arena *a, mp_about *about)
{
    const mp_json *list;
    MP_TRY(mp_json_need(root, "classes", MP_JSON_ARRAY, name, &list));
    if (list->count != outputs)
        return mp_fail(MP_ERR_INPUT, "%s: %d class values for %d outputs", name, list->count, outputs);
    int64_t *value = MP_NEW(a, int64_t, outputs);
    int n = 0;
    for (const mp_json *v = list->first; v; v = v->next) {
        if (v->kind != MP_JSON_NUMBER || !v->exact)
            return mp_fail(MP_ERR_INPUT, "%s: class value %d is not a whole number", name, n);
        if (n > 0 && v->whole <= value[n - 1])
            return mp_fail(MP_ERR_INPUT, "%s: class value %d does not ascend", name, n);
        value[n++] = v->whole;
    }
    about->classes = n;
    about->class_value = value;
    return MP_OK;
}

/* Of classes, or of no and yes. An empty list is none: files of yes and no were written with one before they had names. */
static mp_err get_class_names(const mp_json *root, const mp_goal *goal, const char *name, mp_arena *a, mp_about *about)
{
    const mp_json *list = mp_json_get(root, "class_names");
    bool some = list && (goal->task->classes || (goal->task->yes_no && list->count));
    if (!some) return MP_OK;
    about->class_names = goal->task->classes ? goal->classes : 2;
    if (goal->columns > 1) return mp_fail(MP_ERR_INPUT, "%s: 'class_names' with %d label columns", name, goal->columns);
    return get_names(root, "class_names", "classes", about->class_names, name, a, &about->class_name);
}

static mp_err get_numbers(const mp_json *object, const char *key, int n, bool positive, const char *name, mp_arena *a,
                          const double **out)
{
    const mp_json *list;
    double *v = MP_NEW(a, double, n);
    int i = 0;
    MP_TRY(mp_json_need(object, key, MP_JSON_ARRAY, name, &list));
    for (const mp_json *x = list->first; x && i < n && x->kind == MP_JSON_NUMBER; x = x->next) v[i++] = x->number;
    bool fine = i == n && list->count == n;
    for (i = 0; fine && i < n; i++) fine = isfinite(v[i]) && (!positive || v[i] > 0);
    if (!fine)
        return mp_fail(MP_ERR_INPUT, "%s: '%s' of the targets must be %d %snumbers", name, key, n,
                       positive ? "positive " : "");
    *out = v;
    return MP_OK;
}

/* Before there were counts, a network of one output was called a regression and judged after rounding: it has no scale. */
static mp_err get_goal(const mp_json *root, int outputs, const mp_config *config, const char *name, mp_arena *a,
                       mp_about *about, mp_goal *goal)
{
    const mp_json *word, *classes, *targets = mp_json_get(root, "targets");
    MP_TRY(mp_json_need(root, "task", MP_JSON_STRING, name, &word));
    *goal = (mp_goal){ .task = mp_task_find(word->text), .columns = outputs };
    if (!goal->task)
        return mp_fail(MP_ERR_INPUT, "%s: 'task' is '%.40s', which this version does not know", name, word->text);
    MP_TRY(mp_json_need(root, "classes", MP_JSON_ARRAY, name, &classes));
    bool scaled = goal->task->standard && goal->task->standard(config);
    if (scaled && !targets && outputs == 1) goal->task = &mp_task_count;
    bool lacking = goal->task->standard && scaled && !targets;
    if (goal->task->classes ? outputs < 2 : classes->count > 0 || lacking)
        return mp_fail(MP_ERR_INPUT, "%s: its task does not go with its network", name);
    if (goal->task->classes) {
        goal->columns = 1;
        goal->classes = outputs;
        MP_TRY(get_classes(root, outputs, name, a, about));
    }
    MP_TRY(get_class_names(root, goal, name, a, about));
    MP_TRY(get_names(root, "label_names", "label columns", goal->columns, name, a, &about->target_name));
    if (targets) MP_TRY(get_numbers(targets, "mean", outputs, false, name, a, &goal->mean));
    if (targets) MP_TRY(get_numbers(targets, "std", outputs, true, name, a, &goal->std));
    if (goal->task->aim) goal->task->aim(config, goal);
    return mp_metric_lead(goal->task, config->metric, &goal->metric);
}

static mp_err check_param(const mp_param *q, const mp_safetensors *s, const char *name)
{
    const mp_tensor *t = mp_safetensors_find(s, q->name);
    if (!t) return mp_fail(MP_ERR_INPUT, "%s: tensor '%s' is missing", name, q->name);
    bool same = t->dims == q->dims;
    for (int d = 0; same && d < q->dims; d++) same = t->shape[d] == q->shape[d];
    if (same) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s: tensor '%s' does not have the shape the configuration asks for", name, q->name);
}

/* Before memory is asked for: a file holds all the weights of its configuration, so a small one cannot make us ask for
 * much. */
static mp_err check_params(const mp_params *p, const mp_safetensors *s, const char *name)
{
    for (int i = 0; i < s->tensors; i++) {
        int j = 0;
        while (j < p->count && strcmp(p->list[j].name, s->tensor[i].name) != 0) j++;
        if (j == p->count)
            return mp_fail(MP_ERR_INPUT, "%s: tensor '%.80s' is not part of such a model", name, s->tensor[i].name);
    }
    for (int i = 0; i < p->count; i++) MP_TRY(check_param(&p->list[i], s, name));
    return MP_OK;
}

static mp_err read_param(mp_params *p, int id, const mp_safetensors *s, const char *name, mp_arena *scratch)
{
    const mp_param *q = &p->list[id];
    const mp_tensor *t = mp_safetensors_find(s, q->name);
    double *wide = MP_NEW_RAW(scratch, double, t->count + 1);
    float *file = MP_NEW_RAW(scratch, float, t->count + 1);
    mp_tensor_doubles(t, wide);
    for (size_t i = 0; i < t->count; i++) {
        file[i] = (float)wide[i];
        if (!isfinite(file[i]))
            return mp_fail(MP_ERR_INPUT, "%s: tensor '%s' holds a number that is not finite", name, q->name);
    }
    mp_param_read(p, id, file);
    return MP_OK;
}

static mp_err read_params(mp_params *p, const mp_safetensors *s, const char *name)
{
    mp_arena *scratch = mp_arena_new(65536);
    mp_err e = MP_OK;
    for (int i = 0; i < p->count && e == MP_OK; i++) {
        mp_arena_mark here = mp_arena_here(scratch);
        e = read_param(p, i, s, name, scratch);
        mp_arena_back(scratch, here);
    }
    mp_arena_free(scratch);
    return e;
}

static mp_err build(const mp_safetensors *s, const mp_json *root, const char *name, mp_arena *a, mp_model **m,
                    mp_about *about)
{
    mp_config config;
    int64_t format, features, outputs;
    mp_goal goal;
    MP_TRY(mp_json_need_int(root, "format", 1, INT_MAX, name, &format));
    if (format > FORMAT)
        return mp_fail(MP_ERR_INPUT, "%s: format %d is newer than this midpool (" MP_VERSION ") reads", name,
                       (int)format);
    MP_TRY(get_config(root, name, &config));
    MP_TRY(mp_json_need_int(root, "features", 1, MAX_COLUMNS, name, &features));
    MP_TRY(mp_json_need_int(root, "outputs", 1, 100000, name, &outputs));
    *about = (mp_about){ 0 };
    MP_TRY(get_recipe(root, name, &about->recipe));
    MP_TRY(get_all_names(root, name, a, about));
    MP_TRY(get_goal(root, (int)outputs, &config, name, a, about, &goal));
    if (mp_config_fits(&config, goal.task) != MP_OK) return mp_fail_within(MP_ERR_INPUT, "%s", name);
    const char *dataset = mp_json_text(root, "dataset", ""), *version = mp_json_text(root, "version", "");
    about->dataset = mp_arena_text(a, dataset, strlen(dataset));
    about->version = mp_arena_text(a, version, strlen(version));
    if (mp_recipe_columns(&about->recipe) != (int)features)
        return mp_fail(MP_ERR_INPUT, "%s: the recipe makes %d feature columns, the model takes %d", name,
                       mp_recipe_columns(&about->recipe), (int)features);
    int64_t edges = mp_json_int(root, "edge_features", 0); /* files of models without do not have it */
    if (edges != mp_recipe_edge_columns(&about->recipe))
        return mp_fail(MP_ERR_INPUT, "%s: the recipe makes %d columns of edges, the model takes %" PRId64, name,
                       mp_recipe_edge_columns(&about->recipe), edges);
    if (mp_model_plan(a, &config, mp_inputs_of(&about->recipe, (int)outputs), m) != MP_OK)
        return mp_fail_within(MP_ERR_INPUT, "%s", name);
    mp_model_aim(*m, &goal);
    mp_params *p = mp_model_params(*m);
    MP_TRY(check_params(p, s, name));
    mp_params_alloc(p);
    return read_params(p, s, name);
}

mp_err mp_checkpoint_parse(mp_span bytes, const char *name, mp_arena *a, mp_model **m, mp_about *about)
{
    mp_arena *scratch = mp_arena_new(65536);
    mp_safetensors s;
    const mp_json *root = NULL;
    mp_err e = mp_safetensors_parse(bytes, name, scratch, &s);
    const char *text = e == MP_OK ? mp_safetensors_meta(&s, MP_MODEL_KEY) : NULL;
    if (e == MP_OK && !text) e = mp_fail(MP_ERR_INPUT, "%s: not a midpool model (no '" MP_MODEL_KEY "' entry)", name);
    if (e == MP_OK) e = mp_json_parse(mp_span_of(text), name, scratch, &root);
    if (e == MP_OK) e = build(&s, root, name, a, m, about);
    mp_arena_free(scratch);
    return e;
}

mp_err mp_checkpoint_load(const char *path, mp_arena *a, mp_model **m, mp_about *about)
{
    mp_arena *scratch = mp_arena_new(65536);
    mp_span bytes;
    mp_err e = mp_safetensors_slurp(path, MAX_FILE, scratch, &bytes);
    if (e == MP_OK) e = mp_checkpoint_parse(bytes, path, a, m, about);
    mp_arena_free(scratch);
    return e;
}
