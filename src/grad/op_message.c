/* op_message.c - messages with attributes of edges: q_e is the row of edge e = (j -> i).
 *     y_i = s_i ( s_i ReLU(x_i + root) + sum over j in N(i) of s_j ReLU(x_j + q_ij) )      s constants, N, or all 1
 *     m_ij = s_i s_j [x_j + q_ij > 0] dy_i,   dq_ij = m_ij,   dx_j = sum over i of m_ij,   the same for the root
 * ReLU of y if asked. Where nodes or edges share a row, its gradient is the sum over them.
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"
#include "grad/product.h"

struct message {
    mp_mat *out;
    mp_shared x, q;
    mp_mat *root;
    const mp_graph *g;
    const mp_real *scale;
    bool relu;
};

static mp_messages messages(const struct message *a)
{
    return (mp_messages){ a->g->row_ptr, a->g->col, a->g->rev, a->x.of, a->q.of, a->scale };
}

/* Rows of Y, X and Q that are read or written. */
static void count_moved(mp_ctx *c, const struct message *a, int times)
{
    c->moved += ((double)a->g->nodes + 2.0 * a->g->edges) * times * a->out->cols * (double)sizeof(mp_real);
}

static void message_back(void *p, mp_ctx *c)
{
    struct message *a = p;
    if (!a->out->live) return;
    mp_bias_back(c, a->out, NULL, a->relu);
    mp_real *dx = a->x.rows->g ? mp_grad_zeroed(c, a->x.rows) : NULL,
            *dq = a->q.rows->g ? mp_grad_zeroed(c, a->q.rows) : NULL;
    mp_real *droot = a->root ? mp_grad_zeroed(c, a->root) : NULL;
    c->k->message_bwd(dx, dq, droot, a->out->g, a->x.rows->v, a->q.rows->v, a->root ? a->root->v : NULL, messages(a),
                      a->g->nodes, a->out->cols);
    count_moved(c, a, 2);
}

mp_mat *mp_edge_message(mp_ctx *c, const mp_graph *g, mp_shared x, mp_shared q, mp_mat *root, const mp_real *scale,
                        bool relu)
{
    mp_assert((x.of || x.rows->rows == g->nodes) && (q.of || q.rows->rows == g->edges) && q.rows->cols == x.rows->cols);
    mp_assert(!root || root->rows * root->cols == x.rows->cols);
    mp_mat *out = mp_mat_new(c, g->nodes, x.rows->cols);
    struct message a = { out, x, q, root, g, scale, relu };
    c->k->message_fwd(out->v, x.rows->v, q.rows->v, root ? root->v : NULL, messages(&a), relu, g->nodes, out->cols);
    count_moved(c, &a, 1);
    MP_RECORD(c, message_back, struct message, out, x, q, root, g, scale, relu);
    return out;
}
