/* memory.c - see memory.h. Free is what the kernel calls available, or what a container's limit leaves, if that is less.
 * SPDX-License-Identifier: MIT */
#include "cli/memory.h"
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

static size_t allowed;

static void refuse(size_t bytes)
{
    fprintf(stderr,
            "midpool: this needs more memory than is free: %.1f MiB held, %.1f MiB more asked for, %.1f MiB free at "
            "the start\n",
            (double)mp_arena_total() / 1048576, (double)bytes / 1048576, (double)allowed / 1048576);
    exit(1);
}

static size_t available(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[256];
    unsigned long long kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
    if (f) fclose(f);
    return (size_t)kib * 1024;
}

static size_t number_in(const char *path)
{
    FILE *f = fopen(path, "r");
    unsigned long long v = 0;
    if (f && fscanf(f, "%llu", &v) != 1) v = 0; /* "max": no limit */
    if (f) fclose(f);
    return (size_t)v;
}

void mp_memory_guard(void)
{
    size_t most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
    allowed = available();
    if (most > used && most - used < allowed) allowed = most - used;
    if (allowed == 0) return; /* not known here */
    mp_arena_on_full(refuse);
    mp_arena_limit(allowed - allowed / 20);
}
