/* step_time.c - see step_time.h.
 *
 * The graph is made here rather than by data/generate.c, because at a million nodes its features fill half a gigabyte and
 * there must be one copy of them.
 * SPDX-License-Identifier: MIT */
#include "study/step_time.h"

#include "base/clock.h"
#include "graph/twins.h"
#include "study/epoch_time.h"
#include "train/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_pair(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* m distinct pairs out of n(n-1)/2, uniformly: draw, sort, throw repeats away, draw what is missing. */
static uint64_t *random_pairs(mp_arena *a, mp_rng *r, int n, int m)
{
    uint64_t *pair = MP_NEW(a, uint64_t, 2 * (size_t)m);
    int have = 0;
    while (have < m) {
        for (int i = have; i < m; i++) {
            int u = mp_rng_below(r, n), v = mp_rng_below(r, n - 1);
            v += v >= u;
            pair[i] = (uint64_t)(u < v ? u : v) << 32 | (uint64_t)(u < v ? v : u);
        }
        qsort(pair, (size_t)m, sizeof *pair, by_pair);
        have = 0;
        for (int i = 0; i < m; i++)
            if (have == 0 || pair[i] != pair[have - 1]) pair[have++] = pair[i];
    }
    return pair;
}

static mp_err random_graph(mp_arena *a, int n, int m, int columns, mp_graph *g, mp_sparse *x)
{
    mp_rng r = mp_rng_stream(1, MP_FOR_TEST, (uint64_t)n, (uint64_t)m, 0);
    mp_arena *scratch = mp_arena_new(1 << 16);
    uint64_t *pair = random_pairs(scratch, &r, n, m);
    int *src = MP_NEW_RAW(scratch, int, 2 * m), *dst = MP_NEW_RAW(scratch, int, 2 * m);
    for (int i = 0; i < m; i++) {
        src[2 * i] = dst[2 * i + 1] = (int)(pair[i] >> 32);
        dst[2 * i] = src[2 * i + 1] = (int)(pair[i] & 0xffffffffu);
    }
    int *node_ptr = MP_NEW(a, int, 2);
    node_ptr[1] = n;
    mp_graph all;
    mp_err e = mp_graph_from_edges(scratch, 1, node_ptr, 2 * m, src, dst, &all, NULL);
    if (e == MP_OK) {
        int *row_ptr = MP_NEW_RAW(a, int, n + 1), *col = MP_NEW_RAW(a, int, 2 * m), *rev = MP_NEW_RAW(a, int, 2 * m);
        memcpy(row_ptr, all.row_ptr, (size_t)(n + 1) * sizeof(int));
        memcpy(col, all.col, (size_t)(2 * m) * sizeof(int));
        memcpy(rev, all.rev, (size_t)(2 * m) * sizeof(int));
        *g = mp_graph_of(a, 1, node_ptr, row_ptr, col, rev);
        mp_graph_know(a, g);
    }
    mp_arena_free(scratch);
    mp_real *val = MP_NEW_RAW(a, mp_real, (size_t)n * (size_t)columns);
    for (size_t i = 0; i < (size_t)n * (size_t)columns; i++) val[i] = (mp_real)mp_rng_normal(&r);
    *x = (mp_sparse){ .rows = n, .cols = columns, .val = val };
    return e;
}

/* Steps of the network on the graph. `before`: bytes that were held already. */
static mp_err measure(const mp_step_ask *ask, size_t before, mp_step_time *out)
{
    mp_arena *a = mp_arena_new(1 << 20);
    mp_graph g;
    mp_sparse x;
    mp_model *m;
    static const int first[] = { 0 };
    const double label[] = { 1 };
    MP_TRY(random_graph(a, ask->nodes, 2 * ask->nodes, ask->columns, &g, &x));
    mp_config resolved = *ask->config;
    mp_config_resolve(&resolved, &g);
    MP_TRY(mp_model_new(a, &resolved, (mp_inputs){ .features = ask->columns, .outputs = 2 }, &m));
    mp_params_init(mp_model_params(m), 42, 0);
    mp_arena_peak_reset();
    mp_engine *e = mp_engine_new(m, ask->threads);
    double *seconds = MP_NEW(a, double, ask->warm + ask->timed), spent = 0;
    int n = 0;
    while (n < ask->warm + ask->timed && (n == 0 || ask->most <= 0 || spent < ask->most)) {
        mp_batch batch = { &g, &x, first, 1, { .columns = 1, .v = label } };
        double loss, aux, t = mp_seconds();
        MP_TRY(mp_engine_train(e, &batch, (mp_draw){ 42, 0, 1, (uint64_t)n }, &loss, &aux));
        seconds[n] = mp_seconds() - t;
        spent += seconds[n++];
    }
    int from = n > ask->warm ? ask->warm : n - 1;
    *out = (mp_step_time){ ask->nodes, mp_median(seconds + from, n - from), n - from, mp_arena_peak() - before, false };
    return MP_OK;
}

typedef struct answer { /* through the pipe */
    mp_step_time time;
    mp_failure failure;
} answer;

#define EXIT_FULL 42

static void leave(size_t bytes)
{
    (void)bytes;
    _exit(EXIT_FULL);
}

static _Noreturn void child(const mp_step_ask *ask, int fd)
{
    size_t before = mp_arena_total();
    answer r = { .time.full = false };
    mp_arena_on_full(leave);
    mp_arena_limit(before + (size_t)(ask->limit * 1073741824.0));
    mp_failure_keep(&r.failure, measure(ask, before, &r.time));
    _exit(write(fd, &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
}

mp_err mp_time_step(const mp_step_ask *ask, mp_step_time *out)
{
    int fd[2], status = 0;
    if (pipe(fd) != 0) return mp_fail(MP_ERR_IO, "pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid < 0) return mp_fail(MP_ERR_IO, "fork: %s", strerror(errno));
    if (pid == 0) child(ask, fd[1]);
    answer r;
    close(fd[1]);
    ssize_t got = read(fd[0], &r, sizeof r);
    close(fd[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    *out = (mp_step_time){ .nodes = ask->nodes, .full = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FULL };
    if (out->full) return MP_OK;
    if (got != (ssize_t)sizeof r || status != 0)
        return mp_fail(MP_ERR_IO, "%s with %d nodes failed", ask->config->pool, ask->nodes);
    *out = r.time;
    if (r.failure.e == MP_OK) return MP_OK;
    return mp_fail_within(mp_failure_again(&r.failure), "%s, %d nodes", ask->config->pool, ask->nodes);
}
