/* quickstart.c - the whole of deployment: load a model file, describe a graph, ask.
 *
 *     midpool train MUTAG --pool sag --mid --out mutag.safetensors
 *     quickstart mutag.safetensors
 * SPDX-License-Identifier: MIT */
#include <midpool.h>

#include <stdio.h>
#include <stdlib.h>

/* Something to ask about: a ring whose nodes are all alike, with the first feature column on. */
#define RING 6

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: quickstart MODEL\n");
        return 2;
    }
    mp_predictor *p = mp_predictor_load(argv[1]);
    if (!p) {
        fprintf(stderr, "quickstart: %s\n", mp_predictor_error());
        return 1;
    }

    int from[RING], to[RING];
    for (int i = 0; i < RING; i++) {
        from[i] = i;
        to[i] = (i + 1) % RING;
    }
    float *x = calloc((size_t)RING * (size_t)mp_predictor_features(p), sizeof *x);
    if (!x) return 1;
    for (int i = 0; i < RING; i++) x[i * mp_predictor_features(p)] = 1;

    mp_query ring = { .nodes = RING, .edges = RING, .from = from, .to = to, .x = x };
    mp_answer answer;
    bool ok = mp_predict(p, &ring, &answer);
    if (!ok) fprintf(stderr, "quickstart: %s\n", mp_predictor_error());
    if (ok && mp_predictor_classes(p) > 0) {
        printf("class %lld\n", (long long)answer.label);
        for (int c = 0; c < answer.outputs; c++)
            printf("  %lld: %.4f\n", (long long)mp_predictor_class(p, c), (double)answer.value[c]);
    } else if (ok) {
        printf("output %.4f\n", (double)answer.value[0]);
    }
    free(x);
    mp_predictor_free(p);
    return ok ? 0 : 1;
}
