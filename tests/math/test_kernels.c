/* test_kernels.c - every kernel gives the same bits in every instruction set; products are the chains that are promised;
 * exp, log, tanh and sigmoid are as accurate as fun.h says.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_runs.h"
#include "math/fun.h"

#define RUNS 60 /* random cases of each kernel */

static const struct {
    const char *name;
    void (*run)(const mp_kernels *, mp_rig *, trace *);
} runs[] = {
#define ROW(name, args) { #name, run_##name },
    MP_KERNEL_LIST(ROW)
};

static trace all_runs(const mp_kernels *k, size_t i, mp_arena *memory)
{
    trace t = { .memory = memory };
    mp_rig r = mp_rig_new(i + 1);
    for (int n = 0; n < RUNS; n++) {
        runs[i].run(k, &r, &t);
        runs_release();
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
    return t;
}

static void same_bits(const mp_kernels *base, const mp_kernels *other)
{
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        mp_arena *a = mp_arena_new(0), *b = mp_arena_new(0);
        trace x = all_runs(base, i, a), y = all_runs(other, i, b);
        assert_int_equal(x.n, y.n);
        for (size_t j = 0; j < x.n; j++)
            if (memcmp(&x.v[j], &y.v[j], sizeof(float)) != 0)
                fail_msg("%s, number %zu: base gives %a, %s %a", runs[i].name, j, (double)x.v[j], other->isa,
                         (double)y.v[j]);
        mp_arena_free(a);
        mp_arena_free(b);
    }
}

/* On x86-64 v3 and v4, on ARM neon: no machine has all of them. */
static void every_set_of_this_machine_gives_the_bits_of_base(void **state)
{
    (void)state;
    static const char *const sets[] = { "v3", "v4", "neon" };
    const mp_kernels *base = mp_kernels_named("base");
    assert_non_null(base);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const mp_kernels *other = mp_kernels_named(sets[i]);
        if (!other) {
            print_message("this machine has no %s\n", sets[i]);
            continue;
        }
        assert_string_equal(other->isa, sets[i]);
        same_bits(base, other);
    }
}

static float element(mp_operand m, int i, int k)
{
    return m.flip ? m.p[(size_t)k * (size_t)m.ld + (size_t)i] : m.p[(size_t)i * (size_t)m.ld + (size_t)k];
}

/* kernels.h: one chain over k upwards that starts from C, the bias or 0; sixteen lanes for few columns. */
static float promised(mp_operand A, mp_operand B, int i, int j, int N, int K, float start)
{
    if (N > MP_NARROW || A.flip) {
        for (int k = 0; k < K; k++) start = fmaf(element(A, i, k), element(B, k, j), start);
        return start;
    }
    float lane[16] = { 0 };
    for (int k = 0; k < K; k++) lane[k % 16] = fmaf(element(A, i, k), element(B, k, j), lane[k % 16]);
    for (int s = 8; s > 0; s /= 2)
        for (int l = 0; l < s; l++) lane[l] += lane[l + s];
    return lane[0] + start;
}

static void check_product(const mp_kernels *k, mp_rig *r, int M, int N, int K, int how)
{
    bool flip_a = how & 1, flip_b = how & 2, add = how & 4, relu = how & 8, biased = !add && how & 16;
    size_t a = (size_t)M * (size_t)K, b = (size_t)K * (size_t)N, c = (size_t)M * (size_t)N;
    float *pa = MP_NEW(r->memory, float, a), *pb = MP_NEW(r->memory, float, b), *C = MP_NEW(r->memory, float, c);
    float *before = MP_NEW(r->memory, float, c), *bias = MP_NEW(r->memory, float, N);
    for (size_t i = 0; i < a; i++) pa[i] = (float)mp_rng_normal(&r->rng);
    for (size_t i = 0; i < b; i++) pb[i] = (float)mp_rng_normal(&r->rng);
    for (size_t i = 0; i < c; i++) before[i] = C[i] = (float)mp_rng_normal(&r->rng);
    for (int i = 0; i < N; i++) bias[i] = (float)mp_rng_normal(&r->rng);
    mp_operand A = { pa, flip_a ? M : K, flip_a }, B = { pb, flip_b ? K : N, flip_b };
    k->gemm(C, A, B, M, N, K, biased ? bias : NULL, add, relu, MP_NEW(r->memory, float, mp_gemm_work(M, N, K)));
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            size_t at = (size_t)i * (size_t)N + (size_t)j;
            float want = promised(A, B, i, j, N, K, add ? before[at] : biased ? bias[j] : 0.0f);
            if (relu && want < 0) want = 0;
            if (C[at] != want)
                fail_msg("%s %d x %d x %d (case %d): element %d, %d is %a, the chain gives %a", k->isa, M, N, K, how, i,
                         j, (double)C[at], (double)want);
        }
    }
}

static void products_are_plain_chains(void **state)
{
    (void)state;
    static const int shapes[][3] = { { 1, 1, 1 },   { 3, 9, 5 },   { 14, 32, 7 },  { 15, 33, 193 }, { 29, 64, 40 },
                                     { 6, 8, 50 },  { 31, 5, 17 }, { 128, 3, 33 }, { 2, 130, 400 }, { 17, 16, 192 },
                                     { 40, 1, 64 }, { 0, 9, 3 },   { 5, 0, 3 },    { 5, 12, 0 },    { 9, 3, 0 } };
    static const char *const sets[] = { "base", "v3", "v4", "neon" };
    for (int s = 0; s < 3; s++) {
        const mp_kernels *k = mp_kernels_named(sets[s]);
        mp_rig r = mp_rig_new(3);
        for (size_t i = 0; k && i < sizeof shapes / sizeof *shapes; i++) {
            for (int how = 0; how < 32; how++) {
                check_product(k, &r, shapes[i][0], shapes[i][1], shapes[i][2], how);
                mp_arena_reset(r.memory);
            }
        }
        mp_rig_free(&r);
    }
}

/* ---- functions */

static double exact_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* The error of got in units of the last place of the nearest float. */
static double ulps(float got, double want)
{
    float near = (float)want, next = nextafterf(fabsf(near), INFINITY);
    return fabs((double)got - want) / ((double)next - (double)fabsf(near));
}

static double worst(float (*f)(float), double (*exact)(double), float lo, float hi, uint32_t stride)
{
    double most = 0;
    uint32_t first, last;
    float a = fabsf(lo), b = fabsf(hi);
    memcpy(&first, &a, sizeof first);
    memcpy(&last, &b, sizeof last);
    for (uint32_t u = first; u <= last; u += stride) {
        float x;
        memcpy(&x, &u, sizeof x);
        if (lo < 0 || hi < 0) x = -x;
        double want = exact((double)x);
        if (fabs(want) < (double)FLT_MIN) continue; /* below the normal numbers: flushed to 0, see the special values */
        double e = ulps(f(x), want);
        if (!(e <= most)) most = e;
    }
    return most;
}

static float exp_here(float x)
{
    return exp1(x);
}
static float log_here(float x)
{
    return log1(x);
}
static float tanh_here(float x)
{
    return tanh1(x);
}
static float sigmoid_here(float x)
{
    return sigmoid1(x);
}

static void functions_are_as_close_as_their_header_says(void **state)
{
    (void)state;
    const uint32_t stride = 1009;
    assert_true(worst(exp_here, exp, 0.0f, 88.72f, stride) <= 2);
    assert_true(worst(exp_here, exp, -0.0f, -87.33f, stride) <= 2);
    assert_true(worst(log_here, log, FLT_MIN, FLT_MAX, stride) <= 2);
    assert_true(worst(tanh_here, tanh, 0.0f, 100.0f, stride) <= 2);
    assert_true(worst(tanh_here, tanh, -0.0f, -100.0f, stride) <= 2);
    assert_true(worst(sigmoid_here, exact_sigmoid, 0.0f, 200.0f, stride) <= 3);
    assert_true(worst(sigmoid_here, exact_sigmoid, -0.0f, -87.0f, stride) <= 3);
}

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void functions_know_the_special_values(void **state)
{
    (void)state;
    assert_true(same(exp1(0.0f), 1.0f) && same(exp1(-0.0f), 1.0f) && same(exp1(1e-45f), 1.0f));
    assert_true(same(exp1(INFINITY), INFINITY) && same(exp1(-INFINITY), 0.0f) && isnan(exp1(NAN)));
    assert_true(same(exp1(1000.0f), INFINITY) && same(exp1(-1000.0f), 0.0f) && same(exp1(-90.0f), 0.0f));
    assert_true(same(log1(1.0f), 0.0f));
    assert_true(same(tanh1(0.0f), 0.0f) && tanh1(-0.0f) == 0.0f && same(tanh1(1e-45f), 1e-45f));
    assert_true(same(tanh1(INFINITY), 1.0f) && same(tanh1(-INFINITY), -1.0f) && isnan(tanh1(NAN)));
    assert_true(same(sigmoid1(0.0f), 0.5f) && same(sigmoid1(INFINITY), 1.0f) && same(sigmoid1(-INFINITY), 0.0f));
    assert_true(same(sigmoid1(-200.0f), 0.0f) && isnan(sigmoid1(NAN)));
    for (float x = 0.01f; x < 12.0f; x *= 1.07f) { /* odd, and never beyond 1 */
        assert_true(same(tanh1(-x), -tanh1(x)));
        assert_true(tanh1(x) <= 1.0f);
    }
}

static void relu_lets_nan_through(void **state)
{
    (void)state;
    static const char *const sets[] = { "base", "v3", "v4", "neon" };
    for (int s = 0; s < 3; s++) {
        const mp_kernels *k = mp_kernels_named(sets[s]);
        if (!k) continue;
        float x[40], y[40], C[40], work[2000];
        for (int i = 0; i < 40; i++) x[i] = i % 7 == 3 ? NAN : (float)(i % 3 - 1);
        assert_true(mp_gemm_work(1, 40, 1) <= 2000);
        k->act_fwd(y, x, MP_ACT_RELU, 40);
        float one = 1.0f;
        k->gemm(C, (mp_operand){ &one, 1, false }, (mp_operand){ x, 40, false }, 1, 40, 1, NULL, false, true, work);
        for (int i = 0; i < 40; i++) {
            assert_true(isnan(x[i]) == isnan(y[i]) && isnan(x[i]) == isnan(C[i]));
            assert_true(isnan(x[i]) || (y[i] >= 0 && C[i] >= 0));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_of_this_machine_gives_the_bits_of_base),
        cmocka_unit_test(products_are_plain_chains),
        cmocka_unit_test(functions_are_as_close_as_their_header_says),
        cmocka_unit_test(functions_know_the_special_values),
        cmocka_unit_test(relu_lets_nan_through),
    };
    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
