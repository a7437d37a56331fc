/* test_device.c - what device.h promises: copies arrive, calls are executed in the device's own memory, and the emulator lets nobody else
 * into it.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "by_device.h"

enum { N = 1000 };

static const mp_device *device;

static void good(const char *why)
{
    if (why) fail_msg("%s", why);
}

static void *there(size_t bytes)
{
    void *p;
    good(device->alloc(&p, bytes));
    assert_int_equal((uintptr_t)p % 256, 0);
    return p;
}

static bool is_emulated(void)
{
    return strcmp(device->kind, "emulated") == 0;
}

/* Runs a call of axpy that lies in the memory of the device; the reason why not. */
static const char *axpy(float *y, const float *x, int blocks)
{
    mp_call_axpy call = { y, 2, x, true, N };
    int first[2] = { 0, blocks };
    void *calls = there(sizeof call), *list = there(sizeof calls), *ptr = there(sizeof first);
    good(device->up(1, calls, &call, sizeof call));
    good(device->up(1, list, &calls, sizeof calls));
    good(device->up(1, ptr, first, sizeof first));
    mp_launch what = { MP_CUDA_axpy, list, ptr, 1, blocks };
    const char *why = device->launch(1, &what);
    if (!why) why = device->sync(1);
    device->release(calls);
    device->release(list);
    device->release(ptr);
    return why;
}

static void calls_run_in_the_memory_of_the_device(void **state)
{
    (void)state;
    float x[N], y[N], back[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    float *there_x = there(sizeof x), *there_y = there(sizeof y);
    good(device->up(1, there_x, x, sizeof x));
    good(device->up(1, there_y, y, sizeof y));
    mp_call_axpy call = { there_y, 2, there_x, true, N };
    mp_cuda_kernel kernel = MP_CUDA_axpy;
    good(axpy(there_y, there_x, device->blocks(&kernel, &call, 1)));
    good(device->down(1, back, there_y, sizeof back));
    good(device->sync(1));
    for (int i = 0; i < N; i++) assert_true(back[i] == 2 * (float)i + 1);
    good(device->fill(2, there_y, 0, 100 * sizeof *y));
    good(device->after(3, 2));
    good(device->down(3, back, there_y, sizeof back));
    good(device->sync(3));
    for (int i = 0; i < N; i++) assert_true(back[i] == (i < 100 ? 0 : 2 * (float)i + 1));
    device->release(there_x);
    device->release(there_y);
}

static void memory_that_was_released_is_given_again(void **state)
{
    (void)state;
    char *a = there(1 << 20), *b = there(1 << 20);
    assert_true(a + (1 << 20) <= b || b + (1 << 20) <= a);
    for (int i = 0; i < 1000; i++) device->release(there(1 << 28)); /* 256 GiB in all: more than there is */
    device->release(a);
    device->release(b);
    void *p = NULL;
    assert_non_null(device->alloc(&p, (size_t)1 << 50));
}

static void time_passes_between_stamps(void **state)
{
    (void)state;
    double seconds = -1;
    good(device->stamp(0, 7));
    void *p = there(1 << 24);
    good(device->fill(0, p, 0, 1 << 24));
    good(device->stamp(0, 8));
    good(device->sync(0));
    good(device->between(7, 8, &seconds));
    assert_true(seconds > 0 && seconds < 60);
    device->release(p);
}

/* In a process of its own, which ends with a fault. */
static void the_host_cannot_read_the_memory_of_an_emulated_device(void **state)
{
    (void)state;
    if (!is_emulated()) skip();
    volatile float *p = there(sizeof *p);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        signal(SIGSEGV, SIG_DFL);
        _exit(*p > 0 ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void a_call_with_a_pointer_of_the_host_is_refused_by_name(void **state)
{
    (void)state;
    if (!is_emulated()) skip();
    static float x[N];
    float *y = there(sizeof x);
    const char *why = axpy(y, x, 1);
    assert_non_null(why);
    assert_non_null(strstr(why, "axpy"));
    assert_non_null(strstr(why, "x points to memory that a GPU cannot reach"));
    assert_non_null(device->up(0, x, x, sizeof x));
    assert_non_null(device->up(0, (char *)y + N, x, sizeof x)); /* past the end */
    float *ok = there(sizeof x);
    assert_non_null(strstr(axpy(y, ok, 0), "0 blocks, not 1"));
}

static int take_device(void **state)
{
    (void)state;
    device = by_device_open();
    return device ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_run_in_the_memory_of_the_device),
        cmocka_unit_test(memory_that_was_released_is_given_again),
        cmocka_unit_test(time_passes_between_stamps),
        cmocka_unit_test(the_host_cannot_read_the_memory_of_an_emulated_device),
        cmocka_unit_test(a_call_with_a_pointer_of_the_host_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, take_device, NULL);
}
