/* keep.cuh - what is left of a graph when some of its nodes are kept: which they are, the edges between them, their classes of twins.
 * (The processor's way is in math/plain_keep.c.)
 *
 * Nothing is sorted: the place of an item is the number of those before it, which every thread counts for itself, or finds by bits
 * where there are many.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CUDA_KEEP_CUH
#define MP_CUDA_KEEP_CUH

#include "cuda/grid.cuh"

struct kernel_mark_rows : by_call<mp_call_mark_rows> {
    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        MP_PHASE(t)
        {
            for (int v = t; v < c.N; v += threads) c.mark[v] = false;
        }
        MP_ALONE(t)
        {
            for (int i = t; i < c.n; i += threads) c.mark[c.which[i]] = true;
        }
    }
};

/* A thread has one node, and counts those of its graph that come before it; keys go through shared memory, many at a time. */
struct kernel_rank {
    typedef mp_call_rank call;
    static const int threads = 256, at_once = 4, some = 4 * threads;

    static int blocks(const call &c)
    {
        return blocks_for((size_t)c.N, threads);
    }

    /* Falling order of numbers as rising order of integers. Adding 0 makes -0 into +0. */
    MP_DEVICE uint32_t falling(float x)
    {
        uint32_t u = to_bits(x + 0.0f);
        return u >> 31 ? u : ~u & 0x7fffffffu;
    }

    /* Smaller ones come first; dropped nodes behind all others, and what is equal as it is numbered. */
    MP_DEVICE uint64_t order(const call &c, int v)
    {
        bool drop = c.dropped && c.dropped[v];
        uint64_t key = drop ? (uint64_t)1 << 32 | (uint32_t)c.dropped[v] : falling(c.key[v]);
        return key << 31 | (uint32_t)v;
    }

    struct own {
        uint64_t order;
        int graph, place;
    };

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        alignas(16) MP_SHARED uint64_t others[some];
        MP_OWN(own, mine);
        int first = block * threads, last = first + threads < c.N ? first + threads - 1 : c.N - 1;
        int from = c.node_ptr[range_of(c.node_ptr, c.B, first)], end = c.node_ptr[range_of(c.node_ptr, c.B, last) + 1];
        MP_PHASE(t)
        {
            int v = first + t <= last ? first + t : last;
            MP_MINE(mine) = own{ order(c, v), range_of(c.node_ptr, c.B, v), 0 };
        }
        for (; from < end; from += some) {
            MP_PHASE(t)
            {
                MP_UNROLL
                for (int i = t; i < some; i += threads)
                    if (from + i < end) others[i] = order(c, from + i);
            }
            MP_PHASE(t)
            {
                own o = MP_MINE(mine);
                int u = c.node_ptr[o.graph] - from, to = c.node_ptr[o.graph + 1] - from;
                to = to < some ? to : some;
                MP_UNROLL_BY(8)
                for (u = u > 0 ? u : 0; u < to; u++) o.place += others[u] < o.order;
                MP_MINE(mine).place = o.place;
            }
        }
        MP_ALONE(t)
        {
            own o = MP_MINE(mine);
            int kept = c.keep_ptr[o.graph];
            if (first + t <= last && o.place < c.keep_ptr[o.graph + 1] - kept) c.keep[kept + o.place] = first + t;
        }
    }
};

struct kernel_take_ints : by_item<kernel_take_ints, mp_call_take_ints> {
    MP_BOTH size_t items(const call &c)
    {
        return (size_t)c.n;
    }

    MP_DEVICE void one(const call &c, size_t i)
    {
        c.out[i] = c.which[i] < 0 ? -1 : c.from[c.which[i]];
    }
};

struct kernel_induce_rows : by_call<mp_call_induce_rows> {
    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        MP_SHARED int count[2 * threads];
        MP_PHASE(t)
        {
            for (int v = t; v < c.g.nodes; v += threads) c.place[v] = c.K;
            if (t == 0) c.row_ptr[0] = 0;
        }
        MP_PHASE(t)
        {
            for (int i = t; i < c.K; i += threads) c.place[c.keep[i]] = i;
        }
        for (int from = 0; from < c.K; from += threads) {
            MP_PHASE(t)
            {
                int i = from + t, n = 0;
                if (i < c.K)
                    for (int e = c.g.row_ptr[c.keep[i]]; e < c.g.row_ptr[c.keep[i] + 1]; e++)
                        n += c.place[c.g.col[e]] < c.K;
                count[t] = n;
            }
            scan(count);
            MP_PHASE(t)
            {
                if (from + t < c.K) c.row_ptr[from + t + 1] = c.row_ptr[from] + count[t];
            }
        }
    }
};

/* Rows of few edges have eight threads, and an edge counts those before it. A long one has the block: its new columns are bits, and what
 * is before an edge is what is set before its own. The edge of g that a new one was is the one of its own row; `work` holds behind
 * K + 1 numbers the new place of each edge of g, from which the reverses follow: all rows are one block's where these are asked for. */
struct kernel_induce_edges : by_call<mp_call_induce_edges> {
    static const int lanes = 8, few = 64, window = 32 * threads; /* columns that the bits are for at a time */

    MP_BOTH int parts(const call &c)
    {
        return c.rev ? 1 : (c.K + threads - 1) / threads;
    }

    static int blocks(const call &c)
    {
        return parts(c);
    }

    MP_DEVICE int length(const call &c, int i)
    {
        return c.g.row_ptr[c.keep[i] + 1] - c.g.row_ptr[c.keep[i]];
    }

    MP_DEVICE void put(const call &c, int at, int j, int e)
    {
        c.col[at] = j;
        if (!c.rev) return;
        c.from[at] = e;
        c.work[c.K + 1 + e] = at;
    }

    MP_DEVICE void short_row(const call &c, int i, int lane)
    {
        int from = c.g.row_ptr[c.keep[i]], to = c.g.row_ptr[c.keep[i] + 1];
        for (int e = from + lane; e < to; e += lanes) {
            int j = c.place[c.g.col[e]], at = c.row_ptr[i];
            if (j >= c.K) continue;
            for (int f = from; f < to; f++) at += c.place[c.g.col[f]] < j;
            put(c, at, j, e);
        }
    }

    MP_DEVICE void long_row(const call &c, int i, int *count, unsigned *word)
    {
        MP_SHARED int low, high;
        int from = c.g.row_ptr[c.keep[i]], to = c.g.row_ptr[c.keep[i] + 1], before = c.row_ptr[i];
        MP_PHASE(t)
        {
            if (t == 0) {
                low = c.K;
                high = -1;
            }
        }
        MP_PHASE(t)
        {
            int least = c.K, most = -1;
            for (int e = from + t; e < to; e += threads) {
                int j = c.place[c.g.col[e]];
                least = j < least ? j : least;
                most = j < c.K && j > most ? j : most;
            }
            if (most < 0) continue;
            lower_to(&low, least);
            raise_to(&high, most);
        }
        int first = low, last = high;
        MP_PHASE(t)
        {
            (void)t; /* all have read them before the next row sets them */
        }
        for (; first <= last; first += window) {
            MP_PHASE(t)
            {
                word[t] = 0;
            }
            MP_PHASE(t)
            {
                for (int e = from + t; e < to; e += threads) {
                    int j = c.place[c.g.col[e]], bit = j - first;
                    if (j < c.K && bit >= 0 && bit < window) set_bit(&word[bit / 32], bit % 32);
                }
            }
            MP_PHASE(t)
            {
                count[t] = bits_in(word[t]);
            }
            scan(count);
            MP_PHASE(t)
            {
                for (int e = from + t; e < to; e += threads) {
                    int j = c.place[c.g.col[e]], bit = j - first, w = bit / 32;
                    if (j >= c.K || bit < 0 || bit >= window) continue;
                    int at = before + count[w] - bits_in(word[w] >> bit % 32);
                    put(c, at, j, e);
                }
            }
            before += count[threads - 1];
        }
    }

    MP_DEVICE void run(const call &call_, int block)
    {
        const call c = call_;
        MP_SHARED int count[2 * threads], list[threads], longs;
        MP_SHARED unsigned word[threads];
        for (int first = block * threads; first < c.K; first += parts(c) * threads) {
            MP_PHASE(t)
            {
                if (t == 0) longs = 0;
            }
            MP_PHASE(t)
            {
                if (first + t < c.K && length(c, first + t) > few) list[taken(&longs)] = first + t;
                for (int i = first + t / lanes; i < first + threads && i < c.K; i += threads / lanes)
                    if (length(c, i) <= few) short_row(c, i, t % lanes);
            }
            for (int n = 0; n < longs; n++) long_row(c, list[n], count, word);
            MP_PHASE(t)
            {
                (void)t; /* all are done with the list before the next rows set it */
            }
        }
        MP_ALONE(t)
        {
            for (int k = t; c.rev && k < c.row_ptr[c.K]; k += threads) c.rev[k] = c.work[c.K + 1 + c.g.rev[c.from[k]]];
        }
    }
};

/* `work` as the processor has it: the class of each old node, the new number of each old class and the other way round, the new
 * class of each kept node. A class is numbered by its first kept node. */
struct kernel_twins_keep : by_call<mp_call_twins_keep> {
    MP_DEVICE void run(const call &c, int block)
    {
        (void)block;
        MP_SHARED int count[2 * threads];
        int *class_of = c.work, *now = class_of + c.N, *was = now + c.t.classes, *mine = was + c.t.classes;
        int kept = c.keep_ptr[c.B], all = c.t.classes;
        MP_PHASE(t)
        {
            for (int v = t; v < c.N; v += threads) class_of[v] = -1;
            for (int k = t; k < all; k += threads) now[k] = kept;
            for (int k = t; k < all + 2; k += threads) c.member_ptr[k] = 0;
            if (t == 0) c.row_ptr[0] = 0;
        }
        MP_PHASE(t)
        {
            for (int k = t; k < all; k += threads)
                for (int i = c.t.member_ptr[k]; i < c.t.member_ptr[k + 1]; i++) class_of[c.t.member[i]] = k;
        }
        MP_PHASE(t)
        {
            for (int i = t; i < kept; i += threads)
                if (class_of[c.keep[i]] >= 0) lower_to(&now[class_of[c.keep[i]]], i);
        }
        for (int from = 0; from < kept; from += threads) { /* mine: how many classes begin up to here */
            MP_PHASE(t)
            {
                int i = from + t, k = i < kept ? class_of[c.keep[i]] : -1;
                count[t] = k >= 0 && now[k] == i;
            }
            scan(count);
            MP_PHASE(t)
            {
                if (from + t < kept) mine[from + t] = count[t] + (from > 0 ? mine[from - 1] : 0);
            }
        }
        MP_PHASE(t)
        {
            for (int b = t; b <= c.B; b += threads) c.class_ptr[b] = c.keep_ptr[b] > 0 ? mine[c.keep_ptr[b] - 1] : 0;
            for (int k = t; k < all; k += threads) {
                int number = now[k] < kept ? mine[now[k]] - 1 : -1;
                if (number >= 0) was[number] = k;
                now[k] = number;
            }
        }
        MP_PHASE(t)
        {
            for (int i = t; i < kept; i += threads) {
                int k = class_of[c.keep[i]];
                mine[i] = k >= 0 ? now[k] : -1;
                if (k >= 0) count_up(&c.member_ptr[mine[i] + 1]);
            }
        }
        int left = c.class_ptr[c.B];
        sums(c.member_ptr, all, count);
        MP_PHASE(t)
        {
            if (t == 0) c.member_ptr[all + 1] = c.member_ptr[all];
            for (int i = t; i < kept; i += threads) {
                if (mine[i] < 0) continue;
                int at = c.member_ptr[mine[i]];
                for (int j = c.keep_ptr[range_of(c.keep_ptr, c.B, i)]; j < i; j++) at += mine[j] == mine[i];
                c.member[at] = i;
            }
            for (int k = t; k < all; k += threads) {
                int n = 0;
                if (k < left)
                    for (int e = c.t.row_ptr[was[k]]; e < c.t.row_ptr[was[k] + 1]; e++) n += now[c.t.col[e]] >= 0;
                c.row_ptr[k + 1] = n;
            }
        }
        sums(c.row_ptr, all, count);
        MP_ALONE(t)
        {
            for (int k = t; k < left; k += threads) {
                int at = c.row_ptr[k];
                for (int e = c.t.row_ptr[was[k]]; e < c.t.row_ptr[was[k] + 1]; e++)
                    if (now[c.t.col[e]] >= 0) c.col[at++] = now[c.t.col[e]];
            }
        }
    }

    /* ptr[k+1], which holds a count, becomes the sum of those up to it. */
    MP_DEVICE void sums(int *ptr, int n, int *count)
    {
        for (int from = 0; from < n; from += threads) {
            MP_PHASE(t)
            {
                count[t] = from + t < n ? ptr[from + t + 1] : 0;
            }
            scan(count);
            MP_PHASE(t)
            {
                if (from + t < n) ptr[from + t + 1] = ptr[from] + count[t];
            }
        }
    }
};

#endif
