/* test_threads.c - many threads ask one model about one data set at once, each with a predictor of its own, and two train on
 * it: all get the answers that one thread gets. Run under ThreadSanitizer too.
 * SPDX-License-Identifier: MIT */
#include "world.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 6, ROUNDS = 3 };

typedef struct shared {
    world w;
    const mp_data *data;
    const mp_trained *model;
    float value[2 * GRAPHS]; /* what one thread was told */
    char sha256[65];
} shared;

typedef struct worker {
    const shared *s;
    pthread_t thread;
    int number;
    const char *wrong;
} worker;

static const char *const usual[] = { "pool=sag", "preset=mid",    "hidden=16", "layers=2",
                                     "epochs=2", "batch-size=16", "threads=2", NULL };

static const char *ask_one(const shared *s, mp_predictor *p, int b)
{
    int from[32], to[32];
    mp_query q = graph_of(&s->w, b, from, to);
    mp_explanation why;
    mp_answer a;
    if (!mp_predict(p, &q, &a)) return "a graph has no answer";
    if (fabsf(a.value[0] - s->value[2 * b]) > 1e-6f) return "a graph has another answer";
    if (mp_explain_data(p, s->data, b, &why) != MP_OK || why.levels != 2) return "a graph has no explanation";
    q.labels = NULL;
    if (mp_predict(p, &q, &a) || !strstr(mp_message(), "needs 1 node labels")) return "a message is another thread's";
    return NULL;
}

static const char *ask(const shared *s)
{
    mp_predictor *p;
    const char *wrong = NULL;
    float value[2 * GRAPHS];
    if (mp_predictor_new(s->model, &p) != MP_OK) return "no predictor";
    for (int r = 0; r < ROUNDS && !wrong; r++)
        for (int b = 0; b < GRAPHS && !wrong; b++) wrong = ask_one(s, p, b);
    mp_predictor_free(p);
    if (wrong) return wrong;
    if (mp_predict_data(s->model, s->data, NULL, 0, 2, value, NULL) != MP_OK) return "the set has no answers";
    return memcmp(value, s->value, sizeof value) ? "the set has other answers" : NULL;
}

static const char *train(const shared *s)
{
    mp_trained *m;
    mp_result r;
    if (mp_train(s->data, usual, NULL, &m, &r) != MP_OK) return "training failed";
    mp_trained_free(m);
    return strcmp(r.sha256, s->sha256) ? "training gave another model" : NULL;
}

static void *work(void *arg)
{
    worker *w = arg;
    w->wrong = w->number < 2 ? train(w->s) : ask(w->s);
    return NULL;
}

static int run_all(const shared *s)
{
    worker all[THREADS];
    int bad = 0;
    for (int i = 0; i < THREADS; i++) {
        all[i] = (worker){ .s = s, .number = i };
        if (pthread_create(&all[i].thread, NULL, work, &all[i]) != 0) return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        if (all[i].wrong) fprintf(stderr, "thread %d: %s\n", i, all[i].wrong);
        bad += all[i].wrong != NULL;
    }
    return bad;
}

int main(void)
{
    static shared s;
    mp_data *data = NULL;
    mp_trained *model = NULL;
    mp_result r;
    make_world(&s.w);
    mp_err e = mp_data_make(&s.w.arrays, &data);
    if (e == MP_OK) e = mp_train(data, usual, NULL, &model, &r);
    if (e == MP_OK) e = mp_predict_data(model, data, NULL, 0, 1, s.value, NULL);
    if (e != MP_OK) return fprintf(stderr, "%s\n", mp_message()), 1;
    s.data = data;
    s.model = model;
    memcpy(s.sha256, r.sha256, sizeof s.sha256);
    int bad = run_all(&s);
    mp_trained_free(model);
    mp_data_free(data);
    return bad != 0;
}
