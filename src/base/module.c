/* module.c - see module.h.
 * SPDX-License-Identifier: MIT */
#include "base/module.h"
#include "base/text.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the program or library that this code is in; false: it cannot be told. */
static bool own_folder(char out[PATH_MAX])
{
    static const char here;
    Dl_info info;
    char *slash;
    bool known = dladdr(&here, &info) && info.dli_fname && strchr(info.dli_fname, '/');
    if (known && strlen(info.dli_fname) < PATH_MAX) strcpy(out, info.dli_fname);
    ssize_t n = known ? (ssize_t)strlen(out) : readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (n <= 0) return false;
    out[n] = '\0';
    slash = strrchr(out, '/');
    if (slash) *slash = '\0';
    return slash != NULL;
}

typedef struct search {
    const mp_module *module;
    const void *table;
    mp_err e; /* of the file that was there */
} search;

/* Tries one file. True: it was there, whether it is of use or not. */
static bool try_file(search *s, const char *folder, const char *below)
{
    char path[2 * PATH_MAX];
    int abi = 0;
    mp_format(path, sizeof path, "%s%s/%s", folder, below, s->module->file);
    if (access(path, F_OK) != 0) return false;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *table = handle ? dlsym(handle, s->module->symbol) : NULL;
    if (table) memcpy(&abi, table, sizeof abi);
    if (!handle)
        s->e = mp_fail(MP_ERR_IO, "%s: %s", s->module->needs, dlerror());
    else if (!table || abi != s->module->abi)
        s->e = mp_fail(MP_ERR_IO, "%s: belongs to another version of midpool", path);
    else
        s->table = table;
    return true;
}

mp_err mp_module_load(const mp_module *m, const void **out)
{
    const char *named = getenv("MIDPOOL_PLUGINS");
    char folder[PATH_MAX];
    search s = { .module = m, .e = MP_OK };
    bool found = named && named[0] && try_file(&s, named, "");
    if (!found && own_folder(folder))
        found = try_file(&s, folder, "") || try_file(&s, folder, "/midpool") ||
                try_file(&s, folder, "/../" MP_LIBDIR "/midpool");
    *out = s.table;
    return found ? s.e : mp_fail(MP_ERR_IO, "%s", m->absent);
}
