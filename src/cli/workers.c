/* workers.c - see workers.h.
 * SPDX-License-Identifier: MIT */
#include "cli/workers.h"
#include "base/crew.h"
#include "train/serve.h"

#include <string.h>

static int asked_for(int argc, char **argv)
{
    static const mp_opt row[] = { { "workers", MP_OPT_CHOICE, 0, "auto", 0, 0, "auto|fork|mpi", "" },
                                  { .name = NULL } };
    int workers = MP_WORKERS_AUTO;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *value = strncmp(argv[i], "--workers=", 10) == 0             ? argv[i] + 10
                            : strcmp(argv[i], "--workers") == 0 && i + 1 < argc ? argv[i + 1]
                                                                                : NULL;
        if (value && mp_conf_set(row, &workers, "workers", value, "--workers") != MP_OK) return MP_WORKERS_FORK;
    }
    return workers;
}

bool mp_workers_join(int argc, char **argv, mp_err *e, int *code)
{
    int workers = asked_for(argc, argv), rank = 0;
    *e = MP_OK;
    if (workers == MP_WORKERS_FORK || (workers == MP_WORKERS_AUTO && mp_ranks_started() < 2)) return false;
    *e = mp_ranks_begin(&rank);
    if (*e != MP_OK || rank == 0) return false;
    mp_arena *a = mp_arena_new(65536);
    mp_server server = mp_cv_server(a);
    *code = mp_ranks_serve(&server);
    mp_arena_free(a);
    return true;
}

void mp_workers_leave(int code)
{
    mp_ranks_end(code);
}

mp_err mp_workers_side(int workers, int jobs, int threads, mp_side *out)
{
    int ranks = mp_ranks_workers();
    if (workers == MP_WORKERS_MPI && !ranks)
        return mp_fail(MP_ERR_USAGE, "workers: mpi is for the command line: mpirun -n 4 midpool ... --workers mpi");
    out->jobs = jobs ? jobs : mp_cpu_count();
    if (ranks && (!jobs || jobs > ranks)) out->jobs = ranks;
    out->threads = threads ? threads : out->jobs > 1 || ranks ? 1 : mp_cpu_count();
    return MP_OK;
}
