/* op_message.c - messages with attributes of edges: q_e is the row of edge e = (j -> i), E x C.
 *     y_i = s_i ( s_i ReLU(x_i + root) + sum over j in N(i) of s_j ReLU(x_j + q_ij) )      s constants, N, or all 1
 *     m_ij = s_i s_j [x_j + q_ij > 0] dy_i,   dq_ij = m_ij,   dx_j = sum over i of m_ij,   the same for the root
 * SPDX-License-Identifier: MIT */
#include "grad/ops.h"

struct message {
    mp_mat *out, *x, *q, *root;
    const mp_graph *g;
    const mp_real *scale;
};

static mp_links links(const struct message *a)
{
    return (mp_links){ .row_ptr = a->g->row_ptr, .col = a->g->col, .perm = a->g->rev, .s = a->scale, .r = a->scale };
}

static void message_back(void *p, mp_ctx *c)
{
    struct message *a = p;
    if (!a->out->live) return;
    bool add_x = a->x->g && !mp_grad_store(a->x), add_q = a->q->g && !mp_grad_store(a->q);
    mp_real *droot = a->root ? mp_grad_zeroed(a->root) : NULL;
    c->k->message_bwd(a->x->g, a->q->g, droot, a->out->g, a->x->v, a->q->v, a->root ? a->root->v : NULL, links(a),
                      add_x, add_q, a->x->rows, a->x->cols);
}

mp_mat *mp_edge_message(mp_ctx *c, const mp_graph *g, mp_mat *x, mp_mat *q, mp_mat *root, const mp_real *scale)
{
    mp_assert(x->rows == g->nodes && q->rows == g->edges && q->cols == x->cols);
    mp_assert(!root || root->rows * root->cols == x->cols);
    mp_mat *out = mp_mat_new(c, x->rows, x->cols);
    struct message a = { out, x, q, root, g, scale };
    c->k->message_fwd(out->v, x->v, q->v, root ? root->v : NULL, links(&a), x->rows, x->cols);
    MP_RECORD(c, message_back, struct message, out, x, q, root, g, scale);
    return out;
}
