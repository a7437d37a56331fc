/* mpi.c - the module for MPI: messages that neither block nor wait, on top of MPI_Isend and MPI_Improbe.
 *
 * Nothing here is collective, so a rank that is gone stops nobody: what was sent to it never leaves, what it had begun to send
 * never arrives.
 * SPDX-License-Identifier: MIT */
#include "train/mpi_module.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parcel { /* on its way */
    struct parcel *next;
    MPI_Request request;
    int peer, arrived;
    size_t n;
    char bytes[];
} parcel;

static parcel *outgoing, *incoming,
    *handed; /* incoming: in the order of arrival; handed: what the caller may still read */
static size_t leaving;
static char library[MPI_MAX_LIBRARY_VERSION_STRING];

static parcel *parcel_new(int peer, size_t n)
{
    parcel *p = malloc(sizeof *p + n);
    if (p) *p = (parcel){ .peer = peer, .n = n };
    return p;
}

static void append(parcel **list, parcel *p)
{
    while (*list) list = &(*list)->next;
    *list = p;
}

static int done(MPI_Request *r)
{
    int flag = 0;
    MPI_Test(r, &flag, MPI_STATUS_IGNORE);
    return flag;
}

static void forget_sent(void)
{
    for (parcel **at = &outgoing; *at;) {
        parcel *p = *at;
        if (!done(&p->request)) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        leaving -= p->n;
        free(p);
    }
}

static void take_new(void)
{
    for (;;) {
        MPI_Message message;
        MPI_Status status;
        int flag = 0, n = 0;
        if (MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &message, &status) != MPI_SUCCESS || !flag) return;
        MPI_Get_count(&status, MPI_BYTE, &n);
        parcel *p = parcel_new(status.MPI_SOURCE, (size_t)n);
        if (!p) MPI_Abort(MPI_COMM_WORLD, 1); /* a message that was probed can be refused in no other way */
        MPI_Imrecv(p->bytes, n, MPI_BYTE, &message, &p->request);
        append(&incoming, p);
    }
}

/* The first that is whole and has none of the same rank before it. */
static parcel **first_whole(void)
{
    for (parcel **at = &incoming; *at; at = &(*at)->next) {
        parcel *p = *at;
        int behind = 0;
        for (const parcel *q = incoming; q != p; q = q->next) behind |= q->peer == p->peer;
        if (behind) continue;
        if (!p->arrived) p->arrived = done(&p->request);
        if (p->arrived) return at;
    }
    return NULL;
}

static int begin(int *rank, int *ranks)
{
    int e, n, given;
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0); /* ranks wait most of the time, and not alone on their core */
    setenv("RDMAV_FORK_SAFE", "1", 0);              /* and each forks a worker */
    e = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    if (e != MPI_SUCCESS) return e;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
    MPI_Get_library_version(library, &n);
    return 0;
}

static int send_parcel(int to, const void *head, size_t h, const void *body, size_t n)
{
    parcel *p = parcel_new(to, h + n);
    if (!p) return 0;
    memcpy(p->bytes, head, h);
    if (n) memcpy(p->bytes + h, body, n);
    leaving += p->n;
    append(&outgoing, p);
    MPI_Isend(p->bytes, (int)p->n, MPI_BYTE, to, 0, MPI_COMM_WORLD, &p->request);
    return 1;
}

static int receive(mp_mpi_message *out)
{
    free(handed);
    handed = NULL;
    forget_sent();
    take_new();
    parcel **at = first_whole();
    if (!at) return 0;
    handed = *at;
    *at = handed->next;
    *out = (mp_mpi_message){ handed->peer, handed->bytes, handed->n };
    return 1;
}

static size_t waiting(void)
{
    return leaving;
}

static void end(int all, int exit_code)
{
    free(handed);
    handed = NULL;
    if (!all) MPI_Abort(MPI_COMM_WORLD, exit_code);
    MPI_Finalize();
}

#define SHOWN __attribute__((visibility("default")))
extern SHOWN const mp_mpi_table mp_mpi_plugin;
const mp_mpi_table mp_mpi_plugin = { MP_MPI_ABI, library, begin, send_parcel, receive, waiting, end };
