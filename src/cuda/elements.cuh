/* elements.cuh - loops over elements: activations, sums with a factor, masks, Adam.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_ELEMENTS_CUH
#define MP_CUDA_ELEMENTS_CUH

#include "cuda/grid.cuh"

template <class K, class C> struct by_element : by_item<K, C, 4> {
    MP_BOTH size_t items(const C &c)
    {
        return c.n;
    }
};

MP_DEVICE float act1(float x, mp_act act)
{
    switch (act) {
    case MP_ACT_RELU:
        return relu1(x);
    case MP_ACT_TANH:
        return tanh1(x);
    case MP_ACT_SIGMOID:
        return sigmoid1(x);
    case MP_ACT_LEAKY:
        return x > 0 ? x : MP_LEAKY_SLOPE * x;
    case MP_ACT_NONE:
        break;
    }
    return x;
}

struct kernel_act_fwd : by_element<kernel_act_fwd, mp_call_act_fwd> {
    MP_DEVICE void one(const mp_call_act_fwd &c, size_t i)
    {
        c.out[i] = act1(c.x[i], c.act);
    }
};

struct kernel_act_bwd : by_element<kernel_act_bwd, mp_call_act_bwd> {
    MP_DEVICE void one(const mp_call_act_bwd &c, size_t i)
    {
        float d = c.dy[i] * act_slope(c.y[i], c.act);
        c.dx[i] = c.add ? c.dx[i] + d : d;
    }
};

struct kernel_axpy : by_element<kernel_axpy, mp_call_axpy> {
    MP_DEVICE void one(const mp_call_axpy &c, size_t i)
    {
        c.y[i] = c.add ? fma1(c.a, c.x[i], c.y[i]) : c.a * c.x[i];
    }
};

struct kernel_axpy_by : by_element<kernel_axpy_by, mp_call_axpy_by> {
    MP_DEVICE void one(const mp_call_axpy_by &c, size_t i)
    {
        c.y[i] = c.add ? fma1(*c.a, c.x[i], c.y[i]) : *c.a * c.x[i];
    }
};

struct kernel_shift : by_element<kernel_shift, mp_call_shift> {
    MP_DEVICE void one(const mp_call_shift &c, size_t i)
    {
        c.out[i] = c.x[i] + c.k;
    }
};

struct kernel_fill : by_element<kernel_fill, mp_call_fill> {
    MP_DEVICE void one(const mp_call_fill &c, size_t i)
    {
        c.out[i] = c.value;
    }
};

struct kernel_mul : by_element<kernel_mul, mp_call_mul> {
    MP_DEVICE void one(const mp_call_mul &c, size_t i)
    {
        c.out[i] = c.add ? fma1(c.x[i], c.y[i], c.out[i]) : c.x[i] * c.y[i];
    }
};

/* Two numbers a draw. */
struct kernel_drop_mask : by_item<kernel_drop_mask, mp_call_drop_mask> {
    MP_BOTH size_t items(const call &c)
    {
        return (c.n + 1) / 2;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        uint64_t bits = mp_rng_at(c.stream, c.stream.count + 1 + i);
        c.mask[2 * i] = (bits & 0xffffffffu) < c.below ? 0 : c.scale;
        if (2 * i + 1 < c.n) c.mask[2 * i + 1] = (bits >> 32) < c.below ? 0 : c.scale;
    }
};

struct kernel_adam : by_element<kernel_adam, mp_call_adam> {
    MP_DEVICE void one(const mp_call_adam &c, size_t i)
    {
        const mp_adam &h = c.how;
        float theta = c.theta[i], g = fma1(h.decay, theta, c.grad[i]);
        float first = fma1(h.beta1, c.m[i], h.rest1 * g), second = fma1(h.beta2, c.v[i], h.rest2 * (g * g));
        c.m[i] = first;
        c.v[i] = second;
        c.theta[i] = theta - h.lr_corrected * first / fma1(sqrt1(second), h.root_corrected, h.eps);
    }
};

/* Element i of the shards' gradients, those that have its row, in their order. */
struct kernel_add_all : by_element<kernel_add_all, mp_call_add_all> {
    MP_DEVICE void one(const mp_call_add_all &c, size_t i)
    {
        size_t at = c.from + i, row = c.p.marked ? at / (size_t)c.p.cols : 0;
        float sum = c.sum[i];
        bool begun = false;
        for (int k = 0; k < c.p.count; k++) {
            const bool *mark = c.p.marked ? reach(c.p.mark[k]) : NULL;
            if (mark && !mark[row]) continue;
            if (k > 0) {
                float x = reach(c.p.addend[k])[at];
                sum = begun ? fma1(1, x, sum) : 1 * x;
            }
            begun = true;
        }
        c.sum[i] = begun ? sum : 0;
    }
};

/* One chain, so one thread adds. All square the numbers that they have fetched, and fetch the next ones while it adds up. */
struct kernel_square_sum {
    typedef mp_call_square_sum call;
    static const int threads = 256, at_once = 1, each = 8, some = each * threads;

    static int blocks(const call &c)
    {
        (void)c;
        return 1;
    }

    struct own {
        float x[each];
    };

    MP_DEVICE void fetch(own *o, const call &c, size_t from, int t)
    {
        MP_UNROLL
        for (int q = 0; q < each; q++) {
            size_t k = from + (size_t)(q * threads + t);
            o->x[q] = k < c.n ? c.x[k] : 0;
        }
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        (void)block;
        MP_SHARED double square[some], sum;
        MP_OWN(own, mine);
        MP_PHASE(t)
        {
            if (t == 0) sum = 0;
            fetch(&MP_MINE(mine), c, 0, t);
        }
        for (size_t from = 0; from < c.n; from += some) {
            MP_PHASE(t)
            {
                MP_UNROLL
                for (int q = 0; q < each; q++)
                    square[q * threads + t] = (double)MP_MINE(mine).x[q] * (double)MP_MINE(mine).x[q];
            }
            MP_PHASE(t)
            {
                fetch(&MP_MINE(mine), c, from + some, t);
                if (t == 0) sum = in_order(sum, square, (int)(c.n - from < some ? c.n - from : some));
            }
        }
        MP_ALONE(t)
        {
            if (t == 0) *c.out = sum;
        }
    }
};

struct kernel_clip_scale : by_item<kernel_clip_scale, mp_call_clip_scale> {
    MP_BOTH size_t items(const call &c)
    {
        (void)c;
        return 1;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        (void)i;
        *c.scale = clipped(c.squares, c.most, c.n);
    }
};

#endif
