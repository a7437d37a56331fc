/* fault_vfs.c - see fault_vfs.h.
 * SPDX-License-Identifier: MIT */
#include "fault_vfs.h"

#include <sqlite3.h>
#include <string.h>

typedef struct shim {
    sqlite3_file base;
    sqlite3_file *real; /* behind this struct, in the same block */
} shim;

static sqlite3_vfs *below, vfs;
static int calls, fail_at, fail_on;

static int fails(void)
{
    calls++;
    return fail_at && (calls == fail_at || (fail_on && calls > fail_at));
}

static sqlite3_file *real(sqlite3_file *f)
{
    return ((shim *)f)->real;
}

#define PASS(call, ...) real(f)->pMethods->call(__VA_ARGS__)

static int shim_close(sqlite3_file *f)
{
    return PASS(xClose, real(f));
}
static int shim_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    return PASS(xRead, real(f), p, n, at);
}
static int shim_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    return fails() ? SQLITE_FULL : PASS(xWrite, real(f), p, n, at);
}
static int shim_truncate(sqlite3_file *f, sqlite3_int64 n)
{
    return fails() ? SQLITE_IOERR_TRUNCATE : PASS(xTruncate, real(f), n);
}
static int shim_sync(sqlite3_file *f, int flags)
{
    return fails() ? SQLITE_IOERR_FSYNC : PASS(xSync, real(f), flags);
}
static int shim_size(sqlite3_file *f, sqlite3_int64 *n)
{
    return PASS(xFileSize, real(f), n);
}
static int shim_lock(sqlite3_file *f, int level)
{
    return PASS(xLock, real(f), level);
}
static int shim_unlock(sqlite3_file *f, int level)
{
    return PASS(xUnlock, real(f), level);
}
static int shim_reserved(sqlite3_file *f, int *out)
{
    return PASS(xCheckReservedLock, real(f), out);
}
static int shim_control(sqlite3_file *f, int op, void *arg)
{
    return PASS(xFileControl, real(f), op, arg);
}
static int shim_sector(sqlite3_file *f)
{
    return PASS(xSectorSize, real(f));
}
static int shim_device(sqlite3_file *f)
{
    return PASS(xDeviceCharacteristics, real(f));
}
static int shim_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return PASS(xShmMap, real(f), page, size, extend, out);
}
static int shim_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return PASS(xShmLock, real(f), offset, n, flags);
}
static void shim_shm_barrier(sqlite3_file *f)
{
    PASS(xShmBarrier, real(f));
}
static int shim_shm_unmap(sqlite3_file *f, int delete_it)
{
    return PASS(xShmUnmap, real(f), delete_it);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_device,
    .xShmMap = shim_shm_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_shm_barrier,
    .xShmUnmap = shim_shm_unmap,
};

static int shim_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
    (void)v;
    shim *s = (shim *)f;
    s->real = (sqlite3_file *)(s + 1);
    int rc = below->xOpen(below, name, s->real, flags, out);
    s->base.pMethods = rc == SQLITE_OK ? &methods : NULL;
    return rc;
}

void fault_vfs_install(void)
{
    below = sqlite3_vfs_find(NULL);
    memcpy(&vfs, below, sizeof vfs);
    vfs.zName = "fault";
    vfs.pNext = NULL;
    vfs.szOsFile = below->szOsFile + (int)sizeof(shim);
    vfs.xOpen = shim_open;
    sqlite3_vfs_register(&vfs, 1);
}

void fault_vfs_arm(int n, int stay)
{
    calls = 0;
    fail_at = n;
    fail_on = stay;
}

int fault_vfs_calls(void)
{
    return calls;
}
