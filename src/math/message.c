/* message.c - messages with attributes of edges: sums of ReLU(x_j + q_e), and their backward.
 *
 * A row's sums stay in registers while its edges go by. The backward goes over the edges that leave a node, so the
 * gradient of x is a sum as well and nothing is scattered.
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"
#include "math/simd.h"

#define MP_DECLARE(name, args) void MP_FN(name) args;
MP_KERNEL_LIST(MP_DECLARE)

static inline mp_real times(const mp_real *scale, int v)
{
    return scale ? scale[v] : (mp_real)1;
}

/* VW columns of row v. */
static inline vec gathered(const mp_real *X, const mp_real *Q, const mp_real *root, const mp_links *g, int v, size_t C)
{
    vec sum = vset((mp_real)0);
    if (root) sum = vmul(vset(times(g->s, v)), vrelu(vadd(vload(X + (size_t)v * C), vload(root))));
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        vec m = vrelu(vadd(vload(X + (size_t)g->col[e] * C), vload(Q + (size_t)e * C)));
        sum = vfma(vset(times(g->s, g->col[e])), m, sum);
    }
    return vmul(vset(times(g->r, v)), sum);
}

/* The same for one column. */
static inline mp_real gathered_one(const mp_real *X, const mp_real *Q, const mp_real *root, const mp_links *g, int v,
                                   size_t C)
{
    mp_real sum = root ? times(g->s, v) * relu1(X[(size_t)v * C] + *root) : 0;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
        sum = fma1(times(g->s, g->col[e]), relu1(X[(size_t)g->col[e] * C] + Q[(size_t)e * C]), sum);
    return times(g->r, v) * sum;
}

void MP_FN(message_fwd)(mp_real *Y, const mp_real *X, const mp_real *Q, const mp_real *root, mp_links g, int N, int C)
{
    size_t cols = (size_t)C;
    for (int v = 0; v < N; v++) {
        mp_real *y = Y + (size_t)v * cols;
        int c = 0;
        for (; c + VW <= C; c += VW) vstore(y + c, gathered(X + c, Q + c, root ? root + c : NULL, &g, v, cols));
        for (; c < C; c++) y[c] = gathered_one(X + c, Q + c, root ? root + c : NULL, &g, v, cols);
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
    bool add_x, add_q;
} back;

static inline void put(mp_real *at, vec m, bool add)
{
    vstore(at, add ? vadd(vload(at), m) : m);
}

static inline void row_back(const back *b, const mp_links *g, int v, size_t C)
{
    const mp_real *x = b->X + (size_t)v * C;
    vec sum = vset((mp_real)0);
    if (b->root) {
        vec m = passed(x, b->root, times(g->s, v) * times(g->r, v), b->dY + (size_t)v * C);
        if (b->droot) put(b->droot, m, true);
        sum = m;
    }
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        size_t to = (size_t)g->col[e] * C, leaving = (size_t)g->perm[e] * C;
        vec m = passed(x, b->Q + leaving, times(g->s, v) * times(g->r, g->col[e]), b->dY + to);
        if (b->dQ) put(b->dQ + leaving, m, b->add_q);
        sum = vadd(sum, m);
    }
    if (b->dX) put(b->dX + (size_t)v * C, sum, b->add_x);
}

static inline void put_one(mp_real *at, mp_real m, bool add)
{
    *at = add ? *at + m : m;
}

static inline void row_back_one(const back *b, const mp_links *g, int v, size_t C)
{
    mp_real x = b->X[(size_t)v * C], sum = 0;
    if (b->root) {
        sum = passed_one(x, *b->root, times(g->s, v) * times(g->r, v), b->dY[(size_t)v * C]);
        if (b->droot) *b->droot += sum;
    }
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        size_t to = (size_t)g->col[e] * C, leaving = (size_t)g->perm[e] * C;
        mp_real m = passed_one(x, b->Q[leaving], times(g->s, v) * times(g->r, g->col[e]), b->dY[to]);
        if (b->dQ) put_one(b->dQ + leaving, m, b->add_q);
        sum += m;
    }
    if (b->dX) put_one(b->dX + (size_t)v * C, sum, b->add_x);
}

static inline const mp_real *moved(const mp_real *p, int c)
{
    return p ? p + c : NULL;
}

static inline mp_real *moved_to(mp_real *p, int c)
{
    return p ? p + c : NULL;
}

void MP_FN(message_bwd)(mp_real *dX, mp_real *dQ, mp_real *droot, const mp_real *dY, const mp_real *X, const mp_real *Q,
                        const mp_real *root, mp_links g, bool add_x, bool add_q, int N, int C)
{
    for (int v = 0; v < N; v++) {
        for (int c = 0; c < C;) {
            back b = { moved_to(dX, c), moved_to(dQ, c), moved_to(droot, c),
                       dY + c,          X + c,           moved(Q, c),
                       moved(root, c),  add_x,           add_q };
            if (c + VW <= C) {
                row_back(&b, &g, v, (size_t)C);
                c += VW;
            } else {
                row_back_one(&b, &g, v, (size_t)C);
                c++;
            }
        }
    }
}
