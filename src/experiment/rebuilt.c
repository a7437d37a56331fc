/* rebuilt.c - see rebuilt.h.
 * SPDX-License-Identifier: MIT */
#include "experiment/rebuilt.h"
#include "api/trail.h"

#include <string.h>

void mp_rebuilt_add(mp_rebuilt *r, const mp_skeleton *s, const int *want, const int *got, mp_arena *scratch)
{
    unsigned char *true_one = MP_NEW_RAW(scratch, unsigned char, s->atoms + 1);
    unsigned char *mine = MP_NEW_RAW(scratch, unsigned char, s->atoms + 1);
    for (int v = 0; v < s->atoms; v++) {
        true_one[v] = mp_zinc_element[want[v]];
        mine[v] = mp_zinc_element[got[v]];
        r->right += want[v] == got[v];
    }
    r->atoms += s->atoms;
    if (!mp_skeleton_valid(s, true_one)) return;
    r->molecules++;
    r->exact += memcmp(true_one, mine, (size_t)s->atoms) == 0;
    r->same += mp_skeleton_same(s, true_one, mine, scratch);
    r->valid += mp_skeleton_valid(s, mine);
}

/* ---- of a model ---- */

/* Answers of the nodes of a graph, columns of the task a node. */
static mp_err answers(const mp_specimen *one, const double **out)
{
    mp_model *m = one->of->model;
    const mp_goal *goal = mp_model_goal(m);
    const mp_mat *raw;
    mp_trail trail = { 0 };
    MP_TRY(mp_trail_pass(m, &one->g, &one->x, 0, one->arena, &trail, &raw));
    size_t outputs = (size_t)mp_model_outputs(m), columns = (size_t)goal->columns, rows = (size_t)raw->rows;
    mp_real *told = MP_NEW_RAW(one->arena, mp_real, rows * outputs);
    double *answer = MP_NEW_RAW(one->arena, double, rows *columns);
    goal->task->tell(goal, mp_kernels_get(), told, raw->v, raw->rows);
    for (size_t v = 0; v < rows; v++) goal->task->answer(goal, told + v * outputs, answer + v * columns);
    *out = answer;
    return MP_OK;
}

typedef struct molecules {
    const unsigned char *order;
    mp_rebuilt *of; /* each graph of the subject */
} molecules;

static mp_err find_one(void *arg, const mp_specimen *one)
{
    molecules *f = arg;
    const mp_graph *all = one->of->all;
    int first = all->node_ptr[one->of->which[one->at]], n = one->g.nodes;
    mp_skeleton s = { n, all->row_ptr + first, all->col, f->order, first };
    int *want = MP_NEW_RAW(one->arena, int, n), *got = MP_NEW_RAW(one->arena, int, n);
    const double *answer;
    MP_TRY(answers(one, &answer));
    for (int v = 0; v < n; v++) {
        want[v] = one->x.col[one->x.ptr[v]];
        got[v] = (int)answer[v];
    }
    mp_rebuilt_add(&f->of[one->at], &s, want, got, one->arena);
    return MP_OK;
}

mp_err mp_rebuilt_find(const mp_subject *s, const unsigned char *order, mp_arena *a, mp_rebuilt *out)
{
    molecules f = { order, MP_NEW(a, mp_rebuilt, s->n) };
    if (mp_model_outputs(s->model) != MP_ZINC_TYPES || s->x->cols != MP_ZINC_TYPES)
        return mp_fail(MP_ERR_INPUT, "%d labels of nodes; the benchmark's atoms have %d", s->x->cols, MP_ZINC_TYPES);
    MP_TRY(mp_subject_each(s, find_one, &f));
    *out = (mp_rebuilt){ 0 };
    for (int i = 0; i < s->n; i++) {
        out->atoms += f.of[i].atoms;
        out->right += f.of[i].right;
        out->molecules += f.of[i].molecules;
        out->exact += f.of[i].exact;
        out->same += f.of[i].same;
        out->valid += f.of[i].valid;
    }
    return MP_OK;
}

static mp_err copy_answers(void *arg, const mp_specimen *one)
{
    double *xy = arg;
    const double *answer;
    MP_TRY(answers(one, &answer));
    memcpy(xy, answer, 2 * (size_t)one->g.nodes * sizeof *xy);
    return MP_OK;
}

mp_err mp_rebuilt_coordinates(const mp_subject *s, mp_arena *a, const double **xy, double *mse)
{
    mp_assert(s->n == 1 && mp_model_outputs(s->model) == 2 && s->x->cols == 2);
    int nodes = mp_subject_nodes(s, 0), first = s->all->node_ptr[s->which[0]];
    double *out = MP_NEW_RAW(a, double, 2 * (size_t)nodes), *far = MP_NEW_RAW(a, double, 2 * (size_t)nodes), sum = 0;
    MP_TRY(mp_subject_each(s, copy_answers, out));
    memcpy(far, out, 2 * (size_t)nodes * sizeof *far);
    for (int v = 0; v < nodes; v++)
        for (int i = s->x->ptr[first + v]; i < s->x->ptr[first + v + 1]; i++)
            far[2 * v + s->x->col[i]] -= s->x->val ? (double)s->x->val[i] : 1;
    for (int i = 0; i < 2 * nodes; i++) sum += far[i] * far[i];
    *xy = out;
    *mse = sum / (2 * nodes);
    return MP_OK;
}
