/* mpi_module.h - what midpool and its module for MPI know of each other, in C types alone: messages between ranks.
 * SPDX-License-Identifier: MIT */
#ifndef MP_MPI_MODULE_H
#define MP_MPI_MODULE_H

#include <stddef.h>

/* Of mp_mpi_table: another number, another layout. */
#define MP_MPI_ABI    1
#define MP_MPI_SYMBOL "mp_mpi_plugin" /* the one name that the module shows: an mp_mpi_table */

typedef struct mp_mpi_message {
    int from;
    const char *bytes; /* stay until the next `receive` */
    size_t n;
} mp_mpi_message;

typedef struct mp_mpi_table {
    int abi;          /* MP_MPI_ABI of the module */
    const char *made; /* "Open MPI v4.1.4" */

    /* Joins the other ranks. 0, or a number of MPI that says why not. */
    int (*begin)(int *rank, int *ranks);

    /* Sends head and body as one message, a copy of both: returns at once. Messages of one rank to another keep their order.
     * 0: no memory. */
    int (*send)(int to, const void *head, size_t h, const void *body, size_t n);

    /* The next message that has arrived; 0: none yet. */
    int (*receive)(mp_mpi_message *out);

    /* Bytes that were sent and have not left. */
    size_t (*waiting)(void);

    /* Leaves. `all` 0: some ranks are gone, so that waiting for them would have no end; then the process ends here, and the launcher
     * ends those that are left. */
    void (*end)(int all, int exit_code);
} mp_mpi_table;

#endif
