/* batch.c - a model asked about many graphs: by one call that has threads of its own, and by threads of the host's, which share
 * the model and have a predictor each.
 *
 *     cc batch.c $(pkg-config --cflags --libs midpool) && ./a.out [THREADS]
 * SPDX-License-Identifier: MIT */
#include <midpool.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { GRAPHS = 3000, LEARNED = 300, MOST = 12, THREADS_MOST = 64 };

/* Rings are class 0, stars class 1. Edges of graph b are edge_ptr[b] to edge_ptr[b+1] - 1. */
static int node_ptr[GRAPHS + 1], edge_ptr[GRAPHS + 1], from[GRAPHS * MOST], to[GRAPHS * MOST];
static double label[GRAPHS];

static mp_err make(mp_data **out)
{
    for (int b = 0; b < GRAPHS; b++) {
        int first = node_ptr[b], star = b % 2, n = 4 + b % (MOST - 3), e = edge_ptr[b];
        for (int v = 0; v < n - star; v++, e++) {
            from[e] = first + (star ? 0 : v);
            to[e] = first + (v + 1) % n;
        }
        node_ptr[b + 1] = first + n;
        edge_ptr[b + 1] = e;
        label[b] = star;
    }
    mp_arrays in = { .graphs = GRAPHS,
                     .edges = edge_ptr[GRAPHS],
                     .node_ptr = node_ptr,
                     .from = from,
                     .to = to,
                     .targets = 1,
                     .label = label };
    return mp_data_make(&in, out);
}

static mp_err train(const mp_data *data, mp_trained **out)
{
    static const char *const options[] = { "pool=topk", "hidden=16", "layers=2", "epochs=10", "lr=0.01", NULL };
    int learned[LEARNED];
    for (int i = 0; i < LEARNED; i++) learned[i] = i;
    mp_parts parts = { .train = learned, .n_train = LEARNED }; /* a tenth of them validates */
    return mp_train_parts(data, &parts, options, NULL, out, NULL);
}

typedef struct worker {
    pthread_t thread;
    const mp_trained *model;
    atomic_int *next; /* the graph that nobody has yet */
    double *answer;
    mp_err e;
    char why[256]; /* a message belongs to the thread whose call failed */
} worker;

static mp_err ask(mp_predictor *p, int b, double *answer)
{
    int a[MOST], z[MOST], n = edge_ptr[b + 1] - edge_ptr[b]; /* nodes of one graph count from 0 */
    for (int e = 0; e < n; e++) {
        a[e] = from[edge_ptr[b] + e] - node_ptr[b];
        z[e] = to[edge_ptr[b] + e] - node_ptr[b];
    }
    mp_query graph = { .nodes = node_ptr[b + 1] - node_ptr[b], .edges = n, .from = a, .to = z };
    mp_answer said;
    if (!mp_predict(p, &graph, &said)) return MP_ERR_INPUT;
    *answer = said.answer[0];
    return MP_OK;
}

static void *work(void *state)
{
    worker *w = state;
    mp_predictor *p = NULL;
    w->e = mp_predictor_new(w->model, &p);
    for (int b; w->e == MP_OK && (b = atomic_fetch_add(w->next, 1)) < GRAPHS;) w->e = ask(p, b, &w->answer[b]);
    if (w->e != MP_OK) snprintf(w->why, sizeof w->why, "%s", mp_message());
    mp_predictor_free(p);
    return NULL;
}

/* True: all of them were answered. */
static bool ask_all(const mp_trained *model, int threads, double *answer)
{
    static worker workers[THREADS_MOST];
    atomic_int next = 0;
    bool ok = true;
    for (int i = 0; i < threads; i++) {
        workers[i] = (worker){ .model = model, .next = &next, .answer = answer };
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0) continue;
        threads = i;
        ok = i > 0; /* fewer do as well */
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].e == MP_OK) continue;
        fprintf(stderr, "batch: %s\n", workers[i].why);
        ok = false;
    }
    return ok;
}

static int compare(const double *one, const double *other)
{
    int right = 0, alike = 0;
    for (int b = LEARNED; b < GRAPHS; b++) right += one[b] == label[b];
    for (int b = 0; b < GRAPHS; b++) alike += one[b] == other[b];
    printf("%d of %d graphs that were not learned are answered right; both ways agree about %d of %d\n", right,
           GRAPHS - LEARNED, alike, GRAPHS);
    return alike == GRAPHS ? 0 : 1;
}

int main(int argc, char **argv)
{
    static double one[GRAPHS], other[GRAPHS];
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    mp_data *data = NULL;
    mp_trained *model = NULL;
    int code = 1;
    if (threads < 1 || threads > THREADS_MOST)
        fprintf(stderr, "batch: expected 1 to %d threads\n", THREADS_MOST);
    else if (make(&data) != MP_OK || train(data, &model) != MP_OK ||
             mp_predict_data(model, data, NULL, 0, threads, NULL, one) != MP_OK)
        fprintf(stderr, "batch: %s\n", mp_message());
    else if (ask_all(model, threads, other))
        code = compare(one, other);
    mp_trained_free(model);
    mp_data_free(data);
    return code;
}
