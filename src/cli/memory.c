/* memory.c - see memory.h. Free is the least of what the kernel calls available, what a container's limit leaves, and
 * what MIDPOOL_MEMORY says.
 * SPDX-License-Identifier: MIT */
#include "cli/memory.h"
#include "base/text.h"
#include "cli/cli.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_MIB ((int64_t)1 << 40)

/* Larger pieces get pages of their own: freed, they are the system's again at once, and what was freed before has no say in
 * where later ones lie (without this the forecast's memory made ASAP 4 % slower). */
#define OWN_PAGES (256 << 10)

static size_t allowed;

static void refuse(size_t bytes)
{
    mp_cli_say(
        "midpool: this needs more memory than is free: %.1f MiB held, %.1f MiB more asked for, %.1f MiB were free at "
        "the start",
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

/* MIDPOOL_MEMORY in bytes; 0: not given. */
static size_t asked(void)
{
    const char *text = getenv("MIDPOOL_MEMORY");
    int64_t mib = 0;
    if (text && (!mp_to_int(mp_span_of(text), &mib) || mib < 1 || mib > MOST_MIB)) {
        mp_cli_say("midpool: MIDPOOL_MEMORY: expected a number of MiB, got '%s'", text);
        exit(2);
    }
    return (size_t)mib << 20;
}

void mp_memory_guard(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
#endif
    size_t most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
    allowed = available();
    if (most > used && most - used < allowed) allowed = most - used;
    allowed -= allowed / 20;
    if (asked() && (allowed == 0 || asked() < allowed)) allowed = asked();
    if (allowed == 0) return; /* not known here */
    mp_arena_on_full(refuse);
    mp_arena_limit(allowed);
}

size_t mp_memory_free(void)
{
    return allowed;
}
