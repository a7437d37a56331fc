/* hands_fork.c - workers as forked processes, or as threads: one socket pair a worker; messages are (length, kind, job) and then
 * bytes.
 *
 * Signals are blocked in the parent except inside ppoll, so none is lost between looking at the flag and
 * waiting. A worker reads jobs and answers each; the end of its socket is the end of the worker. Why
 * not a thread pool: a crash of one run must not take the others along, and two runs side by side share no
 * cache line. Threads are for runs that share a GPU, which belongs to one process; they hear of signals by the same flag.
 * SPDX-License-Identifier: MIT */
#include "base/guard.h"
#include "train/hands.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORKERS 256

typedef struct head {
    uint32_t bytes;
    int32_t kind, job, status;
} head;

struct mp_worker { /* in the worker */
    int fd, job;
    mp_buf order;
    const volatile sig_atomic_t *stop; /* nonzero: save and end */
    bool threaded;
    const mp_jobs *jobs;
};

typedef struct hand { /* a worker, seen from the parent */
    pid_t pid;        /* 0: this place is free; -1: a thread */
    int fd;
    pthread_t thread;
    volatile sig_atomic_t stop;
    mp_worker worker; /* of a thread */
    mp_buf in;        /* bytes that are not a whole message yet */
} hand;

typedef struct crowd {
    const mp_jobs *jobs;
    const mp_halt *halt;
    mp_arena *arena;
    hand hand[MAX_WORKERS];
} crowd;

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
    if (send_all(w->fd, &h, sizeof h) && send_all(w->fd, data, n)) return;
    if (!w->threaded) _exit(1); /* the parent is gone; one that wants no more of a thread has told it to stop */
}

void mp_worker_tell(mp_worker *w, const void *data, size_t n)
{
    post(w, MP_SAID_NEWS, MP_OK, data, n);
}

void mp_worker_note(mp_worker *w, const char *line)
{
    post(w, MP_SAID_NOTE, MP_OK, line, strlen(line));
}

const volatile sig_atomic_t *mp_worker_stop(const mp_worker *w)
{
    return w->stop;
}

mp_span mp_worker_order(const mp_worker *w)
{
    return (mp_span){ w->order.p, w->order.n };
}

static bool receive_all(int fd, void *out, size_t n)
{
    for (char *p = out; n > 0;) {
        ssize_t got = recv(fd, p, n, MSG_WAITALL);
        if (got < 0 && errno == EINTR && !asked()) continue;
        if (got <= 0) return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static bool receive_job(mp_worker *w)
{
    char piece[4096];
    head h;
    if (!receive_all(w->fd, &h, sizeof h)) return false;
    w->job = h.job;
    w->order.n = 0;
    for (size_t left = h.bytes, n; left > 0; left -= n) {
        n = left < sizeof piece ? left : sizeof piece;
        if (!receive_all(w->fd, piece, n)) return false;
        mp_buf_add(&w->order, piece, n);
    }
    return true;
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

static void work_until_told(mp_worker *w)
{
    while (!*w->stop && receive_job(w)) {
        mp_buf answer = { 0 };
        mp_err e = mp_guarded(do_job, &(order){ w->jobs, w, &answer });
        if (e == MP_OK)
            post(w, MP_SAID_DONE, e, answer.p, answer.n);
        else if (!*w->stop) /* stopped on request: the job is simply not finished */
            post(w, MP_SAID_FAILED, e, mp_message(), strlen(mp_message()));
        mp_buf_free(&answer);
    }
}

static void *thread_main(void *worker)
{
    mp_worker *w = worker;
    work_until_told(w);
    mp_buf_free(&w->order);
    close(w->fd);
    return NULL;
}

static void become_worker(const crowd *c, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (int i = 0; i < MAX_WORKERS; i++)
        if (c->hand[i].pid) close(c->hand[i].fd);
    mp_halt_as_worker(c->halt);
}

/* ---- the parent's side ---- */

static int most(void)
{
    return MAX_WORKERS;
}

static void *open_crowd(const mp_jobs *j, const mp_halt *halt)
{
    mp_arena *a = mp_arena_new(sizeof(crowd) + 4096);
    crowd *c = MP_NEW(a, crowd, 1);
    *c = (crowd){ .jobs = j, .halt = halt, .arena = a };
    return c;
}

static mp_err hire_thread(crowd *c, int place, const int ends[2])
{
    hand *h = &c->hand[place];
    *h = (hand){ .pid = -1, .fd = ends[0] };
    h->worker = (mp_worker){ .fd = ends[1], .stop = &h->stop, .threaded = true, .jobs = c->jobs };
    if (pthread_create(&h->thread, NULL, thread_main, &h->worker) == 0) return MP_OK;
    close(ends[0]);
    close(ends[1]);
    *h = (hand){ 0 };
    return mp_fail(MP_ERR_IO, "no worker could be started: the system refuses a thread");
}

static mp_err hire(void *state, int place)
{
    crowd *c = state;
    int ends[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return mp_fail(MP_ERR_IO, "no socket for a worker: %s", strerror(errno));
    if (c->jobs->threads) return hire_thread(c, place, ends);
    fflush(NULL); /* or the worker would print what is still in our buffers */
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        become_worker(c, parent);
        work_until_told(&(mp_worker){ .fd = ends[1], .stop = mp_halt_asked(), .jobs = c->jobs });
        _exit(0);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return mp_fail(MP_ERR_IO, "no worker could be started: %s", strerror(errno));
    }
    c->hand[place] = (hand){ .pid = pid, .fd = ends[0] };
    return MP_OK;
}

/* A worker that is gone is noticed when its socket ends. */
void mp_fork_give(void *state, int place, int job, mp_span body)
{
    const hand *h = &((crowd *)state)->hand[place];
    head m = { .bytes = (uint32_t)body.n, .job = job };
    if (send_all(h->fd, &m, sizeof m)) send_all(h->fd, body.p, body.n);
}

static mp_err give(void *state, int place, int job)
{
    mp_fork_give(state, place, job, (mp_span){ NULL, 0 });
    return MP_OK;
}

static void stop(void *state, int place)
{
    hand *h = &((crowd *)state)->hand[place];
    h->stop = 1;
    if (h->pid > 0) kill(h->pid, SIGTERM);
}

static int end(hand *h)
{
    int status = 0;
    if (h->pid > 0) {
        while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR) continue;
    } else {
        pthread_join(h->thread, NULL);
    }
    close(h->fd);
    mp_buf_free(&h->in);
    *h = (hand){ 0 };
    return status;
}

/* Ends a worker, without waiting for it: a thread at the end of its epoch. */
static void release(hand *h)
{
    h->stop = 1;
    if (h->pid > 0)
        kill(h->pid, SIGKILL);
    else
        shutdown(h->fd, SHUT_RDWR);
}

static void drop(void *state, int place)
{
    hand *h = &((crowd *)state)->hand[place];
    if (!h->pid) return;
    release(h);
    end(h);
}

static void close_crowd(void *state)
{
    crowd *c = state;
    for (int i = 0; i < MAX_WORKERS; i++)
        if (c->hand[i].pid) release(&c->hand[i]);
    for (int i = 0; i < MAX_WORKERS; i++) drop(c, i);
    mp_arena_free(c->arena);
}

static void describe(int status, char *out, size_t n)
{
    if (WIFSIGNALED(status))
        snprintf(out, n, "the worker died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(out, n, "the worker ended with status %d", WEXITSTATUS(status));
}

static mp_err bury(hand *h, int place, const mp_hearer *to)
{
    char why[128];
    describe(end(h), why, sizeof why);
    return to->hear(to->state, &(mp_said){ .place = place, .kind = MP_SAID_GONE, .body = mp_span_of(why) });
}

static mp_err take_messages(hand *h, int place, const mp_hearer *to)
{
    size_t at = 0;
    mp_err e = MP_OK;
    head m;
    while (e == MP_OK && h->in.n - at >= sizeof m) {
        memcpy(&m, h->in.p + at, sizeof m);
        if (h->in.n - at - sizeof m < m.bytes) break;
        at += sizeof m;
        e = to->hear(to->state, &(mp_said){ place, m.kind, (mp_err)m.status, { h->in.p + at, m.bytes } });
        at += m.bytes;
    }
    if (at) {
        memmove(h->in.p, h->in.p + at, h->in.n - at);
        h->in.n -= at;
    }
    return e;
}

static mp_err listen_to(hand *h, int place, const mp_hearer *to)
{
    char bytes[65536];
    ssize_t got = recv(h->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return MP_OK;
    if (got <= 0) return bury(h, place, to);
    mp_buf_add(&h->in, bytes, (size_t)got);
    return take_messages(h, place, to);
}

static mp_err listen_all(void *state, double seconds, const mp_hearer *to)
{
    crowd *c = state;
    struct pollfd fds[MAX_WORKERS];
    int whose[MAX_WORKERS], n = 0;
    for (int i = 0; i < MAX_WORKERS; i++) {
        if (!c->hand[i].pid) continue;
        whose[n] = i;
        fds[n++] = (struct pollfd){ .fd = c->hand[i].fd, .events = POLLIN };
    }
    struct timespec wait = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
    if (ppoll(fds, (nfds_t)n, &wait, &c->halt->mask) <= 0) return MP_OK;
    for (int i = 0; i < n; i++)
        if (fds[i].revents) MP_TRY(listen_to(&c->hand[whose[i]], whose[i], to));
    return MP_OK;
}

const mp_transport mp_by_fork = { .most = most,
                                  .open = open_crowd,
                                  .close = close_crowd,
                                  .hire = hire,
                                  .give = give,
                                  .drop = drop,
                                  .stop = stop,
                                  .listen = listen_all };
