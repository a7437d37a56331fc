/* params.h - all weights of a model in one block, so that zeroing, Adam and saving are single loops.
 *
 * A weight of a linear map is [out][in] in files, as PyTorch has it, and [in][out] in memory, where rows are
 * gathered by input column; `flipped` says so. Everything else lies in memory as in the file.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PARAMS_H
#define MP_PARAMS_H

#include "base/api.h"
#include "base/rng.h"
#include "grad/tape.h"

MP_API_BEGIN

typedef enum mp_init_kind { MP_INIT_ZERO, MP_INIT_ONE, MP_INIT_QUARTER, MP_INIT_UNIFORM, MP_INIT_NORMAL } mp_init_kind;

typedef struct mp_param {
    char name[64];
    int dims, shape[4]; /* as in the file */
    bool flipped;       /* memory is the transpose of the file */
    bool buffer;        /* not trained: running statistics     */
    bool apart;         /* trained by the auxiliary loss alone (mp_baseline.aux_apart) */
    int rows, cols;     /* as in memory */
    size_t offset;      /* of the first element in the block */
    mp_init_kind init;
    double bound;            /* uniform in [-bound, bound) */
    const double *row_bound; /* the same for each row in memory; NULL: `bound` for all */
} mp_param;

/* Of a model: a million million, so that sizes in bytes, also of several copies, are far from overflowing. */
#define MP_MOST_WEIGHTS ((size_t)1 << 40)

typedef struct mp_params {
    mp_arena *arena;
    mp_param *list;
    int count, cap;
    size_t size;    /* elements in all */
    mp_real *theta; /* the block; allocated by mp_params_alloc */
} mp_params;

/* How many numbers they are; `size` has room between parameters too. */
int64_t mp_params_count(const mp_params *p);

double mp_glorot(int fan_a, int fan_b); /* sqrt(6 / (a + b)) */

/* "prefix.name" in the arena of the parameters; just the name when the prefix is empty. */
const char *mp_param_under(const mp_params *p, const char *prefix, const char *name);

/* Each adds a parameter called prefix.name and returns its number; more than MP_MOST_WEIGHTS give up (guard.h). */
int mp_param_linear(mp_params *p, const char *prefix, const char *name, int out, int in, double bound);
int mp_param_plain(mp_params *p, const char *prefix, const char *name, int rows, int cols, mp_init_kind init,
                   double bound);
int mp_param_vector(mp_params *p, const char *prefix, const char *name, int n, mp_init_kind init, double bound);
/* A vector that is saved with the weights but gets no gradient; c->params[id].v may be written while training. */
int mp_param_buffer(mp_params *p, const char *prefix, const char *name, int n, mp_init_kind init);
/* Changes the shape written to files (same number of elements); a fourth dimension is 1. */
void mp_param_reshape(mp_params *p, int id, int dims, int d0, int d1, int d2);

/* The rows are tables one below the other, each with Glorot's bound of its own. */
void mp_param_tables(mp_params *p, int id, const int *rows, int tables);

void mp_params_alloc(mp_params *p);
void mp_params_init(mp_params *p, uint64_t seed, uint64_t fold);

/* One parameter from and to the layout of files. */
void mp_param_read(mp_params *p, int id, const float *file);
void mp_param_write(const mp_params *p, int id, float *file);

/* Sets up c->params: weights from the block, gradients in `grad` (params.size elements, or NULL). _at: weights elsewhere. */
void mp_params_bind(const mp_params *p, mp_ctx *c, mp_real *grad);
void mp_params_bind_at(const mp_params *p, mp_ctx *c, mp_real *theta, mp_real *grad);
static inline mp_mat *mp_use(mp_ctx *c, int id)
{
    return id < 0 ? NULL : &c->params[id];
}

MP_API_END

#endif
