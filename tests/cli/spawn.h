/* spawn.h - runs the program as a stranger would: arguments in, exit code and both outputs back.
 * SPDX-License-Identifier: MIT */
#ifndef MP_SPAWN_H
#define MP_SPAWN_H

#include "base/text.h"

#include <sys/types.h>

typedef struct mp_spawned {
    int code; /* exit code; 128 + number when a signal ended it */
    mp_buf out, err;
} mp_spawned;

/* `line` is split at spaces; @ stands for the folder of the test, '' for an empty word. */
mp_spawned mp_spawn(const char *line);
void mp_spawn_free(mp_spawned *s);

/* Becomes it, for a process of its own: standard error stays, standard output goes to nothing. */
_Noreturn void mp_spawn_exec(const char *line);

/* Starts it and comes back at once; its outputs go to nothing. */
pid_t mp_spawn_start(const char *line);

/* Waits until it catches the signal, and so is at work, or has ended. The test ends after a minute of neither. */
void mp_spawn_at_work(pid_t pid, int number);
void mp_spawn_pause(int ms);

/* Files of at most this many bytes can be written by what is started from now on; 0: no limit. */
void mp_spawn_limit_files(size_t bytes);

/* The folder of this test, made empty at first use; everything in it goes with mp_spawn_clean. */
const char *mp_spawn_dir(void);
void mp_spawn_clean(void);

#endif
