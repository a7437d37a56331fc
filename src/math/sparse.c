/* sparse.c - sums over neighbours and over the nonzeros of input features, gates, readouts.
 *
 * Wide rows are walked in blocks of up to eight vectors that stay in registers while the neighbours go by; what is
 * left of a row is done element by element with the same chains.
 * SPDX-License-Identifier: MIT */
#include "math/kernels.h"
#include "math/simd.h"

#include <limits.h>

#define MP_DECLARE(name, args) void MP_FN(name) args;
MP_KERNEL_LIST(MP_DECLARE)

#define WIDE 8
#define HALF 4

/* How the links of a sum count: constants where the walk over them is inlined. */
typedef struct links_kind {
    bool p, perm, s;
} links_kind;

static inline __attribute__((always_inline)) mp_real coefficient(const mp_links *g, links_kind k, int e, int u)
{
    mp_real w = k.p ? g->p[k.perm ? g->perm[e] : e] : (mp_real)1;
    return !k.s ? w : k.p ? w * g->s[u] : g->s[u];
}

/* nv vectors, or the first `part` numbers of one when part is not 0. */
static inline __attribute__((always_inline)) vec get(const mp_real *p, int part)
{
    return part ? vload_part(p, part) : vload(p);
}

static inline __attribute__((always_inline)) void put(mp_real *p, int part, vec a)
{
    if (part)
        vstore_part(p, part, a);
    else
        vstore(p, a);
}

/* acc += the rows of Z that edges e .. bring, as long as they come from below `stop`; the first edge that does not. */
static inline __attribute__((always_inline)) int agg_walk(int nv, int part, links_kind k, vec *acc, const mp_real *Z,
                                                          const mp_links *g, int e, int end, int stop, int C)
{
    for (; e < end && g->col[e] < stop; e++) {
        vec x = vset(coefficient(g, k, e, g->col[e]));
        const mp_real *z = Z + (size_t)g->col[e] * (size_t)C;
        for (int i = 0; i < nv; i++) acc[i] = vfma(x, get(z + i * VW, part), acc[i]);
    }
    return e;
}

/* The rows of Y that the sum of row v goes to. */
typedef struct goal {
    const int *to;
    int from, end;
} goal;

static inline goal goal_of(const mp_links *g, int v)
{
    return g->to ? (goal){ g->to, g->to_ptr[v], g->to_ptr[v + 1] } : (goal){ NULL, v, v + 1 };
}

/* nv vectors of the sum of row v, or a part of one. */
static inline __attribute__((always_inline)) void agg_block(int nv, int part, links_kind k, mp_real *Y,
                                                            const mp_real *Z, const mp_links *g, const mp_real *bias,
                                                            bool add, bool relu, int v, int C)
{
    vec acc[WIDE];
    int e = g->row_ptr[v], end = g->row_ptr[v + 1];
    for (int i = 0; i < nv; i++) acc[i] = vset((mp_real)0);
    if (g->q) {
        e = agg_walk(nv, part, k, acc, Z, g, e, end, v, C);
        vec x = vset(g->q[v]);
        for (int i = 0; i < nv; i++) acc[i] = vfma(x, get(Z + (size_t)v * (size_t)C + i * VW, part), acc[i]);
        if (e < end && g->col[e] == v) e++;
    }
    agg_walk(nv, part, k, acc, Z, g, e, end, INT_MAX, C);
    goal to = goal_of(g, v);
    for (int t = to.from; t < to.end; t++) {
        int row = to.to ? to.to[t] : t;
        mp_real *y = Y + (size_t)row * (size_t)C;
        vec scale = vset(g->r ? g->r[row] : (mp_real)1);
        for (int i = 0; i < nv; i++) {
            vec x = vfma(scale, acc[i],
                         add    ? get(y + i * VW, part)
                         : bias ? get(bias + i * VW, part)
                                : vset((mp_real)0));
            put(y + i * VW, part, relu ? vrelu(x) : x);
        }
    }
}

/* The same walk for a single column. */
static inline __attribute__((always_inline)) mp_real one_walk(links_kind k, mp_real acc, const mp_real *Z,
                                                              const mp_links *g, int *e, int end, int stop, int C)
{
    for (; *e < end && g->col[*e] < stop; ++*e) {
        int u = g->col[*e];
        acc = fma1(coefficient(g, k, *e, u), Z[(size_t)u * (size_t)C], acc);
    }
    return acc;
}

static inline __attribute__((always_inline)) void agg_one(links_kind k, mp_real *Y, const mp_real *Z, const mp_links *g,
                                                          const mp_real *bias, bool add, bool relu, int v, int C)
{
    mp_real acc = 0;
    int e = g->row_ptr[v], end = g->row_ptr[v + 1];
    if (g->q) {
        acc = one_walk(k, acc, Z, g, &e, end, v, C);
        acc = fma1(g->q[v], Z[(size_t)v * (size_t)C], acc);
        if (e < end && g->col[e] == v) e++;
    }
    acc = one_walk(k, acc, Z, g, &e, end, INT_MAX, C);
    goal to = goal_of(g, v);
    for (int t = to.from; t < to.end; t++) {
        int row = to.to ? to.to[t] : t;
        mp_real *y = Y + (size_t)row * (size_t)C, scale = g->r ? g->r[row] : (mp_real)1;
        mp_real x = fma1(scale, acc, add ? *y : bias ? *bias : (mp_real)0);
        *y = relu ? relu1(x) : x;
    }
}

static inline __attribute__((always_inline)) void agg_rows(links_kind k, mp_real *Y, const mp_real *Z,
                                                           const mp_links *g, const mp_real *bias, bool add, bool relu,
                                                           int from, int end, int C)
{
    for (int v = from; v < end; v++) {
        int c = 0;
        for (; c + WIDE * VW <= C; c += WIDE * VW)
            agg_block(WIDE, 0, k, Y + c, Z + c, g, bias ? bias + c : NULL, add, relu, v, C);
        for (; c + VW <= C; c += VW) agg_block(1, 0, k, Y + c, Z + c, g, bias ? bias + c : NULL, add, relu, v, C);
        if (C - c == 1)
            agg_one(k, Y + c, Z + c, g, bias ? bias + c : NULL, add, relu, v, C);
        else if (c < C)
            agg_block(1, C - c, k, Y + c, Z + c, g, bias ? bias + c : NULL, add, relu, v, C);
    }
}

/* The widths of scores and of hidden features as constants. */
static inline __attribute__((always_inline)) void agg_width(links_kind k, mp_real *Y, const mp_real *Z,
                                                            const mp_links *g, const mp_real *bias, bool add, bool relu,
                                                            int from, int end, int C)
{
    if (C == 1)
        agg_rows(k, Y, Z, g, bias, add, relu, from, end, 1);
    else if (C == 128)
        agg_rows(k, Y, Z, g, bias, add, relu, from, end, 128);
    else
        agg_rows(k, Y, Z, g, bias, add, relu, from, end, C);
}

void MP_FN(agg)(mp_real *Y, const mp_real *Z, mp_links g, const mp_real *bias, bool add, bool relu, int from, int end,
                int C)
{
    if (g.s && !g.p)
        agg_width((links_kind){ false, false, true }, Y, Z, &g, bias, add, relu, from, end, C);
    else if (!g.p)
        agg_width((links_kind){ false, false, false }, Y, Z, &g, bias, add, relu, from, end, C);
    else
        agg_rows((links_kind){ true, g.perm != NULL, g.s != NULL }, Y, Z, &g, bias, add, relu, from, end, C);
}

void MP_FN(edge_dot)(mp_real *out, mp_real *self, const mp_real *A, const mp_real *B, mp_links g, bool add, int N,
                     int C)
{
    for (int v = 0; v < N; v++) {
        const mp_real *a = A + (size_t)v * (size_t)C;
        for (int e = g.row_ptr[v]; e < g.row_ptr[v + 1]; e++) {
            mp_real d = dot(a, B + (size_t)g.col[e] * (size_t)C, C);
            out[e] = add ? out[e] + d : d;
        }
        if (!self) continue;
        mp_real d = dot(a, B + (size_t)v * (size_t)C, C);
        self[v] = add ? self[v] + d : d;
    }
}

static void add_row(mp_real *restrict y, mp_real a, const mp_real *restrict x, int C)
{
    for (int c = 0; c < C; c++) y[c] = fma1(a, x[c], y[c]);
}

/* Paths one edge longer: of the nodes listed to `next` and `more`; how many these are. */
static int walk_step(const mp_walk *w, const mp_links *g, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        int l = w->list[i];
        for (int e = g->row_ptr[l]; e < g->row_ptr[l + 1]; e++) {
            int u = g->col[e];
            mp_real paths = w->now[l] * (g->p ? g->p[e] : (mp_real)1);
            if (u == l || paths == 0) continue;
            if (w->next[u] == 0) w->more[n++] = u;
            w->next[u] += paths;
        }
        w->now[l] = 0;
    }
    return n;
}

void MP_FN(walk_mean)(mp_real *mean, const mp_walk *walk, const mp_real *X, mp_links g, int hops, int N, int C)
{
    mp_walk w = *walk;
    for (int v = 0; v < N; v++) {
        mp_real *y = mean + (size_t)v * (size_t)C;
        int count = 1;
        memset(y, 0, (size_t)C * sizeof *y);
        w.now[v] = 1;
        w.list[0] = v;
        for (int q = 0; q < hops; q++) {
            count = walk_step(&w, &g, count);
            w = (mp_walk){ w.next, w.now, w.more, w.list };
            mp_real sum = 0;
            for (int i = 0; i < count; i++) sum += w.list[i] == v ? 0 : w.now[w.list[i]];
            for (int i = 0; sum > 0 && i < count; i++) {
                int u = w.list[i];
                if (u != v) add_row(y, w.now[u] / (sum * (mp_real)hops), X + (size_t)u * (size_t)C, C);
            }
        }
        for (int i = 0; i < count; i++) w.now[w.list[i]] = 0;
    }
}

void MP_FN(sparse_fwd)(mp_real *Y, const int *ptr, const int *col, const mp_real *val, const mp_real *W,
                       const mp_real *bias, int N, int C)
{
    for (int v = 0; v < N; v++) {
        mp_real *y = Y + (size_t)v * (size_t)C;
        if (bias)
            memcpy(y, bias, (size_t)C * sizeof *y);
        else
            memset(y, 0, (size_t)C * sizeof *y);
        for (int z = ptr[v]; z < ptr[v + 1]; z++)
            add_row(y, val ? val[z] : (mp_real)1, W + (size_t)col[z] * (size_t)C, C);
    }
}

void MP_FN(sparse_bwd)(mp_real *dW, bool *wrote, const mp_real *dY, const int *ptr, const int *col, const mp_real *val,
                       int N, int C)
{
    for (int v = 0; v < N; v++) {
        for (int z = ptr[v]; z < ptr[v + 1]; z++) {
            mp_real *dw = dW + (size_t)col[z] * (size_t)C;
            if (wrote && !wrote[col[z]]) memset(dw, 0, (size_t)C * sizeof *dw);
            if (wrote) wrote[col[z]] = true;
            add_row(dw, val ? val[z] : (mp_real)1, dY + (size_t)v * (size_t)C, C);
        }
    }
}

static void scale_row(mp_real *restrict y, mp_real a, const mp_real *restrict x, int C)
{
    for (int c = 0; c < C; c++) y[c] = a * x[c];
}

void MP_FN(gate_fwd)(mp_real *out, const mp_real *X, const mp_real *G, const int *keep, int K, int C, int D, int split)
{
    for (int i = 0; i < K; i++, G += D) {
        const mp_real *x = X + (size_t)keep[i] * (size_t)C;
        if (split == 0) {
            for (int d = 0; d < D; d++, out += C) scale_row(out, G[d], x, C);
        } else {
            for (int c = 0; c < C; c++) out[c] = G[c / split] * x[c];
            out += C;
        }
    }
}

/* nv vectors of a kept row: the D copies' gradients, each times its gate. */
static inline __attribute__((always_inline)) void gate_block(int nv, mp_real *dx, const mp_real *dOut, const mp_real *G,
                                                             bool add, int C, int D)
{
    vec acc[WIDE];
    for (int i = 0; i < nv; i++) acc[i] = add ? vload(dx + i * VW) : vset((mp_real)0);
    for (int d = 0; d < D; d++) {
        vec x = vset(G[d]);
        for (int i = 0; i < nv; i++) acc[i] = vfma(x, vload(dOut + (size_t)d * (size_t)C + i * VW), acc[i]);
    }
    for (int i = 0; i < nv; i++) vstore(dx + i * VW, acc[i]);
}

static void gate_row(mp_real *dx, const mp_real *dOut, const mp_real *G, bool add, int C, int D)
{
    int c = 0;
    for (; c + WIDE * VW <= C; c += WIDE * VW) gate_block(WIDE, dx + c, dOut + c, G, add, C, D);
    for (; c + VW <= C; c += VW) gate_block(1, dx + c, dOut + c, G, add, C, D);
    for (; c < C; c++) {
        mp_real acc = add ? dx[c] : 0;
        for (int d = 0; d < D; d++) acc = fma1(G[d], dOut[(size_t)d * (size_t)C + c], acc);
        dx[c] = acc;
    }
}

void MP_FN(gate_bwd)(mp_real *dX, mp_real *dG, const mp_real *dOut, const mp_real *X, const mp_real *G, const int *keep,
                     bool add, int K, int C, int D, int split)
{
    size_t width = (size_t)C * (size_t)(split ? 1 : D);
    for (int i = 0; i < K; i++, G += D, dOut += width) {
        size_t at = (size_t)keep[i] * (size_t)C;
        if (dX && split == 0) gate_row(dX + at, dOut, G, add, C, D);
        for (int c = 0; dX && split && c < C; c++) dX[at + c] = fma1(G[c / split], dOut[c], add ? dX[at + c] : 0);
        for (int d = 0; dG && d < D; d++) {
            int from = split ? (d * split < C ? d * split : C) : 0;
            int to = split ? (from + split < C ? from + split : C) : C;
            const mp_real *dy = dOut + (split ? 0 : (size_t)d * (size_t)C) + from;
            dG[(size_t)i * (size_t)D + d] = dot(X + at + from, dy, to - from);
        }
    }
}

/* nv vectors of columns over the rows from .. to-1, at least one. */
static inline __attribute__((always_inline)) void readout_block(int nv, mp_real *top, int *arg, mp_real *sum,
                                                                const mp_real *X, int from, int to, mp_real scale,
                                                                int C)
{
    vec most[HALF], all[HALF];
    ivec at[HALF];
    const mp_real *x = X + (size_t)from * (size_t)C;
    for (int i = 0; i < nv; i++) {
        most[i] = all[i] = vload(x + i * VW);
        at[i] = ivset(from);
    }
    for (int v = from + 1; v < to; v++) {
        x += C;
        ivec here = ivset(v);
        for (int i = 0; i < nv; i++) {
            vec now = vload(x + i * VW);
            vmask better = vgreater(now, most[i]);
            most[i] = vpick(better, now, most[i]);
            at[i] = ivpick(better, here, at[i]);
            all[i] = vadd(all[i], now);
        }
    }
    for (int i = 0; i < nv; i++) {
        if (top) vstore(top + i * VW, most[i]);
        if (arg) ivstore(arg + i * VW, at[i]);
        if (sum) vstore(sum + i * VW, vmul(all[i], vset(scale)));
    }
}

static void readout_one(mp_real *top, int *arg, mp_real *sum, const mp_real *X, int from, int to, mp_real scale, int C)
{
    mp_real most = X[(size_t)from * (size_t)C], all = most;
    int at = from;
    for (int v = from + 1; v < to; v++) {
        mp_real now = X[(size_t)v * (size_t)C];
        at = now > most ? v : at;
        most = now > most ? now : most;
        all += now;
    }
    if (top) *top = most;
    if (arg) *arg = at;
    if (sum) *sum = all * scale;
}

void MP_FN(readout)(mp_real *top, int *arg, mp_real *sum, const mp_real *X, const int *ptr, const mp_real *scale, int B,
                    int C, int ld)
{
    for (int b = 0; b < B; b++) {
        mp_real *t = top ? top + (size_t)b * (size_t)ld : NULL, *s = sum ? sum + (size_t)b * (size_t)ld : NULL;
        int *a = arg ? arg + (size_t)b * (size_t)C : NULL, c = 0;
        mp_real factor = scale ? scale[b] : (mp_real)1;
        if (ptr[b] == ptr[b + 1]) {
            if (t) memset(t, 0, (size_t)C * sizeof *t);
            if (s) memset(s, 0, (size_t)C * sizeof *s);
            if (a) memset(a, -1, (size_t)C * sizeof *a);
            continue;
        }
        for (; c + HALF * VW <= C; c += HALF * VW)
            readout_block(HALF, t ? t + c : t, a ? a + c : a, s ? s + c : s, X + c, ptr[b], ptr[b + 1], factor, C);
        for (; c + VW <= C; c += VW)
            readout_block(1, t ? t + c : t, a ? a + c : a, s ? s + c : s, X + c, ptr[b], ptr[b + 1], factor, C);
        for (; c < C; c++)
            readout_one(t ? t + c : t, a ? a + c : a, s ? s + c : s, X + c, ptr[b], ptr[b + 1], factor, C);
    }
}

void MP_FN(readout_max_bwd)(mp_real *dX, const mp_real *dOut, const int *arg, int B, int C, int ld)
{
    for (int b = 0; b < B; b++) {
        for (int c = 0; c < C; c++) {
            int v = arg[(size_t)b * (size_t)C + c];
            if (v >= 0) dX[(size_t)v * (size_t)C + c] += dOut[(size_t)b * (size_t)ld + c];
        }
    }
}

void MP_FN(readout_sum_bwd)(mp_real *dX, const mp_real *dOut, const int *ptr, const mp_real *scale, bool add, int B,
                            int C, int ld)
{
    for (int b = 0; b < B; b++) {
        const mp_real *restrict dy = dOut + (size_t)b * (size_t)ld;
        mp_real s = scale ? scale[b] : (mp_real)1;
        for (int v = ptr[b]; v < ptr[b + 1]; v++) {
            mp_real *restrict dx = dX + (size_t)v * (size_t)C;
            if (add)
                for (int c = 0; c < C; c++) dx[c] = fma1(s, dy[c], dx[c]);
            else
                for (int c = 0; c < C; c++) dx[c] = s * dy[c];
        }
    }
}

void MP_FN(col_sum)(mp_real *out, const mp_real *X, bool add, int N, int C)
{
    if (C <= MP_FEW) {
        double sum[MP_FEW] = { 0 };
        for (int v = 0; v < N; v++)
            for (int c = 0; c < C; c++) sum[c] += (double)X[(size_t)v * (size_t)C + c];
        for (int c = 0; c < C; c++) out[c] = (mp_real)(add ? (double)out[c] + sum[c] : sum[c]);
        return;
    }
    if (!add) memset(out, 0, (size_t)C * sizeof *out);
    for (int v = 0; v < N; v++) {
        const mp_real *restrict x = X + (size_t)v * (size_t)C;
        for (int c = 0; c < C; c++) out[c] += x[c];
    }
}

/* nv vectors of columns, all rows. */
static inline __attribute__((always_inline)) void relu_block(int nv, mp_real *out, mp_real *dY, const mp_real *Y,
                                                             bool add, int N, int C)
{
    vec sum[WIDE], zero = vset((mp_real)0);
    for (int i = 0; i < nv; i++) sum[i] = add ? vload(out + i * VW) : zero;
    for (int v = 0; v < N; v++, dY += C, Y += C) {
        for (int i = 0; i < nv; i++) {
            vec d = vpick(vgreater(vload(Y + i * VW), zero), vload(dY + i * VW), zero);
            vstore(dY + i * VW, d);
            sum[i] = vadd(sum[i], d);
        }
    }
    for (int i = 0; i < nv; i++) vstore(out + i * VW, sum[i]);
}

void MP_FN(relu_col_sum)(mp_real *out, mp_real *dY, const mp_real *Y, bool add, int N, int C)
{
    int c = 0;
    for (; c + WIDE * VW <= C; c += WIDE * VW) relu_block(WIDE, out + c, dY + c, Y + c, add, N, C);
    for (; c + VW <= C; c += VW) relu_block(1, out + c, dY + c, Y + c, add, N, C);
    for (; c < C; c++) {
        mp_real sum = add ? out[c] : 0;
        for (int v = 0; v < N; v++) {
            size_t at = (size_t)v * (size_t)C + (size_t)c;
            dY[at] = Y[at] > 0 ? dY[at] : 0;
            sum += dY[at];
        }
        out[c] = sum;
    }
}
