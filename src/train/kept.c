/* kept.c - see kept.h.
 * SPDX-License-Identifier: MIT */
#include "train/kept.h"
#include "model/safetensors.h"
#include "train/resume.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define META_KEY "midpool.result"

enum { EPOCHS, BEST_EPOCH, HIT_CAP, TRAIN_LOSS, VAL_LOSS, VAL_METRIC, TEST_METRIC, LARGE_METRIC, SECONDS, PER_EPOCH };
enum { PEAK = PER_EPOCH + 1, NUMBERS };

static mp_tensor vector(const char *name, const double *v, size_t n)
{
    return (
        mp_tensor){ .name = name, .dtype = MP_DTYPE_F64, .dims = 1, .shape = { (int64_t)n }, .count = n, .data = v };
}

mp_err mp_kept_save(const char *path, const char *identity, const mp_run_result *r)
{
    const double number[NUMBERS] = { [EPOCHS] = r->epochs,           [BEST_EPOCH] = r->best_epoch,
                                     [HIT_CAP] = r->hit_cap,         [TRAIN_LOSS] = r->train_loss,
                                     [VAL_LOSS] = r->val_loss,       [VAL_METRIC] = r->val_metric,
                                     [TEST_METRIC] = r->test_metric, [LARGE_METRIC] = r->large_metric,
                                     [SECONDS] = r->seconds,         [PER_EPOCH] = r->seconds_per_epoch,
                                     [PEAK] = (double)r->peak_bytes };
    double measure[3 * MP_MEASURES_MOST], large_c[1 + MP_MEASURES_MOST] = { r->large_c_metric }, bins[4 * MP_BINS];
    mp_buf text = MP_BUF_LOCAL, bytes = MP_BUF_LOCAL;
    mp_buf_printf(&text, "%s %s %s %s", identity, r->model_sha256[0] ? r->model_sha256 : "-", r->task, r->metric);
    for (int i = 0; i < r->measures; i++) {
        measure[3 * i] = r->measure[i].val;
        measure[3 * i + 1] = r->measure[i].test;
        measure[3 * i + 2] = r->measure[i].large;
        large_c[1 + i] = r->measure[i].large_c;
        mp_buf_printf(&text, " %s", r->measure[i].name);
    }
    for (int i = 0; i < MP_BINS; i++) {
        const mp_bin *b = &r->calibration.bin[i];
        memcpy(bins + 4 * i, (const double[]){ (double)b->count, b->said, b->held, b->squares }, 4 * sizeof *bins);
    }
    const mp_tensor tensor[] = { vector("numbers", number, NUMBERS),
                                 vector("curve", (const double *)r->curve, 3 * (size_t)r->curve_len),
                                 vector("measures", measure, 3 * (size_t)r->measures),
                                 vector("calibration", bins, 4 * MP_BINS),
                                 vector("large-c", large_c, 1 + (size_t)r->measures) };
    mp_meta meta = { META_KEY, text.p };
    mp_safetensors_write(tensor, 5, &meta, 1, true, &bytes);
    mp_err e = mp_resume_write(path, bytes.p, bytes.n);
    mp_buf_free(&bytes);
    mp_buf_free(&text);
    return e;
}

static mp_err to_count(double v, const char *path, int *out)
{
    if (!(v >= 0 && v <= INT_MAX)) return mp_fail(MP_ERR_INPUT, "%s: a count is %g", path, v);
    *out = (int)v;
    return MP_OK;
}

static mp_err fill(const char *path, const double *number, const mp_tensor *curve, mp_arena *a, mp_run_result *r)
{
    MP_TRY(to_count(number[EPOCHS], path, &r->epochs));
    MP_TRY(to_count(number[BEST_EPOCH], path, &r->best_epoch));
    MP_TRY(to_count(number[HIT_CAP], path, &r->hit_cap));
    r->train_loss = number[TRAIN_LOSS];
    r->val_loss = number[VAL_LOSS];
    r->val_metric = number[VAL_METRIC];
    r->test_metric = number[TEST_METRIC];
    r->large_metric = number[LARGE_METRIC];
    r->seconds = number[SECONDS];
    r->seconds_per_epoch = number[PER_EPOCH];
    r->peak_bytes = number[PEAK] >= 0 && number[PEAK] < 1e18 ? (uint64_t)number[PEAK] : 0;
    if (curve->count != 3 * (size_t)r->epochs) return mp_fail(MP_ERR_INPUT, "%s: the curve has another length", path);
    r->curve_len = r->epochs;
    mp_epoch *point = MP_NEW_RAW(a, mp_epoch, r->epochs + 1);
    memcpy(point, curve->data, sizeof *point * (size_t)r->epochs);
    r->curve = point;
    return MP_OK;
}

/* The next word of a text into room for n bytes; false when there is none, or it is too long. */
static bool next_word(mp_span *text, char *out, size_t n)
{
    mp_span word;
    if (!mp_next_field(text, ' ', &word) || word.n == 0 || word.n >= n) return false;
    memcpy(out, word.p, word.n);
    out[word.n] = 0;
    return true;
}

/* "IDENTITY SHA256 TASK METRIC NAME NAME ..." */
static bool read_words(const char *text, const mp_tensor *measures, char whose[80], mp_run_result *r)
{
    mp_span rest = mp_span_of(text);
    double v[3 * MP_MEASURES_MOST];
    bool fine = measures->count <= 3 * MP_MEASURES_MOST && measures->count % 3 == 0 && next_word(&rest, whose, 80) &&
                next_word(&rest, r->model_sha256, sizeof r->model_sha256) &&
                next_word(&rest, r->task, sizeof r->task) && next_word(&rest, r->metric, sizeof r->metric);
    if (!fine) return false;
    if (strcmp(r->model_sha256, "-") == 0) r->model_sha256[0] = 0;
    mp_tensor_doubles(measures, v);
    r->measures = (int)(measures->count / 3);
    for (int i = 0; i < r->measures && fine; i++) {
        mp_measured *m = &r->measure[i];
        *m = (mp_measured){ .val = v[3 * i], .test = v[3 * i + 1], .large = v[3 * i + 2], .large_c = (double)NAN };
        fine = next_word(&rest, m->name, sizeof m->name);
    }
    return fine;
}

/* Files of earlier versions have none. */
static void read_bins(const mp_tensor *bins, mp_calibration *c)
{
    double v[4 * MP_BINS];
    if (!bins || bins->dtype != MP_DTYPE_F64 || bins->count != 4 * MP_BINS) return;
    mp_tensor_doubles(bins, v);
    for (int i = 0; i < 4 * MP_BINS; i++)
        if (!(v[i] >= 0 && v[i] <= 1e15)) return;
    for (int i = 0; i < MP_BINS; i++)
        c->bin[i] = (mp_bin){ (int64_t)v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3] };
}

/* The same. */
static void read_large_c(const mp_tensor *t, mp_run_result *r)
{
    double v[1 + MP_MEASURES_MOST];
    r->large_c_metric = (double)NAN;
    if (!t || t->dtype != MP_DTYPE_F64 || t->count != 1 + (size_t)r->measures) return;
    mp_tensor_doubles(t, v);
    r->large_c_metric = v[0];
    for (int i = 0; i < r->measures; i++) r->measure[i].large_c = v[1 + i];
}

mp_err mp_kept_load(const char *path, const char *identity, mp_arena *a, mp_run_result *out)
{
    mp_safetensors s;
    double number[NUMBERS];
    char whose[80];
    *out = (mp_run_result){ 0 };
    MP_TRY(mp_safetensors_load(path, a, &s));
    const char *text = mp_safetensors_meta(&s, META_KEY);
    const mp_tensor *n = mp_safetensors_find(&s, "numbers"), *curve = mp_safetensors_find(&s, "curve");
    const mp_tensor *measures = mp_safetensors_find(&s, "measures");
    bool known = text && s.sealed && n && n->dtype == MP_DTYPE_F64 && n->count == NUMBERS;
    known = known && curve && curve->dtype == MP_DTYPE_F64 && measures && measures->dtype == MP_DTYPE_F64;
    if (!known || !read_words(text, measures, whose, out))
        return mp_fail(MP_ERR_INPUT, "%s: not a result of a run", path);
    if (strcmp(whose, identity) != 0)
        return mp_fail(MP_ERR_INPUT, "%s: belongs to a run with other settings or data", path);
    mp_tensor_doubles(n, number);
    read_bins(mp_safetensors_find(&s, "calibration"), &out->calibration);
    read_large_c(mp_safetensors_find(&s, "large-c"), out);
    return fill(path, number, curve, a, out);
}
