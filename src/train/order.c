/* order.c - see order.h. Settings travel as their names and values, so that reading them is what reading any settings is.
 * SPDX-License-Identifier: MIT */
#include "train/order.h"
#include "base/clock.h"
#include "model/checkpoint.h"
#include "train/once.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FORMAT       "midpool order 1"
#define SAVE_SECONDS 10.0 /* shorter runs never touch the disk */
#define NEWS_SECONDS 0.25
#define VALUE        80

/* ---- as bytes ---- */

static void put_config(const mp_config *c, mp_buf *out)
{
    mp_config usual;
    char value[VALUE];
    mp_config_init(&usual);
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        if (mp_conf_same(o, c, &usual)) continue;
        mp_conf_get(o, c, value, sizeof value);
        mp_bytes_put_text(out, o->name);
        mp_bytes_put_text(out, value);
    }
    mp_bytes_put_text(out, "");
}

static mp_err get_config(mp_bytes *b, mp_config *c)
{
    mp_config_init(c);
    for (;;) {
        char name[VALUE], value[VALUE];
        mp_bytes_line(b, name, sizeof name);
        if (b->bad || !name[0]) return MP_OK;
        mp_bytes_line(b, value, sizeof value);
        if (!b->bad) MP_TRY(mp_conf_set(mp_config_table, c, name, value, "an order"));
    }
}

static void put_graphs(mp_buf *out, const int *list, int n)
{
    mp_bytes_put_int(out, n);
    mp_bytes_put_list(out, list ? list : &n, (size_t)n, sizeof *list);
}

static const int *get_graphs(mp_bytes *b, mp_arena *a, int *n)
{
    *n = mp_bytes_count(b);
    const int *list = mp_bytes_list(b, a, (size_t)*n, sizeof *list);
    b->bad = b->bad || !list;
    return list;
}

static void put_key(const mp_run_key *k, mp_buf *out)
{
    char identity[65];
    mp_run_identity(k, identity);
    mp_bytes_put_text(out, identity);
    mp_bytes_put_text(out, k->dataset);
    mp_bytes_put_list(out, &k->fingerprint, 1, sizeof k->fingerprint);
    mp_bytes_put_text(out, k->folds_from);
    mp_bytes_put_int(out, k->fold);
    mp_bytes_put_int(out, k->folds);
    put_config(&k->config, out);
}

static mp_err get_key(mp_bytes *b, mp_arena *a, mp_run_key *k)
{
    char want[65], have[65];
    memset(k, 0, sizeof *k);
    mp_bytes_line(b, want, sizeof want);
    mp_bytes_line(b, k->dataset, sizeof k->dataset);
    const uint64_t *fingerprint = mp_bytes_list(b, a, 1, sizeof *fingerprint);
    b->bad = b->bad || !fingerprint;
    if (fingerprint) k->fingerprint = *fingerprint;
    mp_bytes_line(b, k->folds_from, sizeof k->folds_from);
    k->fold = mp_bytes_count(b);
    k->folds = mp_bytes_count(b);
    MP_TRY(get_config(b, &k->config));
    if (b->bad) return MP_OK;
    mp_run_identity(k, have);
    b->bad = strcmp(want, have) != 0;
    return MP_OK;
}

void mp_order_pack(const mp_order *o, mp_buf *out)
{
    static const char room[MP_SEAL_DIGITS];
    const mp_split *s = o->run.split;
    size_t from = out->n;
    mp_buf_add(out, room, sizeof room);
    mp_bytes_put_text(out, FORMAT);
    put_key(&o->run.key, out);
    mp_bytes_put_text(out, o->data);
    mp_bytes_put_int(out, o->threads);
    mp_bytes_put_int(out, o->model);
    mp_bytes_put_text(out, o->resume_dir);
    mp_bytes_put_int(out, s->fold);
    put_graphs(out, s->train, s->n_train);
    put_graphs(out, s->val, s->n_val);
    put_graphs(out, s->test, s->n_test);
    mp_bytes_seal(out, from);
}

mp_err mp_order_unpack(mp_span bytes, mp_arena *a, mp_order *out)
{
    mp_bytes b;
    char format[sizeof FORMAT];
    mp_split *s = MP_NEW(a, mp_split, 1);
    *out = (mp_order){ .run.split = s };
    MP_TRY(mp_bytes_unseal(bytes, "an order", &b));
    mp_bytes_line(&b, format, sizeof format);
    b.bad = b.bad || strcmp(format, FORMAT) != 0;
    MP_TRY(get_key(&b, a, &out->run.key));
    mp_bytes_line(&b, out->data, sizeof out->data);
    out->threads = (int)mp_bytes_int(&b, 1, 4096);
    out->model = mp_bytes_int(&b, 0, 1);
    out->resume_dir = mp_bytes_text(&b, a);
    s->fold = mp_bytes_count(&b);
    s->train = get_graphs(&b, a, &s->n_train);
    s->val = get_graphs(&b, a, &s->n_val);
    s->test = get_graphs(&b, a, &s->n_test);
    if (b.bad || b.rest.n) return mp_fail(MP_ERR_INPUT, "an order: not one that this version of midpool packed");
    return MP_OK;
}

static bool are_below(const int *v, int n, int end)
{
    for (int i = 0; i < n; i++)
        if (v[i] < 0 || v[i] >= end) return false;
    return true;
}

mp_err mp_order_fits(const mp_order *o, int graphs)
{
    const mp_split *s = o->run.split;
    if (are_below(s->train, s->n_train, graphs) && are_below(s->val, s->n_val, graphs) &&
        are_below(s->test, s->n_test, graphs))
        return MP_OK;
    return mp_fail(MP_ERR_INPUT, "an order: fold %d has graphs that the data set has not", s->fold);
}

/* ---- the work ---- */

bool mp_order_file(const char *resume_dir, const char *identity, const char *kind, char *out, size_t n)
{
    return resume_dir && snprintf(out, n, "%s/%.24s.%s", resume_dir, identity, kind) < (int)n;
}

typedef struct teller {
    mp_worker *worker;
    double told;
} teller;

static void tell(void *state, const mp_fit_news *n)
{
    teller *t = state;
    if (mp_seconds() - t->told < NEWS_SECONDS) return;
    t->told = mp_seconds();
    mp_worker_tell(t->worker, n, sizeof *n);
}

static void warn(void *state, const char *line)
{
    mp_worker_note(((teller *)state)->worker, line);
}

static void put_model(const mp_dataset *d, mp_model *m, mp_buf *out)
{
    mp_about about = mp_about_of(d, m);
    mp_buf file = MP_BUF_LOCAL;
    mp_checkpoint_write(m, &about, &file);
    mp_bytes_put_list(out, file.p, file.n, 1);
    mp_buf_free(&file);
}

mp_err mp_order_work(const mp_order *o, mp_worker *w, mp_buf *answer)
{
    const mp_cv_run *r = &o->run;
    char path[PATH_MAX], identity[65];
    teller t = { .worker = w };
    mp_run_identity(&r->key, identity);
    mp_fit_options fit = { .news = tell,
                           .warn = warn,
                           .state = &t,
                           .identity = identity,
                           .stop = mp_worker_stop(w),
                           .group = o->group,
                           .save_every = SAVE_SECONDS };
    if (mp_order_file(o->resume_dir, identity, "part", path, sizeof path) && access(o->resume_dir, W_OK) == 0)
        fit.resume = path;
    mp_arena *a = mp_arena_new(1 << 20);
    mp_run_result result;
    mp_model *model;
    mp_err e = mp_run_once(r->data, r->split, &r->key, o->threads, &fit, a, &result, &model);
    if (e == MP_OK) {
        mp_buf packed = MP_BUF_LOCAL;
        mp_run_result_pack(&result, &packed);
        mp_bytes_put_list(answer, packed.p, packed.n, 1);
        mp_buf_free(&packed);
        if (o->model)
            put_model(r->data, model, answer);
        else
            mp_bytes_put_text(answer, NULL);
    }
    mp_arena_free(a);
    return e;
}

static mp_span next_part(mp_bytes *b)
{
    mp_span part = { NULL, 0 };
    int64_t n = mp_bytes_int(b, -1, INT64_MAX);
    b->bad = b->bad || (n > 0 && (uint64_t)n > b->rest.n);
    if (b->bad || n < 0) return part;
    part = (mp_span){ b->rest.p, (size_t)n };
    b->rest = (mp_span){ b->rest.p + n, b->rest.n - (size_t)n };
    return part;
}

mp_err mp_answer_unpack(mp_span answer, mp_arena *a, mp_run_result *out, mp_span *model)
{
    mp_bytes b = { .rest = answer };
    mp_span result = next_part(&b);
    *model = next_part(&b);
    if (b.bad || b.rest.n) return mp_fail(MP_ERR_INPUT, "a worker sent half an answer");
    return mp_run_result_unpack(result, a, out);
}
