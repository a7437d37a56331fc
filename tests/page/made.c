/* made.c - pages and stores for tests/page/page.py, made up through the library.
 *
 *     made page FILE       a page with a bit of everything: charts, levels, long tables, names that try to be markup
 *     made store N FILE    a store of N studies, two folds of one seed each, with learning curves of 100 epochs
 * SPDX-License-Identifier: MIT */
#include "../report/made_runs.h"
#include "report/levels.h"
#include "report/report.h"

#include <stdlib.h>

#define HOSTILE "</script><img src=x onerror=alert(1)>\"'&"

static void stop(const char *what)
{
    fprintf(stderr, "made: %s\n", what);
    exit(1);
}

static void must(mp_err e)
{
    if (e != MP_OK) stop(mp_message());
}

/* ---------------------------------------------------------------- page */

static void add_charts(mp_section *s)
{
    static const char *const names[] = { "MUTAG", "PTC_MR", HOSTILE };
    static const double gain[] = { 5, -2.5, 1 }, dev[] = { 1.5, 2, 1 };
    static const double heat[] = { 70, 71.5, 72, 69, (double)NAN, 74, 75, 70.5, 73 };
    const mp_svg_bar bar[] = { { "sag", NULL, gain, dev }, { "topk", NULL, dev, NULL } };
    const mp_svg_bars_spec bars = { "Gains", "points", 0, 3, 2, names, bar };
    const mp_svg_heat_spec cells = { "Grid", "rows", "columns", 3, 3, names, names, heat, 1, false };
    mp_buf svg = { 0 }, csv = { 0 };
    mp_svg_bars(&bars, &svg);
    mp_svg_bars_csv(&bars, &csv);
    mp_section_picture(s, "Gains", "a note", &svg, &csv);
    svg.n = csv.n = 0;
    mp_svg_heat(&cells, &svg);
    mp_svg_heat_csv(&cells, &csv);
    mp_section_picture(s, "Grid", NULL, &svg, &csv);
    mp_buf_free(&svg);
    mp_buf_free(&csv);
}

static void add_table(mp_section *s)
{
    static const char *const header[] = { "name", "number", "time", "same", "word", NULL };
    static const char *const time[] = { "3 min", "90 s", "2.0 h" };
    mp_table t;
    mp_table_init(&t, s->arena, "Numbers", header);
    for (int i = 0; i < 40; i++) {
        mp_table_add(&t, "row %d%s", i, i == 7 ? " " HOSTILE : "");
        mp_table_add(&t, i % 5 ? "%d \xC2\xB1 1" : "-", (i * 17) % 40 - 20);
        mp_table_add(&t, "%s", time[i % 3]);
        mp_table_add(&t, "alike");
        mp_table_add(&t, i % 2 ? "odd" : "even");
    }
    mp_section_table(s, &t);
}

/* Three levels of a ring with two columns of scores. */
static mp_picture add_levels(mp_arena *a)
{
    enum { N = 8, LEVELS = 3 };
    static double x[N], y[N], key[N], column[N * 2];
    static int node[N], from[N], to[N];
    static unsigned char kept[N];
    static mp_svg_level level[LEVELS];
    for (int v = 0; v < N; v++) {
        x[v] = 0.5 + 0.5 * cos(v * 0.785);
        y[v] = 0.5 + 0.5 * sin(v * 0.785);
        key[v] = v;
        column[2 * v] = -v;
        column[2 * v + 1] = v % 3;
        node[v] = from[v] = v;
        to[v] = (v + 1) % N;
        kept[v] = v < N / 2;
    }
    for (int i = 0; i < LEVELS; i++)
        level[i] = (mp_svg_level){ .nodes = N >> i,
                                   .node = node,
                                   .score = key,
                                   .kept = kept,
                                   .edges = i ? 0 : N,
                                   .from = from,
                                   .to = to,
                                   .columns = 2,
                                   .column = column };
    static mp_svg_graph_spec spec = { .nodes = N, .x = x, .y = y, .levels = LEVELS, .level = level };
    return mp_levels_picture(&spec, "Ring", "pooled twice", a);
}

static void make_page(const char *path)
{
    mp_arena *a = mp_arena_new(1 << 16);
    mp_stored run[3 * SAMPLE + 1];
    int n = sample("MUTAG", run);
    n += sample("DD", run + n);
    n += sample(HOSTILE, run + n);
    for (int i = 0; i < n; i++) mp_calibration_add(&run[i].result.calibration, 0.5 + 0.01 * (i % 40), i % 2);
    run[n - 1].status = MP_RUN_FAILED;
    run[n - 1].message = HOSTILE;
    mp_section s = { .arena = a, .name = "charts", .title = "Charts" };
    mp_section_para(&s, "Words, and " HOSTILE);
    add_charts(&s);
    mp_section_heading(&s, "A part");
    add_table(&s);
    mp_picture ring = add_levels(a);
    mp_section_figure(&s, &ring);
    mp_buf b = { 0 };
    must(mp_report_html(run, n, "made.db", &(mp_report_options){ .sections = 1, .section = &s }, &b));
    must(mp_write_file(path, b.p, b.n));
    mp_buf_free(&b);
    mp_arena_free(a);
}

/* ---------------------------------------------------------------- store */

static void make_store(int studies, const char *path)
{
    enum { EPOCHS = 100, POOLS = 10, SETS = 10 };
    static const char *const pools[POOLS] = { "sag",    "topk", "gsa",  "asap", "edge",
                                              "mincut", "diff", "sort", "gmt",  "mem" };
    static mp_epoch curve[EPOCHS];
    mp_store *store;
    for (int i = 0; i < EPOCHS; i++) curve[i] = (mp_epoch){ 0.7 / (1 + 0.05 * i), 0.71 / (1 + 0.04 * i), 0.6 };
    must(mp_store_open(path, MP_STORE_WRITE, &store));
    for (int i = 0; i < studies; i++) {
        char name[32];
        snprintf(name, sizeof name, "SET-%d", i % SETS);
        for (int fold = 1; fold <= 2; fold++) {
            mp_stored r = run_of(name, 42, fold, 1, 0, 0, 0.5 + 0.0004 * i);
            snprintf(r.key.config.pool, sizeof r.key.config.pool, "%s", pools[i / SETS % POOLS]);
            r.key.config.hidden = 16 + i / (SETS * POOLS);
            r.result.curve = curve;
            r.result.curve_len = r.result.epochs = EPOCHS;
            for (int k = 0; k < 50; k++) mp_calibration_add(&r.result.calibration, 0.5 + 0.01 * k, k % 3 != 0);
            must(mp_store_put(store, &r.key, &r.result, NULL));
        }
    }
    mp_store_close(store);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "page") == 0)
        make_page(argv[2]);
    else if (argc == 4 && strcmp(argv[1], "store") == 0)
        make_store(atoi(argv[2]), argv[3]);
    else
        stop("expected page FILE or store N FILE");
    return 0;
}
