/* op_conv1d.c - convolution and maximum along a sequence, without padding (math.md 2.12).
 *     conv1d      Y[t, o] = bias_o + sum_{u, c} X[t stride + u, c] W[c U + u, o],   t = 0 .. (L - U) / stride
 *                 dW = windows^T dY,   dX = sum over windows of dY W^T,   dbias = column sums of dY
 *     maxpool1d   Y[t, c] = max(X[2t, c], X[2t+1, c]);   the gradient goes to the first maximum
 *     flip1d      from place by place to channel by channel
 *
 * A row of a matrix is one sequence of L places with C channels each, place by place: element (t, c) at t C + c. Then the
 * window that makes place t of the output is one contiguous piece of the row, and the convolution of a row is a product
 * of overlapping rows with the weights. Files keep W as PyTorch does, [out][channel][u]; the rows are brought into the
 * order of a window, (u, c), for the product.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

#define ROOM ((size_t)1 << 18) /* elements of windows that are computed at a time, unless one row has more */

struct conv1d {
    mp_mat *out, *x, *w, *b;
    int channels, width, stride, places; /* places: of the output */
    bool relu;
};

static mp_real *windowed(mp_ctx *c, const mp_mat *w, int channels, int width)
{
    mp_real *v = MP_NEW_RAW(mp_elements(c), mp_real, (size_t)w->rows * (size_t)w->cols);
    c->k->window_order(v, w->v, false, channels, width, w->cols);
    return v;
}

/* The windows from a row on as a side of a product: they overlap where the stride is below the width. */
static mp_operand windows(const struct conv1d *a, int row, bool flip)
{
    return (mp_operand){ a->x->v + mp_at(row, a->x->cols), a->stride * a->channels, flip };
}

/* Whether the first window of a row follows the last one of the row before as windows of a row do: then the windows of
 * all rows are one matrix. */
static bool is_even(const struct conv1d *a)
{
    return a->x->cols == a->places * a->stride * a->channels;
}

static mp_operand slopes(const struct conv1d *a, int row)
{
    return (mp_operand){ a->out->g + mp_at(row, a->out->cols), a->w->cols, false };
}

/* Copies of the windows of rows, one below the other: a place of all rows at a time. */
static mp_operand gathered(const struct conv1d *a, mp_ctx *c, int row, int rows)
{
    int span = a->w->rows, step = a->stride * a->channels;
    mp_real *to = MP_NEW_RAW(mp_elements(c), mp_real, mp_at(rows * a->places, span));
    for (int t = 0; t < a->places; t++) {
        if (t > 0) mp_op_beside(c);
        c->k->cols_copy(to + mp_at(t, span), a->places * span, a->x->v + mp_at(row, a->x->cols) + mp_at(t, step),
                        a->x->cols, false, rows, span);
    }
    return (mp_operand){ to, span, true };
}

static void back_weights(const struct conv1d *a, mp_ctx *c, int most)
{
    int O = a->w->cols, span = a->w->rows;
    mp_real *dw = MP_NEW_RAW(mp_elements(c), mp_real, mp_at(span, O));
    for (int r = 0, rows; r < a->x->rows; r += rows) {
        rows = a->x->rows - r < most ? a->x->rows - r : most;
        mp_arena_mark here = mp_arena_here(mp_elements(c));
        mp_operand x = is_even(a) || rows == 1 ? windows(a, r, true) : gathered(a, c, r, rows);
        mp_product(c, dw, x, slopes(a, r), span, O, rows * a->places, r > 0);
        mp_arena_back(mp_elements(c), here);
    }
    mp_real *into = mp_grad_zeroed(c, a->w);
    if (a->x->rows > 0) c->k->window_order(into, dw, true, a->channels, a->width, O);
}

static void back_input(const struct conv1d *a, mp_ctx *c, int most)
{
    int O = a->w->cols, span = a->w->rows, step = a->stride * a->channels;
    mp_real *w = windowed(c, a->w, a->channels, a->width), *dx = mp_grad_zeroed(c, a->x);
    size_t row = mp_at(a->places, span); /* elements of the windows of one */
    mp_real *dwindow = MP_NEW_RAW(mp_elements(c), mp_real, row * (size_t)(most < a->x->rows ? most : a->x->rows));
    for (int r = 0, rows; r < a->x->rows; r += rows) {
        rows = a->x->rows - r < most ? a->x->rows - r : most;
        mp_product(c, dwindow, slopes(a, r), (mp_operand){ w, O, true }, rows * a->places, span, O, false);
        int each = is_even(a) ? rows : 1; /* rows that are as one */
        for (int i = 0; i < rows; i += each) {
            if (i > 0) mp_op_beside(c);
            c->k->windows_add(dx + mp_at(r + i, a->x->cols), dwindow + row * (size_t)i, step, each * a->places, span);
        }
    }
}

static void conv1d_back(void *p, mp_ctx *c)
{
    struct conv1d *a = p;
    if (!a->out->live) return;
    int O = a->w->cols, B = a->out->rows;
    if (a->relu) c->k->act_bwd(a->out->g, a->out->g, a->out->v, MP_ACT_RELU, false, (size_t)B * (size_t)a->out->cols);
    if (a->b->g) c->k->col_sum(a->b->g, a->out->g, !mp_grad_store(c, a->b), B * a->places, O);
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    size_t each = mp_at(a->places, a->w->rows);
    int most = each < ROOM ? (int)(ROOM / each) : 1; /* rows at a time */
    if (a->w->g) back_weights(a, c, most);
    if (a->x->g) back_input(a, c, most);
    mp_arena_back(mp_elements(c), here);
}

mp_mat *mp_conv1d(mp_ctx *c, mp_mat *x, int channels, mp_mat *w, mp_mat *b, int stride, bool relu)
{
    int O = w->cols, span = w->rows, width = span / channels, length = x->cols / channels;
    mp_assert(x->cols % channels == 0 && span > 0 && span % channels == 0 && stride > 0 && length >= width);
    int places = (length - width) / stride + 1;
    mp_mat *out = mp_mat_new(c, x->rows, places * O);
    struct conv1d a = { out, x, w, b, channels, width, stride, places, relu };
    mp_arena_mark here = mp_arena_here(mp_elements(c));
    mp_operand v = { windowed(c, w, channels, width), O, false };
    int each = is_even(&a) ? x->rows : 1; /* rows that are as one */
    for (int r = 0; r < x->rows; r += each) {
        if (r > 0) mp_op_beside(c);
        mp_product_of(c, out->v + mp_at(r, out->cols), windows(&a, r, false), v, each * places, O, span, b->v, false,
                      relu);
    }
    mp_arena_back(mp_elements(c), here);
    MP_RECORD(c, conv1d_back, struct conv1d, out, x, w, b, channels, width, stride, places, relu);
    return out;
}

/* ---- maxpool1d */
struct maxpool1d {
    mp_mat *out, *x;
    const int *arg; /* column of x */
};

static void maxpool1d_back(void *p, mp_ctx *c)
{
    struct maxpool1d *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->max_pairs_bwd(mp_grad_zeroed(c, a->x), a->out->g, a->arg, a->out->rows, a->out->cols, a->x->cols);
}

mp_mat *mp_maxpool1d(mp_ctx *c, mp_mat *x, int channels)
{
    mp_assert(channels > 0 && x->cols % channels == 0);
    int places = x->cols / channels / 2;
    mp_mat *out = mp_mat_new(c, x->rows, places * channels);
    int *arg = MP_NEW_RAW(mp_elements(c), int, mp_size(out));
    c->k->max_pairs(out->v, arg, x->v, x->rows, out->cols, x->cols, channels);
    MP_RECORD(c, maxpool1d_back, struct maxpool1d, out, x, arg);
    return out;
}

/* ---- flip1d: as PyTorch flattens */
struct flip1d {
    mp_mat *out, *x;
    int channels;
};

static void flip1d_back(void *p, mp_ctx *c)
{
    struct flip1d *a = p;
    if (!a->out->live || !a->x->g) return;
    c->k->flip_places_bwd(mp_grad_zeroed(c, a->x), a->out->g, a->x->rows, a->channels, a->x->cols / a->channels);
}

mp_mat *mp_flip1d(mp_ctx *c, mp_mat *x, int channels)
{
    mp_assert(channels > 0 && x->cols % channels == 0);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    c->k->flip_places(out->v, x->v, x->rows, channels, x->cols / channels);
    MP_RECORD(c, flip1d_back, struct flip1d, out, x, channels);
    return out;
}
