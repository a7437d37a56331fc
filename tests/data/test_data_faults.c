/* test_data_faults.c - reading and writing a folder with the n-th call to the system failing, for each n.
 *
 * The linker sends the calls listed below through here (-Wl,--wrap). With 64-bit file offsets some have two
 * names.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/gather.h"
#include "data/generate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

static int calls, failing; /* the call number `failing` fails; 0: none */

static bool fault(void)
{
    if (++calls != failing) return false;
    errno = EIO;
    return true;
}

ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n)
{
    return fault() ? -1 : __real_read(fd, p, n);
}

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    if (fd <= 2) return __real_write(fd, p, n);
    return fault() ? -1 : __real_write(fd, p, n > 100 ? 100 : n); /* short writes are allowed too */
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    return fault() ? -1 : __real_fsync(fd);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    return fault() ? -1 : __real_rename(from, to);
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    return fault() ? NULL : __real_opendir(path);
}

struct dirent *__real_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d)
{
    return fault() ? NULL : __real_readdir(d);
}

struct dirent *__real_readdir64(DIR *d);
struct dirent *__wrap_readdir64(DIR *d);
struct dirent *__wrap_readdir64(DIR *d)
{
    return fault() ? NULL : __real_readdir64(d);
}

static mp_err read_folder(const char *folder, mp_arena *a, mp_dataset *d)
{
    mp_gather g = { .where = folder, .text = a, .keep = a };
    mp_raw raw;
    MP_TRY(mp_gather_folder(&g, folder));
    MP_TRY(mp_tu_parse(&g.files, a, &raw));
    return mp_dataset_build(&raw, NULL, a, d);
}

static mp_err make_set(int seed, mp_arena *a, mp_raw *raw)
{
    mp_er_options o = { seed, 4, 6, 7, 2 };
    return mp_generate_er(&o, a, raw);
}

static void a_read_that_fails_is_reported_wherever_it_happens(void **state)
{
    const char *folder = new_folder(*state);
    mp_raw raw;
    mp_dataset d;
    WORKS(make_set(1, *state, &raw));
    WORKS(mp_tu_write(&raw, folder));
    calls = 0;
    WORKS(read_folder(folder, *state, &d));
    int all = calls;
    assert_true(all > 8);
    for (int n = 1; n <= all; n++) {
        calls = 0;
        failing = n;
        mp_err e = read_folder(folder, *state, &d);
        failing = 0;
        FAILS(e, "Input/output error");
    }
    remove_folder(folder);
}

/* Whichever call fails, every file is the old one or the new one, and none is left over. */
static void a_write_that_fails_leaves_whole_files(void **state)
{
    mp_raw old, new;
    mp_dataset d;
    WORKS(make_set(1, *state, &old));
    WORKS(make_set(2, *state, &new));
    const char *folder = new_folder(*state);
    calls = 0;
    WORKS(mp_tu_write(&new, folder));
    int all = calls;
    WORKS(mp_tu_write(&old, folder));
    for (int n = 1; n <= all; n++) {
        calls = 0;
        failing = n;
        mp_err e = mp_tu_write(&new, folder);
        failing = 0;
        FAILS(e, "Input/output error");
        WORKS(read_folder(folder, *state, &d));
        assert_int_equal(d.graphs.graphs, 4);
    }
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) assert_null(strstr(entry->d_name, ".tmp"));
    closedir(dir);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_read_that_fails_is_reported_wherever_it_happens),
        CASE(a_write_that_fails_leaves_whole_files),
    };
    return cmocka_run_group_tests_name("data_faults", tests, NULL, NULL);
}
