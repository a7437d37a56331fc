/* stdin_tap.c - see stdin_tap.h.
 * SPDX-License-Identifier: MIT */
#include "cli/stdin_tap.h"
#include "base/halt.h"

#include <poll.h>
#include <unistd.h>

#define LOOK_MS 100 /* between looks at whether to stop: the signal may have come to another thread */

mp_err mp_stopped(void)
{
    return *mp_halt_asked() ? mp_fail(MP_ERR_IO, "stopped by a signal") : MP_OK;
}

static ptrdiff_t read_or_stop(void *state, char *to, size_t n)
{
    const mp_tap *file = state;
    struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
    while (!*mp_halt_asked() && poll(&in, 1, LOOK_MS) <= 0) {}
    return mp_stopped() == MP_OK ? file->read(file->state, to, n) : -1;
}

static void close_file(void *state)
{
    const mp_tap *file = state;
    file->close(file->state);
}

mp_err mp_stdin_tap(mp_arena *a, mp_tap *out)
{
    mp_tap *file = MP_NEW(a, mp_tap, 1);
    MP_TRY(mp_tap_file("-", file));
    *out = (mp_tap){ read_or_stop, close_file, file };
    return MP_OK;
}
