/* features.cuh - products with input features, of which the nonzeros are listed. Each element is one chain, rows upwards.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_FEATURES_CUH
#define MP_CUDA_FEATURES_CUH

#include "cuda/columns.cuh"
#include "cuda/sums.cuh"

struct kernel_sparse_fwd : by_item<kernel_sparse_fwd, mp_call_sparse_fwd> {
    MP_BOTH size_t items(const call &c)
    {
        return pieces(c.N, c.C);
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        piece at = piece_of(i, c.C);
        bool whole = c.C % 4 == 0 && in_fours(c.W), put = c.C % 4 == 0 && in_fours(c.Y);
        four y = c.bias ? load_some(c.bias + at.col, at.n, false) : four{ { 0, 0, 0, 0 } };
        for (int z = c.ptr[at.row]; z < c.ptr[at.row + 1]; z++)
            add_four(&y, c.val ? c.val[z] : 1, load_some(c.W + area(c.col[z], c.C) + at.col, at.n, whole));
        store_some(c.Y + area(at.row, c.C) + at.col, at.n, put, y);
    }
};

/* Rows of dY that have a feature, listed in shared memory with what they have of it. */
struct feature_down : column_source<mp_call_sparse_bwd, float> {
    static const int wide = 128, deep = 32, ahead = 16;
    const int *row;
    const float *value;
    int feature;
    bool begun; /* dW has contents */

    MP_DEVICE_OF void get(float *x, int v, size_t j) const
    {
        x[0] = c.dY[area(row[v], c.C) + j];
    }

    MP_DEVICE_OF float begin(size_t j) const
    {
        return begun ? c.dW[area(feature, c.C) + j] : 0;
    }

    MP_DEVICE_OF void add(float *sum, const float *y, int v) const
    {
        *sum = fma1(value[v], y[0], *sum);
    }

    MP_DEVICE_OF void end(size_t j, float sum) const
    {
        c.dW[area(feature, c.C) + j] = sum;
    }
};

/* A block has every `parts`-th feature, one after the other: its threads list the rows that have it, and go down those. Of very many
 * features the first block has all, and a thread a column of them. */
struct kernel_sparse_bwd : by_call<mp_call_sparse_bwd> {
    typedef walk<feature_down> walks;
    static const int at_once = 3, parts = 32, turns = 256; /* features that a block has at most */
    static const int each = 4, some = each * threads;      /* rows that are listed at a time */

    static int blocks(const call &c)
    {
        return c.N > 0 ? parts : 0;
    }

    /* Column j of all features. Rows that have no contents are 0 first. */
    MP_DEVICE void in_place(const call &c, int j)
    {
        float *to = c.dW + j;
        for (int z = c.ptr[0]; c.wrote && z < c.ptr[c.N]; z++)
            if (!c.wrote[c.col[z]]) to[area(c.col[z], c.C)] = 0;
        for (int v = 0; v < c.N; v++) {
            float dy = c.dY[area(v, c.C) + (size_t)j];
            for (int z = c.ptr[v]; z < c.ptr[v + 1]; z++)
                to[area(c.col[z], c.C)] = fma1(c.val ? c.val[z] : 1, dy, to[area(c.col[z], c.C)]);
        }
    }

    MP_DEVICE void very_many(const call &c)
    {
        MP_PHASE(t)
        {
            for (int j = t; j < c.C; j += threads) in_place(c, j);
        }
        MP_ALONE(t)
        {
            for (int z = c.ptr[0] + t; c.wrote && z < c.ptr[c.N]; z += threads) c.wrote[c.col[z]] = true;
        }
    }

    /* Which entry of row v is the feature; -1: none. A row has a feature once (calls.h). */
    MP_DEVICE int entry(const call &c, int v, int feature)
    {
        int found = -1;
        for (int z = v < c.N ? c.ptr[v] : 0, end = v < c.N ? c.ptr[v + 1] : 0; z < end; z++)
            found = c.col[z] == feature ? z : found;
        return found;
    }

    /* The rows from v0 on that have the feature, into row and value: how many. */
    MP_DEVICE int list(int *row, float *value, int *count, const call &c, int v0, int feature)
    {
        MP_PHASE(t)
        {
            int n = 0;
            MP_UNROLL
            for (int q = 0; q < each; q++) n += entry(c, v0 + each * t + q, feature) >= 0;
            count[t] = n;
        }
        scan(count);
        int all = count[threads - 1]; /* before others count again */
        MP_PHASE(t)
        {
            int at = t > 0 ? count[t - 1] : 0;
            MP_UNROLL
            for (int q = 0; q < each; q++) {
                int z = entry(c, v0 + each * t + q, feature);
                if (z < 0) continue;
                row[at] = v0 + each * t + q;
                value[at++] = c.val ? c.val[z] : 1;
            }
        }
        return all;
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        MP_SHARED float stage[walks::room], value[some];
        MP_SHARED int row[some], count[2 * threads], has[turns], last;
        MP_PHASE(t)
        {
            for (int i = t; i < turns; i += threads) has[i] = 0;
            if (t == 0) last = -1;
        }
        MP_PHASE(t)
        {
            int most = -1;
            for (int z = c.ptr[0] + t; z < c.ptr[c.N]; z += threads) {
                int f = c.col[z];
                most = f > most ? f : most;
                if (f % parts == block && f / parts < turns) has[f / parts] = 1;
            }
            if (most >= 0) raise_to(&last, most);
        }
        if (last >= parts * turns) {
            if (block == 0) very_many(c);
            return;
        }
        for (int i = 0; i <= last / parts; i++) {
            int feature = i * parts + block;
            if (!has[i]) continue;
            bool begun = !c.wrote || c.wrote[feature];
            for (int v0 = 0; v0 < c.N; v0 += some) {
                int n = list(row, value, count, c, v0, feature);
                for (int j0 = 0; n > 0 && j0 < c.C; j0 += feature_down::wide)
                    walks::down(feature_down{ { c }, row, value, feature, begun }, n, c.C, j0, stage);
                begun |= n > 0;
            }
            MP_PHASE(t)
            {
                if (t == 0 && c.wrote) c.wrote[feature] = true;
            }
        }
    }
};

#endif
