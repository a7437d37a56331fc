/* store_fixture.h - what the tests of the store share: made-up runs, and a check that a store is sound.
 * SPDX-License-Identifier: MIT */
#ifndef MP_STORE_FIXTURE_H
#define MP_STORE_FIXTURE_H

#include "store/db.h"

#define CURVE 40 /* epochs of a made-up run */

extern mp_epoch points[CURVE];

/* Makes the folder; removes it with all that is in it. */
void fixture_begin(void);
void fixture_end(void);
const char *fixture_folder(void);

/* A store that no other test has used: a file, or a schema of the server that tests/rig/postgres.sh has started. */
const char *fresh(void);
bool in_server(void);

/* First in tests of what is in files alone. */
#define FILES_ONLY()                                                                                                   \
    do                                                                                                                 \
        if (in_server()) skip();                                                                                       \
    while (0)

mp_run_key key_of(int seed, int fold);
mp_run_result result_of(int seed, int fold);
mp_store *open_store(const char *path, mp_store_mode mode); /* fails the test when it cannot */
mp_err put(mp_store *s, int seed, int fold, bool *added);
mp_run_status status_of(mp_store *s, int seed, int fold);

/* Every finished run has its whole curve, and SQLite finds nothing wrong. */
void assert_sound(const char *path);

#endif
