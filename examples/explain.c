/* explain.c - which nodes a model keeps, at every pooling, by which scores; and the picture of it.
 *
 *     cc explain.c $(pkg-config --cflags --libs midpool) && ./a.out [PICTURE.svg]
 * SPDX-License-Identifier: MIT */
#include <midpool.h>

#include <stdio.h>

enum { GRAPHS = 90, NODES = 9 };

/* Rings of nodes of kind 0; in class 1 three neighbours are of kind 1, in class 0 three that are no neighbours. */
static mp_err make(mp_data **out)
{
    static int node_ptr[GRAPHS + 1], from[GRAPHS * NODES], to[GRAPHS * NODES], kind[GRAPHS * NODES];
    static double label[GRAPHS];
    for (int b = 0; b < GRAPHS; b++) {
        int first = NODES * b, near = b % 2;
        for (int v = 0; v < NODES; v++) {
            from[first + v] = first + v;
            to[first + v] = first + (v + 1) % NODES;
        }
        for (int i = 0; i < 3; i++) kind[first + (b + (near ? i : 3 * i)) % NODES] = 1;
        node_ptr[b + 1] = first + NODES;
        label[b] = near;
    }
    mp_arrays in = { .name = "beads",
                     .graphs = GRAPHS,
                     .edges = GRAPHS * NODES,
                     .node_ptr = node_ptr,
                     .from = from,
                     .to = to,
                     .node_labels = 1,
                     .node_label = kind,
                     .targets = 1,
                     .label = label };
    return mp_data_make(&in, out);
}

static void print_level(const mp_level *l, int number)
{
    printf("pooling %d keeps %d of %d nodes:\n", number, l->keep, l->nodes);
    for (int i = 0; i < l->nodes; i++)
        printf("  node %d  key %8.4f%s\n", l->node[i], l->key[i], l->kept[i] ? "  kept" : "");
}

static mp_err draw(mp_predictor *p, const mp_data *data, int graph, const char *path)
{
    const char *svg;
    mp_err e = mp_explain_svg(p, data, graph, "what pooling kept", &svg);
    if (e != MP_OK) return e;
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(svg, f) >= 0;
    if (f && fclose(f) != 0) ok = false;
    if (!ok) fprintf(stderr, "explain: %s: cannot be written\n", path);
    return ok ? MP_OK : MP_ERR_IO;
}

static mp_err run(const char *path, mp_data **data, mp_trained **model, mp_predictor **predictor)
{
    static const char *const options[] = { "pool=sag", "hidden=32", "layers=2", "epochs=60", "lr=0.01", NULL };
    mp_explanation why;
    mp_err e;
    if ((e = make(data)) != MP_OK || (e = mp_train(*data, options, NULL, model, NULL)) != MP_OK ||
        (e = mp_predictor_new(*model, predictor)) != MP_OK ||
        (e = mp_explain_data(*predictor, *data, 1, &why)) != MP_OK)
        return e;
    printf("graph 1: class %lld with probability %.3f\n", (long long)why.answer.label,
           (double)why.answer.value[why.answer.class_index]);
    for (int i = 0; i < why.levels; i++) print_level(&why.level[i], i + 1);
    return path ? draw(*predictor, *data, 1, path) : MP_OK; /* what `why` points to ends here */
}

int main(int argc, char **argv)
{
    mp_data *data = NULL;
    mp_trained *model = NULL;
    mp_predictor *predictor = NULL;
    mp_err e = run(argc > 1 ? argv[1] : NULL, &data, &model, &predictor);
    if (e != MP_OK && mp_message()[0]) fprintf(stderr, "explain: %s\n", mp_message());
    mp_predictor_free(predictor);
    mp_trained_free(model);
    mp_data_free(data);
    return e == MP_OK ? 0 : 1;
}
