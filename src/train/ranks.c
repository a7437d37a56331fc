/* ranks.c - see ranks.h.
 * SPDX-License-Identifier: MIT */
#include "train/ranks.h"
#include "base/guard.h"
#include "base/module.h"
#include "train/ranks_own.h"
#include "train/run.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELLO_SECONDS 60
#define FIRST_NAP     50e-6
#define LONGEST_NAP   4e-3
#define SENDING_NAP   200e-6
#define SILENCE       60

mp_world mp_the_world;
static mp_world *const world = &mp_the_world;

/* ---- what launchers say ---- */

static int number_of(const char *name)
{
    const char *text = getenv(name);
    int64_t n;
    return text && mp_to_int(mp_span_of(text), &n) && n >= 1 && n < 1 << 20 ? (int)n : 0;
}

int mp_ranks_started(void)
{
    /* Of mpirun (Open MPI), of Hydra and srun --mpi=pmi2, of any other step of srun: a batch script itself has no number of a step. */
    static const char *const size[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE" };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (number_of(size[i])) return number_of(size[i]);
    if (getenv("SLURM_STEP_ID") && number_of("SLURM_STEP_NUM_TASKS")) return number_of("SLURM_STEP_NUM_TASKS");
    return 1;
}

/* ---- messages ---- */

int mp_world_below(int rank, int to[2])
{
    int n = 0;
    for (int i = 1; i <= 2; i++)
        if (2 * rank + i < world->ranks) to[n++] = 2 * rank + i;
    return n;
}

void mp_world_send(int to, const mp_wire *w, mp_span body)
{
    if (!world->mpi->send(to, w, sizeof *w, body.p, body.n))
        mp_give_up(mp_fail(MP_ERR_LIMIT, "no memory for a message to rank %d", to));
}

bool mp_world_receive(int *from, mp_wire *w, mp_span *body)
{
    mp_mpi_message m;
    while (world->mpi->receive(&m)) {
        if (m.n < sizeof *w) continue;
        memcpy(w, m.bytes, sizeof *w);
        *from = m.from;
        *body = (mp_span){ m.bytes + sizeof *w, m.n - sizeof *w };
        return true;
    }
    return false;
}

double mp_world_next_nap(double nap)
{
    double longest = world->mpi->waiting() ? SENDING_NAP : LONGEST_NAP; /* what is sent leaves while we look */
    nap = nap > 0 ? 2 * nap : FIRST_NAP;
    return nap < longest ? nap : longest;
}

void mp_world_nap(double *nap, const sigset_t *mask)
{
    *nap = mp_world_next_nap(*nap);
    ppoll(NULL, 0, &(struct timespec){ .tv_nsec = (long)(*nap * 1e9) }, mask);
}

/* ---- joining ---- */

static void know_thyself(void)
{
    mp_hello *me = &world->me;
    snprintf(me->version, sizeof me->version, "%s", MP_VERSION);
    mp_process_self(&me->process);
    me->size = (int32_t)(sizeof(mp_run_result) + sizeof(mp_wire));
    world->silence = number_of("MIDPOOL_SILENCE") ? number_of("MIDPOOL_SILENCE") : SILENCE;
}

static void say_hello(int to)
{
    mp_world_send(to, &(mp_wire){ .kind = MP_WIRE_HELLO }, (mp_span){ (const char *)&world->me, sizeof world->me });
}

bool mp_world_hello(const mp_wire *w, mp_span body, mp_hello *who)
{
    if (w->kind != MP_WIRE_HELLO || body.n != sizeof *who) return false;
    memcpy(who, body.p, sizeof *who);
    who->version[sizeof who->version - 1] = 0;
    who->process.host[sizeof who->process.host - 1] = who->process.boot[sizeof who->process.boot - 1] = 0;
    return true;
}

static mp_err check_build(int rank, const mp_hello *who)
{
    if (strcmp(who->version, world->me.version) == 0 && who->size == world->me.size) return MP_OK;
    return mp_fail(MP_ERR_USAGE, "rank %d on %s is midpool %s of another build, rank 0 is %s", rank, who->process.host,
                   who->version, world->me.version);
}

/* Rank 0 hears of everybody before it begins. */
static mp_err meet(void)
{
    double until = mp_seconds() + HELLO_SECONDS, nap = 0;
    for (int met = 1, from; met < world->ranks;) {
        mp_wire w;
        mp_span body;
        if (!mp_world_receive(&from, &w, &body)) {
            if (mp_seconds() > until)
                return mp_fail(MP_ERR_IO, "%d of %d ranks said nothing for %d s", world->ranks - met, world->ranks,
                               HELLO_SECONDS);
            mp_world_nap(&nap, NULL);
            continue;
        }
        mp_rank *r = &world->of[from];
        if (r->known || !mp_world_hello(&w, body, &r->who)) continue;
        MP_TRY(check_build(from, &r->who));
        r->known = true;
        r->here = strcmp(r->who.process.host, world->me.process.host) == 0 &&
                  strcmp(r->who.process.boot, world->me.process.boot) == 0;
        r->heard = mp_seconds();
        met++;
    }
    for (int i = 1; i < world->ranks; i++) say_hello(i);
    return MP_OK;
}

/* Open MPI ends a process that is a step of srun and was told of no other. */
static bool is_connected(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_NAMESPACE") || getenv("PMIX_RANK");
}

static mp_err not_connected(int started)
{
    return mp_fail(MP_ERR_USAGE,
                   "%d processes were started together, but MPI does not connect them: start them with mpirun, or srun "
                   "--mpi=pmix; or --workers fork, each a command of its own",
                   started);
}

mp_err mp_ranks_begin(int *rank)
{
    static const mp_module module = {
        .file = "midpool_mpi.so",
        .symbol = MP_MPI_SYMBOL,
        .abi = MP_MPI_ABI,
        .needs = "ranks need Open MPI, whose libraries Debian has as libopenmpi3",
        .absent =
            "several processes were started together, and midpool was built without MPI (no midpool_mpi.so): install "
            "libopenmpi-dev, then build again; or --workers fork, each a command of its own",
    };
    const void *table;
    int started = mp_ranks_started();
    if (started < 2)
        return mp_fail(MP_ERR_USAGE, "--workers mpi: needs at least two processes: mpirun -n 4 midpool ...");
    MP_TRY(mp_module_load(&module, &table));
    const mp_mpi_table *mpi = table;
    if (!is_connected()) return not_connected(started);
    int e = mpi->begin(&world->rank, &world->ranks);
    if (e) return mp_fail(MP_ERR_IO, "MPI did not begin (its error %d)", e);
    world->mpi = mpi;
    *rank = world->rank;
    if (world->ranks < 2) return not_connected(started);
    world->arena = mp_arena_new(65536);
    know_thyself();
    if (world->rank > 0) {
        say_hello(0);
        return MP_OK;
    }
    world->of = MP_NEW(world->arena, mp_rank, world->ranks);
    return meet();
}

int mp_ranks_workers(void)
{
    return world->of ? world->ranks - 1 : 0;
}

int mp_ranks_here(void)
{
    int n = 0;
    for (int i = 1; i <= mp_ranks_workers(); i++) n += world->of[i].here;
    return n;
}

void mp_ranks_end(int exit_code)
{
    bool all = true;
    if (!world->mpi) return;
    fflush(NULL);
    for (int i = 1; i <= mp_ranks_workers(); i++) {
        const mp_rank *r = &world->of[i];
        all = all && r->known && (!r->lost || r->left); /* who was told to end still waits for our word */
    }
    for (int i = 1; i <= mp_ranks_workers(); i++)
        mp_world_send(i, &(mp_wire){ .kind = MP_WIRE_END, .status = all }, (mp_span){ NULL, 0 });
    double nap = 0, until = mp_seconds() + 2;
    int from;
    mp_wire w;
    mp_span body;
    while (world->mpi->waiting() && mp_seconds() < until)
        if (!mp_world_receive(&from, &w, &body)) mp_world_nap(&nap, NULL);
    world->mpi->end(all, exit_code);
    mp_arena_free(world->arena);
    *world = (mp_world){ 0 };
}
