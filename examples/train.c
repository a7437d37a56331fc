/* train.c - from arrays to a model file and back: make graphs, train, measure, save, load, ask, explain.
 *
 *     cc train.c $(pkg-config --cflags --libs midpool) && ./a.out
 * SPDX-License-Identifier: MIT */
#include <midpool.h>

#include <stdio.h>

enum { GRAPHS = 80, NODES = 6 };

static mp_verdict on_epoch(void *state, const mp_news *n)
{
    (void)state;
    printf("epoch %d: loss %.4f, %s of validation graphs %.2f\n", n->epoch, n->train_loss, n->metric, n->val_metric);
    return n->val_metric == 1 ? MP_ENOUGH : MP_GO_ON;
}

/* Rings are class 0, stars class 1; nodes have no features, so they are told apart by their degrees. */
static mp_err make(mp_data **out)
{
    static int node_ptr[GRAPHS + 1], from[GRAPHS * NODES], to[GRAPHS * NODES], edges;
    static double label[GRAPHS];
    for (int b = 0; b < GRAPHS; b++) {
        int first = node_ptr[b], star = b % 2, n = NODES - b % 3;
        for (int v = 1; v < n; v++, edges++) {
            from[edges] = first + (star ? 0 : v - 1);
            to[edges] = first + v;
        }
        if (!star) {
            from[edges] = first + n - 1;
            to[edges++] = first;
        }
        node_ptr[b + 1] = first + n;
        label[b] = star;
    }
    mp_arrays in = { .name = "rings and stars",
                     .graphs = GRAPHS,
                     .edges = edges,
                     .node_ptr = node_ptr,
                     .from = from,
                     .to = to,
                     .targets = 1,
                     .label = label };
    return mp_data_make(&in, out);
}

static mp_err run(const char *path, mp_data **data, mp_trained **model, mp_predictor **predictor)
{
    static const char *const options[] = { "pool=sag", "preset=mid", "hidden=32", "layers=2", "epochs=30", NULL };
    static const int from[] = { 0, 0, 0, 0 }, to[] = { 1, 2, 3, 4 };
    mp_query star = { .nodes = 5, .edges = 4, .from = from, .to = to };
    mp_watch watch = { .epoch = on_epoch };
    mp_result result;
    mp_explanation why;
    mp_err e;
    if ((e = make(data)) != MP_OK || (e = mp_train(*data, options, &watch, model, &result)) != MP_OK) return e;
    printf("%d epochs; %s of %d test graphs: %.2f\n", result.epochs, result.metric, result.test_graphs,
           result.test_metric);
    if ((e = mp_trained_save(*model, path)) != MP_OK) return e;
    mp_trained_free(*model);
    *model = NULL;
    if ((e = mp_trained_load(path, model)) != MP_OK || (e = mp_predictor_new(*model, predictor)) != MP_OK) return e;
    if ((e = mp_explain(*predictor, &star, &why)) != MP_OK) return e;
    printf("a star of five nodes: class %lld with probability %.3f; the first pooling kept node",
           (long long)why.answer.label, (double)why.answer.value[why.answer.class_index]);
    for (int i = 0; i < why.level[0].keep; i++) printf(" %d", why.level[0].order[i]);
    printf("\n");
    return MP_OK;
}

int main(int argc, char **argv)
{
    mp_data *data = NULL;
    mp_trained *model = NULL;
    mp_predictor *predictor = NULL;
    mp_err e = run(argc > 1 ? argv[1] : "rings.safetensors", &data, &model, &predictor);
    if (e != MP_OK) fprintf(stderr, "train: %s\n", mp_message());
    mp_predictor_free(predictor);
    mp_trained_free(model);
    mp_data_free(data);
    return e == MP_OK ? 0 : 1;
}
