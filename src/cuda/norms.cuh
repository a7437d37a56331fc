/* norms.cuh - BatchNorm, PReLU, losses of single numbers, and sums in double (columns.cuh has those of columns). Chains are the processor's.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_NORMS_CUH
#define MP_CUDA_NORMS_CUH

#include "cuda/grid.cuh"

template <class K, class C> struct by_place : by_item<K, C, 4> {
    MP_BOTH size_t items(const C &c)
    {
        return area(c.N, c.C);
    }
};

struct kernel_norm_fwd : by_place<kernel_norm_fwd, mp_call_norm_fwd> {
    MP_DEVICE void one(const mp_call_norm_fwd &c, size_t i)
    {
        size_t j = (size_t)((unsigned)i % (unsigned)c.C);
        float h = (c.X[i] - c.how.mean[j]) * c.how.scale[j];
        c.hat[i] = h;
        c.Y[i] = c.how.gamma[j] * h + c.how.beta[j];
    }
};

struct kernel_norm_bwd : by_place<kernel_norm_bwd, mp_call_norm_bwd> {
    MP_DEVICE void one(const mp_call_norm_bwd &c, size_t i)
    {
        size_t j = (size_t)((unsigned)i % (unsigned)c.C), m = (size_t)c.C;
        float d = c.factor[j] * (c.dY[i] - c.less[j] - c.hat[i] * c.less[m + j]);
        c.dX[i] = c.add ? c.dX[i] + d : d;
    }
};

struct kernel_prelu_fwd : by_item<kernel_prelu_fwd, mp_call_prelu_fwd, 4> {
    MP_BOTH size_t items(const call &c)
    {
        return c.n;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        c.out[i] = c.x[i] < 0 ? *c.slope * c.x[i] : c.x[i];
    }
};

struct kernel_prelu_bwd : by_item<kernel_prelu_bwd, mp_call_prelu_bwd, 4> {
    MP_BOTH size_t items(const call &c)
    {
        return c.n;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        float d = c.x[i] < 0 ? *c.slope * c.dy[i] : c.dy[i];
        c.dx[i] = c.add ? c.dx[i] + d : d;
    }
};

#define MP_NORM_EPSILON  1e-5
#define MP_NORM_MOMENTUM 0.1

struct kernel_batch_stats : by_item<kernel_batch_stats, mp_call_batch_stats> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.C;
    }

    MP_DEVICE void one(const call &c, size_t j)
    {
        size_t m = (size_t)c.C;
        c.centre[j] = c.stat ? (float)c.stat[j] : c.mean[j];
        c.scale[j] = (float)(1 / sqrt((c.stat ? c.stat[m + j] : (double)c.var[j]) + MP_NORM_EPSILON));
        if (!c.stat) return;
        c.mean[j] = (float)((1 - MP_NORM_MOMENTUM) * (double)c.mean[j] + MP_NORM_MOMENTUM * c.stat[j]);
        c.var[j] =
            (float)((1 - MP_NORM_MOMENTUM) * (double)c.var[j] + MP_NORM_MOMENTUM * c.stat[m + j] * c.N / (c.N - 1));
    }
};

struct kernel_batch_slopes : by_item<kernel_batch_slopes, mp_call_batch_slopes> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.C;
    }

    MP_DEVICE void one(const call &c, size_t j)
    {
        size_t m = (size_t)c.C;
        c.factor[j] = c.gamma[j] * c.scale[j];
        c.less[j] = c.fixed ? 0 : (float)(c.sum[m + j] / c.N);
        c.less[m + j] = c.fixed ? 0 : (float)(c.sum[j] / c.N);
    }
};

struct kernel_add_doubles : by_item<kernel_add_doubles, mp_call_add_doubles> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.n;
    }

    MP_DEVICE void one(const call &c, size_t j)
    {
        c.y[j] += (float)c.x[j];
    }
};

/* Sixteen threads a call, one for each lane. */
struct kernel_dot {
    typedef mp_call_dot call;
    static const int threads = 32, at_once = 1;

    static int blocks(const call &c)
    {
        (void)c;
        return 1;
    }

    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        MP_SHARED double lane[16];
        MP_PHASE(t)
        {
            double sum = 0;
            for (size_t i = (size_t)t; t < 16 && i < c.n; i += 16) sum += (double)c.x[i] * (double)c.y[i];
            if (t < 16) lane[t] = sum;
        }
        MP_ALONE(t)
        {
            if (t == 0) *c.out += (float)fold16(lane);
        }
    }
};

/* An item is a slope; the last one is the loss. */
struct kernel_bce : by_item<kernel_bce, mp_call_bce> {
    MP_BOTH size_t items(const call &c)
    {
        return c.n + 1;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        if (i < c.n) {
            float y = c.want ? c.want[i] : c.same;
            c.slope[i] = y == y ? c.scale * (sigmoid1(c.x[i]) - y) : 0;
            return;
        }
        double sum = 0;
        for (size_t k = 0; k < c.n; k++) {
            float v = c.x[k], size = v < 0 ? -v : v, y = c.want ? c.want[k] : c.same;
            if (y == y) sum += (double)(log1(1 + exp1(-size)) + (v > 0 ? v : 0) - v * y);
        }
        c.loss[0] = (float)(sum * (double)c.scale);
    }
};

struct kernel_distance : by_item<kernel_distance, mp_call_distance> {
    MP_BOTH size_t items(const call &c)
    {
        return c.n + 1;
    }

    MP_DEVICE float slope(const call &c, float d)
    {
        float size = d < 0 ? -d : d, sign = (float)((d > 0) - (d < 0));
        if (c.how == MP_ERROR_ABSOLUTE) return c.scale * sign;
        if (c.how == MP_ERROR_HUBER) return c.scale * (size <= c.delta ? d : c.delta * sign);
        return 2 * c.scale * d;
    }

    MP_DEVICE double far_by(const call &c, float d)
    {
        float size = d < 0 ? -d : d, delta = c.delta;
        if (c.how == MP_ERROR_ABSOLUTE) return (double)size;
        if (c.how == MP_ERROR_HUBER && size > delta) return (double)delta * ((double)size - 0.5 * (double)delta);
        if (c.how == MP_ERROR_HUBER) return 0.5 * (double)d * (double)d;
        return (double)d * (double)d;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        if (i < c.n) {
            c.slope[i] = c.want[i] == c.want[i] ? slope(c, c.x[i] - c.want[i]) : 0;
            return;
        }
        double sum = 0;
        for (size_t k = 0; k < c.n; k++)
            if (c.want[k] == c.want[k]) sum += far_by(c, c.x[k] - c.want[k]);
        c.loss[0] = (float)(sum * (double)c.scale);
    }
};

#endif
