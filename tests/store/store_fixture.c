/* store_fixture.c - see store_fixture.h.
 * SPDX-License-Identifier: MIT */
#include "store_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/midpool_store_XXXXXX";
mp_epoch points[CURVE];

void fixture_begin(void)
{
    if (!mkdtemp(folder)) exit(1);
    chmod(folder, 0755);
    for (int i = 0; i < CURVE; i++) points[i] = (mp_epoch){ 1.0 / (i + 1), 2.0 / (i + 3), i ? 0.5 : (double)NAN };
}

void fixture_end(void)
{
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) exit(1);
}

const char *fixture_folder(void)
{
    return folder;
}

bool in_server(void)
{
    return getenv("MIDPOOL_POSTGRES") != NULL;
}

static void fresh_schema(int number, char *out, size_t n)
{
    const char *server = getenv("MIDPOOL_POSTGRES");
    char command[512];
    snprintf(command, sizeof command, "psql -q -h '%s' -U midpool lab -c 'CREATE SCHEMA t%d_%d'", server, (int)getpid(),
             number);
    assert_int_equal(system(command), 0);
    snprintf(out, n, "postgresql://midpool@/lab?host=%s&options=-csearch_path%%3Dt%d_%d", server, (int)getpid(),
             number);
}

const char *fresh(void)
{
    static char path[256];
    static int count;
    if (in_server())
        fresh_schema(count++, path, sizeof path);
    else
        snprintf(path, sizeof path, "%s/%d.db", folder, count++);
    return path;
}

mp_run_key key_of(int seed, int fold)
{
    mp_run_key k;
    memset(&k, 0, sizeof k);
    strcpy(k.dataset, "MUTAG");
    strcpy(k.folds_from, "files");
    k.fingerprint = 0xFEDCBA9876543210;
    k.fold = fold > 100 ? fold % 100 : fold; /* tests count folds beyond the most there can be: other seeds */
    k.folds = fold > 10 ? 100 : 10;
    mp_config_init(&k.config);
    k.config.seed = seed + 1000 * (fold / 100);
    return k;
}

mp_run_result result_of(int seed, int fold)
{
    mp_run_result r = { .task = "classify",
                        .metric = "accuracy",
                        .epochs = CURVE,
                        .best_epoch = 7,
                        .hit_cap = 1,
                        .train_loss = 0.25,
                        .val_loss = 0.5,
                        .val_metric = 1.0 / (1 + fold),
                        .test_metric = 1.0 / (1 + seed),
                        .large_metric = (double)NAN,
                        .large_c_metric = (double)NAN,
                        .seconds = 1.5,
                        .seconds_per_epoch = 0.01,
                        .peak_bytes = 1ULL << 40,
                        .curve_len = CURVE,
                        .curve = points };
    memset(r.model_sha256, 'a', 64);
    mp_calibration_add(&r.calibration, 0.25, 1);
    mp_calibration_add(&r.calibration, 1.0 / (1 + fold), seed % 2);
    return r;
}

mp_store *open_store(const char *path, mp_store_mode mode)
{
    mp_store *s;
    if (mp_store_open(path, mode, &s) != MP_OK) fail_msg("%s", mp_message());
    return s;
}

mp_err put(mp_store *s, int seed, int fold, bool *added)
{
    mp_run_key k = key_of(seed, fold);
    mp_run_result r = result_of(seed, fold);
    return mp_store_put(s, &k, &r, added);
}

mp_run_status status_of(mp_store *s, int seed, int fold)
{
    mp_run_key k = key_of(seed, fold);
    mp_run_status status;
    if (mp_store_has(s, &k, &status) != MP_OK) fail_msg("%s", mp_message());
    return status;
}

void assert_sound(const char *path)
{
    mp_store *s = open_store(path, MP_STORE_READ);
    int64_t n;
    assert_int_equal(mp_db_int(s,
                               "SELECT count(*) FROM run WHERE status = 'done' AND "
                               "(SELECT count(*) FROM curve WHERE curve.run = run.id) <> run.epochs",
                               &n),
                     MP_OK);
    assert_int_equal(n, 0);
    assert_int_equal(mp_db_int(s, "SELECT count(*) FROM curve WHERE run NOT IN (SELECT id FROM run)", &n), MP_OK);
    assert_int_equal(n, 0);
    if (!in_server())
        assert_int_equal(mp_db_int(s, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'", &n),
                         MP_OK);
    assert_int_equal(n, 0);
    mp_store_close(s);
}
