/* message.c - messages with attributes of edges: sums of ReLU(x_j + q_e), and their backward.
 *
 * A row's sums stay in registers while its edges go by, BLOCK vectors of columns at a time, then one, then single columns.
 * The backward goes over the edges that leave a node, so the gradient of its row is one sum. Rows of X and Q may be shared
 * by nodes and by edges (kinds of atoms and bonds): then their gradients are summed in the order of nodes and edges.
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"
#include "math/simd.h"

#define MP_DECLARE(name, args) void MP_FN(name) args;
MP_KERNEL_LIST(MP_DECLARE)

#define BLOCK 4

static inline mp_real times(const mp_real *scale, int v)
{
    return scale ? scale[v] : (mp_real)1;
}

static inline size_t row_of(const int *of, int i, size_t C)
{
    return (size_t)(of ? of[i] : i) * C;
}

/* `blocks` vectors of columns of row v. */
static inline void gather(mp_real *y, const mp_real *X, const mp_real *Q, const mp_real *root, const mp_messages *m,
                          bool relu, int v, size_t C, int blocks)
{
    vec sum[BLOCK];
    for (int b = 0; b < blocks; b++) sum[b] = vset((mp_real)0);
    if (root) {
        const mp_real *x = X + row_of(m->x_of, v, C);
        vec s = vset(times(m->scale, v));
        for (int b = 0; b < blocks; b++) sum[b] = vmul(s, vrelu(vadd(vload(x + b * VW), vload(root + b * VW))));
    }
    for (int e = m->row_ptr[v]; e < m->row_ptr[v + 1]; e++) {
        const mp_real *x = X + row_of(m->x_of, m->col[e], C), *q = Q + row_of(m->q_of, e, C);
        vec s = vset(times(m->scale, m->col[e]));
        for (int b = 0; b < blocks; b++) sum[b] = vfma(s, vrelu(vadd(vload(x + b * VW), vload(q + b * VW))), sum[b]);
    }
    vec r = vset(times(m->scale, v));
    for (int b = 0; b < blocks; b++) vstore(y + b * VW, relu ? vrelu(vmul(r, sum[b])) : vmul(r, sum[b]));
}

/* The same for one column. */
static inline mp_real gather_one(const mp_real *X, const mp_real *Q, const mp_real *root, const mp_messages *m,
                                 bool relu, int v, size_t C)
{
    mp_real sum = root ? times(m->scale, v) * relu1(X[row_of(m->x_of, v, C)] + *root) : 0;
    for (int e = m->row_ptr[v]; e < m->row_ptr[v + 1]; e++) {
        mp_real x = X[row_of(m->x_of, m->col[e], C)], q = Q[row_of(m->q_of, e, C)];
        sum = fma1(times(m->scale, m->col[e]), relu1(x + q), sum);
    }
    mp_real y = times(m->scale, v) * sum;
    return relu ? relu1(y) : y;
}

static inline const mp_real *moved(const mp_real *p, int c)
{
    return p ? p + c : NULL;
}

static inline mp_real *moved_to(mp_real *p, int c)
{
    return p ? p + c : NULL;
}

void MP_FN(message_fwd)(mp_real *Y, const mp_real *X, const mp_real *Q, const mp_real *root, mp_messages m, bool relu,
                        int N, int C)
{
    size_t cols = (size_t)C;
    for (int v = 0; v < N; v++) {
        mp_real *y = Y + (size_t)v * cols;
        int c = 0;
        for (; c + BLOCK * VW <= C; c += BLOCK * VW)
            gather(y + c, X + c, Q + c, moved(root, c), &m, relu, v, cols, BLOCK);
        for (; c + VW <= C; c += VW) gather(y + c, X + c, Q + c, moved(root, c), &m, relu, v, cols, 1);
        for (; c < C; c++) y[c] = gather_one(X + c, Q + c, moved(root, c), &m, relu, v, cols);
    }
}

/* What one message brings back: k dy where x + q is above 0. */
static inline vec passed(const mp_real *x, const mp_real *q, mp_real k, const mp_real *dy)
{
    vec zero = vset((mp_real)0);
    return vpick(vgreater(vadd(vload(x), vload(q)), zero), vmul(vset(k), vload(dy)), zero);
}

static inline mp_real passed_one(mp_real x, mp_real q, mp_real k, mp_real dy)
{
    return x + q > 0 ? k * dy : 0;
}

typedef struct back { /* pointers to the column at hand */
    mp_real *dX, *dQ, *droot;
    const mp_real *dY, *X, *Q, *root;
} back;

static inline void add(mp_real *at, vec m)
{
    vstore(at, vadd(vload(at), m));
}

static inline void row_back(const back *t, const mp_messages *m, int v, size_t C, int blocks)
{
    size_t own = row_of(m->x_of, v, C);
    vec sum[BLOCK];
    for (int b = 0; b < blocks; b++) sum[b] = vset((mp_real)0);
    for (int b = 0; t->root && b < blocks; b++) {
        mp_real k = times(m->scale, v) * times(m->scale, v);
        sum[b] = passed(t->X + own + b * VW, t->root + b * VW, k, t->dY + (size_t)v * C + b * VW);
        if (t->droot) add(t->droot + b * VW, sum[b]);
    }
    for (int e = m->row_ptr[v]; e < m->row_ptr[v + 1]; e++) {
        size_t to = (size_t)m->col[e] * C, leaving = row_of(m->q_of, m->rev[e], C);
        mp_real k = times(m->scale, v) * times(m->scale, m->col[e]);
        for (int b = 0; b < blocks; b++) {
            vec brought = passed(t->X + own + b * VW, t->Q + leaving + b * VW, k, t->dY + to + b * VW);
            if (t->dQ) add(t->dQ + leaving + b * VW, brought);
            sum[b] = vadd(sum[b], brought);
        }
    }
    for (int b = 0; t->dX && b < blocks; b++) add(t->dX + own + b * VW, sum[b]);
}

static inline void row_back_one(const back *t, const mp_messages *m, int v, size_t C)
{
    size_t own = row_of(m->x_of, v, C);
    mp_real x = t->X[own], sum = 0;
    if (t->root) {
        sum = passed_one(x, *t->root, times(m->scale, v) * times(m->scale, v), t->dY[(size_t)v * C]);
        if (t->droot) *t->droot += sum;
    }
    for (int e = m->row_ptr[v]; e < m->row_ptr[v + 1]; e++) {
        size_t to = (size_t)m->col[e] * C, leaving = row_of(m->q_of, m->rev[e], C);
        mp_real brought = passed_one(x, t->Q[leaving], times(m->scale, v) * times(m->scale, m->col[e]), t->dY[to]);
        if (t->dQ) t->dQ[leaving] += brought;
        sum += brought;
    }
    if (t->dX) t->dX[own] += sum;
}

void MP_FN(message_bwd)(mp_real *dX, mp_real *dQ, mp_real *droot, const mp_real *dY, const mp_real *X, const mp_real *Q,
                        const mp_real *root, mp_messages m, int N, int C)
{
    for (int v = 0; v < N; v++) {
        for (int c = 0, step; c < C; c += step) {
            back t = { moved_to(dX, c), moved_to(dQ, c), moved_to(droot, c), dY + c, X + c, Q + c, moved(root, c) };
            step = c + BLOCK * VW <= C ? BLOCK * VW : c + VW <= C ? VW : 1;
            if (step == BLOCK * VW)
                row_back(&t, &m, v, (size_t)C, BLOCK);
            else if (step == VW)
                row_back(&t, &m, v, (size_t)C, 1);
            else
                row_back_one(&t, &m, v, (size_t)C);
        }
    }
}
