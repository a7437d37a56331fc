/* test_export.c - runs as CSV: every run, every number to its last bit, and no cell that a spreadsheet would run.
 * SPDX-License-Identifier: MIT */
#include "store/store_fixture.h"
#include "data/csv.h"
#include "report/export.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static mp_arena *arena;

static mp_err to_buffer(void *to, const char *bytes, size_t n)
{
    mp_buf_add(to, bytes, n);
    return MP_OK;
}

static mp_err to_nowhere(void *to, const char *bytes, size_t n)
{
    (void)bytes;
    (void)n;
    ++*(int *)to;
    return mp_fail(MP_ERR_IO, "full");
}

typedef struct sheet { /* a table that was read again */
    mp_csv_head head;
    int rows;
    mp_csv_record row[3 * CURVE];
} sheet;

/* With the project's own reader, which knows nothing of how it was written. */
static sheet read_sheet(const mp_buf *b)
{
    mp_csv c = { .file = "sheet" };
    mp_span text = { mp_arena_text(arena, b->p, b->n), b->n };
    mp_csv_record r;
    sheet s = { .rows = 0 };
    bool got;
    assert_int_equal(mp_csv_next(&c, &text, arena, &r, &got), MP_OK);
    assert_true(got);
    if (mp_csv_names(&c, &r, arena, &s.head) != MP_OK) fail_msg("%s", mp_message());
    for (;;) {
        if (mp_csv_next(&c, &text, arena, &r, &got) != MP_OK) fail_msg("%s", mp_message());
        if (!got) return s;
        assert_true(s.rows < 3 * CURVE);
        s.row[s.rows++] = r;
    }
}

static const char *cell(const sheet *s, int row, const char *column)
{
    int at = mp_csv_column(&s->head, column);
    if (at < 0) fail_msg("no column '%s' in %s", column, mp_csv_list(&s->head, arena));
    return mp_arena_text(arena, s->row[row].field[at].p, s->row[row].field[at].n);
}

static double number(const sheet *s, int row, const char *column)
{
    double v;
    if (!mp_to_real(mp_span_of(cell(s, row, column)), &v)) fail_msg("'%s' is no number", cell(s, row, column));
    return v;
}

static sheet exported(const char *const *path, int n, mp_export how, bool curves)
{
    mp_stores *s;
    mp_buf runs = { 0 }, lines = { 0 };
    int count;
    how.runs = (mp_sink){ to_buffer, &runs };
    if (curves) how.curves = (mp_sink){ to_buffer, &lines };
    assert_int_equal(mp_stores_open(path, n, &s), MP_OK);
    if (mp_export_stores(s, &how, &count) != MP_OK) fail_msg("%s", mp_message());
    mp_stores_close(s);
    sheet out = read_sheet(curves ? &lines : &runs);
    if (!curves) assert_int_equal(out.rows, count);
    mp_buf_free(&runs);
    mp_buf_free(&lines);
    return out;
}

static const char *store_of(const mp_run_key *key, const mp_run_result *result, int n)
{
    const char *path = mp_arena_printf(arena, "%s", fresh());
    mp_store *s = open_store(path, MP_STORE_WRITE);
    for (int i = 0; i < n; i++) assert_int_equal(mp_store_put(s, &key[i], &result[i], NULL), MP_OK);
    mp_store_close(s);
    return path;
}

static void every_run_is_a_row_with_the_options_that_differ(void **state)
{
    (void)state;
    mp_run_key key[] = { key_of(42, 1), key_of(42, 2), key_of(43, 1) };
    mp_run_result result[] = { result_of(42, 1), result_of(42, 2), result_of(43, 1) };
    key[2].config.lr = 1.0 / 3;
    key[1].config.flip = 1;
    result[0].test_metric = 0.1 + 0.2;
    result[1].val_loss = 1e-300;
    const char *path = store_of(key, result, 3);
    sheet s = exported(&path, 1, (mp_export){ 0 }, false);
    assert_int_equal(s.rows, 3);
    char hash[65];
    mp_run_key_hash(&key[0], hash);
    assert_string_equal(cell(&s, 0, "key"), hash);
    assert_string_equal(cell(&s, 0, "status"), "done");
    assert_string_equal(cell(&s, 0, "dataset"), "MUTAG");
    assert_string_equal(cell(&s, 0, "fingerprint"), "fedcba9876543210");
    assert_string_equal(cell(&s, 0, "pool"), "sag");
    assert_true(number(&s, 1, "fold") == 2 && number(&s, 2, "seed") == 43 && number(&s, 0, "folds") == 10);
    assert_true(number(&s, 0, "test_metric") == 0.1 + 0.2 && number(&s, 1, "val_loss") == 1e-300);
    assert_true(number(&s, 2, "config.lr") == 1.0 / 3);
    assert_string_equal(cell(&s, 1, "config.flip"), "true");
    assert_true(number(&s, 0, "peak_bytes") == (double)(1ULL << 40));
    assert_string_equal(cell(&s, 0, "version"), MP_VERSION);
    assert_string_equal(cell(&s, 0, "large_metric"), ""); /* NAN */
    assert_int_equal(mp_csv_column(&s.head, "config.ratio"), -1);
    assert_int_equal(mp_csv_column(&s.head, "config.seed"), -1);
    sheet all = exported(&path, 1, (mp_export){ .all_options = true }, false);
    assert_true(number(&all, 0, "config.ratio") == key[0].config.ratio);
    int options = 0;
    for (const mp_opt *o = mp_config_table; o->name; o++) options++;
    assert_int_equal(all.head.columns,
                     s.head.columns - 2 + options - 2); /* lr and flip are in both; pool, seed have others */
}

static void what_failed_has_a_message_and_no_results(void **state)
{
    (void)state;
    const char *path = mp_arena_printf(arena, "%s", fresh());
    mp_run_key k = key_of(42, 1);
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(mp_store_put_failed(s, &k, "loss is \"nan\",\nepoch 3"), MP_OK);
    mp_store_close(s);
    sheet t = exported(&path, 1, (mp_export){ .metrics = true }, false);
    assert_string_equal(cell(&t, 0, "status"), "failed");
    assert_non_null(strstr(cell(&t, 0, "message"), ",\nepoch 3"));
    assert_string_equal(cell(&t, 0, "epochs"), "");
    assert_string_equal(cell(&t, 0, "test_metric"), "");
    assert_string_equal(cell(&t, 0, "metric"), "");
}

static void no_text_of_a_store_is_a_formula(void **state)
{
    (void)state;
    static const char *const evil[] = {
        "=HYPERLINK(\"http://x\",\"y\")", "+1", "-2", "@SUM(A1)", "\tx", "\r=1+1", "a=1", "'x"
    };
    static const char *const want[] = {
        "'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")", "'+1", "'-2", "'@SUM(A1)", "'\tx", "'\r=1+1", "a=1", "'x"
    };
    enum { EVIL = sizeof evil / sizeof *evil };
    mp_run_key key[EVIL];
    mp_run_result result[EVIL];
    for (int i = 0; i < EVIL; i++) {
        key[i] = key_of(42 + i, 1);
        result[i] = result_of(42 + i, 1);
        memset(key[i].dataset, 0, sizeof key[i].dataset);
        strcpy(key[i].dataset, evil[i]);
        result[i].val_loss = -0.5;
    }
    const char *path = store_of(key, result, EVIL);
    mp_buf raw = { 0 };
    mp_stores *s;
    assert_int_equal(mp_stores_open(&path, 1, &s), MP_OK);
    assert_int_equal(mp_export_stores(s, &(mp_export){ .runs = { to_buffer, &raw } }, NULL), MP_OK);
    mp_stores_close(s);
    for (int i = 0; i < EVIL; i++) {
        char quoted[96];
        bool quotes = strpbrk(want[i], ",\"\r\n") != NULL;
        snprintf(quoted, sizeof quoted, quotes ? ",\"%s\"," : ",%s,", want[i]);
        if (!strstr(raw.p, quoted)) fail_msg("no %s in %s", quoted, raw.p);
    }
    assert_non_null(strstr(raw.p, ",-0.5,")); /* a number is a number */
    assert_null(strstr(raw.p, ",=HYPER"));
    assert_null(strstr(raw.p, "\"=HYPER"));
    mp_buf_free(&raw);
}

static void every_metric_has_columns_where_it_is_measured(void **state)
{
    (void)state;
    mp_run_key key[] = { key_of(42, 1), key_of(42, 2) };
    mp_run_result result[] = { result_of(42, 1), result_of(42, 2) };
    for (int i = 0; i < 2; i++) {
        result[i].measures = 1 + i;
        result[i].measure[0] = (mp_measured){ "accuracy", 0.5, 0.25, (double)NAN, (double)NAN };
        result[i].measure[1] = (mp_measured){ "mcc", (double)NAN, 0.125, (double)NAN, (double)NAN };
    }
    const char *path = store_of(key, result, 2);
    sheet s = exported(&path, 1, (mp_export){ .metrics = true }, false);
    assert_true(number(&s, 1, "test.accuracy") == 0.25 && number(&s, 1, "val.accuracy") == 0.5);
    assert_true(number(&s, 1, "test.mcc") == 0.125);
    assert_string_equal(cell(&s, 0, "test.mcc"), "");
    assert_int_equal(mp_csv_column(&s.head, "val.mcc"), -1);
    assert_int_equal(mp_csv_column(&s.head, "large.accuracy"), -1);
    s = exported(&path, 1, (mp_export){ 0 }, false);
    assert_int_equal(mp_csv_column(&s.head, "test.accuracy"), -1);
}

static void curves_are_a_row_an_epoch(void **state)
{
    (void)state;
    mp_run_key key = key_of(42, 1);
    mp_run_result result = result_of(42, 1);
    const char *path = store_of(&key, &result, 1);
    sheet s = exported(&path, 1, (mp_export){ 0 }, true);
    assert_int_equal(s.rows, CURVE);
    char hash[65];
    mp_run_key_hash(&key, hash);
    for (int i = 0; i < CURVE; i++) {
        assert_string_equal(cell(&s, i, "key"), hash);
        assert_true(number(&s, i, "epoch") == i + 1 && number(&s, i, "val_loss") == points[i].val_loss);
    }
    assert_string_equal(cell(&s, 0, "val_metric"), ""); /* NAN */
}

static void several_stores_are_exported_as_one(void **state)
{
    (void)state;
    mp_run_key key[] = { key_of(42, 1), key_of(42, 2), key_of(43, 1) };
    mp_run_result result[] = { result_of(42, 1), result_of(42, 2), result_of(43, 1) };
    const char *path[] = { store_of(key, result, 2), store_of(key + 1, result + 1, 2) };
    assert_int_equal(exported(path, 2, (mp_export){ 0 }, false).rows, 3);
    assert_int_equal(exported(path, 2, (mp_export){ 0 }, true).rows, 3 * CURVE);
}

static void a_store_without_runs_is_a_header_and_a_full_disk_an_error(void **state)
{
    (void)state;
    const char *path = store_of(NULL, NULL, 0);
    assert_int_equal(exported(&path, 1, (mp_export){ 0 }, false).rows, 0);
    mp_stores *s;
    int calls = 0;
    assert_int_equal(mp_stores_open(&path, 1, &s), MP_OK);
    assert_int_equal(mp_export_stores(s, &(mp_export){ .runs = { to_nowhere, &calls } }, NULL), MP_ERR_IO);
    assert_int_equal(calls, 1);
    mp_stores_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_is_a_row_with_the_options_that_differ),
        cmocka_unit_test(what_failed_has_a_message_and_no_results),
        cmocka_unit_test(no_text_of_a_store_is_a_formula),
        cmocka_unit_test(every_metric_has_columns_where_it_is_measured),
        cmocka_unit_test(curves_are_a_row_an_epoch),
        cmocka_unit_test(several_stores_are_exported_as_one),
        cmocka_unit_test(a_store_without_runs_is_a_header_and_a_full_disk_an_error),
    };
    arena = mp_arena_new(1 << 16);
    fixture_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_end();
    mp_arena_free(arena);
    return failed;
}
