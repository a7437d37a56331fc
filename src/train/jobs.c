/* jobs.c - one socket pair a worker; messages are (length, kind, job) and then bytes.
 *
 * Signals are blocked in the parent except inside ppoll, so none is lost between looking at the flag and
 * waiting. A worker reads job numbers and answers each; the end of its socket is the end of the worker. Why
 * not a thread pool: a crash of one run must not take the others along, and two runs side by side share no
 * cache line.
 * SPDX-License-Identifier: MIT */
#include "train/jobs.h"
#include "base/guard.h"
#include "base/halt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORKERS   256
#define GRACE_SECONDS 20 /* for workers that were asked to stop, to finish an epoch and save */
#define TRIES         2
#define IDLE          (-1)

enum { NEWS = 1, NOTE, DONE, FAILED };

typedef struct head {
    uint32_t bytes;
    int32_t kind, job, status;
} head;

struct mp_worker { /* in the worker */
    int fd, job;
};

typedef struct hand { /* a worker, seen from the parent */
    pid_t pid;        /* 0: this place is free */
    int fd, job;
    bool leaving; /* was told that there is nothing more to do */
    mp_buf in;    /* bytes that are not a whole message yet */
} hand;

typedef struct pool {
    const mp_jobs *jobs;
    mp_jobs_count *count;
    int next;             /* job not yet handed out, where the order is ours */
    bool later;           /* there is more to do, but not now */
    int *again, n_again;  /* jobs that go out once more    */
    unsigned char *tries; /* for each job                  */
    hand hand[MAX_WORKERS];
    mp_halt halt;
} pool;

static int asked(void)
{
    return *mp_halt_asked();
}

/* ---- the worker's side ---- */

static bool send_all(int fd, const void *data, size_t n)
{
    for (const char *p = data; n > 0;) {
        ssize_t put = send(fd, p, n, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

static void post(mp_worker *w, int kind, mp_err status, const void *data, size_t n)
{
    head h = { (uint32_t)n, kind, w->job, (int32_t)status };
    if (!send_all(w->fd, &h, sizeof h) || !send_all(w->fd, data, n)) _exit(1); /* the parent is gone */
}

void mp_worker_tell(mp_worker *w, const void *data, size_t n)
{
    post(w, NEWS, MP_OK, data, n);
}

void mp_worker_note(mp_worker *w, const char *line)
{
    post(w, NOTE, MP_OK, line, strlen(line));
}

const volatile sig_atomic_t *mp_worker_stop(const mp_worker *w)
{
    (void)w;
    return mp_halt_asked();
}

static bool receive_job(int fd, int *job)
{
    ssize_t got;
    do got = recv(fd, job, sizeof *job, MSG_WAITALL);
    while (got < 0 && errno == EINTR && !asked());
    return got == (ssize_t)sizeof *job;
}

typedef struct order {
    const mp_jobs *jobs;
    mp_worker *worker;
    mp_buf *answer;
} order;

static mp_err do_job(void *arg)
{
    const order *o = arg;
    return o->jobs->work(o->jobs->state, o->worker->job, o->worker, o->answer);
}

_Noreturn static void work_until_told(const mp_jobs *j, int fd)
{
    mp_worker w = { .fd = fd };
    while (!asked() && receive_job(fd, &w.job)) {
        mp_buf answer = { 0 };
        mp_err e = mp_guarded(do_job, &(order){ j, &w, &answer });
        if (asked() && e != MP_OK) _exit(0); /* stopped on request: the job is simply not finished */
        if (e == MP_OK)
            post(&w, DONE, e, answer.p, answer.n);
        else
            post(&w, FAILED, e, mp_message(), strlen(mp_message()));
        mp_buf_free(&answer);
    }
    _exit(0);
}

static void become_worker(const pool *p, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (int i = 0; i < MAX_WORKERS; i++)
        if (p->hand[i].pid) close(p->hand[i].fd);
    mp_halt_as_worker(&p->halt);
}

/* ---- the parent's side ---- */

static void note(const pool *p, int job, const char *line)
{
    if (p->jobs->note) p->jobs->note(p->jobs->state, job, line);
}

static mp_err hire(pool *p, hand *h)
{
    int ends[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return mp_fail(MP_ERR_IO, "no socket for a worker: %s", strerror(errno));
    fflush(NULL); /* or the worker would print what is still in our buffers */
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        become_worker(p, parent);
        work_until_told(p->jobs, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return mp_fail(MP_ERR_IO, "no worker could be started: %s", strerror(errno));
    }
    *h = (hand){ .pid = pid, .fd = ends[0], .job = IDLE };
    return MP_OK;
}

/* The job that goes out next, or MP_JOBS_LATER or MP_JOBS_NONE. */
static int next_job(pool *p)
{
    const mp_jobs *j = p->jobs;
    if (asked()) return MP_JOBS_NONE;
    if (p->n_again > 0) return p->again[--p->n_again];
    if (j->next) return j->next(j->state);
    return p->next < j->count ? p->next++ : MP_JOBS_NONE;
}

static void hand_out(hand *h, int job)
{
    h->job = job;
    send_all(h->fd, &job, sizeof job); /* a worker that is gone is noticed when its socket ends */
}

static int busy(const pool *p)
{
    int n = 0;
    for (int i = 0; i < MAX_WORKERS; i++) n += p->hand[i].pid != 0;
    return n;
}

static void let_go(hand *h)
{
    h->leaving = true;
    shutdown(h->fd, SHUT_WR);
}

/* Gives every free place and every idle worker something to do; lets the others go, unless there may be more later. */
static mp_err assign(pool *p)
{
    p->later = false;
    for (int i = 0; i < p->jobs->workers; i++) {
        hand *h = &p->hand[i];
        if (h->pid && (h->job != IDLE || h->leaving)) continue;
        int job = next_job(p);
        p->later = job == MP_JOBS_LATER;
        if (p->later) return MP_OK;
        if (job == MP_JOBS_NONE && h->pid) let_go(h);
        if (job == MP_JOBS_NONE) continue;
        if (!h->pid && hire(p, h) != MP_OK) {
            if (busy(p) == 0) return mp_fail_within(MP_ERR_IO, "jobs");
            p->again[p->n_again++] = job;
            return MP_OK; /* fewer workers than asked for are better than none */
        }
        hand_out(h, job);
    }
    return MP_OK;
}

static mp_err take_message(pool *p, hand *h, const head *m, const char *bytes)
{
    const mp_jobs *j = p->jobs;
    mp_span body = { bytes, m->bytes };
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)(body.n < 1000 ? body.n : 1000), bytes);
    if (m->kind == NEWS && j->news) j->news(j->state, m->job, body);
    if (m->kind == NOTE) note(p, m->job, text);
    if (m->kind == NEWS || m->kind == NOTE) return MP_OK;
    h->job = IDLE;
    if (m->kind == DONE) {
        p->count->done++;
        return j->done(j->state, m->job, body);
    }
    p->count->failed++;
    return j->failed(j->state, m->job, (mp_err)m->status, text);
}

static mp_err take_messages(pool *p, hand *h)
{
    size_t at = 0;
    mp_err e = MP_OK;
    head m;
    while (e == MP_OK && h->in.n - at >= sizeof m) {
        memcpy(&m, h->in.p + at, sizeof m);
        if (h->in.n - at - sizeof m < m.bytes) break;
        e = take_message(p, h, &m, h->in.p + at + sizeof m);
        at += sizeof m + m.bytes;
    }
    if (at) {
        memmove(h->in.p, h->in.p + at, h->in.n - at);
        h->in.n -= at;
    }
    return e;
}

static void describe(int status, char *out, size_t n)
{
    if (WIFSIGNALED(status))
        snprintf(out, n, "the worker died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(out, n, "the worker ended with status %d", WEXITSTATUS(status));
}

/* A worker is gone. If it held a job, the job goes out again, or counts as failed. */
static mp_err bury(pool *p, hand *h)
{
    int status = 0, job = h->job;
    char why[128], line[192];
    while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR) continue;
    close(h->fd);
    mp_buf_free(&h->in);
    *h = (hand){ 0 };
    if (job == IDLE || asked()) return MP_OK;
    describe(status, why, sizeof why);
    if (++p->tries[job] < TRIES) {
        snprintf(line, sizeof line, "%s; trying once more", why);
        note(p, job, line);
        p->count->retried++;
        p->again[p->n_again++] = job;
        return MP_OK;
    }
    snprintf(line, sizeof line, "%s, twice", why);
    p->count->failed++;
    return p->jobs->failed(p->jobs->state, job, MP_ERR_IO, line);
}

static mp_err listen_to(pool *p, hand *h)
{
    char bytes[65536];
    ssize_t got = recv(h->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return MP_OK;
    if (got <= 0) return bury(p, h);
    mp_buf_add(&h->in, bytes, (size_t)got);
    return take_messages(p, h);
}

static void signal_all(const pool *p, int number)
{
    for (int i = 0; i < MAX_WORKERS; i++)
        if (p->hand[i].pid) kill(p->hand[i].pid, number);
}

/* Waits for bytes, a signal or half a second; then hears every worker that has something. */
static mp_err wait_and_listen(pool *p)
{
    struct pollfd fds[MAX_WORKERS];
    hand *whose[MAX_WORKERS];
    int n = 0;
    for (int i = 0; i < MAX_WORKERS; i++) {
        if (!p->hand[i].pid) continue;
        whose[n] = &p->hand[i];
        fds[n++] = (struct pollfd){ .fd = p->hand[i].fd, .events = POLLIN };
    }
    struct timespec half = { 0, 500000000 };
    if (ppoll(fds, (nfds_t)n, &half, &p->halt.mask) <= 0) return MP_OK;
    for (int i = 0; i < n; i++)
        if (fds[i].revents) MP_TRY(listen_to(p, whose[i]));
    return MP_OK;
}

static mp_err run_all(pool *p)
{
    int told = 0;
    time_t since = 0;
    for (;;) {
        MP_TRY(assign(p));
        if (busy(p) == 0 && !p->later) return MP_OK;
        MP_TRY(wait_and_listen(p));
        if (p->jobs->tick) p->jobs->tick(p->jobs->state);
        if (asked() && !told) {
            p->count->interrupted = true;
            told = 1;
            since = time(NULL);
            signal_all(p, SIGTERM);
        }
        if (asked() > 1 || (told && time(NULL) - since > GRACE_SECONDS)) signal_all(p, SIGKILL);
    }
}

static void dismiss(pool *p)
{
    signal_all(p, SIGKILL);
    for (int i = 0; i < MAX_WORKERS; i++) {
        hand *h = &p->hand[i];
        if (!h->pid) continue;
        while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR) continue;
        close(h->fd);
        mp_buf_free(&h->in);
    }
}

mp_err mp_jobs_run(const mp_jobs *j, mp_jobs_count *count)
{
    mp_assert(j->workers >= 1 && j->workers <= MAX_WORKERS);
    *count = (mp_jobs_count){ 0 };
    mp_arena *a = mp_arena_new(65536);
    pool *p = MP_NEW(a, pool, 1);
    *p = (pool){ .jobs = j, .count = count };
    p->again = MP_NEW(a, int, j->count);
    p->tries = MP_NEW(a, unsigned char, j->count);

    mp_halt_begin(&p->halt, true);
    mp_err e = run_all(p);
    dismiss(p);
    mp_halt_end(&p->halt);
    mp_arena_free(a);
    return e;
}
