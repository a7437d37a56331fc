/* own_format.c - a data format of one's own: graphs as words, a line each.
 *
 *     1 0-1 1-2 2-0          class, then edges; nodes are 0 to the largest number
 *
 *     cc own_format.c $(pkg-config --cflags --libs midpool) && ./a.out
 * SPDX-License-Identifier: MIT */
#include <midpool/operator.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const ends[] = { ".words", NULL };

static bool probe(const char *path, bool folder, mp_span head)
{
    size_t n = strlen(path), m = strlen(ends[0]);
    (void)head;
    return !folder && n > m && strcmp(path + n - m, ends[0]) == 0;
}

typedef struct lists { /* of all graphs, each with room for the most that the bytes of the file can hold */
    int graphs, nodes, edges;
    int *node_ptr, *from, *to;
    int64_t *label;
} lists;

static mp_err read_edge(mp_span word, const char *path, int line, lists *l, int *most)
{
    const char *dash = memchr(word.p, '-', word.n);
    size_t n = dash ? (size_t)(dash - word.p) : 0;
    int64_t u, v;
    if (!dash || !mp_to_int((mp_span){ word.p, n }, &u) || !mp_to_int((mp_span){ dash + 1, word.n - n - 1 }, &v) ||
        u < 0 || v < 0 || u > 1000000 || v > 1000000)
        return mp_fail(MP_ERR_INPUT, "%s:%d: expected an edge such as 0-1, got '%.*s'", path, line, (int)word.n,
                       word.p);
    l->from[l->edges] = l->nodes + (int)u;
    l->to[l->edges++] = l->nodes + (int)v;
    if (u > *most) *most = (int)u;
    if (v > *most) *most = (int)v;
    return MP_OK;
}

static mp_err read_line(mp_span text, const char *path, lists *l)
{
    mp_span word;
    int line = l->graphs + 1, most = 0;
    if (!mp_next_field(&text, ' ', &word) || !mp_to_int(word, &l->label[l->graphs]))
        return mp_fail(MP_ERR_INPUT, "%s:%d: expected a class", path, line);
    while (mp_next_field(&text, ' ', &word))
        if (word.n) MP_TRY(read_edge(word, path, line, l, &most));
    l->nodes = mp_count((int64_t)l->nodes + most + 1, "nodes");
    l->node_ptr[++l->graphs] = l->nodes;
    return MP_OK;
}

static mp_err read_words(const mp_data_input *in, mp_arena *a, mp_raw *out)
{
    mp_span text, line;
    MP_TRY(mp_slurp(in->path, 1 << 28, a, &text));
    lists l = { .node_ptr = MP_NEW(a, int, text.n + 2),
                .from = MP_NEW(a, int, text.n),
                .to = MP_NEW(a, int, text.n),
                .label = MP_NEW(a, int64_t, text.n + 1) };
    while (mp_next_line(&text, &line)) MP_TRY(read_line(line, in->path, &l));
    mp_query all = { .nodes = l.nodes, .edges = l.edges, .from = l.from, .to = l.to };
    MP_TRY(mp_query_check(NULL, &all));
    *out = (mp_raw){ .name = "words", .graph_label = l.label };
    mp_query_graph(&all, a, &out->graphs); /* as if all were one graph ... */
    out->graphs.graphs = l.graphs;         /* ... which no edge can tell */
    out->graphs.node_ptr = l.node_ptr;
    return MP_OK;
}

static const mp_data_format row = {
    .name = "words", .title = "a line of words a graph", .ends = ends, .probe = probe, .read = read_words
};

/* ---- a file of rings and paths, and a model of it ---- */

static mp_err write_some(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) return mp_fail(MP_ERR_IO, "%s: cannot be written", path);
    for (int b = 0; b < 80; b++) {
        int n = 4 + b % 5, ring = b % 2;
        fprintf(f, "%d", ring);
        for (int v = 0; v + !ring < n; v++) fprintf(f, " %d-%d", v, (v + 1) % n);
        fprintf(f, "\n");
    }
    return fclose(f) == 0 ? MP_OK : mp_fail(MP_ERR_IO, "%s: cannot be written", path);
}

static mp_err try_it(const char *path, mp_data **data, mp_trained **model)
{
    static const char *const options[] = { "pool=topk", "hidden=16", "layers=2", "epochs=15", "lr=0.01", NULL };
    mp_data_info info;
    mp_result r;
    MP_TRY(mp_format_add(&row));
    MP_TRY(write_some(path));
    MP_TRY(mp_data_load(path, NULL, data));
    mp_data_about(*data, &info);
    printf("%s: %d graphs, %d nodes, %d edges\n", path, info.graphs, info.nodes, info.edges);
    MP_TRY(mp_train(*data, options, NULL, model, &r));
    printf("training loss %.4f, test accuracy %.1f %%\n", r.train_loss, 100 * r.test_metric);
    return MP_OK;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "./rings.words";
    mp_data *data = NULL;
    mp_trained *model = NULL;
    mp_err e = try_it(path, &data, &model);
    if (e != MP_OK) fprintf(stderr, "own_format: %s\n", mp_message());
    mp_trained_free(model);
    mp_data_free(data);
    if (argc < 2) unlink(path);
    return e == MP_OK ? 0 : 1;
}
