/* columns.cuh - chains down the columns of a matrix. A block has a few columns: all its threads fetch rows, many at a time, and the first
 * ones, which have a column each, add them up from shared memory while the next rows are on their way. So a chain waits for its own sums
 * and not for memory, however few blocks a launch has.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_COLUMNS_CUH
#define MP_CUDA_COLUMNS_CUH

#include "cuda/grid.cuh"

/* Each element of columns j0 .. j0+wide-1 of N rows and C columns goes through a source S:
 *     number, chain     what lies in shared memory; what a chain has come to
 *     ins, outs         how many numbers are read for an element, and how many of shared memory it has
 *     threads, wide     of the block; its columns
 *     deep, ahead       rows fetched at a time; those that a chain reads before it adds them
 *     get(x, v, j)      reads what element (v, j) needs
 *     put(y, x, v, j)   what goes to shared memory
 *     begin(j), add(chain, y, v), end(j, chain)   of the chain of column j
 * stage: `room` numbers of shared memory. */
template <class S> struct walk {
    typedef typename S::number number;
    static const int threads = S::threads, wide = S::wide, deep = S::deep, ins = S::ins, outs = S::outs;
    static const int each = wide * deep / threads, ahead = S::ahead, room = outs * deep * wide;
    static_assert(wide * deep % threads == 0, "all threads fetch the same number of elements");
    static_assert(threads % wide == 0, "a thread fetches from one column");

    struct own {
        float x[each][ins];
        typename S::chain sum;
    };

    /* Element number q of those that thread t fetches. */
    MP_DEVICE int row(int q, int t)
    {
        return (q * threads + t) / wide;
    }

    MP_DEVICE void fetch(own *o, const S &s, int v0, int N, int C, int j, int t)
    {
        MP_UNROLL
        for (int q = 0; q < each; q++)
            if (v0 + row(q, t) < N && j < C) s.get(o->x[q], v0 + row(q, t), (size_t)j);
    }

    MP_DEVICE void add(own *o, const S &s, const number *stage, int v0, int n, int t)
    {
        int q = 0;
        for (; q + ahead <= n; q += ahead) {
            number y[ahead][outs];
            MP_UNROLL
            for (int i = 0; i < ahead; i++) {
                MP_UNROLL
                for (int k = 0; k < outs; k++) y[i][k] = stage[(k * deep + q + i) * wide + t];
            }
            MP_UNROLL
            for (int i = 0; i < ahead; i++) s.add(&o->sum, y[i], v0 + q + i);
        }
        for (; q < n; q++) {
            number y[outs];
            for (int k = 0; k < outs; k++) y[k] = stage[(k * deep + q) * wide + t];
            s.add(&o->sum, y, v0 + q);
        }
    }

    MP_DEVICE void down(const S &s, int N, int C, int j0, number *stage)
    {
        MP_OWN(own, mine);
        MP_PHASE(t)
        {
            fetch(&MP_MINE(mine), s, 0, N, C, j0 + t % wide, t);
            if (t < wide && j0 + t < C) MP_MINE(mine).sum = s.begin((size_t)(j0 + t));
        }
        for (int v0 = 0; v0 < N; v0 += deep) {
            int n = N - v0 < deep ? N - v0 : deep;
            MP_PHASE(t)
            {
                int j = j0 + t % wide;
                MP_UNROLL
                for (int q = 0; q < each; q++) {
                    if (row(q, t) >= n || j >= C) continue;
                    number y[outs];
                    s.put(y, MP_MINE(mine).x[q], v0 + row(q, t), (size_t)j);
                    MP_UNROLL
                    for (int k = 0; k < outs; k++) stage[k * deep * wide + q * threads + t] = y[k];
                }
            }
            MP_PHASE(t)
            {
                fetch(&MP_MINE(mine), s, v0 + deep, N, C, j0 + t % wide, t);
                if (t < wide && j0 + t < C) add(&MP_MINE(mine), s, stage, v0, n, t);
            }
        }
        MP_PHASE(t)
        {
            if (t < wide && j0 + t < C) s.end((size_t)(j0 + t), MP_MINE(mine).sum);
        }
    }
};

/* What most have: an element of X, and chains of type T that begin with 0 and add numbers of type N. */
template <class C_, class T, class N = T> struct column_source {
    typedef N number;
    typedef T chain;
    static const int ins = 1, outs = 1, threads = 256, wide = 32, deep = 128, ahead = 32;
    const C_ &c;

    MP_DEVICE_OF void get(float *x, int v, size_t j) const
    {
        x[0] = c.X[area(v, c.C) + j];
    }

    MP_DEVICE_OF void put(N *y, const float *x, int v, size_t j) const
    {
        (void)v;
        (void)j;
        y[0] = (N)x[0];
    }

    MP_DEVICE_OF T begin(size_t j) const
    {
        (void)j;
        return 0;
    }

    MP_DEVICE_OF void add(T *sum, const N *y, int v) const
    {
        (void)v;
        *sum += (T)y[0];
    }
};

/* Kernels whose blocks have such columns: K says what is done with those from j0 on. */
template <class K, class C_, class T> struct by_column {
    typedef C_ call;
    static const int threads = 256, at_once = sizeof(T) == sizeof(float) ? 3 : 2, wide = 32, room = 4096;

    static int blocks(const call &c)
    {
        return blocks_for((size_t)c.C, wide);
    }

    template <class S> MP_DEVICE void down(const S &s, const call &c, int j0, T *stage)
    {
        static_assert(S::threads == threads && S::wide == wide, "the block and columns of the source");
        static_assert(walk<S>::room <= room, "shared memory");
        walk<S>::down(s, c.N, c.C, j0, stage);
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        MP_SHARED T stage[room];
        K::columns(c, block * wide, stage);
    }
};

template <class T> struct sum_down : column_source<mp_call_col_sum, T, float> {
    using column_source<mp_call_col_sum, T, float>::c;

    /* Numbers of few columns are added up apart from what was there. */
    MP_DEVICE_OF T begin(size_t j) const
    {
        return sizeof(T) == sizeof(float) && c.add ? c.out[j] : 0;
    }

    MP_DEVICE_OF void end(size_t j, T sum) const
    {
        c.out[j] = (float)(sizeof(T) != sizeof(float) && c.add ? (T)c.out[j] + sum : sum);
    }
};

struct kernel_col_sum : by_column<kernel_col_sum, mp_call_col_sum, float> {
    MP_DEVICE void columns(const call &c, int j0, float *stage)
    {
        if (c.C <= MP_FEW)
            down(sum_down<double>{ { c } }, c, j0, stage);
        else
            down(sum_down<float>{ { c } }, c, j0, stage);
    }
};

/* Both are read whatever the other says: a read that waits for another one takes twice as long. */
struct relu_down : column_source<mp_call_relu_col_sum, float> {
    static const int ins = 2;

    MP_DEVICE_OF void get(float *x, int v, size_t j) const
    {
        x[0] = c.Y[area(v, c.C) + j];
        x[1] = c.dY[area(v, c.C) + j];
    }

    MP_DEVICE_OF void put(float *y, const float *x, int v, size_t j) const
    {
        y[0] = x[0] > 0 ? x[1] : 0;
        c.dY[area(v, c.C) + j] = y[0];
    }

    MP_DEVICE_OF float begin(size_t j) const
    {
        return c.add ? c.out[j] : 0;
    }

    MP_DEVICE_OF void end(size_t j, float sum) const
    {
        c.out[j] = sum;
    }
};

struct kernel_relu_col_sum : by_column<kernel_relu_col_sum, mp_call_relu_col_sum, float> {
    MP_DEVICE void columns(const call &c, int j0, float *stage)
    {
        down(relu_down{ { c } }, c, j0, stage);
    }
};

/* ---- mean and variance: the mean first, then how far from it all are */
struct mean_down : column_source<mp_call_col_stats, double> {
    MP_DEVICE_OF void end(size_t j, double sum) const
    {
        c.stat[j] = sum / c.N;
    }
};

struct variance_down : mean_down {
    MP_DEVICE_OF void put(double *y, const float *x, int v, size_t j) const
    {
        (void)v;
        double d = (double)x[0] - c.stat[j];
        y[0] = d * d;
    }

    MP_DEVICE_OF void end(size_t j, double sum) const
    {
        c.stat[(size_t)c.C + j] = sum / c.N;
    }
};

struct kernel_col_stats : by_column<kernel_col_stats, mp_call_col_stats, double> {
    MP_DEVICE void columns(const call &c, int j0, double *stage)
    {
        down(mean_down{ { c } }, c, j0, stage);
        down(variance_down{ { { c } } }, c, j0, stage);
    }
};

struct pair_down : column_source<mp_call_col_pair, double> {
    static const int ins = 2, outs = 2, deep = 64, ahead = 16;
    struct chain {
        double both, one;
    };

    MP_DEVICE_OF void get(float *x, int v, size_t j) const
    {
        x[0] = c.X[area(v, c.C) + j];
        x[1] = c.Y[area(v, c.C) + j];
    }

    MP_DEVICE_OF void put(double *y, const float *x, int v, size_t j) const
    {
        (void)v;
        (void)j;
        y[0] = (double)x[0] * (double)x[1];
        y[1] = (double)x[0];
    }

    MP_DEVICE_OF chain begin(size_t j) const
    {
        (void)j;
        return chain{ 0, 0 };
    }

    MP_DEVICE_OF void add(chain *sum, const double *y, int v) const
    {
        (void)v;
        sum->both += y[0];
        sum->one += y[1];
    }

    MP_DEVICE_OF void end(size_t j, const chain &sum) const
    {
        c.sum[j] = sum.both;
        c.sum[(size_t)c.C + j] = sum.one;
    }
};

struct kernel_col_pair : by_column<kernel_col_pair, mp_call_col_pair, double> {
    MP_DEVICE void columns(const call &c, int j0, double *stage)
    {
        down(pair_down{ { c } }, c, j0, stage);
    }
};

#endif
