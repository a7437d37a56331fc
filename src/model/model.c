/* model.c - networks from a configuration. What differs between them is a row of a table (math.md 6.1, 6.7).
 * SPDX-License-Identifier: MIT */
#include "model/model.h"
#include "base/guard.h"
#include "baseline/baseline.h"
#include "model/aim.h"
#include "model/options.h"
#include "model/ratios.h"

#include <math.h>
#include <string.h>

/* The network: fields of mp_config itself. */
/* clang-format off */
#define AT(field) offsetof(mp_config, field)
static const mp_opt network_rows[] = {
    { "arch", MP_OPT_CHOICE, AT(arch), "tu", 0, 0, "tu|colors|triangles|autoencoder|autoencoder-literal", "network around the pooling; autoencoders go back to the nodes, which have a row of outputs each" },
    { "conv", MP_OPT_CHOICE, AT(conv), "auto", 0, 0, "auto|gcn|graphconv|gin|sage|gat|cheb|leconv|leconv-pyg|leconv-authors|graphconv-mean|gcn-raw|gcn-noloop|gine|ogb-gcn|ogb-gin|chebygin", "convolution of the network", MP_COMMON },
    { "encoder", MP_OPT_CHOICE, AT(encoder), "none", 0, 0, "none|embed", "before the first layer: a learned row for each value of each feature column, summed" },
    { "hidden", MP_OPT_INT, AT(hidden), "128", 1, 4096, NULL, "channels", MP_COMMON },
    { "layers", MP_OPT_INT, AT(layers), "3", 1, 16, NULL, "blocks of convolution and pooling", MP_COMMON },
    { "dropout", MP_OPT_REAL, AT(dropout), "0.5", 0, 0.999, NULL, "dropout of the head", MP_COMMON },
    { "readout", MP_OPT_CHOICE, AT(readout), "auto", 0, 0, "auto|max|mean|sum|max+mean", "what of all nodes goes to the head; auto: as the arch has it" },
    { "edge-attributes", MP_OPT_CHOICE, AT(edge_attributes), "use", 0, 0, "use|ignore", "labels and attributes of edges, for convolutions that take them" },
    { 0 }
};
#undef AT
/* clang-format on */
const mp_option_set mp_network_options = { network_rows, 0, NULL, "network" };

typedef struct arch {
    const mp_conv_kind *conv; /* unless --conv says otherwise                        */
    int blocks;               /* 0: as many as --layers                              */
    bool pool_last;           /* the last block pools too                            */
    bool read_each;           /* every block is read out and the readouts are summed */
    mp_read_kind read;
    bool deep_head; /* Linear, ReLU, dropout, Linear, ReLU, Linear; else one Linear */
    bool nodes;     /* outputs are the rows of the last block, which has no ReLU: no readout, no head */
    int down, up;   /* nodes: the one block that pools, and the one whose rows go back to the nodes before it */
} arch;

static const arch archs[] = {
    [MP_ARCH_TU] = { .conv = &mp_conv_gcn,
                     .pool_last = true,
                     .read_each = true,
                     .read = MP_READ_MAXMEAN,
                     .deep_head = true },
    [MP_ARCH_COLORS] = { .conv = &mp_conv_gin, .blocks = 2, .read = MP_READ_SUM },
    [MP_ARCH_TRIANGLES] = { .conv = &mp_conv_gin, .blocks = 3, .read = MP_READ_MAX },
    [MP_ARCH_AUTOENCODER] = { .conv = &mp_conv_gcn, .blocks = 5, .nodes = true, .down = 1, .up = 1 },
    [MP_ARCH_AUTOENCODER_LITERAL] = { .conv = &mp_conv_gcn, .blocks = 5, .nodes = true, .down = 1, .up = 3 },
};

struct mp_model {
    mp_config conf;
    mp_params params;
    const mp_baseline *baseline; /* NULL: the network below; else the baseline's own */
    void *baseline_state;
    const arch *arch;
    mp_inputs in;
    mp_read_kind read;
    mp_lin encoder; /* with --encoder embed */
    int blocks;
    mp_goal goal;
    mp_conv conv[MP_LEVELS];
    mp_pool *pool[MP_LEVELS]; /* NULL: this block does not pool */
    mp_lin head[3];
    int heads;
};

static const char *nearest_method(const char *name)
{
    const char *names[64];
    int n = 0;
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) names[n++] = o->name;
    for (const mp_baseline *b = mp_baselines(); b->name; b++) names[n++] = b->name;
    names[n] = NULL;
    return mp_nearest(name, names);
}

void mp_config_resolve(mp_config *c, const mp_graph *all)
{
    const mp_baseline *b = mp_baseline_find(c->pool);
    if (b && b->resolve) b->resolve(c, all);
    if (!b || !b->needs_clusters || c->clusters > 0 || all->graphs == 0) return;
    c->clusters = (int)ceil(c->ratio * all->nodes / all->graphs - 1e-9);
    if (c->clusters < 1) c->clusters = 1;
}

mp_err mp_config_prepare(const mp_config *c, const mp_prepare *how, mp_arena *a, mp_graph *all)
{
    const mp_baseline *b = mp_baseline_find(c->pool);
    return b && b->prepare ? b->prepare(c, how, a, all) : MP_OK;
}

const mp_method_preset *mp_config_presets(const char *pool)
{
    const mp_pool_op *op = mp_pool_find(pool);
    const mp_baseline *b = mp_baseline_find(pool);
    return op ? op->presets : b ? b->presets : NULL;
}

mp_err mp_config_check(mp_config *c)
{
    const mp_pool_op *op = mp_pool_find(c->pool);
    const mp_baseline *b = mp_baseline_find(c->pool);
    if (!op && !b) {
        const char *near = nearest_method(c->pool);
        return mp_fail(MP_ERR_USAGE, "pool: no operator '%s'%s%s%s", c->pool, near ? "; did you mean '" : "",
                       near ? near : "", near ? "'?" : " (midpool ops lists them)");
    }
    strcpy(c->pool, op ? op->name : b->name); /* one spelling everywhere */
    if (b && b->check) MP_TRY(b->check(c));
    if (mp_config_uses(c, "ratios") == MP_USED) MP_TRY(mp_ratios_check(c));
    if (c->min_score > 0 && mp_config_uses(c, "min-score") != MP_USED)
        return mp_unused(c, "min-score", NULL, "min-score");
    if (c->min_score > 0 && (c->gate == MP_GATE_TANH || c->gate == MP_GATE_SIGMOID))
        return mp_fail(MP_ERR_USAGE,
                       "gate: with min-score rows are scaled by the softmax score itself; leave gate out");
    return MP_OK;
}

bool mp_config_of_nodes(const mp_config *c)
{
    return !mp_baseline_find(c->pool) && archs[c->arch].nodes;
}

mp_err mp_config_fits(const mp_config *c, const mp_task *t)
{
    if (mp_config_of_nodes(c) == t->nodes) return MP_OK;
    if (t->nodes)
        return mp_fail(MP_ERR_USAGE, "task: %s is about nodes; its outputs are those of --arch autoencoder", t->name);
    return mp_fail(MP_ERR_USAGE, "arch: an autoencoder has outputs for nodes, and task %s is about graphs", t->name);
}

/* The convolution of the network; NULL: the method has its own. */
static const mp_conv_kind *conv_of(const mp_config *conf)
{
    if (!mp_baseline_find(conf->pool)) return mp_conv_chosen(conf, "conv", archs[conf->arch].conv);
    return mp_config_uses(conf, "conv") == MP_USED ? mp_conv_chosen(conf, "conv", &mp_conv_gcn) : NULL;
}

bool mp_config_uses_edges(const mp_config *c)
{
    const mp_conv_kind *kind = conv_of(c);
    return kind && kind->edge_x;
}

static void init_head(mp_model *m, int in)
{
    int c = m->conf.hidden, half = c / 2 > 0 ? c / 2 : 1;
    if (m->arch->deep_head) {
        m->head[0] = mp_lin_init(&m->params, "", "lin1", in, c, true);
        m->head[1] = mp_lin_init(&m->params, "", "lin2", c, half, true);
        m->head[2] = mp_lin_init(&m->params, "", "lin3", half, m->in.outputs, true);
        m->heads = 3;
    } else {
        m->head[0] = mp_lin_init(&m->params, "", "lin1", in, m->in.outputs, true);
        m->heads = 1;
    }
}

/* Columns that the first layer meets. */
static int init_encoder(mp_model *m)
{
    if (m->conf.encoder == MP_ENCODER_NONE) return m->in.features;
    m->encoder = mp_embed_init(&m->params, "", "encoder", m->in.features, m->conf.hidden, &m->in.tables);
    return m->conf.hidden;
}

static mp_err init_baseline(mp_model *m, mp_arena *a)
{
    if (m->baseline->needs_clusters && m->conf.clusters == 0)
        return mp_fail(MP_ERR_USAGE, "%s needs --clusters", m->baseline->name);
    mp_net_setup s = { .conf = &m->conf,
                       .params = &m->params,
                       .features = init_encoder(m),
                       .edge_features = m->in.edge_features,
                       .outputs = m->in.outputs,
                       .edge_tables = &m->in.edge_tables };
    m->baseline_state = mp_arena_zero(a, 1, m->baseline->size);
    m->baseline->init(m->baseline_state, &s);
    return MP_OK;
}

static bool pools(const mp_model *m, int l)
{
    return m->arch->nodes ? l == m->arch->down : m->arch->pool_last || l < m->blocks - 1;
}

/* Whether the nodes of block l are back to those that came in. */
static bool lifts(const mp_model *m, int l)
{
    return m->arch->nodes && l == m->arch->up;
}

static mp_read_kind read_of(const mp_config *c)
{
    enum { AUTO, MAX, MEAN, SUM, MAXMEAN };
    static const mp_read_kind asked[] = {
        [MAX] = MP_READ_MAX, [MEAN] = MP_READ_MEAN, [SUM] = MP_READ_SUM, [MAXMEAN] = MP_READ_MAXMEAN
    };
    return c->readout == AUTO ? archs[c->arch].read : asked[c->readout];
}

/* Width of the features that the scores of a pooling read. */
static int seen_by(const mp_config *c, int input, int previous, int current)
{
    const int width[] = { [MP_FROM_CURRENT] = current, [MP_FROM_INPUT] = input, [MP_FROM_PREVIOUS] = previous };
    return width[c->score_from];
}

/* The configuration with the ratio of this pooling. */
static const mp_config *conf_of_pooling(const mp_model *m, int pooling, mp_arena *a)
{
    mp_config *own = MP_NEW_RAW(a, mp_config, 1);
    *own = m->conf;
    own->ratio = mp_ratio_of(&m->conf, pooling);
    return own;
}

static mp_err init_blocks(mp_model *m, mp_arena *a)
{
    const mp_pool_op *op = mp_pool_find(m->conf.pool);
    m->arch = &archs[m->conf.arch];
    m->blocks = m->arch->blocks ? m->arch->blocks : m->conf.layers;
    const mp_conv_kind *usual = conv_of(&m->conf);
    int width = init_encoder(m), input = width, poolings = 0;
    m->read = read_of(&m->conf);
    for (int l = 0; l < m->blocks; l++) {
        int previous = width;
        const char *number = mp_arena_printf(a, "%d", l);
        bool pooled = l && m->pool[l - 1] && !lifts(m, l - 1), last = l == m->blocks - 1;
        const mp_conv_kind *kind = pooled ? mp_pool_next_conv(m->pool[l - 1], usual) : usual;
        int out = m->arch->nodes && last ? m->in.outputs : m->conf.hidden;
        m->conv[l] = mp_conv_new(kind, &(mp_conv_setup){ .conf = &m->conf,
                                                         .params = &m->params,
                                                         .prefix = mp_param_under(&m->params, "convs", number),
                                                         .in = width,
                                                         .out = out,
                                                         .edge_in = m->in.edge_features,
                                                         .edge_tables = &m->in.edge_tables });
        width = out;
        if (!pools(m, l)) continue;
        m->pool[l] = mp_pool_new_seeing(a, op, conf_of_pooling(m, poolings++, a), &m->params,
                                        mp_param_under(&m->params, "pools", number), width,
                                        seen_by(&m->conf, input, previous, width));
        if (last || lifts(m, l)) mp_pool_ends(m->pool[l]);
        width = mp_pool_width(m->pool[l]);
    }
    if (!m->arch->nodes) init_head(m, m->read == MP_READ_MAXMEAN ? 2 * width : width);
    return MP_OK;
}

static mp_err claim(void *arg)
{
    mp_model *m = arg;
    return m->baseline ? init_baseline(m, m->params.arena) : init_blocks(m, m->params.arena);
}

mp_err mp_model_plan(mp_arena *a, const mp_config *config, mp_inputs in, mp_model **out)
{
    mp_model *m = MP_NEW(a, mp_model, 1);
    m->conf = *config;
    MP_TRY(mp_config_check(&m->conf));
    if (in.features < 1 || in.outputs < 1)
        return mp_fail(MP_ERR_INPUT, "a model needs at least one input column and one output, got %d and %d",
                       in.features, in.outputs);
    bool edges = mp_config_uses_edges(&m->conf);
    if (edges && in.edge_features < 1)
        return mp_fail(MP_ERR_USAGE, "conv: %s needs attributes of edges, and there are none", conv_of(&m->conf)->name);
    if (!edges) in.edge_features = 0;
    m->in = in;
    m->goal = mp_goal_plain(in.outputs, mp_config_of_nodes(&m->conf));
    m->params.arena = a;
    m->baseline = mp_baseline_find(m->conf.pool);
    *out = m;
    return mp_guarded(claim, m); /* more weights than can be counted are a failure like others */
}

mp_err mp_model_new(mp_arena *a, const mp_config *config, mp_inputs in, mp_model **out)
{
    MP_TRY(mp_model_plan(a, config, in, out));
    mp_params_alloc(mp_model_params(*out));
    return MP_OK;
}

static mp_mat *run_head(const mp_model *m, mp_ctx *c, mp_mat *r)
{
    for (int i = 0; i < m->heads; i++) {
        bool last = i == m->heads - 1;
        r = mp_lin_run(&m->head[i], c, MP_DENSE(r), !last);
        if (i == 0 && !last) r = mp_dropout(c, r, m->conf.dropout);
    }
    return r;
}

static mp_pooling *run_pool(const mp_pool *pool, mp_ctx *c, const mp_graph *g, mp_mat *x, mp_input seen,
                            const mp_pooling *before)
{
    mp_pooling *p = MP_NEW(c->arena, mp_pooling, 1);
    p->before = before;
    p->seen = seen;
    p->g = g;
    p->x = x;
    mp_pool_run(pool, c, p);
    return p;
}

/* What a mean over some of a batch adds to the mean over all of it. */
static mp_mat *part_of(mp_ctx *c, mp_mat *mean, int64_t some, int64_t all)
{
    return mp_mix(c, (mp_real)some / (mp_real)all, mean, 0, NULL);
}

static int poolings(const mp_model *m)
{
    int n = 0;
    for (int l = 0; l < m->blocks; l++) n += m->pool[l] != NULL;
    return n;
}

static mp_mat *plus(mp_ctx *c, mp_mat *sum, double weight, mp_mat *loss)
{
    return sum ? mp_mix(c, 1, sum, (mp_real)weight, loss) : mp_mix(c, (mp_real)weight, loss, 0, NULL);
}

/* Auxiliary losses are averaged over the poolings. */
static mp_mat *add_loss(const mp_model *m, mp_ctx *c, mp_mat *sum, int level, const mp_pooling *p)
{
    const mp_pool *pool = m->pool[level];
    bool nodes = pool->op->loss_over == MP_OVER_NODES;
    mp_mat *loss = p->loss;
    if (c->whole)
        loss = nodes ? part_of(c, loss, p->g->nodes, c->whole->nodes[level])
                     : part_of(c, loss, p->g->graphs, c->whole->graphs);
    return plus(c, sum, mp_pool_loss_weight(pool) / poolings(m), loss);
}

/* Nodes of one kind have one row. */
static mp_input encode(const mp_model *m, mp_ctx *c, mp_input in)
{
    mp_input out = { 0 };
    if (m->conf.encoder == MP_ENCODER_NONE) return in;
    if (in.dense) return MP_DENSE(mp_lin_run(&m->encoder, c, in, false));
    out.nodes = in.sparse->rows;
    mp_sparse kinds = mp_sparse_distinct(c->arena, in.sparse, NULL, out.nodes, &out.of);
    out.dense = mp_lin_run(&m->encoder, c, (mp_input){ .sparse = &kinds }, false);
    return out;
}

static mp_mat *run_baseline(const mp_model *m, mp_ctx *c, const mp_graph *g, mp_input in, mp_mat **aux)
{
    mp_mat *loss = NULL, *y = m->baseline->run(m->baseline_state, c, g, in, &loss);
    if (loss && c->whole) loss = part_of(c, loss, g->graphs, c->whole->graphs);
    if (aux) *aux = loss;
    return y;
}

mp_mat *mp_model_forward(const mp_model *m, mp_ctx *c, const mp_graph *g, const mp_sparse *x, mp_mat *dense,
                         mp_trail *trail, mp_mat **aux)
{
    mp_input in = encode(m, c, (mp_input){ .dense = dense, .sparse = x });
    mp_mat *r = NULL, *now = NULL;
    const mp_pooling *last = NULL;
    const mp_graph *intact = g; /* what the last pooling met, before it lost edges */
    mp_input first = in;        /* of the nodes that are left */
    const mp_real *aim = c->training && aux && mp_config_aims(&m->conf) ? g->aim : NULL; /* the same */
    bool bare = false; /* only the next convolution needs the values of `now` again */
    if (trail) trail->levels = 0;
    if (aux) *aux = NULL;
    if (m->baseline) return run_baseline(m, c, g, in, aux);
    for (int l = 0; l < m->blocks; l++) {
        mp_mat *before = bare && m->conv[l].kind->reads_once ? now : NULL;
        now = mp_conv_run(&m->conv[l], c, g, in, !(m->arch->nodes && l == m->blocks - 1));
        bool again = m->pool[l] && m->conf.score_from == MP_FROM_PREVIOUS; /* scores read it too */
        if (before && !again) mp_mat_spent(c, before);
        bare = false;
        if (m->pool[l]) {
            intact = g;
            const mp_input seen[] = { [MP_FROM_INPUT] = first, [MP_FROM_PREVIOUS] = in };
            mp_pooling *p = run_pool(m->pool[l], c, g, now, seen[m->conf.score_from], last);
            if (m->conf.score_from == MP_FROM_INPUT) first = mp_input_rows(c, first, p->keep, p->keep_ptr[g->graphs]);
            last = p;
            now = p->out_x;
            g = p->out_g;
            bare = p->bare;
            if (trail) trail->level[trail->levels++] = p;
            if (aux && p->loss) *aux = add_loss(m, c, *aux, l, p);
            if (aim) {
                *aux = plus(c, *aux, 1.0 / poolings(m), mp_aim_loss(&m->conf, c, p, aim));
                aim = mp_aim_left(c, p, aim);
            }
        }
        if (lifts(m, l)) {
            now = mp_pool_lift(last, c, now);
            g = intact;
            bare = false;
        }
        if (!m->arch->nodes && (m->arch->read_each || l == m->blocks - 1)) {
            mp_mat *read = mp_readout(c, now, g->node_ptr, g->graphs, m->read);
            r = r ? mp_mix(c, 1, r, 1, read) : read;
        }
        in = MP_DENSE(now);
    }
    return m->arch->nodes ? now : run_head(m, c, r);
}

mp_err mp_model_accepts(const mp_model *m, const mp_graph *g)
{
    int has = g->edge_x ? g->edge_x->cols : 0;
    if (m->in.edge_features == 0 || m->in.edge_features == has) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "the model reads %d columns of attributes of edges, and the graphs have %d",
                   m->in.edge_features, has);
}

void mp_model_meets(const mp_model *m, int n, int64_t *nodes)
{
    for (int l = 0; l < m->blocks; l++) {
        if (!m->pool[l]) continue;
        const mp_selector *s = m->pool[l]->selector;
        nodes[l] += n;
        if (!s->count) return; /* nobody asks for what comes after */
        n = s->count(m->pool[l]->conf, n);
    }
}

bool mp_model_sums_only(const mp_model *m)
{
    if (m->baseline) return false;
    for (int l = 0; l < m->blocks; l++)
        if (!m->conv[l].kind->sums_only || (m->pool[l] && !mp_pool_sums_only(m->pool[l]))) return false;
    return true;
}

const char *mp_model_needs_sight(const mp_model *m)
{
    if (m->baseline && !m->baseline->unseen) return m->baseline->name;
    if (m->conf.score_from != MP_FROM_CURRENT) return "score-from";
    if (mp_config_aims(&m->conf)) return "attention-loss";
    const mp_conv_kind *trunk = m->baseline ? conv_of(&m->conf) : NULL;
    if (trunk && !trunk->unseen) return trunk->name;
    for (int l = 0; l < m->blocks; l++) {
        if (!m->conv[l].kind->unseen) return m->conv[l].kind->name;
        if (m->pool[l] && m->arch->nodes && m->pool[l]->coarsener->lift != MP_LIFT_ROWS) return m->goal.task->name;
        if (m->pool[l] && !mp_pool_unseen(m->pool[l])) return m->pool[l]->op->title;
    }
    return NULL;
}

bool mp_model_whole_batch(const mp_model *m)
{
    const mp_conv_kind *kind = conv_of(&m->conf);
    return (kind && kind->whole_batch) || (m->baseline && m->baseline->whole_batch);
}

bool mp_model_aux_apart(const mp_model *m)
{
    return m->baseline && m->baseline->aux_apart;
}

mp_params *mp_model_params(mp_model *m)
{
    return &m->params;
}

const mp_config *mp_model_config(const mp_model *m)
{
    return &m->conf;
}

int mp_model_features(const mp_model *m)
{
    return m->in.features;
}

int mp_model_edge_features(const mp_model *m)
{
    return m->in.edge_features;
}

int mp_model_outputs(const mp_model *m)
{
    return m->in.outputs;
}

const mp_goal *mp_model_goal(const mp_model *m)
{
    return &m->goal;
}

void mp_model_aim(mp_model *m, const mp_goal *goal)
{
    mp_assert(mp_goal_outputs(goal) == m->in.outputs && goal->task->nodes == mp_config_of_nodes(&m->conf));
    m->goal = *goal;
}
