/* test_ranks.c - ranks without MPI: processes that are connected by sockets, so that they can be cut off, stopped and killed, and
 * sanitizers can look on.
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "train/ranks_own.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define RANKS 8
#define JOBS  24
#define THING ((size_t)5 << 20) /* bytes: several pieces */

/* ---- messages through sockets ---- */

typedef struct parcel {
    struct parcel *next;
    size_t n, at;
    char bytes[];
} parcel;

static int line[RANKS][RANKS]; /* line[i][j]: the end of rank i towards rank j */
static parcel *out[RANKS];
static mp_buf in[RANKS];
static int me;
static int silence; /* seconds: few where somebody is silent, many where a busy machine alone could be */
static size_t leaving;
static char *handed;
static int ended, ended_code; /* of rank 0: whether all were there to end together, and the program's code */

static int send_bytes(int to, const void *head, size_t h, const void *body, size_t n)
{
    parcel *p = malloc(sizeof *p + sizeof(size_t) + h + n), **last = &out[to];
    size_t all = h + n;
    *p = (parcel){ .n = sizeof all + all };
    memcpy(p->bytes, &all, sizeof all);
    memcpy(p->bytes + sizeof all, head, h);
    if (n) memcpy(p->bytes + sizeof all + h, body, n);
    while (*last) last = &(*last)->next;
    *last = p;
    leaving += p->n;
    return 1;
}

static void push(void)
{
    for (int to = 0; to < RANKS; to++) {
        for (parcel *p; (p = out[to]);) {
            ssize_t put = send(line[me][to], p->bytes + p->at, p->n - p->at, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (put <= 0) break; /* full, or nobody there: it never leaves */
            p->at += (size_t)put;
            if (p->at < p->n) break;
            out[to] = p->next;
            leaving -= p->n;
            free(p);
        }
    }
}

static int receive(mp_mpi_message *m)
{
    char bytes[65536];
    ssize_t got;
    push();
    free(handed);
    handed = NULL;
    for (int from = 0; from < RANKS; from++) {
        mp_buf *b = &in[from];
        size_t n;
        if (from == me) continue;
        while ((got = recv(line[me][from], bytes, sizeof bytes, MSG_DONTWAIT)) > 0) mp_buf_add(b, bytes, (size_t)got);
        if (b->n < sizeof n) continue;
        memcpy(&n, b->p, sizeof n);
        if (b->n < sizeof n + n) continue;
        handed = malloc(n + 1);
        memcpy(handed, b->p + sizeof n, n);
        memmove(b->p, b->p + sizeof n + n, b->n - sizeof n - n);
        b->n -= sizeof n + n;
        *m = (mp_mpi_message){ from, handed, n };
        return 1;
    }
    return 0;
}

static size_t waiting(void)
{
    return leaving;
}

static void end(int all, int code)
{
    ended = all;
    ended_code = code;
    for (; leaving && me != 0; usleep(1000)) push(); /* rank 0 has its own patience */
}

static const mp_mpi_table sockets = { MP_MPI_ABI, "sockets", NULL, send_bytes, receive, waiting, end };

/* ---- ranks ---- */

static int *
    shared; /* [rank]: things learned; [RANKS + job]: times it was begun; [100 + rank]: bytes that passed through it, MiB */
static pid_t child[RANKS];
static int deaf; /* a rank that dies when a thing comes, so that those below it in the tree get nothing; 0: none */

static mp_err learn(void *state, mp_span bytes)
{
    mp_bytes b;
    (void)state;
    if (me == deaf) _exit(9);
    MP_TRY(mp_bytes_unseal(bytes, "a thing", &b));
    shared[me]++;
    return b.rest.n == THING ? MP_OK : mp_fail(MP_ERR_INPUT, "another length");
}

static mp_err work(void *state, int job, mp_worker *w, mp_buf *answer)
{
    mp_span order = mp_worker_order(w);
    int said = job;
    (void)state;
    if (shared[me] == 0) return mp_fail(MP_ERR_INPUT, "the thing is not there");
    shared[RANKS + job]++;
    mp_worker_tell(w, &said, sizeof said);
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    if (order.n == 5 && memcmp(order.p, "crash", 5) == 0 && shared[RANKS + job] == 1) raise(SIGKILL);
    mp_buf_printf(answer, "%.*s %d", (int)order.n, order.p, job);
    return MP_OK;
}

static mp_err work_here(void *state, int job, mp_worker *w, mp_buf *answer)
{
    (void)state, (void)job, (void)w, (void)answer;
    return mp_fail(MP_ERR_INPUT, "trained by the wrong process");
}

static void open_world(int rank)
{
    mp_world *w = &mp_the_world;
    me = rank;
    for (int i = 0; i < RANKS; i++)
        for (int j = 0; j < RANKS; j++)
            if (i != rank && i != j) close(line[i][j]);
    *w = (mp_world){ .mpi = &sockets, .arena = mp_arena_new(65536), .rank = rank, .ranks = RANKS, .silence = silence };
    mp_process_self(&w->me.process);
}

static void begin(int seconds)
{
    silence = seconds;
    mp_process boss;
    mp_process_self(&boss);
    for (int i = 0; i < RANKS; i++) {
        for (int j = i + 1; j < RANKS; j++) {
            int ends[2];
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
            line[i][j] = ends[0];
            line[j][i] = ends[1];
        }
    }
    memset(shared, 0, 4096);
    for (int i = 1; i < RANKS; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that is stopped leaves nobody behind */
            open_world(i);
            mp_the_world.boss.process = boss;
            mp_server server = { NULL, learn, work };
            _exit(mp_ranks_serve(&server));
        }
    }
    open_world(0);
    mp_the_world.of = MP_NEW(mp_the_world.arena, mp_rank, RANKS);
    for (int i = 1; i < RANKS; i++) {
        mp_rank *r = &mp_the_world.of[i];
        *r = (mp_rank){ .known = true, .heard = mp_seconds() };
        snprintf(r->who.process.host, sizeof r->who.process.host, "elsewhere"); /* nobody can be seen to be gone */
    }
}

enum { APART, TOGETHER, EITHER };
static void finish(int how)
{
    mp_ranks_end(3);
    assert_int_equal(ended_code, 3);
    if (how != EITHER) assert_int_equal(ended, how == TOGETHER);
    for (int i = 1; i < RANKS; i++) {
        kill(child[i], SIGKILL);
        waitpid(child[i], NULL, 0);
    }
    for (int j = 1; j < RANKS; j++) {
        close(line[0][j]);
        mp_buf_free(&in[j]);
        in[j] = (mp_buf){ 0 };
        while (out[j]) {
            parcel *p = out[j];
            out[j] = p->next;
            free(p);
        }
    }
    leaving = 0;
    free(handed);
    handed = NULL;
}

/* ---- rank 0 ---- */

typedef struct record {
    int done[JOBS], failed, notes, packed, news, crash;
    char note[256];
} record;

static mp_err pack(void *state, int job, mp_buf *order, int *thing)
{
    const record *r = state;
    mp_buf_puts(order, job == r->crash ? "crash" : "order");
    *thing = 0;
    return MP_OK;
}

static mp_err pack_thing(void *state, int thing, mp_buf *b)
{
    record *r = state;
    char *filler = calloc(1, MP_SEAL_DIGITS + THING);
    (void)thing;
    for (size_t i = 0; i < THING; i++) filler[MP_SEAL_DIGITS + i] = (char)(i * 7 % 251);
    mp_buf_add(b, filler, MP_SEAL_DIGITS + THING);
    mp_bytes_seal(b, 0);
    free(filler);
    r->packed++;
    return MP_OK;
}

static mp_err on_done(void *state, int job, mp_span answer)
{
    record *r = state;
    char want[32];
    snprintf(want, sizeof want, "%s %d", job == r->crash ? "crash" : "order", job);
    assert_int_equal(answer.n, strlen(want));
    assert_memory_equal(answer.p, want, answer.n);
    r->done[job]++;
    return MP_OK;
}

static mp_err on_failed(void *state, int job, mp_err why, const char *message)
{
    record *r = state;
    (void)job, (void)why;
    snprintf(r->note, sizeof r->note, "%s", message);
    r->failed++;
    return MP_OK;
}

static void on_news(void *state, int job, mp_span what)
{
    record *r = state;
    assert_int_equal(what.n, sizeof job);
    assert_memory_equal(what.p, &job, sizeof job);
    r->news++;
}

static void on_note(void *state, int job, const char *text)
{
    record *r = state;
    (void)job;
    r->notes++;
    snprintf(r->note, sizeof r->note, "%s", text);
}

static mp_jobs plan(record *r)
{
    return (mp_jobs){ .count = JOBS,
                      .workers = RANKS - 1,
                      .state = r,
                      .work = work_here,
                      .pack = pack,
                      .pack_thing = pack_thing,
                      .done = on_done,
                      .failed = on_failed,
                      .news = on_news,
                      .note = on_note };
}

static mp_jobs_count run(record *r)
{
    mp_jobs j = plan(r);
    mp_jobs_count c;
    if (mp_jobs_run(&j, &c) != MP_OK) fail_msg("%s", mp_message());
    if (r->failed) fail_msg("%d failed: %s", r->failed, r->note);
    for (int i = 0; i < JOBS; i++) assert_int_equal(r->done[i], 1);
    return c;
}

static void every_job_is_done_once_and_a_thing_travels_once(void **state)
{
    record r = { .crash = -1 }, again = { .crash = -1 };
    (void)state;
    deaf = 0;
    begin(60);
    mp_jobs_count c = run(&r);
    assert_int_equal(c.retried, 0);
    assert_int_equal(r.news, JOBS);
    assert_int_equal(r.packed, 1);
    run(&again); /* another round: the thing is known by its name */
    for (int i = 1; i < RANKS; i++) assert_int_equal(shared[i], 1);
    finish(TOGETHER);
}

static void a_worker_that_dies_costs_its_job_one_more_try(void **state)
{
    record r = { .crash = 5 };
    (void)state;
    deaf = 0;
    begin(60);
    mp_jobs_count c = run(&r);
    assert_int_equal(c.retried, 1);
    assert_non_null(strstr(r.note, "elsewhere: the worker died of signal 9"));
    assert_int_equal(shared[RANKS + 5], 2);
    finish(TOGETHER);
}

/* Rank 1 passes things on to 3 and 4, and 3 to 7. */
static void ranks_below_one_that_dies_ask_for_what_they_lack(void **state)
{
    record r = { .crash = -1 };
    (void)state;
    deaf = 1;
    begin(4);
    kill(child[1], SIGKILL);
    mp_jobs_count c = run(&r);
    assert_int_equal(c.retried, 1);
    assert_non_null(strstr(r.note, "rank 1 on elsewhere said nothing for 4 s"));
    finish(APART); /* nobody waits for the dead */
}

static void a_rank_that_hangs_costs_its_job_one_more_try_and_may_come_back(void **state)
{
    record r = { .crash = -1 }, again = { .crash = -1 };
    (void)state;
    deaf = 0;
    begin(4);
    run(&r);
    kill(child[2], SIGSTOP);
    r = (record){ .crash = -1 };
    mp_jobs_count c = run(&r);
    assert_int_equal(c.retried, 1);
    assert_non_null(strstr(r.note, "rank 2 on elsewhere said nothing"));
    kill(child[2], SIGCONT);
    c = run(&again);
    assert_int_equal(c.retried, 0);
    finish(EITHER); /* it is back, or about to be */
}

static int share_memory(void **state)
{
    (void)state;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_is_done_once_and_a_thing_travels_once),
        cmocka_unit_test(a_worker_that_dies_costs_its_job_one_more_try),
        cmocka_unit_test(ranks_below_one_that_dies_ask_for_what_they_lack),
        cmocka_unit_test(a_rank_that_hangs_costs_its_job_one_more_try_and_may_come_back),
    };
    return cmocka_run_group_tests(tests, share_memory, NULL);
}
