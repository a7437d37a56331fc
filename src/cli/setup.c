/* setup.c - see setup.h.
 * SPDX-License-Identifier: MIT */
#include "cli/setup.h"
#include "base/crew.h"
#include "base/json.h"
#include "cli/cli.h"
#include "data/known.h"
#include "model/safetensors.h"
#include "store/store.h"
#include "task/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

mp_err mp_setup_load(const char *name, const char *data_dir, const mp_config *c, const mp_column_options *columns,
                     mp_arena *a, mp_dataset *out)
{
    mp_dataset_as as = mp_config_as(c);
    mp_columns which = columns ? mp_columns_of(columns, true) : (mp_columns){ .labelled = true };
    as.columns = &which;
    MP_TRY(mp_dataset_load_as(name, data_dir, &as, a, out));
    mp_columns_left(&out->left);
    return MP_OK;
}

void mp_setup_describe(const mp_dataset *d, const mp_folds *f, char *out, size_t n)
{
    int learned = d->task->classes ? d->classes : d->targets;
    char edges[64] = "";
    if (d->edge_x.cols)
        snprintf(edges, sizeof edges, ", %d columns of edges", d->edge_x.cols);
    else if (d->unused_edge_columns)
        snprintf(edges, sizeof edges, " (labels or attributes of edges are there and not used)");
    snprintf(out, n, "%s: %d graphs, %d %s, %d feature columns%s; folds: %s", d->name, d->graphs.graphs, learned,
             learned == 1 ? d->task->one : d->task->many, d->x.cols, edges, f->about);
}

mp_err mp_setup_variant(mp_variants *v, const mp_config *c, mp_arena *a, mp_dataset **out)
{
    bool first;
    MP_TRY(mp_variant_of(v, c, a, out, &first));
    if (first) mp_columns_left(&(*out)->left); /* once, though variants leave out the same rows */
    return MP_OK;
}

mp_err mp_setup_use(mp_variants *v, const mp_config *c, const mp_folds *f, mp_arena *a, mp_dataset **out, char *line,
                    size_t n)
{
    MP_TRY(mp_setup_variant(v, c, a, out));
    int which = 0;
    while (v->set[which / 2][which % 2] != *out) which++;
    line[0] = '\0';
    if (!v->told[which]) mp_setup_describe(*out, f, line, n);
    v->told[which] = true;
    return MP_OK;
}

void mp_setup_model_name(const mp_config *c, char *out, size_t n)
{
    bool base = c->score_dim == 1 && !c->flip && c->drop == 0;
    if (base)
        snprintf(out, n, "%s", c->pool);
    else if (c->flip)
        mp_format(out, n, "%s + MID (h %d, drop %g)", c->pool, c->score_dim, c->drop);
    else
        mp_format(out, n, "%s (h %d, no flip, drop %g)", c->pool, c->score_dim, c->drop);
}

mp_err mp_setup_writable(const char *path)
{
    return path && mp_store_is_file(path) ? mp_write_check(path) : MP_OK;
}

mp_err mp_setup_metric(const char *name)
{
    if (!name || mp_metric_find(name)) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "--metric: no metric '%s' (midpool train --help lists them)", name);
}

mp_err mp_setup_in_order(const char *model, const char *input)
{
    if (mp_safetensors_look(input) != MP_OK) return MP_OK;
    if (mp_safetensors_look(model) != MP_OK)
        return mp_fail(MP_ERR_USAGE, "the model comes first, then the input: '%s' is a model file", input);
    return mp_fail(MP_ERR_USAGE, "the input is missing: '%s', which stands in its place, is a model file", input);
}

void mp_setup_note(const mp_about *about, const mp_dataset *d)
{
    const char *unused = d->unused_labels && d->unused_attributes ? "node labels and node attributes"
                         : d->unused_labels                       ? "node labels"
                         : d->unused_attributes                   ? "node attributes"
                                                                  : NULL;
    bool other = mp_known_find(d->name) && strcmp(d->name, about->dataset) != 0;
    if (!unused && !other) return;
    mp_cli_say("note: %s: the model was trained on %s%s%s", d->name, about->dataset, unused ? ", without " : "",
               unused ? unused : "");
}

mp_err mp_setup_ready(const char *model, const char *input, const char *data_dir, const mp_column_options *columns,
                      mp_arena *a, mp_ready *out)
{
    MP_TRY(mp_setup_in_order(model, input));
    MP_TRY(mp_checkpoint_load(model, a, &out->by.model, &out->by.about));
    MP_TRY(mp_task_of_graphs(mp_model_goal(out->by.model)->task, model));
    mp_dataset_as as = mp_about_as(out->by.model, &out->by.about);
    mp_columns which = mp_columns_of(columns, false);
    as.columns = &which;
    MP_TRY(mp_dataset_load_as(input, data_dir, &as, a, &out->data));
    mp_columns_left(&out->data.left);
    mp_setup_note(&out->by.about, &out->data);
    return MP_OK;
}

/* Every metric of the task, of the validation graphs and of those of the test. */
static void add_measures(const mp_run_result *r, bool test, mp_buf *b)
{
    mp_json_key(b, test ? "test" : "val");
    mp_json_open(b, '{');
    for (int i = 0; i < r->measures; i++)
        mp_json_add_real(b, r->measure[i].name, test ? r->measure[i].test : r->measure[i].val);
    mp_json_close(b, '}');
}

static void add_share(mp_buf *b, const char *key, double v)
{
    if (!isnan(v)) mp_json_add_real(b, key, v);
}

void mp_setup_result_json(const mp_run_key *key, const mp_run_result *r, mp_buf *b)
{
    mp_json_add_text(b, "dataset", key->dataset);
    mp_json_add_text(b, "pool", key->config.pool);
    mp_json_add_int(b, "score_dim", key->config.score_dim);
    mp_json_add_bool(b, "flip", key->config.flip);
    mp_json_add_real(b, "drop", key->config.drop);
    mp_json_add_int(b, "seed", key->config.seed);
    mp_json_add_int(b, "fold", key->fold);
    mp_json_add_int(b, "folds", key->folds);
    mp_json_add_text(b, "folds_from", key->folds_from);
    mp_json_add_int(b, "epochs", r->epochs);
    mp_json_add_int(b, "best_epoch", r->best_epoch);
    mp_json_add_bool(b, "hit_cap", r->hit_cap);
    mp_json_add_real(b, "train_loss", r->train_loss);
    mp_json_add_real(b, "val_loss", r->val_loss);
    mp_json_add_text(b, "task", r->task);
    mp_json_add_text(b, "metric", r->metric);
    mp_json_add_real(b, "val_metric", r->val_metric);
    mp_json_add_real(b, "test_metric", r->test_metric);
    add_share(b, "large_metric", r->large_metric);
    add_share(b, "large_c_metric", r->large_c_metric);
    add_measures(r, false, b);
    add_measures(r, true, b);
    mp_json_add_real(b, "seconds", r->seconds);
    mp_json_add_real(b, "seconds_per_epoch", r->seconds_per_epoch);
    mp_json_add_int(b, "peak_bytes", (int64_t)r->peak_bytes);
    mp_json_add_text(b, "model_sha256", r->model_sha256);
}

int mp_setup_threads(int asked)
{
    return asked > 0 ? asked : mp_cpu_count();
}
