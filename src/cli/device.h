/* device.h - --device and --group: what computes.
 * SPDX-License-Identifier: MIT */
#ifndef MP_CLI_DEVICE_H
#define MP_CLI_DEVICE_H

#include "cli/cli.h"
#include "cuda/lane.h"

enum { MP_DEVICE_CPU, MP_DEVICE_CUDA, MP_DEVICE_AUTO, MP_DEVICE_EMULATED };
#define MP_DEVICE_ROW(type)                                                                                            \
    {                                                                                                                  \
        "device", MP_OPT_CHOICE, offsetof(type, device), "cpu", 0, 0, "cpu|cuda|auto|emulated",                        \
            "what computes: this processor, a GPU, or a GPU where there is one and it can; emulated: for tests. The "  \
            "result does not depend on it"                                                                             \
    }
#define MP_GROUP_ROW(type)                                                                                             \
    {                                                                                                                  \
        "group", MP_OPT_INT, offsetof(type, group), "0", 0, 256, NULL,                                                 \
            "runs side by side on a GPU; 0 = as many as its memory has room for, up to 100", .needs = "device!=cpu"    \
    }

typedef struct mp_device_use { /* what commands give to their work */
    void *conf;
    const mp_cli_args *args;
} mp_device_use;

/* work(state, group) with the device that is asked for, NULL: this processor. A line says what was taken, unless quiet. */
MP_MUST mp_err mp_device_run(int device, bool quiet, mp_err (*work)(void *state, mp_group *group), void *state);

/* Whether nothing but the device will do. */
bool mp_device_only(int device);

#endif
