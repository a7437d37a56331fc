/* kept.c - see kept.h.
 * SPDX-License-Identifier: MIT */
#include "train/kept.h"
#include "model/safetensors.h"
#include "train/resume.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define META_KEY "midpool.result"

enum { EPOCHS, BEST_EPOCH, HIT_CAP, TRAIN_LOSS, VAL_LOSS, VAL_METRIC, TEST_METRIC, LARGE_METRIC, SECONDS, PER_EPOCH };
enum { PEAK = PER_EPOCH + 1, NUMBERS };

mp_err mp_kept_save(const char *path, const char *identity, const mp_run_result *r)
{
    const double number[NUMBERS] = { [EPOCHS] = r->epochs,           [BEST_EPOCH] = r->best_epoch,
                                     [HIT_CAP] = r->hit_cap,         [TRAIN_LOSS] = r->train_loss,
                                     [VAL_LOSS] = r->val_loss,       [VAL_METRIC] = r->val_metric,
                                     [TEST_METRIC] = r->test_metric, [LARGE_METRIC] = r->large_metric,
                                     [SECONDS] = r->seconds,         [PER_EPOCH] = r->seconds_per_epoch,
                                     [PEAK] = (double)r->peak_bytes };
    size_t points = 3 * (size_t)r->curve_len;
    const mp_tensor tensor[] = {
        { .name = "numbers", .dtype = MP_DTYPE_F64, .dims = 1, .shape = { NUMBERS }, .count = NUMBERS, .data = number },
        { .name = "curve",
          .dtype = MP_DTYPE_F64,
          .dims = 1,
          .shape = { (int64_t)points },
          .count = points,
          .data = r->curve },
    };
    mp_buf text = { 0 }, bytes = { 0 };
    mp_buf_printf(&text, "%s %s", identity, r->model_sha256);
    mp_meta meta = { META_KEY, text.p };
    mp_safetensors_write(tensor, 2, &meta, 1, true, &bytes);
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

mp_err mp_kept_load(const char *path, const char *identity, mp_arena *a, mp_run_result *out)
{
    mp_safetensors s;
    double number[NUMBERS];
    char whose[80];
    *out = (mp_run_result){ 0 };
    MP_TRY(mp_safetensors_load(path, a, &s));
    const char *text = mp_safetensors_meta(&s, META_KEY);
    const mp_tensor *n = mp_safetensors_find(&s, "numbers"), *curve = mp_safetensors_find(&s, "curve");
    bool known = text && s.sealed && n && n->dtype == MP_DTYPE_F64 && n->count == NUMBERS;
    if (!known || !curve || curve->dtype != MP_DTYPE_F64)
        return mp_fail(MP_ERR_INPUT, "%s: not a result of a run", path);
    if (sscanf(text, "%79s %64s", whose, out->model_sha256) < 1 || strcmp(whose, identity) != 0)
        return mp_fail(MP_ERR_INPUT, "%s: belongs to a run with other settings or data", path);
    mp_tensor_doubles(n, number);
    return fill(path, number, curve, a, out);
}
