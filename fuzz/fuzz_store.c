/* fuzz_store.c - bytes as damage to a good store (tests/store/store_damage.c), which is then read, reported and written to.
 * SPDX-License-Identifier: MIT */
#include "../tests/store/store_damage.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64], page[64];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"; /* the first needs no disk */
    snprintf(path, sizeof path, "%s/midpool_fuzz_%ld.db", folder, (long)getpid());
    snprintf(page, sizeof page, "%s/midpool_fuzz_%ld.html", folder, (long)getpid());
    damage_make(path, data, size);
    damage_use(path, page);
    unlink(path);
    unlink(page);
    return 0;
}
