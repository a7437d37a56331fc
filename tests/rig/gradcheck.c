/* gradcheck.c - see gradcheck.h. A check is a loop: round 0 records and runs the tape, then two rounds an entry.
 * SPDX-License-Identifier: MIT */
#include "gradcheck.h"
#include "sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STEP         1e-5
#define TOLERANCE    1e-7
#define FLOOR        1e-2
#define MOST_INPUTS  96
#define MOST_OUTPUTS 8
#define MOST_VALUES  20000

_Static_assert(sizeof(mp_real) == sizeof(double), "differences need double numbers");

typedef struct mp_check_state {
    const char *what;
    mp_mat *input[MOST_INPUTS];
    double *gradient[MOST_INPUTS]; /* of the tape */
    int inputs;
    int round, at, entry, stride; /* input and entry that are being moved */
    bool up;                      /* this round: moved up                 */
    double centre, largest;
    double upper, lower, sum;     /* one-sided differences of the probe   */
    double *numeric, *bend;       /* of the input being moved: the slope, and how much the two sides differ */
    mp_mat *output[MOST_OUTPUTS]; /* of this round                        */
    int outputs, values, same;
    double centre_of[MOST_VALUES]; /* outputs of round 0                   */
    double above[MOST_VALUES];     /* outputs with the entry moved up      */
    int fixed[MOST_VALUES];        /* integer results of round 0           */
    mp_arena *scratch;
} check_state;

static size_t size_of(const mp_mat *m)
{
    return (size_t)m->rows * (size_t)m->cols;
}

mp_check *mp_check_new(uint64_t seed)
{
    mp_check *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->rig = mp_rig_new(seed);
    t->ctx.arena = mp_arena_new(1 << 20);
    t->ctx.k = mp_kernels_get();
    t->ctx.training = true;
    t->state = calloc(1, sizeof *t->state);
    assert_non_null(t->state);
    t->state->scratch = mp_arena_new(1 << 16);
    return t;
}

void mp_check_free(mp_check *t)
{
    mp_arena_free(t->state->scratch);
    mp_arena_free(t->ctx.arena);
    mp_rig_free(&t->rig);
    free(t->state);
    free(t);
}

void mp_check_reset(mp_check *t)
{
    t->state->inputs = 0;
}

void mp_check_watch(mp_check *t, mp_mat *m)
{
    assert_true(t->state->inputs < MOST_INPUTS && m->g != NULL);
    t->state->input[t->state->inputs++] = m;
}

mp_mat *mp_check_input(mp_check *t, int rows, int cols)
{
    mp_mat *m = mp_rig_mat(&t->rig, rows, cols);
    mp_check_watch(t, m);
    return m;
}

void mp_check_params(mp_check *t, mp_params *p)
{
    mp_rig_params(&t->rig, p);
    mp_ctx keep = { .arena = t->rig.memory };
    mp_params_bind(p, &keep, MP_NEW(t->rig.memory, mp_real, p->size));
    t->ctx.params = keep.params;
    for (int i = 0; i < p->count; i++)
        if (!p->list[i].buffer) mp_check_watch(t, &keep.params[i]);
}

const mp_graph *mp_check_fresh(mp_check *t, const mp_graph *g)
{
    mp_graph *copy = MP_NEW(t->ctx.arena, mp_graph, 1);
    *copy = *g;
    copy->norm = MP_NEW(t->ctx.arena, mp_norm, 1);
    return copy;
}

void mp_check_begin(mp_check *t, const char *what)
{
    check_state *s = t->state;
    s->what = what;
    s->round = -1;
    mp_arena_reset(s->scratch);
    /* What ops are handed from now on has held NaN. */
    mp_arena_reset(t->ctx.arena);
    memset(MP_NEW_RAW(t->ctx.arena, char, 1 << 19), 0xff, 1 << 19);
}

static void start_round(mp_check *t)
{
    check_state *s = t->state;
    s->round++;
    s->outputs = s->values = s->same = 0;
    mp_arena_reset(t->ctx.arena);
    t->ctx.record = true; /* always: auxiliary losses exist only then */
    t->ctx.last = NULL;
    t->ctx.rng = mp_rng_stream(7, MP_FOR_STEP, 0, 0, 0); /* the same dropout every time */
    for (int i = 0; i < s->inputs; i++) {
        s->input[i]->live = s->input[i]->by_rows = false;
        memset(s->input[i]->g, 0xff, size_of(s->input[i]) * sizeof(mp_real));
    }
}

/* Coefficient i of the probe. */
static double coefficient(int i)
{
    mp_rng r = mp_rng_stream(11, MP_FOR_TEST, (uint64_t)i, 0, 0);
    double c = mp_rng_between(&r, 0.4, 1);
    return mp_rng_unit(&r) < 0.5 ? -c : c;
}

void mp_check_value(mp_check *t, mp_mat *out)
{
    check_state *s = t->state;
    assert_true(s->outputs < MOST_OUTPUTS && (size_t)s->values + size_of(out) <= MOST_VALUES);
    for (size_t i = 0; i < size_of(out); i++, s->values++) {
        double c = coefficient(s->values);
        if (s->round == 0) {
            s->centre_of[s->values] = out->v[i];
        } else if (s->up) {
            s->above[s->values] = out->v[i];
        } else {
            s->upper += c * (s->above[s->values] - s->centre_of[s->values]);
            s->lower += c * (s->centre_of[s->values] - out->v[i]);
            s->sum += c * (s->above[s->values] - out->v[i]);
        }
    }
    s->output[s->outputs++] = out;
}

void mp_check_same(mp_check *t, int value)
{
    check_state *s = t->state;
    assert_true(s->same < MOST_VALUES);
    if (s->round == 0) s->fixed[s->same] = value;
    if (s->fixed[s->same++] != value)
        fail_msg("%s: a kept node changed from %d to %d when entry %d of input %d moved: choose another seed", s->what,
                 s->fixed[s->same - 1], value, s->entry, s->at);
}

/* After round 0: gradients of the probe from the tape. */
static void run_tape(mp_check *t)
{
    check_state *s = t->state;
    int n = 0;
    for (int o = 0; o < s->outputs; o++) {
        mp_real *g = mp_grad_zeroed(&t->ctx, s->output[o]);
        if (!g) fail_msg("%s: output %d has no room for a gradient", s->what, o);
        for (size_t i = 0; i < size_of(s->output[o]); i++) g[i] += coefficient(n++);
    }
    mp_tape_back(&t->ctx);
    for (int i = 0; i < s->inputs; i++) {
        s->gradient[i] = MP_NEW(s->scratch, double, size_of(s->input[i]));
        if (s->input[i]->live)
            memcpy(s->gradient[i], mp_grad_zeroed(&t->ctx, s->input[i]), size_of(s->input[i]) * sizeof(double));
    }
    s->at = -1;
}

static void judge(mp_check *t)
{
    check_state *s = t->state;
    const mp_mat *m = s->input[s->at];
    double scale = FLOOR;
    for (size_t i = 0; i < size_of(m); i++) scale = fmax(scale, fabs(s->gradient[s->at][i]));
    scale = fmax(scale, s->largest);
    for (size_t i = 0; i < size_of(m); i += (size_t)s->stride) {
        double error = fabs(s->gradient[s->at][i] - s->numeric[i]) / scale;
        bool wrong = !(error <= TOLERANCE);
        if (wrong && t->kinks_expected && fabs(2 * error * scale - fabs(s->bend[i])) <= 0.01 * fabs(s->bend[i])) {
            t->kinks++;
            continue;
        }
        t->failures += wrong;
        if (wrong && !t->count_only)
            fail_msg("%s: input %d (%d x %d) entry %zu: the tape says %.12g, differences %.12g (error %.3g, largest "
                     "%.3g; the slopes on either side differ by %.3g: if that is large, the step crossed a kink)",
                     s->what, s->at, m->rows, m->cols, i, s->gradient[s->at][i], s->numeric[i], error, scale,
                     s->bend[i]);
        t->worst = fmax(t->worst, error);
        t->entries++;
    }
}

/* The next input with entries; false when there is none. */
static bool next_input(mp_check *t)
{
    check_state *s = t->state;
    while (++s->at < s->inputs && size_of(s->input[s->at]) == 0) {}
    if (s->at >= s->inputs) return false;
    size_t n = size_of(s->input[s->at]);
    s->numeric = MP_NEW(s->scratch, double, n);
    s->bend = MP_NEW(s->scratch, double, n);
    s->stride = t->most && n > (size_t)t->most ? (int)(n / (size_t)t->most) : 1;
    if (SANITIZED) s->stride *= 7; /* every entry moves the same code */
    s->entry = 0;
    s->largest = 0;
    return true;
}

static bool move_up(mp_check *t)
{
    check_state *s = t->state;
    s->centre = s->input[s->at]->v[s->entry];
    s->input[s->at]->v[s->entry] = s->centre + STEP;
    s->up = true;
    s->upper = s->lower = s->sum = 0;
    start_round(t);
    return true;
}

bool mp_check_next(mp_check *t)
{
    check_state *s = t->state;
    if (s->round < 0) {
        start_round(t);
        return true;
    }
    if (s->round == 0) {
        run_tape(t);
        return next_input(t) && move_up(t);
    }
    mp_mat *m = s->input[s->at];
    if (s->up) {
        m->v[s->entry] = s->centre - STEP;
        s->up = false;
        start_round(t);
        return true;
    }
    m->v[s->entry] = s->centre;
    s->numeric[s->entry] = s->sum / (2 * STEP);
    s->bend[s->entry] = (s->upper - s->lower) / STEP;
    s->largest = fmax(s->largest, fabs(s->numeric[s->entry]));
    s->entry += s->stride;
    if ((size_t)s->entry < size_of(m)) return move_up(t);
    judge(t);
    return next_input(t) && move_up(t);
}

int mp_check_setup(void **state)
{
    static uint64_t seed = 1;
    *state = mp_check_new(seed++);
    return 0;
}

int mp_check_teardown(void **state)
{
    mp_check *t = *state;
    if (getenv("MIDPOOL_TEST_VERBOSE"))
        print_message("             %lld entries, largest error %.2g, %d kinks\n", (long long)t->entries, t->worst,
                      t->kinks);
    mp_check_free(t);
    return 0;
}
