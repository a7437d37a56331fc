/* generate.c - COLORS-3, TRIANGLES, distinct colours and Erdos-Renyi graphs, by math.md 6.6 and protocol.md 9.2.
 *
 * Every draw of a graph has a random stream of its own, named by (seed, set, part, draw): the graphs of one
 * part do not move when another part is made larger or left out. Paper: Knyazev, Taylor & Amer,
 * "Understanding Attention and Generalization in Graph Neural Networks", 2019.
 * SPDX-License-Identifier: MIT */
#include "data/generate.h"
#include "data/sketch.h"

#include <limits.h>
#include <string.h>

const mp_colors_options mp_colors_published = { 0, 500, 2500, 2500, 2500, 2500, 4, 25, 26, 200 };
const mp_triangles_options mp_triangles_published = { 0, 30000, 5000, 5000, 5000, 4, 25, 26, 100 };
const mp_distinct_options mp_distinct_usual = { 0, 1000, 500, 1000, 1000, 8, 10, 30, 31, 100 };
const mp_er_options mp_er_usual = { 0, 1, 1000, 0, 128 };

enum { FOR_COLORS = 1, FOR_TRIANGLES, FOR_ER, FOR_DISTINCT, FOR_ORDER = 100 }; /* second number of a stream */
enum { ORIGIN, LARGE, LARGE_C };                                               /* third number */

static const char *const part_name[5] = { "train", "val", "test-origin", "test-large", "test-large-c" };

/* n nodes, floor((u + 1) n) edges, u uniform; the complete graph when there are not that many pairs. */
static void draw_graph(mp_rng *rng, mp_arena *a, int n, mp_sketch *out)
{
    int64_t pairs = (int64_t)n * (n - 1) / 2, m = (int64_t)((mp_rng_unit(rng) + 1) * n);
    mp_sketch_draw(rng, a, n, (int)(m < pairs ? m : pairs), out);
}

static int *random_order(mp_rng *rng, int n, mp_arena *a)
{
    int *order = MP_NEW_RAW(a, int, n);
    for (int i = 0; i < n; i++) order[i] = i;
    mp_rng_shuffle(rng, order, n);
    return order;
}

/* Parts of the given sizes, one behind the other. */
static void set_fixed(mp_raw *raw, const int *size, int parts)
{
    int first = 0;
    for (int i = 0; i < parts; i++) {
        if (size[i] == 0) continue;
        raw->fixed[i][0] = first;
        raw->fixed[i][1] = first += size[i];
        raw->fixed_name[i] = part_name[i];
    }
}

/* The published sets have the label as a graph attribute too, and PyTorch Geometric reads that one. */
static void labels_as_targets(mp_arena *a, mp_raw *raw)
{
    double *target = MP_NEW_RAW(a, double, raw->graphs.graphs);
    for (int b = 0; b < raw->graphs.graphs; b++) target[b] = (double)raw->graph_label[b];
    raw->target = target;
    raw->target_columns = 1;
}

static mp_err check_sizes(int lo, int hi, int large_lo, int large_hi)
{
    enum { MOST = 2000 };
    if (lo < 1 || hi < lo || large_lo < 1 || large_hi < large_lo || hi > MOST || large_hi > MOST)
        return mp_fail(MP_ERR_USAGE, "graph sizes %d..%d and %d..%d: expected ranges within 1..%d", lo, hi, large_lo,
                       large_hi, MOST);
    return MP_OK;
}

/* ---- COLORS-3. A mark has a bit a channel: 0 red, 1 green, 2 blue, 3 the channel only large-C uses. ---- */

enum { GREEN = 1 << 1, CHANNELS = 4, COLOR_LABELS = 11 };

typedef struct color_part {
    int part, lo, hi, requested;
} color_part;

/* `greens` green nodes; the others red or blue, or in large-C any bits but green. */
static const unsigned char *draw_colors(mp_rng *rng, mp_arena *a, int n, int greens, bool any_bits)
{
    unsigned char *mark = MP_NEW_RAW(a, unsigned char, n);
    const int *order = random_order(rng, n, a);
    for (int i = 0; i < n; i++) {
        int other = any_bits ? mp_rng_below(rng, 1 << CHANNELS) & ~GREEN : mp_rng_below(rng, 2) ? 4 : 1;
        mark[order[i]] = (unsigned char)(i < greens ? GREEN : other);
    }
    return mark;
}

/* Q graphs of n nodes with labels in equal shares, no two the same. */
static mp_err colors_of_size(const color_part *p, int seed, int n, int Q, mp_arena *a, mp_sketch_set *set)
{
    int labels = (n < COLOR_LABELS - 1 ? n : COLOR_LABELS - 1) + 1, made = 0;
    for (int round = 0; made < Q; round++) {
        if (round > 50 + 100 * (int64_t)Q)
            return mp_fail(MP_ERR_USAGE, "there are not %d different colourings of graphs with %d nodes", Q, n);
        mp_rng rng = mp_rng_stream((uint64_t)seed, MP_FOR_DATA, FOR_COLORS, (uint64_t)p->part,
                                   (uint64_t)n << 32 | (uint64_t)round);
        const int *order = random_order(&rng, labels, a);
        for (int i = 0; i < labels && made < Q; i++) {
            mp_sketch s;
            draw_graph(&rng, a, n, &s);
            s.label = order[i];
            s.mark = draw_colors(&rng, a, n, s.label, p->part == LARGE_C);
            mp_sketch_sort(&s);
            made += mp_sketch_add(set, &s);
        }
    }
    return MP_OK;
}

/* Appends `requested` graphs of all sizes, in random order, to `list`. */
static mp_err colors_part(const color_part *p, int seed, mp_arena *a, const mp_sketch **list, int *n_list)
{
    if (p->requested == 0) return MP_OK;
    mp_sketch_set *set = MP_NEW(a, mp_sketch_set, 1);
    set->a = a;
    int sizes = p->hi - p->lo + 1, per_size = (p->requested + sizes - 1) / sizes;
    int Q = COLOR_LABELS * ((per_size + COLOR_LABELS - 1) / COLOR_LABELS);
    for (int n = p->lo; n <= p->hi; n++) MP_TRY(colors_of_size(p, seed, n, Q, a, set));
    mp_rng rng = mp_rng_stream((uint64_t)seed, MP_FOR_DATA, FOR_COLORS + FOR_ORDER, (uint64_t)p->part, 0);
    const int *order = random_order(&rng, set->count, a);
    for (int i = 0; i < p->requested; i++) list[(*n_list)++] = &set->at[order[i]];
    return MP_OK;
}

/* Columns as published: attention (1 on green), then the four channels. */
static void color_attributes(const mp_sketch *const *list, mp_arena *a, mp_raw *raw)
{
    int nodes = raw->graphs.nodes, count = 0;
    int *ptr = MP_NEW(a, int, nodes + 1), *col = MP_NEW_RAW(a, int, (size_t)nodes *CHANNELS);
    for (int b = 0, v = 0; b < raw->graphs.graphs; b++) {
        for (int i = 0; i < list[b]->nodes; i++, v++) {
            if (list[b]->mark[i] & GREEN) col[count++] = 0;
            for (int k = 0; k < CHANNELS; k++)
                if (list[b]->mark[i] >> k & 1) col[count++] = 1 + k;
            ptr[v + 1] = count;
        }
    }
    raw->attributes = (mp_sparse){ .rows = nodes, .cols = 1 + CHANNELS, .ptr = ptr, .col = col };
}

static mp_err make_colors(const mp_colors_options *o, mp_arena *scratch, mp_arena *a, mp_raw *out)
{
    const color_part parts[] = {
        { ORIGIN, o->lo, o->hi, o->train + o->val + o->test },
        { LARGE, o->large_lo, o->large_hi, o->large },
        { LARGE_C, o->large_lo, o->large_hi, o->large_c },
    };
    int total = o->train + o->val + o->test + o->large + o->large_c, n = 0;
    const mp_sketch **list = MP_NEW_RAW(scratch, const mp_sketch *, total);
    for (int i = 0; i < 3; i++) MP_TRY(colors_part(&parts[i], o->seed, scratch, list, &n));
    MP_TRY(mp_sketch_raw(list, n, "COLORS-3", a, out));
    color_attributes(list, a, out);
    labels_as_targets(a, out);
    set_fixed(out, (const int[]){ o->train, o->val, o->test, o->large, o->large_c }, 5);
    return MP_OK;
}

static mp_err check_counts(const int *count, int n, int multiple)
{
    int64_t total = 0;
    for (int i = 0; i < n; i++) {
        if (count[i] < (i < 3 ? multiple : 0) || count[i] % multiple)
            return mp_fail(MP_ERR_USAGE, "%d graphs for %s: expected a positive multiple of %d", count[i], part_name[i],
                           multiple);
        total += count[i];
    }
    if (total > 10000000) return mp_fail(MP_ERR_USAGE, "%lld graphs are more than 10000000", (long long)total);
    return MP_OK;
}

mp_err mp_generate_colors(const mp_colors_options *o, mp_arena *a, mp_raw *out)
{
    MP_TRY(check_sizes(o->lo, o->hi, o->large_lo, o->large_hi));
    MP_TRY(check_counts((const int[]){ o->train, o->val, o->test, o->large, o->large_c }, 5, 1));
    mp_arena *scratch = mp_arena_new(1 << 20);
    mp_err e = make_colors(o, scratch, a, out);
    mp_arena_free(scratch);
    return e;
}

/* ---- TRIANGLES. ---- */

enum { TRIANGLE_LABELS = 10 }; /* 1 .. 10 */

/* Triangles through each node of a graph, by the common neighbours of each edge; returns how many there are.
 */
static int count_triangles(const mp_sketch *s, uint64_t *rows, int *through)
{
    int words = (s->nodes + 63) / 64, corners = 0;
    memset(rows, 0, (size_t)s->nodes * (size_t)words * sizeof *rows);
    memset(through, 0, (size_t)s->nodes * sizeof *through);
    for (int e = 0; e < s->edges; e++) {
        int i = (int)(s->edge[e] >> 32), j = (int)(s->edge[e] & 0xffffffffu);
        rows[(size_t)i * (size_t)words + (size_t)(j / 64)] |= (uint64_t)1 << j % 64;
        rows[(size_t)j * (size_t)words + (size_t)(i / 64)] |= (uint64_t)1 << i % 64;
    }
    for (int e = 0; e < s->edges; e++) {
        int i = (int)(s->edge[e] >> 32), j = (int)(s->edge[e] & 0xffffffffu), common = 0;
        for (int k = 0; k < words; k++)
            common += __builtin_popcountll(rows[(size_t)i * (size_t)words + (size_t)k] &
                                           rows[(size_t)j * (size_t)words + (size_t)k]);
        through[i] += common;
        through[j] += common;
        corners += common;
    }
    for (int v = 0; v < s->nodes; v++) through[v] /= 2; /* seen along both of the node's edges */
    return corners / 3;
}

typedef struct triangle_work {
    uint64_t *rows;
    int *through;
} triangle_work;

static triangle_work triangle_room(mp_arena *a, int hi)
{
    return (triangle_work){ MP_NEW_RAW(a, uint64_t, (size_t)hi * (size_t)((hi + 63) / 64)), MP_NEW_RAW(a, int, hi) };
}

/* Draws until each label has `share` different graphs. The published sets come from 10 draws a graph asked
 * for; small sets may need more, so the limit here is far above that. */
static mp_err triangles_part(int part, int seed, int lo, int hi, int share, mp_arena *a, mp_sketch_set *set)
{
    int have[TRIANGLE_LABELS + 1] = { 0 }, missing = TRIANGLE_LABELS * share;
    triangle_work w = triangle_room(a, hi);
    int64_t limit = 10000 + 2000 * (int64_t)missing;
    for (int64_t draw = 0; missing > 0; draw++) {
        if (draw == limit)
            return mp_fail(MP_ERR_USAGE, "graphs of %d to %d nodes rarely have 1 to 10 triangles: gave up", lo, hi);
        mp_arena_mark here = mp_arena_here(a);
        mp_rng rng = mp_rng_stream((uint64_t)seed, MP_FOR_DATA, FOR_TRIANGLES, (uint64_t)part, (uint64_t)draw);
        mp_sketch s;
        draw_graph(&rng, a, lo + mp_rng_below(&rng, hi - lo + 1), &s);
        s.label = count_triangles(&s, w.rows, w.through);
        bool wanted = s.label >= 1 && s.label <= TRIANGLE_LABELS && have[s.label] < share;
        if (wanted) mp_sketch_sort(&s);
        if (wanted && mp_sketch_add(set, &s)) {
            have[s.label]++;
            missing--;
        } else {
            mp_arena_back(a, here);
        }
    }
    return MP_OK;
}

/* Each label's graphs in random order: the first train, the next validate, the rest test. */
static void split_origin(const mp_sketch_set *set, const mp_triangles_options *o, mp_arena *a, const mp_sketch **list)
{
    int share = set->count / TRIANGLE_LABELS, per[3] = { o->train / 10, o->val / 10, o->test / 10 };
    int next[3] = { 0, o->train, o->train + o->val };
    int *of_label = MP_NEW_RAW(a, int, share);
    for (int label = 1; label <= TRIANGLE_LABELS; label++) {
        mp_rng rng = mp_rng_stream((uint64_t)o->seed, MP_FOR_DATA, FOR_TRIANGLES + FOR_ORDER, (uint64_t)label, 0);
        int n = 0;
        for (int i = 0; i < set->count; i++)
            if (set->at[i].label == label) of_label[n++] = i;
        mp_rng_shuffle(&rng, of_label, n);
        for (int k = 0, i = 0; k < 3; k++)
            for (int c = 0; c < per[k]; c++) list[next[k]++] = &set->at[of_label[i++]];
    }
}

/* One column, as published: the triangles through the node, which is the attention and never an input. */
static void triangle_attributes(const mp_sketch *const *list, triangle_work w, mp_arena *a, mp_raw *raw)
{
    int nodes = raw->graphs.nodes, count = 0;
    int *ptr = MP_NEW(a, int, nodes + 1), *col = MP_NEW(a, int, nodes);
    mp_real *val = MP_NEW_RAW(a, mp_real, nodes);
    for (int b = 0, v = 0; b < raw->graphs.graphs; b++) {
        count_triangles(list[b], w.rows, w.through);
        for (int i = 0; i < list[b]->nodes; i++, v++) {
            if (w.through[i]) val[count++] = (mp_real)w.through[i];
            ptr[v + 1] = count;
        }
    }
    raw->attributes = (mp_sparse){ .rows = nodes, .cols = 1, .ptr = ptr, .col = col, .val = val };
}

static mp_err make_triangles(const mp_triangles_options *o, mp_arena *scratch, mp_arena *a, mp_raw *out)
{
    mp_sketch_set origin = { .a = scratch }, large = { .a = scratch };
    int n = o->train + o->val + o->test;
    MP_TRY(triangles_part(ORIGIN, o->seed, o->lo, o->hi, n / 10, scratch, &origin));
    MP_TRY(triangles_part(LARGE, o->seed, o->large_lo, o->large_hi, o->large / 10, scratch, &large));
    const mp_sketch **list = MP_NEW_RAW(scratch, const mp_sketch *, n + o->large);
    split_origin(&origin, o, scratch, list);
    for (int i = 0; i < o->large; i++) list[n + i] = &large.at[i];
    MP_TRY(mp_sketch_raw(list, n + o->large, "TRIANGLES", a, out));
    int hi = o->hi > o->large_hi ? o->hi : o->large_hi;
    triangle_attributes(list, triangle_room(scratch, hi), a, out);
    labels_as_targets(a, out);
    set_fixed(out, (const int[]){ o->train, o->val, o->test, o->large }, 4);
    return MP_OK;
}

mp_err mp_generate_triangles(const mp_triangles_options *o, mp_arena *a, mp_raw *out)
{
    MP_TRY(check_sizes(o->lo, o->hi, o->large_lo, o->large_hi));
    MP_TRY(check_counts((const int[]){ o->train, o->val, o->test, o->large }, 4, TRIANGLE_LABELS));
    mp_arena *scratch = mp_arena_new(1 << 20);
    mp_err e = make_triangles(o, scratch, a, out);
    mp_arena_free(scratch);
    return e;
}

/* ---- Distinct colours. The label is the number of colours that occur, and says nothing about how often: who keeps nodes by one
 * rank of colours loses the colours that rank last. ---- */

enum { COLORS_MOST = 8 };

/* n nodes, each of the first `label` of a random order of the colours at least once. */
static mp_sketch draw_distinct(mp_rng *rng, mp_arena *a, int n, int label, int colors)
{
    mp_sketch s;
    draw_graph(rng, a, n, &s);
    const int *place = random_order(rng, n, a), *color = random_order(rng, colors, a);
    unsigned char *mark = MP_NEW_RAW(a, unsigned char, n);
    for (int i = 0; i < n; i++) mark[place[i]] = (unsigned char)(1 << color[i < label ? i : mp_rng_below(rng, label)]);
    s.label = label;
    s.mark = mark;
    mp_sketch_sort(&s);
    return s;
}

/* `wanted` graphs, labels 1 .. colors in turn and then in random order, sizes uniform; no two the same. */
static mp_err distinct_part(const mp_distinct_options *o, int part, int wanted, mp_arena *a, const mp_sketch **list,
                            int *n)
{
    mp_sketch_set *set = MP_NEW(a, mp_sketch_set, 1);
    int lo = part == LARGE ? o->large_lo : o->lo, hi = part == LARGE ? o->large_hi : o->hi;
    set->a = a;
    for (int64_t draw = 0; set->count < wanted; draw++) {
        if (draw > 50 + 100 * (int64_t)wanted)
            return mp_fail(MP_ERR_USAGE, "there are not %d different colourings of graphs with %d to %d nodes", wanted,
                           lo, hi);
        mp_rng rng = mp_rng_stream((uint64_t)o->seed, MP_FOR_DATA, FOR_DISTINCT, (uint64_t)part, (uint64_t)draw);
        mp_sketch s =
            draw_distinct(&rng, a, lo + mp_rng_below(&rng, hi - lo + 1), 1 + set->count % o->colors, o->colors);
        mp_sketch_add(set, &s);
    }
    mp_rng rng = mp_rng_stream((uint64_t)o->seed, MP_FOR_DATA, FOR_DISTINCT + FOR_ORDER, (uint64_t)part, 0);
    const int *order = random_order(&rng, wanted, a);
    for (int i = 0; i < wanted; i++) list[(*n)++] = &set->at[order[i]];
    return MP_OK;
}

/* A channel a colour, one of them 1. */
static void distinct_attributes(const mp_sketch *const *list, int colors, mp_arena *a, mp_raw *raw)
{
    int nodes = raw->graphs.nodes, *ptr = MP_NEW(a, int, nodes + 1), *col = MP_NEW_RAW(a, int, nodes);
    for (int b = 0, v = 0; b < raw->graphs.graphs; b++) {
        for (int i = 0; i < list[b]->nodes; i++, v++) {
            col[v] = 0;
            while (!(list[b]->mark[i] >> col[v] & 1)) col[v]++;
            ptr[v + 1] = v + 1;
        }
    }
    raw->attributes = (mp_sparse){ .rows = nodes, .cols = colors, .ptr = ptr, .col = col };
}

static mp_err make_distinct(const mp_distinct_options *o, mp_arena *scratch, mp_arena *a, mp_raw *out)
{
    int origin = o->train + o->val + o->test, n = 0;
    const mp_sketch **list = MP_NEW_RAW(scratch, const mp_sketch *, origin + o->large);
    MP_TRY(distinct_part(o, ORIGIN, origin, scratch, list, &n));
    MP_TRY(distinct_part(o, LARGE, o->large, scratch, list, &n));
    MP_TRY(mp_sketch_raw(list, n, "DISTINCT", a, out));
    distinct_attributes(list, o->colors, a, out);
    labels_as_targets(a, out);
    set_fixed(out, (const int[]){ o->train, o->val, o->test, o->large }, 4);
    return MP_OK;
}

mp_err mp_generate_distinct(const mp_distinct_options *o, mp_arena *a, mp_raw *out)
{
    MP_TRY(check_sizes(o->lo, o->hi, o->large_lo, o->large_hi));
    MP_TRY(check_counts((const int[]){ o->train, o->val, o->test, o->large }, 4, 1));
    if (o->colors < 2 || o->colors > COLORS_MOST || o->colors > o->lo || o->colors > o->large_lo)
        return mp_fail(MP_ERR_USAGE, "%d colours: expected 2 to %d, and no more than the smallest graph has nodes",
                       o->colors, COLORS_MOST);
    mp_arena *scratch = mp_arena_new(1 << 20);
    mp_err e = make_distinct(o, scratch, a, out);
    mp_arena_free(scratch);
    return e;
}

/* ---- Erdos-Renyi. ---- */

static mp_err normal_attributes(const mp_er_options *o, mp_arena *a, mp_raw *raw)
{
    int64_t values = (int64_t)raw->graphs.nodes * o->columns;
    if (values > INT_MAX) return mp_fail(MP_ERR_LIMIT, "more than %d feature values", INT_MAX);
    int nodes = raw->graphs.nodes, count = 0;
    int *ptr = MP_NEW(a, int, nodes + 1), *col = MP_NEW_RAW(a, int, values);
    mp_real *val = MP_NEW_RAW(a, mp_real, values);
    mp_rng rng = mp_rng_stream((uint64_t)o->seed, MP_FOR_DATA, FOR_ER + FOR_ORDER, 0, 0);
    for (int v = 0; v < nodes; v++) {
        for (int k = 0; k < o->columns; k++, count++) {
            col[count] = k;
            val[count] = (mp_real)mp_rng_normal(&rng);
        }
        ptr[v + 1] = count;
    }
    raw->attributes = (mp_sparse){ .rows = nodes, .cols = o->columns, .ptr = ptr, .col = col, .val = val };
    return MP_OK;
}

static mp_err make_er(const mp_er_options *o, int edges, mp_arena *scratch, mp_arena *a, mp_raw *out)
{
    mp_sketch *s = MP_NEW(scratch, mp_sketch, o->graphs);
    const mp_sketch **list = MP_NEW(scratch, const mp_sketch *, o->graphs);
    mp_rng order = mp_rng_stream((uint64_t)o->seed, MP_FOR_DATA, FOR_ER + FOR_ORDER, 1, 0);
    const int *shuffled = random_order(&order, o->graphs, scratch);
    for (int b = 0; b < o->graphs; b++) {
        mp_rng rng = mp_rng_stream((uint64_t)o->seed, MP_FOR_DATA, FOR_ER, 0, (uint64_t)b);
        mp_sketch_draw(&rng, scratch, o->nodes, edges, &s[b]);
        mp_sketch_sort(&s[b]);
        s[b].label = shuffled[b] % 2; /* random, and both classes as often as possible */
        list[b] = &s[b];
    }
    MP_TRY(mp_sketch_raw(list, o->graphs, "ER", a, out));
    return o->columns ? normal_attributes(o, a, out) : MP_OK;
}

mp_err mp_generate_er(const mp_er_options *o, mp_arena *a, mp_raw *out)
{
    int64_t pairs = (int64_t)o->nodes * (o->nodes - 1) / 2, edges = o->edges ? o->edges : 2 * (int64_t)o->nodes;
    if (o->graphs < 1 || o->nodes < 1 || o->columns < 0 || edges < 0)
        return mp_fail(MP_ERR_USAGE, "expected at least one graph with at least one node");
    if (edges > pairs)
        return mp_fail(MP_ERR_USAGE, "%lld edges: %d nodes have %lld pairs", (long long)edges, o->nodes,
                       (long long)pairs);
    if ((int64_t)o->graphs * o->nodes >= INT_MAX || edges * o->graphs >= INT_MAX / 2)
        return mp_fail(MP_ERR_LIMIT, "the counts of nodes and edges must stay below 2^31");
    mp_arena *scratch = mp_arena_new(1 << 20);
    mp_err e = make_er(o, (int)edges, scratch, a, out);
    mp_arena_free(scratch);
    return e;
}
