/* losses.cuh - losses of clusterings that need their graphs one by one (baselines.cuh has those that do not): what a graph or a row
 * has is the processor's text (math/one_loss.h), and one thread adds up graphs in their order.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_LOSSES_CUH
#define MP_CUDA_LOSSES_CUH

#include "cuda/grid.cuh"
#include "math/one_loss.h"

/* K has of(c, b), what graph b has: sum_of adds them up. */
template <class K, class C> struct by_graphs : by_call<C> {
    using by_call<C>::threads;

    MP_DEVICE double sum_of(const C &c)
    {
        MP_SHARED double part[threads], all;
        MP_PHASE(t)
        {
            if (t == 0) all = 0;
        }
        for (int from = 0; from < c.B; from += threads) {
            MP_PHASE(t)
            {
                if (from + t < c.B) part[t] = K::of(c, from + t);
            }
            MP_PHASE(t)
            {
                for (int i = 0; t == 0 && i < threads && from + i < c.B; i++) all += part[i];
            }
        }
        return all;
    }
};

/* Padded graphs have one length over the whole batch. */
struct kernel_link_loss : by_graphs<kernel_link_loss, mp_call_link_loss> {
    MP_DEVICE double scale(const call &c, int b)
    {
        double n = c.padded ? c.padded : c.node_ptr[b + 1] - c.node_ptr[b];
        return 1 / (n * n * c.B);
    }

    MP_DEVICE void put_slope(const call &c, int b, double r)
    {
        c.slope[b] = r > 0 ? (float)(scale(c, b) / r) : 0;
    }

    MP_DEVICE double of(const call &c, int b)
    {
        double r = residual(c.A0, c.M, c.w, c.node_ptr, c.row_ptr, b, c.K);
        if (c.padded) return r;
        r = sqrt(r);
        put_slope(c, b, r);
        return r * scale(c, b);
    }

    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        double all = sum_of(c), r = sqrt(all);
        MP_ALONE(t)
        {
            for (int b = t; c.padded && b < c.B; b += threads) put_slope(c, b, r);
            if (t == 0) c.loss[0] = (float)(!c.padded ? all : c.B > 0 ? r * scale(c, 0) : 0);
        }
    }
};

struct kernel_entropy_loss : by_graphs<kernel_entropy_loss, mp_call_entropy_loss> {
    MP_DEVICE double of(const call &c, int b)
    {
        double sum = 0;
        for (size_t i = area(c.ptr[b], c.K); i < area(c.ptr[b + 1], c.K); i++)
            sum -= (double)(c.S[i] * log1(c.S[i] + (float)LOSS_TINY));
        return c.ptr[b + 1] > c.ptr[b] ? sum * (double)row_scale(c.ptr, b, c.padded, c.B) : 0;
    }

    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        double all = sum_of(c);
        MP_ALONE(t)
        {
            if (t == 0) c.loss[0] = (float)all;
        }
    }
};

/* A block a graph. */
struct kernel_entropy_loss_bwd {
    typedef mp_call_entropy_loss_bwd call;
    static const int threads = 128, at_once = 1;

    static int blocks(const call &c)
    {
        return c.B;
    }

    MP_DEVICE void run(const call &c, int b)
    {
        float f = c.dloss[0] * row_scale(c.ptr, b, c.padded, c.B);
        MP_ALONE(t)
        {
            for (size_t i = area(c.ptr[b], c.K) + (size_t)t; i < area(c.ptr[b + 1], c.K); i += threads) {
                float v = c.S[i] + (float)LOSS_TINY;
                c.dS[i] -= f * (log1(v) + c.S[i] / v);
            }
        }
    }
};

/* work: f and df of each graph, du of each number, the losses of rows and of graphs. */
struct kernel_kl_loss : by_call<mp_call_kl_loss> {
    static const int threads = 1024;

    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        int N = c.ptr[c.B];
        double *f = c.work, *df = f + area(c.B, c.K), *du = df + area(c.B, c.K), *row = du + area(N, c.K),
               *graph = row + N;
        MP_PHASE(t)
        {
            for (int i = t; i < c.B * c.K; i += threads) {
                int b = i / c.K, j = i % c.K;
                double sum = 0;
                MP_UNROLL_BY(8)
                for (int v = c.ptr[b]; v < c.ptr[b + 1]; v++) sum += (double)c.S[area(v, c.K) + (size_t)j];
                f[i] = at_least(sum);
            }
        }
        MP_PHASE(t)
        {
            for (int v = t; v < N; v += threads) {
                size_t at = area(v, c.K);
                row[v] = kl_row(c.slope + at, du + at, c.S + at, f + area(range_of(c.ptr, c.B, v), c.K), c.K, c.detach);
            }
        }
        MP_PHASE(t)
        {
            for (int i = t; i < c.B * c.K; i += threads) {
                int b = i / c.K, j = i % c.K;
                double sum = 0;
                MP_UNROLL_BY(4)
                for (int v = c.ptr[b]; v < c.ptr[b + 1]; v++) {
                    size_t at = area(v, c.K) + (size_t)j;
                    double share = (double)c.S[at] / f[i];
                    sum -= du[at] * share * share;
                }
                df[i] = sum;
            }
            for (int b = t; b < c.B; b += threads) {
                double sum = 0;
                for (int v = c.ptr[b]; v < c.ptr[b + 1]; v++) sum += row[v];
                graph[b] = sum;
            }
        }
        MP_ALONE(t)
        {
            float scale = 1 / (float)c.B;
            for (int v = t; v < N; v += threads) {
                size_t of = area(range_of(c.ptr, c.B, v), c.K), at = area(v, c.K);
                for (int j = 0; j < c.K; j++) {
                    size_t i = at + (size_t)j, k = of + (size_t)j;
                    c.slope[i] = scale * (c.slope[i] + (float)(2 * du[i] * (double)c.S[i] / f[k] + df[k]));
                }
            }
            double all = 0;
            for (int b = 0; t == 0 && b < c.B; b++) all += graph[b];
            if (t == 0) c.loss[0] = (float)(all / c.B);
        }
    }
};

#endif
