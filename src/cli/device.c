/* device.c - see device.h.
 * SPDX-License-Identifier: MIT */
#include "cli/device.h"
#include "base/guard.h"
#include "cli/progress.h"

bool mp_device_only(int device)
{
    return device == MP_DEVICE_CUDA || device == MP_DEVICE_EMULATED;
}

static mp_err take(int device, bool quiet, mp_group **out)
{
    mp_progress p;
    *out = NULL;
    if (device == MP_DEVICE_CPU) return MP_OK;
    mp_progress_init(&p, quiet);
    mp_err e = mp_group_open(device == MP_DEVICE_EMULATED ? "emulated" : "cuda", out);
    if (e == MP_OK)
        mp_progress_line(&p, "device: %s", mp_group_device(*out));
    else if (device == MP_DEVICE_AUTO)
        mp_progress_line(&p, "%s; this processor computes", mp_message());
    return device == MP_DEVICE_AUTO ? MP_OK : e;
}

typedef struct job {
    mp_err (*work)(void *, mp_group *);
    void *state;
    mp_group *group;
} job;

static mp_err do_job(void *arg)
{
    const job *j = arg;
    return j->work(j->state, j->group);
}

mp_err mp_device_run(int device, bool quiet, mp_err (*work)(void *, mp_group *), void *state)
{
    mp_group *group;
    MP_TRY(take(device, quiet, &group));
    mp_err e = mp_guarded(do_job, &(job){ work, state, group });
    mp_group_close(group);
    return e;
}
