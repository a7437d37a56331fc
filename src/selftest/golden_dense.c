/* golden_dense.c - golden cases of the dense baselines: clusterings, memory, norms, attention blocks.
 *
 * The files of the clusterings hold batches padded to the largest graph. Here each graph is taken on its own
 * nodes; what is compared is padded again with the zeros the reference has there.
 * SPDX-License-Identifier: MIT */
#include "baseline/dense.h"
#include "selftest/golden_run.h"

#include <string.h>

#define MOST (1 << 22) /* numbers in a tensor of three dimensions */

static mp_err begin(mp_case *k)
{
    k->c = (mp_ctx){ .arena = k->step, .k = mp_kernels_get(), .record = true };
    return k->c.k ? MP_OK : mp_fail(MP_ERR_USAGE, "MIDPOOL_ISA: this machine has no such instruction set");
}

/* ---- tensors of three dimensions ---- */

static mp_err shape3(mp_case *k, const char *name, int d[3], const mp_tensor **out)
{
    const mp_tensor *t = mp_case_find(k, "%s", name);
    if (!t) return mp_fail(MP_ERR_INPUT, "tensor %s is missing", name);
    if (t->dims != 3 || t->count == 0 || t->count > MOST)
        return mp_fail(MP_ERR_INPUT, "%s has not three dimensions", name);
    for (int i = 0; i < 3; i++) d[i] = (int)t->shape[i];
    *out = t;
    return MP_OK;
}

static mp_err need3(mp_case *k, const char *name, int d0, int d1, int d2, const mp_tensor **out)
{
    int d[3] = { 0 };
    MP_TRY(shape3(k, name, d, out));
    if (d[0] == d0 && d[1] == d1 && d[2] == d2) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "%s has the shape [%d][%d][%d], expected [%d][%d][%d]", name, d[0], d[1], d[2], d0, d1,
                   d2);
}

/* Rows of graphs to and from a padded batch. */
typedef struct padding {
    const int *ptr;
    int graphs, rows;
} padding;

static void copy_padded(const padding *p, mp_real *ragged, mp_real *padded, int cols, bool pad)
{
    size_t C = (size_t)cols;
    for (int b = 0; b < p->graphs; b++) {
        mp_real *from = ragged + (size_t)p->ptr[b] * C, *to = padded + (size_t)b * (size_t)p->rows * C;
        size_t bytes = (size_t)(p->ptr[b + 1] - p->ptr[b]) * C * sizeof *from;
        memcpy(pad ? to : from, pad ? from : to, bytes);
    }
}

static mp_err read_padded(mp_case *k, const padding *p, const char *name, mp_mat **out)
{
    int d[3];
    const mp_tensor *t;
    MP_TRY(shape3(k, name, d, &t));
    MP_TRY(need3(k, name, p->graphs, p->rows, d[2], &t));
    mp_real *all = MP_NEW_RAW(k->step, mp_real, t->count);
    MP_TRY(mp_tensor_reals(t, all));
    *out = mp_mat_new(&k->c, p->ptr[p->graphs], d[2]);
    copy_padded(p, (*out)->v, all, d[2], false);
    return MP_OK;
}

/* Values (or, with `gradient`, gradients) against a padded tensor. */
static mp_err close_padded(mp_case *k, const padding *p, const char *name, mp_mat *m, bool gradient)
{
    const mp_tensor *t;
    MP_TRY(need3(k, name, p->graphs, p->rows, m->cols, &t));
    mp_real *all = MP_NEW(k->step, mp_real, t->count);
    copy_padded(p, gradient ? mp_grad_zeroed(&k->c, m) : m->v, all, m->cols, true);
    return mp_case_close(k, t, all);
}

static void add_cotangent(mp_case *k, mp_mat *m, const mp_real *cot)
{
    mp_real *g = mp_grad_zeroed(&k->c, m);
    for (size_t i = 0; i < (size_t)m->rows * (size_t)m->cols; i++) g[i] += cot[i];
}

/* A pooled matrix, (B K) x C, against out.NAME [B][K][C]; cot.NAME becomes its gradient. */
static mp_err output3(mp_case *k, const char *name, mp_mat *m, int graphs)
{
    const mp_tensor *t, *cot;
    int K = m->rows / graphs;
    MP_TRY(need3(k, mp_arena_printf(k->arena, "out.%s", name), graphs, K, m->cols, &t));
    MP_TRY(mp_case_close(k, t, m->v));
    MP_TRY(need3(k, mp_arena_printf(k->arena, "cot.%s", name), graphs, K, m->cols, &cot));
    mp_real *add = MP_NEW_RAW(k->step, mp_real, cot->count);
    MP_TRY(mp_tensor_reals(cot, add));
    add_cotangent(k, m, add);
    return MP_OK;
}

/* ---- DiffPool and MinCutPool ---- */

static mp_err read_mask(mp_case *k, padding *p)
{
    int rows, cols;
    const mp_tensor *t;
    const int *mask;
    MP_TRY(mp_case_shape(k, "in.mask", &rows, &cols));
    MP_TRY(mp_case_need(k, "in.mask", rows, cols, &t));
    MP_TRY(mp_case_ints(k, t, &mask));
    int *ptr = MP_NEW(k->step, int, rows + 1);
    for (int b = 0; b < rows; b++, mask += cols) {
        int n = 0;
        while (n < cols && mask[n] == 1) n++;
        for (int i = n; i < cols; i++)
            if (mask[i] != 0) return mp_fail(MP_ERR_INPUT, "in.mask: the nodes of graph %d are not its first rows", b);
        if (n == 0) return mp_fail(MP_ERR_INPUT, "in.mask: graph %d has no nodes", b);
        ptr[b + 1] = ptr[b] + n;
    }
    *p = (padding){ ptr, rows, cols };
    return MP_OK;
}

/* The graph of a dense adjacency of zeros and ones. */
static mp_err read_adjacency(mp_case *k, const padding *p)
{
    const mp_tensor *t;
    MP_TRY(need3(k, "in.adj", p->graphs, p->rows, p->rows, &t));
    mp_real *all = MP_NEW_RAW(k->step, mp_real, t->count);
    MP_TRY(mp_tensor_reals(t, all));
    int *src = MP_NEW(k->step, int, t->count), *dst = MP_NEW(k->step, int, t->count), edges = 0, P = p->rows;
    for (int b = 0; b < p->graphs; b++) {
        int n = p->ptr[b + 1] - p->ptr[b];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                mp_real w = all[((size_t)b * (size_t)P + (size_t)i) * (size_t)P + (size_t)j];
                if (w == 0) continue;
                if (!(w == 1)) return mp_fail(MP_ERR_INPUT, "in.adj has a number that is neither 0 nor 1");
                src[edges] = p->ptr[b] + j;
                dst[edges++] = p->ptr[b] + i;
            }
        }
    }
    return mp_graph_from_edges(k->arena, p->graphs, p->ptr, edges, src, dst, &k->g, NULL);
}

/* PyG's min-cut divides 0 by 0 for a graph without edges, where math.md 5.5 says 0: its loss, a mean over the
 * graphs, and that graph's gradients are not numbers in the file. They are taken as ours; everything else is
 * compared. */
static mp_err close_but_undefined(mp_case *k, const padding *p, const char *name, mp_real *ours, size_t each)
{
    const mp_tensor *t = mp_case_find(k, "%s", name);
    if (!t || t->count != each * (size_t)p->graphs)
        return mp_fail(MP_ERR_INPUT, "%s is missing or of another size", name);
    double *theirs = MP_NEW_RAW(k->step, double, t->count);
    mp_tensor_doubles(t, theirs);
    for (size_t i = 0; i < t->count; i++) {
        int b = (int)(i / each);
        bool edges = k->g.row_ptr[p->ptr[b + 1]] > k->g.row_ptr[p->ptr[b]];
        if (theirs[i] != theirs[i] && !edges) theirs[i] = (double)ours[i];
    }
    mp_tensor known = *t;
    known.dtype = MP_DTYPE_F64;
    known.data = theirs;
    return mp_case_close(k, &known, ours);
}

static mp_err check_cut(mp_case *k, const padding *p, mp_mat *loss)
{
    bool edges = true;
    for (int b = 0; b < p->graphs; b++) edges = edges && k->g.row_ptr[p->ptr[b + 1]] > k->g.row_ptr[p->ptr[b]];
    if (edges) return mp_case_output(k, "loss1", loss);
    const mp_tensor *cot;
    mp_real factor;
    (void)mp_case_find(k, "out.loss1");
    MP_TRY(mp_case_need(k, "cot.loss1", 1, 1, &cot));
    MP_TRY(mp_tensor_reals(cot, &factor));
    mp_grad_zeroed(&k->c, loss)[0] += factor;
    return MP_OK;
}

static mp_err check_assignment_back(mp_case *k, const padding *p, mp_mat *s)
{
    size_t each = (size_t)p->rows * (size_t)s->cols;
    mp_real *all = MP_NEW(k->step, mp_real, each * (size_t)p->graphs);
    copy_padded(p, mp_grad_zeroed(&k->c, s), all, s->cols, true);
    return close_but_undefined(k, p, "grad.s", all, each);
}

mp_err mp_golden_cluster(mp_case *k, const mp_golden_kind *row)
{
    padding p = { 0 };
    mp_mat *x, *s;
    MP_TRY(begin(k));
    MP_TRY(read_mask(k, &p));
    MP_TRY(read_adjacency(k, &p));
    MP_TRY(read_padded(k, &p, "in.x", &x));
    MP_TRY(read_padded(k, &p, "in.s", &s));
    mp_adjacency a = { .sparse = &k->g, .ptr = p.ptr, .graphs = p.graphs };
    mp_pooled out = row->form ? mp_mincut_pool(&k->c, &a, x, s) : mp_diff_pool(&k->c, &k->g, x, s, true, p.rows);
    MP_TRY(output3(k, "x", out.x, p.graphs));
    MP_TRY(output3(k, "adj", out.a, p.graphs));
    MP_TRY(row->form ? check_cut(k, &p, out.loss[0]) : mp_case_output(k, "loss1", out.loss[0]));
    MP_TRY(mp_case_output(k, "loss2", out.loss[1]));
    mp_tape_back(&k->c);
    MP_TRY(close_padded(k, &p, "grad.x", x, true));
    return check_assignment_back(k, &p, s);
}

/* ---- MemPool ---- */

/* in.x and, with `ptr`, in.ptr. */
static mp_err read_rows(mp_case *k, padding *p)
{
    int N, C;
    const mp_tensor *t;
    MP_TRY(mp_case_shape(k, "in.x", &N, &C));
    MP_TRY(mp_case_need(k, "in.x", N, C, &t));
    k->x = mp_mat_new(&k->c, N, C);
    MP_TRY(mp_tensor_reals(t, k->x->v));
    if (!p) return MP_OK;
    const mp_tensor *ptr = mp_case_find(k, "in.ptr");
    if (!ptr || ptr->dims != 1 || ptr->shape[0] < 2 || ptr->shape[0] > N + 1)
        return mp_fail(MP_ERR_INPUT, "in.ptr is missing or is no list of graphs");
    p->graphs = (int)ptr->shape[0] - 1;
    MP_TRY(mp_case_ints(k, ptr, &p->ptr));
    bool ascending = p->ptr[0] == 0 && p->ptr[p->graphs] == N;
    for (int b = 0; b < p->graphs; b++) ascending = ascending && p->ptr[b] < p->ptr[b + 1];
    return ascending ? MP_OK : mp_fail(MP_ERR_INPUT, "in.ptr does not ascend from 0 to the %d rows of in.x", N);
}

static mp_err bind(mp_case *k, mp_params *p, mp_real **grad)
{
    MP_TRY(mp_case_fits(k, p, "w."));
    mp_params_alloc(p);
    MP_TRY(mp_case_weights(k, p));
    *grad = MP_NEW(k->step, mp_real, p->size);
    mp_params_bind(p, &k->c, *grad);
    return MP_OK;
}

/* The assignment, and its cotangent. */
static mp_err check_assignment(mp_case *k, padding *p, mp_mat *s)
{
    int d[3];
    const mp_tensor *t;
    mp_mat *cot;
    MP_TRY(shape3(k, "out.s", d, &t));
    p->rows = d[1];
    for (int b = 0; b < p->graphs; b++)
        if (p->ptr[b + 1] - p->ptr[b] > p->rows) return mp_fail(MP_ERR_INPUT, "out.s has too few rows for graph %d", b);
    MP_TRY(close_padded(k, p, "out.s", s, false));
    MP_TRY(read_padded(k, p, "cot.s", &cot));
    if (cot->cols != s->cols) return mp_fail(MP_ERR_INPUT, "cot.s has not the shape of out.s");
    add_cotangent(k, s, cot->v);
    return MP_OK;
}

mp_err mp_golden_mem(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    padding pad = { 0 };
    int keys[3], out, in;
    const mp_tensor *t;
    mp_real *grad;
    mp_mat *s;
    (void)row;
    MP_TRY(begin(k));
    MP_TRY(read_rows(k, &pad));
    MP_TRY(shape3(k, "w.k", keys, &t));
    MP_TRY(mp_case_shape(k, "w.lin.weight", &out, &in));
    mp_mem l = mp_mem_init(&p, "", k->x->cols, out, keys[0], keys[1]);
    MP_TRY(bind(k, &p, &grad));
    mp_mat *x = mp_mem_run(&l, &k->c, k->x, pad.ptr, pad.graphs, &s);
    MP_TRY(output3(k, "x", x, pad.graphs));
    MP_TRY(check_assignment(k, &pad, s));
    MP_TRY(mp_case_output(k, "kl", mp_kl_loss(&k->c, s, pad.ptr, pad.graphs, false)));
    return mp_case_back(k, &p, grad);
}

/* ---- norms ---- */

static mp_err read_vector(mp_case *k, const char *name, int n, mp_mat **out)
{
    const mp_tensor *t;
    MP_TRY(mp_case_need(k, name, n, 1, &t));
    *out = mp_mat_new(&k->c, 1, n);
    return mp_tensor_reals(t, (*out)->v);
}

/* form 0: LayerNorm, 1: BatchNorm in training. */
mp_err mp_golden_norm(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    const mp_tensor *t;
    mp_real *grad;
    mp_mat *mean = NULL, *var = NULL;
    MP_TRY(begin(k));
    MP_TRY(read_rows(k, NULL));
    int C = k->x->cols, gamma = mp_param_vector(&p, "", "weight", C, MP_INIT_ONE, 0);
    int beta = mp_param_vector(&p, "", "bias", C, MP_INIT_ZERO, 0);
    MP_TRY(bind(k, &p, &grad));
    if (row->form) {
        MP_TRY(read_vector(k, "in.running_mean", C, &mean));
        MP_TRY(read_vector(k, "in.running_var", C, &var));
        k->c.training = true;
    }
    mp_mat *g = mp_use(&k->c, gamma), *b = mp_use(&k->c, beta);
    mp_mat *y = row->form ? mp_batch_norm(&k->c, k->x, g, b, mean, var) : mp_layer_norm(&k->c, k->x, g, b);
    MP_TRY(mp_case_output(k, "x", y));
    if (row->form) {
        MP_TRY(mp_case_need(k, "out.running_mean", C, 1, &t));
        MP_TRY(mp_case_close(k, t, mean->v));
        MP_TRY(mp_case_need(k, "out.running_var", C, 1, &t));
        MP_TRY(mp_case_close(k, t, var->v));
    }
    return mp_case_back(k, &p, grad);
}

/* ---- GMT ---- */

static mp_err read_form(mp_case *k, int width, mp_mab_form *form)
{
    int heads = (int)mp_json_int(k->json, "heads", 1);
    if (heads < 1 || heads > MP_HEADS_MOST || width % heads)
        return mp_fail(MP_ERR_INPUT, "%d heads do not divide %d channels", heads, width);
    *form = (mp_mab_form){ heads, mp_json_flag(k->json, "ln", false), mp_json_flag(k->json, "cluster", true) };
    return MP_OK;
}

/* One pooling by seeds. */
mp_err mp_golden_mab(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    mp_mab_form form;
    mp_real *grad;
    int seeds, width;
    (void)row;
    MP_TRY(mp_case_inputs(k));
    MP_TRY(mp_case_shape(k, "w.S", &seeds, &width));
    MP_TRY(read_form(k, width, &form));
    int s = mp_seeds_init(&p, "", seeds, width);
    mp_mab l = mp_mab_init(&p, "", width, k->x->cols, width, true, form);
    MP_TRY(bind(k, &p, &grad));
    mp_mat *z = mp_mab_run(&l, &k->c, &k->g, mp_use(&k->c, s), NULL, k->x, k->g.node_ptr, k->g.graphs);
    MP_TRY(output3(k, "x", z, k->g.graphs));
    return mp_case_back(k, &p, grad);
}

mp_err mp_golden_gmt(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    mp_mab_form form;
    mp_real *grad;
    int seeds, one, wide, width;
    (void)row;
    MP_TRY(mp_case_inputs(k));
    MP_TRY(mp_case_shape(k, "w.pool_g.S", &seeds, &wide));
    MP_TRY(mp_case_shape(k, "w.pool_i.S", &one, &width));
    MP_TRY(read_form(k, wide, &form));
    MP_TRY(read_form(k, width, &form));
    if (wide != k->x->cols) return mp_fail(MP_ERR_INPUT, "w.pool_g.S is not as wide as in.x");
    mp_gmt_pool l = mp_gmt_pool_init(&p, wide, width, seeds, form);
    MP_TRY(bind(k, &p, &grad));
    MP_TRY(mp_case_output(k, "x", mp_gmt_pool_run(&l, &k->c, &k->g, k->x)));
    return mp_case_back(k, &p, grad);
}
