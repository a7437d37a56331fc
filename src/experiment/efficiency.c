/* efficiency.c - seconds and bytes of a training step on growing random graphs (protocol.md 9.2).
 *
 * A size is measured when the one before it fitted into memory and did not take too long.
 * SPDX-License-Identifier: MIT */
#include "baseline/baseline.h"
#include "experiment/figures.h"
#include "experiment/board.h"
#include "experiment/machine.h"
#include "experiment/make.h"
#include "pool/pool.h"
#include "report/svg_axis.h"
#include "study/memory.h"
#include "study/step_time.h"
#include "train/preset.h"

#include <math.h>
#include <string.h>

#define PAPER_DROPS "sag,topk,asap,gsa"
#define DENSE       "diff,mincut,gmt,mem,edge"
#define LIMIT       16 /* GiB */
#define LONG        60 /* seconds of a step after which larger graphs are not tried; quick: QUICK_LONG */
#define QUICK_LONG  1
#define MOST        60 /* seconds of all steps of a model and size, after which there are no more */
enum { SIZES = 7, QUICK_SIZES = 3, MOST_MODELS = 40 };

static const int sizes[SIZES] = { 1000, 2000, 5000, 10000, 20000, 50000, 100000 };

typedef struct model {
    const char *pool, *name, *settings;
    bool mid, papers; /* papers: it is in the paper's figure */
    double seconds[SIZES], bytes[SIZES];
    int steps[SIZES]; /* that `seconds` is the median of */
    bool full[SIZES];
} model;

/* {"full": over the limit, "seconds": .., "steps": that it is the median of, "bytes": ..} */
static mp_err probe(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    mp_config c;
    mp_step_time t;
    (void)a;
    mp_config_init(&c);
    MP_TRY(mp_conf_set_all(mp_config_table, &c, mp_json_text(in->arg, "settings", ""), "settings"));
    MP_TRY(mp_conf_set(mp_config_table, &c, "pool", mp_json_text(in->arg, "pool", ""), "pool"));
    MP_TRY(mp_config_check(&c));
    mp_step_ask ask = { .config = &c,
                        .nodes = (int)mp_json_real(in->arg, "nodes", 0),
                        .columns = 128,
                        .warm = (int)mp_json_real(in->arg, "warm", 0),
                        .timed = (int)mp_json_real(in->arg, "steps", 1),
                        .threads = 1, /* one graph is one shard: more do not help */
                        .limit = mp_json_real(in->arg, "limit", LIMIT),
                        .most = MOST };
    double there = (double)mp_memory_free() / 1073741824.0;
    if (there > 0 && there < ask.limit) ask.limit = there;
    MP_TRY(mp_time_step(&ask, &t));
    mp_json_open(json, '{');
    mp_json_add_bool(json, "full", t.full);
    mp_json_add_real(json, "seconds", t.seconds);
    mp_json_add_int(json, "steps", t.steps);
    mp_json_add_real(json, "bytes", (double)t.peak);
    mp_json_close(json, '}');
    return MP_OK;
}

static const mp_probe step_time = { .name = "step time", .alone = true, .run = probe };

static void add_model(model *list, int *n, const char *pool, bool mid, mp_arena *a)
{
    mp_assert(*n < MOST_MODELS);
    const char *title = mp_lab_title(pool);
    list[(*n)++] = (model){ .pool = pool,
                            .name = mid ? mp_arena_printf(a, "%s + MID", title) : title,
                            .settings = mid ? mp_preset_find("mid")->settings : "",
                            .mid = mid,
                            .papers = strstr("," PAPER_DROPS "," DENSE ",", mp_arena_printf(a, ",%s,", pool)) != NULL };
}

/* All operators that drop nodes, with and without MID, and the paper's others. */
static int list_models(mp_lab *lab, model *list, mp_arena *a)
{
    mp_buf all = MP_BUF_LOCAL;
    int n = 0, pools;
    for (const mp_pool_op *o = mp_pool_ops(); o->name; o++) mp_buf_printf(&all, "%s,", o->name);
    mp_buf_puts(&all, DENSE);
    const char *const *pool = mp_lab_pools(lab, all.p, all.p, &pools);
    mp_buf_free(&all);
    for (int i = 0; i < pools && n + 2 <= MOST_MODELS; i++) {
        add_model(list, &n, pool[i], false, a);
        if (mp_has_mid(pool[i])) add_model(list, &n, pool[i], true, a);
    }
    return n;
}

static int warm_of(bool quick)
{
    return quick ? 1 : 2;
}

static int steps_of(bool quick)
{
    return quick ? 3 : 10;
}

/* MOST is not in it: a median of fewer steps is the same quantity, and times that were kept stay good whatever it is. */
static const char *arg_of(const model *m, int nodes, bool quick, const char *machine, mp_arena *a)
{
    mp_buf b = MP_BUF_LOCAL;
    mp_json_open(&b, '{');
    mp_json_add_text(&b, "pool", m->pool);
    mp_json_add_text(&b, "settings", m->settings);
    mp_json_add_int(&b, "nodes", nodes);
    mp_json_add_int(&b, "warm", warm_of(quick));
    mp_json_add_int(&b, "steps", steps_of(quick));
    mp_json_add_int(&b, "limit", LIMIT);
    mp_json_add_text(&b, "machine", machine);
    mp_json_close(&b, '}');
    const char *text = mp_arena_text(a, b.p, b.n);
    mp_buf_free(&b);
    return text;
}

static mp_err measure(mp_lab *lab, model *m, int count, const char *machine, mp_arena *a)
{
    bool quick = mp_lab_quick(lab), on = true;
    for (int i = 0; i < SIZES; i++) m->seconds[i] = m->bytes[i] = (double)NAN;
    for (int i = 0; i < count && on; i++) {
        const mp_json *v;
        MP_TRY(mp_lab_measure(lab, &step_time, NULL, arg_of(m, sizes[i], quick, machine, a), &v));
        const mp_json *full = v ? mp_json_get(v, "full") : NULL;
        m->full[i] = full && full->truth;
        on = v && !m->full[i];
        if (!on) break;
        m->seconds[i] = mp_json_real(v, "seconds", (double)NAN);
        m->bytes[i] = mp_json_real(v, "bytes", (double)NAN);
        m->steps[i] = (int)mp_json_real(v, "steps", steps_of(quick)); /* not said: all */
        on = m->seconds[i] <= (quick ? QUICK_LONG : LONG);
    }
    return MP_OK;
}

/* Number i of a row; seconds of fewer than `all` steps say of how many. */
static void add_cell(mp_table *t, const model *m, int i, int all, bool memory)
{
    if (m->full[i])
        mp_table_add(t, "out of memory");
    else if (isnan(m->seconds[i]))
        mp_table_add(t, "-");
    else if (memory)
        mp_table_add(t, "%.0f", m->bytes[i] / 1048576);
    else if (m->steps[i] < all)
        mp_table_add(t, "%.4f (%d)", m->seconds[i], m->steps[i]);
    else
        mp_table_add(t, "%.4f", m->seconds[i]);
}

static void add_table(mp_section *out, const char *title, const model *m, int models, int count, int all, bool memory)
{
    const char **header = MP_NEW(out->arena, const char *, count + 2);
    header[0] = "model";
    for (int i = 0; i < count; i++) header[1 + i] = mp_arena_printf(out->arena, "%d", sizes[i]);
    mp_table t;
    mp_table_init(&t, out->arena, title, header);
    for (int k = 0; k < models; k++) {
        if (!m[k].full[0] && isnan(m[k].seconds[0])) continue; /* sizes are tried from the smallest on */
        mp_table_add(&t, "%s", m[k].name);
        for (int i = 0; i < count; i++) add_cell(&t, &m[k], i, all, memory);
    }
    mp_section_table(out, &t);
}

static void draw(mp_section *out, const model *m, int models, int count, bool papers, bool memory)
{
    mp_svg_series line[MOST_MODELS];
    double x[SIZES], *y;
    int n = 0, colour = -1;
    for (int i = 0; i < count; i++) x[i] = sizes[i];
    for (int k = 0; k < models; k++) {
        if (m[k].papers != papers) continue;
        colour += !m[k].mid;
        if (isnan(m[k].seconds[0])) continue;
        y = MP_NEW(out->arena, double, SIZES);
        for (int i = 0; i < count; i++) y[i] = memory ? m[k].bytes[i] / 1048576 : m[k].seconds[i];
        line[n++] = (mp_svg_series){ .name = m[k].name,
                                     .colour = mp_svg_colour(colour),
                                     .dashed = m[k].mid,
                                     .dots = true,
                                     .n = count,
                                     .x = x,
                                     .y = y };
    }
    if (!n) return;
    const char *title = mp_arena_printf(out->arena, "%s of a training step, %s", memory ? "Memory" : "Time",
                                        papers ? "the paper's models" : "the other operators");
    mp_svg_chart_spec spec = { .title = title,
                               .x_label = "nodes",
                               .y_label = memory ? "MiB" : "seconds",
                               .width = 620,
                               .height = 420,
                               .log_x = true,
                               .log_y = true,
                               .series = n,
                               .line = line };
    mp_figure_chart(out, title, NULL, &spec);
}

mp_err mp_make_efficiency(mp_lab *lab, mp_section *out)
{
    model *m = MP_NEW(out->arena, model, MOST_MODELS);
    bool quick = mp_lab_quick(lab);
    int models = list_models(lab, m, out->arena), count = quick ? QUICK_SIZES : SIZES, all = steps_of(quick);
    const char *machine;
    MP_TRY(mp_lab_machine(lab, 1, &machine));
    for (int k = 0; k < models; k++) MP_TRY(measure(lab, &m[k], count, machine, out->arena));
    mp_section_para(
        out,
        "One training step (forward, backward, update) on one Erdos-Renyi graph of n nodes and 2n edges with 128 "
        "random features, ratio 0.5, on %s: the median of %d after %d to warm up, of fewer once they have taken %d s "
        "(then their number is in brackets), and the most bytes that all buffers together held. MID has five columns. "
        "More than %d GiB are out of memory; a model whose step takes longer than %d s is not tried on larger graphs.",
        machine, all, warm_of(quick), MOST, LIMIT, quick ? QUICK_LONG : LONG);
    for (int papers = 1; papers >= 0; papers--)
        for (int memory = 0; memory < 2; memory++) draw(out, m, models, count, papers, memory);
    add_table(out, "Seconds of a step by the number of nodes", m, models, count, all, false);
    add_table(out, "Peak of memory in MiB by the number of nodes", m, models, count, all, true);
    return MP_OK;
}
