/* golden_case.c - see golden_case.h.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden_case.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_COLUMNS 65536 /* times the most score columns, 256, it fits an int */
#define MOST_ROWS    (1 << 26)

/* ---- tensors ---- */

static bool has_prefix(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static const mp_tensor *take(mp_case *k, const char *name)
{
    const mp_tensor *t = mp_safetensors_find(&k->file, name);
    if (t) k->used[t - k->file.tensor] = true;
    return t;
}

const mp_tensor *mp_case_find(mp_case *k, const char *fmt, ...)
{
    char name[256];
    va_list args;
    va_start(args, fmt);
    mp_vformat(name, sizeof name, fmt, args);
    va_end(args);
    return take(k, name);
}

static const char *shape_text(mp_case *k, const mp_tensor *t)
{
    const char *s = "";
    for (int i = 0; i < t->dims; i++) s = mp_arena_printf(k->arena, "%s[%lld]", s, (long long)t->shape[i]);
    return *s ? s : "[]";
}

static mp_err missing(const char *name)
{
    return mp_fail(MP_ERR_INPUT, "tensor %s is missing", name);
}

mp_err mp_case_need(mp_case *k, const char *name, int rows, int cols, const mp_tensor **out)
{
    const mp_tensor *t = take(k, name);
    if (!t) return missing(name);
    bool fits = t->dims == 2   ? t->shape[0] == rows && t->shape[1] == cols
                : t->dims == 1 ? t->shape[0] == rows && cols == 1
                               : t->dims == 0 && rows == 1 && cols == 1;
    if (!fits)
        return mp_fail(MP_ERR_INPUT, "%s has the shape %s, expected [%d][%d]", name, shape_text(k, t), rows, cols);
    *out = t;
    return MP_OK;
}

mp_err mp_case_shape(mp_case *k, const char *name, int *rows, int *cols)
{
    const mp_tensor *t = take(k, name);
    if (!t) return missing(name);
    if (t->dims != 2 || t->shape[0] < 1 || t->shape[1] < 1 || t->shape[0] > MOST_ROWS || t->shape[1] > MOST_COLUMNS)
        return mp_fail(MP_ERR_INPUT, "%s has the shape %s, expected rows and columns", name, shape_text(k, t));
    *rows = (int)t->shape[0];
    *cols = (int)t->shape[1];
    return MP_OK;
}

mp_err mp_case_ints(mp_case *k, const mp_tensor *t, const int **out)
{
    int *v = MP_NEW(k->arena, int, t->count + 1);
    *out = v;
    return mp_tensor_ints(t, v);
}

/* ---- opening ---- */

static double largest(const mp_case *k, const char *prefix)
{
    double most = 0;
    for (int i = 0; i < k->file.tensors; i++) {
        const mp_tensor *t = &k->file.tensor[i];
        if (!has_prefix(t->name, prefix) || (t->dtype != MP_DTYPE_F32 && t->dtype != MP_DTYPE_F64)) continue;
        double *v = MP_NEW_RAW(k->step, double, t->count);
        mp_tensor_doubles(t, v);
        for (size_t j = 0; j < t->count; j++)
            if (fabs(v[j]) > most) most = fabs(v[j]);
    }
    return most;
}

mp_err mp_case_open(mp_case *k, mp_span bytes, const char *file)
{
    MP_TRY(mp_safetensors_parse(bytes, file, k->arena, &k->file));
    k->used = MP_NEW(k->arena, bool, k->file.tensors + 1);
    const char *text = mp_safetensors_meta(&k->file, "case");
    if (!text) return mp_fail(MP_ERR_INPUT, "%s: no metadata 'case': not a golden file", file);
    MP_TRY(mp_json_parse(mp_span_of(text), "metadata 'case'", k->arena, &k->json));
    k->name = mp_json_text(k->json, "case", NULL);
    if (!k->name) return mp_fail(MP_ERR_INPUT, "%s: metadata 'case' does not name the case", file);
    k->scale_out = largest(k, "out.");
    k->scale_grad = largest(k, "grad.");
    mp_arena_reset(k->step);
    return MP_OK;
}

/* ---- inputs ---- */

static mp_err read_graph(mp_case *k, int nodes)
{
    const mp_tensor *ptr = mp_case_find(k, "in.ptr"), *edges = mp_case_find(k, "in.edge_index");
    const int *p, *list;
    if (!ptr) return missing("in.ptr");
    if (!edges) return missing("in.edge_index");
    if (ptr->dims != 1 || ptr->shape[0] < 2 || ptr->shape[0] > MOST_ROWS)
        return mp_fail(MP_ERR_INPUT, "in.ptr has the shape %s, expected graphs + 1", shape_text(k, ptr));
    if (edges->dims != 2 || edges->shape[0] != 2 || edges->shape[1] > MOST_ROWS)
        return mp_fail(MP_ERR_INPUT, "in.edge_index has the shape %s, expected [2][edges]", shape_text(k, edges));
    MP_TRY(mp_case_ints(k, ptr, &p));
    MP_TRY(mp_case_ints(k, edges, &list));
    int graphs = (int)ptr->shape[0] - 1, count = (int)edges->shape[1];
    bool ascending = p[0] == 0 && p[graphs] == nodes;
    for (int b = 0; b < graphs; b++) ascending = ascending && p[b] < p[b + 1];
    if (!ascending) return mp_fail(MP_ERR_INPUT, "in.ptr does not ascend from 0 to the %d rows of in.x", nodes);
    k->src = list;
    k->dst = list + count;
    k->listed = count;
    k->slot = MP_NEW(k->arena, int, count + 1);
    return mp_graph_from_edges(k->arena, graphs, p, count, k->src, k->dst, &k->g, k->slot);
}

static mp_err read_edge_weights(mp_case *k)
{
    const mp_tensor *t;
    if (!mp_safetensors_find(&k->file, "in.edge_weight")) return MP_OK;
    MP_TRY(mp_case_need(k, "in.edge_weight", k->g.edges, 1, &t));
    mp_real *listed = MP_NEW_RAW(k->step, mp_real, k->g.edges);
    MP_TRY(mp_tensor_reals(t, listed));
    k->w = mp_mat_new(&k->c, k->g.edges, 1);
    for (int e = 0; e < k->g.edges; e++) k->w->v[k->slot[e]] = listed[e];
    k->g.w = k->w;
    return MP_OK;
}

/* One whole number in 0 .. most for each node, if the file has them. */
static mp_err read_per_node(mp_case *k, const char *name, int most, const int **out)
{
    const mp_tensor *t;
    if (!mp_safetensors_find(&k->file, name)) return MP_OK;
    MP_TRY(mp_case_need(k, name, k->g.nodes, 1, &t));
    MP_TRY(mp_case_ints(k, t, out));
    for (int v = 0; v < k->g.nodes; v++)
        if ((*out)[v] < 0 || (*out)[v] > most)
            return mp_fail(MP_ERR_INPUT, "%s has %d, expected 0 to %d", name, (*out)[v], most);
    return MP_OK;
}

mp_err mp_case_inputs(mp_case *k)
{
    int N, C;
    const mp_tensor *x;
    MP_TRY(mp_case_shape(k, "in.x", &N, &C));
    k->c = (mp_ctx){ .arena = k->step, .k = mp_kernels_get(), .record = true };
    if (!k->c.k) return mp_fail(MP_ERR_USAGE, "MIDPOOL_ISA: this machine has no such instruction set");
    MP_TRY(read_graph(k, N));
    MP_TRY(mp_case_need(k, "in.x", N, C, &x));
    k->x = mp_mat_new(&k->c, N, C);
    MP_TRY(mp_tensor_reals(x, k->x->v));
    MP_TRY(read_edge_weights(k));
    MP_TRY(read_per_node(k, "in.drop", 1, &k->c.drop_given));
    return read_per_node(k, "in.shuffle", N - 1, &k->c.shuffle_given);
}

/* ---- weights ---- */

static bool same_shape(const mp_tensor *t, const mp_param *q)
{
    if (t->dims != q->dims) return false;
    for (int i = 0; i < t->dims; i++)
        if (t->shape[i] != q->shape[i]) return false;
    return true;
}

/* Whether the file has it under its own name. */
static bool in_file(const mp_case *k, const mp_param *q)
{
    return !q->buffer && !(k->apart && strcmp(q->name, k->apart) == 0);
}

mp_err mp_case_fits(mp_case *k, const mp_params *p, const char *prefix)
{
    for (int id = 0; id < p->count; id++) {
        const mp_param *q = &p->list[id];
        if (!in_file(k, q)) continue;
        const mp_tensor *t = mp_case_find(k, "%s%s", prefix, q->name);
        if (!t) return mp_fail(MP_ERR_INPUT, "tensor %s%s is missing", prefix, q->name);
        if (!same_shape(t, q))
            return mp_fail(MP_ERR_INPUT, "%s has the shape %s, which does not fit the model", t->name,
                           shape_text(k, t));
    }
    return MP_OK;
}

mp_err mp_case_weights(mp_case *k, mp_params *p)
{
    MP_TRY(mp_case_fits(k, p, "w."));
    for (int id = 0; id < p->count; id++) {
        if (!in_file(k, &p->list[id])) continue;
        const mp_tensor *t = mp_case_find(k, "w.%s", p->list[id].name);
        double *wide = MP_NEW_RAW(k->step, double, t->count);
        float *v = MP_NEW_RAW(k->step, float, t->count);
        mp_tensor_doubles(t, wide);
        for (size_t i = 0; i < t->count; i++) {
            if (!(fabs(wide[i]) <= 1e30)) return mp_fail(MP_ERR_INPUT, "%s has the number %g", t->name, wide[i]);
            v[i] = (float)wide[i];
        }
        mp_param_read(p, id, v);
    }
    return MP_OK;
}

/* ---- comparing ---- */

static mp_golden_check *add_check(mp_case *k, const char *tensor)
{
    mp_golden_check *q = MP_NEW(k->arena, mp_golden_check, 1);
    q->tensor = tensor;
    *k->tail = q;
    k->tail = (mp_golden_check **)(uintptr_t)&q->next;
    if (k->out->first == NULL) k->out->first = q;
    k->out->checks++;
    return q;
}

static void mark_wrong(mp_case *k, mp_golden_check *q, const char *text)
{
    q->wrong = text;
    k->out->wrong++;
}

void mp_case_same(mp_case *k, const mp_tensor *t)
{
    add_check(k, t->name)->exact = true;
}

void mp_case_wrong(mp_case *k, const char *tensor, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    mp_vformat(text, sizeof text, fmt, args);
    va_end(args);
    mp_golden_check *q = add_check(k, mp_arena_text(k->arena, tensor, strlen(tensor)));
    q->error = (double)INFINITY;
    mark_wrong(k, q, mp_arena_printf(k->arena, "%s %s", tensor, text));
}

/* "[3][0]": where number i of a tensor is. */
static const char *place(mp_case *k, const mp_tensor *t, size_t i)
{
    const char *s = "";
    for (int d = t->dims - 1; d >= 0; d--) {
        s = mp_arena_printf(k->arena, "[%zu]%s", i % (size_t)t->shape[d], s);
        i /= (size_t)t->shape[d];
    }
    return *s ? s : "[]";
}

void mp_case_equal(mp_case *k, const mp_tensor *t, const int *ours, size_t n)
{
    mp_golden_check *q = add_check(k, t->name);
    double *theirs = MP_NEW_RAW(k->step, double, t->count);
    q->exact = true;
    if (n != t->count) {
        mark_wrong(k, q, mp_arena_printf(k->arena, "%s: ours has %zu numbers, theirs %zu", t->name, n, t->count));
        return;
    }
    mp_tensor_doubles(t, theirs);
    for (size_t i = 0; i < n; i++) {
        if ((double)ours[i] == theirs[i]) continue;
        mark_wrong(k, q,
                   mp_arena_printf(k->arena, "%s differs at %s: ours %d, theirs %.0f", t->name, place(k, t, i), ours[i],
                                   theirs[i]));
        return;
    }
}

static double scale_of(const mp_case *k, const char *name, const double *theirs, size_t n)
{
    double most = 0, all = has_prefix(name, "grad.") ? k->scale_grad : k->scale_out;
    for (size_t i = 0; i < n; i++)
        if (fabs(theirs[i]) > most) most = fabs(theirs[i]);
    return most > MP_GOLDEN_ZERO * all ? most : all;
}

/* The largest error and where it is; NaN on either side ends the search. */
static double worst_of(const double *ours, const double *theirs, double scale, const mp_real *loose, size_t n,
                       size_t *at)
{
    double worst = 0;
    *at = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs(ours[i] - theirs[i]), error = d == 0 ? 0 : d / (scale + (loose ? (double)loose[i] : 0));
        if (error <= worst) continue;
        worst = error;
        *at = i;
        if (error != error) break;
    }
    return worst;
}

static mp_err compare(mp_case *k, const mp_tensor *t, const mp_real *values, const mp_real *loose)
{
    size_t at;
    if (t->dtype != MP_DTYPE_F32 && t->dtype != MP_DTYPE_F64)
        return mp_fail(MP_ERR_INPUT, "%s has the type %s, expected F32", t->name, mp_dtype_name(t->dtype));
    double *theirs = MP_NEW_RAW(k->step, double, t->count), *ours = MP_NEW_RAW(k->step, double, t->count);
    mp_tensor_doubles(t, theirs);
    for (size_t i = 0; i < t->count; i++) ours[i] = (double)values[i];
    mp_golden_check *q = add_check(k, t->name);
    q->error = worst_of(ours, theirs, scale_of(k, t->name, theirs, t->count), loose, t->count, &at);
    if (!(q->error <= k->tolerance))
        mark_wrong(k, q,
                   mp_arena_printf(k->arena, "%s differs by %.1e (limit %.1e) at %s: ours %.9g, theirs %.9g", t->name,
                                   q->error, k->tolerance, place(k, t, at), ours[at], theirs[at]));
    return MP_OK;
}

mp_err mp_case_close(mp_case *k, const mp_tensor *t, const mp_real *ours)
{
    return compare(k, t, ours, NULL);
}

mp_err mp_case_output(mp_case *k, const char *name, mp_mat *m)
{
    const char *out = mp_arena_printf(k->arena, "out.%s", name), *cot = mp_arena_printf(k->arena, "cot.%s", name);
    const mp_tensor *t;
    if (mp_safetensors_find(&k->file, out)) {
        MP_TRY(mp_case_need(k, out, m->rows, m->cols, &t));
        MP_TRY(mp_case_close(k, t, m->v));
    }
    if (!mp_safetensors_find(&k->file, cot) || !m->g) return MP_OK;
    MP_TRY(mp_case_need(k, cot, m->rows, m->cols, &t));
    mp_real *add = MP_NEW_RAW(k->step, mp_real, t->count), *g = mp_grad_zeroed(&k->c, m);
    MP_TRY(mp_tensor_reals(t, add));
    for (size_t i = 0; i < t->count; i++) g[i] += add[i];
    return MP_OK;
}

/* ---- gradients ---- */

/* What nobody wrote to is zero. */
static mp_real *gradient_of(mp_case *k, const mp_mat *m)
{
    size_t n = (size_t)m->rows * (size_t)m->cols;
    mp_real *g = MP_NEW(k->step, mp_real, n + 1);
    if (m->live && n) memcpy(g, m->g, n * sizeof *g);
    return g;
}

static mp_err back_x(mp_case *k)
{
    const mp_tensor *t;
    if (!mp_safetensors_find(&k->file, "grad.x")) return MP_OK;
    MP_TRY(mp_case_need(k, "grad.x", k->x->rows, k->x->cols, &t));
    return mp_case_close(k, t, gradient_of(k, k->x));
}

static mp_err back_edge_weight(mp_case *k)
{
    const mp_tensor *t;
    if (!k->w || !mp_safetensors_find(&k->file, "grad.edge_weight")) return MP_OK;
    MP_TRY(mp_case_need(k, "grad.edge_weight", k->g.edges, 1, &t));
    mp_real *g = gradient_of(k, k->w), *listed = MP_NEW_RAW(k->step, mp_real, k->g.edges);
    for (int e = 0; e < k->g.edges; e++) listed[e] = g[k->slot[e]];
    return mp_case_close(k, t, listed);
}

/* A parameter in the layout of the file, from a block that is laid out like the weights. */
static mp_real *in_file_order(mp_case *k, const mp_params *p, int id, const mp_real *block)
{
    const mp_param *q = &p->list[id];
    size_t n = (size_t)q->rows * (size_t)q->cols;
    mp_params view = *p;
    view.theta = (mp_real *)(uintptr_t)block;
    float *file = MP_NEW_RAW(k->step, float, n);
    mp_real *v = MP_NEW_RAW(k->step, mp_real, n);
    mp_param_write(&view, id, file);
    for (size_t i = 0; i < n; i++) v[i] = (mp_real)file[i];
    return v;
}

static void must_be_zero(mp_case *k, const mp_param *q, const mp_real *g)
{
    size_t n = (size_t)q->rows * (size_t)q->cols;
    for (size_t i = 0; i < n; i++) {
        if (fabs((double)g[i]) <= k->tolerance * k->scale_grad) continue;
        mp_case_wrong(k, mp_arena_printf(k->arena, "grad.w.%s", q->name),
                      "is not in the file, so it is 0; ours has %.9g", (double)g[i]);
        return;
    }
}

static mp_err back_param(mp_case *k, const mp_params *p, int id, mp_real *grad)
{
    const mp_param *q = &p->list[id];
    const mp_tensor *t = mp_case_find(k, "grad.w.%s", q->name);
    if (!mp_use(&k->c, id)->live) memset(grad + q->offset, 0, (size_t)q->rows * (size_t)q->cols * sizeof *grad);
    mp_real *ours = in_file_order(k, p, id, grad);
    if (!t) {
        must_be_zero(k, q, ours);
        return MP_OK;
    }
    if (!same_shape(t, q))
        return mp_fail(MP_ERR_INPUT, "%s has the shape %s, which does not fit the weight", t->name, shape_text(k, t));
    return mp_case_close(k, t, ours);
}

mp_err mp_case_back(mp_case *k, const mp_params *p, mp_real *grad)
{
    mp_tape_back(&k->c);
    MP_TRY(back_x(k));
    MP_TRY(back_edge_weight(k));
    for (int id = 0; id < p->count; id++)
        if (in_file(k, &p->list[id])) MP_TRY(back_param(k, p, id, grad));
    return MP_OK;
}

mp_err mp_case_params(mp_case *k, const mp_params *p, const char *prefix, const mp_real *loose)
{
    MP_TRY(mp_case_fits(k, p, prefix));
    for (int id = 0; id < p->count; id++)
        MP_TRY(compare(k, mp_case_find(k, "%s%s", prefix, p->list[id].name), in_file_order(k, p, id, p->theta),
                       in_file_order(k, p, id, loose)));
    return MP_OK;
}

/* ---- the end ---- */

void mp_case_leftovers(mp_case *k)
{
    static const char *const claims[] = { "w.", "out.", "grad." };
    for (int i = 0; i < k->file.tensors; i++) {
        for (size_t j = 0; j < sizeof claims / sizeof *claims; j++)
            if (!k->used[i] && has_prefix(k->file.tensor[i].name, claims[j]))
                mp_case_wrong(k, k->file.tensor[i].name, "is in the file, but nothing here computes or needs it");
    }
}
