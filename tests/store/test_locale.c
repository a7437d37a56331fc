/* test_locale.c - a host whose numbers have a decimal comma reads and writes what every other host does: models, answers,
 * data sets, JSON, pages, stores. The test makes the locale de_DE itself; where that cannot be had it is left out.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "data/archive.h"
#include "data/load.h"
#include "data/tu.h"
#include "midpool.h"
#include "model/checkpoint.h"
#include "report/report.h"
#include "report/svg.h"
#include "store_fixture.h"
#include "tiny.h"

#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static mp_arena *arena;

static void ok(mp_err e)
{
    if (e != MP_OK) fail_msg("%s", mp_message());
}

static const char *path(const char *name)
{
    return mp_arena_printf(arena, "%s/%s", fixture_folder(), name);
}

static void write_model(mp_buf *out)
{
    mp_dataset d;
    mp_folds f;
    mp_model *m;
    mp_config c = tiny_config();
    c.ratio = 0.3;
    c.drop = 0.1;
    ok(tiny_make(arena, false, &d, &f));
    ok(mp_model_new(arena, &c,
                    (mp_inputs){ .features = d.x.cols, .edge_features = d.edge_x.cols, .outputs = d.classes }, &m));
    mp_params_init(mp_model_params(m), 1, 1);
    mp_about about = mp_about_of(&d, m);
    about.recipe.degree_mean = 2.5;
    ok(mp_checkpoint_save(path("m.safetensors"), m, &about));
    mp_checkpoint_write(m, &about, out);
}

static void write_answers(mp_buf *out)
{
    static const int from[] = { 0, 1 }, to[] = { 1, 2 };
    mp_predictor *p = mp_predictor_load(path("m.safetensors"));
    if (!p) fail_msg("%s", mp_predictor_error());
    float *x = MP_NEW(arena, float, 3 * mp_predictor_features(p));
    for (int i = 0; i < 3 * mp_predictor_features(p); i++) x[i] = (float)i / 8;
    mp_answer answer;
    assert_true(mp_predict(p, &(mp_query){ .nodes = 3, .edges = 2, .from = from, .to = to, .x = x }, &answer));
    mp_buf_add(out, answer.value, sizeof *answer.value * (size_t)answer.outputs);
    mp_predictor_free(p);
}

static void write_data_set(mp_buf *out)
{
    static const int ptr[] = { 0, 1, 2 }, node_ptr[] = { 0, 2 }, row_ptr[] = { 0, 1, 2 }, col[] = { 1, 0 },
                     rev[] = { 1, 0 };
    static const int zero[] = { 0, 0 };
    static const mp_real value[] = { (mp_real)0.1, (mp_real)1.5e-30 };
    mp_raw raw = { .name = "COMMA", .attributes = { .rows = 2, .cols = 1, .ptr = ptr, .col = zero, .val = value } };
    raw.graphs = mp_graph_of(arena, 1, node_ptr, row_ptr, col, rev);
    mp_span text;
    mp_dataset d;
    ok(mp_tu_write(&raw, path("COMMA")));
    ok(mp_slurp(path("COMMA/COMMA_node_attributes.txt"), 0, arena, &text));
    mp_buf_add(out, text.p, text.n);
    ok(mp_dataset_load(path("COMMA"), NULL, arena, &d));
    for (int i = 0; i < 2; i++) assert_true(d.x.val[i] == value[i]);
}

static void write_json(mp_buf *out)
{
    static const double numbers[] = { 0.1, 1.0 / 3, -1.5e300, 5e-324, 0.30000000000000004, 1e22 };
    const mp_json *v;
    mp_json_open(out, '[');
    for (int i = 0; i < 6; i++) mp_json_put_real(out, numbers[i]);
    mp_json_close(out, ']');
    ok(mp_json_parse((mp_span){ out->p, out->n }, "numbers", arena, &v));
    for (int i = 0; i < 6; i++) assert_true(mp_json_at(v, i)->number == numbers[i]);
    ok(mp_json_parse(mp_span_of("0.1234567890123456789"), "long", arena, &v));
    assert_true(v->number == 0.1234567890123456789);
}

static void write_chart(mp_buf *out)
{
    static const double x[] = { 1, 2, 3 }, y[] = { 0.25, 0.5, 1.75 };
    mp_svg_series line = { "loss", "#123456", false, false, 3, x, y, NULL, NULL };
    mp_svg_chart(&(mp_svg_chart_spec){ .x_label = "epoch", .y_label = "loss", .series = 1, .line = &line }, out);
}

/* A run goes into a store and out of it onto a page; the page has the time of nothing but the run. */
static void write_page(mp_buf *out)
{
    const char *db = fresh();
    mp_store *s = open_store(db, MP_STORE_WRITE);
    mp_run_key key = key_of(1, 1);
    mp_run_result r = result_of(1, 1);
    const mp_stored *run;
    int n;
    key.config.ratio = 0.35;
    r.test_metric = 0.625;
    ok(mp_store_put(s, &key, &r, NULL));
    ok(mp_store_load(s, &(mp_store_filter){ .curves = true }, arena, &run, &n));
    assert_int_equal(n, 1);
    assert_true(run[0].key.config.ratio == 0.35 && run[0].result.test_metric == 0.625);
    mp_stored one = run[0];
    one.finished = "2024-05-06T07:08:09Z";
    ok(mp_report_html(&one, 1, "runs.db", &(mp_report_options){ 0 }, out));
    mp_store_close(s);
}

static void write_message(mp_buf *out)
{
    mp_config c;
    mp_config_init(&c);
    ok(mp_conf_set(mp_config_table, &c, "ratio", "0.25", "--ratio"));
    assert_true(c.ratio == 0.25);
    assert_int_equal(mp_conf_set(mp_config_table, &c, "lr", "0,5", "--lr"), MP_ERR_USAGE);
    mp_buf_puts(out, mp_message());
}

static void (*const works[])(mp_buf *) = { write_model, write_answers, write_data_set, write_json,
                                           write_chart, write_page,    write_message };
#define WORKS ((int)(sizeof works / sizeof *works))

static bool comma(void)
{
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    return strcmp(text, "0,5") == 0;
}

static void bytes_are_the_same_under_a_decimal_comma(void **state)
{
    (void)state;
    mp_buf plain[WORKS] = { 0 };
    for (int i = 0; i < WORKS; i++) works[i](&plain[i]);
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("left out: no locale de_DE.UTF-8 (localedef and the package locales make it)\n");
        for (int i = 0; i < WORKS; i++) mp_buf_free(&plain[i]);
        skip();
    }
    assert_true(comma());
    for (int i = 0; i < WORKS; i++) {
        mp_buf b = { 0 };
        works[i](&b);
        assert_int_equal(b.n, plain[i].n);
        assert_memory_equal(b.p, plain[i].p, b.n);
        mp_buf_free(&b);
        mp_buf_free(&plain[i]);
    }
    assert_true(comma()); /* the host's locale is as it was, for this thread and for all */
    assert_true(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
}

/* The library's own locale is in force while it writes a number: no other thread may see it. */
static void *watch(void *stop)
{
    bool always = true;
    while (!__atomic_load_n((bool *)stop, __ATOMIC_ACQUIRE)) always = always && comma();
    return always ? stop : NULL;
}

static void other_threads_keep_the_comma(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) skip();
    bool stop = false;
    void *always;
    pthread_t other;
    char text[32];
    assert_int_equal(pthread_create(&other, NULL, watch, &stop), 0);
    for (int i = 1; i < 20000; i++) mp_real_text(1.0 / i, text);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    pthread_join(other, &always);
    setlocale(LC_ALL, "C");
    assert_non_null(always);
}

static int set_up(void **state)
{
    (void)state;
    fixture_begin();
    arena = mp_arena_new(1 << 20);
    setenv("LOCPATH", fixture_folder(), 1);
    const char *make =
        mp_arena_printf(arena, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 > /dev/null 2>&1", fixture_folder());
    if (system(make) != 0) print_message("localedef could not make de_DE.UTF-8\n");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mp_arena_free(arena);
    fixture_end();
    return 0;
}

int main(void)
{
    mp_unpack_with(&mp_libarchive);
    const struct CMUnitTest tests[] = { cmocka_unit_test(bytes_are_the_same_under_a_decimal_comma),
                                        cmocka_unit_test(other_threads_keep_the_comma) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
