/* golden_bonds.c - golden cases of convolutions with attributes of edges, in.edge_attr [E][tables].
 *
 * The file has a table of embeddings for each column; here they are one matrix, one table below the other, and an edge
 * has a 1 in a column of each. Layers that normalise do so as in training.
 * SPDX-License-Identifier: MIT */
#include "selftest/golden_run.h"
#include "nn/conv.h"

#include <string.h>

#define MOST_TABLES 16
#define EDGE_WEIGHT "edge.weight"
#define TABLE       "bond_encoder.bond_embedding_list.%d.weight"

typedef struct tables {
    int count, first[MOST_TABLES + 1], width; /* first row of each in the matrix */
} tables;

static mp_err read_shapes(mp_case *k, tables *t)
{
    *t = (tables){ 0 };
    while (t->count < MOST_TABLES && mp_case_find(k, "w." TABLE, t->count)) {
        int rows, cols;
        MP_TRY(mp_case_shape(k, mp_arena_printf(k->arena, "w." TABLE, t->count), &rows, &cols));
        if (t->count && cols != t->width) return mp_fail(MP_ERR_INPUT, "tables of bonds differ in width");
        t->width = cols;
        t->first[t->count + 1] = t->first[t->count] + rows;
        t->count++;
    }
    return t->count ? MP_OK : mp_fail(MP_ERR_INPUT, "tensor w." TABLE " is missing", 0);
}

static mp_err read_attributes(mp_case *k, const tables *t, mp_sparse *out)
{
    const mp_tensor *given;
    const int *value;
    int E = k->g.edges;
    MP_TRY(mp_case_need(k, "in.edge_attr", E, t->count, &given));
    MP_TRY(mp_case_ints(k, given, &value));
    int *ptr = MP_NEW(k->step, int, E + 1), *col = MP_NEW(k->step, int, (size_t)E *(size_t)t->count + 1);
    for (int e = 0; e < E; e++) {
        ptr[e + 1] = (e + 1) * t->count;
        for (int i = 0; i < t->count; i++) {
            int at = value[e * t->count + i], size = t->first[i + 1] - t->first[i];
            if (at < 0 || at >= size)
                return mp_fail(MP_ERR_INPUT, "in.edge_attr has %d, expected 0 to %d", at, size - 1);
            col[k->slot[e] * t->count + i] = t->first[i] + at;
        }
    }
    *out = (mp_sparse){ .rows = E, .cols = t->first[t->count], .ptr = ptr, .col = col };
    return MP_OK;
}

static int number_of(const mp_params *p, const char *name)
{
    for (int id = 0; id < p->count; id++)
        if (strcmp(p->list[id].name, name) == 0) return id;
    return -1;
}

static mp_err fill_tables(mp_case *k, const tables *t, mp_params *p, int id)
{
    for (int i = 0; i < t->count; i++) {
        const mp_tensor *from = mp_case_find(k, "w." TABLE, i);
        MP_TRY(mp_tensor_reals(from, p->theta + p->list[id].offset + (size_t)t->first[i] * (size_t)t->width));
    }
    return MP_OK;
}

static mp_err compare_tables(mp_case *k, const tables *t, const mp_params *p, int id, mp_real *grad)
{
    const mp_tensor *theirs;
    for (int i = 0; i < t->count; i++) {
        const char *name = mp_arena_printf(k->arena, "grad.w." TABLE, i);
        MP_TRY(mp_case_need(k, name, t->first[i + 1] - t->first[i], t->width, &theirs));
        MP_TRY(mp_case_close(k, theirs, grad + p->list[id].offset + (size_t)t->first[i] * (size_t)t->width));
    }
    return MP_OK;
}

/* out.running_mean and out.running_var, where a layer keeps such values. */
static mp_err compare_running(mp_case *k, const mp_params *p)
{
    static const char *const names[] = { "running_mean", "running_var" };
    const mp_tensor *theirs;
    for (int i = 0; i < 2; i++) {
        int id = number_of(p, mp_arena_printf(k->arena, "mlp.1.%s", names[i]));
        if (id < 0) continue;
        MP_TRY(mp_case_need(k, mp_arena_printf(k->arena, "out.%s", names[i]), p->list[id].cols, 1, &theirs));
        MP_TRY(mp_case_close(k, theirs, p->theta + p->list[id].offset));
    }
    return MP_OK;
}

mp_err mp_golden_bonds(mp_case *k, const mp_golden_kind *row)
{
    mp_params p = { .arena = k->step };
    mp_conv_setup s = { .params = &p, .prefix = "" };
    tables t;
    mp_sparse bonds;
    int rows;
    MP_TRY(mp_case_inputs(k));
    MP_TRY(mp_case_shape(k, "out.x", &rows, &s.out));
    MP_TRY(read_shapes(k, &t));
    MP_TRY(read_attributes(k, &t, &bonds));
    k->g.edge_x = &bonds;
    k->apart = EDGE_WEIGHT;
    k->c.training = true;
    s.in = k->x->cols;
    s.edge_in = bonds.cols;
    mp_conv l = mp_conv_new(mp_conv_find(row->conv), &s);
    int edge = number_of(&p, EDGE_WEIGHT);
    if (p.list[edge].cols != t.width)
        return mp_fail(MP_ERR_INPUT, "tables of bonds do not have the width of the layer");
    MP_TRY(mp_case_fits(k, &p, "w."));
    mp_params_alloc(&p);
    mp_params_init(&p, 0, 0); /* running statistics begin with 0 and 1 */
    MP_TRY(mp_case_weights(k, &p));
    MP_TRY(fill_tables(k, &t, &p, edge));
    mp_real *grad = MP_NEW(k->step, mp_real, p.size);
    mp_params_bind(&p, &k->c, grad);
    MP_TRY(mp_case_output(k, "x", mp_conv_run(&l, &k->c, &k->g, MP_DENSE(k->x), false)));
    MP_TRY(mp_case_back(k, &p, grad));
    MP_TRY(compare_running(k, &p));
    return compare_tables(k, &t, &p, edge, grad);
}
