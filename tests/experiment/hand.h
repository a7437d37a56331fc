/* hand.h - a network simple enough to follow by hand: features pass its convolution as they are, and the score columns of TopKPool
 * are the channels themselves. Features must not be negative.
 * SPDX-License-Identifier: MIT */
#ifndef MP_TEST_HAND_H
#define MP_TEST_HAND_H

#include "experiment/subject.h"
#include "property.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HAND_GRAPHS 8

typedef struct hand {
    mp_rig rig;
    mp_graph all;
    mp_sparse x;
    mp_config conf;
    mp_model *model;
    int which[HAND_GRAPHS];
    mp_subject s;
} hand;

static void hand_identity(mp_params *p, const char *ending)
{
    int set = 0;
    for (int i = 0; i < p->count; i++) {
        const mp_param *q = &p->list[i];
        size_t n = strlen(q->name), m = strlen(ending);
        if (n < m || strcmp(q->name + n - m, ending) != 0) continue;
        for (int r = 0; r < q->rows && r < q->cols; r++) p->theta[q->offset + (size_t)(r * q->cols + r)] = 1;
        set++;
    }
    assert_int_equal(set, 1);
}

/* Edges once each, by numbers over all graphs; features of `channels` columns, row after row. `columns`: of scores, at most as many
 * as channels. */
static void hand_init(hand *h, int graphs, const int *sizes, int edges, const int (*edge)[2], int channels, int columns,
                      double ratio, const mp_real *x)
{
    char options[200];
    memset(h, 0, sizeof *h);
    h->rig = mp_rig_new(1);
    mp_arena *a = h->rig.memory;
    int *node_ptr = MP_NEW(a, int, graphs + 1), *src = MP_NEW(a, int, 2 * edges), *dst = MP_NEW(a, int, 2 * edges);
    for (int b = 0; b < graphs; b++) {
        node_ptr[b + 1] = node_ptr[b] + sizes[b];
        h->which[b] = b;
    }
    for (int e = 0; e < edges; e++) {
        src[2 * e] = dst[2 * e + 1] = edge[e][0];
        dst[2 * e] = src[2 * e + 1] = edge[e][1];
    }
    assert_int_equal(mp_graph_from_edges(a, graphs, node_ptr, 2 * edges, src, dst, &h->all, NULL), MP_OK);
    h->x = (mp_sparse){ .rows = node_ptr[graphs], .cols = channels, .val = x };
    mp_config_init(&h->conf);
    snprintf(options, sizeof options, "pool=topk conv=graphconv layers=1 hidden=%d score-dim=%d", channels, columns);
    bench_set(&h->conf, options);
    h->conf.ratio = ratio;
    mp_inputs in = { .features = channels, .outputs = 2 };
    if (mp_model_new(a, &h->conf, in, &h->model) != MP_OK) fail_msg("%s", mp_message());
    hand_identity(mp_model_params(h->model), "lin_root.weight");
    hand_identity(mp_model_params(h->model), ".P");
    h->s = (mp_subject){ h->model, &h->all, &h->x, h->which, graphs, 1 };
}

static void hand_free(hand *h)
{
    mp_rig_free(&h->rig);
}

static inline bool hand_near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-6 * fmax(1, fabs(b));
}

#endif
