/* baselines.cuh - what the baselines compute besides: gates of sequences, heads, windows, shares of dense rows, blocks,
 * losses of clusterings. A thread has an element, a row or a graph, and its sums are the processor's.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_BASELINES_CUH
#define MP_CUDA_BASELINES_CUH

#include "cuda/grid.cuh"
#include "math/one_loss.h"

/* ---- sequences and windows */
struct kernel_lstm_fwd : by_item<kernel_lstm_fwd, mp_call_lstm_fwd> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.B, c.H);
    }

    MP_DEVICE void one(const call &c, size_t here)
    {
        size_t H = (size_t)c.H, first = 4 * (here / H) * H + here % H;
        const float *a = c.a + first;
        float *gate = c.gate + first, i = sigmoid1(a[0]), f = sigmoid1(a[H]), g = tanh1(a[2 * H]),
              o = sigmoid1(a[3 * H]);
        float cell = i * g;
        if (c.before) cell = fma1(f, c.before[here], cell);
        float t = tanh1(cell);
        gate[0] = i;
        gate[H] = f;
        gate[2 * H] = g;
        gate[3 * H] = o;
        c.cell[here] = cell;
        c.squash[here] = t;
        c.h[here] = o * t;
    }
};

struct kernel_lstm_bwd : by_item<kernel_lstm_bwd, mp_call_lstm_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.B, c.H);
    }

    MP_DEVICE void one(const call &c, size_t here)
    {
        size_t H = (size_t)c.H, r = here / H, k = here % H;
        const float *gate = c.gate + 4 * r * H + k;
        float *d = c.da + 4 * r * H + k, i = gate[0], f = gate[H], g = gate[2 * H], o = gate[3 * H], t = c.squash[here];
        float dy = c.dh ? c.dh[here] : 0, dc = dy * o * (1 - t * t);
        if (c.dcell) dc += c.dcell[here];
        d[0] += dc * g * i * (1 - i);
        if (c.before) d[H] += dc * c.before[here] * f * (1 - f);
        d[2 * H] += dc * i * (1 - g * g);
        d[3 * H] += dy * t * o * (1 - o);
        if (c.dbefore) c.dbefore[here] += dc * f;
    }
};

struct kernel_window_order : by_item<kernel_window_order, mp_call_window_order> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.channels, c.width) * (size_t)c.out;
    }

    MP_DEVICE void one(const call &c, size_t file)
    {
        size_t out = (size_t)c.out, o = file % out, u = file / out % (size_t)c.width, ch = file / out / (size_t)c.width;
        size_t window = (u * (size_t)c.channels + ch) * out + o;
        if (c.back)
            c.to[file] += c.from[window];
        else
            c.to[window] = c.from[file];
    }
};

/* A thread has a number, and adds up the windows that it lies in, the first one first. */
struct kernel_windows_add : by_item<kernel_windows_add, mp_call_windows_add> {
    MP_BOTH size_t items(const call &c)
    {
        return c.places > 0 ? area(c.places - 1, c.step) + (size_t)c.span : 0;
    }

    MP_DEVICE void one(const call &c, size_t at)
    {
        int i = (int)at, first = i < c.span ? 0 : (i - c.span) / c.step + 1, last = i / c.step;
        float sum = c.dX[i];
        for (int t = first; t <= last && t < c.places; t++)
            sum += c.windows[area(t, c.span) + (size_t)(i - t * c.step)];
        c.dX[i] = sum;
    }
};

struct kernel_max_pairs : by_item<kernel_max_pairs, mp_call_max_pairs> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int k = (int)(i % (size_t)c.C), first = 2 * (k / c.channels) * c.channels + k % c.channels;
        const float *row = c.X + i / (size_t)c.C * (size_t)c.C_in;
        int most = row[first + c.channels] > row[first] ? first + c.channels : first;
        c.arg[i] = most;
        c.out[i] = row[most];
    }
};

struct kernel_max_pairs_bwd : by_item<kernel_max_pairs_bwd, mp_call_max_pairs_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        c.dX[i / (size_t)c.C * (size_t)c.C_in + (size_t)c.arg[i]] += c.dout[i];
    }
};

/* Where element i of the flipped rows stands in the rows as they were. */
template <class C> MP_DEVICE size_t unflipped(const C &c, size_t i)
{
    size_t places = (size_t)c.places, channels = (size_t)c.channels, t = i % places, k = i / places % channels;
    return i - k * places - t + t * channels + k;
}

struct kernel_flip_places : by_item<kernel_flip_places, mp_call_flip_places> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.channels) * (size_t)c.places;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        c.out[i] = c.X[unflipped(c, i)];
    }
};

struct kernel_flip_places_bwd : by_item<kernel_flip_places_bwd, mp_call_flip_places_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.channels) * (size_t)c.places;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        c.dX[unflipped(c, i)] += c.dout[i];
    }
};

/* ---- heads */
struct kernel_head_spread : by_item<kernel_head_spread, mp_call_head_spread> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.C, c.heads * c.m);
    }

    MP_DEVICE void one(const call &c, size_t at)
    {
        int cols = c.heads * c.m, k = (int)(at / (size_t)cols), j = (int)(at % (size_t)cols),
            i = j - k / (c.C / c.heads) * c.m;
        c.out[at] = i >= 0 && i < c.m ? c.scale * c.q[area(i, c.C) + (size_t)k] : 0;
    }
};

struct kernel_head_spread_bwd : by_item<kernel_head_spread_bwd, mp_call_head_spread_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.m, c.C);
    }

    MP_DEVICE void one(const call &c, size_t at)
    {
        int i = (int)(at / (size_t)c.C), k = (int)(at % (size_t)c.C);
        c.dq[at] += c.scale * c.dout[area(k, c.heads * c.m) + (size_t)(k / (c.C / c.heads) * c.m + i)];
    }
};

struct kernel_layer_norm : by_item<kernel_layer_norm, mp_call_layer_norm> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.N;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        size_t row = i * (size_t)c.C;
        const float *x = c.X + row;
        double mean = 0, var = 0;
        for (int j = 0; j < c.C; j++) mean += (double)x[j];
        mean /= c.C;
        for (int j = 0; j < c.C; j++) var += ((double)x[j] - mean) * ((double)x[j] - mean);
        double root = 1 / sqrt(var / c.C + 1e-5);
        c.scale[i] = (float)root;
        for (int j = 0; j < c.C; j++) {
            float h = (float)(((double)x[j] - mean) * root);
            c.hat[row + (size_t)j] = h;
            c.Y[row + (size_t)j] = c.gamma[j] * h + c.beta[j];
        }
    }
};

struct kernel_layer_norm_bwd : by_item<kernel_layer_norm_bwd, mp_call_layer_norm_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.N;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        const float *dy = c.dY + i * (size_t)c.C, *h = c.hat + i * (size_t)c.C;
        float *dx = c.dX + i * (size_t)c.C;
        double mean = 0, along = 0;
        for (int j = 0; j < c.C; j++) {
            mean += (double)(c.gamma[j] * dy[j]);
            along += (double)(c.gamma[j] * dy[j]) * (double)h[j];
        }
        float m = (float)(mean / c.C), s = (float)(along / c.C);
        for (int j = 0; j < c.C; j++) dx[j] += c.scale[i] * (c.gamma[j] * dy[j] - m - h[j] * s);
    }
};

/* ---- dense rows and blocks */
struct kernel_row_share : by_item<kernel_row_share, mp_call_row_share> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.N;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        const float *row = c.A + i * (size_t)c.C;
        float all = 0;
        for (int j = 0; j < c.C; j++) all += row[j];
        float scale = all > 1 ? 1 / all : 1;
        for (int j = 0; j < c.C; j++) c.out[i * (size_t)c.C + (size_t)j] = scale * row[j];
        c.sum[i] = all;
    }
};

struct kernel_row_share_bwd : by_item<kernel_row_share_bwd, mp_call_row_share_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.N;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        const float *dy = c.dout + i * (size_t)c.C, *y = c.out + i * (size_t)c.C;
        float along = 0, sum = c.sum[i], scale = sum > 1 ? 1 / sum : 1;
        for (int j = 0; sum > 1 && j < c.C; j++) along += dy[j] * y[j];
        for (int j = 0; j < c.C; j++) c.dA[i * (size_t)c.C + (size_t)j] += (dy[j] - along) * scale;
    }
};

struct kernel_block_sym : by_call<mp_call_block_sym> {
    MP_DEVICE float factor(const call &c, int r)
    {
        double d = 0;
        for (int j = 0; j < c.K; j++) d += j == r % c.K ? 0 : (double)c.A[area(r, c.K) + (size_t)j];
        return d > 0 ? (float)(1 / (sqrt(d) + 1e-15)) : 0;
    }

    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        MP_PHASE(t)
        {
            for (int r = t; r < c.rows; r += threads) c.s[r] = factor(c, r);
        }
        MP_ALONE(t)
        {
            for (int r = t; r < c.rows; r += threads) {
                int first = r - r % c.K;
                for (int j = 0; j < c.K; j++) {
                    size_t i = area(r, c.K) + (size_t)j;
                    c.out[i] = j == r % c.K ? 0 : c.s[r] * c.A[i] * c.s[first + j];
                }
            }
        }
    }
};

struct kernel_block_sym_bwd : by_item<kernel_block_sym_bwd, mp_call_block_sym_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.rows;
    }

    MP_DEVICE void one(const call &c, size_t at)
    {
        int r = (int)at, i = r % c.K, first = r - i; /* row r of the matrix is row i of its block */
        const float *own = c.s + first;
        float ds = 0;
        for (int j = 0; j < c.K; j++) {
            size_t ij = area(r, c.K) + (size_t)j, ji = area(first + j, c.K) + (size_t)i;
            if (j != i) ds += (c.dout[ij] * c.A[ij] + c.dout[ji] * c.A[ji]) * own[j];
        }
        float dd = -0.5f * ds * own[i] * own[i] * own[i]; /* 1 / sqrt d is s */
        for (int j = 0; j < c.K; j++) {
            size_t ij = area(r, c.K) + (size_t)j;
            if (j != i && own[i] > 0) c.dA[ij] += c.dout[ij] * own[i] * own[j] + dd;
        }
    }
};

struct kernel_diagonals : by_item<kernel_diagonals, mp_call_diagonals> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.B, c.K);
    }

    MP_DEVICE void one(const call &c, size_t at)
    {
        int b = (int)(at / (size_t)c.K), i = (int)(at % (size_t)c.K);
        c.Y[area(b * c.K, c.K) + area(i, c.K + 1)] += c.a * c.x[b];
    }
};

struct kernel_diagonal_set : by_item<kernel_diagonal_set, mp_call_diagonal_set> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.K;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        c.Y[i * (size_t)(c.K + 1)] = c.value;
    }
};

/* ---- losses of clusterings: a thread a graph, then one adds them up */
struct kernel_cut_loss : by_call<mp_call_cut_loss> {
    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        MP_PHASE(t)
        {
            for (int b = t; b < c.B; b += threads) {
                double den = 0;
                c.num[b] = diagonal_sum(c.A0 + area(b * c.K, c.K), c.K);
                for (int v = c.ptr[b]; v < c.ptr[b + 1]; v++)
                    den += (double)c.d[v] * squares(c.S + area(v, c.K), (size_t)c.K);
                c.den[b] = den;
            }
        }
        MP_ALONE(t)
        {
            double all = 0;
            for (int b = 0; t == 0 && b < c.B; b++)
                if (c.den[b] > 0) all -= c.num[b] / c.den[b] / c.B;
            if (t == 0) c.loss[0] = (float)all;
        }
    }
};

struct kernel_cut_loss_bwd {
    typedef mp_call_cut_loss_bwd call;
    static const int threads = 128, at_once = 1;

    static int blocks(const call &c)
    {
        return c.B;
    }

    MP_DEVICE void run(const call &c, int b)
    {
        double g = (double)c.dloss[0] / c.B, den = c.den[b];
        float t0 = (float)(g * c.num[b] / (den * den)), one = (float)(-g / den);
        MP_ALONE(t)
        {
            if (!(den > 0)) continue;
            for (int i = t; c.dA0 && i < c.K; i += threads) c.dA0[area(b * c.K, c.K) + area(i, c.K + 1)] += one;
            for (int v = c.ptr[b] + t; v < c.ptr[b + 1]; v += threads) {
                const float *s = c.S + area(v, c.K);
                float a = 2 * t0 * c.d[v];
                for (int k = 0; c.dS && k < c.K; k++)
                    c.dS[area(v, c.K) + (size_t)k] = fma1(a, s[k], c.dS[area(v, c.K) + (size_t)k]);
                if (c.dd) c.dd[v] += t0 * (float)squares(s, (size_t)c.K);
            }
        }
    }
};

struct kernel_ortho_loss : by_call<mp_call_ortho_loss> {
    MP_DEVICE double of(const call &c, int b)
    {
        const float *M = c.M + area(b * c.K, c.K);
        double f = sqrt(squares(M, area(c.K, c.K))), tr = diagonal_sum(M, c.K), length = f * sqrt((double)c.K);
        double square = length > 0 ? 2 - 2 * tr / length : 0;
        c.slope[b] = c.slope_one[b] = 0;
        if (!(square > 0)) return 0;
        double q = sqrt(square), scale = 1 / (q * length * c.B);
        c.slope[b] = (float)(scale * tr / (f * f));
        c.slope_one[b] = (float)-scale;
        return q;
    }

    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        MP_SHARED double q[threads], all;
        MP_PHASE(t)
        {
            if (t == 0) all = 0;
        }
        for (int from = 0; from < c.B; from += threads) {
            MP_PHASE(t)
            {
                if (from + t < c.B) q[t] = of(c, from + t);
            }
            MP_PHASE(t)
            {
                for (int i = 0; t == 0 && i < threads && from + i < c.B; i++) all += q[i] / c.B;
            }
        }
        MP_ALONE(t)
        {
            if (t == 0) c.loss[0] = (float)all;
        }
    }
};

#endif
