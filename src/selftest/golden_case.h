/* golden_case.h - one golden case in work: its file, its inputs on a tape, and what was compared so far.
 *
 * For golden*.c only. A function that returns mp_err fails when the file makes no sense; a difference from
 * the reference is no such failure but a check, and the case goes on.
 * SPDX-License-Identifier: MIT */
#ifndef MP_GOLDEN_CASE_H
#define MP_GOLDEN_CASE_H

#include "base/json.h"
#include "conf/config.h"
#include "selftest/golden.h"
#include "model/safetensors.h"
#include "nn/params.h"

typedef struct mp_case {
    mp_arena *arena; /* outlives the case    */
    mp_arena *step;  /* memory of a forward and backward pass */
    mp_safetensors file;
    bool *used;          /* per tensor: it was looked at */
    const mp_json *json; /* the metadata */
    const char *name;
    double tolerance, scale_out, scale_grad; /* largest |entry| of all out.* and of all grad.* */
    mp_graph g;
    int *slot;            /* E: where a listed edge lies in g */
    const int *src, *dst; /* the list, renumbered by each pooling: edges whose ends were kept */
    int listed;           /* how many */
    mp_mat *x, *w;        /* features; weights of the edges of g, or NULL */
    mp_ctx c;
    const char *apart; /* a parameter that the case reads and compares itself; NULL: none */
    const char *skip;  /* why the case cannot be run */
    bool stop;         /* what differs makes all that would follow meaningless */
    mp_golden *out;
    mp_golden_check **tail;
} mp_case;

/* Reads the file and its metadata. */
MP_MUST mp_err mp_case_open(mp_case *k, mp_span bytes, const char *file);

/* in.x, in.ptr, in.edge_index, in.edge_weight, in.drop and in.shuffle onto a fresh tape. */
MP_MUST mp_err mp_case_inputs(mp_case *k);

/* The tensor, marked as used; NULL when there is none. */
const mp_tensor *mp_case_find(mp_case *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, but it must be there with this many numbers in rows x cols (0, 1 or 2 dimensions). */
MP_MUST mp_err mp_case_need(mp_case *k, const char *name, int rows, int cols, const mp_tensor **out);
/* Its shape as rows x cols; both become at least 1 and small enough to multiply. */
MP_MUST mp_err mp_case_shape(mp_case *k, const char *name, int *rows, int *cols);
MP_MUST mp_err mp_case_ints(mp_case *k, const mp_tensor *t, const int **out);

/* The options of the row ("name=value name=value"), then those of the metadata, which have the last word. */
MP_MUST mp_err mp_case_config(mp_case *k, const char *options, mp_config *conf);

/* Every parameter has its tensor prefix + name with its shape; not asked of running statistics and of the one that is
 * apart. To be asked before memory is taken for weights. */
MP_MUST mp_err mp_case_fits(mp_case *k, const mp_params *p, const char *prefix);
MP_MUST mp_err mp_case_weights(mp_case *k, mp_params *p);

/* Comparisons. `ours` is in the order of the file. */
void mp_case_equal(mp_case *k, const mp_tensor *t, const int *ours, size_t n);
MP_MUST mp_err mp_case_close(mp_case *k, const mp_tensor *t, const mp_real *ours);
/* What a caller found itself: it agrees, or it does not. */
void mp_case_same(mp_case *k, const mp_tensor *t);
void mp_case_wrong(mp_case *k, const char *tensor, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Compares m with out.NAME and, for what follows, takes cot.NAME as its gradient. Both are optional. */
MP_MUST mp_err mp_case_output(mp_case *k, const char *name, mp_mat *m);
/* Runs the tape back and compares grad.x, grad.edge_weight and grad.w.* (gradients of `p` in `grad`). */
MP_MUST mp_err mp_case_back(mp_case *k, const mp_params *p, mp_real *grad);
/* The parameters as they are now, against prefix + name. `loose`, laid out like the weights, is added to the
 * scale of each of them. */
MP_MUST mp_err mp_case_params(mp_case *k, const mp_params *p, const char *prefix, const mp_real *loose);

/* A claim of the file that nothing compared is a failure: out.*, grad.* and w.* must have been used. What
 * in.* and cot.* change shows in those. */
void mp_case_leftovers(mp_case *k);

#endif
