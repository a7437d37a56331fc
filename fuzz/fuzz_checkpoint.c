/* fuzz_checkpoint.c - any bytes as a model file: an error, or a model that writes itself and answers for a
 * graph.
 * SPDX-License-Identifier: MIT */
#include "midpool.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mp_predictor *p = mp_predictor_from(data, size);
    if (!p) return 0;
    static const int from[] = { 0, 1, 2 }, to[] = { 1, 2, 0 };
    float *x = calloc(3 * (size_t)mp_predictor_features(p), sizeof *x);
    if (!x) abort();
    mp_query q = { .nodes = 3, .edges = 3, .from = from, .to = to, .x = x };
    mp_answer answer;
    if (mp_predict(p, &q, &answer) && answer.outputs < 1) abort();
    free(x);
    mp_predictor_free(p);
    return 0;
}
