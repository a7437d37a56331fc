/* memory.c - see memory.h. Free is the least of what the kernel calls available, what the limits of control groups (of
 * containers and batch systems) and of the process (ulimit -v, -d) leave, and what MIDPOOL_MEMORY says.
 * SPDX-License-Identifier: MIT */
#include "study/memory.h"
#include "base/arena.h"
#include "base/text.h"

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_MIB ((int64_t)1 << 40)

/* Larger pieces get pages of their own: freed, they are the system's again at once, and what was freed before has no say in
 * where later ones lie (without this the forecast's memory made ASAP 4 % slower). */
#define OWN_PAGES (256 << 10)

static size_t allowed;

static void say(size_t bytes)
{
    mp_fail(
        MP_ERR_LIMIT,
        "this needs more memory than is free: %.1f MiB held, %.1f MiB more asked for, %.1f MiB were free at the start",
        (double)mp_arena_total() / 1048576, (double)bytes / 1048576, (double)allowed / 1048576);
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

/* The number behind `key` in a file of lines "key number", or, key "", at its start. 0: none, or "max". */
static size_t number_in(const char *folder, const char *name, const char *key)
{
    char path[PATH_MAX], line[256];
    size_t n = strlen(key);
    unsigned long long v = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    while (f && v == 0 && fgets(line, sizeof line, f))
        if (strncmp(line, key, n) == 0) v = strtoull(line + n, NULL, 10);
    if (f) fclose(f);
    return (size_t)v;
}

/* 0 is no limit; a limit that is used up leaves a byte. */
static size_t lower(size_t before, size_t limit, size_t used)
{
    size_t left = limit > used ? limit - used : 1;
    return limit == 0 || (before != 0 && before < left) ? before : left;
}

/* Pages of files that the group has read are its use too, but go when memory is needed. */
static size_t group_lowers(const char *group, size_t before)
{
    size_t used = number_in(group, "memory.current", "");
    size_t files = number_in(group, "memory.stat", "active_file ") + number_in(group, "memory.stat", "inactive_file ");
    return lower(before, number_in(group, "memory.max", ""), used > files ? used - files : 0);
}

/* Of the group of this process and those above it; the line "0::/a/b" names it. */
static size_t groups_lower(size_t before)
{
    char line[PATH_MAX] = "", group[PATH_MAX + 32];
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && strncmp(line, "0::/", 4) != 0 && fgets(line, sizeof line, f)) {}
    if (f) fclose(f);
    if (strncmp(line, "0::/", 4) != 0) return before;
    snprintf(group, sizeof group, "/sys/fs/cgroup%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    for (char *end; strlen(group) >= strlen("/sys/fs/cgroup"); *end = '\0') {
        before = group_lowers(group, before);
        end = strrchr(group, '/');
    }
    return before;
}

static size_t process_lowers(size_t before)
{
    static const struct {
        int which, column; /* of /proc/self/statm */
    } limits[] = { { RLIMIT_AS, 0 }, { RLIMIT_DATA, 5 } };
    unsigned long long pages[7] = { 0 };
    FILE *f = fopen("/proc/self/statm", "r");
    for (int i = 0; f && i < 7; i++)
        if (fscanf(f, "%llu", &pages[i]) != 1) break;
    if (f) fclose(f);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit r;
        size_t used = (size_t)pages[limits[i].column] * (size_t)sysconf(_SC_PAGESIZE);
        if (getrlimit((__rlimit_resource_t)limits[i].which, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
            before = lower(before, (size_t)r.rlim_cur + 1, used);
    }
    return before;
}

/* MIDPOOL_MEMORY in bytes; 0: not given. */
static mp_err asked(size_t *bytes)
{
    const char *text = getenv("MIDPOOL_MEMORY");
    int64_t mib = 0;
    if (text && (!mp_to_int(mp_span_of(text), &mib) || mib < 1 || mib > MOST_MIB))
        return mp_fail(MP_ERR_USAGE, "MIDPOOL_MEMORY: expected a number of MiB, got '%s'", text);
    *bytes = (size_t)mib << 20;
    return MP_OK;
}

mp_err mp_memory_guard(void)
{
    size_t most;
    MP_TRY(asked(&most));
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
#endif
    allowed = process_lowers(groups_lower(available()));
    allowed -= allowed / 20;
    allowed = lower(allowed, most, 0);
    if (allowed == 0) return MP_OK; /* not known here */
    mp_arena_on_full(say);
    mp_arena_limit(allowed);
    return MP_OK;
}

size_t mp_memory_free(void)
{
    return allowed;
}
