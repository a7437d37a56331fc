/* safetensors.c - see safetensors.h. The header is checked whole before a tensor is handed out: types,
 * shapes whose product fits, offsets that lie inside and cover the data exactly once.
 * SPDX-License-Identifier: MIT */
#include "model/safetensors.h"

#include "base/json.h"
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_LIMIT 100000000 /* the reference reader's */
#define SEAL_DIGITS  64
#define START        9 /* bytes that tell a safetensors file: the length of the header and its first bracket */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers in the file are little-endian");

static const struct {
    const char *name;
    size_t size;
} dtypes[] = { [MP_DTYPE_BOOL] = { "BOOL", 1 }, [MP_DTYPE_U8] = { "U8", 1 },   [MP_DTYPE_I8] = { "I8", 1 },
               [MP_DTYPE_I16] = { "I16", 2 },   [MP_DTYPE_U16] = { "U16", 2 }, [MP_DTYPE_F16] = { "F16", 2 },
               [MP_DTYPE_BF16] = { "BF16", 2 }, [MP_DTYPE_I32] = { "I32", 4 }, [MP_DTYPE_U32] = { "U32", 4 },
               [MP_DTYPE_F32] = { "F32", 4 },   [MP_DTYPE_I64] = { "I64", 8 }, [MP_DTYPE_U64] = { "U64", 8 },
               [MP_DTYPE_F64] = { "F64", 8 } };
#define DTYPES ((int)(sizeof dtypes / sizeof *dtypes))

size_t mp_dtype_size(mp_dtype t)
{
    return dtypes[t].size;
}

const char *mp_dtype_name(mp_dtype t)
{
    return dtypes[t].name;
}

/* Reading. */

typedef struct file {
    const char *name;
    mp_span all, header, data;
    mp_arena *arena;
} file;

/* What else people have at hand, by its first bytes. */
static const char *kind_of(mp_span start)
{
    static const struct {
        const char *begin, *what;
    } kinds[] = { { "SQLite fo", "an SQLite store" },
                  { "PK\3\4", "a zip archive" },
                  { "\x1F\x8B", "a gzip archive" },
                  { "\xFD\x37zXZ", "an xz archive" } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].begin);
        if (start.n >= n && memcmp(start.p, kinds[i].begin, n) == 0) return kinds[i].what;
    }
    return NULL;
}

/* The beginning of a file of `size` bytes, up to START of them or more: how long the header is. */
static mp_err check_start(mp_span start, size_t size, const char *name, size_t *header)
{
    uint64_t n;
    const char *other = kind_of(start);
    if (other) return mp_fail(MP_ERR_INPUT, "%s: not a safetensors file: it is %s", name, other);
    if (start.n < 8) return mp_fail(MP_ERR_INPUT, "%s: too short for a safetensors file", name);
    memcpy(&n, start.p, 8);
    if (n > HEADER_LIMIT || n == 0 || start.n < START || start.p[8] != '{')
        return mp_fail(MP_ERR_INPUT, "%s: not a safetensors file: the header is not a JSON object", name);
    if (n > size - 8)
        return mp_fail(MP_ERR_INPUT, "%s: cut off: its header has %llu bytes, the file %zu", name,
                       (unsigned long long)n, size);
    *header = (size_t)n;
    return MP_OK;
}

static mp_err split_file(file *f)
{
    size_t n;
    MP_TRY(check_start(f->all, f->all.n, f->name, &n));
    f->header = (mp_span){ f->all.p + 8, n };
    f->data = (mp_span){ f->all.p + 8 + n, f->all.n - 8 - n };
    return MP_OK;
}

static mp_err read_dtype(const file *f, const mp_json *entry, mp_dtype *out)
{
    const mp_json *v;
    MP_TRY(mp_json_need(entry, "dtype", MP_JSON_STRING, f->name, &v));
    for (int t = 0; t < DTYPES; t++) {
        if (strcmp(v->text, dtypes[t].name) == 0) {
            *out = (mp_dtype)t;
            return MP_OK;
        }
    }
    return mp_fail(MP_ERR_INPUT, "%s: tensor '%s' has the unknown type '%s'", f->name, entry->key, v->text);
}

static mp_err read_shape(const file *f, const mp_json *entry, mp_tensor *t)
{
    const mp_json *v;
    MP_TRY(mp_json_need(entry, "shape", MP_JSON_ARRAY, f->name, &v));
    if (v->count > MP_TENSOR_DIMS)
        return mp_fail(MP_ERR_LIMIT, "%s: tensor '%s' has more than %d dimensions", f->name, t->name, MP_TENSOR_DIMS);
    t->count = 1;
    for (const mp_json *m = v->first; m; m = m->next) {
        if (m->kind != MP_JSON_NUMBER || !m->exact || m->whole < 0)
            return mp_fail(MP_ERR_INPUT, "%s: tensor '%s' has an impossible shape", f->name, t->name);
        t->shape[t->dims++] = m->whole;
        if (__builtin_mul_overflow(t->count, (uint64_t)m->whole, &t->count))
            return mp_fail(MP_ERR_LIMIT, "%s: tensor '%s' is too large", f->name, t->name);
    }
    return MP_OK;
}

static mp_err read_offsets(const file *f, const mp_json *entry, mp_tensor *t)
{
    const mp_json *v;
    MP_TRY(mp_json_need(entry, "data_offsets", MP_JSON_ARRAY, f->name, &v));
    const mp_json *from = v->first, *to = from ? from->next : NULL;
    bool two = v->count == 2 && from->kind == MP_JSON_NUMBER && to->kind == MP_JSON_NUMBER;
    if (!two || !from->exact || !to->exact || from->whole < 0 || to->whole < from->whole ||
        (uint64_t)to->whole > f->data.n)
        return mp_fail(MP_ERR_INPUT, "%s: data_offsets of tensor '%s' lie outside of the file", f->name, t->name);
    size_t bytes;
    if (__builtin_mul_overflow(t->count, mp_dtype_size(t->dtype), &bytes) ||
        bytes != (uint64_t)(to->whole - from->whole))
        return mp_fail(MP_ERR_INPUT, "%s: data_offsets of tensor '%s' do not fit its shape and type", f->name, t->name);
    t->data = f->data.p + from->whole;
    return MP_OK;
}

static mp_err read_tensor(const file *f, const mp_json *entry, mp_tensor *t)
{
    t->name = entry->key;
    MP_TRY(read_dtype(f, entry, &t->dtype));
    MP_TRY(read_shape(f, entry, t));
    MP_TRY(read_offsets(f, entry, t));
    if (entry->count != 3)
        return mp_fail(MP_ERR_INPUT, "%s: tensor '%s' has entries beside dtype, shape and data_offsets", f->name,
                       t->name);
    return MP_OK;
}

static size_t tensor_bytes(const mp_tensor *t)
{
    return t->count * mp_dtype_size(t->dtype);
}

/* By place; an empty tensor before the one that begins where it lies. */
static int by_place(const void *a, const void *b)
{
    const mp_tensor *x = *(const mp_tensor *const *)a, *y = *(const mp_tensor *const *)b;
    if (x->data != y->data) return (const char *)x->data < (const char *)y->data ? -1 : 1;
    return (tensor_bytes(x) > 0) - (tensor_bytes(y) > 0);
}

static mp_err check_cover(const file *f, const mp_safetensors *s)
{
    const mp_tensor **order = MP_NEW_RAW(f->arena, const mp_tensor *, s->tensors + 1);
    for (int i = 0; i < s->tensors; i++) order[i] = &s->tensor[i];
    qsort(order, (size_t)s->tensors, sizeof *order, by_place);
    const char *at = f->data.p;
    for (int i = 0; i < s->tensors; i++) {
        if (order[i]->data != at)
            return mp_fail(MP_ERR_INPUT, "%s: a hole or an overlap in the data before tensor '%s'", f->name,
                           order[i]->name);
        at += tensor_bytes(order[i]);
    }
    if (at != f->data.p + f->data.n)
        return mp_fail(MP_ERR_INPUT, "%s: %zu bytes at the end belong to no tensor", f->name,
                       (size_t)(f->data.p + f->data.n - at));
    return MP_OK;
}

static mp_err read_metadata(const file *f, const mp_json *map, mp_safetensors *out)
{
    if (!map) return MP_OK;
    if (map->kind != MP_JSON_OBJECT) return mp_fail(MP_ERR_INPUT, "%s: __metadata__ is not an object", f->name);
    mp_meta *meta = MP_NEW(f->arena, mp_meta, map->count + 1);
    for (const mp_json *m = map->first; m; m = m->next) {
        if (m->kind != MP_JSON_STRING)
            return mp_fail(MP_ERR_INPUT, "%s: metadata '%s' is not a string", f->name, m->key);
        meta[out->metas++] = (mp_meta){ m->key, m->text };
    }
    out->meta = meta;
    return MP_OK;
}

/* The hash of the file with the digits of the seal, which begin at `at`, taken as zeros. */
static void seal_of(const char *file_bytes, size_t n, size_t at, char hex[SEAL_DIGITS + 1])
{
    char zeros[SEAL_DIGITS];
    memset(zeros, '0', sizeof zeros);
    mp_sha256 s;
    mp_sha256_init(&s);
    mp_sha256_add(&s, file_bytes, at);
    mp_sha256_add(&s, zeros, sizeof zeros);
    mp_sha256_add(&s, file_bytes + at + SEAL_DIGITS, n - at - SEAL_DIGITS);
    mp_sha256_end_hex(&s, hex);
}

static mp_err check_seal(const file *f, const mp_json *map, mp_safetensors *out)
{
    const mp_json *seal = mp_json_get(map, MP_SEAL_KEY);
    if (!seal && mp_json_get(map, MP_MODEL_KEY))
        return mp_fail(MP_ERR_INPUT, "%s: the file is damaged: '" MP_SEAL_KEY "' is missing", f->name);
    if (!seal || strcmp(seal->text, "none") == 0) return MP_OK;
    size_t at = 8 + seal->at + 1; /* behind the quote */
    char hex[SEAL_DIGITS + 1];
    if (seal->bytes == SEAL_DIGITS && memcmp(f->all.p + at, seal->text, SEAL_DIGITS) == 0) {
        seal_of(f->all.p, f->all.n, at, hex);
        out->sealed = memcmp(hex, seal->text, SEAL_DIGITS) == 0;
    }
    if (!out->sealed)
        return mp_fail(MP_ERR_INPUT, "%s: the file is damaged: its bytes do not fit '" MP_SEAL_KEY "'", f->name);
    return MP_OK;
}

mp_err mp_safetensors_parse(mp_span bytes, const char *name, mp_arena *a, mp_safetensors *out)
{
    file f = { .name = name, .all = bytes, .arena = a };
    const mp_json *root;
    *out = (mp_safetensors){ 0 };
    MP_TRY(split_file(&f));
    MP_TRY(mp_json_parse(f.header, name, a, &root));
    const mp_json *map = mp_json_get(root, "__metadata__");
    MP_TRY(read_metadata(&f, map, out));
    MP_TRY(check_seal(&f, map, out));
    mp_tensor *tensor = MP_NEW(a, mp_tensor, root->count + 1);
    for (const mp_json *v = root->first; v; v = v->next)
        if (v != map) MP_TRY(read_tensor(&f, v, &tensor[out->tensors++]));
    out->tensor = tensor;
    return check_cover(&f, out);
}

static mp_err look(int fd, const char *path)
{
    struct stat st;
    char start[START];
    size_t header;
    if (fstat(fd, &st) != 0) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode)) return mp_fail(MP_ERR_IO, "%s: is a folder, expected a file", path);
    if (!S_ISREG(st.st_mode)) return mp_fail(MP_ERR_INPUT, "%s: is a device or a pipe, expected a file", path);
    ssize_t got = pread(fd, start, START, 0);
    if (got < 0) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
    return check_start((mp_span){ start, (size_t)got }, (size_t)st.st_size, path, &header);
}

mp_err mp_safetensors_look(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return mp_fail(MP_ERR_IO, "%s: %s", path, strerror(errno));
    mp_err e = look(fd, path);
    close(fd);
    return e;
}

mp_err mp_safetensors_slurp(const char *path, size_t limit, mp_arena *a, mp_span *out)
{
    MP_TRY(mp_safetensors_look(path));
    return mp_slurp(path, limit, a, out);
}

mp_err mp_safetensors_load(const char *path, mp_arena *a, mp_safetensors *out)
{
    mp_span bytes;
    MP_TRY(mp_safetensors_slurp(path, 0, a, &bytes));
    return mp_safetensors_parse(bytes, path, a, out);
}

const mp_tensor *mp_safetensors_find(const mp_safetensors *s, const char *name)
{
    for (int i = 0; i < s->tensors; i++)
        if (strcmp(s->tensor[i].name, name) == 0) return &s->tensor[i];
    return NULL;
}

const char *mp_safetensors_meta(const mp_safetensors *s, const char *key)
{
    for (int i = 0; i < s->metas; i++)
        if (strcmp(s->meta[i].key, key) == 0) return s->meta[i].text;
    return NULL;
}

mp_err mp_safetensors_need(const mp_safetensors *s, const char *name, int dims, const int64_t *shape,
                           const mp_tensor **out)
{
    const mp_tensor *t = mp_safetensors_find(s, name);
    if (!t) return mp_fail(MP_ERR_INPUT, "tensor '%s' is missing", name);
    if (t->dims != dims) return mp_fail(MP_ERR_INPUT, "tensor '%s' has %d dimensions, not %d", name, t->dims, dims);
    for (int i = 0; i < dims; i++) {
        if (shape[i] >= 0 && t->shape[i] != shape[i])
            return mp_fail(MP_ERR_INPUT, "dimension %d of tensor '%s' is %lld, not %lld", i + 1, name,
                           (long long)t->shape[i], (long long)shape[i]);
    }
    *out = t;
    return MP_OK;
}

/* Numbers. */

static double half(uint16_t bits)
{
    int e = bits >> 10 & 31, m = bits & 1023;
    double v = e == 31 ? (m ? (double)NAN : (double)INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return bits >> 15 ? -v : v;
}

static double bfloat(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &wide, 4);
    return (double)v;
}

/* Number i as a double. `*whole` receives it unrounded when the type is one of integers; else it is left
 * alone. */
static double number(const mp_tensor *t, size_t i, int64_t *whole)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
    } v;
    size_t size = mp_dtype_size(t->dtype);
    memcpy(&v, (const char *)t->data + i * size, size);
    switch (t->dtype) {
    case MP_DTYPE_BOOL:
        return (double)(*whole = v.u8 != 0);
    case MP_DTYPE_U8:
        return (double)(*whole = v.u8);
    case MP_DTYPE_I8:
        return (double)(*whole = v.i8);
    case MP_DTYPE_U16:
        return (double)(*whole = v.u16);
    case MP_DTYPE_I16:
        return (double)(*whole = v.i16);
    case MP_DTYPE_U32:
        return (double)(*whole = v.u32);
    case MP_DTYPE_I32:
        return (double)(*whole = v.i32);
    case MP_DTYPE_I64:
        return (double)(*whole = v.i64);
    case MP_DTYPE_U64:
        *whole = v.u64 <= INT64_MAX ? (int64_t)v.u64 : INT64_MAX;
        return (double)v.u64;
    case MP_DTYPE_F16:
        return half(v.u16);
    case MP_DTYPE_BF16:
        return bfloat(v.u16);
    case MP_DTYPE_F32:
        return (double)v.f32;
    case MP_DTYPE_F64:
        return v.f64;
    }
    return 0;
}

void mp_tensor_doubles(const mp_tensor *t, double *out)
{
    int64_t whole;
    for (size_t i = 0; i < t->count; i++) out[i] = number(t, i, &whole);
}

mp_err mp_tensor_reals(const mp_tensor *t, mp_real *out)
{
    int64_t whole;
    if (t->dtype == MP_DTYPE_REAL) {
        if (t->count) memcpy(out, t->data, tensor_bytes(t));
        return MP_OK;
    }
    for (size_t i = 0; i < t->count; i++) {
        double v = number(t, i, &whole);
        out[i] = (mp_real)v;
        if (isfinite(v) && !isfinite(out[i]))
            return mp_fail(MP_ERR_INPUT, "tensor '%s' has the number %g, which is too large", t->name, v);
    }
    return MP_OK;
}

mp_err mp_tensor_ints(const mp_tensor *t, int *out)
{
    for (size_t i = 0; i < t->count; i++) {
        int64_t whole = INT64_MAX;
        double v = number(t, i, &whole);
        if (whole == INT64_MAX && v >= INT32_MIN && v <= INT32_MAX && v == floor(v)) whole = (int64_t)v;
        if (whole < INT32_MIN || whole > INT32_MAX)
            return mp_fail(MP_ERR_INPUT, "tensor '%s' has %g where a whole number that fits an int is expected",
                           t->name, v);
        out[i] = (int)whole;
    }
    return MP_OK;
}

/* Writing. */

/* Returns the offset of the digits of the seal in the header, 0 when there is none. */
static size_t write_metadata(mp_buf *b, const mp_meta *meta, int metas, bool seal)
{
    size_t at = 0;
    mp_json_key(b, "__metadata__");
    mp_json_open(b, '{');
    for (int i = 0; i < metas; i++) mp_json_add_text(b, meta[i].key, meta[i].text);
    if (seal) {
        char zeros[SEAL_DIGITS + 1] = { 0 };
        memset(zeros, '0', SEAL_DIGITS);
        mp_json_add_text(b, MP_SEAL_KEY, zeros);
        at = b->n - 1 - SEAL_DIGITS;
    }
    mp_json_close(b, '}');
    return at;
}

static size_t write_entry(mp_buf *b, const mp_tensor *t, size_t offset)
{
    size_t count = 1, end = offset + tensor_bytes(t);
    mp_assert(offset % mp_dtype_size(t->dtype) == 0);
    mp_json_key(b, t->name);
    mp_json_open(b, '{');
    mp_json_add_text(b, "dtype", mp_dtype_name(t->dtype));
    mp_json_key(b, "shape");
    mp_json_open(b, '[');
    for (int i = 0; i < t->dims; i++) {
        mp_json_put_int(b, t->shape[i]);
        count *= (size_t)t->shape[i];
    }
    mp_json_close(b, ']');
    mp_json_key(b, "data_offsets");
    mp_json_open(b, '[');
    mp_json_put_int(b, (int64_t)offset);
    mp_json_put_int(b, (int64_t)end);
    mp_json_close(b, ']');
    mp_json_close(b, '}');
    mp_assert(count == t->count);
    return end;
}

void mp_safetensors_write(const mp_tensor *tensor, int tensors, const mp_meta *meta, int metas, bool seal, mp_buf *out)
{
    mp_buf b = MP_BUF_LOCAL;
    size_t offset = 0, seal_at = 0, start = out->n;
    mp_json_open(&b, '{');
    if (metas || seal) seal_at = write_metadata(&b, meta, metas, seal);
    for (int i = 0; i < tensors; i++) offset = write_entry(&b, &tensor[i], offset);
    mp_json_close(&b, '}');
    while (b.n % 8) mp_buf_puts(&b, " "); /* so that the data begins at a multiple of 8 */
    uint64_t n = b.n;
    mp_buf_add(out, &n, 8);
    mp_buf_add(out, b.p, b.n);
    mp_buf_free(&b);
    for (int i = 0; i < tensors; i++) mp_buf_add(out, tensor[i].data, tensor_bytes(&tensor[i]));
    if (!seal) return;
    char hex[SEAL_DIGITS + 1];
    seal_of(out->p + start, out->n - start, 8 + seal_at, hex);
    memcpy(out->p + start + 8 + seal_at, hex, SEAL_DIGITS);
}
