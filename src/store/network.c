/* network.c - see network.h.
 * SPDX-License-Identifier: MIT */
#include "store/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#define FUSE 0x65735546

/* File systems where programs on several machines may have the file open, which the files that writers share do not bear. */
static const struct {
    unsigned long magic;
    const char *name;
} networks[] = {
    { 0x6969, "NFS" },       { 0xFF534D42, "CIFS" },   { 0xFE534D42, "SMB" },   { 0x517B, "SMB" },
    { FUSE, "FUSE" },        { 0x0BD00BD0, "Lustre" }, { 0x47504653, "GPFS" },  { 0x19830326, "BeeGFS" },
    { 0x01021997, "9P" },    { 0x5346414F, "AFS" },    { 0x73757245, "Coda" },  { 0x00C36400, "CephFS" },
    { 0x7461636F, "OCFS2" }, { 0x01161970, "GFS2" },   { 0xAAD7AAEA, "PanFS" }, { 0x20030528, "OrangeFS" },
};

/* What FUSE has is on a network or not; the list of mounts tells by name. */
static bool fuse_is_network(const char *folder)
{
    static const char *const names[] = { " - fuse.sshfs ", " - fuse.gluster", " - fuse.ceph", " - fuse.s3fs " };
    struct stat is;
    char line[4096], device[48];
    bool found = false;
    FILE *f = fopen("/proc/self/mountinfo", "r");
    if (!f) return false;
    if (stat(folder, &is) != 0) is.st_dev = 0;
    snprintf(device, sizeof device, " %u:%u ", major(is.st_dev), minor(is.st_dev));
    while (!found && fgets(line, sizeof line, f))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            found = found || (strstr(line, device) && strstr(line, names[i]));
    fclose(f);
    return found;
}

/* Of the folder, since the file may not be there. MIDPOOL_FILE_SYSTEM, a number, stands for what the system would say. */
mp_err mp_network_refuse(const char *path)
{
    struct statfs is;
    const char *said = getenv("MIDPOOL_FILE_SYSTEM"), *slash = strrchr(path, '/');
    mp_buf folder = { 0 };
    if (slash)
        mp_buf_add(&folder, path, (size_t)(slash - path) + 1);
    else
        mp_buf_puts(&folder, ".");
    unsigned long type = statfs(folder.p, &is) == 0 ? (unsigned long)is.f_type & 0xFFFFFFFF : 0;
    if (type == FUSE && !fuse_is_network(folder.p)) type = 0;
    mp_buf_free(&folder);
    if (said) type = strtoul(said, NULL, 0);
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (networks[i].magic == type)
            return mp_fail(
                MP_ERR_USAGE,
                "%s: a store is not safe on a network file system (%s): use --store postgresql://..., a local store "
                "for each --part and midpool merge, or MPI with the store on the machine of rank 0",
                path, networks[i].name);
    return MP_OK;
}
