/* test_noise.c - arrays and options drawn at random, sensible and not: every call ends with a status, and what trains can be
 * asked, measured, explained, saved and read again. Usage: test_noise [CASES [FIRST SEED]]
 * SPDX-License-Identifier: MIT */
#include <midpool.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 12, NODES = 6, EDGES = 60 };

static uint64_t state;

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static bool rarely(void)
{
    return below(40) == 0;
}

typedef struct noise {
    int node_ptr[GRAPHS + 1], from[EDGES], to[EDGES], node_label[GRAPHS * NODES], edge_label[EDGES];
    float node_attribute[2 * GRAPHS * NODES], edge_attribute[2 * EDGES];
    double label[3 * GRAPHS];
    const char *part[GRAPHS];
    mp_arrays arrays;
} noise;

static double draw_label(int kind)
{
    static const double odd[] = { 1e30, -1e300, 2147483648.0, 0.5 };
    if (rarely()) return odd[below(4)];
    if (rarely() || (kind == 3 && below(3) == 0)) return (double)NAN;
    return kind == 0 ? below(3) : kind == 1 ? 0.25 * below(9) : kind == 2 ? 5 : below(2);
}

static void draw_arrays(noise *w)
{
    static const char *const parts[] = { "train", "val", "test", NULL };
    mp_arrays *a = &w->arrays;
    memset(w, 0, sizeof *w);
    int kind = below(4);
    *a = (mp_arrays){
        .graphs = 1 + below(GRAPHS), .edges = below(EDGES), .node_ptr = w->node_ptr, .from = w->from, .to = w->to
    };
    for (int b = 0; b < a->graphs; b++) w->node_ptr[b + 1] = w->node_ptr[b] + (rarely() ? 0 : 1 + below(NODES));
    for (int e = 0; e < a->edges; e++) {
        int b = below(a->graphs), first = w->node_ptr[b], n = w->node_ptr[b + 1] - first;
        w->from[e] = first + below(n ? n : 1);
        w->to[e] = below(2000) == 0 ? below(500) - 50 : first + below(n ? n : 1);
    }
    for (int v = 0; v < GRAPHS * NODES; v++) w->node_label[v] = below(3) + (below(900) == 0 ? 200000000 : 0);
    for (int i = 0; i < 2 * GRAPHS * NODES; i++)
        w->node_attribute[i] = below(3000) == 0 ? NAN : below(300) == 0 ? 3e38f : 0.5f * (float)below(4);
    a->node_labels = below(2);
    a->node_label = w->node_label;
    a->node_attributes = below(3);
    a->node_attribute = w->node_attribute;
    a->edge_labels = below(4) == 0; /* values of an edge that is listed twice clash: all alike */
    a->edge_label = w->edge_label;
    a->edge_attributes = below(3);
    a->edge_attribute = w->edge_attribute;
    a->targets = rarely() ? 0 : kind == 3 ? 1 + below(3) : 1;
    for (int i = 0; i < 3 * GRAPHS; i++) w->label[i] = draw_label(kind);
    for (int b = 0; b < GRAPHS; b++) w->part[b] = parts[below(rarely() ? 4 : 3)];
    a->label = w->label;
    a->part = below(3) ? w->part : NULL;
}

static const char *draw_name(mp_kind kind)
{
    mp_entry e;
    int n = 0;
    while (mp_entry_at(kind, n, &e)) n++;
    return mp_entry_at(kind, below(n), &e) ? e.name : "";
}

typedef struct choice {
    char text[12][96];
    const char *list[13];
    int count;
} choice;

static void add(choice *c, const char *name, const char *value)
{
    snprintf(c->text[c->count], sizeof c->text[0], "%s=%s", name, value);
    c->list[c->count] = c->text[c->count];
    c->count++;
}

/* A value of an option: one of its choices, an end of its range, its default, or something else. */
static void draw_option(choice *c)
{
    mp_entry e;
    char value[64];
    const char *name = draw_name(MP_OPTIONS);
    for (int i = 0; mp_entry_at(MP_OPTIONS, i, &e) && strcmp(e.name, name) != 0; i++) {}
    snprintf(value, sizeof value, "%s", e.initial);
    if (e.choices) {
        const char *p = e.choices;
        for (int k = below(5); k > 0 && strchr(p, '|'); k--) p = strchr(p, '|') + 1;
        snprintf(value, sizeof value, "%.*s", (int)strcspn(p, "|"), p);
    } else if (e.hi <= 64 && below(2)) {
        snprintf(value, sizeof value, "%g", below(2) ? e.lo : e.hi);
    }
    if (rarely()) snprintf(value, sizeof value, "%s", below(2) ? "" : "-1e999");
    add(c, e.name, value);
}

static void draw_options(choice *c)
{
    memset(c, 0, sizeof *c);
    add(c, "pool", draw_name(below(3) ? MP_OPERATORS : MP_BASELINES));
    if (below(2)) draw_option(c);
    if (below(4) == 0) draw_option(c);
    if (below(3) == 0) add(c, "conv", draw_name(MP_CONVOLUTIONS));
    if (below(3) == 0) add(c, "task", draw_name(MP_TASKS));
    if (below(5) == 0) add(c, "preset", draw_name(MP_PRESETS));
    add(c, "epochs", "1");
    add(c, "hidden", "8");
    add(c, "threads", "1");
    if (rarely()) add(c, "", "");
}

static mp_err take(void *p, const void *bytes, size_t n)
{
    return mp_trained_from(bytes, n, p);
}

static int use(const mp_trained *m, const mp_data *d)
{
    mp_data_info info;
    mp_trained_info model;
    mp_trained *again = NULL;
    mp_predictor *p = NULL;
    mp_metric_value metric[MP_METRICS_ROOM];
    mp_explanation why;
    int n, bad = 0;
    mp_data_about(d, &info);
    mp_trained_about(m, &model);
    float *value = calloc((size_t)info.graphs * (size_t)model.outputs, sizeof *value);
    double *answer = calloc((size_t)info.graphs * (size_t)model.targets, sizeof *answer);
    mp_err e = mp_predict_data(m, d, NULL, 0, 1, value, answer);
    if (e != MP_OK && e != MP_ERR_DIVERGED) bad = fprintf(stderr, "predict: %s\n", mp_message());
    e = mp_evaluate(m, d, NULL, 0, 1, metric, &n);
    if (e != MP_OK && e != MP_ERR_DIVERGED) bad = fprintf(stderr, "evaluate: %s\n", mp_message());
    e = mp_trained_write(m, take, &again);
    if (e != MP_OK) bad = fprintf(stderr, "write and read: %s\n", mp_message());
    if (again && mp_predictor_new(again, &p) == MP_OK)
        for (int b = 0; b < info.graphs; b++) {
            e = mp_explain_data(p, d, b, &why);
            if (e != MP_OK && e != MP_ERR_DIVERGED) bad = fprintf(stderr, "explain: %s\n", mp_message());
        }
    mp_predictor_free(p);
    mp_trained_free(again);
    free(value);
    free(answer);
    return bad;
}

static int one(uint64_t seed, int *trained)
{
    static noise w;
    choice c;
    mp_data *d = NULL;
    mp_trained *m = NULL;
    int bad = 0;
    state = seed * 2654435761u + 7;
    draw_arrays(&w);
    draw_options(&c);
    if (mp_data_make(&w.arrays, &d) == MP_OK && mp_train(d, c.list, NULL, &m, NULL) == MP_OK) {
        bad = use(m, d);
        ++*trained;
    }
    if (bad)
        for (int i = 0; i < c.count; i++) fprintf(stderr, "  %s\n", c.text[i]);
    mp_trained_free(m);
    mp_data_free(d);
    return bad;
}

int main(int argc, char **argv)
{
    int cases = argc > 1 ? atoi(argv[1]) : 1500, first = argc > 2 ? atoi(argv[2]) : 0, trained = 0;
    for (int i = first; i < first + cases; i++)
        if (one((uint64_t)i, &trained)) return fprintf(stderr, "seed %d\n", i), 1;
    printf("%d of %d cases train\n", trained, cases);
    return cases >= 100 && trained < cases / 20;
}
