/* machine.c - see machine.h. Its name is a measurement itself, so that a store knows it.
 * SPDX-License-Identifier: MIT */
#include "experiment/machine.h"

#include "base/crew.h"
#include "study/epoch_time.h"

static mp_err probe(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    int threads = (int)mp_json_real(in->arg, "threads", 0);
    mp_json_put_text(json, mp_machine_name(threads ? threads : mp_cpu_count(), a));
    return MP_OK;
}

static const mp_probe machine = { .name = "machine", .alone = true, .run = probe };

mp_err mp_lab_machine(mp_lab *lab, int threads, const char **name)
{
    const mp_json *first;
    mp_arena *a = mp_lab_arena(lab);
    MP_TRY(mp_lab_measure(lab, &machine, NULL, mp_arena_printf(a, "{\"threads\":%d}", threads), &first));
    bool stored = mp_lab_still(lab) && first && first->kind == MP_JSON_STRING;
    *name = stored ? first->text : mp_machine_name(threads ? threads : mp_cpu_count(), a);
    return MP_OK;
}
