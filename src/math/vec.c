/* vec.c - element-wise loops, softmax and Adam.
 * SPDX-License-Identifier: MIT */
#include "math/fun.h"
#include "math/kernels.h"
#include "math/simd.h"

#define MP_DECLARE(name, args) void MP_FN(name) args;
MP_KERNEL_LIST(MP_DECLARE)

static void act_array(mp_real *restrict out, const mp_real *restrict x, mp_act act, size_t n)
{
    switch (act) {
    case MP_ACT_NONE:
        for (size_t i = 0; i < n; i++) out[i] = x[i];
        break;
    case MP_ACT_RELU:
        for (size_t i = 0; i < n; i++) out[i] = relu1(x[i]);
        break;
    case MP_ACT_TANH:
        for (size_t i = 0; i < n; i++) out[i] = tanh1(x[i]);
        break;
    case MP_ACT_SIGMOID:
        for (size_t i = 0; i < n; i++) out[i] = sigmoid1(x[i]);
        break;
    case MP_ACT_LEAKY:
        for (size_t i = 0; i < n; i++) out[i] = x[i] > 0 ? x[i] : MP_LEAKY_SLOPE * x[i];
        break;
    }
}

void MP_FN(act_fwd)(mp_real *out, const mp_real *x, mp_act act, size_t n)
{
    act_array(out, x, act, n);
}

/* dx may be dy itself. */
static inline __attribute__((always_inline)) void act_back(mp_real *dx, const mp_real *dy, const mp_real *y, mp_act act,
                                                           bool add, size_t n)
{
    SAME_INDEX_ONLY
    for (size_t i = 0; i < n; i++) {
        mp_real d = dy[i] * act_slope(y[i], act);
        dx[i] = add ? dx[i] + d : d;
    }
}

void MP_FN(act_bwd)(mp_real *dx, const mp_real *dy, const mp_real *y, mp_act act, bool add, size_t n)
{
    switch (act) { /* one loop for each constant, so that each is a straight vector loop */
    case MP_ACT_NONE:
        act_back(dx, dy, y, MP_ACT_NONE, add, n);
        break;
    case MP_ACT_RELU:
        act_back(dx, dy, y, MP_ACT_RELU, add, n);
        break;
    case MP_ACT_TANH:
        act_back(dx, dy, y, MP_ACT_TANH, add, n);
        break;
    case MP_ACT_SIGMOID:
        act_back(dx, dy, y, MP_ACT_SIGMOID, add, n);
        break;
    case MP_ACT_LEAKY:
        act_back(dx, dy, y, MP_ACT_LEAKY, add, n);
        break;
    }
}

void MP_FN(axpy)(mp_real *y, mp_real a, const mp_real *x, bool add, size_t n)
{
    if (add)
        for (size_t i = 0; i < n; i++) y[i] = fma1(a, x[i], y[i]);
    else
        for (size_t i = 0; i < n; i++) y[i] = a * x[i];
}

void MP_FN(axpy_by)(mp_real *y, const mp_real *a, const mp_real *x, bool add, size_t n)
{
    MP_FN(axpy)(y, *a, x, add, n);
}

void MP_FN(shift)(mp_real *out, const mp_real *x, mp_real k, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = x[i] + k;
}

void MP_FN(fill)(mp_real *out, mp_real value, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = value;
}

void MP_FN(mul)(mp_real *out, const mp_real *x, const mp_real *y, bool add, size_t n)
{
    if (add)
        for (size_t i = 0; i < n; i++) out[i] = fma1(x[i], y[i], out[i]);
    else
        for (size_t i = 0; i < n; i++) out[i] = x[i] * y[i];
}

void MP_FN(lstm_fwd)(mp_real *h, mp_real *cell, mp_real *gate, mp_real *squash, const mp_real *a, const mp_real *before,
                     int B, int H)
{
    size_t n = (size_t)H;
    for (int r = 0; r < B; r++) {
        size_t at = (size_t)r * n;
        mp_real *i = gate + 4 * at, *f = i + n, *g = f + n, *o = g + n;
        const mp_real *in = a + 4 * at;
        act_array(i, in, MP_ACT_SIGMOID, 2 * n);
        act_array(g, in + 2 * n, MP_ACT_TANH, n);
        act_array(o, in + 3 * n, MP_ACT_SIGMOID, n);
        MP_FN(mul)(cell + at, i, g, false, n);
        if (before) MP_FN(mul)(cell + at, f, before + at, true, n);
        act_array(squash + at, cell + at, MP_ACT_TANH, n);
        MP_FN(mul)(h + at, o, squash + at, false, n);
    }
}

void MP_FN(drop_mask)(mp_real *mask, mp_rng stream, uint64_t below, mp_real scale, size_t n)
{
    size_t pairs = n / 2;
    for (size_t i = 0; i < pairs; i++) {
        uint64_t bits = mp_rng_at(stream, stream.count + 1 + i);
        mask[2 * i] = (bits & 0xffffffffu) < below ? 0 : scale;
        mask[2 * i + 1] = (bits >> 32) < below ? 0 : scale;
    }
    if (n % 2) mask[n - 1] = (mp_rng_at(stream, stream.count + 1 + pairs) & 0xffffffffu) < below ? 0 : scale;
}

/* Twelve independent chains of vectors hide the latency of two units and leave room in sixteen registers. */
void MP_FN(peak)(mp_real *out, long rounds)
{
    vec acc[12], a = vset(out[0]), b = vset(out[1]);
    for (int i = 0; i < 12; i++) acc[i] = vset((mp_real)i);
    for (long r = 0; r < rounds; r++)
        for (int k = 0; k < MP_PEAK_FLOPS / (2 * 12 * VW); k++)
            for (int i = 0; i < 12; i++) acc[i] = vfma(a, acc[i], b);
    for (int i = 1; i < 12; i++) acc[0] = vadd(acc[0], acc[i]);
    mp_real lane[VW > 1 ? VW : 2];
    vstore(lane, acc[0]);
    out[0] = lane[0];
}

void MP_FN(softmax)(mp_real *out, const mp_real *u, const int *ptr, int segments)
{
    for (int s = 0; s < segments; s++) {
        int a = ptr[s], b = ptr[s + 1];
        if (a == b) continue;
        mp_real top = u[a], sum = (mp_real)0;
        for (int i = a + 1; i < b; i++) top = u[i] > top ? u[i] : top;
        for (int i = a; i < b; i++) out[i] = exp1(u[i] - top);
        for (int i = a; i < b; i++) sum += out[i];
        mp_real scale = (mp_real)1 / (sum + (mp_real)1e-16);
        for (int i = a; i < b; i++) out[i] *= scale;
    }
}

void MP_FN(softmax_bwd)(mp_real *du, const mp_real *dout, const mp_real *out, const int *ptr, bool add, int segments)
{
    /* In double: what comes out of a group cancels in sums over it, and rounding would be all that is left. */
    for (int s = 0; s < segments; s++) {
        double mean = 0, sum = 0;
        for (int i = ptr[s]; i < ptr[s + 1]; i++) {
            mean += (double)out[i] * (double)dout[i];
            sum += (double)out[i];
        }
        if (sum > 0) mean /= sum;
        for (int i = ptr[s]; i < ptr[s + 1]; i++) {
            mp_real d = (mp_real)((double)out[i] * ((double)dout[i] - mean));
            du[i] = add ? du[i] + d : d;
        }
    }
}

/* sum + exp(x_0 - top) + exp(x_1 - top) ..., upwards. Exponentials come a few at a time: they do not wait for each other, their
 * sum does. */
static mp_real add_exps(mp_real sum, const mp_real *x, mp_real top, int n)
{
    mp_real e[32];
    for (int from = 0; from < n; from += 32) {
        int most = n - from < 32 ? n - from : 32;
        for (int j = 0; j < most; j++) e[j] = exp1(x[from + j] - top);
        for (int j = 0; j < most; j++) sum += e[j];
    }
    return sum;
}

void MP_FN(log_softmax)(mp_real *out, const mp_real *x, int rows, int cols)
{
    for (int r = 0; r < rows; r++, x += cols, out += cols) {
        mp_real top = x[0];
        for (int j = 1; j < cols; j++) top = x[j] > top ? x[j] : top;
        mp_real shift = top + log1(add_exps(0, x, top, cols));
        for (int j = 0; j < cols; j++) out[j] = x[j] - shift;
    }
}

void MP_FN(xent)(mp_real *loss, mp_real *slope, const mp_real *logp, const int *label, mp_real scale, int B, int C)
{
    double sum = 0;
    for (size_t i = 0, n = (size_t)B * (size_t)C; i < n; i++) slope[i] = scale * exp1(logp[i]);
    for (int b = 0; b < B; b++) {
        size_t right = (size_t)b * (size_t)C + (size_t)label[b];
        sum -= (double)logp[right];
        slope[right] = scale * (exp1(logp[right]) - (mp_real)1);
    }
    loss[0] = (mp_real)(sum * (double)scale);
}

static void adam_part(mp_real *restrict theta, mp_real *restrict m, mp_real *restrict v, const mp_real *restrict grad,
                      const mp_adam h, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mp_real g = fma1(h.decay, theta[i], grad[i]);
        mp_real first = fma1(h.beta1, m[i], h.rest1 * g), second = fma1(h.beta2, v[i], h.rest2 * (g * g));
        m[i] = first; /* kept in registers: reading them back from memory takes twice as long as the arithmetic */
        v[i] = second;
        theta[i] -= h.lr_corrected * first / fma1(sqrt1(second), h.root_corrected, h.eps);
    }
}

void MP_FN(dot)(mp_real *out, const mp_real *x, const mp_real *y, size_t n)
{
    double lane[LANES] = { 0 };
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++) lane[l] += (double)x[i + l] * (double)y[i + l];
    for (size_t l = 0; i < n; l++, i++) lane[l] += (double)x[i] * (double)y[i];
    for (size_t s = LANES / 2; s > 0; s /= 2)
        for (size_t l = 0; l < s; l++) lane[l] += lane[l + s];
    *out += (mp_real)lane[0];
}

/* `from` of which `n` numbers go to `to`, which begins a line, past the caches. */
static void stream(mp_real *to, const mp_real *from, size_t n)
{
    size_t i = 0;
    for (; i + VW <= n; i += VW) vstream(to + i, vload(from + i));
    for (; i < n; i++) to[i] = from[i];
}

#define PART 512
#define LINE 64

/* Weights that other threads have read lie in their caches too, and a store would wait for each line to be taken from
 * them; stores past the caches do not wait. */
void MP_FN(adam)(mp_real *restrict theta, mp_real *restrict m, mp_real *restrict v, const mp_real *restrict grad,
                 const mp_adam *how, size_t n)
{
    size_t lead = (LINE - (uintptr_t)theta % LINE) % LINE / sizeof *theta;
    if (!how->shared || lead > n) lead = n;
    adam_part(theta, m, v, grad, *how, lead);
    for (size_t at = lead, most; at < n; at += most) {
        mp_real next[PART];
        most = n - at < PART ? n - at : PART;
        memcpy(next, theta + at, most * sizeof *next);
        adam_part(next, m + at, v + at, grad + at, *how, most);
        stream(theta + at, next, most);
    }
    if (lead < n) vstreamed();
}
