/* resume.c - see resume.h.
 * SPDX-License-Identifier: MIT */
#include "train/resume.h"
#include "base/json.h"
#include "model/safetensors.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define META_KEY "midpool.resume"

static void put_text(const char *identity, const mp_resume *r, mp_buf *b)
{
    mp_json_open(b, '{');
    mp_json_add_text(b, "identity", identity);
    mp_json_add_int(b, "epoch", r->epoch);
    mp_json_add_int(b, "best_epoch", r->stop.best_epoch);
    mp_json_add_int(b, "since", r->stop.since);
    mp_json_add_real(b, "train_seconds", r->train_seconds);
    mp_json_add_real(b, "all_seconds", r->all_seconds);
    mp_json_close(b, '}');
}

static mp_tensor flat(const char *name, mp_dtype dtype, size_t count, const void *data)
{
    return (mp_tensor){
        .name = name, .dtype = dtype, .dims = 1, .shape = { (int64_t)count }, .count = count, .data = data
    };
}

/* More than once, because another study may take the folder away between the two steps. */
mp_err mp_resume_write(const char *path, const void *data, size_t n)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    mp_err e = mp_write_file(path, data, n);
    for (int tries = 0; e != MP_OK && tries < 3 && access(folder, F_OK) != 0; tries++) {
        if (mkdir(folder, 0777) != 0 && errno != EEXIST) return mp_fail(MP_ERR_IO, "%s: %s", folder, strerror(errno));
        e = mp_write_file(path, data, n);
    }
    return e;
}

mp_err mp_resume_save(const char *path, const char *identity, const mp_resume *r)
{
    mp_buf text = MP_BUF_LOCAL, bytes = MP_BUF_LOCAL;
    put_text(identity, r, &text);
    const mp_tensor tensor[] = {
        flat("best_loss", MP_DTYPE_F64, 1, &r->stop.best), /* a tensor: JSON has no infinity */
        flat("curve", MP_DTYPE_F64, 3 * (size_t)r->epoch, r->curve),
        flat("weights", MP_DTYPE_REAL, r->weights, r->theta),
        flat("best", MP_DTYPE_REAL, r->weights, r->best),
        flat("optimiser", MP_DTYPE_U8, r->state_bytes, r->state),
    };
    mp_meta meta = { META_KEY, text.p };
    mp_safetensors_write(tensor, 5, &meta, 1, true, &bytes);
    mp_err e = mp_resume_write(path, bytes.p, bytes.n);
    mp_buf_free(&bytes);
    mp_buf_free(&text);
    return e;
}

/* The bytes of a tensor that must be there with this type and length. */
static mp_err copy(const mp_safetensors *s, const char *name, mp_dtype dtype, size_t count, void *out)
{
    const mp_tensor *t = mp_safetensors_find(s, name);
    if (!t || t->dtype != dtype || t->count != count)
        return mp_fail(MP_ERR_INPUT, "tensor '%s' is not as this run has it", name);
    if (count) memcpy(out, t->data, count * mp_dtype_size(dtype));
    return MP_OK;
}

static mp_err fill(const mp_safetensors *s, const mp_json *root, const char *path, int epochs, mp_resume *r)
{
    int64_t epoch, best, since;
    MP_TRY(mp_json_need_int(root, "epoch", 1, epochs, path, &epoch));
    MP_TRY(mp_json_need_int(root, "best_epoch", 0, epoch, path, &best));
    MP_TRY(mp_json_need_int(root, "since", 0, epoch, path, &since));
    r->epoch = (int)epoch;
    r->stop.best_epoch = (int)best;
    r->stop.since = (int)since;
    r->train_seconds = mp_json_real(root, "train_seconds", 0);
    r->all_seconds = mp_json_real(root, "all_seconds", 0);
    MP_TRY(copy(s, "best_loss", MP_DTYPE_F64, 1, &r->stop.best));
    MP_TRY(copy(s, "curve", MP_DTYPE_F64, 3 * (size_t)epoch, r->curve));
    MP_TRY(copy(s, "weights", MP_DTYPE_REAL, r->weights, r->theta));
    MP_TRY(copy(s, "best", MP_DTYPE_REAL, r->weights, r->best));
    return copy(s, "optimiser", MP_DTYPE_U8, r->state_bytes, r->state);
}

static mp_err load_in(const char *path, const char *identity, int epochs, mp_arena *scratch, mp_resume *r)
{
    mp_safetensors s;
    const mp_json *root;
    MP_TRY(mp_safetensors_load(path, scratch, &s));
    const char *text = mp_safetensors_meta(&s, META_KEY);
    if (!text || !s.sealed) return mp_fail(MP_ERR_INPUT, "not an unfinished run of midpool");
    MP_TRY(mp_json_parse(mp_span_of(text), path, scratch, &root));
    if (strcmp(mp_json_text(root, "identity", ""), identity) != 0)
        return mp_fail(MP_ERR_INPUT, "belongs to a run with other settings or data");
    return fill(&s, root, path, epochs, r);
}

mp_err mp_resume_load(const char *path, const char *identity, int epochs, mp_resume *r)
{
    mp_arena *scratch = mp_arena_new(65536);
    mp_err e = load_in(path, identity, epochs, scratch, r);
    mp_arena_free(scratch);
    return e;
}
