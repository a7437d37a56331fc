/* process.h - this process and others of the same host: who they are, and whether they still live.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PROCESS_H
#define MP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mp_process {
    char host[65];
    char boot[97]; /* this boot of the host, and the space of process numbers: a container has its own */
    int64_t pid;   /* within that space */
    int64_t birth; /* when it began, in ticks since the boot: a number may be given again, but not to the same moment */
} mp_process;

void mp_process_self(mp_process *out);

/* Whether a process of this host, boot and space is gone. False of any other: nothing can be known of it here. */
bool mp_process_gone(const mp_process *p);

#endif
