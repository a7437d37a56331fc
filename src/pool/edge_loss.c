/* edge_loss.c - edges that go missing at the entrance of a pooling (math.md 3.13).
 *
 *     A' = A without floor(rate m) of the m undirected edges of each graph, drawn uniformly
 *
 * The pooling scores and coarsens A'; the convolution before it saw A. What a graph loses is drawn from a stream named by the
 * seed, the epoch (0 outside of training), the graph's own nodes and edges when it came in, and the number of the pooling:
 * neither the batch nor the collection, the order or the threads have a say, and an evaluation repeats itself.
 * SPDX-License-Identifier: MIT */
#include "graph/thin.h"
#include "pool/pool.h"

enum { IN_ALWAYS, IN_TEST };
typedef struct loss_options {
    double rate;
    int in;
} loss_options;
/* clang-format off */
static const mp_opt loss_rows[] = {
    { "edge-loss", MP_OPT_REAL, offsetof(loss_options, rate), "0", 0, 0.9, NULL, "share of each graph's edges that are removed at the entrance of every pooling" },
    { "edge-loss-in", MP_OPT_CHOICE, offsetof(loss_options, in), "always", 0, 0, "always|test", "edge-loss: in training and evaluation, or only where a trained model is tested or used" },
    { 0 }
};
/* clang-format on */
static size_t loss_place;
const mp_option_set mp_edge_loss_options = { loss_rows, sizeof(loss_options), &loss_place, "pooling" };

bool mp_loses_edges(const mp_config *conf)
{
    return MP_OWN(conf, mp_edge_loss_options, loss_options)->rate > 0;
}

/* Names of the graphs as they came into the network. */
static const uint64_t *names_of(mp_ctx *c, const mp_pooling *p)
{
    if (p->before && p->before->names) return p->before->names;
    uint64_t *name = MP_NEW_RAW(c->arena, uint64_t, p->g->graphs);
    mp_graph_names(p->g, name);
    return name;
}

void mp_lose_edges(const mp_pool *pool, mp_ctx *c, mp_pooling *p)
{
    const loss_options *o = MP_OWN(pool->conf, mp_edge_loss_options, loss_options);
    if (o->rate <= 0 || (o->in == IN_TEST && (c->training || c->validating))) return;
    uint64_t level = 0, epoch = c->training ? c->epoch : 0;
    for (const mp_pooling *q = p->before; q; q = q->before) level++;
    p->names = names_of(c, p);
    mp_rng *stream = MP_NEW_RAW(c->arena, mp_rng, p->g->graphs);
    for (int b = 0; b < p->g->graphs; b++)
        stream[b] = mp_rng_stream((uint64_t)pool->conf->seed, MP_FOR_EDGES, epoch, p->names[b], level);
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    const int *edge_of;
    mp_thin(c->arena, p->g, o->rate, stream, out, &edge_of);
    out->w = mp_edge_take(c, p->g->w, edge_of, out->edges);
    p->g = out;
}
