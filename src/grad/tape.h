/* tape.h - what a forward pass leaves behind so that gradients can be computed: a list of steps, newest first.
 *
 * An op computes its output and records (backward function, saved arguments). mp_tape_back runs the list. The
 * gradient of a matrix is unspecified memory until its first writer makes it live; an op's backward asks
 * mp_grad_store whether to store or to add. What nobody wrote a gradient to is skipped.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TAPE_H
#define MP_TAPE_H

#include "base/api.h"
#include "base/rng.h"
#include "grad/profile.h"
#include "graph/graph.h"
#include "math/kernels.h"

MP_API_BEGIN

struct mp_ctx;
typedef struct mp_step {
    struct mp_step *older;
    void (*back)(void *saved, struct mp_ctx *c); /* runs only when someone wrote to its output */
    const char *name;                            /* of back */
    void *saved;
} mp_step;

typedef struct mp_whole { /* the batch of which a tape holds some graphs */
    int graphs;
    const int64_t *nodes; /* that each pooling of the network meets */
} mp_whole;

typedef struct mp_ctx {       /* one per worker; the library keeps no other state */
    mp_arena *arena;          /* this step's memory, released when the step ends */
    mp_arena *elements;       /* its memory that kernels alone read and write; NULL: arena */
    bool unseen;              /* what kernels write is not there yet, or elsewhere: nothing here may look at it */
    const mp_kernels *k;      /* arithmetic for this machine                     */
    mp_rng rng;               /* dropout and dropscore of this step              */
    mp_step *last;            /* the tape                                        */
    struct mp_crew *crew;     /* threads that share the rows of this step's products; NULL: none */
    bool record;              /* off: nothing is recorded, no gradients exist    */
    bool training;            /* dropout and dropscore are active                */
    bool validating;          /* evaluation between the epochs of training       */
    uint64_t epoch;           /* of training: part of the name of what is drawn for a graph by itself */
    bool diverged;            /* a score was NaN; the caller must stop           */
    bool *nan;                /* where kernels say so; NULL: diverged            */
    const mp_whole *whole;    /* what means over a batch run over; NULL: the graphs of this tape alone */
    const int *drop_given;    /* tests: 1 where dropscore takes a node out of the first pooling; else NULL */
    const int *shuffle_given; /* tests: the order of rows VIPool's loss compares with; else NULL */
    double flops;             /* of dense products so far, forward and backward */
    double moved;             /* bytes that sums over neighbours read and wrote so far, forward and backward */
    mp_profile *profile;      /* where the time goes; NULL: nobody asks */
    mp_mat *params;           /* the weights as matrices, one per parameter (params.h) */
} mp_ctx;

/* Where elements live: matrices, masks, scratch, lists that kernels make. */
static inline mp_arena *mp_elements(const mp_ctx *c)
{
    return c->elements ? c->elements : c->arena;
}

/* The same for what is made of graphs (graph.h). */
static inline mp_site mp_site_of(const mp_ctx *c)
{
    return (mp_site){ c->arena, mp_elements(c), c->k, c->unseen };
}

/* Rows x cols in the step's memory; with room for a gradient when recording. */
mp_mat *mp_mat_new(mp_ctx *c, int rows, int cols);
/* A constant: no gradient. The values are not copied. */
mp_mat *mp_mat_of(mp_ctx *c, const mp_real *v, int rows, int cols);

/* A constant with the same number everywhere. */
mp_mat *mp_mat_full(mp_ctx *c, mp_real value, int rows, int cols);

/* True when m's gradient must be stored rather than added to; from now on it is live. */
bool mp_grad_store(mp_ctx *c, mp_mat *m);
/* m's gradient, zero where nobody wrote yet; live from now on. NULL when m has none. */
mp_real *mp_grad_zeroed(mp_ctx *c, mp_mat *m);
/* The gradient of an output 1 x 1 is this number. */
void mp_grad_begin(mp_ctx *c, mp_mat *m, mp_real slope);
/* The same for an op that writes single rows: the marks of those written so far, for it to complete; rows without a mark
 * are unspecified and count as zero. NULL where a gradient must be whole: mp_grad_zeroed then. */
bool *mp_grad_rows(mp_ctx *c, mp_mat *m);

/* Its values are not needed once its gradient is written, so the gradient may take their place; the room it had goes to
 * matrices made later. */
void mp_mat_spent(mp_ctx *c, mp_mat *m);

/* An op has made its last call of a kernel, forward or backward. */
static inline void mp_op_done(const mp_ctx *c)
{
    if (c->k->op_done) c->k->op_done();
}

/* The next call of a kernel may run beside the last one, which was of the same. */
static inline void mp_op_beside(const mp_ctx *c)
{
    if (c->k->beside) c->k->beside();
}

/* Remembers back(saved) if recording. `type` is a struct whose members the further arguments initialise. */
#define MP_RECORD(c, fn, type, ...)                                                                                    \
    do {                                                                                                               \
        if ((c)->record) {                                                                                             \
            type *mp_saved_ = MP_NEW_RAW((c)->arena, type, 1);                                                         \
            *mp_saved_ = (type){ __VA_ARGS__ };                                                                        \
            mp_tape_push((c), (fn), #fn, mp_saved_);                                                                   \
        }                                                                                                              \
        mp_op_done(c);                                                                                                 \
    } while (0)
void mp_tape_push(mp_ctx *c, void (*back)(void *, mp_ctx *), const char *name, void *saved);

/* Runs all steps backwards. Set the gradient of the outputs first (mp_grad_zeroed). */
void mp_tape_back(mp_ctx *c);

MP_API_END

#endif
