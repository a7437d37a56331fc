/* rows.cuh - softmax, losses, rows that are taken, given, cleared, copied.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_ROWS_CUH
#define MP_CUDA_ROWS_CUH

#include "cuda/grid.cuh"

struct kernel_softmax : by_item<kernel_softmax, mp_call_softmax> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.segments;
    }

    MP_DEVICE void one(const call &c, size_t s)
    {
        int a = c.ptr[s], b = c.ptr[s + 1];
        if (a == b) return;
        float top = c.u[a], sum = 0;
        for (int i = a + 1; i < b; i++) top = c.u[i] > top ? c.u[i] : top;
        for (int i = a; i < b; i++) sum += c.out[i] = exp1(c.u[i] - top);
        float scale = 1.0f / (sum + 1e-16f);
        for (int i = a; i < b; i++) c.out[i] *= scale;
    }
};

struct kernel_softmax_bwd : by_item<kernel_softmax_bwd, mp_call_softmax_bwd> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.segments;
    }

    MP_DEVICE void one(const call &c, size_t s)
    {
        double mean = 0, sum = 0;
        for (int i = c.ptr[s]; i < c.ptr[s + 1]; i++) {
            mean += (double)c.out[i] * (double)c.dout[i];
            sum += (double)c.out[i];
        }
        if (sum > 0) mean /= sum;
        for (int i = c.ptr[s]; i < c.ptr[s + 1]; i++) {
            float d = (float)((double)c.out[i] * ((double)c.dout[i] - mean));
            c.du[i] = c.add ? c.du[i] + d : d;
        }
    }
};

struct kernel_log_softmax : by_item<kernel_log_softmax, mp_call_log_softmax> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.rows;
    }

    MP_DEVICE void one(const call &c, size_t r)
    {
        const float *x = c.x + r * (size_t)c.cols;
        float *out = c.out + r * (size_t)c.cols, top = x[0], sum = 0;
        for (int j = 1; j < c.cols; j++) top = x[j] > top ? x[j] : top;
        for (int j = 0; j < c.cols; j++) sum += exp1(x[j] - top);
        float shift = top + log1(sum);
        for (int j = 0; j < c.cols; j++) out[j] = x[j] - shift;
    }
};

/* An item is a slope; the last one is the loss. */
struct kernel_xent : by_item<kernel_xent, mp_call_xent> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.B, c.C) + 1;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        if (i == area(c.B, c.C)) {
            double sum = 0;
            for (int b = 0; b < c.B; b++) sum -= (double)c.logp[area(b, c.C) + (size_t)c.label[b]];
            c.loss[0] = (float)(sum * (double)c.scale);
            return;
        }
        int b = (int)(i / (size_t)c.C), j = (int)(i % (size_t)c.C);
        float e = exp1(c.logp[i]);
        c.slope[i] = c.scale * (c.label[b] == j ? e - 1.0f : e);
    }
};

struct kernel_rows_take : by_item<kernel_rows_take, mp_call_rows_take> {
    MP_BOTH size_t items(const call &c)
    {
        return pieces(c.n, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        piece at = piece_of(i, c.C);
        bool whole = c.C % 4 == 0 && in_fours(c.X) && in_fours(c.out);
        int from = c.which[at.row];
        four x = from < 0 ? four{ { c.other, c.other, c.other, c.other } }
                          : load_some(c.X + area(from, c.C) + at.col, at.n, whole);
        store_some(c.out + area(at.row, c.C) + at.col, at.n, whole, x);
    }
};

/* A row may be given to by several, in their order: the first of them adds up what all bring. A block has eight of them, and finds out
 * for each whether it is the first and how far others may be. */
struct kernel_rows_give {
    typedef mp_call_rows_give call;
    static const int threads = 256, at_once = 4, rows = 8, lanes = threads / rows;

    static int blocks(const call &c)
    {
        return c.C > 0 ? blocks_for((size_t)c.n, rows) : 0;
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        MP_SHARED int to[rows], first[rows], last[rows];
        int begin = block * rows;
        MP_PHASE(t)
        {
            if (t >= rows) continue;
            to[t] = begin + t < c.n ? c.which[begin + t] : -1;
            first[t] = last[t] = begin + t;
        }
        MP_PHASE(t)
        {
            int r = t / lanes, own = to[r], least = begin + r, most = least;
            if (own < 0) continue;
            MP_UNROLL_BY(8)
            for (int i = t % lanes; i < c.n; i += lanes) {
                bool same = c.which[i] == own;
                least = same && i < least ? i : least;
                most = same && i > most ? i : most;
            }
            if (least < begin + r) lower_to(&first[r], least);
            if (most > begin + r) raise_to(&last[r], most);
        }
        MP_ALONE(t)
        {
            for (int i = t; i < rows * c.C; i += threads) {
                int r = i / c.C;
                size_t k = (size_t)(i % c.C);
                if (to[r] < 0 || first[r] < begin + r) continue;
                float *dx = c.dX + area(to[r], c.C) + k, sum = *dx + c.dout[area(begin + r, c.C) + k];
                for (int o = begin + r + 1; o <= last[r]; o++)
                    if (c.which[o] == to[r]) sum += c.dout[area(o, c.C) + k];
                *dx = sum;
            }
        }
    }
};

struct kernel_rows_clear : by_item<kernel_rows_clear, mp_call_rows_clear, 4> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        if (!c.except[(unsigned)i / (unsigned)c.C]) c.X[i] = 0;
    }
};

struct kernel_cols_copy : by_item<kernel_cols_copy, mp_call_cols_copy, 4> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int r = (int)((unsigned)i / (unsigned)c.C), k = (int)((unsigned)i % (unsigned)c.C);
        float *to = c.to + area(r, c.ld_to) + k, x = c.from[area(r, c.ld_from) + (size_t)k];
        *to = c.add ? *to + x : x;
    }
};

struct kernel_rows_axpy : by_item<kernel_rows_axpy, mp_call_rows_axpy, 4> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        int r = (int)((unsigned)i / (unsigned)c.C), k = (int)((unsigned)i % (unsigned)c.C);
        float x = c.X[area(r, c.ld) + (size_t)k];
        c.Y[i] = c.add ? fma1(c.a[r], x, c.Y[i]) : c.a[r] * x;
    }
};

struct kernel_bias_rows : by_item<kernel_bias_rows, mp_call_bias_rows, 4> {
    MP_BOTH size_t items(const call &c)
    {
        return area(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        float b = c.bias[(unsigned)i % (unsigned)c.C];
        c.Y[i] = c.add ? c.Y[i] + b : b;
    }
};

#endif
