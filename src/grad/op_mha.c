/* op_mha.c - attention of several heads inside each graph:  O = [ q_h + A_h v_h over the heads h ],
 *     A_h = softmax of q_h k_h^T / sqrt(C), over the keys (rows) or the queries (columns)   (math.md 5.8)
 * T is A laid out so that the softmax runs along its rows: A itself over the keys, A^T over the queries.
 *     dv = A^T dO,  dA = dO v^T,  dU = softmax backward of dA, over sqrt(C),  dq = dO + dU k,  dk = dU^T q
 *
 * Graphs of the same size that follow each other are a bunch: a product of all of them is one call, unless products are
 * LARGE or threads share the rows of each. It goes on stage by stage, with as many bunches at a time as have room: calls of
 * a stage are independent, and a GPU executes them together.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "grad/ops.h"
#include "grad/product.h"

#include <math.h>

#define ROOM  ((size_t)1 << 20) /* elements of what is computed at a time, unless one graph has more */
#define LARGE 64                /* rows and columns beyond which a product is a call of its own */

typedef struct bunch { /* graphs of one size */
    int first, count;
    int m, n;                /* queries, keys of each */
    size_t at;               /* in T */
    const int *by_m, *by_n;  /* 0, m, 2m ... and 0, n, 2n ... */
    const int *asks;         /* rows of q: by_m, or 0 for each */
    const int *rows, *lines; /* by_m or by_n, whichever are the rows of T; where the rows of T of one head are */
} bunch;

typedef struct mha {
    mp_mat *out, *q, *k, *v;
    const int *q_ptr, *k_ptr; /* q_ptr NULL: every graph asks with all rows of q */
    int graphs, heads;
    bool over_queries;
    mp_real *t; /* all T: bunch by bunch, head by head, graph by graph */
    const bunch *bunches;
    int count;
} mha;

typedef struct span { /* bunches that are computed at a time */
    const bunch *from, *end;
} span;

/* ---- bunches */
static int queries(const mha *a, int b)
{
    return a->q_ptr ? a->q_ptr[b + 1] - a->q_ptr[b] : a->q->rows;
}

static int keys(const mha *a, int b)
{
    return a->k_ptr[b + 1] - a->k_ptr[b];
}

/* Weights, or elements of a side of the products, whichever are more. */
static size_t room_of(const mha *a, int m, int n)
{
    size_t most = (size_t)(m > n ? m : n) * (size_t)a->q->cols, t = (size_t)m * (size_t)n * (size_t)a->heads;
    return t > most ? t : most;
}

/* How many graphs from b on are one bunch. */
static int alike(const mha *a, int b)
{
    int m = queries(a, b), n = keys(a, b), end = b + 1;
    size_t each = room_of(a, m, n), room = each;
    while (end < a->graphs && queries(a, end) == m && keys(a, end) == n && room + each <= ROOM) {
        room += each;
        end++;
    }
    return end - b;
}

static void gather_bunches(mp_ctx *c, mha *a)
{
    for (int b = 0; b < a->graphs; b += alike(a, b)) a->count++;
    bunch *list = MP_NEW_RAW(c->arena, bunch, a->count), *s = list;
    size_t used = 0;
    for (int b = 0; b < a->graphs; s++) {
        int count = alike(a, b), m = queries(a, b), n = keys(a, b);
        const int *by_m = mp_even_ptr(c, count, m), *by_n = m == n ? by_m : mp_even_ptr(c, count, n);
        int each = a->over_queries ? n : m, length = a->over_queries ? m : n;
        *s = (bunch){ b,
                      count,
                      m,
                      n,
                      used,
                      by_m,
                      by_n,
                      a->q_ptr ? by_m : mp_even_ptr(c, count, 0),
                      a->over_queries ? by_n : by_m,
                      mp_even_ptr(c, mp_count((int64_t)count * each, "rows of weights"), length) };
        used += (size_t)count * (size_t)m * (size_t)n * (size_t)a->heads;
        b += count;
    }
    a->bunches = list;
    a->t = MP_NEW_RAW(mp_elements(c), mp_real, used);
}

/* The next bunches for which there is room; none behind the last. */
static span next_span(const mha *a, span last)
{
    const bunch *end = a->bunches + a->count;
    span s = { last.end, last.end };
    size_t room = 0;
    for (; s.end < end; s.end++) {
        room += (size_t)s.end->count * room_of(a, s.end->m, s.end->n);
        if (s.end > s.from && room > ROOM) break;
    }
    return s;
}

/* Elements of one head of a bunch in T, and of all heads of all bunches. */
static size_t pairs(const bunch *s)
{
    return (size_t)s->count * (size_t)s->m * (size_t)s->n;
}

static size_t weights_in(const mha *a, span of)
{
    const bunch *last = of.end - 1;
    return last->at + pairs(last) * (size_t)a->heads - of.from->at;
}

/* ---- stages. `t` is T of the span, or what is laid out like it. */
static mp_real *head_of(span of, const bunch *s, mp_real *t, int h)
{
    return t + (s->at - of.from->at) + (size_t)h * pairs(s);
}

/* Before a call of head h of s: whether it is the first of its stage. */
static void in_stage(mp_ctx *c, span of, const bunch *s, int h)
{
    if (s > of.from || h > 0) mp_op_beside(c);
}

/* Columns of head h of the rows of a bunch: of queries as they are in out, or in q (asked), or of keys. */
static size_t queries_at(const mha *a, const bunch *s, int h, bool asked)
{
    int C = a->q->cols, row = a->q_ptr ? a->q_ptr[s->first] : asked ? 0 : s->first * s->m;
    return mp_at(row, C) + (size_t)h * (size_t)(C / a->heads);
}

static size_t keys_at(const mha *a, const bunch *s, int h)
{
    int C = a->q->cols;
    return mp_at(a->k_ptr[s->first], C) + (size_t)h * (size_t)(C / a->heads);
}

static void products(mp_ctx *c, mp_real *out, mp_operand left, mp_operand right, mp_blocks of, int rows, int n, int len)
{
    if (rows > LARGE && n > LARGE)
        mp_products_apart(c, out, left, right, of, n, len, false);
    else
        mp_products(c, out, left, right, of, n, len, false);
}

/* x y^T of queries x and keys y. */
static void scores(mp_ctx *c, const mha *a, span of, mp_real *t, const mp_real *x, bool asked, const mp_real *y)
{
    int C = a->q->cols, width = C / a->heads;
    for (const bunch *s = of.from; s < of.end; s++) {
        const int *asks = asked ? s->asks : s->by_m;
        for (int h = 0; h < a->heads; h++) {
            const mp_real *xs = x + queries_at(a, s, h, asked), *ys = y + keys_at(a, s, h);
            mp_real *to = head_of(of, s, t, h);
            in_stage(c, of, s, h);
            if (a->over_queries)
                products(c, to, (mp_operand){ ys, C, false }, (mp_operand){ xs, C, true },
                         (mp_blocks){ s->rows, s->by_n, asks, s->count }, s->n, s->m, width);
            else
                products(c, to, (mp_operand){ xs, C, false }, (mp_operand){ ys, C, true },
                         (mp_blocks){ s->rows, asks, s->by_n, s->count }, s->m, s->n, width);
        }
    }
}

static void scale(mp_ctx *c, const mha *a, span of, mp_real *t)
{
    c->k->axpy(t, (mp_real)(1 / sqrt((double)a->q->cols)), t, false, weights_in(a, of));
}

static int lines_of(const mha *a, const bunch *s)
{
    return s->count * (a->over_queries ? s->n : s->m);
}

/* A sum of rows x by the weights t, added to rows of `to`. */
typedef struct reading {
    mp_real *to, *t;
    const mp_real *x;
    bool by_keys; /* to is of keys and x of queries: weights A^T; else the other way round */
    bool asked;   /* queries are those of q, not of out */
} reading;

/* Where graphs share their queries, their sums follow each other. */
static void add_shared(mp_ctx *c, const mha *a, const bunch *s, mp_real *dq, const mp_real *side)
{
    int C = a->q->cols, width = C / a->heads;
    for (int i = 0; i < s->count; i++) {
        c->k->cols_copy(dq, C, a->out->g + mp_at((s->first + i) * s->m, C), C, true, s->m, C);
        for (int h = 0; h < a->heads; h++) {
            if (h > 0) mp_op_beside(c);
            c->k->cols_copy(dq + h * width, C, side + mp_at((h * s->count + i) * s->m, width), width, true, s->m,
                            width);
        }
    }
}

static void add_sums(mp_ctx *c, const mha *a, span of, const reading *r)
{
    int C = a->q->cols, width = C / a->heads;
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    size_t rows = 0, used = 0;
    for (const bunch *s = of.from; s < of.end; s++) rows += (size_t)s->count * (size_t)(r->by_keys ? s->n : s->m);
    mp_real *side = MP_NEW_RAW(mp_elements(c), mp_real, rows * (size_t)C);
    for (const bunch *s = of.from; s < of.end; s++) {
        const int *asks = r->asked ? s->asks : s->by_m;
        int each = r->by_keys ? s->n : s->m;
        mp_blocks blocks = { r->by_keys ? s->by_n : s->by_m, s->rows, r->by_keys ? asks : s->by_n, s->count };
        for (int h = 0; h < a->heads; h++) {
            mp_operand t = { head_of(of, s, r->t, h), a->over_queries ? s->m : s->n, a->over_queries != r->by_keys };
            size_t from = r->by_keys ? queries_at(a, s, h, r->asked) : keys_at(a, s, h);
            in_stage(c, of, s, h);
            products(c, side + used, t, (mp_operand){ r->x + from, C, false }, blocks, each, width,
                     r->by_keys ? s->m : s->n);
            used += mp_at(s->count * each, width);
        }
    }
    used = 0;
    for (const bunch *s = of.from; s < of.end; s++) {
        int lines = s->count * (r->by_keys ? s->n : s->m);
        if (r->asked && !r->by_keys && !a->q_ptr) {
            add_shared(c, a, s, r->to, side + used);
            used += mp_at(lines, C);
            continue;
        }
        for (int h = 0; h < a->heads; h++) {
            size_t to = r->by_keys ? keys_at(a, s, h) : queries_at(a, s, h, r->asked);
            in_stage(c, of, s, h);
            c->k->cols_copy(r->to + to, C, side + used, width, true, lines, width);
            used += mp_at(lines, width);
        }
    }
    mp_arena_back(mp_elements(c), here);
}

/* ---- forward and backward */
static void attend(mp_ctx *c, const mha *a, span of)
{
    mp_real *t = a->t + of.from->at;
    scores(c, a, of, t, a->q->v, true, a->k->v);
    scale(c, a, of, t);
    for (const bunch *s = of.from; s < of.end; s++) {
        for (int h = 0; h < a->heads; h++) {
            mp_real *one = head_of(of, s, t, h);
            in_stage(c, of, s, h);
            c->k->softmax(one, one, s->lines, lines_of(a, s));
        }
    }
    add_sums(c, a, of, &(reading){ a->out->v, t, a->v->v, false, false });
}

/* The gradient of the scores, laid out as T. */
static mp_real *scores_back(mp_ctx *c, const mha *a, span of)
{
    mp_real *dt = MP_NEW_RAW(mp_elements(c), mp_real, weights_in(a, of));
    scores(c, a, of, dt, a->out->g, false, a->v->v);
    for (const bunch *s = of.from; s < of.end; s++) {
        for (int h = 0; h < a->heads; h++) {
            mp_real *one = head_of(of, s, dt, h);
            in_stage(c, of, s, h);
            c->k->softmax_bwd(one, one, head_of(of, s, a->t + of.from->at, h), s->lines, false, lines_of(a, s));
        }
    }
    scale(c, a, of, dt);
    return dt;
}

static void queries_back(mp_ctx *c, const mha *a, span of, mp_real *du)
{
    const bunch *last = of.end - 1;
    mp_real *dq = mp_grad_zeroed(c, a->q);
    if (a->q_ptr) {
        int from = a->q_ptr[of.from->first], end = a->q_ptr[last->first + last->count], C = a->q->cols;
        c->k->cols_copy(dq + mp_at(from, C), C, a->out->g + mp_at(from, C), C, true, end - from, C);
    }
    add_sums(c, a, of, &(reading){ dq, du, a->k->v, false, true });
}

static void attend_back(mp_ctx *c, const mha *a, span of)
{
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    if (a->v->g) add_sums(c, a, of, &(reading){ mp_grad_zeroed(c, a->v), a->t + of.from->at, a->out->g, true, false });
    mp_real *du = scores_back(c, a, of);
    if (a->q->g) queries_back(c, a, of, du);
    if (a->k->g) add_sums(c, a, of, &(reading){ mp_grad_zeroed(c, a->k), du, a->q->v, true, true });
    mp_arena_back(mp_elements(c), here);
}

static span first_span(const mha *a)
{
    return next_span(a, (span){ a->bunches, a->bunches });
}

static void mha_back(void *saved, mp_ctx *c)
{
    mha *a = saved;
    if (!a->out->live) return;
    for (span of = first_span(a); of.from < of.end; of = next_span(a, of)) attend_back(c, a, of);
}

mp_mat *mp_mha(mp_ctx *c, mp_mat *q, const int *q_ptr, mp_mat *k, mp_mat *v, const int *k_ptr, int graphs, int heads,
               bool over_queries)
{
    mp_assert(q->cols == k->cols && k->cols == v->cols && k->rows == v->rows && k_ptr[graphs] == k->rows);
    mp_assert(heads > 0 && q->cols % heads == 0 && (!q_ptr || q_ptr[graphs] == q->rows));
    int C = q->cols, rows = q_ptr ? q->rows : mp_count((int64_t)graphs * q->rows, "queries of a batch");
    mha a = { mp_mat_new(c, rows, C), q, k, v, q_ptr, k_ptr, graphs, heads, over_queries, NULL, NULL, 0 };
    gather_bunches(c, &a);
    for (int b = 0; b < (q_ptr ? 1 : graphs); b++) {
        if (b > 0) mp_op_beside(c);
        c->k->axpy(a.out->v + (size_t)b * mp_size(q), 1, q->v, false, mp_size(q));
    }
    for (span of = first_span(&a); of.from < of.end; of = next_span(&a, of)) attend(c, &a, of);
    MP_RECORD(c, mha_back, mha, a.out, q, k, v, q_ptr, k_ptr, graphs, heads, over_queries, a.t, a.bunches, a.count);
    return a.out;
}

/* ---- head_spread */
struct spread {
    mp_mat *out, *q;
    int heads;
    mp_real scale;
};

static void spread_back(void *saved, mp_ctx *c)
{
    struct spread *a = saved;
    if (!a->out->live || !a->q->g) return;
    c->k->head_spread_bwd(mp_grad_zeroed(c, a->q), a->out->g, a->scale, a->heads, a->q->rows, a->q->cols);
}

mp_mat *mp_head_spread(mp_ctx *c, mp_mat *q, int heads, mp_real scale)
{
    mp_assert(heads > 0 && q->cols % heads == 0);
    mp_mat *out = mp_mat_new(c, q->cols, mp_count((int64_t)heads * q->rows, "queries of all heads"));
    c->k->head_spread(out->v, q->v, scale, heads, q->rows, q->cols);
    MP_RECORD(c, spread_back, struct spread, out, q, heads, scale);
    return out;
}
