/* params.c - see params.h.
 * SPDX-License-Identifier: MIT */
#include "nn/params.h"
#include "base/guard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t mp_params_count(const mp_params *p)
{
    int64_t n = 0;
    for (int i = 0; i < p->count; i++) n += (int64_t)p->list[i].rows * p->list[i].cols;
    return n;
}

double mp_glorot(int a, int b)
{
    return sqrt(6.0 / ((double)a + (double)b));
}

const char *mp_param_under(const mp_params *p, const char *prefix, const char *name)
{
    return mp_arena_printf(p->arena, "%s%s%s", prefix, *prefix ? "." : "", name);
}

static int add(mp_params *p, const char *prefix, const char *name, int rows, int cols, mp_init_kind init, double bound)
{
    if (p->count == p->cap) {
        p->cap = mp_room(p->cap, p->count + 1, 32, "parameters");
        MP_MORE(p->arena, p->list, p->count, p->cap);
    }
    mp_param *q = &p->list[p->count];
    *q = (mp_param){ .dims = 2,
                     .shape = { rows, cols, 1, 1 },
                     .rows = rows,
                     .cols = cols,
                     .offset = p->size,
                     .init = init,
                     .bound = bound };
    int n = snprintf(q->name, sizeof q->name, "%s", mp_param_under(p, prefix, name));
    mp_assert(n > 0 && n < (int)sizeof q->name);
    size_t size = ((size_t)rows * (size_t)cols + 15) & ~(size_t)15; /* each starts on a vector */
    if (size > MP_MOST_WEIGHTS - p->size)
        mp_give_up(mp_fail(MP_ERR_LIMIT, "the configuration asks for more than %zu weights", MP_MOST_WEIGHTS));
    p->size += size;
    return p->count++;
}

int mp_param_linear(mp_params *p, const char *prefix, const char *name, int out, int in, double bound)
{
    int id = add(p, prefix, name, in, out, MP_INIT_UNIFORM, bound);
    p->list[id].flipped = true;
    mp_param_reshape(p, id, 2, out, in, 1);
    return id;
}

int mp_param_plain(mp_params *p, const char *prefix, const char *name, int rows, int cols, mp_init_kind init,
                   double bound)
{
    return add(p, prefix, name, rows, cols, init, bound);
}

int mp_param_vector(mp_params *p, const char *prefix, const char *name, int n, mp_init_kind init, double bound)
{
    int id = add(p, prefix, name, 1, n, init, bound);
    mp_param_reshape(p, id, 1, n, 1, 1);
    return id;
}

int mp_param_buffer(mp_params *p, const char *prefix, const char *name, int n, mp_init_kind init)
{
    int id = mp_param_vector(p, prefix, name, n, init, 0);
    p->list[id].buffer = true;
    return id;
}

void mp_param_reshape(mp_params *p, int id, int dims, int d0, int d1, int d2)
{
    mp_param *q = &p->list[id];
    mp_assert((size_t)d0 * (size_t)d1 * (size_t)d2 == (size_t)q->rows * (size_t)q->cols);
    q->dims = dims;
    q->shape[0] = d0;
    q->shape[1] = d1;
    q->shape[2] = d2;
    q->shape[3] = 1;
}

void mp_param_tables(mp_params *p, int id, const int *rows, int tables)
{
    mp_param *q = &p->list[id];
    double *bound = MP_NEW_RAW(p->arena, double, q->rows);
    int at = 0;
    for (int t = 0; t < tables; t++)
        for (int i = 0; i < rows[t]; i++) bound[at++] = mp_glorot(rows[t], q->cols);
    mp_assert(at == q->rows);
    q->row_bound = bound;
}

void mp_params_alloc(mp_params *p)
{
    p->theta = MP_NEW(p->arena, mp_real, p->size);
}

/* A parameter draws from a stream of its own, in the order of the file: its first values do not depend on what
 * other parameters a model has, nor on how weights lie in memory. */
static void init_one(mp_params *p, int id, uint64_t seed, uint64_t fold)
{
    const mp_param *q = &p->list[id];
    mp_rng r = mp_rng_stream(seed, MP_FOR_INIT, fold, (uint64_t)id, 0);
    int outer = q->flipped ? q->cols : q->rows, inner = q->flipped ? q->rows : q->cols;
    for (int i = 0; i < outer; i++) {
        for (int j = 0; j < inner; j++) {
            double bound = q->row_bound ? q->row_bound[q->flipped ? j : i] : q->bound;
            mp_real *at =
                p->theta + q->offset +
                (q->flipped ? (size_t)j * (size_t)q->cols + (size_t)i : (size_t)i * (size_t)q->cols + (size_t)j);
            switch (q->init) {
            case MP_INIT_ZERO:
                *at = 0;
                break;
            case MP_INIT_ONE:
                *at = 1;
                break;
            case MP_INIT_QUARTER:
                *at = (mp_real)0.25;
                break;
            case MP_INIT_UNIFORM:
                *at = (mp_real)(float)mp_rng_between(&r, -bound, bound);
                break;
            case MP_INIT_NORMAL:
                *at = (mp_real)(float)mp_rng_normal(&r);
                break;
            }
        }
    }
}

void mp_params_init(mp_params *p, uint64_t seed, uint64_t fold)
{
    for (int id = 0; id < p->count; id++) init_one(p, id, seed, fold);
}

/* Walks a parameter in the order of the file; to_file picks the direction. */
static void copy(const mp_params *p, int id, float *file, bool to_file)
{
    const mp_param *q = &p->list[id];
    mp_real *theta = p->theta + q->offset;
    for (int r = 0; r < q->rows; r++) {
        for (int k = 0; k < q->cols; k++) {
            size_t mem = (size_t)r * (size_t)q->cols + (size_t)k;
            size_t at = q->flipped ? (size_t)k * (size_t)q->rows + (size_t)r : mem;
            if (to_file)
                file[at] = (float)theta[mem];
            else
                theta[mem] = (mp_real)file[at];
        }
    }
}

void mp_param_read(mp_params *p, int id, const float *file)
{
    copy(p, id, (float *)(uintptr_t)file, false);
}

void mp_param_write(const mp_params *p, int id, float *file)
{
    copy(p, id, file, true);
}

void mp_params_bind(const mp_params *p, mp_ctx *c, mp_real *grad)
{
    mp_params_bind_at(p, c, p->theta, grad);
}

void mp_params_bind_at(const mp_params *p, mp_ctx *c, mp_real *theta, mp_real *grad)
{
    c->params = MP_NEW_RAW(c->arena, mp_mat, p->count);
    for (int id = 0; id < p->count; id++) {
        const mp_param *q = &p->list[id];
        c->params[id] = (mp_mat){
            .rows = q->rows, .cols = q->cols, .v = theta + q->offset, .g = grad && !q->buffer ? grad + q->offset : NULL
        };
    }
}
