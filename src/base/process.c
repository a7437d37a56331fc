/* process.c - see process.h. What is not in /proc is left empty; a process of which nothing can be read counts as living.
 * SPDX-License-Identifier: MIT */
#include "base/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_line(const char *path, char *out, size_t n)
{
    FILE *f = fopen(path, "r");
    bool got = f && fgets(out, (int)n, f);
    if (f) fclose(f);
    if (!got) out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return got;
}

/* The 22nd field of /proc/PID/stat; the second, the name, is in parentheses and may have anything in it. -1: it has ended. */
static int64_t birth_of(int64_t pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    const char *p = read_line(path, line, sizeof line) ? strrchr(line, ')') : NULL;
    if (!p) return -1;
    if (p[1] && (p[2] == 'Z' || p[2] == 'X')) return -1; /* dead, and nobody has asked how */
    for (int field = 2; p && field < 22; field++) p = strchr(p + 1, ' ');
    return p ? strtoll(p, NULL, 10) : -1;
}

void mp_process_self(mp_process *out)
{
    char space[48] = "";
    memset(out, 0, sizeof *out);
    if (gethostname(out->host, sizeof out->host - 1) != 0) out->host[0] = '\0';
    char boot[48];
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0) space[0] = '\0';
    snprintf(out->boot, sizeof out->boot, "%s %s", boot, space);
    out->pid = getpid();
    out->birth = birth_of(out->pid);
}

bool mp_process_gone(const mp_process *p)
{
    mp_process self;
    mp_process_self(&self);
    if (self.birth < 0 || strcmp(self.host, p->host) != 0 || strcmp(self.boot, p->boot) != 0) return false;
    return birth_of(p->pid) != p->birth;
}
