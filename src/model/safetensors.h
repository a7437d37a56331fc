/* safetensors.h - named arrays in one file, as PyTorch's safetensors reads and writes them.
 *
 *     u64 little-endian n | n bytes of JSON | data
 *     JSON: {"__metadata__": {key: text}, name: {"dtype": "F32", "shape": [..], "data_offsets": [from, to]}}
 *
 * Offsets count from the start of the data. Tensors must cover the data without holes or overlaps.
 *
 * A file of ours carries a seal: metadata "midpool.sha256" is the SHA-256, in hex, of the whole file with
 * those 64 digits replaced by zeros. So every byte is covered, the length and the seal included. A file
 * with a key "midpool" must have its seal, so that damage to the key of the seal is seen too; the text
 * "none" in its place says that the file was changed on purpose by another program. Files without a
 * "midpool" key need no seal.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SAFETENSORS_H
#define MP_SAFETENSORS_H

#include "base/real.h"
#include "base/text.h"

#define MP_TENSOR_DIMS 8
#define MP_MODEL_KEY   "midpool"
#define MP_SEAL_KEY    "midpool.sha256"

typedef enum mp_dtype {
    MP_DTYPE_BOOL,
    MP_DTYPE_U8,
    MP_DTYPE_I8,
    MP_DTYPE_I16,
    MP_DTYPE_U16,
    MP_DTYPE_F16,
    MP_DTYPE_BF16,
    MP_DTYPE_I32,
    MP_DTYPE_U32,
    MP_DTYPE_F32,
    MP_DTYPE_I64,
    MP_DTYPE_U64,
    MP_DTYPE_F64
} mp_dtype;

typedef struct mp_tensor {
    const char *name;
    mp_dtype dtype;
    int dims; /* 0 for a single number */
    int64_t shape[MP_TENSOR_DIMS];
    size_t count;     /* numbers: the product of the shape  */
    const void *data; /* perhaps not aligned: use mp_tensor_reals and mp_tensor_ints */
} mp_tensor;

typedef struct mp_meta { /* one line of metadata */
    const char *key, *text;
} mp_meta;

typedef struct mp_safetensors {
    int tensors, metas;
    const mp_tensor *tensor; /* in the order of the file */
    const mp_meta *meta;
    bool sealed; /* the seal was there and right */
} mp_safetensors;

/* `bytes` must stay: tensors point into it. `name` opens the message of a failure. */
MP_MUST mp_err mp_safetensors_parse(mp_span bytes, const char *name, mp_arena *a, mp_safetensors *out);

/* Whether a file begins like a safetensors file; what is no file at all does not. */
MP_MUST mp_err mp_safetensors_look(const char *path);

/* The bytes of a file that begins so. */
MP_MUST mp_err mp_safetensors_slurp(const char *path, size_t limit, mp_arena *a, mp_span *out);
MP_MUST mp_err mp_safetensors_load(const char *path, mp_arena *a, mp_safetensors *out);

/* NULL when there is none of this name. */
const mp_tensor *mp_safetensors_find(const mp_safetensors *s, const char *name);
const char *mp_safetensors_meta(const mp_safetensors *s, const char *key);

/* As above, but the tensor must be there with this shape. A dimension of -1 takes any size. */
MP_MUST mp_err mp_safetensors_need(const mp_safetensors *s, const char *name, int dims, const int64_t *shape,
                                   const mp_tensor **out);

/* Copies t->count numbers, whatever the type. Reals fail when a finite number does not fit, ints when one
 * is not whole or does not fit. */
MP_MUST mp_err mp_tensor_reals(const mp_tensor *t, mp_real *out);
void mp_tensor_doubles(const mp_tensor *t, double *out);
MP_MUST mp_err mp_tensor_ints(const mp_tensor *t, int *out);

size_t mp_dtype_size(mp_dtype t);
const char *mp_dtype_name(mp_dtype t);

/* The file as bytes, the same for the same input. Tensors keep their order; wide types go first, so that each
 * begins at a multiple of its size. `seal` adds the seal. */
void mp_safetensors_write(const mp_tensor *tensor, int tensors, const mp_meta *meta, int metas, bool seal, mp_buf *out);

/* "mp_real" as a type in a file. */
#ifdef MP_DOUBLE
#define MP_DTYPE_REAL MP_DTYPE_F64
#else
#define MP_DTYPE_REAL MP_DTYPE_F32
#endif

#endif
